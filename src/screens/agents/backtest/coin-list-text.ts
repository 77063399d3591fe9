/**
 * Says which version of a pool's coin list a backtest uses, and warns where it is newer than the
 * candles.
 */
import type { BacktestTerms } from '../../../../contract/backtest.ts';
import { formatDate } from '../../../format/times.ts';

/** Whether the pool had another list when the backtest begins. */
export const isOtherList = ({
  from,
  universe,
}: Pick<BacktestTerms, 'from' | 'universe'>): boolean => universe != null && from < universe.from;

/**
 * Which coin list was used, for pools that choose their coins. Null where the user chose the pairs.
 */
export function listText(terms: Pick<BacktestTerms, 'from' | 'universe'>): string | null {
  const { universe } = terms;
  if (universe == null) return null;
  if (universe.from > terms.from)
    return (
      `The pool has used this list of coins since ${formatDate(universe.from)}. ` +
      'The backtest uses it for the whole period, so earlier results favour coins that stayed on the list.'
    );
  return `Uses the pool's coin list ${universe.version}, in force for the whole period, as far as its coins are offered here today.`;
}
