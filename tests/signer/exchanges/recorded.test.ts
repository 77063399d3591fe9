/**
 * What the exchanges were recorded to answer, through the adapters: kinds of orders that a person
 * has by hand, too. Facts are from ccxt's recordings (ccxt/ccxt, ts/src/test/static/response), ids and
 * amounts as they were, in a form of our own.
 */
import { describe, expect, it } from 'vitest';
import { formatFixed, parseFixed } from '../../../contract/money.ts';
import { openAdapter, type Said } from '../../support/signer/adapter-world.ts';
import { krakenAnswers, krakenOrderAnswer, ok } from '../../support/signer/kraken-answers.ts';

/** `ordertype`, price, second price, and flags as Kraken wrote them for an order of 0.1. */
const KRAKEN_OPEN: [
  id: string,
  type: string,
  price: string,
  second: string,
  flags: string,
  ours: object,
][] = [
  ['OR6EGN-KQSEG-AMI6CL', 'limit', '50.00000', '0', 'post,fciq', { type: 'limit', limit: '50' }],
  ['OXCZ7B-EMVZQ-MTJTQJ', 'take-profit', '120.00000', '0', 'fciq', { type: 'stop', stop: '120' }],
  [
    'OIIQBL-6PV3A-7M2AJJ',
    'stop-loss-limit',
    '55.00000',
    '54.00000',
    'fciq',
    { type: 'stop', stop: '55', limit: '54' },
  ],
  // A trailing stop's price is a distance: no price at all.
  ['OF7S76-H2IMS-N2ML4U', 'trailing-stop', '+50.0000%', '0', 'fciq', { type: 'stop' }],
];

describe('recorded answers of Kraken', () => {
  it('show every kind of open order of the person’s, and none as ours', async () => {
    const open = Object.fromEntries(
      KRAKEN_OPEN.map(([id, ordertype, price, price2, oflags]) => [
        id,
        krakenOrderAnswer(null, {
          status: 'open',
          opentm: '1705259439.563000',
          closetm: null,
          vol: '0.10000000',
          vol_exec: '0.00000000',
          oflags,
          descr: { pair: 'LTCUSDT', type: 'sell', ordertype, price, price2, leverage: 'none' },
        }),
      ]),
    );
    const coins = ['LTC', 'USDT'].map((name) => [name, { altname: name, decimals: 8 }]);
    const answers = krakenAnswers({
      OpenOrders: () => ok({ open }),
      Assets: () => ok(Object.fromEntries(coins)),
      AssetPairs: () => ok({}),
    });
    const said: Said = new Proxy({}, { get: () => answers });
    const { adapter } = await openAdapter('kraken', said);
    const shown = await adapter.openOrders([]);
    expect(
      shown.map(({ exchangeOrderId, clientOrderId, symbol, type, limitPrice, stopPrice }) => [
        exchangeOrderId,
        clientOrderId,
        symbol,
        {
          type,
          ...(limitPrice === null ? {} : { limit: formatFixed(limitPrice) }),
          ...(stopPrice === null ? {} : { stop: formatFixed(stopPrice) }),
        },
      ]),
    ).toEqual(KRAKEN_OPEN.map(([id, , , , , ours]) => [id, null, 'LTC/USDT', ours]));
  });
});

const V3 = '/api/v3/brokerage';
const COINBASE_TIME: Said = {
  [`GET ${V3}/time`]: () => ({ body: { epochMillis: '1767261600000' } }),
};

describe('recorded answers of Coinbase', () => {
  it('show a fill, and book no coins for a trade of a perpetual beside it', async () => {
    const fill = {
      entry_id: 'dc7424ac',
      trade_id: '19fc7eee-f4b4-40a7-8104-033da1db5311',
      order_id: '01b6e467-b659-432f-9490-c7cefe949564',
      trade_time: '2023-11-26T10:19:47.504Z',
      trade_type: 'FILL',
      price: '0.392',
      size: '10',
      commission: '0.03136',
      product_id: 'ADA-USDT',
      size_in_quote: false,
      side: 'SELL',
    };
    const perpetual = { ...fill, trade_id: 'f8e23d3d', product_id: 'ADA-PERP-INTX', side: 'BUY' };
    const { adapter } = await openAdapter('coinbase', {
      ...COINBASE_TIME,
      [`GET ${V3}/orders/historical/fills`]: () => ({
        body: { fills: [fill, perpetual], cursor: '114994851' },
      }),
    });
    expect(await adapter.tradesSince(0, [])).toMatchObject([
      {
        symbol: 'ADA/USDT',
        side: 'sell',
        quantity: parseFixed('10'),
        quoteAmount: parseFixed('3.92'),
        fees: [{ asset: 'USDT', amount: parseFixed('0.03136') }],
        atMs: 1_700_993_987_504,
      },
    ]);
  });
});

describe('recorded answers of Coinbase about a purchase by amount', () => {
  const order_id = '813a53c5-3e39-47bb-863d-2faf685d22d8';
  const order = {
    order_id,
    product_id: 'BTC-USDT',
    order_configuration: { market_market_ioc: { quote_size: '6.36' } },
    side: 'BUY',
    client_order_id: '18eb9947-db49-4874-8e7b-39b8fe5f4317',
    status: 'FILLED',
    created_time: '2023-01-18T01:37:37.975552Z',
    filled_size: '0.000297920684505',
    average_filled_price: '21220.6399999973697697',
  };
  const fill = {
    trade_id: 'cdc39e45-bbd3-44ec-bf02-61742dfb16a1',
    order_id,
    trade_time: '2023-01-18T01:37:38.091377090Z',
    price: '21220.64',
    size: '0.0046830664333996',
    commission: '0.0000280983986004',
    product_id: 'BTC-USDT',
    size_in_quote: true,
    side: 'BUY',
  };

  it('are read, finer than we keep money: less of the coin, more of what it cost (F88)', async () => {
    const { adapter } = await openAdapter('coinbase', {
      ...COINBASE_TIME,
      [`GET ${V3}/orders/historical/batch`]: () => ({ body: { orders: [order], cursor: '' } }),
      [`GET ${V3}/orders/historical/fills`]: () => ({ body: { fills: [fill], cursor: '' } }),
    });
    expect(await adapter.closedOrders(0, [])).toMatchObject([
      { quantity: parseFixed('0.000297920684'), filled: parseFixed('0.000297920684') },
    ]);
    expect(await adapter.tradesSince(0, [])).toMatchObject([
      {
        // 0.0046830664333996 divided by 21220.64 is 0.000000220684504…
        quantity: parseFixed('0.000000220684'),
        quoteAmount: parseFixed('0.004683066434'),
        fees: [{ asset: 'USDT', amount: parseFixed('0.000028098399') }],
      },
    ]);
  });
});

describe('recorded answers of Binance', () => {
  it('confirm a limit order with its id, and show an id that another program chose', async () => {
    const placed = {
      symbol: 'SOLUSDT',
      orderId: 9780331417,
      orderListId: -1,
      clientOrderId: 'x-R4BD3S824d31be3228a348eaa0a303',
      transactTime: 1737635557417,
      price: '241.00000000',
      origQty: '0.05000000',
      executedQty: '0.00000000',
      origQuoteOrderQty: '0.00000000',
      cummulativeQuoteQty: '0.00000000',
      status: 'NEW',
      timeInForce: 'GTC',
      type: 'LIMIT',
      side: 'BUY',
      workingTime: 1737635557417,
      icebergQty: '0.03000000',
      fills: [],
      selfTradePreventionMode: 'EXPIRE_MAKER',
    };
    const pair = {
      symbol: 'SOLUSDT',
      status: 'TRADING',
      baseAsset: 'SOL',
      quoteAsset: 'USDT',
      filters: [
        { filterType: 'PRICE_FILTER', tickSize: '0.01000000' },
        { filterType: 'LOT_SIZE', minQty: '0.00100000', stepSize: '0.00100000' },
      ],
    };
    const { adapter, order } = await openAdapter('binance', {
      'GET /api/v3/time': () => ({ body: { serverTime: 1_767_261_600_000 } }),
      'GET /api/v3/exchangeInfo': () => ({ body: { symbols: [pair] } }),
      'POST /api/v3/order': () => ({ body: placed }),
      'GET /api/v3/openOrders': () => ({ body: [{ ...placed, time: 1737635557417 }] }),
    });
    expect(await adapter.place(order())).toEqual({
      kind: 'confirmed',
      exchangeOrderId: 'SOLUSDT-9780331417',
      replay: false,
    });
    expect(await adapter.openOrders(['SOL/USDT'])).toMatchObject([
      {
        clientOrderId: 'x-R4BD3S824d31be3228a348eaa0a303',
        status: 'open',
        limitPrice: parseFixed('241'),
        updatedAtMs: 1_737_635_557_417,
      },
    ]);
  });
});
