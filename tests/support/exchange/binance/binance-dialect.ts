/** The stand-in as Binance: spot REST with its account calls, and the user data stream of its websocket API. */
import { isPrivate, type Asked, type CallName } from '../calls.ts';
import type { Dialect, Floor } from '../dialect.ts';
import { answerAccount } from './binance-account.ts';
import { answerMarket } from './binance-market.ts';
import { authenticateBinance, binanceError } from './binance-signature.ts';
import { openBinanceStream } from './binance-stream.ts';

const CALLS: Record<string, CallName> = {
  'GET /api/v3/ping': 'time',
  'GET /api/v3/time': 'time',
  'GET /sapi/v1/system/status': 'status',
  'GET /api/v3/exchangeInfo': 'markets',
  'GET /fapi/v1/exchangeInfo': 'markets',
  'GET /dapi/v1/exchangeInfo': 'markets',
  'GET /api/v3/ticker/24hr': 'ticker',
  'GET /api/v3/ticker/bookTicker': 'best-prices',
  'GET /api/v3/ticker/price': 'ticker',
  'GET /api/v3/depth': 'book',
  'GET /api/v3/trades': 'public-trades',
  'GET /api/v3/aggTrades': 'public-trades',
  'POST /api/v3/order': 'place',
  'DELETE /api/v3/order': 'cancel',
  'GET /api/v3/order': 'order',
  'GET /api/v3/openOrders': 'open-orders',
  'GET /api/v3/allOrders': 'closed-orders',
  'GET /api/v3/myTrades': 'trades',
  'GET /api/v3/account': 'balances',
  'GET /sapi/v1/account/apiRestrictions': 'permissions',
  'GET /sapi/v1/capital/config/getall': 'coin-settings',
  'GET /sapi/v1/margin/allPairs': 'coin-settings',
  'GET /sapi/v1/margin/isolated/allPairs': 'coin-settings',
};

export function makeBinance(floor: Floor): Dialect {
  const callOf = ({ method, path }: Asked): CallName | null => CALLS[`${method} ${path}`] ?? null;
  return {
    callOf,
    claimedKey: ({ headers }) => headers['x-mbx-apikey'] ?? null,
    authenticate: ({ asked }) => authenticateBinance(floor.accounts, asked, floor.clock.now()),
    answer: (turn, key) => {
      const answer =
        isPrivate(turn.call) && key !== null
          ? answerAccount(floor, turn, key)
          : answerMarket(floor, turn.call, turn.asked);
      return { ...answer, headers: { 'x-mbx-used-weight-1m': String(turn.usedWeight) } };
    },
    noSuchAddress: () => ({ status: 404, body: '<html><body>404 Not found</body></html>' }),
    statusUnknown: () =>
      binanceError(
        -1007,
        'Timeout waiting for response from backend server. Send status unknown; execution status unknown.',
        408,
      ),
    rateLimited: (seconds) => ({
      ...binanceError(
        -1003,
        'Too much request weight used; current limit is 6000 request weight per 1 MINUTE. Please use WebSocket Streams for live updates to avoid polling the API.',
        429,
      ),
      headers: { 'retry-after': String(seconds) },
    }),
    banned: (seconds) => ({
      ...binanceError(
        -1003,
        `Way too much request weight used; IP banned until ${Math.floor(floor.clock.now()) + seconds * 1_000}. Please use WebSocket Streams for live updates to avoid bans.`,
        418,
      ),
      headers: { 'retry-after': String(seconds) },
    }),
    maintenance: (call) =>
      call === 'status'
        ? { status: 200, body: { status: 1, msg: 'system maintenance' } }
        : binanceError(-1016, 'This service is no longer available.', 503),
    openSocket: (socket) => {
      openBinanceStream(floor, socket);
    },
  };
}
