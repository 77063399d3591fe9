/**
 * Code that does not come, as in a tunnel before the app is on the device: what asks for it says so,
 * and has it at the next try, in the page that is open.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { chromiumPath } from '../support/browser.ts';
import { startPartServer, TRY_PART } from '../support/part-server.ts';
import { databasesOf } from '../support/device.ts';
import { createUser, startServer, type TestServer, type TestUser } from '../support/server.ts';
import { logIn } from '../support/sign-in.ts';
import { PATIENCE_MS } from '../support/until.ts';

/** The second of two taps within 400 ms counts for nothing. */
const DOUBLE_TAP_MS = 500;

let server: TestServer;
let browser: Browser;
let user: TestUser;
let context: BrowserContext | null = null;

/** A phone without a worker: nothing is on the device but what this page has fetched. */
async function phone(): Promise<Page> {
  context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    serviceWorkers: 'block',
  });
  context.setDefaultTimeout(PATIENCE_MS);
  return context.newPage();
}

interface KeptAway {
  /** How often they have been asked for in vain. */
  asked: number;
  letThrough(): void;
}

/** Keeps files away until they are let through. */
async function keepAway(page: Page, files: RegExp, status: number | null): Promise<KeptAway> {
  let isAway = true;
  const kept: KeptAway = {
    asked: 0,
    letThrough() {
      isAway = false;
    },
  };
  await page.route(files, (route) => {
    if (!isAway) return route.fallback();
    kept.asked += 1;
    return status === null ? route.abort() : route.fulfill({ status, body: 'not now' });
  });
  return kept;
}

/** Set in the page: a reload would have removed it. */
const mark = (page: Page): Promise<void> =>
  page.evaluate(() => {
    document.documentElement.dataset.mark = 'same page';
  });
const isMarked = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.dataset.mark === 'same page');

async function openSecurity(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More' }).tap();
  await page.getByRole('link', { name: 'Security', exact: true }).tap();
}

beforeAll(async () => {
  server = await startServer();
  user = await createUser(server.url);
  browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
});
afterEach(async () => {
  await context?.close();
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

describe('the loader of parts', () => {
  it('loads what came late, and imports what has been fetched without asking again', async () => {
    const parts = await startPartServer();
    // Nothing is routed here: that would turn the browser's cache off.
    const page = await phone();
    await page.goto(`${parts.url}/`);
    const load = (folder: string): Promise<unknown> =>
      page.evaluate(`(async () => { const folder = '${folder}'; ${TRY_PART} })()`);
    for (const [folder, file] of [
      ['own', /own\/part/],
      ['imported', /imported\/rows/],
    ] as const) {
      parts.missing = file;
      expect(await load(folder)).toBe('PartUnreachable');
      expect(await load(folder)).toBe('PartUnreachable');
      parts.missing = null;
      expect(await load(folder)).toBe('a part of rows');
    }
    parts.onceEach();
    expect(await load('once')).toBe('a part of rows');
    await parts.close();
  });
});

describe('a screen whose code does not come', () => {
  it.each([
    ['the connection is gone', null],
    ['the server is too busy', 503],
  ])('says so and comes at a press, without a reload, where %s (F95)', async (_why, status) => {
    const page = await phone();
    await logIn(page, server.url, user);
    await mark(page);
    const kept = await keepAway(page, /\/assets\/SecurityScreen-/, status);
    await openSecurity(page);
    await page.getByText('This screen could not be loaded.').waitFor();
    const tryAgain = page.getByRole('button', { name: 'Try again', disabled: false });
    await tryAgain.tap();
    await expect.poll(() => kept.asked).toBe(2);
    await tryAgain.waitFor();
    await page.waitForTimeout(DOUBLE_TAP_MS);
    kept.letThrough();
    await tryAgain.tap();
    await page.getByRole('heading', { name: 'Security' }).first().waitFor();
    expect(await isMarked(page)).toBe(true);
  });

  it('comes by itself when the network is back (F95)', async () => {
    const page = await phone();
    await logIn(page, server.url, user);
    await mark(page);
    // Nothing is intercepted here: that would switch off the cache from which the import reads what
    // was fetched. The menu's own code is on the device.
    await page.getByRole('button', { name: 'More' }).tap();
    const link = page.getByRole('link', { name: 'Security', exact: true });
    await link.waitFor();
    await context?.setOffline(true);
    await link.tap();
    await page.getByText('This screen is not on the device yet.').waitFor();
    await context?.setOffline(false);
    await page.getByRole('heading', { name: 'Security' }).first().waitFor();
    expect(await isMarked(page)).toBe(true);
  });

  it('is asked for anew by whoever comes back to it', async () => {
    const page = await phone();
    await logIn(page, server.url, user);
    await mark(page);
    const kept = await keepAway(page, /\/assets\/SecurityScreen-/, null);
    await openSecurity(page);
    await page.getByText('This screen could not be loaded.').waitFor();
    kept.letThrough();
    await page.goBack();
    await openSecurity(page);
    await page.getByRole('heading', { name: 'Security' }).first().waitFor();
    expect(await isMarked(page)).toBe(true);
  });
});

describe('a chart whose code does not come', () => {
  it('says so, stands beside its table, and is drawn at a press or when the network is back', async () => {
    const page = await phone();
    await logIn(page, server.url, user);
    await mark(page);
    let kept = await keepAway(page, /\/assets\/candle-drawing-/, null);
    const open = async (): Promise<void> => {
      await page.goto(`${server.url}/market/BTC-USDT`);
      await page.getByText('Could not load the chart.').waitFor();
      await mark(page);
    };
    const drawn = page.locator('[role=slider] canvas').first();
    await open();
    kept.letThrough();
    await page.getByRole('button', { name: 'Try again' }).tap();
    await drawn.waitFor();
    expect(await isMarked(page)).toBe(true);
    kept = await keepAway(page, /\/assets\/candle-drawing-/, null);
    await open();
    kept.letThrough();
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await drawn.waitFor();
    expect(await isMarked(page)).toBe(true);
  });
});

describe('an app whose first code does not come', () => {
  it.each(['start', 'react', 'state'])(
    'says so in place of an empty page, and starts after a press, where %s stays away',
    async (name) => {
      const page = await phone();
      const kept = await keepAway(page, new RegExp(`/assets/${name}-[\\w-]{8}\\.js$`), null);
      await page.goto(`${server.url}/dashboard`);
      await page.getByText('Tradewind could not finish loading.').waitFor();
      kept.letThrough();
      await page.getByRole('button', { name: 'Reload Page' }).tap();
      await page.getByText('Authentication Required').waitFor();
    },
  );

  it('says so over the last frame, where nothing of it covers what is said', async () => {
    const page = await phone();
    await logIn(page, server.url, user);
    await page.getByText('Equity').filter({ visible: true }).first().waitFor();
    // It is drawn in an idle moment, and kept on the device.
    await expect.poll(async () => JSON.stringify(await databasesOf(page))).toContain('"html"');
    await keepAway(page, /\/assets\/start-[\w-]{8}\.js$/, null);
    await page.goto(`${server.url}/dashboard`);
    const line = page.getByRole('alert');
    await line.getByText('Tradewind could not finish loading.').waitFor();
    await page.locator('#root header').first().waitFor();
    const uncovered = await line.evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      return [0.1, 0.5, 0.9].every((share) =>
        element.contains(document.elementFromPoint(left + width * share, top + height * 0.5)),
      );
    });
    expect(uncovered).toBe(true);
  });

  it('starts by itself once the network is back', async () => {
    const page = await phone();
    const kept = await keepAway(page, /\/assets\/start-[\w-]{8}\.js$/, null);
    await page.goto(`${server.url}/dashboard`);
    await page.getByText('Tradewind could not finish loading.').waitFor();
    kept.letThrough();
    await context?.setOffline(true);
    await context?.setOffline(false);
    await page.getByText('Authentication Required').waitFor();
  });

  it('shows the dashboard where only its own code came late', async () => {
    const page = await phone();
    await logIn(page, server.url, user);
    const kept = await keepAway(page, /\/assets\/dashboard-/, null);
    await page.goto(`${server.url}/dashboard`);
    await page.getByText('This screen could not be loaded.').waitFor();
    kept.letThrough();
    await page.getByRole('button', { name: 'Try again' }).tap();
    await page.getByText('This screen could not be loaded.').waitFor({ state: 'detached' });
    await page
      .getByRole('heading', { name: /Dashboard/ })
      .first()
      .waitFor();
  });

  it('signs in, reads and follows once what comes after the first picture is there (F95)', async () => {
    const page = await phone();
    await logIn(page, server.url, user);
    await page.getByText('Equity').filter({ visible: true }).first().waitFor();
    // The first page may still be about to open its stream.
    await page.goto('about:blank');
    const late = /\/assets\/(?:after-paint|firebase-auth|firebase-app|shared-stream)-/;
    const kept = await keepAway(page, late, null);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.goto(`${server.url}/dashboard`);
    await page
      .getByRole('heading', { name: /Dashboard/ })
      .first()
      .waitFor();
    await expect.poll(() => kept.asked).toBeGreaterThan(3);
    expect(asked.filter((path) => path.startsWith('/api/'))).toEqual([]);
    await mark(page);
    kept.letThrough();
    await expect.poll(() => asked.includes('/api/stream')).toBe(true);
    expect(asked.some((path) => /portfolio/i.test(path))).toBe(true);
    expect(await isMarked(page)).toBe(true);
  });

  it.each(['first-frame', 'rolldown-runtime'])(
    'says after a while that it waits, where not even %s comes',
    async (name) => {
      const page = await phone();
      const kept = await keepAway(page, new RegExp(`/assets/${name}-[\\w-]{8}\\.js$`), null);
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await page.goto(`${server.url}/dashboard`);
      const link = page.getByRole('link', { name: 'Reload Page' });
      await link.waitFor();
      kept.letThrough();
      await link.tap();
      await page.getByText('Authentication Required').waitFor();
      expect(await link.isVisible()).toBe(false);
    },
  );

  it('says that it waits where a file hangs, and no longer once it has come', async () => {
    const page = await phone();
    let letGo: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route(/\/assets\/start-[\w-]{8}\.js$/, async (route) => {
      await gone;
      await route.continue();
    });
    await page.goto(`${server.url}/dashboard`, { waitUntil: 'commit' });
    await page.getByRole('alert').getByText('Tradewind is still loading.').waitFor();
    letGo();
    await page.getByText('Authentication Required').waitFor();
    expect(await page.getByRole('alert').getByText('Tradewind is still loading.').count()).toBe(0);
    expect(await page.locator('[data-late]').isVisible()).toBe(false);
  });
});
