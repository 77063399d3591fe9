/**
 * Screens of a person who keeps nothing on the device, and whose server answers one thing after the
 * other: what comes fills its own place and moves nothing else.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowser, type Browser } from '../support/browser.ts';
import { callApi, createUser, startServer, type TestServer } from '../support/server.ts';
import { shiftsOf, watchShifts } from '../support/shifts.ts';
import { logIn } from '../support/sign-in.ts';

const SCREENS = [
  '/dashboard',
  '/agents',
  '/portfolio',
  '/analytics',
  '/performance',
  '/market',
  '/trading',
  '/wallet',
  '/alerts',
  '/subscription',
  '/referrals',
] as const;
/** Each answer waits by its own address, so that they come in an order of their own. */
const FIRST_MS = 400;
const STEP_MS = 130;
const STEPS = 10;
/** What comes last is drawn by then, ms. */
const DRAWN_MS = 600;
/** A word that reads longer than its placeholder is seen by nobody. */
const UNSEEN = 0.005;

function waitOf(path: string): number {
  const sum = [...path].reduce((so, letter) => (so * 31 + letter.charCodeAt(0)) % 9_973, 7);
  return FIRST_MS + (sum % STEPS) * STEP_MS;
}

let server: TestServer;
let browser: Browser;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

async function moving(size: { width: number; height: number }): Promise<string[]> {
  const user = await createUser(server.url);
  await callApi(server.url, user.idToken, 'trialStart', { body: { userId: user.uid } });
  await browser?.close();
  browser = await openBrowser({ viewport: size });
  await browser.context.addInitScript(() => {
    localStorage.setItem('tradewind.keepSnapshots', 'false');
  });
  await watchShifts(browser.context);
  const page = await browser.page();
  await logIn(page, server.url, user);
  await page.route('**/api/**', async (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname !== '/api/stream')
      await new Promise((resolve) => {
        setTimeout(resolve, waitOf(pathname));
      });
    // The page may be gone by then.
    await route.continue().catch(() => undefined);
  });
  const found: string[] = [];
  for (const screen of SCREENS) {
    await page.goto(`${server.url}${screen}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
    await page.waitForTimeout(FIRST_MS + STEPS * STEP_MS + DRAWN_MS);
    const { total, moved } = await shiftsOf(page);
    if (total > UNSEEN) found.push(`${screen} moved by ${total.toFixed(4)}: ${moved.join(' | ')}`);
  }
  return found;
}

describe('a screen whose data comes late', () => {
  it('holds still on a phone', async () => {
    expect(await moving({ width: 390, height: 844 })).toEqual([]);
  });

  it('holds still on a desk', async () => {
    expect(await moving({ width: 1440, height: 900 })).toEqual([]);
  });
});
