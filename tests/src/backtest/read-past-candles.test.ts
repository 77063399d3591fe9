/** The candles of a backtest, read page by page from a source that lacks none. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { BacktestTerms } from '../../../contract/backtest.ts';
import { INTERVAL_MS } from '../../../contract/intervals.ts';
import type { CandleInterval, CandleRow } from '../../../contract/market.ts';

interface Query {
  symbol: string;
  interval: CandleInterval;
  limit: number;
  before: number;
}
const { market } = vi.hoisted(() => ({
  market: { now: 0, calls: 0, refusedFrom: Infinity, signals: [] as AbortSignal[] },
}));

/** Answers as the server does: closed candles alone, the last of them at or before `before`. */
function serve({ symbol, interval, limit, before }: Query): { candles: CandleRow[] } {
  expect(limit).toBeLessThanOrEqual(1_500);
  const length = INTERVAL_MS[interval];
  const to = Math.floor(Math.min(before, market.now) / length) * length;
  return {
    candles: Array.from({ length: limit }, (_, index): CandleRow => {
      const time = to - (limit - index) * length;
      return [time, symbol, '1', '1', '1', '1'];
    }),
  };
}
function call(_name: string, { query, signal }: { query: Query; signal: AbortSignal }) {
  market.calls += 1;
  if (market.calls === market.refusedFrom) return Promise.reject(new Error('Too many requests'));
  market.signals.push(signal);
  return Promise.resolve(serve(query));
}
vi.mock('../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));

const { readPastCandles, testedInterval } =
  await import('../../../src/backtest/read-past-candles.ts');

const [MINUTES_5, HOUR, DAY] = [INTERVAL_MS['5m'], INTERVAL_MS['1h'], INTERVAL_MS['1d']];

function termsAt(
  to: number,
  days: number,
  interval: BacktestTerms['agent']['interval'],
): BacktestTerms {
  const from = to - days * DAY;
  return {
    agent: { pairs: ['BTC/USD', 'ETH/USD'], interval },
    witnesses: ['USDC/USD'],
    baseInterval: '5m',
    from,
    to,
    historyFrom: Math.floor((from - 92 * DAY) / DAY) * DAY,
  } as unknown as BacktestTerms;
}

const read = (terms: BacktestTerms) =>
  readPastCandles(terms, new AbortController().signal, () => undefined);

afterEach(() => {
  Object.assign(market, { now: 0, calls: 0, refusedFrom: Infinity, signals: [] });
});

describe('the candles of a backtest', () => {
  it.each([
    ['daily', 90],
    ['20-minute', 60],
    ['5-minute', 30],
    ['5-minute', 365],
  ] as const)(
    'of a %s agent over %i days lack none, whenever it is started',
    async (interval, days) => {
      for (let late = 0; late < HOUR; late += MINUTES_5) {
        const to = Date.UTC(2026, 10, 20, 14) + late;
        const terms = termsAt(to, days, interval);
        market.now = to + 90_000;
        const tapes = await read(terms);
        const length = INTERVAL_MS[testedInterval(terms)];
        const fineFrom = Math.floor((terms.from - DAY) / HOUR) * HOUR;
        for (const pair of [...terms.agent.pairs, ...(terms.witnesses ?? [])]) {
          const times = (tapes[pair] ?? []).map(([time]) => time);
          const gaps = times.flatMap((time, index) => {
            const before = times[index - 1] ?? time - HOUR;
            const step = before < fineFrom ? HOUR : length;
            return time - before === step ? [] : [new Date(time).toISOString()];
          });
          expect({ late, pair, gaps }).toEqual({ late, pair, gaps: [] });
          expect(times.at(-1)).toBe(Math.floor(to / length) * length - length);
        }
        expect(tapes['BTC/USD']?.[0]?.[0]).toBe(terms.historyFrom);
      }
    },
  );

  it('are whole days where hours do not reach, up to the last midnight before the hours begin', async () => {
    const to = Date.UTC(2026, 10, 20, 14, 25);
    market.now = to;
    const hoursFrom = to - (to % HOUR) - 718 * HOUR;
    const terms = {
      ...termsAt(to, 28, 'daily'),
      reach: { source: 'Kraken', finest: '5m' as const, askedFrom: to - 30 * DAY, hoursFrom },
    };
    const tapes = await read(terms);
    const lastMidnight = Math.floor(hoursFrom / DAY) * DAY;
    for (const pair of terms.agent.pairs) {
      const times = (tapes[pair] ?? []).map(([time]) => time);
      const days = times.filter((time) => time < lastMidnight);
      expect([days[0], days.at(-1)]).toEqual([terms.historyFrom, lastMidnight - DAY]);
      expect(days.every((time, index) => time === terms.historyFrom + index * DAY)).toBe(true);
      const hours = times.slice(days.length);
      expect([hours[0], hours.length]).toEqual([hoursFrom, 718]);
    }
  });

  it('are read no further once a page is refused, and what is under way is given up', async () => {
    const to = Date.UTC(2026, 10, 20, 14, 25);
    market.now = to;
    const person = new AbortController();
    const shares: number[] = [];
    const readAll = () =>
      readPastCandles(termsAt(to, 90, 'daily'), person.signal, (share) => shares.push(share));
    await readAll();
    const pages = market.calls;
    market.calls = 0;
    market.refusedFrom = 3;
    shares.length = 0;
    await expect(readAll()).rejects.toThrow('Too many requests');
    const told = shares.length;
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
    // Three are asked for at once.
    expect(market.calls).toBeLessThanOrEqual(5);
    expect(pages).toBeGreaterThan(5);
    expect(shares).toHaveLength(told);
    expect(market.signals.slice(pages).every(({ aborted }) => aborted)).toBe(true);
    expect(person.signal.aborted).toBe(false);
  });

  it('end with the test, although the market has gone on', async () => {
    const to = Date.UTC(2026, 10, 20, 14, 25);
    market.now = to + 2 * HOUR;
    const tapes = await read(termsAt(to, 90, 'daily'));
    expect(tapes['BTC/USD']?.at(-1)?.[0]).toBe(Date.UTC(2026, 10, 20, 13));
  });
});
