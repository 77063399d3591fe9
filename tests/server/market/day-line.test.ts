/**
 * The last day of a pair as a line to draw, and the pools in words: what the market calls say of
 * them.
 */
import { describe, expect, it } from 'vitest';
import { PoolId } from '../../../contract/agents.ts';
import { DAY_LINE_POINTS, MarketPools, Sparklines } from '../../../contract/market.ts';
import { POOLS, POOLS_FOR_PROFILE, universeAt } from '../../../engine/strategies/pools.ts';
import type { Candle } from '../../../engine/market-types.ts';
import { DayWindow } from '../../../server/market/day-figures.ts';
import { buildTestApp } from '../../support/app.ts';

const STEP = 300_000;
const DAY = 86_400_000;
const day = (count = 288, from = 0): Candle[] =>
  Array.from({ length: count }, (_none, index) => ({
    time: from + index * STEP,
    open: 100 + index,
    high: 102 + index,
    low: 99 + index,
    close: 101 + index,
    volume: 1,
  }));

describe('the line of a day', () => {
  it('goes in equal steps from the price a day ago to the newest close', () => {
    const window = new DayWindow(STEP);
    window.settle(day());
    const line = window.line();
    expect(line?.to).toBe(DAY);
    expect(line?.points.length).toBe(DAY_LINE_POINTS);
    expect([line?.points[0], line?.points.at(-1)]).toEqual([100, 388]);
    expect(
      line?.points.every((point, index, all) => index === 0 || point > (all[index - 1] ?? 0)),
    ).toBe(true);
  });

  it('keeps the close before a hole, and shows nothing that came after a moment', () => {
    const window = new DayWindow(STEP);
    window.settle(day().filter((candle) => candle.time < DAY / 4 || candle.time >= DAY / 2));
    const points = window.line()?.points ?? [];
    const at = (share: number): number => points[Math.floor(share * (DAY_LINE_POINTS - 1))] ?? 0;
    expect([at(0.3), at(0.45)]).toEqual([172, 172]);
    expect(at(0.75)).toBeLessThanOrEqual(100 + 288 * 0.75);
  });

  it('is not made up where the day is missing', () => {
    const window = new DayWindow(STEP);
    expect(window.line()).toBeNull();
    window.settle(day(100, DAY - 100 * STEP));
    expect(window.line()).toBeNull();
  });
});

describe('the calls', () => {
  it('tell the lines of all pairs or of those named, and every pool with its rules, risks, list and profiles (R6-10, R7-12)', async () => {
    const app = await buildTestApp();
    try {
      const token = await app.signToken('ann');
      const all = Sparklines.parse((await app.call('sparklines', { token })).json);
      expect(Object.keys(all.lines)).toHaveLength(app.market.pairs().length);
      const some = Sparklines.parse(
        (await app.call('sparklines', { token, query: { symbols: 'BTC/USDT' } })).json,
      );
      expect(Object.keys(some.lines)).toEqual(['BTC/USDT']);
      expect(
        (await app.call('sparklines', { token, query: { symbols: 'NOPE/USDT' } })).status,
      ).toBe(400);
      const { pools } = MarketPools.parse((await app.call('marketPools', { token })).json);
      expect(pools.map((pool) => pool.id)).toEqual(PoolId.options);
      for (const pool of pools) {
        expect(pool.about?.universe).toEqual(universeAt(pool.id, app.market.now()));
        expect(pool.about?.risks.length).toBeGreaterThanOrEqual(2);
        expect(
          pool.pairs.every(
            (pair) => pool.about?.universe.includes(pair.split('/')[0] ?? '') === true,
          ),
        ).toBe(true);
        const suited = Object.entries(POOLS_FOR_PROFILE)
          .filter(([, ids]) => ids.includes(pool.id))
          .map(([profile]) => profile);
        expect(pool.about?.suits).toEqual(suited);
      }
      expect(POOLS.find((pool) => pool.id === 'ytd_champions')?.about.looks).toContain(
        '1st of the month',
      );
    } finally {
      await app.close();
    }
  }, 60_000);
});
