/** What Binance spot was recorded to answer, through the adapter, and requests of ours beside recorded ones. */
import { describe, expect, it } from 'vitest';
import { formatFixed, parseFixed } from '../../../contract/money.ts';
import {
  ACCOUNT,
  BOOK,
  CANCELLED_ORDER,
  LOOKED_UP,
  OPEN_ORDER,
  PAIRS,
  PLACED,
  TICKER,
  TRADE,
} from '../../support/exchange/recorded/recorded-binance.ts';
import { openAdapter, ORDER_ID, type Said } from '../../support/signer/adapter-world.ts';

const V3 = '/api/v3';
const NOW = 1_767_261_600_000;
const [, , , LTC_USDT] = PAIRS;
/** Its own rules were not recorded. */
const SOL_USDT = { ...LTC_USDT, symbol: 'SOLUSDT', baseAsset: 'SOL' };
const USUAL: Said = {
  [`GET ${V3}/time`]: () => ({ body: { serverTime: NOW } }),
  [`GET ${V3}/exchangeInfo`]: () => ({ body: { symbols: [...PAIRS, SOL_USDT] } }),
};
const open = (said: Said = {}) => openAdapter('binance', { ...USUAL, ...said });

const LTC = { symbol: 'LTC/USDT' } as const;
/** Not of our kind: the person, or another program, chose it. */
const FOREIGN = /^x-R4BD3S82[0-9a-f]{22}$/;

describe('recorded answers of Binance', () => {
  it('confirm a limit order with its id', async () => {
    const { adapter, order } = await open({ [`POST ${V3}/order`]: () => ({ body: PLACED }) });
    expect(await adapter.place(order())).toEqual({
      kind: 'confirmed',
      exchangeOrderId: 'SOLUSDT-9780331417',
      replay: false,
    });
  });

  it('show an order that was looked up with its trade', async () => {
    // The trade was not recorded: what its order says of it, in the recorded row of another.
    const trade = {
      ...TRADE,
      orderId: LOOKED_UP.orderId,
      price: '90.80000000',
      qty: '0.10000000',
      quoteQty: '9.08000000',
      time: LOOKED_UP.time,
    };
    const { adapter, ref } = await open({
      [`GET ${V3}/order`]: () => ({ body: LOOKED_UP }),
      [`GET ${V3}/myTrades`]: () => ({ body: [trade] }),
    });
    const found = await adapter.lookUp(ref({ ...LTC, exchangeOrderId: 'LTCUSDT-3397148653' }));
    expect(found).toMatchObject({
      kind: 'found',
      order: {
        exchangeOrderId: 'LTCUSDT-3397148653',
        clientOrderId: expect.stringMatching(FOREIGN) as unknown,
        symbol: 'LTC/USDT',
        side: 'sell',
        type: 'market',
        quantity: parseFixed('0.1'),
        limitPrice: null,
        stopPrice: null,
        filled: parseFixed('0.1'),
        status: 'closed',
        updatedAtMs: 1_679_571_174_472,
      },
      fills: [{ quantity: parseFixed('0.1'), quoteAmount: parseFixed('9.08') }],
    });
  });

  it('show an order that only rests as a limit order, and no stop price where it is 0', async () => {
    const { adapter } = await open({ [`GET ${V3}/openOrders`]: () => ({ body: [OPEN_ORDER] }) });
    expect(await adapter.openOrders(['LTC/USDT'])).toEqual([
      {
        exchangeOrderId: 'LTCUSDT-3811057334',
        clientOrderId: 'x-R4BD3S82102a551f8c1642bba06728',
        symbol: 'LTC/USDT',
        side: 'buy',
        type: 'limit',
        quantity: parseFixed('0.2'),
        limitPrice: parseFixed('50'),
        stopPrice: null,
        filled: 0n,
        status: 'open',
        updatedAtMs: 1_699_380_855_570,
      },
    ]);
  });

  it('show a cancelled order by when it was cancelled', async () => {
    const { adapter, clock } = await open({
      [`GET ${V3}/allOrders`]: () => ({ body: [OPEN_ORDER, CANCELLED_ORDER] }),
    });
    expect(await adapter.closedOrders(clock.now() - 60_000, ['LTC/USDT'])).toMatchObject([
      {
        exchangeOrderId: 'LTCUSDT-3854801792',
        quantity: parseFixed('0.1'),
        limitPrice: parseFixed('50'),
        filled: 0n,
        status: 'cancelled',
        updatedAtMs: 1_706_883_268_013,
      },
    ]);
  });

  it('show a sale and its fee', async () => {
    const { adapter, clock } = await open({ [`GET ${V3}/myTrades`]: () => ({ body: [TRADE] }) });
    expect(await adapter.tradesSince(clock.now() - 60_000, ['LTC/USDT'])).toEqual([
      {
        tradeId: 'LTCUSDT-309520010',
        exchangeOrderId: 'LTCUSDT-3784695242',
        clientOrderId: null,
        symbol: 'LTC/USDT',
        side: 'sell',
        quantity: parseFixed('0.2'),
        price: parseFixed('69.63'),
        quoteAmount: parseFixed('13.926'),
        fees: [{ asset: 'USDT', amount: parseFixed('0.013926') }],
        atMs: 1_698_138_992_358,
      },
    ]);
  });

  it('show what the account holds', async () => {
    const { adapter } = await open({ [`GET ${V3}/account`]: () => ({ body: ACCOUNT }) });
    const holding = (asset: string, amount: string) => ({
      asset,
      total: parseFixed(amount),
      available: parseFixed(amount),
    });
    expect(await adapter.balances()).toEqual([
      holding('BTC', '0'),
      holding('LTC', '0.919741'),
      holding('ETH', '0.02229833'),
    ]);
  });

  it('show the book, best first, and what was traded in a day', async () => {
    const { data } = await open({
      [`GET ${V3}/depth`]: () => ({ body: BOOK }),
      [`GET ${V3}/ticker/24hr`]: () => ({ body: TICKER }),
    });
    const level = (price: string, quantity: string) => ({
      price: parseFixed(price),
      quantity: parseFixed(quantity),
    });
    expect(await data.book('BTC/USDT')).toEqual({
      bids: [level('42574.3', '0.0107'), level('42574.2', '0.00646')],
      asks: [level('42574.31', '0.0087'), level('42574.8', '0.00893')],
    });
    expect(await data.dayVolume('BTC/USDT')).toBe(parseFixed('5167027510.68728707'));
  });

  it('tell the rules of pairs', async () => {
    const { data } = await open();
    const rules = [...(await data.rules()).values()].map((pair) => [
      pair.symbol,
      formatFixed(pair.quantityStep),
      formatFixed(pair.priceTick),
      formatFixed(pair.minQuantity),
      formatFixed(pair.minNotional),
      pair.status,
    ]);
    expect(rules.slice(0, PAIRS.length)).toEqual([
      ['BTC/USDT', '0.00001', '0.01', '0.00001', '5', 'trading'],
      ['ETH/USDT', '0.0001', '0.01', '0.0001', '5', 'trading'],
      ['ADA/USDT', '0.1', '0.0001', '0.1', '5', 'trading'],
      ['LTC/USDT', '0.001', '0.01', '0.001', '5', 'trading'],
      ['XRP/USDT', '1', '0.0001', '1', '5', 'trading'],
      ['DOGE/USDT', '1', '0.00001', '1', '5', 'trading'],
    ]);
  });
});

describe('requests that were recorded to Binance', () => {
  const POST = `POST ${V3}/order`;
  /** Of every signed request, whatever it is about. */
  const SIGNED = ['timestamp', 'recvWindow', 'signature'];

  it.each([
    [
      'a purchase with a limit',
      { limitPrice: parseFixed('50') },
      { side: 'BUY', type: 'LIMIT', quantity: '0.2', price: '50', timeInForce: 'GTC' },
    ],
    [
      // Recorded for a purchase; we rest stops for sales alone.
      'a stop with a limit',
      {
        type: 'stop',
        side: 'sell',
        stopPrice: parseFixed('100'),
        limitPrice: parseFixed('50'),
      },
      {
        side: 'SELL',
        type: 'STOP_LOSS_LIMIT',
        quantity: '0.2',
        price: '50',
        timeInForce: 'GTC',
        stopPrice: '100',
      },
    ],
  ] as const)('are ours for %s', async (_kind, more, recorded) => {
    const { adapter, order, sentTo } = await open({ [POST]: () => ({ body: PLACED }) });
    await adapter.place(order({ ...LTC, quantity: parseFixed('0.2'), ...more }));
    const [sent] = sentTo(POST);
    const all = { symbol: 'LTCUSDT', newClientOrderId: ORDER_ID, ...recorded };
    expect(sent?.params).toMatchObject(all);
    const names = [...Object.keys(all), ...SIGNED, 'newOrderRespType'].sort();
    expect(Object.keys(sent?.params ?? {}).sort()).toEqual(names);
    expect(sent?.origin).toBe('https://api.binance.com');
  });

  it('are ours for a cancellation, a look-up and the lists', async () => {
    const { adapter, ref, clock, sentTo } = await open({
      [`GET ${V3}/order`]: () => ({ body: { ...LOOKED_UP, orderId: 465_138 } }),
      [`GET ${V3}/openOrders`]: () => ({ body: [] }),
      [`GET ${V3}/allOrders`]: () => ({ body: [] }),
      [`GET ${V3}/myTrades`]: () => ({ body: [] }),
      [`GET ${V3}/account`]: () => ({ body: ACCOUNT }),
    });
    await adapter.cancel(ref({ ...LTC, exchangeOrderId: 'LTCUSDT-464950' }));
    await adapter.lookUp(ref({ ...LTC, exchangeOrderId: 'LTCUSDT-465138' }));
    await adapter.openOrders(['LTC/USDT']);
    await adapter.closedOrders(clock.now() - 60_000, ['LTC/USDT']);
    await adapter.balances();
    const params = (call: string) =>
      Object.fromEntries(
        Object.entries(sentTo(call)[0]?.params ?? {}).filter(([name]) => !SIGNED.includes(name)),
      );
    const symbol = 'LTCUSDT';
    expect(params(`DELETE ${V3}/order`)).toEqual({ symbol, orderId: '464950' });
    expect(params(`GET ${V3}/order`)).toEqual({ symbol, orderId: '465138' });
    expect(params(`GET ${V3}/openOrders`)).toEqual({ symbol });
    // The trades of one order, and not only the newest five hundred.
    expect(params(`GET ${V3}/myTrades`)).toEqual({ symbol, orderId: '465138', limit: '1000' });
    // From a time on, and not only the newest.
    expect(params(`GET ${V3}/allOrders`)).toMatchObject({ symbol, limit: '1000' });
    expect(params(`GET ${V3}/account`)).toEqual({ omitZeroBalances: 'true' });
  });
});
