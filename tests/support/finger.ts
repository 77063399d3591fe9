/**
 * Touches a page as a finger does, counts each touch, and fails where something covers the target.
 */
import type { CDPSession, JSHandle, Locator, Page } from 'playwright-core';

export interface Finger {
  /** Touches so far; a hold is one. */
  readonly taps: number;
  /** What was touched, in order, for the reader of a failure. */
  readonly trail: readonly string[];
  tap(target: Locator): Promise<void>;
  /** Fails where the target could not be touched; touches nothing. */
  reach(target: Locator): Promise<void>;
  /** Taps the field, then types as the keyboard of the phone does. */
  type(target: Locator, text: string): Promise<void>;
  /** Keeps the finger down until the ring of the button has filled. */
  hold(target: Locator): Promise<void>;
}

interface Point {
  x: number;
  y: number;
}

/** Longer than a double tap takes, ms. */
const BETWEEN_TAPS_MS = 450;
/** A slow page hears a finger late, ms. */
const FILLS_WITHIN_MS = 15_000;
const HEARD_WITHIN_MS = 15_000;
/** How often a page that still moves under the finger is looked at again. */
const TRIES = 10;

/** Where a finger meets the target, once it is on the screen and rests. */
async function pointOf(target: Locator): Promise<Point> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await pointNow(target);
    } catch (error) {
      if (tries === TRIES) throw error;
    }
    await target.page().waitForTimeout(100);
  }
}

async function pointNow(target: Locator): Promise<Point> {
  await target.waitFor();
  await target.evaluate((element) => {
    element.scrollIntoView({ block: 'center' });
  });
  await target.click({ trial: true });
  const box = await target.boundingBox();
  if (box === null) throw new Error('The target has no place on the screen');
  const point = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  const hit = await coveredBy(target, point);
  if (hit !== null) throw new Error(`The target is covered by ${hit}`);
  return point;
}

/** What is there instead of the target; null where the target is. */
const coveredBy = (target: Locator, point: Point): Promise<string | null> =>
  target.evaluate((element, { x, y }) => {
    const top = document.elementFromPoint(x, y);
    return top !== null && (element.contains(top) || top.contains(element))
      ? null
      : (top?.outerHTML.slice(0, 120) ?? 'nothing');
  }, point);

async function nameOf(target: Locator): Promise<string> {
  return target.evaluate((element) =>
    (
      element.getAttribute('aria-label') ??
      (element.textContent || element.getAttribute('name')) ??
      ''
    )
      .trim()
      .slice(0, 60),
  );
}

interface Heard {
  /** What took the click; null until there is one. */
  by: string | null;
  /** Whether a press on that does something. */
  presses: boolean;
}

const TARGET = 'the target';
const MET: Heard = { by: TARGET, presses: true };
/** The page's own container takes focus, and a press on it does nothing. */
const PRESSABLE =
  'a, button, input, label, select, summary, textarea, [tabindex="0"], [role="button"], [role="checkbox"], [role="menuitem"], [role="option"], [role="radio"], [role="switch"], [role="tab"]';

/** Hears the next click of the page. */
const listen = (target: Locator): Promise<JSHandle<Heard>> =>
  target.evaluateHandle(
    (element, [itself, pressable]) => {
      const heard: Heard = { by: null, presses: false };
      addEventListener(
        'click',
        ({ target: top }) => {
          if (!(top instanceof Element)) return;
          heard.by = element.contains(top) ? itself : top.outerHTML.slice(0, 200);
          heard.presses = top.closest(pressable) !== null;
        },
        { capture: true, once: true },
      );
      return heard;
    },
    [TARGET, PRESSABLE] as const,
  );

/**
 * Whether the finger met the target: false where it met nothing that can be pressed, because the
 * target slid away between the look and the touch. Fails where the finger pressed something else.
 */
async function metTarget(heard: JSHandle<Heard>): Promise<boolean> {
  for (let waitedMs = 0; ; waitedMs += 50) {
    // The page that was touched may be gone: then it has heard the finger.
    const { by, presses } = await heard.evaluate((one) => one).catch(() => MET);
    if (by === TARGET) return true;
    if (by !== null && !presses) return false;
    if (by !== null) throw new Error(`The target moved away, and the finger met ${by}`);
    if (waitedMs > HEARD_WITHIN_MS) throw new Error('The page did not hear the finger');
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
}

/** Real touch events through the browser's own input pipeline; the page sees a coarse pointer. */
export async function openFinger(page: Page): Promise<Finger> {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 5 });
  const trail: string[] = [];
  const press = (point: Point) =>
    session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] });
  const lift = () =>
    session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  const tap = async (target: Locator): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      // Every target is brought to the middle: a second tap there at once would be a double tap.
      await target.page().waitForTimeout(BETWEEN_TAPS_MS);
      const point = await pointOf(target);
      if (tries === 1) trail.push(await nameOf(target));
      const heard = await listen(target);
      await press(point);
      await lift();
      if (await metTarget(heard)) return;
      if (tries === TRIES) throw new Error('The target moved away under each touch');
    }
  };
  return {
    get taps() {
      return trail.length;
    },
    trail,
    tap,
    async reach(target) {
      await pointOf(target);
    },
    async type(target, text) {
      await tap(target);
      await page.keyboard.insertText(text);
    },
    async hold(target) {
      const ring = target.locator('[data-filling="true"]');
      for (let tries = 1; ; tries += 1) {
        const point = await pointOf(target);
        trail.push(`hold ${await nameOf(target)}`);
        await press(point);
        try {
          await ring.waitFor({ state: 'attached', timeout: FILLS_WITHIN_MS });
          await ring.waitFor({ state: 'detached' });
          return;
        } catch (error) {
          // A target that moved away as the finger came down is pressed again; one that did not
          // hear the finger is a fault.
          if (tries === TRIES || (await coveredBy(target, point)) === null) throw error;
        } finally {
          await lift();
        }
      }
    },
  };
}
