/** The stand-in as Kraken: spot REST, and the second version of its websockets. */
import { isPrivate, type Asked, type CallName } from '../calls.ts';
import type { Dialect, Floor } from '../dialect.ts';
import { answerAccount } from './kraken-account.ts';
import { answerMarket } from './kraken-market.ts';
import { authenticateKraken, krakenError } from './kraken-signature.ts';
import { KrakenStreams } from './kraken-stream.ts';

const CALLS: Record<string, CallName> = {
  'public/Time': 'time',
  'public/SystemStatus': 'status',
  'public/Assets': 'coins',
  'public/AssetPairs': 'markets',
  'public/Ticker': 'ticker',
  'public/Depth': 'book',
  'public/Trades': 'public-trades',
  'private/AddOrder': 'place',
  'private/CancelOrder': 'cancel',
  'private/QueryOrders': 'order',
  'private/OpenOrders': 'open-orders',
  'private/ClosedOrders': 'closed-orders',
  'private/TradesHistory': 'trades',
  'private/Balance': 'balances',
  'private/BalanceEx': 'balances',
  'private/Ledgers': 'ledger',
  'private/GetApiKeyInfo': 'permissions',
  'private/GetWebSocketsToken': 'stream-token',
};

export function makeKraken(floor: Floor): Dialect {
  const streams = new KrakenStreams(floor);
  const callOf = ({ path }: Asked): CallName | null =>
    path.startsWith('/0/') ? (CALLS[path.slice('/0/'.length)] ?? null) : null;
  return {
    callOf,
    claimedKey: ({ headers }) => headers['api-key'] ?? null,
    authenticate: ({ asked }) => authenticateKraken(floor.accounts, asked),
    answer: (turn, key) =>
      isPrivate(turn.call) && key !== null
        ? answerAccount(floor, streams, turn, key)
        : answerMarket(floor, turn.call, turn.asked),
    noSuchAddress: () => krakenError('EGeneral:Unknown method'),
    statusUnknown: () => krakenError('EService:Unavailable'),
    rateLimited: (seconds) => ({
      status: 429,
      body: { error: ['EAPI:Rate limit exceeded'] },
      headers: { 'retry-after': String(seconds) },
    }),
    // Kraken has no 418: whoever goes on is locked out for a while.
    banned: (seconds) => ({
      status: 200,
      body: { error: ['EGeneral:Temporary lockout'] },
      headers: { 'retry-after': String(seconds) },
    }),
    maintenance: (call) =>
      call === 'status'
        ? {
            status: 200,
            body: {
              error: [],
              result: {
                status: 'maintenance',
                timestamp: new Date(floor.clock.now()).toISOString(),
              },
            },
          }
        : krakenError('EService:Unavailable'),
    openSocket: (socket) => {
      streams.open(socket);
    },
  };
}
