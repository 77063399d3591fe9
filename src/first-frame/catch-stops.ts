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

export interface CaughtStop {
  press: FramePress;
  /** The pressed button's lower edge in the window, px: where an Undo must not appear. */
  bottomPx: number;
  byKey: boolean;
  /** Whether it is on disk. Where it could not be saved, the app sends it. */
  saved: Promise<boolean>;
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

interface FingerDown {
  pointerId: number;
  agentId: string;
  button: Element;
  x: number;
  y: number;
}

/** Catches the presses of one frame. */
export class StopCatcher {
  readonly caught: CaughtStop[] = [];
  private readonly agents: ReadonlyMap<string, FrameAgent>;
  private readonly ends = new AbortController();
  private down: FingerDown | null = null;
  /** Event time (ms) of the last press taken by its lifting: the click is still to come. */
  private takenAt = -Infinity;
  /** The app follows new presses by itself; one that began before is still ours. */
  private isHandedOver = false;

  constructor(
    private readonly uid: string,
    private readonly root: Element,
    agents: readonly FrameAgent[],
    waiting: readonly FramePress[],
  ) {
    this.agents = new Map(agents.map((agent) => [agent.id, agent]));
    for (const { agentId, agentName } of waiting)
      showSaved(root, { id: agentId, name: agentName }, true);
    const { signal } = this.ends;
    const options = { capture: true, signal };
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
        if (event.pointerId === this.down?.pointerId) this.down = null;
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
  }

  /** The frame is gone. A press that is not over ends here: what has come under it stays alone. */
  end(): void {
    if (this.down === null) this.endSoon();
  }

  private endSoon(): void {
    setTimeout(() => {
      this.ends.abort();
    }, CLICK_WITHIN_MS);
  }

  private stopAt(target: EventTarget | null): Element | null {
    const button = target instanceof Element ? target.closest(STOP) : null;
    const isFree = button !== null && button.getAttribute('aria-disabled') !== 'true';
    return isFree && this.root.contains(button) ? button : null;
  }

  private begin(event: PointerEvent): void {
    if (this.isHandedOver || !event.isPrimary) return;
    const button = this.stopAt(event.target);
    this.down =
      button === null
        ? null
        : {
            pointerId: event.pointerId,
            agentId: button.getAttribute('data-act')?.slice('stop '.length) ?? '',
            button,
            x: event.clientX,
            y: event.clientY,
          };
  }

  private lift(event: PointerEvent): void {
    const { down } = this;
    if (down === null || event.pointerId !== down.pointerId) return;
    this.down = null;
    const slipPx = Math.hypot(event.clientX - down.x, event.clientY - down.y);
    if (slipPx <= SLIP_PX) {
      this.takenAt = event.timeStamp;
      this.take(down.agentId, down.button, false);
    }
    if (!this.root.contains(down.button)) this.endSoon();
  }

  /** Keys, assistive technology, and the app on behalf of a press that began after the hand-over. */
  private click(event: MouseEvent): void {
    if (event.isTrusted && event.timeStamp - this.takenAt < CLICK_WITHIN_MS) {
      this.takenAt = -Infinity;
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    const button = this.stopAt(event.target);
    if (button === null) return;
    this.take(
      button.getAttribute('data-act')?.slice('stop '.length) ?? '',
      button,
      event.isTrusted,
    );
  }

  private take(agentId: string, button: Element, byKey: boolean): void {
    const agent = this.agents.get(agentId);
    if (agent === undefined || this.caught.some(({ press }) => press.agentId === agentId)) return;
    const press: FramePress = {
      commandId: crypto.randomUUID(),
      agentId,
      agentName: agent.name,
      seenGeneration: agent.generation,
      pressedAt: Date.now(),
    };
    showSaved(this.root, agent, false);
    const saved = savePress(this.uid, press);
    this.caught.push({ press, bottomPx: button.getBoundingClientRect().bottom, byKey, saved });
    void saved.then((isSaved) => {
      if (!isSaved || !this.root.contains(button)) return;
      showSaved(this.root, agent, true);
      announce(this.root, agent.name);
    });
  }
}
