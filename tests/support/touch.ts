/**
 * Fingers on a page of Chromium, by the protocol's own touch events, and the ways they press;
 * refuses to stand in for them by a mouse.
 */
import type { CDPSession, Locator, Page } from 'playwright-core';

export const PHONE = { width: 390, height: 844 };

export interface Spot {
  x: number;
  y: number;
}

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Where a finger comes down: in the middle of it, scrolled free of what is fixed. */
export async function spotOf(target: Locator): Promise<Spot> {
  await target.evaluate((element) => {
    element.scrollIntoView({ block: 'center', behavior: 'instant' });
  });
  const box = await target.boundingBox();
  if (box === null) throw new Error('Nothing to put a finger on');
  return { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) };
}

/** A hand over one page: each finger has a number of its own. */
export interface Hand {
  down(spot: Spot, finger?: number): Promise<void>;
  move(spot: Spot, finger?: number): Promise<void>;
  up(finger?: number): Promise<void>;
  /** Down and up at one place, `heldMs` later. */
  press(spot: Spot, heldMs?: number): Promise<void>;
}

export async function handOn(page: Page): Promise<Hand> {
  const session: CDPSession = await page.context().newCDPSession(page);
  // A phone's window: its scroll bars lie over the page and take no room, as a finger finds it.
  await session.send('Emulation.setDeviceMetricsOverride', {
    ...PHONE,
    deviceScaleFactor: 1,
    mobile: true,
  });
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 5 });
  const fingers = new Map<number, Spot>();
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd') =>
    session.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: [...fingers].map(([id, { x, y }]) => ({
        id,
        x,
        y,
        radiusX: 8,
        radiusY: 8,
        force: 1,
      })),
    });
  const hand: Hand = {
    async down(spot, finger = 0) {
      fingers.set(finger, spot);
      await send('touchStart');
    },
    async move(spot, finger = 0) {
      fingers.set(finger, spot);
      await send('touchMove');
    },
    async up(finger = 0) {
      fingers.delete(finger);
      await send('touchEnd');
    },
    async press(spot, heldMs = 0) {
      await hand.down(spot);
      if (heldMs > 0) await pause(heldMs);
      await hand.up();
    },
  };
  return hand;
}

/** Longer than a hold takes; a press of it does what holding does. */
const HELD_MS = 900;

/** Everything the list has moves to another place, as when a figure changes its order. */
async function reorder(target: Locator): Promise<void> {
  await target.evaluate((element) => {
    const list = element.closest('ul');
    if (list !== null && list.children.length > 1)
      Object.assign(list.style, { display: 'flex', flexDirection: 'column-reverse' });
    else (element as HTMLElement).style.translate = '0 -90px';
  });
}

/** Another screen comes under the finger. */
async function replace(page: Page): Promise<void> {
  await page.evaluate(() => {
    const to = location.pathname === '/library' ? '/support' : '/library';
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  });
}

interface Pressing {
  page: Page;
  hand: Hand;
  target: Locator;
  spot: Spot;
  heldMs: number;
}

/**
 * Whether what was to happen to a press has happened well before a hold ends. A machine that was
 * too slow for that has made another gesture, which is not judged.
 */
const inTime = (downAt: number): boolean => Date.now() - downAt < 400;

/** Moves away in steps; the second is further than a finger that rests can slip. */
async function moveAway({ hand, spot }: Pressing, stepX: number, stepY: number): Promise<boolean> {
  await hand.down(spot);
  const downAt = Date.now();
  let left = false;
  for (let step = 1; step <= 8; step += 1) {
    await hand.move({
      x: Math.max(4, spot.x - step * stepX),
      y: Math.max(4, spot.y - step * stepY),
    });
    if (step === 2) left = inTime(downAt);
  }
  await pause(100);
  await hand.up();
  return left;
}

/** A press that is lifted at once. */
async function tap({ hand, spot }: Pressing, heldMs: number): Promise<boolean> {
  const downAt = Date.now();
  await hand.press(spot, heldMs);
  return inTime(downAt);
}

async function underWay(pressing: Pressing, happens: () => Promise<void>): Promise<boolean> {
  const { hand, heldMs, spot } = pressing;
  await hand.down(spot);
  const downAt = Date.now();
  await pause(Math.min(200, Math.max(60, heldMs)));
  await happens();
  const happened = inTime(downAt);
  await pause(Math.max(80, heldMs - 200));
  await hand.up();
  return happened;
}

export const REPLACED = 'replaced';
export const TWO_FINGERS = 'two fingers';

/**
 * What a finger may do on a control; `acts`: whether a tap control and a hold control are to act by
 * it.
 */
export interface Gesture {
  name: string;
  acts: { tap: boolean; hold: boolean };
  /** False where the machine was too slow to make it. */
  make(pressing: Pressing): Promise<boolean>;
}

const held = (ms: number): Gesture => ({
  name: `held ${ms} ms`,
  acts: { tap: true, hold: true },
  async make({ hand, spot }) {
    await hand.press(spot, ms);
    return true;
  },
});

export const GESTURES: readonly Gesture[] = [
  { name: 'tap', acts: { tap: true, hold: false }, make: (pressing) => tap(pressing, 40) },
  held(650),
  held(900),
  held(1_500),
  {
    name: 'slid off',
    acts: { tap: false, hold: false },
    make: (pressing) => moveAway(pressing, 20, 0),
  },
  {
    name: 'list reorders',
    acts: { tap: true, hold: true },
    make: (pressing) => underWay(pressing, () => reorder(pressing.target)),
  },
  {
    name: REPLACED,
    acts: { tap: false, hold: false },
    make: (pressing) => underWay({ ...pressing, heldMs: HELD_MS }, () => replace(pressing.page)),
  },
  {
    name: 'double tap',
    acts: { tap: true, hold: false },
    async make(pressing) {
      const first = await tap(pressing, 30);
      await pause(80);
      return (await tap(pressing, 30)) && first;
    },
  },
  {
    name: TWO_FINGERS,
    acts: { tap: true, hold: true },
    async make({ hand, heldMs, spot }) {
      // One rests where nothing is, the other presses.
      await hand.down({ x: 6, y: 300 }, 1);
      await hand.press(spot, Math.max(60, heldMs));
      await hand.up(1);
      return true;
    },
  },
  {
    name: 'scroll from it',
    acts: { tap: false, hold: false },
    make: (pressing) => moveAway(pressing, 0, 22),
  },
];

export const heldFor = (kind: 'tap' | 'hold'): number => (kind === 'hold' ? HELD_MS : 0);
