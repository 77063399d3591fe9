/**
 * How long anybody waits for what an exchange sends: it may take minutes over candles, and neither a
 * page nor a press, nor the stop of another pair, waits for that.
 */
import type { CandleInterval } from '../../contract/market.ts';
import type { Candle } from '../../engine/market-types.ts';
import type { Market } from './market-source.ts';

/** Of a page, and of a press that sells. */
export const SCREEN_WAIT_MS = 2_000;

/** @throws Error where it is late; what was asked for goes on, for whoever asks next. */
export async function inTime<T>(reading: Promise<T>, waitMs = SCREEN_WAIT_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer in ${waitMs} ms`));
    }, waitMs);
  });
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Null where they cannot be read, or not in time. Never within a transaction. */
export function candlesInTime(
  market: Pick<Market, 'candles'>,
  pair: string,
  interval: CandleInterval,
  from: number,
  to: number,
): Promise<Candle[] | null> {
  return inTime(market.candles(pair, interval, from, to, 'screen')).catch(() => null);
}
