/**
 * The exchange feed against a local server that answers in the exchanges' recorded shapes, through
 * the real ccxt.
 */
import pLimit from 'p-limit';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { formatFixed } from '../../../contract/money.ts';
import { ExchangeFeed } from '../../../server/market/exchange-feed.ts';
import { candleLimits, ExchangeCandles } from '../../../server/market/exchange-candles.ts';
import {
  openExchangeClient,
  readMarkets,
  type ExchangeClient,
} from '../../../server/market/exchange-client.ts';
import { PoolId } from '../../../contract/agents.ts';
import { universeAt } from '../../../engine/strategies/pools.ts';
import { EXCHANGE_VENUES, FOLLOWED_BASES } from '../../../server/market/exchange-venues.ts';
import type { CandleReader, RawTick } from '../../../server/market/feed.ts';
import { listedOf } from '../../../server/market/listed-pairs.ts';
import { FeedMarket } from '../../../server/market/running-market.ts';
import {
  recordedCandle,
  startExchangeServer,
  type ExchangeServer,
} from '../../support/exchange-server.ts';
import { keptLog } from './silent-log.ts';

const FIVE = 300_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MINUTE = 60_000;
let server: ExchangeServer;
/** How far the server's clock is ahead of the machine's. */
let shiftMs = 0;
const open: ExchangeFeed[] = [];

beforeAll(async () => {
  server = await startExchangeServer();
  await import('ccxt');
});
afterEach(async () => {
  for (const feed of open.splice(0)) await feed.stop();
  server.failing = null;
  server.statuses.clear();
  server.priceless.clear();
  shiftMs = 0;
  server.websocket = false;
  server.candlesUntil = Infinity;
  server.asked.length = 0;
});
afterAll(async () => {
  await server.close();
});

function feedOf(id: 'coinbaseexchange' | 'kraken') {
  const log = keptLog();
  const feed = new ExchangeFeed({
    venue: EXCHANGE_VENUES[id],
    baseUrl: server.url,
    clock: { now: () => Date.now() + shiftMs },
    log,
  });
  open.push(feed);
  const ticks: RawTick[] = [];
  return {
    feed,
    log,
    ticks,
    begin: () =>
      feed.start((tick) => {
        ticks.push(tick);
      }),
  };
}

describe.each(['coinbaseexchange', 'kraken'] as const)('%s', (id) => {
  it('offers the followed pairs of one quote with their lots, minima and fee, and tells a first price of each', async () => {
    const { feed, ticks, begin } = feedOf(id);
    await begin();
    expect(feed.pairs.map((rules) => rules.pair)).toEqual([
      'BTC/USD',
      'ETH/USD',
      'LINK/USD',
      'USDC/USD',
    ]);
    const [btc] = feed.pairs;
    expect([btc && formatFixed(btc.lot), btc && formatFixed(btc.minNotional), btc?.feeBps]).toEqual(
      ['0.00000001', id === 'kraken' ? '0.5' : '1', id === 'kraken' ? 40 : 60],
    );
    expect(ticks.map((tick) => tick.pair).sort()).toEqual([
      'BTC/USD',
      'ETH/USD',
      'LINK/USD',
      'USDC/USD',
    ]);
    const tick = ticks.find((candidate) => candidate.pair === 'BTC/USD');
    expect(tick?.last).toBe(server.prices.get('BTC'));
    expect(Number(tick?.bid)).toBeLessThan(Number(tick?.last));
    expect(Number(tick?.ask)).toBeGreaterThan(Number(tick?.last));
  });

  it('reads closed candles, oldest first, as the exchange has them', async () => {
    const { feed, begin } = feedOf(id);
    await begin();
    const to = Date.now();
    const candles = await feed.candles('ETH/USD', '5m', to - 6 * HOUR, to);
    expect(candles.length).toBe(Math.floor(to / FIVE) - Math.ceil((to - 6 * HOUR) / FIVE));
    for (const candle of candles) {
      expect([candle.open, candle.high, candle.low, candle.close, candle.volume]).toEqual(
        recordedCandle('ETH', candle.time, FIVE),
      );
    }
    expect((candles.at(-1)?.time ?? 0) + FIVE).toBe(Math.floor(to / FIVE) * FIVE);
  });
});

describe('coinbaseexchange', () => {
  it('reads ninety days of hours in a few pages, each asked for once', async () => {
    const { feed, begin } = feedOf('coinbaseexchange');
    await begin();
    const to = Math.floor(Date.now() / HOUR) * HOUR;
    const first = await feed.candles('BTC/USD', '1h', to - 90 * DAY, to);
    expect(first).toHaveLength(90 * 24);
    const asked = server.asked.filter((path) => path.includes('granularity=3600')).length;
    expect(asked).toBeLessThanOrEqual(9);
    expect(await feed.candles('BTC/USD', '1h', to - 80 * DAY, to)).toEqual(first.slice(-80 * 24));
    expect(
      server.asked.filter((path) => path.includes('granularity=3600')).length,
    ).toBeLessThanOrEqual(asked);
  });

  it('has minutes, and builds four-hour candles, which not every exchange knows, from hours', async () => {
    const { feed, begin } = feedOf('coinbaseexchange');
    await begin();
    const to = Math.floor(Date.now() / DAY) * DAY;
    const minutes = await feed.candles('BTC/USD', '1m', to - HOUR, to);
    expect(minutes.map(({ time, open }) => [time, open])).toEqual(
      Array.from({ length: 60 }, (_none, index) => [
        to - HOUR + index * 60_000,
        recordedCandle('BTC', to - HOUR + index * 60_000, 60_000)[0],
      ]),
    );
    const fours = await feed.candles('BTC/USD', '4h', to - DAY, to);
    expect(fours.map(({ time }) => time)).toEqual(
      Array.from({ length: 6 }, (_none, index) => to - DAY + index * 4 * HOUR),
    );
    expect([fours[0]?.open, fours[0]?.close]).toEqual([
      recordedCandle('BTC', to - DAY, HOUR)[0],
      recordedCandle('BTC', to - DAY + 3 * HOUR, HOUR)[3],
    ]);
    expect(server.asked.some((path) => path.includes('granularity=14400'))).toBe(false);
  });

  it('builds 20-minute candles from 5-minute ones', async () => {
    const { feed, begin } = feedOf('coinbaseexchange');
    await begin();
    const to = Math.floor(Date.now() / DAY) * DAY;
    const candles = await feed.candles('BTC/USD', '20m', to - 4 * HOUR, to);
    expect(candles).toHaveLength(12);
    expect(candles[0]?.open).toBe(recordedCandle('BTC', to - 4 * HOUR, FIVE)[0]);
    expect(candles[0]?.close).toBe(recordedCandle('BTC', to - 4 * HOUR + 3 * FIVE, FIVE)[3]);
  });

  it('goes on telling prices by REST while there is no websocket, and says so once', async () => {
    const { ticks, log, begin } = feedOf('coinbaseexchange');
    await begin();
    server.prices.set('BTC', '65000.5');
    await expect
      .poll(() => ticks.findLast((tick) => tick.pair === 'BTC/USD')?.last, { timeout: 15_000 })
      .toBe('65000.5');
    expect(
      log.lines.filter((line) => line.message.startsWith('No prices by WebSocket')),
    ).toHaveLength(1);
    const sequences = ticks.filter((tick) => tick.pair === 'BTC/USD').map((tick) => tick.sequence);
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
    expect(new Set(sequences).size).toBe(sequences.length);
  });

  it('takes prices from the websocket where there is one, in their order, and asks REST only for the silent pairs', async () => {
    server.websocket = true;
    const { feed, ticks, begin } = feedOf('coinbaseexchange');
    await begin();
    const now = Date.now();
    const stamp = (ms: number): string => new Date(now + ms).toISOString();
    await expect
      .poll(() => server.push('ETH', '3111.1', stamp(10_000)), { timeout: 10_000 })
      .toBe(true);
    const last = () => ticks.findLast((tick) => tick.pair === 'ETH/USD');
    await expect
      .poll(
        () => {
          server.push('ETH', '3112.2', stamp(20_000));
          return last()?.last;
        },
        { timeout: 10_000 },
      )
      .toBe('3112.2');
    const newest = Math.max(
      ...ticks.filter((tick) => tick.pair === 'ETH/USD').map((tick) => tick.sequence),
    );
    await expect
      .poll(
        () => {
          server.push('ETH', '3110.1', stamp(5_000));
          return last()?.last;
        },
        { timeout: 10_000 },
      )
      .toBe('3110.1');
    const late = ticks.filter((tick) => tick.last === '3110.1');
    expect(
      late.every(
        (tick) =>
          tick.sequence <= newest + 1 &&
          ticks.some((other) => other.last === '3112.2' && other.sequence >= tick.sequence),
      ),
    ).toBe(true);
    server.asked.length = 0;
    const keep = setInterval(() => {
      server.push('ETH', '3113.3', stamp(30_000));
    }, 100);
    await expect
      .poll(() => server.asked.some((path) => path.startsWith('/products/LINK-USD/ticker')), {
        timeout: 10_000,
      })
      .toBe(true);
    clearInterval(keep);
    expect(server.asked.some((path) => path.startsWith('/products/ETH-USD/ticker'))).toBe(false);
    expect(feed.pairs).toHaveLength(4);
  });

  it('starts without an exchange, keeps trying, and has prices once it is back', async () => {
    server.failing = 503;
    const { feed, log, begin } = feedOf('coinbaseexchange');
    const begun = begin();
    await expect.poll(() => log.lines.length, { timeout: 10_000 }).toBeGreaterThan(0);
    expect(feed.pairs).toEqual([]);
    server.failing = null;
    await begun;
    expect(feed.pairs.length).toBe(4);
  });

  it('lets the market refuse what the exchange sends in error', async () => {
    const feed = new ExchangeFeed({
      venue: EXCHANGE_VENUES.coinbaseexchange,
      baseUrl: server.url,
      clock: { now: () => Date.now() },
      log: keptLog(),
    });
    const market = new FeedMarket(feed, keptLog());
    server.prices.set('LINK', '14.25');
    await market.start();
    await expect.poll(() => market.quote('LINK/USD')).not.toBeNull();
    server.prices.set('LINK', '1425000');
    await expect.poll(() => market.refused().jump ?? 0, { timeout: 15_000 }).toBeGreaterThan(0);
    expect(market.symbol('LINK/USD')?.price).toBe('14.25');
    server.prices.set('LINK', '14.25');
    await market.stop();
  });
});

describe('kraken, which gives its newest 720 candles whatever is asked for', () => {
  it('reads as far as they reach, asks for nothing older, and says how far that is', async () => {
    const { feed, begin } = feedOf('kraken');
    await begin();
    const to = Math.floor(Date.now() / HOUR) * HOUR;
    const oldest = feed.oldest('1h');
    expect(oldest).toBeGreaterThanOrEqual(to - 719 * HOUR);
    expect(feed.oldest('20m') % (20 * 60_000)).toBe(0);
    const read = () => feed.candles('BTC/USD', '1h', to - 365 * DAY, to);
    const found = await read();
    expect([found[0]?.time, found.length]).toEqual([oldest, (to - oldest) / HOUR]);
    expect(found.every(({ time }, index) => time === oldest + index * HOUR)).toBe(true);
    const asked = () => server.asked.filter((path) => path.includes('/OHLC')).length;
    expect(asked()).toBeLessThanOrEqual(2);
    const before = asked();
    expect(await read()).toEqual(found);
    expect(asked()).toBe(before);
    const days = await feed.candles('BTC/USD', '1d', to - 365 * DAY, to);
    expect(days).toHaveLength(to % DAY === 0 ? 365 : 364);
  });

  it('builds no candle from a part of it, where it begins in the middle of one', async () => {
    const { feed, begin } = feedOf('kraken');
    await begin();
    const to = Date.now();
    const twenty = await feed.candles('BTC/USD', '20m', to - 5 * DAY, to);
    const fives = await feed.candles('BTC/USD', '5m', to - 5 * DAY, to);
    expect(twenty.length).toBeGreaterThan(170);
    for (const { time, volume } of twenty)
      expect(volume).toBe(
        fives
          .filter((five) => five.time >= time && five.time < time + 4 * FIVE)
          .reduce((all, five) => all + five.volume, 0),
      );
    expect(
      fives.filter(({ time }) => time >= (twenty[0]?.time ?? 0)).length,
    ).toBeGreaterThanOrEqual(4 * twenty.length);
  });

  it('keeps what it has read beyond that', async () => {
    let now = 1_000 * 720 * HOUR + 400 * HOUR + 60_000;
    const client: Pick<ExchangeClient, 'fetchOHLCV'> = {
      async fetchOHLCV() {
        const newest = Math.floor(now / HOUR) * HOUR;
        return Array.from({ length: 720 }, (_, index) => {
          const time = newest - (719 - index) * HOUR;
          return [time, 1, 1, 1, 1, time / HOUR];
        });
      },
    };
    const candles = new ExchangeCandles(
      () => Promise.resolve(client as ExchangeClient),
      candleLimits(pLimit(2), 2),
      { candlesAtOnce: 720, candlesKept: 720 },
      { now: () => now },
    );
    const first = candles.oldest('1h');
    const read = () => candles.read('BTC/USD', '1h', 0, now);
    expect((await read()).map(({ time }) => time)).toHaveLength(719);
    for (let days = 1; days <= 60; days += 1) {
      now += DAY;
      const found = await read();
      expect([days, found[0]?.time, found.length]).toEqual([days, first, 719 + days * 24]);
      expect(found.every(({ time }, index) => time === first + index * HOUR)).toBe(true);
    }
  });
});

describe('a list of pairs that changes while the server runs', () => {
  const stateOf = (feed: ExchangeFeed, pair: string): string | undefined => {
    const rules = feed.pairs.find((one) => one.pair === pair);
    return rules === undefined ? 'unknown' : rules.notTraded;
  };
  const lastOf = (ticks: RawTick[], pair: string): string | undefined =>
    ticks.findLast((tick) => tick.pair === pair)?.last;

  it('is read again every hour: what is delisted stays known, and trades again once it is back (F101)', async () => {
    const { feed, ticks, log, begin } = feedOf('coinbaseexchange');
    await begin();
    server.statuses.set('LINK', 'unlisted');
    shiftMs += 61 * MINUTE;
    await expect.poll(() => stateOf(feed, 'LINK/USD'), { timeout: 15_000 }).toBe('gone');
    expect(feed.pairs).toHaveLength(4);
    server.prices.set('ETH', '3222.5');
    await expect.poll(() => lastOf(ticks, 'ETH/USD'), { timeout: 15_000 }).toBe('3222.5');
    const to = Date.now();
    await expect(feed.candles('LINK/USD', '5m', to - HOUR, to)).rejects.toThrow('LINK');
    server.statuses.clear();
    shiftMs += 6 * MINUTE;
    await expect.poll(() => stateOf(feed, 'LINK/USD'), { timeout: 15_000 }).toBe(undefined);
    expect(log.lines.map(({ fields }) => [fields['stopped'], fields['begun']])).toContainEqual([
      ['LINK/USD'],
      [],
    ]);
  });

  it('keeps what it knows where it cannot be read, or has nothing of ours on it (F101)', async () => {
    const { feed, log, begin } = feedOf('coinbaseexchange');
    await begin();
    const before = feed.pairs;
    const said = (): number =>
      log.lines.filter(({ message }) => message === 'The list of pairs could not be read').length;
    server.failing = 503;
    shiftMs += 61 * MINUTE;
    await expect.poll(said, { timeout: 15_000 }).toBe(1);
    server.failing = null;
    for (const base of server.prices.keys()) server.statuses.set(base, 'unlisted');
    shiftMs += 6 * MINUTE;
    await expect.poll(said, { timeout: 15_000 }).toBe(2);
    expect(feed.pairs).toBe(before);
  });

  it('leaves the client with the list it has where a newer one cannot be read (F101)', async () => {
    const client = await openExchangeClient(EXCHANGE_VENUES.kraken, server.url);
    const before = await readMarkets(client);
    server.failing = 503;
    await expect(readMarkets(client)).rejects.toThrow('503');
    const known = (client.loadMarkets as () => Promise<object>).bind(client);
    expect(Object.keys(await known())).toHaveLength(before.length);
    await client.close();
  });

  it('is read again, soon, after the exchange refused a question (F101)', async () => {
    const { feed, begin } = feedOf('coinbaseexchange');
    await begin();
    server.statuses.set('LINK', 'unlisted');
    const to = Date.now();
    await expect(feed.candles('LINK/USD', '5m', to - HOUR, to)).rejects.toThrow();
    shiftMs += 6 * MINUTE;
    await expect.poll(() => stateOf(feed, 'LINK/USD'), { timeout: 15_000 }).toBe('gone');
  });

  it.each([
    ['coinbaseexchange', 'offline'],
    ['kraken', 'post_only'],
  ] as const)(
    'has a price of a pair that %s lists as %s from the start, and trades it once it is traded (F101)',
    async (id, status) => {
      server.statuses.set('LINK', status);
      const { feed, ticks, begin } = feedOf(id);
      await begin();
      await expect.poll(() => lastOf(ticks, 'LINK/USD'), { timeout: 15_000 }).toBe('14.25');
      expect(stateOf(feed, 'LINK/USD')).toBe('gone');
      server.statuses.clear();
      shiftMs += 6 * MINUTE;
      await expect.poll(() => stateOf(feed, 'LINK/USD'), { timeout: 15_000 }).toBe(undefined);
    },
  );

  it('calls a pair halted for an hour, and gone after that (F101)', async () => {
    const { feed, begin } = feedOf('coinbaseexchange');
    await begin();
    server.statuses.set('LINK', 'offline');
    shiftMs += 61 * MINUTE;
    await expect.poll(() => stateOf(feed, 'LINK/USD'), { timeout: 15_000 }).toBe('halted');
    shiftMs += 61 * MINUTE;
    await expect.poll(() => stateOf(feed, 'LINK/USD'), { timeout: 15_000 }).toBe('gone');
  });

  it('leaves the prices of the others where Kraken refuses a whole list for one pair (F101)', async () => {
    server.priceless.add('LINK');
    const { ticks, begin } = feedOf('kraken');
    await begin();
    expect([...new Set(ticks.map((tick) => tick.pair))].sort()).toEqual([
      'BTC/USD',
      'ETH/USD',
      'USDC/USD',
    ]);
    server.asked.length = 0;
    const lists = (): string[] => server.asked.filter((path) => path.includes('%2C'));
    await expect.poll(() => lists().length, { timeout: 15_000 }).toBeGreaterThan(0);
    expect(lists().filter((path) => path.includes('LINKUSD'))).toEqual([]);
  });

  it('ends no websocket: it goes on with the pairs that are left (F101)', async () => {
    server.websocket = true;
    const { feed, ticks, log, begin } = feedOf('coinbaseexchange');
    await begin();
    server.statuses.set('LINK', 'unlisted');
    shiftMs += 61 * MINUTE;
    const push = (price: string) => server.push('ETH', price, new Date().toISOString());
    await expect
      .poll(
        () => {
          push('3111.1');
          return stateOf(feed, 'LINK/USD');
        },
        { timeout: 15_000 },
      )
      .toBe('gone');
    await expect
      .poll(
        () => {
          push('3112.2');
          return lastOf(ticks, 'ETH/USD');
        },
        { timeout: 15_000 },
      )
      .toBe('3112.2');
    expect(log.lines.filter(({ message }) => message.startsWith('No prices by'))).toEqual([]);
  });
});

describe('the exchange edge', () => {
  it('leaves out markets that are foreign or misspelt, says which are closed, and stands a missing minimum in for', () => {
    const market = (symbol: string, more: object = {}) => {
      const [base, quote] = symbol.split('/');
      return {
        symbol,
        base,
        quote,
        active: true,
        spot: true,
        taker: 0.001,
        precision: { amount: 0.0001 },
        limits: {},
        ...more,
      };
    };
    const listed = listedOf(
      [
        market('ETH/USDT'),
        market('BTC/USDT'),
        market('BTC/EUR'),
        market('SOL/USDT', { active: false }),
        market('BTC/USDT', { active: false }),
        market('LINK/USDT', { spot: false }),
        market('1INCH/USDT'),
        { nonsense: true },
        null,
      ],
      EXCHANGE_VENUES.binance,
    );
    expect(
      listed.map(({ rules, isTrading }) => [
        rules.pair,
        isTrading,
        formatFixed(rules.lot),
        formatFixed(rules.minNotional),
        rules.feeBps,
      ]),
    ).toEqual([
      ['BTC/USDT', true, '0.0001', '1', 10],
      ['ETH/USDT', true, '0.0001', '1', 10],
      ['SOL/USDT', false, '0.0001', '1', 10],
    ]);
  });

  it('keeps no more requests in flight than allowed, and loses none', async () => {
    let [running, most, done] = [0, 0, 0];
    const client: Pick<ExchangeClient, 'fetchOHLCV'> = {
      async fetchOHLCV() {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 2));
        running -= 1;
        done += 1;
        if (done % 4 === 0) throw new Error('one of them fails');
        return [];
      },
    };
    const candles = new ExchangeCandles(
      () => Promise.resolve(client as ExchangeClient),
      candleLimits(pLimit(3), 3),
      { candlesAtOnce: 10, candlesKept: null },
      { now: () => 400 * DAY },
    );
    await Promise.allSettled(
      Array.from({ length: 20 }, (_, page) => {
        const from = page * 10 * HOUR;
        return candles.read('BTC/USD', '1h', from, from + 10 * HOUR);
      }),
    );
    expect([most, done, running]).toEqual([3, 20, 0]);
  });

  it('answers the engine while screens ask for more than the exchange can give (F55)', async () => {
    const waiting: (() => void)[] = [];
    const asked: number[] = [];
    const client: Pick<ExchangeClient, 'fetchOHLCV'> = {
      async fetchOHLCV(_pair, _interval, since) {
        asked.push(since);
        await new Promise<void>((resolve) => waiting.push(resolve));
        return [];
      },
    };
    const candles = new ExchangeCandles(
      () => Promise.resolve(client as ExchangeClient),
      candleLimits(pLimit(4), 4),
      { candlesAtOnce: 10, candlesKept: null },
      { now: () => 400 * DAY },
    );
    const read = (page: number, reader?: CandleReader): Promise<unknown> => {
      const from = page * 10 * HOUR;
      return candles.read('BTC/USD', '1h', from, from + 10 * HOUR, reader);
    };
    const screens = Promise.all(Array.from({ length: 50 }, (_, page) => read(page, 'screen')));
    await expect.poll(() => asked.length).toBe(2);
    // The last page is one that a screen waits for too.
    const engine = [read(60), read(49)];
    await expect.poll(() => asked.length).toBe(4);
    expect(asked.slice(2)).toEqual([600 * HOUR, 490 * HOUR]);
    const answering = setInterval(() => {
      for (const answer of waiting.splice(0)) answer();
    }, 1);
    onTestFinished(() => {
      clearInterval(answering);
    });
    await Promise.all([screens, ...engine]);
  });
});

it('an exchange is asked for every coin that a pool trades today', () => {
  const traded = new Set(PoolId.options.flatMap((pool) => universeAt(pool, Date.now())));
  expect(traded.size).toBeGreaterThan(20);
  expect([...traded].filter((base) => !FOLLOWED_BASES.includes(base))).toEqual([]);
});
