/** What every exchange's adapter does, in the words of contract/venue.ts. */
import type { OrderIntent, OrderRef } from '../../contract/signer.ts';
import type { Fixed } from '../../contract/money.ts';
import type {
  CancelOutcome,
  KeyPermissions,
  Lookup,
  PairRules,
  PlaceOutcome,
  UnknownCause,
  VenueAbilities,
  VenueBalance,
  VenueFill,
  VenueOrder,
} from '../../contract/venue.ts';

export interface OrderToPlace extends Omit<OrderIntent, 'connectionId' | 'agentId'> {
  /** What a unit may cost or bring at worst, as the limits were judged. */
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

export interface BookLevel {
  price: Fixed;
  quantity: Fixed;
}

/** The best levels of each side, best first. */
export interface Book {
  bids: BookLevel[];
  asks: BookLevel[];
}

/** Without a key: what the limits are judged by. */
export interface PublicData {
  /** The exchange's clock, ms UTC. */
  time(): Promise<number>;
  rules(): Promise<Map<string, PairRules>>;
  book(symbol: string): Promise<Book>;
  /** Quote currency traded in the last 24 hours. */
  dayVolume(symbol: string): Promise<Fixed>;
}
