/**
 * Waits until the app has drawn over its last frame. The frame answers to Stop alone, and a test
 * presses faster than a person who has yet to read it.
 */
import type { Page } from 'playwright-core';
import { FRAME_PATHS } from '../../src/offline/frame-record.ts';

/** A page that cannot draw is for the test to judge. */
const WAIT_MS = 15_000;

const isDrawn = (paths: readonly string[]): boolean => {
  if (!paths.includes(location.pathname)) return true;
  const root = document.getElementById('root');
  // Not a page of the app at all.
  if (root === null) return true;
  const first = root.firstElementChild;
  return first !== null && Object.keys(first).some((key) => key.startsWith('__react'));
};

async function appDrawn(page: Page): Promise<void> {
  await page.waitForFunction(isDrawn, FRAME_PATHS, { timeout: WAIT_MS }).catch(() => undefined);
}

/** Loading a page resolves when the app has drawn, but where a test asks for the first moment. */
export function waitForAppOn(page: Page): void {
  const [goto, reload] = [page.goto.bind(page), page.reload.bind(page)];
  page.goto = async (url, options) => {
    const response = await goto(url, options);
    if (options?.waitUntil === undefined) await appDrawn(page);
    return response;
  };
  page.reload = async (options) => {
    const response = await reload(options);
    if (options?.waitUntil === undefined) await appDrawn(page);
    return response;
  };
}
