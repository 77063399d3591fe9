/** The simulated market: pure, continuous, correlated, pegged. */
import fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { Pair } from '../../../contract/agents.ts';
import { INTERVAL_MS } from '../../../contract/intervals.ts';
import type { Candle } from '../../../engine/market-types.ts';
import { coarser } from '../../../server/market/candle-building.ts';
import { SimulatedFeed } from '../../../server/market/simulated-feed.ts';

const NOW = Date.UTC(2026, 10, 21, 9, 33, 27);
const DAY = 86_400_000;
const feedAt = (now: number, seed = 7): SimulatedFeed =>
  new SimulatedFeed(seed, { now: () => now });
const anyMoment = fc.integer({ min: NOW - 400 * DAY, max: NOW });
const returns = (candles: readonly Candle[]): number[] =>
  candles.slice(1).map((candle, index) => Math.log(candle.close / (candles[index]?.close ?? NaN)));
const mean = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0) / list.length;

function correlation(a: readonly number[], b: readonly number[]): number {
  const [ma, mb] = [mean(a), mean(b)];
  const cross = mean(a.map((value, index) => (value - ma) * ((b[index] ?? 0) - mb)));
  return (
    cross /
    Math.sqrt(mean(a.map((value) => (value - ma) ** 2)) * mean(b.map((value) => (value - mb) ** 2)))
  );
}

describe('simulated feed', () => {
  it('offers at least twenty pairs of one quote currency, each spelt as an agent may name it', () => {
    const { pairs, quote } = feedAt(NOW);
    expect(pairs.length).toBeGreaterThanOrEqual(20);
    for (const rules of pairs) {
      expect(Pair.safeParse(rules.pair).success, rules.pair).toBe(true);
      expect(rules.quote).toBe(quote);
      expect(rules.lot > 0n && rules.minNotional > 0n).toBe(true);
    }
    expect(new Set(pairs.map((rules) => rules.pair)).size).toBe(pairs.length);
  });

  it('always says that its prices are simulated', () => {
    expect(feedAt(NOW).label).toBe('Simulated prices');
  });

  it('has candles of hours and days that their parts make up, asked for once or again', async () => {
    const feed = feedAt(NOW);
    await fc.assert(
      fc.asyncProperty(anyMoment, fc.constantFrom('1h', '4h', '1d'), async (at, interval) => {
        const asked = (): Promise<Candle[]> => feed.candles('ETH/USDT', interval, at - 4 * DAY, at);
        const parts = await feedAt(NOW).candles('ETH/USDT', '5m', at - 5 * DAY, at);
        const first = await asked();
        const length = INTERVAL_MS[interval];
        expect(first).toEqual(
          coarser(
            parts.filter(({ time }) => {
              const start = Math.floor(time / length) * length;
              return start >= at - 4 * DAY && start + length <= at;
            }),
            length,
          ),
        );
        expect(await asked()).toEqual(first);
      }),
      { numRuns: 15 },
    );
  });

  it('gives the same prices and candles for the same seed and time, whatever was asked before', async () => {
    await fc.assert(
      fc.asyncProperty(anyMoment, anyMoment, async (at, other) => {
        const [first, second] = [feedAt(NOW), feedAt(NOW)];
        await second.candles('BTC/USDT', '5m', other - DAY, other);
        second.ticksBetween(other - 2_000, other);
        expect(second.ticksBetween(at - 1_000, at)).toEqual(first.ticksBetween(at - 1_000, at));
        expect(await second.candles('SOL/USDT', '1h', at - DAY, at)).toEqual(
          await first.candles('SOL/USDT', '1h', at - DAY, at),
        );
      }),
      { numRuns: 15 },
    );
  });

  it('gives other prices for another seed', () => {
    expect(feedAt(NOW, 1).ticksBetween(NOW - 1_000, NOW)).not.toEqual(
      feedAt(NOW, 2).ticksBetween(NOW - 1_000, NOW),
    );
  });

  it('opens every candle where the one before closed, across hours and days, with high and low outside both', async () => {
    const feed = feedAt(NOW);
    for (const pair of ['BTC/USDT', 'TOSHI/USDT', 'USDC/USDT']) {
      const candles = await feed.candles(pair, '5m', NOW - 3 * DAY, NOW);
      expect(candles.length).toBe(3 * 288 - 1);
      candles.forEach((candle, index) => {
        const next = candles[index + 1];
        if (next !== undefined)
          expect([next.time, next.open]).toEqual([candle.time + 300_000, candle.close]);
        expect(candle.low).toBeLessThanOrEqual(Math.min(candle.open, candle.close));
        expect(candle.high).toBeGreaterThanOrEqual(Math.max(candle.open, candle.close));
        expect(candle.volume).toBeGreaterThan(0);
      });
    }
  });

  it('tells every live price inside the low and high of the candle it belongs to, about one a second', async () => {
    const feed = feedAt(NOW);
    const start = Math.floor((NOW - 2 * 3_600_000) / 300_000) * 300_000;
    const candles = await feed.candles('ETH/USDT', '5m', start, start + 3_600_000);
    const ticks = feed
      .ticksBetween(start - 1, start + 3_600_000 - 1)
      .filter((tick) => tick.pair === 'ETH/USDT');
    expect(ticks).toHaveLength(3_600);
    for (const tick of ticks) {
      const candle = candles[Math.floor((tick.at - start) / 300_000)];
      expect(Number(tick.last)).toBeGreaterThanOrEqual(candle?.low ?? NaN);
      expect(Number(tick.last)).toBeLessThanOrEqual(candle?.high ?? NaN);
    }
    const moves = ticks
      .slice(1)
      .map((tick, index) => Math.abs(Number(tick.last) / Number(ticks[index]?.last) - 1));
    expect(Math.max(...moves)).toBeLessThan(0.01);
    expect(new Set(ticks.map((tick) => tick.sequence)).size).toBe(ticks.length);
  });

  it('tells each tick once, however the time is cut into beats', () => {
    const feed = feedAt(NOW);
    const whole = feed.ticksBetween(NOW - 10_000, NOW);
    const cuts = [NOW - 10_000, NOW - 7_777, NOW - 7_776, NOW - 3_125, NOW];
    const pieces = cuts.slice(1).flatMap((to, index) => feed.ticksBetween(cuts[index] ?? 0, to));
    expect(pieces).toEqual(whole);
  });

  it('builds coarse candles from fine ones, more than a year back, closed ones only', async () => {
    const feed = feedAt(NOW);
    const from = NOW - 400 * DAY;
    const hours = await feed.candles('LINK/USDT', '1h', from, from + 2 * DAY);
    const fine = await feed.candles(
      'LINK/USDT',
      '5m',
      hours[0]?.time ?? 0,
      (hours.at(-1)?.time ?? 0) + 3_600_000,
    );
    expect(hours.length).toBeGreaterThanOrEqual(47);
    hours.forEach((hour, index) => {
      const parts = fine.slice(index * 12, index * 12 + 12);
      expect(hour).toMatchObject({
        time: parts[0]?.time,
        open: parts[0]?.open,
        close: parts[11]?.close,
        high: Math.max(...parts.map((p) => p.high)),
        low: Math.min(...parts.map((p) => p.low)),
      });
    });
    for (const interval of ['5m', '20m', '1h', '1d'] as const) {
      const newest = (await feed.candles('LINK/USDT', interval, NOW - 3 * DAY, NOW + DAY)).at(-1);
      expect((newest?.time ?? NaN) + INTERVAL_MS[interval]).toBe(
        Math.floor(NOW / INTERVAL_MS[interval]) * INTERVAL_MS[interval],
      );
    }
  });

  it('moves like coins do: BTC about 55 % a year, a small coin more, and together', async () => {
    const feed = feedAt(NOW);
    const year = async (pair: string): Promise<number[]> =>
      returns(await feed.candles(pair, '1h', NOW - 365 * DAY, NOW));
    const yearly = (list: readonly number[]): number =>
      Math.sqrt(mean(list.map((value) => value * value)) * 8_760);
    const [btc, eth, degen] = [
      await year('BTC/USDT'),
      await year('ETH/USDT'),
      await year('DEGEN/USDT'),
    ];
    expect(yearly(btc)).toBeGreaterThan(0.48);
    expect(yearly(btc)).toBeLessThan(0.62);
    expect(yearly(degen)).toBeGreaterThan(1.3);
    expect(correlation(btc, eth)).toBeGreaterThan(0.7);
    expect(correlation(btc, degen)).toBeGreaterThan(0.35);
    expect(correlation(btc, degen)).toBeLessThan(0.8);
  });

  it('holds stablecoins near their peg, with the odd stray and always a way back', async () => {
    const feed = feedAt(NOW);
    for (const pair of ['USDC/USDT', 'DAI/USDT', 'TUSD/USDT']) {
      const closes = (await feed.candles(pair, '1h', NOW - 120 * DAY, NOW)).map(
        (candle) => candle.close,
      );
      expect(Math.max(...closes.map((close) => Math.abs(close - 1)))).toBeLessThan(0.012);
      expect(
        closes.filter((close) => Math.abs(close - 1) < 0.001).length / closes.length,
      ).toBeGreaterThan(0.85);
      expect(closes.some((close) => Math.abs(close - 1) > 0.0015)).toBe(true);
    }
  });
});
