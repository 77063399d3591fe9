/**
 * Flings a page and halts it with a finger on a control, which no browser takes for a tap; says
 * whether that is what came about.
 */
import type { Locator, Page } from 'playwright-core';
import { pause, type Hand, type Spot } from './touch.ts';

/** Room above and below, so that the page is as long as with many agents, px. */
const ROOM_PX = 3_000;
/** Where the control is before the page is flung, so that it comes onto the screen late, px. */
const BEFORE_PX = 1_250;
/** Where a finger may meet it: between what is fixed at the top and at the bottom, px. */
const TOP_PX = 120;
const BOTTOM_PX = 640;
/** A page this slow, in px a frame, is still where it was seen when the finger arrives. */
const SLOW_PX = 8;
/** The finger lifts sooner than a hold, and came down while the page still moved, ms. */
const SHORT_MS = 250;
const MOVING_MS = 100;

/** What the page heard, in its event times (ms). */
interface Heard {
  scrolledAt: number;
  /** The last scroll before the finger. */
  movedAt: number;
  downAt: number;
  upAt: number;
  isOnIt: boolean;
  clicks: number;
}

/** Makes the page long, puts the control below the screen, and notes what the page hears. */
const prepare = (target: Locator): Promise<void> =>
  target.evaluate(
    (element, { beforePx, roomPx }) => {
      const main = element.closest('main');
      if (main === null) throw new Error('No page');
      main.style.paddingBlock = `${roomPx}px`;
      scrollBy({ top: element.getBoundingClientRect().y - beforePx, behavior: 'instant' });
      const heard: Heard = {
        scrolledAt: -Infinity,
        movedAt: -Infinity,
        downAt: NaN,
        upAt: NaN,
        isOnIt: false,
        clicks: 0,
      };
      Object.assign(globalThis, { heard });
      const on = (type: string, hear: (event: Event) => void): void => {
        addEventListener(
          type,
          (event) => {
            // The app clicks too, on behalf of a finger.
            if (event.isTrusted) hear(event);
          },
          { capture: true },
        );
      };
      on('scroll', ({ timeStamp }) => {
        heard.scrolledAt = timeStamp;
      });
      on('pointerdown', ({ target: at, timeStamp }) => {
        heard.downAt = timeStamp;
        heard.movedAt = heard.scrolledAt;
        heard.isOnIt = at instanceof Node && element.contains(at);
      });
      on('pointerup', ({ timeStamp }) => {
        heard.upAt = timeStamp;
      });
      on('click', () => {
        heard.clicks += 1;
      });
    },
    { beforePx: BEFORE_PX, roomPx: ROOM_PX },
  );

/** Where the control will be in two frames, once the page is slow; null where it stops first. */
const slowSpot = (target: Locator): Promise<Spot | null> =>
  target.evaluate(
    (element, slowPx) =>
      new Promise<Spot | null>((resolve) => {
        let before = scrollY;
        let frames = 0;
        const look = (): void => {
          const movedPx = scrollY - before;
          before = scrollY;
          frames += 1;
          if (frames > 3 && movedPx <= slowPx) {
            const { x, y, width, height } = element.getBoundingClientRect();
            const middle = { x: Math.round(x + width / 2), y: Math.round(y + height / 2) };
            resolve(movedPx === 0 ? null : { ...middle, y: middle.y - Math.round(movedPx * 2) });
          } else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }),
    SLOW_PX,
  );

/** True where a short press began on the control while the page still moved, and made no click. */
export async function haltOn(page: Page, hand: Hand, target: Locator): Promise<boolean> {
  await prepare(target);
  await pause(450);
  await hand.down({ x: 12, y: 600 });
  for (let step = 1; step <= 6; step += 1) {
    await hand.move({ x: 12, y: 600 - step * 60 });
    await pause(8);
  }
  await hand.up();
  const spot = await slowSpot(target);
  if (spot === null || spot.y < TOP_PX || spot.y > BOTTOM_PX) return false;
  await hand.press(spot, 40);
  await pause(500);
  const heard = await page.evaluate<Heard>('globalThis.heard');
  return (
    heard.isOnIt &&
    heard.clicks === 0 &&
    heard.downAt - heard.movedAt < MOVING_MS &&
    heard.upAt - heard.downAt < SHORT_MS
  );
}
