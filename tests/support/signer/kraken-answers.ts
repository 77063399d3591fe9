/** Kraken's answers in the shape recorded from it, for tests of the signer. */
import type { Answer, Asked, Answerer } from './answer-server.ts';

export const KRAKEN_KEY = {
  apiKey: 'canary/kraken+apikey0123456789abcdefghijklmnopqrstuvwxyz',
  secret: Buffer.from('canary kraken secret, never to be seen anywhere').toString('base64'),
};

export const ok = (result: unknown): Answer => ({ body: { error: [], result } });
export const failed = (...codes: string[]): Answer => ({ body: { error: codes } });

export const KRAKEN_PAIRS = {
  XXBTZUSD: {
    altname: 'XBTUSD',
    wsname: 'XBT/USD',
    base: 'XXBT',
    quote: 'ZUSD',
    pair_decimals: 1,
    lot_decimals: 8,
    ordermin: '0.0001',
    costmin: '0.5',
    tick_size: '0.1',
    status: 'online',
  },
  SHIBUSD: {
    altname: 'SHIBUSD',
    wsname: 'SHIB/USD',
    base: 'SHIB',
    quote: 'ZUSD',
    pair_decimals: 8,
    lot_decimals: 5,
    ordermin: '50000',
    costmin: '0.5',
    tick_size: '0.00000001',
    status: 'online',
  },
};

export const krakenOrderAnswer = (clientOrderId: string | null, more: object = {}) => ({
  refid: null,
  userref: '0',
  ...(clientOrderId === null ? {} : { cl_ord_id: clientOrderId }),
  status: 'closed',
  opentm: '1767261590.5',
  starttm: '0',
  expiretm: '0',
  descr: {
    pair: 'XBTUSD',
    type: 'buy',
    ordertype: 'limit',
    price: '60100.0',
    price2: '0',
    leverage: 'none',
    order: 'buy 0.00100000 XBTUSD @ limit 60100.0',
    close: '',
  },
  vol: '0.00100000',
  vol_exec: '0.00100000',
  cost: '60.05000',
  fee: '0.24020',
  price: '60050.0',
  stopprice: '0.00000',
  limitprice: '0.00000',
  misc: '',
  oflags: 'fciq',
  trades: ['TCWJEG-FL4SZ-3FKGH6'],
  reason: null,
  closetm: '1767261591.1234567',
  ...more,
});

export const krakenTradeAnswer = (more: object = {}) => ({
  ordertxid: 'OQCLML-BW3P3-BUCMWZ',
  postxid: 'TKH2SE-M7IF5-CFI7LT',
  pair: 'XXBTZUSD',
  time: 1767261591.1234567,
  type: 'buy',
  ordertype: 'limit',
  price: '60050.0',
  cost: '60.05000',
  fee: '0.24020',
  vol: '0.00100000',
  margin: '0.00000',
  misc: '',
  trade_id: 40274859,
  maker: false,
  ...more,
});

/** `a` and `b` are the best ask and bid, `v` and `p` volume and price of today and of 24 hours. */
const TICKERS = {
  BTC: {
    a: ['60010.0', '1', '0.500'],
    b: ['59990.0', '1', '0.500'],
    v: ['100.5', '1912.2'],
    p: ['60010.1', '60020.2'],
  },
  SHIB: {
    a: ['0.00001010', '10', '10.000'],
    b: ['0.00001000', '10', '10.000'],
    v: ['100', '1000'],
    p: ['0.00001', '0.00001'],
  },
};

/** What the account does by itself; `said` changes any of it by the last piece of the path. */
export function krakenAnswers(
  said: Partial<Record<string, (asked: Asked) => Answer | 'drop'>> = {},
  now: () => number = Date.now,
): Answerer {
  const usual: Record<string, (asked: Asked) => Answer> = {
    Time: () => ok({ unixtime: Math.floor(now() / 1_000), rfc1123: '' }),
    SystemStatus: () => ok({ status: 'online', timestamp: '' }),
    Assets: () =>
      ok({
        XXBT: { aclass: 'currency', altname: 'XBT', decimals: 10 },
        ZUSD: { aclass: 'currency', altname: 'USD', decimals: 4 },
        SHIB: { aclass: 'currency', altname: 'SHIB', decimals: 5 },
      }),
    AssetPairs: () => ok(KRAKEN_PAIRS),
    Ticker: ({ params }) =>
      ok(
        Object.fromEntries(
          (params.pair ?? '')
            .split(',')
            .map((pair) => (pair === 'XBTUSD' ? ['XXBTZUSD', TICKERS.BTC] : [pair, TICKERS.SHIB])),
        ),
      ),
    Depth: ({ params }) =>
      ok(
        params.pair === 'XBTUSD'
          ? {
              XXBTZUSD: {
                asks: [
                  ['60010.0', '0.500', 1767261590],
                  ['60050.0', '2.000', 1767261590],
                  ['63000.0', '9.000', 1767261590],
                ],
                bids: [
                  ['59990.0', '0.500', 1767261590],
                  ['59950.0', '2.000', 1767261590],
                  ['55000.0', '9.000', 1767261590],
                ],
              },
            }
          : {
              SHIBUSD: {
                asks: [['0.00001010', '10', 1767261590]],
                bids: [['0.00001000', '10', 1767261590]],
              },
            },
      ),
    GetApiKeyInfo: () =>
      ok({
        apiKeyName: 'tradewind',
        permissions: [
          'query-funds',
          'query-open-trades',
          'query-closed-trades',
          'modify-trades',
          'close-trades',
        ],
        ipAllowlist: [],
      }),
    BalanceEx: () =>
      ok({
        ZUSD: { balance: '1200.5000', hold_trade: '200.0000' },
        XXBT: { balance: '0.2500000000', hold_trade: '0.0000000000' },
        'XBT.F': { balance: '0.1000000000', hold_trade: '0.0000000000' },
      }),
    OpenOrders: () => ok({ open: {} }),
    ClosedOrders: () => ok({ closed: {}, count: 0 }),
    TradesHistory: () => ok({ trades: {}, count: 0 }),
    AddOrder: () =>
      ok({ txid: ['OQCLML-BW3P3-BUCMWZ'], descr: { order: 'buy 0.00100000 XBTUSD @ limit' } }),
    CancelOrder: () => ok({ count: 1 }),
  };
  return (asked) => {
    const call = asked.path.split('/').at(-1) ?? '';
    return (said[call] ?? usual[call] ?? (() => failed('EGeneral:Unknown method')))(asked);
  };
}
