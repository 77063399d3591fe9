/**
 * Every address of an exchange that the signer may ask, one by one. What is not here cannot be
 * reached: there is no withdrawal, no transfer, no change of keys.
 */
import type { LiveExchange } from '../../contract/signer.ts';

export interface Endpoint {
  /** ccxt's name for the part of the API, and the path below it. */
  api: string | readonly string[];
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  /** What stands in the address; `{…}` is one piece of an id. */
  url: string;
  /** `order`: places or cancels. Both kinds with a key count against the key's own limits too. */
  lane: 'public' | 'private' | 'order';
  /** Of the limit by address, or for Kraken's private calls of the key's counter. */
  weight: number;
  /** How long it may wait for its weight, where that is another time than its lane's. */
  patienceMs?: number;
  /** Left of the limit for those that are more urgent; the rest may take all of it. */
  spare?: number;
}

const krakenPublic = (path: string): Endpoint => ({
  api: 'public',
  method: 'GET',
  path,
  url: `/0/public/${path}`,
  lane: 'public',
  weight: 1,
});
const krakenPrivate = (path: string, weight: number, lane: 'private' | 'order'): Endpoint => ({
  api: 'private',
  method: 'POST',
  path,
  url: `/0/private/${path}`,
  lane,
  weight,
});

/** What it takes to judge a sale: time, names, rules and the book. What is held is looked at later. */
const KRAKEN_SALE = 4;
/** What it takes to look an order up and read its fills: a stop waits for that. */
const KRAKEN_LOOK_UP = 3;
/** Asked for again and again, whether anything happened or not. */
const krakenList = (path: string): Endpoint => ({
  ...krakenPrivate(path, 1, 'private'),
  spare: KRAKEN_LOOK_UP,
});

export const KRAKEN_ENDPOINTS = {
  time: krakenPublic('Time'),
  // A sale waits for it, and it is asked for once in five seconds at most, as are pairs for that.
  status: krakenPublic('SystemStatus'),
  assets: krakenPublic('Assets'),
  pairs: krakenPublic('AssetPairs'),
  ticker: krakenPublic('Ticker'),
  book: krakenPublic('Depth'),
  /** Of all that is held: it names as many pairs as are asked for. */
  marks: { ...krakenPublic('Ticker'), spare: KRAKEN_SALE },
  keyInfo: krakenPrivate('GetApiKeyInfo', 1, 'private'),
  balances: krakenList('BalanceEx'),
  openOrders: krakenList('OpenOrders'),
  closedOrders: krakenList('ClosedOrders'),
  orders: krakenPrivate('QueryOrders', 1, 'private'),
  trades: krakenPrivate('TradesHistory', 2, 'private'),
  place: krakenPrivate('AddOrder', 0, 'order'),
  cancel: krakenPrivate('CancelOrder', 0, 'order'),
} as const satisfies Record<string, Endpoint>;

const coinbase = (
  access: 'public' | 'private',
  method: 'GET' | 'POST',
  path: string,
  lane: Endpoint['lane'],
): Endpoint => ({
  api: ['v3', access],
  method,
  path,
  url: `/api/v3/${path}`,
  lane,
  weight: 1,
});
/** What it takes to judge a sale of a pair: its product and its book. */
const COINBASE_SALE = 2;
/** One mark after the other, of every pair that is held. */
const COINBASE_MARKS_MS = 20_000;

export const COINBASE_ENDPOINTS = {
  time: coinbase('public', 'GET', 'brokerage/time', 'public'),
  products: coinbase('public', 'GET', 'brokerage/market/products', 'public'),
  product: coinbase('public', 'GET', 'brokerage/market/products/{product_id}', 'public'),
  book: coinbase('public', 'GET', 'brokerage/market/product_book', 'public'),
  /** Best prices of many products are answered to a key alone. */
  mark: {
    ...coinbase('public', 'GET', 'brokerage/market/product_book', 'public'),
    spare: COINBASE_SALE,
    patienceMs: COINBASE_MARKS_MS,
  },
  permissions: coinbase('private', 'GET', 'brokerage/key_permissions', 'private'),
  accounts: coinbase('private', 'GET', 'brokerage/accounts', 'private'),
  orders: coinbase('private', 'GET', 'brokerage/orders/historical/batch', 'private'),
  order: coinbase('private', 'GET', 'brokerage/orders/historical/{order_id}', 'private'),
  fills: coinbase('private', 'GET', 'brokerage/orders/historical/fills', 'private'),
  place: coinbase('private', 'POST', 'brokerage/orders', 'order'),
  cancel: coinbase('private', 'POST', 'brokerage/orders/batch_cancel', 'order'),
} as const satisfies Record<string, Endpoint>;

const binance = (
  access: 'public' | 'private',
  method: Endpoint['method'],
  path: string,
  weight: number,
  lane: Endpoint['lane'] = access,
): Endpoint => ({ api: access, method, path, url: `/api/v3/${path}`, lane, weight });

/** For orders, cancellations, and what they are judged by: rules, time and a book. */
const BINANCE_SALE = 100;
/** For those, for what is held, and for a dozen look-ups: lists are asked for again and again. */
const BINANCE_URGENT = 400;
const binanceList = (path: string, weight: number): Endpoint => ({
  ...binance('private', 'GET', path, weight),
  spare: BINANCE_URGENT,
});

export const BINANCE_ENDPOINTS = {
  time: binance('public', 'GET', 'time', 1),
  rules: binance('public', 'GET', 'exchangeInfo', 20),
  rulesOfPair: { ...binance('public', 'GET', 'exchangeInfo', 20), spare: BINANCE_SALE },
  ticker: binance('public', 'GET', 'ticker/24hr', 2),
  book: binance('public', 'GET', 'depth', 5),
  marks: { ...binance('public', 'GET', 'ticker/bookTicker', 4), spare: BINANCE_SALE },
  account: binanceList('account', 20),
  openOrders: binanceList('openOrders', 80),
  openOrdersOfPair: binanceList('openOrders', 6),
  allOrders: binanceList('allOrders', 20),
  order: binance('private', 'GET', 'order', 4),
  trades: binanceList('myTrades', 20),
  /** Of one order that was found: a stop waits for them. */
  tradesOfOrder: binance('private', 'GET', 'myTrades', 20),
  place: binance('private', 'POST', 'order', 1, 'order'),
  cancel: binance('private', 'DELETE', 'order', 1, 'order'),
  permissions: {
    api: 'sapi',
    method: 'GET',
    path: 'account/apiRestrictions',
    url: '/sapi/v1/account/apiRestrictions',
    lane: 'private',
    weight: 1,
  },
} as const satisfies Record<string, Endpoint>;

const patternOf = ({ method, url }: Endpoint): RegExp =>
  new RegExp(`^${method} ${url.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[A-Za-z0-9-]+')}$`);

const OPEN: Record<LiveExchange, readonly RegExp[]> = {
  kraken: Object.values(KRAKEN_ENDPOINTS).map(patternOf),
  coinbase: Object.values(COINBASE_ENDPOINTS).map(patternOf),
  binance: Object.values(BINANCE_ENDPOINTS).map(patternOf),
};

/** Whether a request may leave at all, judged by the address it really goes to. */
export function isOpen(exchange: LiveExchange, method: string, pathname: string): boolean {
  return OPEN[exchange].some((pattern) => pattern.test(`${method} ${pathname}`));
}
