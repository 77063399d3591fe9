/** Binance's adapter, before answers in the shape recorded from it. */
import { describe, expect, it } from 'vitest';
import { parseFixed } from '../../../contract/money.ts';
import { openAdapter, ORDER_ID, type Said } from '../../support/signer/adapter-world.ts';

const V3 = '/api/v3';
const NOW = 1_767_261_600_000;
const order = (more: object = {}) => ({
  symbol: 'SOLUSDT',
  orderId: 9780331417,
  orderListId: -1,
  clientOrderId: ORDER_ID,
  price: '241.00000000',
  origQty: '0.05000000',
  executedQty: '0.05000000',
  cummulativeQuoteQty: '12.05000000',
  status: 'FILLED',
  timeInForce: 'GTC',
  type: 'LIMIT',
  side: 'BUY',
  stopPrice: '0.00000000',
  time: NOW - 5_000,
  updateTime: NOW - 4_000,
  isWorking: true,
  ...more,
});
const trade = (more: object = {}) => ({
  symbol: 'SOLUSDT',
  id: 28457,
  orderId: 9780331417,
  price: '241.00000000',
  qty: '0.05000000',
  quoteQty: '12.05000000',
  commission: '0.00001234',
  commissionAsset: 'BNB',
  time: NOW - 4_000,
  isBuyer: true,
  isMaker: false,
  isBestMatch: true,
  ...more,
});
const failure = (code: number, msg: string) => ({ status: 400, body: { code, msg } });
const SOL_USDT = {
  symbol: 'SOLUSDT',
  status: 'TRADING',
  baseAsset: 'SOL',
  quoteAsset: 'USDT',
  isSpotTradingAllowed: true,
  filters: [
    { filterType: 'PRICE_FILTER', tickSize: '0.01000000' },
    { filterType: 'LOT_SIZE', minQty: '0.00100000', stepSize: '0.00100000' },
    { filterType: 'NOTIONAL', minNotional: '5.00000000' },
  ],
};
const usual: Said = {
  [`GET ${V3}/time`]: () => ({ body: { serverTime: NOW } }),
  [`GET ${V3}/exchangeInfo`]: () => ({
    body: {
      symbols: [SOL_USDT],
    },
  }),
};
const open = (said: Said = {}) => openAdapter('binance', { ...usual, ...said });
const POST = `POST ${V3}/order`;

describe('Binance', () => {
  it('counts a question about the open orders of one pair as the exchange does', async () => {
    const { adapter, clock, sentTo } = await open({
      [`GET ${V3}/openOrders`]: () => ({ body: [] }),
    });
    await adapter.openOrders(['SOL/USDT']);
    const startMs = clock.now();
    // 12 pairs every 8 seconds for ten connections: 900 questions of 6 in a minute are too many.
    for (let asked = 0; asked < 700; asked += 1) await adapter.openOrders(['SOL/USDT']);
    expect(sentTo(`GET ${V3}/openOrders`)).toHaveLength(701);
    expect(clock.now()).toBe(startMs);
    for (let asked = 0; asked < 100; asked += 1) await adapter.openOrders(['SOL/USDT']);
    expect(clock.now()).toBeGreaterThan(startMs);
  });

  it('is sent our id, and keeps the deadline by its own clock', async () => {
    const {
      adapter,
      sentTo,
      order: toPlace,
    } = await open({
      [POST]: () => ({ body: order({ status: 'NEW', fills: [] }) }),
    });
    expect(await adapter.place(toPlace())).toEqual({
      kind: 'confirmed',
      exchangeOrderId: 'SOLUSDT-9780331417',
      replay: false,
    });
    expect(sentTo(POST)[0]?.params).toMatchObject({
      symbol: 'SOLUSDT',
      side: 'BUY',
      type: 'LIMIT',
      timeInForce: 'GTC',
      quantity: '0.0015',
      price: '60100.1',
      newClientOrderId: ORDER_ID,
      timestamp: String(NOW),
      recvWindow: '20000',
    });
  });

  it('rests stops, with a limit and without', async () => {
    const { adapter, sentTo, order: toPlace } = await open({ [POST]: () => ({ body: order() }) });
    const stop = { type: 'stop', side: 'sell', stopPrice: parseFixed('200') } as const;
    await adapter.place(toPlace({ ...stop, limitPrice: null }));
    await adapter.place(toPlace({ ...stop, limitPrice: parseFixed('195') }));
    await adapter.place(
      toPlace({ type: 'market', limitPrice: null, worstPrice: parseFixed('190.5') }),
    );
    expect(sentTo(POST).map(({ params }) => [params.type, params.stopPrice, params.price])).toEqual(
      [
        ['STOP_LOSS', '200', undefined],
        ['STOP_LOSS_LIMIT', '200', '195'],
        ['LIMIT', undefined, '190.5'],
      ],
    );
  });

  it.each(['buy', 'sell'] as const)(
    'takes what is there within the price that was judged, and no more: %s',
    async (side) => {
      const { adapter, sentTo, order: toPlace } = await open({ [POST]: () => ({ body: order() }) });
      const worstPrice = parseFixed('190.5');
      await adapter.place(toPlace({ type: 'market', side, limitPrice: null, worstPrice }));
      expect(sentTo(POST)[0]?.params).toMatchObject({
        side: side.toUpperCase(),
        type: 'LIMIT',
        price: '190.5',
        timeInForce: 'IOC',
      });
    },
  );

  it('looks up a duplicate id instead of taking it for a refusal', async () => {
    const { adapter, order: toPlace } = await open({
      [POST]: () => failure(-2010, 'Duplicate order sent.'),
      [`GET ${V3}/order`]: ({ params }) =>
        params.origClientOrderId === ORDER_ID
          ? { body: order({ status: 'NEW' }) }
          : failure(-2013, ''),
    });
    expect(await adapter.place(toPlace())).toEqual({
      kind: 'confirmed',
      exchangeOrderId: 'SOLUSDT-9780331417',
      replay: true,
    });
    const lost = await open({
      [POST]: () => failure(-2010, 'Duplicate order sent.'),
      [`GET ${V3}/order`]: () => ({ status: 504, body: 'late' }),
    });
    expect(await lost.adapter.place(lost.order())).toEqual({
      kind: 'unknown',
      cause: 'unlisted:duplicate',
    });
  });

  it('asks the time again after an order came at the wrong one', async () => {
    const {
      adapter,
      sentTo,
      order: toPlace,
    } = await open({
      [POST]: () => failure(-1021, 'Timestamp for this request is outside of the recvWindow.'),
    });
    expect(await adapter.place(toPlace())).toEqual({ kind: 'unknown', cause: 'unlisted:-1021' });
    expect(sentTo(`GET ${V3}/time`)).toHaveLength(1);
    await adapter.place(toPlace());
    expect(sentTo(`GET ${V3}/time`)).toHaveLength(2);
  });

  it('finds an order and its trades, a fee in a third coin among them', async () => {
    const { adapter, ref } = await open({
      [`GET ${V3}/order`]: () => ({ body: order() }),
      [`GET ${V3}/myTrades`]: () => ({ body: [trade()] }),
    });
    expect(await adapter.lookUp(ref())).toEqual({
      kind: 'found',
      order: {
        exchangeOrderId: 'SOLUSDT-9780331417',
        clientOrderId: ORDER_ID,
        symbol: 'SOL/USDT',
        side: 'buy',
        type: 'limit',
        quantity: parseFixed('0.05'),
        limitPrice: parseFixed('241'),
        stopPrice: null,
        filled: parseFixed('0.05'),
        status: 'closed',
        updatedAtMs: NOW - 4_000,
      },
      fills: [
        {
          tradeId: 'SOLUSDT-28457',
          exchangeOrderId: 'SOLUSDT-9780331417',
          clientOrderId: null,
          symbol: 'SOL/USDT',
          side: 'buy',
          quantity: parseFixed('0.05'),
          price: parseFixed('241'),
          quoteAmount: parseFixed('12.05'),
          fees: [{ asset: 'BNB', amount: parseFixed('0.00001234') }],
          atMs: NOW - 4_000,
        },
      ],
    });
  });

  it('finds through its trades what no list shows', async () => {
    const { adapter, ref } = await open({
      [`GET ${V3}/order`]: ({ params }) =>
        params.orderId === '9780331417'
          ? { body: order() }
          : failure(-2013, 'Order does not exist.'),
      [`GET ${V3}/openOrders`]: () => ({ body: [] }),
      [`GET ${V3}/allOrders`]: () => ({ body: [] }),
      [`GET ${V3}/myTrades`]: () => ({ body: [trade()] }),
    });
    expect(await adapter.lookUp(ref())).toMatchObject({
      kind: 'found',
      order: { clientOrderId: ORDER_ID },
    });
  });

  it('reads trades by days and pages, each once', async () => {
    const page = Array.from({ length: 1_000 }, (_, at) => trade({ id: at + 1 }));
    const { adapter, sentTo } = await open({
      [`GET ${V3}/myTrades`]: ({ params }) => ({
        body:
          params.fromId === undefined
            ? Number(params.endTime) >= NOW - 4_000
              ? page
              : []
            : [trade({ id: 1_000 }), trade({ id: 1_001 })],
      }),
    });
    const fills = await adapter.tradesSince(NOW - 40 * 60 * 60_000, ['SOL/USDT']);
    expect(fills).toHaveLength(1_001);
    const asked = sentTo(`GET ${V3}/myTrades`).map(({ params }) => params);
    expect(asked).toHaveLength(3);
    expect(asked[2]?.fromId).toBe('1001');
    for (const { startTime, endTime } of asked.slice(0, 2))
      expect(Number(endTime) - Number(startTime)).toBeLessThan(24 * 60 * 60_000);
  });

  it('says whether a key can read, withdraw or transfer, and from where it works', async () => {
    const rights = (more: object) => ({
      [`GET /sapi/v1/account/apiRestrictions`]: () => ({
        body: {
          ipRestrict: true,
          createTime: NOW,
          enableReading: true,
          enableWithdrawals: false,
          enableInternalTransfer: false,
          permitsUniversalTransfer: false,
          enableSpotAndMarginTrading: true,
          ...more,
        },
      }),
    });
    const read = async (more: object) => (await open(rights(more))).adapter.permissions();
    expect(await read({})).toEqual({
      canTrade: true,
      canWithdraw: false,
      canTransfer: false,
      ipRestricted: true,
      portfolioId: null,
      missing: [],
    });
    expect(await read({ enableReading: false })).toMatchObject({ missing: ['Enable Reading'] });
    expect(await read({ enableWithdrawals: true })).toMatchObject({ canWithdraw: true });
    expect(await read({ enableInternalTransfer: true })).toMatchObject({ canTransfer: true });
    expect(await read({ permitsUniversalTransfer: true })).toMatchObject({ canTransfer: true });
  });

  it('knows a pair’s rules', async () => {
    const { data } = await open();
    expect((await data.rules()).get('SOL/USDT')).toEqual({
      symbol: 'SOL/USDT',
      quantityStep: parseFixed('0.001'),
      priceTick: parseFixed('0.01'),
      minQuantity: parseFixed('0.001'),
      minNotional: parseFixed('5'),
      status: 'trading',
    });
  });

  it.each(['HALT', 'BREAK', 'TRADING'])('asks about one pair, which is %s', async (status) => {
    const { data, sentTo } = await open({
      [`GET ${V3}/exchangeInfo`]: () => ({
        body: { symbols: [{ ...SOL_USDT, status }] },
      }),
    });
    expect(await data.rulesNow('SOL/USDT')).toMatchObject({
      symbol: 'SOL/USDT',
      status: status === 'TRADING' ? 'trading' : 'halted',
    });
    expect(sentTo(`GET ${V3}/exchangeInfo`).at(-1)?.params).toMatchObject({ symbol: 'SOLUSDT' });
  });

  it('reads its open orders beside one of a pair that is not listed (F88)', async () => {
    const gone = { symbol: 'OLDUSDT', status: 'NEW', executedQty: '0' };
    const listing = (clientOrderId: string) =>
      open({
        [`GET ${V3}/openOrders`]: () => ({
          body: [order({ ...gone, clientOrderId }), order({ status: 'NEW' })],
        }),
      });
    const theirs = await listing('web_1');
    expect((await theirs.adapter.openOrders([])).map(({ symbol }) => symbol)).toEqual(['SOL/USDT']);
    const ours = await listing('e'.repeat(32));
    await expect(ours.adapter.openOrders([])).rejects.toMatchObject({ cause: 'unreadable' });
  });
});
