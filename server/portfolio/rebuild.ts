/**
 * Rebuilds an account from its fills by the engine's own arithmetic, without reading the stored
 * figures.
 */
import { add, basisPoints, formatFixed, multiply, subtract, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import { applyBuy, settleSale } from '../../engine/accounting/ledger.ts';
import type { LedgerFill } from './fill-order.ts';

/**
 * The rule versions whose notionals and fees are worked out as here; another is taken at its word.
 * Version 2 prices impact by the day's volume, which a fill does not keep.
 */
const KNOWN_RULES: ReadonlySet<number> = new Set([1, 2]);

export interface RebuiltAccount {
  /** By agent and pair, those that were sold wholly too. */
  positions: Map<string, { agentId: string; pair: string; quantity: Fixed; cost: Fixed }>;
  /** What the fills did to cash. */
  cash: Fixed;
  fees: Fixed;
  realized: Fixed;
  /** Where a fill contradicts itself or those before it. */
  differences: string[];
}

export const emptyAccount = (): RebuiltAccount => ({
  positions: new Map(),
  cash: ZERO,
  fees: ZERO,
  realized: ZERO,
  differences: [],
});
export const keyOf = ({ agentId, pair }: { agentId: string; pair: string }): string =>
  `${agentId}:${pair}`;

/** Fills come in the order in which the ledger took them. */
export function applyFill(account: RebuiltAccount, fill: LedgerFill): void {
  const say = (what: string, is: Fixed | null, due: Fixed): void => {
    account.differences.push(
      `Fill ${fill.id} (${fill.pair}): ${what} is ${is === null ? 'missing' : formatFixed(is)}, not ${formatFixed(due)}`,
    );
  };
  if (KNOWN_RULES.has(fill.ruleVersion)) {
    const notional = multiply(fill.quantity, fill.price, fill.side === 'buy' ? 'up' : 'down');
    const fee = basisPoints(fill.notional, fill.feeBps, 'up');
    if (notional !== fill.notional) say('its amount', fill.notional, notional);
    if (fee !== fill.fee) say('its fee', fill.fee, fee);
  }
  account.fees = add(account.fees, fill.fee);
  const key = keyOf(fill);
  const held = account.positions.get(key) ?? {
    agentId: fill.agentId,
    pair: fill.pair,
    quantity: ZERO,
    cost: ZERO,
  };
  if (fill.side === 'buy') {
    account.cash = subtract(account.cash, add(fill.notional, fill.fee));
    const { quantity, cost } = applyBuy({ ...held, stopPrice: null }, fill, null);
    account.positions.set(key, { ...held, quantity, cost });
    return;
  }
  account.cash = add(account.cash, subtract(fill.notional, fill.fee));
  if (fill.quantity > held.quantity) {
    say('what it sells', fill.quantity, held.quantity);
    account.positions.set(key, { ...held, quantity: ZERO, cost: ZERO });
    return;
  }
  const { after, costBasis, realized } = settleSale({ ...held, stopPrice: null }, fill);
  if (fill.costBasis !== costBasis) say('what was sold had cost', fill.costBasis, costBasis);
  if (fill.realized !== realized) say('what it realised', fill.realized, realized);
  account.realized = add(account.realized, realized);
  account.positions.set(key, { ...held, quantity: after.quantity, cost: after.cost });
}
