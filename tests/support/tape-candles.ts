/** Candles worked out from a tape's own files, apart from the product's code that builds them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { quoteOffset, quotePrices } from '../../server/market/replay-quotes.ts';

export interface TapeRow {
  time: number;
  open: number;
  high: number;
  low: number;
  close: number;
  volume: number;
}

/** One pair's rows of a folder, oldest first. */
export function tapeRows(folder: string, pair: string): TapeRow[] {
  const text = gunzipSync(readFileSync(join(folder, `${pair.replace('/', '-')}.csv.gz`))).toString(
    'utf8',
  );
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [time = NaN, open = NaN, high = NaN, low = NaN, close = NaN, volume = NaN] = line
        .split(',')
        .map(Number);
      return { time: time * 1_000, open, high, low, close, volume };
    });
}

/** The prices that a replay makes of a row, with their moments. */
function ticksOf(row: TapeRow, pair: string, lengthMs: number): { at: number; price: number }[] {
  return quotePrices(pair, row).map((price, index) => ({
    at: row.time + quoteOffset(index, lengthMs),
    price,
  }));
}

/**
 * The candle of `intervalMs` that opened at `time`, from the rows that have closed by `at` and the
 * ticks of the row that is open then; null where there are none.
 */
export function candleAsOf(
  rows: readonly TapeRow[],
  pair: string,
  time: number,
  intervalMs: number,
  at: number,
): TapeRow | null {
  const rowMs = Math.min(
    ...rows.slice(1, 20).map((row, index) => row.time - (rows[index]?.time ?? 0)),
  );
  let made: TapeRow | null = null;
  const add = (open: number, high: number, low: number, close: number, volume: number): void => {
    if (made === null) made = { time, open, high, low, close, volume };
    else
      made = {
        ...made,
        high: Math.max(made.high, high),
        low: Math.min(made.low, low),
        close,
        volume: made.volume + volume,
      };
  };
  for (const row of rows) {
    if (row.time < time || row.time >= time + intervalMs) continue;
    if (row.time + rowMs <= at) add(row.open, row.high, row.low, row.close, row.volume);
    else
      for (const tick of ticksOf(row, pair, rowMs))
        if (tick.at <= at) add(tick.price, tick.price, tick.price, tick.price, 0);
  }
  return made;
}
