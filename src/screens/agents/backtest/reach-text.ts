/** Says where the source's candles do not reach as far back as a backtest was asked for. */
import type { BacktestTerms } from '../../../../contract/backtest.ts';
import { INTERVAL_MS } from '../../../../contract/intervals.ts';
import { testedInterval } from '../../../backtest/read-past-candles.ts';
import { formatNumber } from '../../../format/numbers.ts';

/** Stands before "candles". */
export const CANDLE_NAME = {
  '1m': '1-minute',
  '5m': '5-minute',
  '15m': '15-minute',
  '20m': '20-minute',
  '1h': '1-hour',
  '4h': '4-hour',
  '1d': 'daily',
} as const;

const daysOf = (ms: number): string => formatNumber(Math.floor(ms / INTERVAL_MS['1d']));

/** Null where nothing is shorter or coarser for it. */
export function reachText(terms: BacktestTerms): string | null {
  const { from, reach, to } = terms;
  if (reach === undefined) return null;
  const { askedFrom, finest, source } = reach;
  const used = testedInterval(terms);
  const wanted = testedInterval({ ...terms, baseInterval: finest, from: askedFrom });
  const said: string[] = [];
  if (from > askedFrom)
    said.push(
      `Covers ${daysOf(to - from)} of ${daysOf(to - askedFrom)} days: ${source} has no older ${CANDLE_NAME[used]} candles.`,
    );
  if (INTERVAL_MS[used] > INTERVAL_MS[wanted])
    said.push(
      `Uses ${CANDLE_NAME[used]} candles: ${source} has no ${CANDLE_NAME[wanted]} candles that far back.`,
    );
  return said.length === 0 ? null : said.join(' ');
}
