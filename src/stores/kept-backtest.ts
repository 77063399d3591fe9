/** The last backtest's terms and candles, kept on the device for use offline. */
import type { KeptBacktest } from '../../contract/backtest.ts';
import { readLastUser } from '../identity/last-user.ts';
import { log } from '../platform/page-log.ts';
import { readSnapshot, writeSnapshot } from '../offline/snapshots.ts';

export async function keepBacktest(kept: KeptBacktest, now = Date.now()): Promise<void> {
  const uid = readLastUser()?.uid;
  if (uid === undefined) return;
  await writeSnapshot(uid, 'backtest', kept, now).catch((error: unknown) => {
    log.warn('Could not save the candles of a backtest', error);
  });
}

/**
 * The saved candles of the same backtest, and when they were saved (device clock, ms); null without
 * any.
 */
export async function readKeptBacktest(
  key: string,
): Promise<{ kept: KeptBacktest; savedAt: number } | null> {
  const uid = readLastUser()?.uid;
  const found = uid === undefined ? null : await readSnapshot(uid, 'backtest').catch(() => null);
  return found !== null && found.value.key === key
    ? { kept: found.value, savedAt: found.savedAt }
    : null;
}
