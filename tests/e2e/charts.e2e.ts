/**
 * The chart in real Chromium beside the tape it is drawn from: every candle, the forming one, and
 * trades on the right ones.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import type { CandleInterval } from '../../contract/market.ts';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import type { Fill } from '../../contract/trading.ts';
import { formatPrice } from '../../src/format/numbers.ts';
import { controlled, openBrowser, type Browser } from '../support/browser.ts';
import {
  callApi,
  createUser,
  startServer,
  type TestServer,
  type TestUser,
} from '../support/server.ts';
import { databasesOf } from '../support/device.ts';
import { logIn } from '../support/sign-in.ts';
import { replayTape } from '../support/tape.ts';
import { candleAsOf, tapeRows, type TapeRow } from '../support/tape-candles.ts';
import { until } from '../support/until.ts';

const PAIRS = ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'];
const TIMEFRAMES = ['5m', '15m', '1h', '4h', '1d'] as const satisfies readonly CandleInterval[];
/** Looks at each timeframe, spread over a while in which candles close. */
const LOOKS = Number(process.env.CHART_LOOKS ?? 6);
const LOOK_EVERY_MS = 150;
const DAY = INTERVAL_MS['1d'];

let server: TestServer;
let browser: Browser;
let page: Page;
let user: TestUser;
const tape = replayTape();
const rowsOf = new Map<string, TapeRow[]>();

interface ShownRow {
  opened: number;
  /** The last price of the forming one. */
  at: number | null;
  cells: string[];
}

interface ShownTable {
  heads: string[];
  rows: ShownRow[];
}

/** The whole table in one moment. */
async function shownRows(): Promise<ShownTable> {
  return page.evaluate(() => {
    // The library draws every chart into a table of its own: the one for readers stands in a named
    // region.
    const table = document.querySelector('figure [role="region"][aria-label$=": table"] table');
    const times = (row: Element): number[] =>
      [...row.querySelectorAll('time')].map((one) => Date.parse(one.dateTime));
    return {
      heads: [...(table?.querySelectorAll('th') ?? [])].map((head) => head.textContent ?? ''),
      rows: [...(table?.querySelectorAll('tbody tr') ?? [])].map((row) => {
        const [opened = NaN, at = null] = times(row);
        return {
          opened,
          at,
          cells: [...row.querySelectorAll('td')].map((cell) => cell.textContent ?? ''),
        };
      }),
    };
  });
}

async function choose(timeframe: CandleInterval): Promise<void> {
  await page.getByRole('button', { name: timeframe, exact: true }).click();
  await page.getByRole('region', { name: new RegExp(`, ${timeframe}: table$`) }).waitFor();
}

/** The first row without the trades of its time, in words; empty where each has its own. */
function misplaced({ heads, rows }: ShownTable, fills: readonly Fill[], length: number): string {
  const column = heads.indexOf('Trades');
  if (column < 0) return 'no trades yet';
  for (const { cells, opened } of rows) {
    const inside = fills.filter(({ filledAt }) => filledAt >= opened && filledAt < opened + length);
    const text = (['buy', 'sell'] as const).flatMap((side) => {
      const count = inside.filter((fill) => fill.side === side).length;
      const letter = side === 'buy' ? 'B' : 'S';
      return count === 0 ? [] : [count === 1 ? letter : `${letter} ${count}`];
    });
    if (cells[column] !== text.join(', '))
      return `${new Date(opened).toISOString()}: ${cells[column] ?? ''} instead of ${text.join(', ')}`;
  }
  return '';
}

/** Every row of a table against the tape; answers the row that is forming. */
function hold(rows: readonly ShownRow[], pair: string, timeframe: CandleInterval): ShownRow {
  const length = INTERVAL_MS[timeframe];
  const [forming, ...closed] = rows;
  if (forming?.at == null) throw new Error(`No forming candle on top: ${JSON.stringify(forming)}`);
  expect(forming.opened).toBe(Math.floor(forming.at / length) * length);
  const told = rowsOf.get(pair) ?? [];
  for (const row of rows) {
    const made = candleAsOf(
      told,
      pair,
      row.opened,
      length,
      row === forming ? forming.at : row.opened + length,
    );
    const figures =
      made === null
        ? null
        : [made.open, made.high, made.low, made.close].map((price) => formatPrice(String(price)));
    expect(
      row.cells.slice(1, 5),
      `${pair} ${timeframe} ${new Date(row.opened).toISOString()} as of ${new Date(forming.at).toISOString()}`,
    ).toEqual(figures);
  }
  closed.forEach((row, index) => {
    expect((rows[index]?.opened ?? NaN) - row.opened, 'no gap').toBe(length);
  });
  return forming;
}

beforeAll(async () => {
  const folder = (tape.env.MARKET_SOURCE ?? '').replace(/^replay:/, '');
  for (const pair of PAIRS) rowsOf.set(pair, tapeRows(folder, pair));
  server = await startServer({ env: { ...tape.env, REPLAY_SPEED: '1200' } });
  user = await createUser(server.url);
  await callApi(server.url, user.idToken, 'trialStart', { body: { userId: user.uid } });
  await callApi(server.url, user.idToken, 'createAgent', {
    body: {
      name: 'Harbour',
      trading_pairs: PAIRS,
      risk_profile: 'Aggressive',
      max_position_size: 2_000,
      execution_interval: '5-minute',
      enabled: true,
    },
  });
  browser = await openBrowser({ viewport: { width: 1440, height: 900 } });
  page = await browser.page();
  await logIn(page, server.url, user);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  tape.remove();
});

afterEach(async (context) => {
  if (context.task.result?.state !== 'fail') return;
  const text = await page
    .locator('body')
    .innerText()
    .catch(() => '');
  console.log(`${page.url()}\n${text.slice(0, 2_500)}\n${browser.errors.slice(-8).join('\n')}`);
});

describe('a chart beside the recorded candles', () => {
  it('draws at every timeframe the candles of the tape, the forming one as the ticks since the last close make it', async () => {
    await page.goto(`${server.url}/market/ETH-USDT`);
    await page.getByRole('slider', { name: /^Candles of ETH/ }).waitFor();
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    for (const timeframe of TIMEFRAMES) {
      await choose(timeframe);
      const seen = new Set<number>();
      for (let look = 0; look < LOOKS; look += 1) {
        const { rows } = await shownRows();
        expect(rows.length).toBeGreaterThan(20);
        seen.add(hold(rows, 'ETH/USDT', timeframe).at ?? NaN);
        await page.waitForTimeout(LOOK_EVERY_MS);
      }
      expect(seen.size, 'it moved').toBeGreaterThan(1);
    }
  });

  it('offers the timeframes that this tape can build, and says why there is no shorter one', async () => {
    const group = page.getByRole('group', { name: 'Timeframe' });
    expect(await group.getByRole('button').allTextContents()).toEqual([...TIMEFRAMES]);
    await page.getByText('No 1m: the source has 5m candles.').waitFor();
  });

  it('goes on exactly after the stream was away for a while', async () => {
    await choose('1h');
    await browser.context.setOffline(true);
    await page.waitForTimeout(4_000);
    const { rows: before } = await shownRows();
    await browser.context.setOffline(false);
    const after = await until(
      shownRows,
      ({ rows }) => (rows[0]?.at ?? 0) > (before[0]?.at ?? Infinity) + INTERVAL_MS['1h'],
    );
    hold(after.rows, 'ETH/USDT', '1h');
  });

  /** Drags back in time; answers how to read the candle under the middle. */
  async function goBack(): Promise<{ chart: Locator; under: () => Promise<string> }> {
    const chart = page.getByRole('slider', { name: /^Candles of ETH\/USDT, 5m/ });
    await chart.locator('canvas').first().waitFor();
    const box = await chart.boundingBox();
    if (box === null) throw new Error('The chart has no place');
    const [x, y] = [box.x + box.width / 2, box.y + 150];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 250, y, { steps: 8 });
    await page.mouse.up();
    const under = async (): Promise<string> => {
      await page.mouse.move(x + 1, y + 1);
      await page.mouse.move(x, y);
      return (await chart.getAttribute('aria-valuetext'))?.split(': ')[0] ?? '';
    };
    return { chart, under };
  }

  it('stays where somebody looks who has gone back in time, while candles close', async () => {
    await page.goto(`${server.url}/market/ETH-USDT`);
    const told = page.waitForResponse((response) => response.url().includes('interval=5m'));
    await page.getByRole('button', { name: '5m', exact: true }).click();
    await told;
    const { chart, under } = await goBack();
    const before = await under();
    expect(before).not.toContain('forming');
    const count = async () => Number(await chart.getAttribute('aria-valuemax'));
    const was = await count();
    await until(count, (now) => now > was + 4);
    expect(await under()).toBe(before);
  });

  it('stays there when the server’s candles take the place of kept ones', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await browser.context.route(/interval=5m/, async (route) => {
      await released;
      await route.continue();
    });
    try {
      await page.goto(`${server.url}/market/ETH-USDT`);
      await page.getByRole('button', { name: '5m', exact: true }).click();
      const { under } = await goBack();
      const before = await under();
      const note = page.getByText(/^As of .* ago\.$/);
      await note.waitFor();
      release();
      await note.waitFor({ state: 'hidden' });
      expect(await under()).toBe(before);
    } finally {
      release();
      await browser.context.unroute(/interval=5m/);
    }
  });

  it('shows without the server what the device kept, with its age, and adds nothing to it', async () => {
    await page.goto(`${server.url}/market/ETH-USDT`);
    await controlled(page);
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    await choose('15m');
    // The last answer of the server has reached the device.
    await page.waitForResponse((response) => response.url().includes('/market/candles'));
    await choose('1h');
    await browser.context.setOffline(true);
    try {
      await page.reload();
      await page.getByText(/^As of .* ago\.$/).waitFor();
      await page.getByRole('button', { name: 'Table', exact: true }).click();
      const { rows } = await shownRows();
      hold(rows, 'ETH/USDT', '1h');
      await page.waitForTimeout(3_000);
      expect((await shownRows()).rows).toEqual(rows);
    } finally {
      await browser.context.setOffline(false);
    }
  });

  it('reads a candle under a finger that rests, until it is lifted, and lets the page scroll again', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`${server.url}/market/ETH-USDT`);
    const chart = page.getByRole('slider', { name: /^Candles of ETH/ });
    await chart.locator('canvas').first().waitFor();
    const box = await chart.boundingBox();
    if (box === null) throw new Error('The chart has no place');
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 1 });
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x = 0, y = 0) =>
      session.send('Input.dispatchTouchEvent', {
        type,
        touchPoints:
          type === 'touchEnd' ? [] : [{ x: Math.round(box.x + x), y: Math.round(box.y + y) }],
      });
    const read = () => chart.getAttribute('aria-valuetext').then((text) => text ?? '');
    /** Candles after the one that is read; where none is, the forming one. */
    const after = async () =>
      Number(await chart.getAttribute('aria-valuemax')) -
      Number(await chart.getAttribute('aria-valuenow'));
    expect([await after(), await read()]).toEqual([1, expect.not.stringContaining('forming')]);
    await touch('touchStart', box.width / 2, 150);
    // Held long enough to be a rest and not a swipe.
    await until(after, (candles) => candles > 1);
    const first = await read();
    expect(first).toMatch(/open .*, high .*, low .*, close .*, [+−]?[\d.]+\u202f%/);
    for (let step = 1; step <= 8; step += 1)
      await touch('touchMove', box.width / 2 - 8 * step, 150);
    await until(read, (text) => text !== first && !text.includes('forming'));
    await touch('touchEnd');
    await until(after, (candles) => candles === 1);
    await Promise.all(
      Array.from({ length: 16 }, (_none, step) =>
        touch(step === 0 ? 'touchStart' : 'touchMove', box.width / 2, 250 - 15 * step),
      ),
    );
    await touch('touchEnd');
    await until(
      () => page.evaluate<number>('scrollY'),
      (y) => y > 60,
    );
    await session.send('Emulation.setTouchEmulationEnabled', { enabled: false });
    await session.detach();
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('puts each trade on the candle that holds its time, the forming one too, on the symbol’s and the agent’s page', async () => {
    const history = async () =>
      (await callApi(server.url, user.idToken, 'history', { query: { limit: 1_000 } })).fills;
    const [agent] = (await callApi(server.url, user.idToken, 'agents')).agents;
    if (agent === undefined) throw new Error('No agent');
    await until(
      () => callApi(server.url, user.idToken, 'portfolio'),
      ({ positions }) => positions.length > 0,
      180_000,
    );
    await callApi(server.url, user.idToken, 'stopAgent', { params: { id: agent.id } });
    // Sold early in a market day, so that the day is still forming when it is looked at.
    await until(
      () => callApi(server.url, user.idToken, 'marketData', { query: {} }),
      ({ now }) => now % DAY < DAY / 2,
      120_000,
    );
    const { fills: sold } = await callApi(server.url, user.idToken, 'liquidateAgent', {
      params: { id: agent.id },
    });
    const pair = sold[0]?.pair ?? '';
    const fills = (await history()).filter((fill) => fill.pair === pair);
    expect(
      fills.some(({ side }) => side === 'buy') && fills.some(({ side }) => side === 'sell'),
    ).toBe(true);

    let onForming = 0;
    for (const path of [`/market/${pair.replace('/', '-')}`, `/agents/${agent.id}`]) {
      await page.goto(`${server.url}${path}`);
      const figure = page
        .locator('figure')
        .filter({ has: page.getByRole('group', { name: 'Timeframe' }) });
      await figure.getByRole('slider').waitFor();
      if (path.startsWith('/agents')) await figure.getByLabel('Pair').selectOption(pair);
      await figure.getByRole('button', { name: 'Table', exact: true }).click();
      for (const timeframe of [...TIMEFRAMES].reverse()) {
        await choose(timeframe);
        const length = INTERVAL_MS[timeframe];
        // A page begins with the trades that the device has kept.
        const { rows } = await until(
          async () => {
            const shown = await shownRows();
            return { rows: shown.rows, wrong: misplaced(shown, fills, length) };
          },
          ({ wrong }) => wrong === '',
        );
        const [oldest, newest] = [rows.at(-1)?.opened ?? NaN, rows[0]?.opened ?? NaN];
        expect(
          fills.some(({ filledAt }) => filledAt >= oldest),
          'trades in sight',
        ).toBe(true);
        if (fills.some(({ filledAt }) => filledAt >= newest)) onForming += 1;
      }
    }
    expect(onForming).toBeGreaterThan(0);
  });

  it('remembers timeframe and indicators on this device', async () => {
    await page.goto(`${server.url}/market/BTC-USDT`);
    await page.getByRole('slider', { name: /^Candles of BTC/ }).waitFor();
    await page.getByRole('button', { name: '4h', exact: true }).click();
    await page.getByRole('button', { name: 'Indicators' }).click();
    for (const name of ['SMA 50', 'RSI 14'])
      await page.getByRole('button', { name, exact: true }).click();
    // A choice is on the device a moment after the press.
    await until(
      async () => JSON.stringify((await databasesOf(page))[`tradewind-${user.uid}`]?.meta ?? []),
      (kept) => kept.includes('"interval":"4h","sma":[50],"ema":[20],"rsi":14'),
    );
    await page.reload();
    await page.getByRole('slider', { name: /^Candles of BTC\/USDT, 4h/ }).waitFor();
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    expect((await shownRows()).heads.slice(-3)).toEqual(['SMA 50', 'EMA 20', 'RSI 14']);
  });
});
