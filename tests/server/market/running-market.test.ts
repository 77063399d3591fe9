/**
 * The market over a feed that the test drives: 24 h figures, staleness, history, and the calls of
 * the contract.
 */
import fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { PoolId } from '../../../contract/agents.ts';
import { CALLS } from '../../../contract/calls.ts';
import { Refusal } from '../../../contract/errors.ts';
import { parseFixed } from '../../../contract/money.ts';
import type { Candle, PairRules, Quote } from '../../../engine/market-types.ts';
import { alignDown } from '../../../server/market/candle-building.ts';
import { marketHandlers } from '../../../server/market/market-handlers.ts';
import { FeedMarket } from '../../../server/market/running-market.ts';
import type { CallContext } from '../../../server/http/handlers.ts';
import { HandFeed } from '../../support/hand-feed.ts';
import { keptLog } from './silent-log.ts';
import { FIVE, madeCandle, TAPE_START } from './tape-on-disk.ts';

const DAY = 86_400_000;
const rules = (pair: string): PairRules => {
  const [base = '', quote = ''] = pair.split('/');
  return {
    pair,
    base,
    quote,
    lot: parseFixed('0.001'),
    minNotional: parseFixed('5'),
    halfSpreadBps: 2,
    feeBps: 10,
  };
};

const candlesOf = (base: number, days = 5): Candle[] =>
  Array.from({ length: days * 288 }, (_, index) => madeCandle(index, base));
async function started(
  kind: 'simulated' | 'replay' | 'exchange' = 'simulated',
  made = new Map([
    ['BTC/USDT', candlesOf(100)],
    ['ETH/USDT', candlesOf(7)],
  ]),
) {
  const feed = new HandFeed(TAPE_START + 3 * DAY, kind, ['BTC/USDT', 'ETH/USDT'].map(rules), made);
  const log = keptLog();
  const market = new FeedMarket(feed, log);
  await market.start();
  return { feed, market, log };
}
const settled = () => new Promise((resolve) => setTimeout(resolve, 120));
const context = <N extends 'marketData' | 'marketOverview' | 'marketPools' | 'candles'>(
  query: unknown,
) =>
  ({
    caller: { uid: 'viewer', email: null },
    query,
    params: {},
    body: {},
    commandId: '',
  }) as CallContext<N>;
const refusal = async (work: () => Promise<unknown>): Promise<Refusal> => {
  const error: unknown = await work().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Refusal);
  return error as Refusal;
};

describe('a source whose list of pairs changes', () => {
  const changed = (feed: HandFeed, more: Partial<PairRules>): void => {
    Object.assign(feed, { pairs: [rules('BTC/USDT'), { ...rules('ETH/USDT'), ...more }] });
  };
  const poolsOf = async (market: FeedMarket): Promise<Set<string>> => {
    const { marketPools } = marketHandlers({ market });
    const { pools } = await marketPools(context<'marketPools'>({}));
    return new Set(pools.flatMap(({ pairs }) => pairs));
  };

  it('has the newest rules of a pair', async () => {
    const { feed, market } = await started();
    expect(market.rules('ETH/USDT')?.lot).toBe(parseFixed('0.001'));
    changed(feed, { lot: parseFixed('0.01') });
    expect(market.rules('ETH/USDT')?.lot).toBe(parseFixed('0.01'));
    await market.stop();
  });

  it('keeps the figures of the others where a pair that is gone has no candles, and that pair in no pool (F101)', async () => {
    const { feed, market, log } = await started();
    feed.say('BTC/USDT', '150');
    feed.say('ETH/USDT', '9');
    changed(feed, { notTraded: 'halted' });
    expect(await poolsOf(market)).toContain('ETH/USDT');
    changed(feed, { notTraded: 'gone' });
    const read = feed.candles.bind(feed);
    feed.candles = (pair, ...about) =>
      pair === 'ETH/USDT' ? Promise.reject(new Error('does not have it')) : read(pair, ...about);
    feed.clock += 2 * FIVE;
    const asked = feed.asked;
    await settled();
    expect(feed.asked).toBeGreaterThan(asked);
    expect(log.lines).toEqual([]);
    expect([...(await poolsOf(market))]).toEqual(['BTC/USDT']);
    expect(market.symbol('ETH/USDT')?.price).toBe('9');
    await market.stop();
  });
});

describe('24 h figures', () => {
  it('agree with a count by hand over the last day, quotes since the newest close included, as time goes on (R3-07)', async () => {
    const { feed, market } = await started();
    for (let step = 0; step < 4; step += 1) {
      const close = alignDown(feed.clock, FIVE);
      const window = (feed.made.get('BTC/USDT') ?? []).filter(
        (candle) => candle.time >= close - DAY && candle.time + FIVE <= close,
      );
      expect(window).toHaveLength(288);
      const said = step === 2 ? '150.5' : String(window.at(-1)?.close);
      feed.say('BTC/USDT', said);
      const price = Number(said);
      const symbol = market.symbol('BTC/USDT');
      const before = window[0]?.open ?? NaN;
      expect(symbol).toMatchObject({
        symbol: 'BTC/USDT',
        price: said,
        timestamp: feed.clock,
        stale: false,
      });
      expect(Number(symbol?.high_24h)).toBe(
        Math.max(price, ...window.map((candle) => candle.high)),
      );
      expect(Number(symbol?.low_24h)).toBe(Math.min(price, ...window.map((candle) => candle.low)));
      expect(Number(symbol?.volume_24h)).toBeCloseTo(
        window.reduce((sum, candle) => sum + candle.volume, 0),
        6,
      );
      expect(symbol?.price_change_24h).toBeCloseTo(((price - before) / before) * 100, 3);
      feed.clock += 7 * FIVE + 1_234;
      await settled();
    }
    await market.stop();
  });

  it('leave the change open where a day of candles is missing, and the price stands alone where there are none (R3-07)', async () => {
    const short = new Map([
      [
        'BTC/USDT',
        candlesOf(100).filter((candle) => candle.time >= TAPE_START + 3 * DAY - 6 * 3_600_000),
      ],
    ]);
    const { feed, market } = await started('simulated', short);
    feed.say('BTC/USDT', '100');
    feed.say('ETH/USDT', '7.5');
    expect(market.symbol('BTC/USDT')).toMatchObject({ price: '100', price_change_24h: null });
    expect(market.symbol('ETH/USDT')).toMatchObject({
      price: '7.5',
      high_24h: '7.5',
      low_24h: '7.5',
      volume_24h: null,
      price_change_24h: null,
    });
    expect(market.symbol('XXX/USDT')).toBeNull();
    await market.stop();
  });
});

describe('market', () => {
  it('hands sane quotes on in order, and a listener that throws stops nobody else', async () => {
    const { feed, market, log } = await started();
    const heard: Quote[] = [];
    market.onQuote(() => {
      throw new Error('broken listener');
    });
    const leave = market.onQuote((quote) => {
      heard.push(quote);
    });
    for (const last of ['100', '0', 'NaN', '100.5', '-3', '99000']) feed.say('BTC/USDT', last);
    leave();
    feed.say('BTC/USDT', '101');
    expect(heard.map((quote) => quote.last)).toEqual([parseFixed('100'), parseFixed('100.5')]);
    expect(market.refused()).toEqual({ zero: 1, not_a_number: 1, negative: 1, jump: 1 });
    expect(log.lines.filter((line) => line.level === 'error').length).toBe(3);
    await market.stop();
  });

  it.each([
    ['simulated', 15_000],
    ['exchange', 60_000],
    ['replay', 2 * FIVE],
  ] as const)(
    'calls a price of a %s source stale after %d ms of its clock',
    async (kind, limit) => {
      const { feed, market } = await started(kind);
      expect(market.isStale('BTC/USDT')).toBe(true);
      feed.say('BTC/USDT', '100');
      feed.clock += limit;
      expect(market.isStale('BTC/USDT')).toBe(false);
      feed.clock += 1;
      expect([market.isStale('BTC/USDT'), market.symbol('BTC/USDT')?.stale]).toEqual([true, true]);
      feed.say('BTC/USDT', '100');
      feed.ended = true;
      expect(market.isStale('BTC/USDT')).toBe(true);
      await market.stop();
    },
  );

  it('gives hours further back and fine candles for two days, without hole or overlap, and nothing that closes later', async () => {
    const { feed, market } = await started();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 60, max: 5 * 288 }),
        fc.integer({ min: 1, max: 100 }),
        async (steps, hours) => {
          feed.clock = Math.max(feed.clock, TAPE_START + steps * FIVE);
          const to = TAPE_START + steps * FIVE;
          const candles = await market.history('BTC/USDT', hours * 3_600_000, to);
          const split = alignDown(to - 2 * DAY, 3_600_000);
          candles.forEach((candle, index) => {
            const length = candle.time < split ? 3_600_000 : FIVE;
            expect(candle.time + length).toBe(candles[index + 1]?.time ?? to);
          });
          expect(candles[0]?.time).toBe(
            Math.max(TAPE_START, alignDown(to - hours * 3_600_000, 3_600_000)),
          );
        },
      ),
      { numRuns: 40 },
    );
    await market.stop();
  });

  it('returns the same array until a candle closes, and asks the feed for the new candle only', async () => {
    const { feed, market } = await started();
    const first = await market.history('BTC/USDT', 2.5 * DAY, feed.clock);
    const asked = feed.asked;
    feed.clock += 1_000;
    expect(await market.history('BTC/USDT', 2.5 * DAY, feed.clock)).toBe(first);
    expect(feed.asked).toBe(asked);
    feed.clock += FIVE;
    const second = await market.history('BTC/USDT', 2.5 * DAY, feed.clock);
    expect(second).not.toBe(first);
    expect((second.at(-1)?.time ?? 0) - (first.at(-1)?.time ?? 0)).toBe(FIVE);
    await market.stop();
  });

  it('builds 20-minute candles on the epoch', async () => {
    const { feed, market } = await started();
    const candles = await market.candles('BTC/USDT', '20m', TAPE_START, feed.clock);
    expect(candles.every((candle) => candle.time % 1_200_000 === 0)).toBe(true);
    expect(candles).toHaveLength(3 * 72);
    await market.stop();
  });
});

describe('market calls', () => {
  it('answer /market/data for all symbols or the named ones, as the contract has it (R7-10, R3-07)', async () => {
    const { feed, market } = await started();
    const handlers = marketHandlers({ market });
    feed.say('BTC/USDT', '100');
    feed.say('ETH/USDT', '7');
    const all = CALLS.marketData.reply.parse(await handlers.marketData(context({})));
    expect(all.symbols.map((symbol) => symbol.symbol)).toEqual(['BTC/USDT', 'ETH/USDT']);
    expect(all.source).toEqual({
      id: 'hand',
      kind: 'simulated',
      label: 'Hand-made prices',
      quote: 'USDT',
      feeBps: 10,
      intervals: ['5m', '15m', '1h', '4h', '1d'],
    });
    const one = await handlers.marketData(context({ symbols: ' ETH/USDT,ETH/USDT, ' }));
    expect(one.symbols.map((symbol) => symbol.symbol)).toEqual(['ETH/USDT']);
    await market.stop();
  });

  it.each(['XYZ/USDT', 'BTC/EUR', 'btc/usdt', '<script>', 'BTC/USDT,NOPE/USDT'])(
    'refuse the unknown symbol in %s by name (R7-10)',
    async (symbols) => {
      const { feed, market } = await started();
      feed.say('BTC/USDT', '100');
      const error = await refusal(() =>
        marketHandlers({ market }).marketData(context({ symbols })),
      );
      expect([error.code, error.status, error.more.field]).toEqual([
        'unknown_symbol',
        400,
        'symbols',
      ]);
      await market.stop();
    },
  );

  it('answer /market/overview with counts, movers and turnover that add up (R7-11)', async () => {
    const { feed, market } = await started();
    feed.say('BTC/USDT', '120');
    feed.say('ETH/USDT', '5');
    feed.say('BTC/USDT', '0');
    const overview = CALLS.marketOverview.reply.parse(
      await marketHandlers({ market }).marketOverview(context({})),
    );
    expect(overview).toMatchObject({
      symbols: 2,
      advancing: 1,
      declining: 1,
      unchanged: 0,
      refused: { zero: 1 },
      stale: false,
    });
    expect([overview.gainers.map((s) => s.symbol), overview.losers.map((s) => s.symbol)]).toEqual([
      ['BTC/USDT'],
      ['ETH/USDT'],
    ]);
    expect(overview.mostTraded.map((s) => s.symbol)).toEqual(['BTC/USDT', 'ETH/USDT']);
    const [btc, eth] = ['BTC/USDT', 'ETH/USDT'].map((pair) =>
      Number(market.symbol(pair)?.volume_24h),
    );
    expect(Number(overview.volume_24h)).toBeCloseTo((btc ?? NaN) * 120 + (eth ?? NaN) * 5, 4);
    await market.stop();
  });

  it('answer /market/pools with the fixed list, each with the pairs that are offered (R7-12, R6-10)', async () => {
    const { market } = await started();
    const { pools } = CALLS.marketPools.reply.parse(
      await marketHandlers({ market }).marketPools(context({})),
    );
    expect(pools.map((pool) => pool.id)).toEqual(PoolId.options);
    expect(pools.find((pool) => pool.id === 'all_pools')?.pairs.sort()).toEqual([
      'BTC/USDT',
      'ETH/USDT',
    ]);
    expect(pools.find((pool) => pool.id === 'stablecoin_arbitrage')?.pairs).toEqual([]);
    await market.stop();
  });

  it('say that no source has market data when there is nothing to tell (R8-15)', async () => {
    const { market } = await started();
    const handlers = marketHandlers({ market });
    for (const work of [
      () => handlers.marketData(context({})),
      () => handlers.marketOverview(context({})),
    ]) {
      const error = await refusal(work);
      expect([error.code, error.status, error.message]).toEqual([
        'market_unavailable',
        503,
        'Unable to retrieve market data - all sources unavailable',
      ]);
    }
    await market.stop();
  });

  it('say that no source has trading pools when there are no pairs (R8-16)', async () => {
    const market = new FeedMarket(
      new HandFeed(TAPE_START + 3 * DAY, 'exchange', [], new Map()),
      keptLog(),
    );
    const error = await refusal(() => marketHandlers({ market }).marketPools(context({})));
    expect([error.code, error.status, error.message]).toEqual([
      'pools_unavailable',
      503,
      'Unable to retrieve trading pools - all sources unavailable',
    ]);
  });

  it('answer /market/candles with the newest closed ones last, page by page', async () => {
    const { feed, market } = await started();
    const handlers = marketHandlers({ market });
    const ask = (query: unknown) =>
      handlers.candles(context(query)).then((reply) => CALLS.candles.reply.parse(reply).candles);
    const newest = await ask({ symbol: 'BTC/USDT', interval: '5m', limit: 10 });
    expect(newest).toHaveLength(10);
    expect((newest.at(-1)?.[0] ?? 0) + FIVE).toBe(alignDown(feed.clock, FIVE));
    const older = await ask({
      symbol: 'BTC/USDT',
      interval: '5m',
      limit: 10,
      before: newest[0]?.[0],
    });
    expect((older.at(-1)?.[0] ?? 0) + FIVE).toBe(newest[0]?.[0]);
    expect((await refusal(() => ask({ symbol: 'NO/USDT', interval: '5m' }))).code).toBe(
      'unknown_symbol',
    );
    await market.stop();
  });

  it('answer /market/candles with the forming one beside the newest page alone, and with every timeframe that can be built', async () => {
    const { feed, market } = await started();
    const { candles } = marketHandlers({ market });
    const ask = async (query: unknown) => CALLS.candles.reply.parse(await candles(context(query)));
    expect(await ask({ symbol: 'BTC/USDT', interval: '1d', limit: 2 })).toMatchObject({
      forming: null,
      now: feed.clock,
    });
    feed.clock += 2 * FIVE + 10_000;
    feed.say('BTC/USDT', '100.25');
    const midnight = alignDown(feed.clock, DAY);
    const closed = (feed.made.get('BTC/USDT') ?? []).filter(
      (candle) => candle.time >= midnight && candle.time + FIVE <= feed.clock,
    );
    const { forming, candles: days } = await ask({ symbol: 'BTC/USDT', interval: '1d', limit: 2 });
    expect(days.map(([time]) => time)).toEqual([midnight - 2 * DAY, midnight - DAY]);
    expect(forming).toEqual({
      time: midnight,
      open: String(closed[0]?.open),
      high: String(Math.max(100.25, ...closed.map(({ high }) => high))),
      low: String(Math.min(100.25, ...closed.map(({ low }) => low))),
      close: '100.25',
      volume: String(closed.reduce((sum, { volume }) => sum + volume, 0)),
      volumeTo: midnight + 2 * FIVE,
      since: midnight,
      at: feed.clock,
    });
    for (const [interval, count] of [
      ['15m', 96],
      ['1h', 24],
      ['4h', 6],
    ] as const) {
      const page = await ask({ symbol: 'BTC/USDT', interval, limit: count, before: midnight });
      expect(page).not.toHaveProperty('forming');
      expect([page.candles.length, page.candles[0]?.[0], page.candles[0]?.[1]]).toEqual([
        count,
        midnight - DAY,
        days[1]?.[1],
      ]);
    }
    await market.stop();
  });

  it('refuse a timeframe that cannot be built, and say why', async () => {
    const { market } = await started();
    const { candles } = marketHandlers({ market });
    const error = await refusal(() => candles(context({ symbol: 'BTC/USDT', interval: '1m' })));
    expect([error.code, error.more.field, error.message]).toEqual([
      'invalid_parameter',
      'interval',
      'This source has candles of 5m and longer',
    ]);
    await market.stop();
  });
});
