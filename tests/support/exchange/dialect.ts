/** How one exchange speaks: which addresses it has, how it checks a signature, what it answers. */
import type { Accounts, ApiKey } from './accounts.ts';
import type { Answer, Asked, CallName } from './calls.ts';
import type { ExchangeClock } from './exchange-clock.ts';
import type { Fill, StandInOrder } from './orders.ts';
import type { Ids } from './ids.ts';
import type { Instrument } from './instruments.ts';
import type { MatchingCore } from './matching-core.ts';
import type { Prices } from './prices.ts';
import type { StreamHub } from './stream-hub.ts';
import type { ServerSocket } from './web-socket.ts';

/** What a dialect speaks about. */
export interface Floor {
  clock: ExchangeClock;
  core: MatchingCore;
  prices: Prices;
  accounts: Accounts;
  instruments: Map<string, Instrument>;
  ids: Ids;
  hub: StreamHub;
  /** What REST may show of an account's orders and fills at this moment. */
  shownOrders(account: string): StandInOrder[];
  shownFills(account: string): Fill[];
  /** The newest of them under an id of the client's. */
  shownByClientId(account: string, clientOrderId: string): StandInOrder | null;
  shownById(account: string, id: string): StandInOrder | null;
  /** The moment before a cancellation, when an order may still fill. */
  beforeCancel(account: string, id: string): void;
}

/** One call being answered. */
export interface Turn {
  asked: Asked;
  call: CallName;
  /** Exchange time at which the request arrived; it may take effect later. */
  arrivedMs: number;
  /** What the client has used of its allowance, this call included. */
  usedWeight: number;
}

export type Authenticated = { key: ApiKey } | { refused: Answer };

export interface Dialect {
  /** Null for an address this exchange does not have. */
  callOf(asked: Asked): CallName | null;
  /** Who the key says it is; null where there is none to be found. For the journal only. */
  claimedKey(asked: Asked): string | null;
  authenticate(turn: Turn): Authenticated;
  answer(turn: Turn, key: ApiKey | null): Answer;
  noSuchAddress(): Answer;
  statusUnknown(): Answer;
  rateLimited(retryAfterS: number): Answer;
  banned(retryAfterS: number): Answer;
  maintenance(call: CallName): Answer;
  /** Takes over a websocket that a client has opened. */
  openSocket(socket: ServerSocket, path: string): void;
}
