/** What an order and a fill are at the stand-in, in no exchange's words. */
import type { Fixed } from '../../../contract/money.ts';

export type Side = 'buy' | 'sell';
export type OrderType = 'market' | 'limit' | 'stop' | 'stop-limit';
export type TimeInForce = 'gtc' | 'ioc' | 'fok' | 'gtd';
export type OrderState = 'open' | 'filled' | 'cancelled' | 'expired';
/** `received` is what the fill brings in: base of a buy, quote of a sell. */
export type FeeCoin = 'base' | 'quote' | 'received' | 'third';
/** Who did it: a key over the API, the person at the exchange's own site, or the exchange. */
export type Actor = 'api' | 'hand' | 'exchange';

export interface OrderIntent {
  clientOrderId: string | null;
  symbol: string;
  side: Side;
  type: OrderType;
  /** In the base coin; null where a market buy states what to spend. */
  quantity: Fixed | null;
  /** What to spend in the quote coin, fees included where the exchange counts so. */
  spend: Fixed | null;
  limit: Fixed | null;
  stop: Fixed | null;
  timeInForce: TimeInForce;
  /** Good until, exchange time. */
  expiresAtMs: number | null;
  postOnly: boolean;
  /** The matching engine refuses it from then on, exchange time. */
  deadlineMs: number | null;
  feeCoin: FeeCoin | null;
}

export interface Fill {
  id: string;
  /** A number that grows with every fill at this exchange. */
  number: number;
  orderId: string;
  clientOrderId: string | null;
  account: string;
  symbol: string;
  side: Side;
  price: Fixed;
  quantity: Fixed;
  cost: Fixed;
  fee: Fixed;
  feeCoin: string;
  maker: boolean;
  atMs: number;
  by: Actor;
}

/** What a fault makes of an order's fills. */
export interface FillScript {
  /** This share of the quantity is filled, then the exchange cancels the rest. */
  fillThenCancel: Fixed | null;
  /** All but one step is filled, then the rest expires. */
  leavesDust: boolean;
  /** Into how many fills each crossing is cut. */
  parts: number;
}

export interface StandInOrder extends OrderIntent {
  id: string;
  number: number;
  account: string;
  by: Actor;
  quantity: Fixed;
  state: OrderState;
  /** A stop that has not met its price. */
  waiting: boolean;
  placedAtMs: number;
  changedAtMs: number;
  closedAtMs: number | null;
  filled: Fixed;
  cost: Fixed;
  fills: Fill[];
  fees: Map<string, Fixed>;
  hold: { coin: string; amount: Fixed };
  reason: string | null;
  script: FillScript;
  /** Look-ups say "not found" until then, true time. */
  hiddenUntilMs: number;
}

export type RejectReason =
  | 'unknown-symbol'
  | 'market-closed'
  | 'bad-arguments'
  | 'bad-client-id'
  | 'bad-step'
  | 'bad-tick'
  | 'below-min-quantity'
  | 'below-min-notional'
  | 'insufficient-funds'
  | 'duplicate-client-id'
  | 'would-cross'
  | 'stop-would-trigger'
  | 'no-liquidity'
  | 'bad-deadline'
  | 'deadline-passed';

export type Placed =
  | { kind: 'accepted'; order: StandInOrder }
  /** The exchange answers a repeated id with the order it already has. */
  | { kind: 'original'; order: StandInOrder }
  | { kind: 'rejected'; reason: RejectReason };

export type Cancelled = { kind: 'cancelled'; order: StandInOrder } | { kind: 'unknown' };
