/** A pair that cannot be read, or a list that cannot, stops no sale of any other. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseFixed } from '../../../contract/money.ts';
import type { LiveExchange } from '../../../contract/signer.ts';
import type { PlaceOutcome } from '../../../contract/venue.ts';
import { openAdapter, type Said } from '../../support/signer/adapter-world.ts';
import type { Answer } from '../../support/signer/answer-server.ts';
import { openDeskWorld } from '../../support/signer/desk-world.ts';
import {
  failed,
  KRAKEN_KEY,
  KRAKEN_PAIRS,
  krakenAnswers,
  krakenOrderAnswer,
  krakenTradeAnswer,
  ok,
} from '../../support/signer/kraken-answers.ts';

const TOO_FINE = '0.0000000000001';
const result = (value: unknown): Answer => ok(value);

interface Listing {
  /** A list of these pairs. */
  list: (pairs: readonly unknown[]) => Said;
  good: object;
  bad: Record<string, unknown>;
  symbol: string;
}

const krakenPair = KRAKEN_PAIRS.XXBTZUSD;
const coinbasePair = {
  product_id: 'BTC-USD',
  base_currency_id: 'BTC',
  quote_currency_id: 'USD',
  base_increment: '0.00000001',
  quote_increment: '0.01',
  base_min_size: '0.00000001',
  quote_min_size: '1',
  status: 'online',
};
const newCoinbase = { ...coinbasePair, product_id: 'NEW-USD', base_currency_id: 'NEW' };
const lots = { filterType: 'LOT_SIZE', minQty: '0.001', stepSize: '0.001' };
const tick = { filterType: 'PRICE_FILTER', tickSize: '0.01' };
const binancePair = {
  symbol: 'BTCUSD',
  status: 'TRADING',
  baseAsset: 'BTC',
  quoteAsset: 'USD',
  filters: [lots, tick],
};
const newBinance = { ...binancePair, symbol: 'NEWUSD', baseAsset: 'NEW' };

const LISTINGS: Record<LiveExchange, Listing> = {
  kraken: {
    list: (pairs) => ({
      'GET /0/public/Assets': () => result({ XXBT: { altname: 'XBT' }, ZUSD: { altname: 'USD' } }),
      'GET /0/public/AssetPairs': () =>
        result(
          Object.fromEntries(pairs.map((pair, at) => [at === 0 ? 'XXBTZUSD' : `P${at}`, pair])),
        ),
    }),
    good: krakenPair,
    bad: {
      'a finer tick': { ...krakenPair, altname: 'NEWUSD', base: 'NEW', tick_size: TOO_FINE },
      'an empty minimum': { ...krakenPair, altname: 'NEWUSD', base: 'NEW', ordermin: '' },
      'a tick of nothing': { ...krakenPair, altname: 'NEWUSD', base: 'NEW', tick_size: '0' },
      'another form': { altname: 'NEWUSD' },
    },
    symbol: 'BTC/USD',
  },
  coinbase: {
    list: (products) => ({
      'GET /api/v3/brokerage/market/products': () => ({ body: { products } }),
    }),
    good: coinbasePair,
    bad: {
      'a finer tick': { ...newCoinbase, price_increment: TOO_FINE },
      'an empty minimum': { ...newCoinbase, base_min_size: '' },
      'a step of nothing': { ...newCoinbase, base_increment: '0' },
      'another form': { product_id: 'NEW-USD' },
    },
    symbol: 'BTC/USD',
  },
  binance: {
    list: (symbols) => ({ 'GET /api/v3/exchangeInfo': () => ({ body: { symbols } }) }),
    good: binancePair,
    bad: {
      'a finer tick': { ...newBinance, filters: [lots, { ...tick, tickSize: TOO_FINE }] },
      'no lots': { ...newBinance, filters: [tick] },
      'a tick of nothing': { ...newBinance, filters: [lots, { ...tick, tickSize: '0.00000000' }] },
      'another form': { symbol: 'NEWUSD' },
    },
    symbol: 'BTC/USD',
  },
};

describe.each(['kraken', 'coinbase', 'binance'] as const)('at %s', (exchange) => {
  const { list, good, bad, symbol } = LISTINGS[exchange];

  it.each(Object.keys(bad))('a pair with %s is left out, and all others are read', async (why) => {
    const { data } = await openAdapter(exchange, list([good, bad[why]]));
    expect([...(await data.rules()).keys()]).toEqual([symbol]);
  });

  it('a list of which nothing can be read is none', async () => {
    const { data } = await openAdapter(exchange, list(Object.values(bad)));
    await expect(data.rules()).rejects.toThrow('unreadable');
  });

  it('a pair that could be read before keeps the rules it had', async () => {
    let pairs: unknown[] = [good, bad['another form']];
    const said = list([]);
    const { data } = await openAdapter(
      exchange,
      new Proxy(said, { get: (_, path: string) => list(pairs)[path] }),
    );
    const before = (await data.rules()).get(symbol);
    const finer =
      exchange === 'kraken'
        ? { ...good, tick_size: TOO_FINE }
        : exchange === 'coinbase'
          ? { ...good, price_increment: TOO_FINE }
          : { ...good, filters: [lots, { ...tick, tickSize: TOO_FINE }] };
    pairs = [finer, KEPT[exchange]];
    data.forgetRules();
    const after = await data.rules();
    expect(after.get(symbol)).toEqual(before);
    expect(after.size).toBe(2);
  });
});

const KEPT: Record<LiveExchange, object> = {
  kraken: { ...krakenPair, altname: 'NEWUSD', base: 'NEW' },
  coinbase: newCoinbase,
  binance: newBinance,
};

describe('a book', () => {
  it('with sizes finer than money is kept in counts for what is surely there', async () => {
    const { data } = await openAdapter('coinbase', {
      ...LISTINGS.coinbase.list([coinbasePair]),
      'GET /api/v3/brokerage/market/product_book': () => ({
        body: {
          pricebook: {
            bids: [{ price: '59990', size: '0.1234567890129' }],
            asks: [{ price: '60010', size: '2.0000000000009' }],
          },
        },
      }),
    });
    expect(await data.book('BTC/USD')).toEqual({
      bids: [{ price: parseFixed('59990'), quantity: parseFixed('0.123456789012') }],
      asks: [{ price: parseFixed('60010'), quantity: parseFixed('2') }],
    });
  });
});

type Answers = NonNullable<Parameters<typeof krakenAnswers>[0]>;

/** With a thousandth of a coin that was bought here. */
async function holding(said: Answers) {
  let id: string | undefined;
  const world = await openDeskWorld({
    key: KRAKEN_KEY,
    answers: (clock) =>
      krakenAnswers(
        {
          AddOrder: ({ params }) => {
            id ??= params.cl_ord_id;
            return ok({ txid: [params.type === 'buy' ? 'OQCLML-BW3P3-BUCMWZ' : 'O2'] });
          },
          OpenOrders: () => ok({ open: {} }),
          ClosedOrders: () =>
            ok({ closed: { 'OQCLML-BW3P3-BUCMWZ': krakenOrderAnswer(id ?? '') }, count: 1 }),
          TradesHistory: () => ok({ trades: { T1: krakenTradeAnswer() }, count: 1 }),
          ...said,
        },
        () => clock.now(),
      ),
  });
  onTestFinished(() => world.remove());
  await world.connect();
  const place = (more: Parameters<typeof world.intent>[0] = {}) =>
    world.desk.answer({ act: 'place', intent: world.intent(more) }) as Promise<PlaceOutcome>;
  expect(await place()).toMatchObject({ kind: 'confirmed' });
  const lists = { connectionId: 'connection-1', sinceMs: 0, symbols: ['BTC/USD'] };
  await world.desk.answer({ act: 'trades', ...lists });
  await world.desk.answer({ act: 'closed_orders', ...lists });
  const sell = () =>
    place({
      side: 'sell',
      type: 'market',
      limitPrice: null,
      quantity: parseFixed('0.0002'),
    });
  const asked = (call: string) =>
    world.server.asked.filter(({ path }) => path.endsWith(call)).length;
  return { ...world, asked, place, sell };
}

describe('a list of pairs that fails when it is read again', () => {
  it('holds back no sale and no comparison, and every purchase', async () => {
    let isDown = false;
    const { asked, clock, desk, place, sell } = await holding({
      AssetPairs: () => (isDown ? { status: 502, body: '' } : ok(KRAKEN_PAIRS)),
    });
    isDown = true;
    clock.at += 11 * 60_000;
    expect(await sell()).toMatchObject({ kind: 'confirmed' });
    expect(await desk.answer({ act: 'balances', connectionId: 'connection-1' })).toMatchObject({
      kind: 'read',
    });
    const before = asked('AssetPairs');
    expect(await sell()).toMatchObject({ kind: 'confirmed' });
    // Nobody waits again and again for what failed a moment ago.
    expect(asked('AssetPairs')).toBe(before);
    const buy = () => place({ quantity: parseFixed('0.0002') });
    expect(await buy()).toEqual({
      kind: 'refused',
      by: 'signer',
      code: 'no_market_data',
      detail: 'server_error',
    });
    isDown = false;
    clock.at += 60_000;
    expect(await buy()).toMatchObject({ kind: 'confirmed' });
  });

  it('is not read again because one person had too little money', async () => {
    let refusal: string | null = null;
    const { asked, place } = await holding({
      AddOrder: () => (refusal === null ? ok({ txid: ['O1'] }) : failed(refusal)),
    });
    const before = asked('AssetPairs');
    refusal = 'EOrder:Insufficient funds';
    expect(await place()).toMatchObject({ kind: 'rejected', code: refusal });
    await place();
    expect(asked('AssetPairs')).toBe(before);
    refusal = 'EOrder:Tick size check failed';
    await place();
    await place();
    expect(asked('AssetPairs')).toBeGreaterThan(before);
  });
});

describe('a pair that cannot be read', () => {
  it('is logged once', async () => {
    const { clock, desk, logged } = await holding({
      AssetPairs: () =>
        ok({
          ...KRAKEN_PAIRS,
          NEWUSD: { ...KRAKEN_PAIRS.SHIBUSD, altname: 'NEWUSD', base: 'NEW', tick_size: TOO_FINE },
        }),
    });
    clock.at += 11 * 60_000;
    await desk.answer({ act: 'pair_rules', exchange: 'kraken', symbols: [] });
    expect(logged.filter((line) => line.includes('"list":"pairs"'))).toHaveLength(1);
    expect(logged.join('')).toContain('NEW/USD');
  });
});

describe('a list that cannot be read any more', () => {
  it('is answered as it last was to whoever knows none, and to nobody else', async () => {
    let isDown = false;
    const { clock, desk } = await holding({
      AssetPairs: () => (isDown ? failed('EService:Unavailable') : ok(KRAKEN_PAIRS)),
    });
    const ask = (orLast?: boolean) =>
      desk.answer({ act: 'pair_rules', exchange: 'kraken', symbols: ['BTC/USD'], orLast });
    const before = await ask();
    expect(before).toMatchObject({ kind: 'read', value: [{ symbol: 'BTC/USD' }] });
    isDown = true;
    clock.at += 11 * 60_000;
    expect(await ask()).toMatchObject({ kind: 'unknown' });
    expect(await ask(true)).toEqual(before);
  });
});

describe("one of Kraken's pairs that cannot be read any more", () => {
  it.each([
    ['a finer tick', { ...krakenPair, tick_size: TOO_FINE }],
    ['another form', { altname: 'XBTUSD' }],
  ])('is listed where it is asked for together with others: %s', async (_how, XXBTZUSD) => {
    let isUnread = false;
    const { clock, desk } = await holding({
      AssetPairs: ({ params }) => {
        const { SHIBUSD } = KRAKEN_PAIRS;
        if (!isUnread) return ok(KRAKEN_PAIRS);
        return ok(params.pair?.includes('XBT') === true ? { XXBTZUSD, SHIBUSD } : { SHIBUSD });
      },
    });
    const symbols = ['SHIB/USD', 'BTC/USD'];
    const ask = (isNow: boolean) =>
      desk.answer({ act: 'pair_rules', exchange: 'kraken', symbols, isNow });
    const before = await ask(true);
    expect(before).toMatchObject({
      kind: 'read',
      value: [{ symbol: 'SHIB/USD' }, { symbol: 'BTC/USD' }],
    });
    isUnread = true;
    clock.at += 10_000;
    expect(await ask(true)).toEqual(before);
  });

  it('is not listed where the answer leaves it out', async () => {
    let isGone = false;
    const { clock, desk } = await holding({
      AssetPairs: () => ok(isGone ? { SHIBUSD: KRAKEN_PAIRS.SHIBUSD } : KRAKEN_PAIRS),
    });
    const symbols = ['SHIB/USD', 'BTC/USD'];
    isGone = true;
    clock.at += 10_000;
    expect(
      await desk.answer({ act: 'pair_rules', exchange: 'kraken', symbols, isNow: true }),
    ).toMatchObject({ kind: 'read', value: [{ symbol: 'SHIB/USD' }] });
  });
});
