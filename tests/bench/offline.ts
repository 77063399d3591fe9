/** Offline cold start: a new browser on a warm profile, no server, until the last portfolio is on the screen. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { controlled, openBrowser } from '../support/browser.ts';
import { createUser, startServer } from '../support/server.ts';
import { median, quantile, type Measurement } from './measurement.ts';

const RUNS = Number(process.env.BENCH_RUNS ?? 20);
const EQUITY = 'button[title="Explain the equity"]';

/** Notes, from navigation start, the frame after the equity first stands in the page with a digit in it. */
const WATCH = `(() => {
  const look = () => {
    const figure = document.querySelector('${EQUITY}');
    if (figure && /\\d/.test(figure.textContent ?? '')) {
      requestAnimationFrame(() => { window.paintedAt = performance.now(); });
      observer.disconnect();
    }
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { childList: true, subtree: true, characterData: true });
})()`;

export async function measure(): Promise<Measurement[]> {
  const profile = mkdtempSync(join(tmpdir(), 'tradewind-bench-'));
  const server = await startServer(process.env.DIST_DIR === undefined ? {} : { env: { DIST_DIR: process.env.DIST_DIR } });
  const times: number[] = [];
  const shifts: number[] = [];
  try {
    const user = await createUser(server.url);
    const first = await openBrowser({ profile, viewport: { width: 390, height: 844 } });
    const page = await first.page();
    await page.goto(`${server.url}/login`);
    await page.getByLabel('Email').fill(user.email);
    await page.getByLabel('Password', { exact: true }).fill(user.password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.waitForURL('**/dashboard');
    await page.locator(EQUITY).first().waitFor();
    await controlled(page);
    await page.reload();
    await page.locator(EQUITY).first().waitFor();
    await page.waitForTimeout(1500);
    await first.close();
    await server.kill9();
    for (let run = 0; run < RUNS; run += 1) {
      const browser = await openBrowser({ profile, viewport: { width: 390, height: 844 } });
      const cold = await browser.page();
      await cold.addInitScript(WATCH);
      await cold.goto(`${server.url}/dashboard`, { waitUntil: 'commit' });
      await cold.locator(EQUITY).first().waitFor();
      await cold.waitForTimeout(100);
      times.push(Number(await cold.evaluate('window.paintedAt')));
      shifts.push(Number(await cold.evaluate(`new Promise((resolve) => { let sum = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value; }).observe({ type: 'layout-shift', buffered: true }); setTimeout(() => resolve(sum), 300); })`)));
      await browser.close();
    }
  } finally {
    await server.stop();
    rmSync(profile, { recursive: true, force: true });
  }
  return [
    { section: 'offline', what: `cold start to the last portfolio, median of ${RUNS}`, value: median(times), unit: 'ms' },
    { section: 'offline', what: `cold start to the last portfolio, p95 of ${RUNS}`, value: quantile(times, 0.95), unit: 'ms' },
    { section: 'offline', what: 'layout shift, worst', value: Math.max(...shifts), unit: '' },
  ];
}
