/** Everything the stand-in can do wrong, by name, and how a test plans it. */
import type { CallName } from './calls.ts';
import type { FeeCoin } from './orders.ts';

/** Faults of one request: what happens to it and what its sender hears. */
export const REQUEST_FAULTS = [
  /** The connection is cut without an answer. */
  'drop-response',
  /** 504 from a gateway. */
  'gateway-timeout',
  /** The exchange's own "execution status unknown". */
  'status-unknown',
  /** 200 with something that is not what it should be. */
  'garbage',
  /** The answer comes after `holdMs`. */
  'slow-answer',
  /** 429 with Retry-After; whoever comes back sooner is banned. */
  'rate-limited',
] as const;

/** Faults of the next order, cancellation or fills. */
export const ORDER_FAULTS = [
  'not-found',
  'partial-then-cancel',
  'dust',
  'in-parts',
  'fill-while-cancelling',
  'fill-before-ack',
  'fills-twice',
  'fills-late',
  'fills-out-of-order',
  'fills-by-rest-only',
  'stream-silent',
  'stream-dropped',
] as const;

/** Faults of the market and of the exchange. */
export const MARKET_FAULTS = [
  'fee-coin',
  'step-change',
  'minimum-change',
  'clock-skew',
  'maintenance',
  'cancel-only',
  'delist',
] as const;

/** What the person does at the exchange meanwhile. */
export const PERSON_FAULTS = [
  'hand-trade',
  'hand-cancel-stop',
  'withdraw',
  'revoke-key',
  'moved-key',
] as const;

export const FAULT_NAMES = [
  ...REQUEST_FAULTS,
  ...ORDER_FAULTS,
  ...MARKET_FAULTS,
  ...PERSON_FAULTS,
] as const;
export type FaultName = (typeof FAULT_NAMES)[number];
export type RequestFaultName = (typeof REQUEST_FAULTS)[number];

/** Counts are from 1; `request` counts every request with a key. */
export type When =
  | { request: number }
  | { call: CallName; nth: number }
  /** True time after the start. */
  | { afterMs: number };

export interface PlannedFault {
  name: FaultName;
  when: When;
  /**
   * Whether a request whose answer is spoilt takes effect: at once, never, or only when the held
   * answer would go out.
   */
  effect?: 'now' | 'none' | 'later';
  /** Virtual time an answer is held (`slow-answer`); 60 s unless said otherwise. */
  holdMs?: number;
  /** Real time an answer is held instead; for clients that do not share the virtual clock. */
  realHoldMs?: number;
  /** How long a state lasts, virtual time. */
  forMs?: number;
  /** How late a fill is told. */
  lateMs?: number;
  /** Seconds of Retry-After, and of the ban. */
  retryAfterS?: number;
  banS?: number;
  skewMs?: number;
  /** A share as decimal text: `0.4`. */
  share?: string;
  parts?: number;
  feeCoin?: FeeCoin;
  symbol?: string;
  /** A new step, or a new minimum worth, as decimal text. */
  value?: string;
  coin?: string;
  /** Whose; the first account unless said otherwise. */
  account?: string;
  /** The account a moved key reaches. */
  toAccount?: string;
}

export const isRequestFault = (name: FaultName): name is RequestFaultName =>
  (REQUEST_FAULTS as readonly string[]).includes(name);
