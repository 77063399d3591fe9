/** The first frame of an offline start: what it shows, when it shows nothing, and a Stop pressed on it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { controlled, openBrowser, type Browser } from '../support/browser.ts';
import { databasesOf } from '../support/device.ts';
import { pressAtColdStarts } from '../support/first-frame-stops.ts';
import {
  callApi,
  createUser,
  startServer,
  type TestServer,
  type TestUser,
} from '../support/server.ts';
import { logIn } from '../support/sign-in.ts';
import { pause, type Spot } from '../support/touch.ts';
import { until } from '../support/until.ts';

let server: TestServer;
let browser: Browser;
let user: TestUser;
const profile = mkdtempSync(join(tmpdir(), 'tradewind-frame-'));

/** Notes the first text that the page shows, whether React has drawn it, and every text after it. */
const WATCH = `(() => {
  window.shown = [];
  const isDrawn = (element) => Object.keys(element).some((key) => key.startsWith('__react'));
  new MutationObserver(() => {
    const root = document.getElementById('root');
    const first = root?.firstElementChild;
    if (first) window.shown.push({ text: root.textContent, byReact: isDrawn(first) });
  }).observe(document, { childList: true, subtree: true });
})()`;
/**
 * The page is busy for a while in the moment in which React clears the frame away: what a finger does
 * meanwhile, at a link of it, the page hears once the app stands there.
 */
const BUSY_AT_TAKEOVER = `(() => {
  const { get, set } = Object.getOwnPropertyDescriptor(Node.prototype, 'textContent');
  Object.defineProperty(Node.prototype, 'textContent', {
    configurable: true,
    get,
    set(text) {
      const link = this.id === 'root' ? this.querySelector('a[href^="/agents/"]') : null;
      if (link !== null && text === '') {
        const { x, y, width, height } = link.getBoundingClientRect();
        console.info('busy at', JSON.stringify({ x: Math.round(x + width / 2), y: Math.round(y + height / 2) }));
        const until = performance.now() + 1500;
        while (performance.now() < until);
      }
      set.call(this, text);
    },
  });
})()`;

interface Shown {
  text: string;
  byReact: boolean;
}
const shownOn = (page: Page): Promise<Shown[]> => page.evaluate<Shown[]>('window.shown');
const frames = async (page: Page): Promise<number> => {
  const snapshots = (await databasesOf(page))[`tradewind-${user.uid}`]?.snapshots ?? [];
  return snapshots.filter((one) => typeof (one as { html?: unknown }).html === 'string').length;
};

/** A new browser on the same profile, with the page of `path` opened. */
async function coldStart(path: string, prepare?: string): Promise<Page> {
  await browser.close();
  browser = await openBrowser({ profile });
  const page = await browser.page();
  if (prepare !== undefined) await page.addInitScript(prepare);
  await page.addInitScript(WATCH);
  await page.goto(`${server.url}${path}`, { waitUntil: 'commit' });
  return page;
}

beforeAll(async () => {
  server = await startServer({
    env: process.env.DIST_DIR === undefined ? {} : { DIST_DIR: process.env.DIST_DIR },
  });
  browser = await openBrowser({ profile });
  user = await createUser(server.url, 'first.zephyrmark@example.com');
  await callApi(server.url, user.idToken, 'trialStart', { body: { userId: user.uid } });
  const { agent } = await callApi(server.url, user.idToken, 'createAgent', {
    body: {
      name: 'Zephyrmark Seven',
      trading_pairs: ['BTC/USDT'],
      risk_profile: 'Conservative',
      max_position_size: 100,
      execution_interval: 'daily',
      enabled: true,
    },
  });
  await callApi(server.url, user.idToken, 'startAgent', { params: { id: agent.id }, body: {} });
  const page = await browser.page();
  await logIn(page, server.url, user);
  await controlled(page);
  await until(
    () => frames(page),
    (count) => count === 3,
  );
  await server.kill9();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
});

describe('an offline start', () => {
  it.each(['/dashboard', '/portfolio', '/agents'])(
    'of %s shows the last figures with their age before the app has run, and React takes over without a word changed',
    async (path) => {
      const page = await coldStart(path);
      await expect.poll(async () => (await shownOn(page)).some((one) => one.byReact)).toBe(true);
      const shown = await shownOn(page);
      const [first] = shown;
      const drawn = shown.find((one) => one.byReact);
      if (first === undefined || drawn === undefined) throw new Error('nothing was shown');
      expect(first.byReact).toBe(false);
      if (path !== '/agents') expect(first.text).toContain('10,000.00');
      if (path !== '/portfolio') expect(first.text).toContain('Running when last seen');
      expect(first.text.replaceAll('Running when last seen', '')).not.toContain('Running');
      // Ages count on, and the app finds out that the server is away.
      const words = (text: string): string =>
        text
          .replaceAll(/now|\d+ (s|min|h) ago/g, 'AGE')
          .replace(/Simulated prices|Offline\. Showing [^.]*\. Stops[^.]*\./, 'STRIP')
          .replaceAll('Needs a connection.', '');
      expect(words(drawn.text)).toBe(words(first.text));
    },
  );

  it('follows a link that was tapped before the app had taken over, and that it hears of after (F107)', async () => {
    await browser.close();
    browser = await openBrowser({ profile });
    const page = await browser.page();
    await page.addInitScript(BUSY_AT_TAKEOVER);
    const session = await browser.context.newCDPSession(page);
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: true });
    const said = page.waitForEvent('console', (message) => message.text().startsWith('busy at'));
    await page.goto(`${server.url}/agents`, { waitUntil: 'commit' });
    const spot = JSON.parse((await said).text().slice('busy at '.length)) as Spot;
    // Neither is answered before the page has time.
    const down = session.send('Input.dispatchTouchEvent', {
      type: 'touchStart',
      touchPoints: [spot],
    });
    await pause(80);
    const up = session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await Promise.all([down, up]);
    await page.waitForURL(/\/agents\/[0-9a-f-]{36}$/);
    await page.getByRole('heading', { name: 'Zephyrmark Seven' }).waitFor();
  });

  it('shows no figure before the sign-in is known to be less than four hours old (R5-18, F65)', async () => {
    const page = await coldStart(
      '/dashboard',
      `{
        const kept = JSON.parse(localStorage.getItem('tradewind.lastUser') ?? 'null');
        if (kept !== null) {
          kept.lastSignInTime = new Date(Date.now() - 5 * 3_600_000).toUTCString();
          localStorage.setItem('tradewind.lastUser', JSON.stringify(kept));
        }
      }`,
    );
    await expect.poll(async () => (await shownOn(page)).length).toBeGreaterThan(0);
    expect((await shownOn(page)).every((one) => one.byReact)).toBe(true);
  });

  it('keeps no frame of who wants nothing kept on the device, and none of who has logged out (F35)', async () => {
    await server.restart();
    let page = await coldStart('/dashboard');
    await expect.poll(() => frames(page)).toBe(3);
    await page.goto(`${server.url}/security`);
    await page.getByRole('switch', { name: 'Available offline' }).click();
    await expect.poll(() => frames(page)).toBe(0);
    await page.goto(`${server.url}/agents`);
    await page.getByText('Zephyrmark Seven').first().waitFor();
    await page.evaluate(() => {
      document.dispatchEvent(new Event('visibilitychange'));
    });
    expect(await frames(page)).toBe(0);

    await page.goto(`${server.url}/security`);
    await page.getByRole('switch', { name: 'Available offline' }).click();
    // Switched once the choice is on the disk.
    await page.getByRole('switch', { name: 'Available offline', checked: true }).waitFor();
    await page.goto(`${server.url}/agents`);
    await expect.poll(() => frames(page)).toBe(3);
    await page.goto(`${server.url}/security`);
    await page.getByRole('button', { name: 'Log out', exact: true }).click();
    await page.waitForURL(`${server.url}/`);
    await expect
      .poll(() => page.evaluate(() => localStorage.getItem('tradewind.purge')))
      .toBeNull();
    page = await coldStart('/dashboard');
    await expect.poll(async () => (await shownOn(page)).length).toBeGreaterThan(0);
    for (const { text } of await shownOn(page)) expect(text).not.toMatch(/Zephyrmark|10,000/);
  });
});

describe('a Stop tapped at a cold start', () => {
  it('at a random moment, before or after the app has drawn, is queued once and executed once (F64)', async () => {
    const counts = await pressAtColdStarts(3, Math.random);
    expect(counts).toMatchObject({ presses: 3, lost: 0, doubled: 0 });
  });
});
