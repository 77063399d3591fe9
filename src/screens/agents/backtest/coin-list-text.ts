/**
 * Which list of coins a test trades, in words; refuses to pass today's list off as that of the
 * time.
 */
import type { BacktestTerms } from '../../../../contract/backtest.ts';
import { formatDate } from '../../../format/times.ts';

/** Whether the pool had another list when the test begins. */
export const isOtherList = ({
  from,
  universe,
}: Pick<BacktestTerms, 'from' | 'universe'>): boolean => universe != null && from < universe.from;

/**
 * Of a pool that picks the coins: which list was traded, and what is wrong with trading today's all
 * along. Null where the person named the pairs.
 */
export function listText(terms: Pick<BacktestTerms, 'from' | 'universe'>): string | null {
  const { universe } = terms;
  if (universe == null) return null;
  if (universe.from > terms.from)
    return `Its pool has had this list of coins since ${formatDate(universe.from)} only; before that it was another. The test trades today's all along: it knows which coins were kept, and leaves out those that were dropped.`;
  return `The coins are those of the pool's list ${universe.version}, in force for the whole time; of them those that are offered here today.`;
}
