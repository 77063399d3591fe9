/** Figures of one position: gain and share of equity. */
import { parseFixed, toNumber } from '../../../contract/money.ts';
import type { Position } from '../../../contract/trading.ts';

/** Unrealised gain in percent of its cost, for display. */
export function gainPercent(position: Pick<Position, 'unrealized' | 'cost'>): number | null {
  const cost = toNumber(parseFixed(position.cost));
  return position.unrealized === null || cost === 0
    ? null
    : (toNumber(parseFixed(position.unrealized)) / cost) * 100;
}

/** Share of equity; null where either is unknown. */
export function shareOf(
  position: Pick<Position, 'value'>,
  equity: string | undefined,
): number | null {
  const whole = equity === undefined ? 0 : toNumber(parseFixed(equity));
  return position.value === null || whole <= 0
    ? null
    : toNumber(parseFixed(position.value)) / whole;
}
