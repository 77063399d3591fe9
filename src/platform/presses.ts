/**
 * A control acts only on a press that began on it. What appears under a finger stays inert until it
 * lifts.
 */

/** Controls that a press can act on. */
const CONTROLS =
  'a[href], button, input, select, textarea, summary, label, [role="button"], [role="switch"], [role="option"], [role="tab"], [role="menuitem"], [role="checkbox"], [role="radio"], [role="link"]';

/** A finger that moves further than this cancels the press, px. */
const SLIP_PX = 16;
/**
 * A click comes with the lifting of its finger. A later one belongs to a screen reader or a script,
 * ms.
 */
const CLICK_WITHIN_MS = 1_000;
/**
 * Two taps at one place within this are a double tap: the second belongs to the control of the
 * first, ms.
 */
const DOUBLE_TAP_MS = 400;
const DOUBLE_TAP_PX = 24;
/**
 * A finger that comes down within this of a scroll, and lifts within it, may only have halted a list
 * that was flung. A list in motion scrolls with every frame; this is as long as a busy page may be
 * without one, ms.
 */
const HALT_MS = 300;

interface Press {
  pointerId: number;
  byMouse: boolean;
  /** The control it began on, and what that did at the time. */
  control: Element | null;
  act: string;
  x: number;
  y: number;
  slid: boolean;
  /** Device time of the touch-down. */
  downAt: number;
  /** Device time of the lifting; null while it is down. */
  liftedAt: number | null;
  /** The second tap of a double tap is ignored. */
  isEcho: boolean;
  /** Its action is done: a click that follows is ignored. */
  isDone: boolean;
  /** Another finger was down meanwhile: browsers make no click of two. */
  isAmong: boolean;
  /** It began on the page from the build, which the app may replace before the finger lifts. */
  onBuiltPage: boolean;
}

/** The control at a point of the page. A label counts as its input. */
function controlOf(target: EventTarget | null): Element | null {
  const found = target instanceof Element ? target.closest(CONTROLS) : null;
  return found instanceof HTMLLabelElement ? (found.control ?? found) : found;
}

const isInert = (control: Element): boolean =>
  control.matches(':disabled') || control.getAttribute('aria-disabled') === 'true';

/** The name of an action wherever it is rendered: `stop 0e1f`. */
const markOf = (control: Element): string | null => control.getAttribute('data-act');

/**
 * What a control does. React may give the same node another action under a resting finger; changing
 * figures are no other action.
 */
function actOf(control: Element | null): string {
  if (control === null) return '';
  if (isInert(control)) return 'inert';
  const mark = markOf(control);
  if (mark !== null) return `act ${mark}`;
  if (control instanceof HTMLAnchorElement) return `to ${control.href}`;
  if (control.matches('input, select, textarea')) return 'field';
  const label = control.getAttribute('aria-label');
  return label ?? (control.textContent ?? '').replace(/[^\p{L}]+/gu, ' ').trim();
}

/** What finds a control's successor in the page: its mark, or where a link leads. */
function heirsOf(control: Element): string | null {
  const mark = markOf(control);
  if (mark !== null) return `[data-act="${CSS.escape(mark)}"]`;
  const href = control instanceof HTMLAnchorElement ? control.getAttribute('href') : null;
  return href === null ? null : `a[href="${CSS.escape(href)}"]`;
}

/**
 * Whether a press belongs to this control: the same node with the same action, or a new one with
 * the same mark, or that leads to the same place.
 */
function isAbout(press: Press, control: Element | null): boolean {
  if (press.act !== actOf(control)) return false;
  return (
    press.control === control ||
    (control !== null && heirsOf(control) !== null && press.act !== 'inert')
  );
}

const far = (press: Press, { clientX, clientY }: MouseEvent, px: number): boolean =>
  Math.hypot(clientX - press.x, clientY - press.y) > px;

function silence(event: Event): void {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Tracks the presses of one page, each pointer on its own. */
class Presses {
  private readonly byPointer = new Map<number, Press>();
  /** The newest press, and the newest whose click may still come. */
  private last: Press | null = null;
  private awaited: Press | null = null;
  /** Event time of the last scroll of anything, by a finger or by the app. */
  scrolledAt = -Infinity;

  constructor(private readonly page: Document) {}

  down(event: PointerEvent): void {
    this.forget(event.timeStamp);
    const byMouse = event.pointerType === 'mouse';
    const control = controlOf(event.target);
    const before = byMouse ? null : this.echoOf(event, control);
    const press: Press = {
      pointerId: event.pointerId,
      byMouse,
      control: before?.control ?? control,
      act: before?.act ?? actOf(control),
      x: event.clientX,
      y: event.clientY,
      slid: false,
      downAt: event.timeStamp,
      liftedAt: null,
      isEcho: before !== null,
      isDone: false,
      isAmong: false,
      onBuiltPage: this.page.getElementById('built-page') !== null,
    };
    for (const other of this.byPointer.values())
      if (!byMouse && !other.byMouse && other.liftedAt === null)
        other.isAmong = press.isAmong = true;
    this.byPointer.set(event.pointerId, press);
    this.last = press;
    this.awaited = press;
    // Nothing may begin on it either, such as a hold.
    if (press.isEcho) event.stopImmediatePropagation();
  }

  move(event: PointerEvent): void {
    const press = this.byPointer.get(event.pointerId);
    if (press !== undefined && press.liftedAt === null && far(press, event, SLIP_PX))
      press.slid = true;
  }

  up(event: PointerEvent): void {
    const press = this.byPointer.get(event.pointerId);
    if (press === undefined) return;
    press.liftedAt = event.timeStamp;
    if (far(press, event, SLIP_PX)) press.slid = true;
    if (press.slid || press.isEcho || press.act === 'inert') return;
    const successor = this.successor(press) ?? this.successorLink(press, event);
    if (successor !== null) {
      press.isDone = true;
      successor.click();
      return;
    }
    if (press.byMouse) return;
    if (press.control?.hasAttribute('data-steady') !== true) return;
    // Only the browser knows whether such a finger has tapped: then alone it fires a click, also where
    // the app itself had scrolled. A late page hears of a scroll after the finger. Who rests longer
    // means the control, whatever scrolled before, and no click may come. Of two fingers none comes.
    const mayHalt = event.timeStamp - press.downAt < HALT_MS && !press.isAmong;
    if (mayHalt && press.downAt - this.scrolledAt < HALT_MS) return;
    // After a long press some browsers fire no click, or fire it elsewhere if a list moved. Marked
    // actions run all the same.
    const meant = this.present(press);
    press.isDone = true;
    if (meant instanceof HTMLElement) meant.click();
  }

  cancel(event: PointerEvent): void {
    const press = this.byPointer.get(event.pointerId);
    if (press === undefined) return;
    press.isDone = true;
    press.liftedAt = event.timeStamp;
  }

  /**
   * Mouse events that follow a touch: what has come under the finger takes neither focus nor
   * selection.
   */
  mouseDown(event: MouseEvent): void {
    const press = this.last;
    if (press === null || press.byMouse || this.isOld(press, event.timeStamp)) return;
    if (press.isEcho || !isAbout(press, controlOf(event.target))) silence(event);
  }

  click(event: MouseEvent): void {
    // Keys, screen readers and the app itself click without a press.
    if (event.detail === 0) return;
    const press = this.pressOf(event);
    if (press === null || this.isOld(press, event.timeStamp)) return;
    this.byPointer.delete(press.pointerId);
    // A label forwards its click: the second click has no press of its own.
    if (this.awaited === press) this.awaited = null;
    const control = controlOf(event.target);
    if (press.isEcho || press.isDone) {
      silence(event);
      return;
    }
    if (isAbout(press, control)) return;
    silence(event);
    // The control moved away under a resting finger: the press is still its own.
    const meant = press.slid || press.act === 'inert' ? null : this.present(press);
    if (meant instanceof HTMLElement) meant.click();
  }

  menu(event: Event): void {
    const steady = controlOf(event.target)?.hasAttribute('data-steady') === true;
    if (steady && this.last?.byMouse === false && this.last.liftedAt === null)
      event.preventDefault();
  }

  /**
   * The control that the press began on, while it exists and does the same; otherwise the one in its
   * place.
   */
  private present(press: Press): Element | null {
    if (press.control === null) return null;
    if (press.control.isConnected) return press.act === actOf(press.control) ? press.control : null;
    const heirs = heirsOf(press.control);
    const heir = heirs === null ? null : this.page.querySelector(heirs);
    return heir !== null && press.act === actOf(heir) ? heir : null;
  }

  /**
   * The app's button for one of the built page that was replaced while it was pressed. Browsers fire
   * no click then: what the press began on is gone.
   */
  private successor({ onBuiltPage, control, act }: Press): HTMLElement | null {
    if (!onBuiltPage || control === null || control.isConnected) return null;
    const buttons = [...this.page.querySelectorAll<HTMLElement>('main button')];
    return buttons.find((button) => actOf(button) === act) ?? null;
  }

  /** The link in place of one that was drawn anew under a mouse, of which no click comes either. */
  private successorLink(press: Press, event: MouseEvent): HTMLElement | null {
    const { byMouse, control } = press;
    if (!byMouse || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey)
      return null;
    if (!(control instanceof HTMLAnchorElement) || control.isConnected) return null;
    const heir = this.present(press);
    return heir instanceof HTMLElement ? heir : null;
  }

  private pressOf(event: MouseEvent): Press | null {
    const id = 'pointerId' in event && typeof event.pointerId === 'number' ? event.pointerId : 0;
    return this.byPointer.get(id) ?? this.awaited;
  }

  private echoOf(event: PointerEvent, control: Element | null): Press | null {
    const before = this.last;
    if (before === null || before.byMouse || before.slid || before.liftedAt === null) return null;
    if (event.timeStamp - before.liftedAt > DOUBLE_TAP_MS || far(before, event, DOUBLE_TAP_PX))
      return null;
    return isAbout(before, control) ? null : before;
  }

  private isOld(press: Press, now: number): boolean {
    return press.liftedAt !== null && now - press.liftedAt > CLICK_WITHIN_MS;
  }

  private forget(now: number): void {
    for (const [id, press] of this.byPointer) if (this.isOld(press, now)) this.byPointer.delete(id);
  }
}

/**
 * Registered before all other listeners of the page. `isReal`: whether an event comes from a user's
 * device.
 */
export function guardPresses(
  page: Window & typeof globalThis,
  isReal = (event: Event): boolean => event.isTrusted,
): () => void {
  const presses = new Presses(page.document);
  const ends = new AbortController();
  const on = <K extends keyof WindowEventMap>(
    type: K,
    take: (event: WindowEventMap[K]) => void,
  ): void => {
    page.addEventListener(
      type,
      (event) => {
        if (isReal(event)) take(event);
      },
      { capture: true, signal: ends.signal },
    );
  };
  on('pointerdown', (event) => {
    presses.down(event);
  });
  on('pointermove', (event) => {
    presses.move(event);
  });
  on('pointerup', (event) => {
    presses.up(event);
  });
  on('pointercancel', (event) => {
    presses.cancel(event);
  });
  on('scroll', (event) => {
    presses.scrolledAt = event.timeStamp;
  });
  on('mousedown', (event) => {
    presses.mouseDown(event);
  });
  on('click', (event) => {
    presses.click(event);
  });
  on('contextmenu', (event) => {
    presses.menu(event);
  });
  return () => {
    ends.abort();
  };
}
