/** What every exchange's adapter does, in the words of contract/venue.ts. */
import type { OrderIntent, OrderRef } from '../../contract/signer.ts';
import type { Fixed } from '../../contract/money.ts';
import type {
  CancelOutcome,
  KeyPermissions,
  Lookup,
  PairRules,
  PlaceOutcome,
  Searched,
  UnknownCause,
  VenueAbilities,
  VenueBalance,
  VenueFill,
  VenueOrder,
} from '../../contract/venue.ts';

export interface OrderToPlace extends Omit<OrderIntent, 'connectionId' | 'agentId'> {
  /**
   * What a unit may cost or bring at worst, as the limits were judged, and on the tick: an order at
   * market leaves as a limit order at this price that takes what is there and ends.
   */
  worstPrice: Fixed;
}

/** A read that failed: nothing can be said. */
export class ReadFailed extends Error {
  override readonly name = 'ReadFailed';
  constructor(
    override readonly cause: UnknownCause,
    /** The exchange says that the key is wrong, or may not do this. */
    readonly keyRejected = false,
  ) {
    super(cause);
  }
}

/** With a key. Every call may throw `ReadFailed` or `NotSent`; `place` and `cancel` do so only before their request left. */
export interface Adapter {
  readonly abilities: VenueAbilities;
  place(order: OrderToPlace): Promise<PlaceOutcome>;
  cancel(order: OrderRef): Promise<CancelOutcome>;
  lookUp(order: OrderRef): Promise<Lookup>;
  openOrders(symbols: readonly string[]): Promise<VenueOrder[]>;
  closedOrders(sinceMs: number, symbols: readonly string[]): Promise<VenueOrder[]>;
  tradesSince(sinceMs: number, symbols: readonly string[]): Promise<VenueFill[]>;
  balances(): Promise<VenueBalance[]>;
  permissions(): Promise<KeyPermissions>;
}

/** How an exchange is asked for one order. */
export interface LookUpWays<Raw> {
  /** Asks for this one; lists may be read besides, which are then named in `listsByExchangeId`. */
  byExchangeId(id: string): Promise<Raw | null>;
  listsByExchangeId: Pick<Searched, 'open' | 'closed' | 'trades'>;
  /** Reads open orders, then closed ones, then those of trades, each completely. */
  byClientId(id: string): Promise<Raw | null>;
  /** What was found in our words, with all its fills. */
  shown(raw: Raw): Promise<Omit<Extract<Lookup, { kind: 'found' }>, 'kind'>>;
}

export const NO_LISTS = { open: false, closed: false, trades: false } as const;
export const ALL_LISTS = { open: true, closed: true, trades: true } as const;

/**
 * Looks for an order and claims no list that was not read: on such a claim an order is called absent.
 */
export async function lookUpOrder<Raw>(order: OrderRef, ways: LookUpWays<Raw>): Promise<Lookup> {
  const { exchangeOrderId, clientOrderId } = order;
  const absent = (byClientId: boolean, lists: LookUpWays<Raw>['listsByExchangeId']): Lookup => ({
    kind: 'not_found',
    searched: { byClientId, ...lists },
  });
  try {
    if (exchangeOrderId !== null) {
      const raw = await ways.byExchangeId(exchangeOrderId);
      if (raw === null) return absent(false, ways.listsByExchangeId);
      return { kind: 'found', ...(await ways.shown(raw)) };
    }
    if (clientOrderId === null) return absent(false, NO_LISTS);
    const raw = await ways.byClientId(clientOrderId);
    if (raw === null) return absent(true, ALL_LISTS);
    return { kind: 'found', ...(await ways.shown(raw)) };
  } catch (error) {
    if (error instanceof ReadFailed) return { kind: 'unknown', cause: error.cause };
    throw error;
  }
}

export interface BookLevel {
  price: Fixed;
  quantity: Fixed;
}

/** The best levels of each side, best first. */
export interface Book {
  bids: BookLevel[];
  asks: BookLevel[];
}

/** The top of a book that has both sides. */
export interface BestPrices {
  bid: Fixed;
  ask: Fixed;
}

/** Null where a side is empty: exchanges write a price of nothing there. */
export const bestPricesOf = (bid: Fixed, ask: Fixed): BestPrices | null =>
  bid > 0n && ask > 0n ? { bid, ask } : null;

/** However often the server asks whether a pair takes orders. */
export const RULES_NOW_KEEP_MS = 5_000;

/** How long a request may wait, and who is told when it does no more. */
export interface Waiting {
  /** Until when it may wait for the exchange's limit, by our clock; null for as long as is usual. */
  untilMs: number | null;
  /** Called at the moment it leaves. */
  leaves?: () => void;
}

/** Without a key: what the limits are judged by. */
export interface PublicData {
  /** The exchange's clock, ms UTC. */
  time(ask?: Waiting): Promise<number>;
  rules(): Promise<Map<string, PairRules>>;
  /** Of one pair, not older than `RULES_NOW_KEEP_MS`; null where it is not listed. */
  rulesNow(symbol: string): Promise<PairRules | null>;
  /** What was said of a pair as of now does not hold any more. */
  forgetNow(symbol: string): void;
  /** The rules that were read do not hold any more. */
  forgetRules(): void;
  book(symbol: string, ask?: Waiting): Promise<Book>;
  /**
   * For what holdings are worth, which yields to the book that an order is judged by. A pair of which
   * a side is empty is left out.
   */
  bestPrices(symbols: readonly string[]): Promise<Map<string, BestPrices>>;
  /** Whether that is one request, however many pairs are asked for. */
  readonly readsPricesTogether: boolean;
  /** Quote currency traded in the last 24 hours. */
  dayVolume(symbol: string): Promise<Fixed>;
}
