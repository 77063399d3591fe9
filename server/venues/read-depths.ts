/** Reads how deep the markets of some pairs are, ahead of the transaction that sells there. */
import type { Depth } from '../../engine/market-types.ts';
import type { Log } from '../log.ts';
import type { Venue } from './venue.ts';

/** A press waits no longer for candles that an exchange does not send. */
const WAIT_MS = 2_000;

/**
 * By pair; a pair whose candles cannot be read in time is left out. Never within a transaction: on
 * PGlite everybody would wait for the exchange, and a stop would fail with its sale.
 */
export async function readDepths(
  { venue, log }: { venue: Venue; log: Log },
  pairs: readonly string[],
  waitMs = WAIT_MS,
): Promise<ReadonlyMap<string, Depth>> {
  const depths = new Map<string, Depth>();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer in ${waitMs} ms`));
    }, waitMs);
  });
  await Promise.all(
    [...new Set(pairs)].map(async (pair) => {
      try {
        depths.set(pair, await Promise.race([venue.depth(pair), late]));
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        log.warn({ pair, reason }, 'The candles for a sale cannot be read');
      }
    }),
  );
  clearTimeout(timer);
  return depths;
}
