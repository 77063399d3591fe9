/**
 * A page that is put away: headless Chromium hides none, so the page is told that it is hidden, and
 * everything that it still does is noted. A real browser would slow that down; here it is seen.
 */
import type { Page } from 'playwright-core';

/** One turn of a timer or frame while the page was hidden: how it was set, and from where. */
export interface HiddenTurn {
  kind: 'timeout' | 'interval' | 'frame';
  delayMs: number;
  /** When, after the page was hidden, ms. */
  afterMs: number;
  setBy: string;
}

/** Runs in the page before its own code. */
export const HIDEABLE = `(() => {
  const told = { state: 'visible', since: 0, turns: [] };
  window.hidden = told;
  Object.defineProperty(Document.prototype, 'visibilityState', { configurable: true, get: () => told.state });
  Object.defineProperty(Document.prototype, 'hidden', { configurable: true, get: () => told.state === 'hidden' });
  const noted = (kind, fn, delayMs) => {
    if (typeof fn !== 'function') return fn;
    const { stack } = new Error();
    return function (...args) {
      if (told.state === 'hidden')
        told.turns.push({ kind, delayMs: Number(delayMs ?? 0), afterMs: Date.now() - told.since, setBy: String(stack).split('\\n').slice(2, 6).join(' | ') });
      return fn.apply(this, args);
    };
  };
  const { setTimeout, setInterval, requestAnimationFrame } = window;
  window.setTimeout = (fn, ms, ...args) => setTimeout.call(window, noted('timeout', fn, ms), ms, ...args);
  window.setInterval = (fn, ms, ...args) => setInterval.call(window, noted('interval', fn, ms), ms, ...args);
  window.requestAnimationFrame = (fn) => requestAnimationFrame.call(window, noted('frame', fn, 0));
})()`;

interface Hideable {
  hidden: { state: 'visible' | 'hidden'; since: number; turns: HiddenTurn[] };
}

const turnTo = (page: Page, state: 'visible' | 'hidden'): Promise<HiddenTurn[]> =>
  page.evaluate((next) => {
    const { hidden: told } = window as unknown as Hideable;
    const turns = told.turns.splice(0);
    Object.assign(told, { state: next, since: Date.now() });
    document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    return turns;
  }, state);

export async function hide(page: Page): Promise<void> {
  await turnTo(page, 'hidden');
}

/** Answers what turned while the page was hidden. */
export const show = (page: Page): Promise<HiddenTurn[]> => turnTo(page, 'visible');
