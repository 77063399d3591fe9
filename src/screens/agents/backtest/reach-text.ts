/** Says where the source's candles do not reach as far back as a backtest was asked for. */
import type { BacktestTerms } from '../../../../contract/backtest.ts';
import { INTERVAL_MS } from '../../../../contract/intervals.ts';
import { testedInterval } from '../../../backtest/read-past-candles.ts';
import { formatNumber } from '../../../format/numbers.ts';

export const INTERVAL_NAME = {
  '1m': '1 minute',
  '5m': '5 minutes',
  '15m': '15 minutes',
  '20m': '20 minutes',
  '1h': '1 hour',
  '4h': '4 hours',
  '1d': '1 day',
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
      `Covers ${daysOf(to - from)} of ${daysOf(to - askedFrom)} days: ${source} provides no older candles of ${INTERVAL_NAME[used]}.`,
    );
  if (INTERVAL_MS[used] > INTERVAL_MS[wanted])
    said.push(
      `Uses candles of ${INTERVAL_NAME[used]}: ${source} provides none of ${INTERVAL_NAME[wanted]} that far back.`,
    );
  return said.length === 0 ? null : said.join(' ');
}
