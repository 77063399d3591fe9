/**
 * Offline cold start: a new browser on a warm profile, no server, until the last portfolio is on
 * the screen. A trivial page from a trivial worker is measured between, in the same run.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { controlled, openBrowser } from '../support/browser.ts';
import { createUser, startServer, type TestServer } from '../support/server.ts';
import { logIn } from '../support/sign-in.ts';
import { median, quantile, type Measurement } from './measurement.ts';
import { serveTrivialPage } from './trivial-page.ts';

const RUNS = Number(process.env.BENCH_RUNS ?? 30);
/** Starts with the server back, where fresh data replaces what was painted. */
const FRESH_RUNS = Math.min(10, RUNS);
const EQUITY = 'button[title="Explain the equity"]';
const VIEWPORT = { width: 390, height: 844 };
/** A phone of the middle class has about a quarter of this processor. */
const SLOWDOWNS = [1, 4] as const;

/**
 * Notes, from navigation start, the frame after the figure first stands in the page with a digit in
 * it.
 */
const watch = (figure: string): string => `(() => {
  const look = () => {
    const figure = document.querySelector(${JSON.stringify(figure)});
    if (figure && /\\d/.test(figure.textContent ?? '')) {
      requestAnimationFrame(() => { window.paintedAt = performance.now(); console.info('painted'); });
      observer.disconnect();
    }
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { childList: true, subtree: true, characterData: true });
})()`;

/** All that has moved without the person since the page began. */
const SHIFT = `new Promise((resolve) => { let sum = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value; }).observe({ type: 'layout-shift', buffered: true }); setTimeout(() => resolve(sum), 300); })`;

interface Start {
  profile: string;
  url: string;
  figure: string;
  slowdown?: number;
  settled?: (page: Page) => Promise<unknown>;
}

/**
 * One start. Nothing is asked of the page before it is painted: the driver's own scripts would be
 * in the figure.
 */
async function start({ profile, url, figure, slowdown = 1, settled }: Start): Promise<{
  paintedMs: number;
  shift: number;
}> {
  const browser = await openBrowser({ profile, viewport: VIEWPORT });
  try {
    const page = await browser.page();
    await page.addInitScript(watch(figure));
    if (slowdown > 1) {
      const session = await browser.context.newCDPSession(page);
      await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    }
    const painted = page.waitForEvent('console', {
      predicate: (message) => message.text() === 'painted',
    });
    await page.goto(url, { waitUntil: 'commit' });
    await painted;
    // React takes the page over meanwhile: a shift then counts too.
    await (settled ?? ((page) => page.waitForTimeout(100 + 1_000 * slowdown)))(page);
    return {
      paintedMs: Number(await page.evaluate('window.paintedAt')),
      shift: Number(await page.evaluate(SHIFT)),
    };
  } finally {
    await browser.close();
  }
}

/** Both pages are kept on the device, with what the app last showed. */
async function warmUp(profile: string, server: TestServer, floorUrl: string): Promise<void> {
  const user = await createUser(server.url);
  const browser = await openBrowser({ profile, viewport: VIEWPORT });
  const page = await browser.page();
  await logIn(page, server.url, user);
  await page.locator(EQUITY).first().waitFor();
  await controlled(page);
  await page.reload();
  await page.locator(EQUITY).first().waitFor();
  await page.waitForTimeout(2_500);
  await page.goto(floorUrl);
  await controlled(page);
  await browser.close();
}

interface Series {
  what: string;
  url: string;
  figure: string;
  slowdown: number;
  times: number[];
}

/** One of each in turn, so that a busy moment of the machine falls on all of them. */
async function sideBySide(profile: string, url: string, floorUrl: string): Promise<Measurement[]> {
  const all: Series[] = SLOWDOWNS.flatMap((slowdown) =>
    [
      { what: 'a trivial page', url: floorUrl, figure: '#figure' },
      { what: '/dashboard', url: `${url}/dashboard`, figure: EQUITY },
      { what: '/portfolio', url: `${url}/portfolio`, figure: EQUITY },
    ].map((one) => ({ ...one, slowdown, times: [] })),
  );
  const shifts: number[] = [];
  for (let run = 0; run < RUNS; run += 1)
    for (const { url: address, figure, slowdown, times } of all) {
      const one = await start({ profile, url: address, figure, slowdown });
      times.push(one.paintedMs);
      if (address !== floorUrl) shifts.push(one.shift);
    }
  const floorOf = (slowdown: number): number =>
    median(all.find((one) => one.slowdown === slowdown)?.times ?? []) ?? NaN;
  return [
    ...all.flatMap(({ what, slowdown, times }) => {
      const of = `${what} at ${slowdown === 1 ? 'full speed' : `1/${slowdown} speed`}`;
      const figure = (name: string, value: number | null, unit: string): Measurement => ({
        section: 'offline',
        what: `${of}, ${name}`,
        value,
        unit,
      });
      const middle = median(times);
      return [
        figure(`median of ${RUNS}`, middle, 'ms'),
        figure(`p95 of ${RUNS}`, quantile(times, 0.95), 'ms'),
        ...(what === 'a trivial page'
          ? []
          : [figure('of the trivial page', (middle ?? NaN) / floorOf(slowdown), '×')]),
      ];
    }),
    {
      section: 'offline',
      what: 'layout shift offline, worst',
      value: Math.max(...shifts),
      unit: '',
    },
  ];
}

/** What moves as the server's data replaces what was painted. */
async function freshShift(profile: string, url: string): Promise<Measurement> {
  const shifts: number[] = [];
  for (let run = 0; run < FRESH_RUNS; run += 1) {
    const fresh = await start({
      profile,
      url: `${url}/dashboard`,
      figure: EQUITY,
      settled: async (page) => {
        await page
          .waitForResponse(
            (response) => response.url().endsWith('/api/trading/portfolio') && response.ok(),
            { timeout: 5_000 },
          )
          .catch(() => undefined);
        await page.waitForTimeout(1_500);
      },
    });
    shifts.push(fresh.shift);
  }
  return {
    section: 'offline',
    what: `layout shift as fresh data comes, worst of ${FRESH_RUNS}`,
    value: Math.max(...shifts),
    unit: '',
  };
}

export async function measure(): Promise<Measurement[]> {
  const profile = mkdtempSync(join(tmpdir(), 'tradewind-bench-'));
  const server = await startServer(
    process.env.DIST_DIR === undefined ? {} : { env: { DIST_DIR: process.env.DIST_DIR } },
  );
  const floor = await serveTrivialPage();
  try {
    await warmUp(profile, server, floor.url);
    await server.kill9();
    await floor.close();
    const results = await sideBySide(profile, server.url, floor.url);
    await server.restart();
    return [...results, await freshShift(profile, server.url)];
  } finally {
    await floor.close();
    await server.stop();
    rmSync(profile, { recursive: true, force: true });
  }
}
