/** A user's result as a text to share. It contains a percentage only, no names or amounts. */
import { divide, parseFixed, subtract, toNumber, ZERO } from '../../../contract/money.ts';
import type { Portfolio } from '../../../contract/trading.ts';
import { formatPercent } from '../../format/numbers.ts';

/** Null where there is no result. */
export function resultText(portfolio: Pick<Portfolio, 'equity' | 'deposits'>): string | null {
  const deposits = parseFixed(portfolio.deposits);
  if (deposits <= ZERO) return null;
  const percent =
    toNumber(divide(subtract(parseFixed(portfolio.equity), deposits), deposits, 'half-even')) * 100;
  return `My trading agents with paper money: ${formatPercent(percent, { signed: true })} since the start, after fees.`;
}
