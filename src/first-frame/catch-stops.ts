/**
 * Takes presses of Stop on the first frame: each is saved on the device at once, and the queue
 * takes it over when the app's code has run.
 */
import { PRESSES_KEY, type FrameAgent, type FramePress } from '../offline/frame-record.ts';
import { openKept } from './read-device.ts';

const STOP = '[data-act^="stop "]';
const STOP_SAVED = 'Stop saved';
/** A finger that moves further than this cancels the press, px; as in `presses.ts`. */
const SLIP_PX = 16;
/** The click of a press comes within this of the lifting, ms. */
const CLICK_WITHIN_MS = 1_000;
/** So close to a scroll, so short a press may only halt a list, ms; as in `presses.ts`. */
const HALT_MS = 300;
/** How late a busy page may hear of a finger, ms. */
const LATE_EVENTS_MS = 3_000;

export interface CaughtStop {
  press: FramePress;
  /** The pressed button's lower edge in the window, px: where an Undo must not appear. */
  bottomPx: number;
  byKey: boolean;
  /** Whether it is on disk. Where it could not be saved, the app sends it. */
  saved: Promise<boolean>;
}

/** A disk that has not answered in this time counts as one that cannot save, ms. */
const SAVE_DEADLINE_MS = 5_000;

/** Whether a stop is on the device; false after a while without an answer. */
export function isSavedInTime({ saved }: CaughtStop): Promise<boolean> {
  const given = new Promise<boolean>((resolve) => {
    setTimeout(resolve, SAVE_DEADLINE_MS, false);
  });
  return Promise.race([saved, given]);
}

/** Adds a press to those of the user's database; durable when it resolves. */
async function savePress(uid: string, press: FramePress): Promise<boolean> {
  const db = await openKept(uid).catch(() => null);
  if (db === null) return false;
  try {
    return await new Promise<boolean>((resolve) => {
      const transaction = db.transaction('meta', 'readwrite', { durability: 'strict' });
      const meta = transaction.objectStore('meta');
      const before = meta.get(PRESSES_KEY) as IDBRequest<FramePress[] | undefined>;
      before.onsuccess = () => {
        meta.put([...(before.result ?? []), press], PRESSES_KEY);
      };
      transaction.oncomplete = () => {
        resolve(true);
      };
      transaction.onabort = () => {
        resolve(false);
      };
    });
  } catch {
    return false;
  } finally {
    db.close();
  }
}

/** Labels every Stop of the agent as the app would while its stop waits. */
function showSaved(root: Element, agent: Pick<FrameAgent, 'id' | 'name'>, isSaved: boolean): void {
  for (const button of root.querySelectorAll(STOP)) {
    if (button.getAttribute('data-act') !== `stop ${agent.id}`) continue;
    button.setAttribute('aria-disabled', 'true');
    if (!isSaved) continue;
    button.setAttribute('aria-label', `${STOP_SAVED}: ${agent.name}`);
    const label = button.querySelector('span');
    if (label === null) button.setAttribute('title', STOP_SAVED);
    else label.textContent = STOP_SAVED;
  }
}

/** The same sentence, in the same place, as the Undo that the app offers there. */
function announce(root: Element, name: string): void {
  const line = document.createElement('div');
  line.setAttribute('role', 'status');
  line.className =
    'fixed inset-x-2 bottom-[calc(var(--bar)+env(safe-area-inset-bottom)+0.5rem)] z-20 flex min-h-11 items-center rounded-md border border-line bg-surface px-3 py-2 shadow-float sm:left-auto sm:w-104 lg:bottom-6';
  root.querySelector('[data-frame-notice]')?.remove();
  line.dataset.frameNotice = '';
  root.append(line);
  // A live region is read when its text changes, not when it appears.
  line.textContent = `${name}: stop saved, not sent yet.`;
}

/** Where a Stop of the frame lies, px of the page. */
interface StopSpot {
  agentId: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

interface Pressed {
  /** The agent whose Stop it is; empty where it is nothing that the frame can do. */
  agentId: string;
  bottomPx: number;
}

interface FingerDown extends Pressed {
  pointerId: number;
  x: number;
  y: number;
  /** Event time, ms. */
  at: number;
}

const agentIdOf = (button: Element): string =>
  button.getAttribute('data-act')?.slice('stop '.length) ?? '';

const pressedOn = (button: Element): Pressed => ({
  agentId: agentIdOf(button),
  bottomPx: button.getBoundingClientRect().bottom,
});

function silence(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Catches the presses of one frame. */
export class StopCatcher {
  readonly caught: CaughtStop[] = [];
  private readonly agents: ReadonlyMap<string, FrameAgent>;
  private readonly ends = new AbortController();
  private down: FingerDown | null = null;
  /** Event time (ms) of the last press that ended here: its click is still to come. */
  private endedPressAt = -Infinity;
  /** That press, where it may only have halted a list: a click of the browser's says that it has not. */
  private unsure: FingerDown | null = null;
  /** Event time (ms) of the last scroll of anything. */
  private scrolledAt = -Infinity;
  /** The app follows new presses by itself; one that began before is still ours. */
  private isHandedOver = false;
  /** Time (ms) at which the app replaced the frame: what was pressed before was the frame. */
  private replacedAt = Infinity;
  private spots: StopSpot[] = [];
  private onCaught: ((caught: CaughtStop) => void) | null = null;

  constructor(
    private readonly uid: string,
    private readonly root: Element,
    agents: readonly FrameAgent[],
    waiting: readonly FramePress[],
  ) {
    this.agents = new Map(agents.map((agent) => [agent.id, agent]));
    for (const { agentId, agentName } of waiting)
      showSaved(root, { id: agentId, name: agentName }, true);
    const options = { capture: true, signal: this.ends.signal };
    addEventListener(
      'pointerdown',
      (event) => {
        this.begin(event);
      },
      options,
    );
    addEventListener(
      'pointerup',
      (event) => {
        this.lift(event);
      },
      options,
    );
    addEventListener(
      'pointercancel',
      (event) => {
        this.cancel(event);
      },
      options,
    );
    addEventListener(
      'scroll',
      (event) => {
        // What the app scrolls in its turn was flung by nobody.
        if (!this.isHandedOver && !this.isReplaced) this.scrolledAt = event.timeStamp;
      },
      options,
    );
    addEventListener(
      'click',
      (event) => {
        this.click(event);
      },
      options,
    );
  }

  /** From now on a new press is followed by `presses.ts`, which clicks what it was meant for. */
  handOver(): void {
    this.isHandedOver = true;
    this.spots = [...this.root.querySelectorAll(STOP)].map((button) => {
      const { left, right, top, bottom } = button.getBoundingClientRect();
      return {
        agentId: agentIdOf(button),
        left,
        right,
        top: top + scrollY,
        bottom: bottom + scrollY,
      };
    });
  }

  /**
   * The app has replaced the frame. A busy page hears of a finger late: one that came down before
   * is still about the frame, and nothing that has come under it since may act.
   */
  end(onCaught: (caught: CaughtStop) => void): void {
    this.replacedAt = performance.now();
    this.onCaught = onCaught;
    for (const one of this.caught) onCaught(one);
    setTimeout(() => {
      if (this.down === null) this.close();
    }, LATE_EVENTS_MS);
  }

  /** Hears of nothing any more. */
  close(): void {
    this.ends.abort();
  }

  private get isReplaced(): boolean {
    return this.replacedAt !== Infinity;
  }

  private stopAt(target: EventTarget | null): Element | null {
    if (this.isReplaced) return null;
    const button = target instanceof Element ? target.closest(STOP) : null;
    const isFree = button !== null && button.getAttribute('aria-disabled') !== 'true';
    return isFree && this.root.contains(button) ? button : null;
  }

  private begin(event: PointerEvent): void {
    const { pointerId, clientX: x, clientY: y, timeStamp: at } = event;
    // The browser made no click of it: the next one belongs to this finger.
    if (this.unsure !== null) {
      this.unsure = null;
      this.endedPressAt = -Infinity;
    }
    if (this.isReplaced) {
      if (at >= this.replacedAt) return;
      const spot = this.spots.find(
        ({ left, right, top, bottom }) =>
          x >= left && x <= right && y + scrollY >= top && y + scrollY <= bottom,
      );
      this.down = {
        pointerId,
        agentId: spot?.agentId ?? '',
        bottomPx: (spot?.bottom ?? 0) - scrollY,
        x,
        y,
        at,
      };
      event.stopImmediatePropagation();
      return;
    }
    const button = this.isHandedOver || !event.isPrimary ? null : this.stopAt(event.target);
    this.down = button === null ? null : { ...pressedOn(button), pointerId, x, y, at };
  }

  private lift(event: PointerEvent): void {
    const { down } = this;
    if (down === null || event.pointerId !== down.pointerId) return;
    this.down = null;
    const slipPx = Math.hypot(event.clientX - down.x, event.clientY - down.y);
    if (slipPx <= SLIP_PX) {
      this.endedPressAt = event.timeStamp;
      const mayHalt = event.timeStamp - down.at < HALT_MS && down.at - this.scrolledAt < HALT_MS;
      if (mayHalt) this.unsure = down;
      else this.take(down, false);
    }
    if (!this.isReplaced) return;
    event.stopImmediatePropagation();
    setTimeout(() => {
      this.close();
    }, LATE_EVENTS_MS);
  }

  private cancel(event: PointerEvent): void {
    if (event.pointerId === this.down?.pointerId) this.down = null;
  }

  /** Keys, assistive technology, and a press that began after the hand-over. */
  private click(event: MouseEvent): void {
    if (event.isTrusted && event.timeStamp - this.endedPressAt < CLICK_WITHIN_MS) {
      const { unsure } = this;
      this.endedPressAt = -Infinity;
      this.unsure = null;
      // A key's click is not that of the finger which may have halted the list.
      if (unsure === null || event.detail !== 0) {
        silence(event);
        if (unsure !== null) this.take(unsure, false);
        return;
      }
    }
    const button = this.stopAt(event.target);
    if (button === null) return;
    this.take(pressedOn(button), event.isTrusted && event.detail === 0);
  }

  private take({ agentId, bottomPx }: Pressed, byKey: boolean): void {
    const agent = this.agents.get(agentId);
    if (agent === undefined || this.caught.some(({ press }) => press.agentId === agentId)) return;
    const press: FramePress = {
      commandId: crypto.randomUUID(),
      agentId,
      agentName: agent.name,
      seenGeneration: agent.generation,
      pressedAt: Date.now(),
    };
    if (!this.isReplaced) showSaved(this.root, agent, false);
    const saved = savePress(this.uid, press);
    const one: CaughtStop = { press, bottomPx, byKey, saved };
    this.caught.push(one);
    this.onCaught?.(one);
    void saved.then((isSaved) => {
      if (!isSaved || this.isReplaced) return;
      showSaved(this.root, agent, true);
      announce(this.root, agent.name);
    });
  }
}
