/**
 * Blocks entries on a price that is not of the moment of the decision: older than its candle, or
 * long after it.
 */
import { HOUR_MS } from '../execution/schedule.ts';
import { momentText } from './guard.ts';
import type { PairGuard } from './guard.ts';

/**
 * A decision is good for as long as its candle lasted, but for an hour at least: ticks are taken in
 * batches, and a replayed hour passes in seconds.
 */
export const GOOD_FOR_MIN_MS = HOUR_MS;

export const staleFeed = {
  stage: 'pair',
  code: 'stale_feed',

  check({ at, intervalMs, pair, quote }) {
    if (quote.at < at)
      return {
        text: `No price of ${pair} since ${momentText(quote.at)}: no new trade there until one comes.`,
        until: null,
      };
    if (!isLate(quote.at, at, intervalMs)) return null;
    return {
      text: `The first price of ${pair} came too late after the candle, at ${momentText(quote.at)}: no new trade there before the next candle.`,
      until: null,
    };
  },

  bound: ({ quotedAt }, { at, intervalMs }) =>
    quotedAt < at || isLate(quotedAt, at, intervalMs) ? 'blocks' : 'passes',
} satisfies PairGuard;

const isLate = (quotedAt: number, at: number, intervalMs: number): boolean =>
  quotedAt - at > Math.max(intervalMs, GOOD_FOR_MIN_MS);
