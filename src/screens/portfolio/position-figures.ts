/**
 * Figures of one position: gain, share of equity and the buys behind its cost, if these add up to
 * it.
 */
import { add, parseFixed, toNumber, ZERO } from '../../../contract/money.ts';
import type { Fill, Position } from '../../../contract/trading.ts';

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

/**
 * The buys that made the cost, oldest first, if they add up to it to the last digit. After a
 * partial sale they do not.
 */
export function buysBehind(
  position: Pick<Position, 'agentId' | 'pair' | 'openedAt' | 'cost'>,
  fills: readonly Fill[],
): Fill[] | null {
  const mine = fills
    .filter(
      (fill) =>
        fill.agentId === position.agentId &&
        fill.pair === position.pair &&
        fill.filledAt >= position.openedAt,
    )
    .reverse();
  const sum = mine.reduce(
    (total, fill) => add(total, add(parseFixed(fill.notional), parseFixed(fill.fee))),
    ZERO,
  );
  return mine.length > 0 &&
    mine.every((fill) => fill.side === 'buy') &&
    sum === parseFixed(position.cost)
    ? mine
    : null;
}
