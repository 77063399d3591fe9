/** What a client can ask of an exchange, in no exchange's words. */

export const PUBLIC_CALLS = [
  'time',
  'status',
  'coins',
  'markets',
  'ticker',
  'best-prices',
  'book',
  'public-trades',
] as const;

export const PRIVATE_CALLS = [
  'place',
  'cancel',
  'order',
  'open-orders',
  'closed-orders',
  'trades',
  'balances',
  'permissions',
  'fee-tier',
  'coin-settings',
  'stream-token',
  'ledger',
] as const;

export type CallName = (typeof PUBLIC_CALLS)[number] | (typeof PRIVATE_CALLS)[number];

export const isPrivate = (call: CallName): boolean =>
  (PRIVATE_CALLS as readonly string[]).includes(call);

/** One HTTP request as it arrived. */
export interface Arrived {
  method: string;
  /** Without the query. */
  path: string;
  /** As it was sent, for signatures. */
  rawQuery: string;
  headers: Record<string, string | undefined>;
  body: string;
}

export interface Asked extends Arrived {
  /** Counts every request to this exchange, from 1. */
  number: number;
  query: URLSearchParams;
  host: string;
}

export interface Answer {
  status: number;
  /** Text is sent as it is; anything else as JSON. */
  body: unknown;
  headers?: Record<string, string>;
}
