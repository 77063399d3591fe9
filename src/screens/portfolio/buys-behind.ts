/** The buys behind the cost of a position, if they add up to it. */
import { add, parseFixed, ZERO } from '../../../contract/money.ts';
import type { Fill, Position } from '../../../contract/trading.ts';

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
