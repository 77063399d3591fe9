/** The stand-in as Coinbase Advanced: the brokerage API, the parts of the older one that ccxt uses, and the user channel. */
import { isPrivate, type Asked, type CallName } from '../calls.ts';
import type { Dialect, Floor } from '../dialect.ts';
import { answerAccount } from './coinbase-account.ts';
import { answerMarket } from './coinbase-market.ts';
import { authenticateCoinbase, claimedKey, coinbaseError } from './coinbase-signature.ts';
import { openCoinbaseStream } from './coinbase-stream.ts';

const BROKERAGE = '/api/v3/brokerage/';
const PRODUCT = /^(market\/)?products\/[A-Z0-9-]+$/;

const OLD: Record<string, CallName> = {
  'GET /v2/time': 'time',
  'GET /v2/currencies': 'coins',
  'GET /v2/currencies/crypto': 'coins',
  'GET /v2/exchange-rates': 'coins',
  'GET /v2/accounts': 'balances',
};
const CALLS: Record<string, CallName> = {
  'GET time': 'time',
  'GET market/products': 'markets',
  'GET products': 'markets',
  'GET market/product_book': 'book',
  'GET product_book': 'book',
  'GET transaction_summary': 'fee-tier',
  'GET accounts': 'balances',
  'GET key_permissions': 'permissions',
  'POST orders': 'place',
  'POST orders/batch_cancel': 'cancel',
  'GET orders/historical/fills': 'trades',
};

function callOf({ method, path, query }: Asked): CallName | null {
  const old = OLD[`${method} ${path}`];
  if (old !== undefined) return old;
  if (!path.startsWith(BROKERAGE)) return null;
  const rest = path.slice(BROKERAGE.length);
  const named = CALLS[`${method} ${rest}`];
  if (named !== undefined) return named;
  if (method !== 'GET') return null;
  if (rest === 'orders/historical/batch')
    return query.getAll('order_status').includes('OPEN') ? 'open-orders' : 'closed-orders';
  if (rest.startsWith('orders/historical/')) return 'order';
  if (rest.endsWith('/ticker')) return 'ticker';
  return PRODUCT.test(rest) ? 'markets' : null;
}

export function makeCoinbase(floor: Floor): Dialect {
  return {
    callOf,
    claimedKey,
    authenticate: ({ asked }) => authenticateCoinbase(floor.accounts, asked, floor.clock.now()),
    answer: (turn, key) =>
      isPrivate(turn.call) && key !== null
        ? answerAccount(floor, turn, key)
        : answerMarket(floor, turn.call, turn.asked),
    noSuchAddress: () => coinbaseError(404, 'NOT_FOUND', 'Not found'),
    // A 503 with a JSON body, which ccxt makes a plain ExchangeError of.
    statusUnknown: () => coinbaseError(503, 'UNAVAILABLE', 'The service is unavailable'),
    rateLimited: (seconds) => ({
      ...coinbaseError(429, 'resource_exhausted', 'Too many requests'),
      headers: { 'retry-after': String(seconds) },
    }),
    // Coinbase has no 418: the limit just goes on.
    banned: (seconds) => ({
      ...coinbaseError(429, 'resource_exhausted', 'Too many requests'),
      headers: { 'retry-after': String(seconds) },
    }),
    maintenance: () => coinbaseError(503, 'UNAVAILABLE', 'Scheduled maintenance'),
    openSocket: (socket) => {
      openCoinbaseStream(floor, socket);
    },
  };
}
