/** A source whose candles reach back less far than the strategies look: hours a month, days two years. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { PoolId } from '../../../contract/agents.ts';
import { INTERVAL_MS } from '../../../contract/intervals.ts';
import type { CandleInterval } from '../../../contract/market.ts';
import { makeSeries, volumeInDay } from '../../../engine/signals/candle-series.ts';
import { correlationAt } from '../../../engine/signals/correlation.ts';
import {
  computeSignals,
  lookbackMs,
  type Horizon,
} from '../../../engine/signals/compute-signals.ts';
import type { Candle } from '../../../engine/market-types.ts';
import { FeedMarket } from '../../../server/market/running-market.ts';
import { HandFeed } from '../../support/hand-feed.ts';
import { random } from '../../support/tape.ts';
import { ruleFor } from '../../support/tape-market.ts';
import { keptLog } from './silent-log.ts';

const [FIVE, HOUR, DAY] = [INTERVAL_MS['5m'], INTERVAL_MS['1h'], INTERVAL_MS['1d']];
const PAIRS = ['BTC/USDT', 'ETH/USDT', 'SOL/USDT', 'LINK/USDT', 'USDC/USDT'];
const NIGHT = Date.UTC(2026, 3, 14);
const START = NIGHT - 130 * DAY;
const KEPT = 720;

class ShortFeed extends HandFeed {
  oldest(interval: CandleInterval): number {
    return (Math.floor(this.clock / INTERVAL_MS[interval]) - KEPT + 1) * INTERVAL_MS[interval];
  }
  override async candles(
    pair: string,
    interval: CandleInterval,
    from: number,
    to: number,
  ): Promise<Candle[]> {
    return super.candles(pair, interval, Math.max(from, this.oldest(interval)), to);
  }
}

let made: Map<string, Candle[]>;
beforeAll(() => {
  made = new Map(
    PAIRS.map((pair, index) => {
      const next = random(11 + index);
      let price = pair === 'USDC/USDT' ? 1 : 100;
      const swing = pair === 'USDC/USDT' ? 0.0002 : 0.004;
      return [
        pair,
        Array.from({ length: (131 * DAY) / FIVE }, (_, n): Candle => {
          const open = price;
          price =
            pair === 'USDC/USDT'
              ? 1 + swing * (next() - 0.5)
              : open * Math.exp(swing * (next() - 0.499));
          return {
            time: START + n * FIVE,
            open,
            high: Math.max(open, price),
            low: Math.min(open, price),
            close: price,
            volume: 1 + next(),
          };
        }),
      ];
    }),
  );
});

const marketOf = (Feed: typeof HandFeed, now: number): FeedMarket =>
  new FeedMarket(new Feed(now, 'exchange', PAIRS.map(ruleFor), made), keptLog());

async function seriesOf(market: FeedMarket, pool: PoolId, at: number, horizon: Horizon) {
  const back = Math.ceil(lookbackMs(pool, at, horizon) / DAY) * DAY;
  return new Map(
    await Promise.all(
      PAIRS.map(
        async (pair) => [pair, makeSeries(pair, await market.history(pair, back, at))] as const,
      ),
    ),
  );
}

describe('history of a source whose hours reach back a month', () => {
  it.each([
    ['ytd_champions', 'usual'],
    ['ytd_champions', 'long-haul'],
    ['weekly_leaders', 'usual'],
    ['weekly_leaders', 'long-haul'],
    ['momentum_24h', 'usual'],
    ['momentum_24h', 'long-haul'],
    ['base_ecosystem', 'usual'],
    ['base_ecosystem', 'long-haul'],
    ['stablecoin_arbitrage', 'usual'],
    ['all_pools', 'usual'],
    ['all_pools', 'long-haul'],
  ] as const)(
    'gives %s (%s) the same signals at midnight as a whole one',
    async (pool, horizon) => {
      const [short, whole] = [marketOf(ShortFeed, NIGHT + 1), marketOf(HandFeed, NIGHT + 1)];
      const [one, other] = [
        await seriesOf(short, pool, NIGHT, horizon),
        await seriesOf(whole, pool, NIGHT, horizon),
      ];
      const signals = computeSignals(pool, one, NIGHT, horizon);
      expect(signals).toEqual(computeSignals(pool, other, NIGHT, horizon));
      expect(signals.get('BTC/USDT')?.reason).toEqual(
        pool === 'stablecoin_arbitrage' ? 'not_a_stablecoin' : expect.not.stringMatching('history'),
      );
      const [mine, theirs] = [correlationAt(one, NIGHT), correlationAt(other, NIGHT)];
      expect(mine('BTC/USDT', 'ETH/USDT')).toBe(theirs('BTC/USDT', 'ETH/USDT'));
    },
  );

  it.each(['ytd_champions', 'weekly_leaders'] as const)(
    'gives %s the same list at any time of the day',
    async (pool) => {
      for (const at of [NIGHT + 5 * FIVE, NIGHT + 13 * HOUR + 7 * FIVE, NIGHT + 23 * HOUR]) {
        const [short, whole] = [marketOf(ShortFeed, at + 1), marketOf(HandFeed, at + 1)];
        const signals = computeSignals(pool, await seriesOf(short, pool, at, 'usual'), at);
        const expected = computeSignals(pool, await seriesOf(whole, pool, at, 'usual'), at);
        for (const [pair, { z, enter, leave, reason, formedAt, strength }] of expected) {
          expect(z).not.toBeNull();
          expect(signals.get(pair)).toMatchObject({ z, enter, leave, reason, formedAt, strength });
        }
      }
    },
  );

  it("tells a day's volume of a moment before its 5-minute candles begin by its hours", async () => {
    const market = marketOf(ShortFeed, NIGHT + 1);
    const whole = marketOf(HandFeed, NIGHT + 1);
    for (const hours of [30, 40, 50, 59, 61, 80, 200]) {
      const at = NIGHT - hours * HOUR;
      const volumeAt = async (one: FeedMarket) =>
        volumeInDay(makeSeries('BTC/USDT', await one.history('BTC/USDT', 31 * DAY, at)), at);
      expect((await volumeAt(market)) / (await volumeAt(whole)), `${hours} h`).toBeCloseTo(1, 6);
    }
  });

  it('is in order, whole days and then hours and then 5 minutes, as time goes on', async () => {
    const feed = new ShortFeed(NIGHT + 1, 'exchange', PAIRS.map(ruleFor), made);
    const market = new FeedMarket(feed, keptLog());
    const firstHour = feed.oldest('1h');
    for (let hours = 0; hours < 20; hours += 1) {
      const at = NIGHT + hours * HOUR;
      feed.clock = at + 1;
      const candles = await market.history('BTC/USDT', 92 * DAY, at);
      const days = candles.filter(({ time }) => time < firstHour);
      expect(days.at(-1)?.time).toBe(Math.floor(firstHour / DAY) * DAY - DAY);
      expect(days.every(({ time }, index) => time === (days[0]?.time ?? 0) + index * DAY)).toBe(
        true,
      );
      expect(days[0]?.time).toBe(Math.ceil((at - 92 * DAY) / DAY) * DAY);
      // What was read once stays, although the source has it no more.
      expect(candles[days.length]?.time).toBe(firstHour);
      expect(await market.history('BTC/USDT', 92 * DAY, at)).toBe(candles);
    }
  });
});
