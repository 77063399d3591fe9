/** What the page reads of one pair at an exchange, before it becomes a quote. */
import * as z from 'zod/mini';

export interface Reading {
  symbol: string;
  last: number;
  bid?: number;
  ask?: number;
  high: number;
  low: number;
  volume: number;
  /** Change over 24 hours, %; null where the exchange does not state it. */
  change: number | null;
  at: number;
}

export type GetJson = (url: string) => Promise<unknown>;
/** Reads all pairs of one exchange. `nowMs` dates prices that bring no time of their own. */
export type ReadPrices = (get: GetJson, nowMs: number) => Promise<Reading[]>;

/** Exchanges send numbers as text. */
export const numeric = z.coerce.number();
