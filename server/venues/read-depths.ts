/** Reads how deep the markets of some pairs are, ahead of the transaction that sells there. */
import type { Depth } from '../../engine/market-types.ts';
import type { Log } from '../log.ts';
import { inTime, SCREEN_WAIT_MS } from '../market/candles-in-time.ts';
import type { Venue } from './venue.ts';

/**
 * By pair; a pair whose candles cannot be read in time is left out: a press waits no longer for what
 * an exchange does not send. Never within a transaction: on PGlite everybody would wait for the
 * exchange, and a stop would fail with its sale.
 */
export async function readDepths(
  { venue, log }: { venue: Venue; log: Log },
  pairs: readonly string[],
  waitMs = SCREEN_WAIT_MS,
): Promise<ReadonlyMap<string, Depth>> {
  const depths = new Map<string, Depth>();
  await Promise.all(
    [...new Set(pairs)].map(async (pair) => {
      try {
        depths.set(pair, await inTime(venue.depth(pair), waitMs));
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        log.warn({ pair, reason }, 'The candles for a sale cannot be read');
      }
    }),
  );
  return depths;
}
