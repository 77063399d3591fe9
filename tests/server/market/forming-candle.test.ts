/**
 * The candle that has not closed: what was told since the last close, whatever the source and
 * whenever the server began to listen.
 */
import { describe, expect, it } from 'vitest';
import type { CandleInterval } from '../../../contract/market.ts';
import { CHART_INTERVALS, INTERVAL_MS } from '../../../contract/intervals.ts';
import { parseFixed } from '../../../contract/money.ts';
import type { PairRules } from '../../../engine/market-types.ts';
import { alignDown, coarser } from '../../../server/market/candle-building.ts';
import type { RawTick } from '../../../server/market/feed.ts';
import { ReplayFeed, type ClockStore } from '../../../server/market/replay-feed.ts';
import { readTape } from '../../../server/market/replay-tape.ts';
import { FeedMarket } from '../../../server/market/running-market.ts';
import { SimulatedFeed } from '../../../server/market/simulated-feed.ts';
import { timeframesOf } from '../../../server/market/timeframes.ts';
import { HandFeed } from '../../support/hand-feed.ts';
import fc from '../../support/property.ts';
import { keptLog } from './silent-log.ts';
import { asCsv, FIVE, madeCandle, TAPE_START, writeTape } from './tape-on-disk.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const COUNT = 400;
const made = Array.from({ length: COUNT }, (_, index) => madeCandle(index));
const folder = await writeTape({ 'BTC-USDT.csv': asCsv(made) });
const tape = await readTape(folder);

function memory(): ClockStore & { value: number | null } {
  const store: ClockStore & { value: number | null } = {
    value: null,
    load: async () => store.value,
    save: async (_id, ms) => {
      store.value = Math.max(ms, store.value ?? ms);
      return store.value;
    },
  };
  return store;
}

/** A replay whose clock the test moves, and every tick it told. */
async function replayed(clockStore: ClockStore) {
  const feed = new ReplayFeed({
    folder,
    tape,
    speed: 1_200,
    startAt: TAPE_START,
    clockStore,
    log: keptLog(),
  });
  const market = new FeedMarket(feed, keptLog());
  const ticks: RawTick[] = [];
  await feed.open((tick) => {
    ticks.push(tick);
    market.offer(tick);
  });
  return { feed, market, ticks };
}

/** Open, high, low and close of prices. */
const shape = (prices: readonly number[]): number[] => [
  prices[0] ?? NaN,
  Math.max(...prices),
  Math.min(...prices),
  prices.at(-1) ?? NaN,
];
const told = async (market: FeedMarket, interval: CandleInterval, pair = 'BTC/USDT') => {
  const forming = await market.forming(pair, interval, market.now());
  if (forming === null) return null;
  const { open, high, low, close } = forming.candle;
  return { ...forming, shape: [open, high, low, close] };
};

describe('timeframes', () => {
  it('are those that whole candles of the source make up', () => {
    expect(timeframesOf('1m')).toEqual([...CHART_INTERVALS]);
    expect(timeframesOf('5m')).toEqual(['5m', '15m', '1h', '4h', '1d']);
    expect(timeframesOf('20m')).toEqual(['20m', '1h', '4h', '1d']);
    expect(timeframesOf('1h')).toEqual(['1h', '4h', '1d']);
    expect(timeframesOf('1d')).toEqual(['1d']);
  });
});

describe('the forming candle of a tape', () => {
  it('is at every moment and timeframe what was told since the last close, with the volume of what has closed in it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: COUNT * FIVE - 1 }),
        fc.constantFrom(...timeframesOf('5m')),
        async (ahead, interval) => {
          const { feed, market, ticks } = await replayed(memory());
          await feed.advance(ahead);
          const time = alignDown(feed.now(), INTERVAL_MS[interval]);
          const forming = await told(market, interval);
          const mine = ticks.filter((tick) => tick.at >= time);
          if (mine.length === 0) {
            expect(forming).toBeNull();
            return;
          }
          const closed = made.filter(
            (candle) => candle.time >= time && candle.time + FIVE <= feed.now(),
          );
          expect(forming?.shape).toEqual(shape(mine.map((tick) => Number(tick.last))));
          expect(forming).toMatchObject({
            since: time,
            candle: { time },
            volumeTo: closed.length === 0 ? time : (closed.at(-1)?.time ?? 0) + FIVE,
          });
          const volume = closed.reduce((sum, candle) => sum + candle.volume, 0);
          expect(forming?.candle.volume).toBe(closed.length === 0 ? null : volume);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is the same after a restart in its middle', async () => {
    const store = memory();
    const before = await replayed(store);
    await before.feed.advance(7 * HOUR + 2 * MINUTE + 41_000);
    const after = await replayed(store);
    const never = await replayed(memory());
    await never.feed.advance(after.feed.now() - never.feed.now());
    for (const interval of timeframesOf('5m')) {
      const [mine, theirs] = [
        await told(after.market, interval),
        await told(never.market, interval),
      ];
      expect(mine?.shape.slice(0, 3), interval).toEqual(theirs?.shape.slice(0, 3));
      expect(mine?.since).toBe(theirs?.since);
    }
  });
});

describe('the forming candle of simulated prices', () => {
  const NOW = Date.UTC(2026, 10, 21, 9, 33, 27, 450);

  it('is made of closed minutes and of the ticks since, all of them, although the server has only just begun', async () => {
    const feed = new SimulatedFeed(7, { now: () => NOW });
    const market = new FeedMarket(feed, keptLog());
    await market.start();
    await market.stop();
    for (const pair of ['BTC/USDT', 'TOSHI/USDT', 'USDC/USDT']) {
      for (const interval of CHART_INTERVALS) {
        const time = alignDown(NOW, INTERVAL_MS[interval]);
        const minutes = await feed.candles(pair, '1m', time, NOW);
        const ticks = feed
          .retell(pair, alignDown(NOW, MINUTE) - 1, NOW)
          .map((tick) => Number(tick.last));
        const prices = [
          ...minutes.flatMap(({ open, high, low, close }) => [open, high, low, close]),
          ...ticks,
        ];
        const forming = await told(market, interval, pair);
        expect(forming?.shape, `${pair} ${interval}`).toEqual(shape(prices));
        expect([forming?.since, forming?.candle.time]).toEqual([time, time]);
      }
    }
  });

  it('has minutes of which five are exactly a five-minute candle, and which hold every tick', async () => {
    const feed = new SimulatedFeed(7, { now: () => NOW });
    for (const pair of ['BTC/USDT', 'DOGE/USDT', 'TOSHI/USDT', 'USDC/USDT']) {
      const from = alignDown(NOW, HOUR) - 3 * HOUR;
      const minutes = await feed.candles(pair, '1m', from, NOW);
      const fives = await feed.candles(pair, '5m', from, NOW);
      const built = coarser(minutes, FIVE).slice(0, fives.length);
      expect(built.map(({ volume: _volume, ...candle }) => candle)).toEqual(
        fives.map(({ volume: _volume, ...candle }) => candle),
      );
      built.forEach((candle, index) => {
        expect(candle.volume / (fives[index]?.volume ?? NaN)).toBeCloseTo(1, 6);
      });
      for (const { time, high, low, volume } of minutes) {
        expect(volume).toBeGreaterThan(0);
        for (const tick of feed.retell(pair, time - 1, time + MINUTE - 1))
          expect(Number(tick.last) <= high && Number(tick.last) >= low).toBe(true);
      }
    }
  });
});

describe('the forming candle of an exchange', () => {
  const rules: PairRules = {
    pair: 'BTC/USD',
    base: 'BTC',
    quote: 'USD',
    lot: parseFixed('0.001'),
    minNotional: parseFixed('5'),
    halfSpreadBps: 2,
    feeBps: 10,
  };
  const start = async (at: number, candles = made) => {
    const feed = new HandFeed(at, 'exchange', [rules], new Map([['BTC/USD', candles]]));
    const market = new FeedMarket(feed, keptLog());
    await market.start();
    return { feed, market };
  };

  it('says from when its prices are known where nobody listened before, and invents no volume', async () => {
    const at = TAPE_START + 12 * FIVE + 100_000;
    const { feed, market } = await start(at);
    feed.say('BTC/USD', '100');
    feed.clock += 1_000;
    feed.say('BTC/USD', '102');
    expect(await told(market, '5m', 'BTC/USD')).toMatchObject({
      since: at,
      at: at + 1_000,
      shape: [100, 102, 100, 102],
      candle: { time: TAPE_START + 12 * FIVE, volume: null },
    });
    expect(await told(market, '1h', 'BTC/USD')).toMatchObject({
      since: at,
      candle: { time: TAPE_START + HOUR, volume: null },
    });
    await market.stop();
  });

  it('takes what it heard itself for a finer candle that the exchange is late with', async () => {
    const { feed, market } = await start(TAPE_START + HOUR + 1, made.slice(0, 13));
    for (const [wait, price] of [
      [0, '100'],
      [100_000, '104'],
      [150_000, '97'],
      [60_000, '101'],
    ] as const) {
      feed.clock += wait;
      feed.say('BTC/USD', price);
    }
    // 1:05 has passed. The exchange has the candle of 1:00 already, and that one counts.
    const exchange = made[12];
    expect(await told(market, '1h', 'BTC/USD')).toMatchObject({
      shape: [
        exchange?.open,
        Math.max(exchange?.high ?? 0, 101),
        Math.min(exchange?.low ?? 0, 101),
        101,
      ],
      candle: { volume: exchange?.volume },
    });
    const late = await start(TAPE_START + HOUR + 1, made.slice(0, 12));
    for (const [wait, price] of [
      [0, '100'],
      [100_000, '104'],
      [150_000, '97'],
      [60_000, '101'],
    ] as const) {
      late.feed.clock += wait;
      late.feed.say('BTC/USD', price);
    }
    expect(await told(late.market, '1h', 'BTC/USD')).toMatchObject({
      since: TAPE_START + HOUR + 1,
      shape: [100, 104, 97, 101],
      candle: { volume: null },
    });
    for (const one of [market, late.market]) await one.stop();
  });
});
