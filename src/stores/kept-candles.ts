/** The last viewed candles, kept on the device for use offline. */
import type { Candles, KeptCandles } from '../../contract/market.ts';
import { readLastUser } from '../identity/last-user.ts';
import { log } from '../platform/page-log.ts';
import { readSnapshot, writeSnapshot } from '../offline/snapshots.ts';

const CHARTS_KEPT = 8;
const CANDLES_KEPT = 300;

type Kept = KeptCandles['charts'][number];

const isOf = (
  kept: Kept,
  source: string | null,
  { symbol, interval }: Pick<Candles, 'symbol' | 'interval'>,
): boolean =>
  (source === null || kept.source === source) &&
  kept.reading.symbol === symbol &&
  kept.reading.interval === interval;

/** Writes are serialised, because each begins from the result of the one before. */
let writing: Promise<unknown> = Promise.resolve();

/** Saves the newest candles of a chart in place of the least recently viewed chart. */
export function keepCandles(source: string, reading: Candles, now = Date.now()): Promise<void> {
  const write = async (): Promise<void> => {
    const uid = readLastUser()?.uid;
    if (uid === undefined) return;
    const known = await readSnapshot(uid, 'candles');
    const others = (known?.value.charts ?? []).filter((kept) => !isOf(kept, source, reading));
    const mine = {
      source,
      savedAt: now,
      reading: { ...reading, candles: reading.candles.slice(-CANDLES_KEPT) },
    };
    await writeSnapshot(uid, 'candles', { charts: [mine, ...others].slice(0, CHARTS_KEPT) }, now);
  };
  const mine = writing.then(write).catch((error: unknown) => {
    log.warn('Could not save candles', error);
  });
  writing = mine;
  return mine;
}

/** The saved candles of a chart; without a source, of any source. */
export async function readKeptCandles(
  source: string | null,
  chart: Pick<Candles, 'symbol' | 'interval'>,
): Promise<Kept | null> {
  const uid = readLastUser()?.uid;
  const known = uid === undefined ? null : await readSnapshot(uid, 'candles').catch(() => null);
  return known?.value.charts.find((kept) => isOf(kept, source, chart)) ?? null;
}
