/**
 * Takes presses of Stop on the first frame: each is saved on the device at once, and the queue
 * takes it over when the app's code has run. A link that the app replaces under its press is followed.
 */
import { PRESSES_KEY, type FrameAgent, type FramePress } from '../offline/frame-record.ts';
import { openKept } from './read-device.ts';

const STOP = '[data-act^="stop "]';
const LINK = 'a[href^="/"]:not([target])';
/** What lies over the page and does not scroll with it. */
const OVER = '.fixed, .sticky';
const NO_TARGET = '.pointer-events-none';
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
  /** The app sends it: it is not saved any more, and would only come twice. */
  isLate: boolean;
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
async function savePress(uid: string, one: Omit<CaughtStop, 'saved'>): Promise<boolean> {
  const db = await openKept(uid).catch(() => null);
  if (db === null) return false;
  try {
    return await new Promise<boolean>((resolve) => {
      const transaction = db.transaction('meta', 'readwrite', { durability: 'strict' });
      const meta = transaction.objectStore('meta');
      const before = meta.get(PRESSES_KEY) as IDBRequest<FramePress[] | undefined>;
      before.onsuccess = () => {
        if (one.isLate) transaction.abort();
        else meta.put([...(before.result ?? []), one.press], PRESSES_KEY);
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

/** What a press is about: a Stop, a link of the app, or neither. */
interface Pressed {
  agentId: string;
  href: string;
  bottomPx: number;
}

/** Where something of the frame lies, px of the page; of the window for what does not scroll. */
interface Spot extends Omit<Pressed, 'bottomPx'> {
  left: number;
  right: number;
  top: number;
  bottom: number;
  scrolls: boolean;
  /** What lies over others comes first, and what can be pressed there before the rest of it. */
  order: number;
}

interface FingerDown extends Pressed {
  pointerId: number;
  x: number;
  y: number;
  /** Event time, ms. */
  at: number;
}

/** A Stop that has been pressed does nothing more. */
const meantBy = (element: Element): Omit<Pressed, 'bottomPx'> => ({
  agentId:
    element.matches(STOP) && element.getAttribute('aria-disabled') !== 'true'
      ? (element.getAttribute('data-act') ?? '').slice('stop '.length)
      : '',
  href: element.matches(LINK) ? (element.getAttribute('href') ?? '') : '',
});

const pressedOn = (element: Element): Pressed => ({
  ...meantBy(element),
  bottomPx: element.getBoundingClientRect().bottom,
});

function spotOf(element: Element): Spot {
  const scrolls = element.closest(OVER) === null;
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const y = scrolls ? scrollY : 0;
  const order = scrolls ? 2 : Number(element.matches(OVER));
  return { ...meantBy(element), left, right, top: top + y, bottom: bottom + y, scrolls, order };
}

/** The app opens a screen by itself; with another key or button the browser does as it is asked. */
const isPlain = ({ button, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): boolean =>
  button === 0 && !ctrlKey && !metaKey && !shiftKey && !altKey;

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
  private spots: Spot[] = [];
  private onCaught: ((caught: CaughtStop) => void) | null = null;
  private onFollowed: ((href: string) => void) | null = null;

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
    this.spots = [...this.root.querySelectorAll(`${STOP}, ${LINK}, ${OVER}`)]
      .filter((element) => !element.matches(NO_TARGET))
      .map(spotOf)
      .sort((one, other) => one.order - other.order);
  }

  /**
   * The app has replaced the frame. A busy page hears of a finger late: one that came down before
   * is still about the frame, and nothing that has come under it since may act. `onFollowed` is
   * called with the path of a link that was pressed there.
   */
  end(onCaught: (caught: CaughtStop) => void, onFollowed: (href: string) => void): void {
    this.replacedAt = performance.now();
    this.onCaught = onCaught;
    this.onFollowed = onFollowed;
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

  private pressedAt(target: EventTarget | null): Pressed | null {
    if (this.isReplaced || !(target instanceof Element)) return null;
    const element = target.closest(`${STOP}, ${LINK}`);
    if (element === null || !this.root.contains(element)) return null;
    const pressed = pressedOn(element);
    return pressed.agentId + pressed.href === '' ? null : pressed;
  }

  /** What lay at a point of the window before the app took over. */
  private spotAt(x: number, y: number): Pressed {
    const found = this.spots.find(({ left, right, top, bottom, scrolls }) => {
      const spotY = scrolls ? y + scrollY : y;
      return x >= left && x <= right && spotY >= top && spotY <= bottom;
    });
    const { agentId = '', href = '', bottom = 0 } = found ?? {};
    return { agentId, href, bottomPx: bottom - scrollY };
  }

  private begin(event: PointerEvent): void {
    const { pointerId, clientX: x, clientY: y, timeStamp: at } = event;
    // The browser made no click of it: the next one belongs to this finger.
    if (this.unsure !== null) {
      this.unsure = null;
      this.endedPressAt = -Infinity;
    }
    if (this.isReplaced) {
      if (at >= this.replacedAt) {
        // A press before it had no click: this one's is its own.
        this.endedPressAt = -Infinity;
        return;
      }
      this.down = { ...this.spotAt(x, y), pointerId, x, y, at };
      if (!isPlain(event)) this.down.href = '';
      if (event.button !== 0) this.down.agentId = '';
      event.stopImmediatePropagation();
      return;
    }
    const isOurs = !this.isHandedOver && event.isPrimary && event.button === 0;
    const pressed = isOurs ? this.pressedAt(event.target) : null;
    const isFollowed = pressed !== null && (pressed.href === '' || isPlain(event));
    this.down = isFollowed ? { ...pressed, pointerId, x, y, at } : null;
  }

  private lift(event: PointerEvent): void {
    const { down } = this;
    if (down === null || event.pointerId !== down.pointerId) return;
    this.down = null;
    const slipPx = Math.hypot(event.clientX - down.x, event.clientY - down.y);
    if (slipPx <= SLIP_PX) {
      this.endedPressAt = event.timeStamp;
      const mayHalt = event.timeStamp - down.at < HALT_MS && down.at - this.scrolledAt < HALT_MS;
      // A link that still stands is the browser's to follow, by its click.
      if (mayHalt || (down.href !== '' && !this.isReplaced)) this.unsure = down;
      else this.act(down);
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
        if (unsure !== null && unsure.href !== '' && !this.isReplaced) return;
        silence(event);
        if (unsure !== null) this.act(unsure);
        return;
      }
    }
    const pressed = this.pressedAt(event.target);
    if (pressed !== null) this.take(pressed, event.isTrusted && event.detail === 0);
  }

  private act(pressed: Pressed): void {
    if (pressed.href === '') this.take(pressed, false);
    else this.onFollowed?.(pressed.href);
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
    const made = { press, bottomPx, byKey, isLate: false };
    const saved = savePress(this.uid, made);
    const one: CaughtStop = Object.assign(made, { saved });
    this.caught.push(one);
    this.onCaught?.(one);
    void saved.then((isSaved) => {
      if (!isSaved || this.isReplaced) return;
      showSaved(this.root, agent, true);
      announce(this.root, agent.name);
    });
  }
}
