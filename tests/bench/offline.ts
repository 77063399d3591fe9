/**
 * Offline cold start: a new browser on a warm profile, no server, until the last portfolio is on
 * the screen.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { controlled, openBrowser } from '../support/browser.ts';
import { createUser, startServer } from '../support/server.ts';
import { logIn } from '../support/sign-in.ts';
import { median, quantile, type Measurement } from './measurement.ts';

const RUNS = Number(process.env.BENCH_RUNS ?? 50);
/** Starts with the server back, where fresh data replaces what was painted. */
const FRESH_RUNS = Math.min(10, RUNS);
const EQUITY = 'button[title="Explain the equity"]';

/**
 * Notes, from navigation start, the frame after the equity first stands in the page with a digit in
 * it.
 */
const WATCH = `(() => {
  const look = () => {
    const figure = document.querySelector('${EQUITY}');
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

/**
 * One start. Nothing is asked of the page before it is painted: the driver's own scripts would be
 * in the figure.
 */
async function start(
  profile: string,
  url: string,
  settled: (page: Page) => Promise<unknown>,
): Promise<{ paintedMs: number; shift: number }> {
  const browser = await openBrowser({ profile, viewport: { width: 390, height: 844 } });
  try {
    const page = await browser.page();
    await page.addInitScript(WATCH);
    const painted = page.waitForEvent('console', {
      predicate: (message) => message.text() === 'painted',
    });
    await page.goto(`${url}/dashboard`, { waitUntil: 'commit' });
    await painted;
    await settled(page);
    return {
      paintedMs: Number(await page.evaluate('window.paintedAt')),
      shift: Number(await page.evaluate(SHIFT)),
    };
  } finally {
    await browser.close();
  }
}

export async function measure(): Promise<Measurement[]> {
  const profile = mkdtempSync(join(tmpdir(), 'tradewind-bench-'));
  const server = await startServer(
    process.env.DIST_DIR === undefined ? {} : { env: { DIST_DIR: process.env.DIST_DIR } },
  );
  const times: number[] = [];
  const shifts: number[] = [];
  const freshShifts: number[] = [];
  try {
    const user = await createUser(server.url);
    const first = await openBrowser({ profile, viewport: { width: 390, height: 844 } });
    const page = await first.page();
    await logIn(page, server.url, user);
    await page.locator(EQUITY).first().waitFor();
    await controlled(page);
    await page.reload();
    await page.locator(EQUITY).first().waitFor();
    await page.waitForTimeout(1500);
    await first.close();
    await server.kill9();
    for (let run = 0; run < RUNS; run += 1) {
      const { paintedMs, shift } = await start(profile, server.url, (page) =>
        page.waitForTimeout(100),
      );
      times.push(paintedMs);
      shifts.push(shift);
    }
    await server.restart();
    for (let run = 0; run < FRESH_RUNS; run += 1) {
      const fresh = await start(profile, server.url, async (page) => {
        await page
          .waitForResponse(
            (response) => response.url().endsWith('/api/trading/portfolio') && response.ok(),
            { timeout: 5_000 },
          )
          .catch(() => undefined);
        await page.waitForTimeout(1_500);
      });
      freshShifts.push(fresh.shift);
    }
  } finally {
    await server.stop();
    rmSync(profile, { recursive: true, force: true });
  }
  return [
    {
      section: 'offline',
      what: `cold start to the last portfolio, median of ${RUNS}`,
      value: median(times),
      unit: 'ms',
    },
    {
      section: 'offline',
      what: `cold start to the last portfolio, p95 of ${RUNS}`,
      value: quantile(times, 0.95),
      unit: 'ms',
    },
    {
      section: 'offline',
      what: 'layout shift offline, worst',
      value: Math.max(...shifts),
      unit: '',
    },
    {
      section: 'offline',
      what: `layout shift as fresh data comes, worst of ${FRESH_RUNS}`,
      value: Math.max(...freshShifts),
      unit: '',
    },
  ];
}
