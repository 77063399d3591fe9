/**
 * The market's list under load: 500 pairs, 5,000 quotes a second, in the real app in Chromium, read
 * off a trace; says beside it what the same page does in silence.
 */
import { loadavg } from 'node:os';
import type { Page } from 'playwright-core';
import { openBrowser } from '../support/browser.ts';
import { startMarketStandIn } from '../support/market-tape.ts';
import { createUser, freePort, startServer } from '../support/server.ts';
import { logIn } from '../support/sign-in.ts';
import { quantile, type Measurement } from './measurement.ts';
import { traced, type Trace } from './trace.ts';

const SECONDS = Number(process.env.BENCH_MARKET_SECONDS ?? 15);
const SYMBOLS = 500;
const QUOTES_PER_SECOND = 5_000;
/** A frame that begins a few milliseconds after its time, and is still shown in time. */
const LATE_MS = 20;
/** One and a half frames of 60 a second: a frame was not shown. */
const MISSED_MS = 25;
const SIZES = [
  { name: 'phone', width: 390, height: 844 },
  { name: 'desk', width: 1440, height: 900 },
];

const pause = (page: Page): Promise<void> => page.waitForTimeout(SECONDS * 1_000);

/** Wheels through the list and back, as a thumb would. */
async function scroll(page: Page): Promise<void> {
  const until = Date.now() + SECONDS * 1_000;
  for (let turn = 0; Date.now() < until; turn += 1) {
    await page.mouse.wheel(0, Math.floor(turn / 60) % 2 === 0 ? 120 : -120);
    await page.waitForTimeout(50);
  }
}

function figures(what: string, { gaps, busy, busyCpu }: Trace): Measurement[] {
  const over = (ms: number): Measurement => ({
    section: 'market',
    what: `${what}: gaps between frames over ${ms} ms`,
    value: gaps.length === 0 ? null : (gaps.filter((gap) => gap > ms).length / gaps.length) * 100,
    unit: '%',
  });
  return [
    over(LATE_MS),
    over(MISSED_MS),
    {
      section: 'market',
      what: `${what}: gap between frames, p99`,
      value: quantile(gaps, 0.99),
      unit: 'ms',
    },
    { section: 'market', what: `${what}: main thread busy`, value: busy * 100, unit: '%' },
    {
      section: 'market',
      what: `${what}: main thread busy, by its processor time`,
      value: busyCpu === null ? null : busyCpu * 100,
      unit: '%',
    },
  ];
}

export async function measure(): Promise<Measurement[]> {
  const target = { port: await freePort() };
  const market = await startMarketStandIn({
    target,
    symbols: SYMBOLS,
    quotesPerSecond: QUOTES_PER_SECOND,
    quotesPerEvent: 100,
  });
  const server = await startServer({
    env: {
      PORT: String(target.port),
      PUBLIC_ORIGIN: market.url,
      ...(process.env.DIST_DIR === undefined ? {} : { DIST_DIR: process.env.DIST_DIR }),
    },
  });
  const results: Measurement[] = [];
  try {
    const user = await createUser(server.url);
    for (const { name, ...viewport } of SIZES) {
      const browser = await openBrowser({ viewport });
      try {
        const page = await browser.page();
        market.speak(false);
        await logIn(page, market.url, user);
        await page.goto(`${market.url}/market`);
        await page.getByRole('row').nth(20).waitFor({ state: 'attached' });
        await page.mouse.move(viewport.width / 2, viewport.height / 2);
        await page.waitForTimeout(2_000);
        results.push(...figures(`${name}, in silence`, await traced(page, () => pause(page))));
        results.push(
          ...figures(`${name}, in silence, scrolling`, await traced(page, () => scroll(page))),
        );
        market.speak(true);
        await page.waitForTimeout(2_000);
        let rate = 0;
        const atRest = await traced(page, async () => {
          const [before, began] = [market.told(), performance.now()];
          await pause(page);
          rate = ((market.told() - before) / (performance.now() - began)) * 1_000;
        });
        results.push(
          {
            section: 'market',
            what: `${name}: quotes told to the store`,
            value: rate,
            unit: 'quotes/s',
          },
          ...figures(`${name}, ${SYMBOLS} pairs`, atRest),
        );
        results.push(
          ...figures(
            `${name}, ${SYMBOLS} pairs, scrolling`,
            await traced(page, () => scroll(page)),
          ),
        );
      } finally {
        await browser.close();
      }
    }
    results.push({
      section: 'market',
      what: 'load of the machine meanwhile, one minute',
      value: loadavg()[0] ?? null,
      unit: 'processes',
    });
  } finally {
    await server.stop();
    await market.close();
  }
  return results;
}
