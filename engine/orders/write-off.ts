/**
 * Coins that an agent gives up, at cost and with no result: those that a person sold or took out by
 * hand while its position counted them, and dust that is left to the person.
 */
import { maximum, minimum, multiply, subtract, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import { CASH, holdingBucket, settleSale } from '../accounting/ledger.ts';
import type { LedgerEntry } from '../accounting/ledger-entry.ts';
import type { OpenPosition, PositionAfter } from '../execution/agent-types.ts';
import { baseOf } from '../pair-coins.ts';
import type { LiveOrder } from './live-order.ts';
import { saleExposure } from './stop-plan.ts';

/**
 * `written_off`: the account has not got them any more. `dust_left`: they are there, too few for an
 * order, and the person's from then on.
 */
export type WriteOffCause = 'written_off' | 'dust_left';

export interface WriteOff {
  agentId: string;
  symbol: string;
  quantity: Fixed;
}

/**
 * The most that an agent may give up now: what the account lacks of the coin, and no more than it
 * holds less what any order of its own may still sell, whatever the exchange makes of it.
 */
export function mostToWriteOff(
  missing: Fixed,
  held: Fixed,
  agentId: string,
  orders: readonly LiveOrder[],
): Fixed {
  return maximum(ZERO, minimum(missing, subtract(held, saleExposure(agentId, orders))));
}

/**
 * From what the agent holds to the person's own, where the trade or the withdrawal by hand was
 * booked, and where dust is: what the ledger says is at the exchange stays as it is.
 */
export function writeOffEntries({ agentId, symbol, quantity }: WriteOff): LedgerEntry[] {
  const asset = baseOf(symbol);
  return [
    { bucket: holdingBucket(agentId, symbol), asset, amount: subtract(ZERO, quantity) },
    { bucket: CASH, asset, amount: quantity },
  ];
}

type Held = Pick<OpenPosition, 'quantity' | 'cost' | 'stopPrice'>;

/**
 * The position without them, and what they had cost: their share, rounded as for a sale.
 * @throws RangeError when more is given up than is held.
 */
export function positionAfterWriteOff(
  held: Held,
  { symbol: pair, quantity }: Pick<WriteOff, 'symbol' | 'quantity'>,
): { after: PositionAfter; cost: Fixed } {
  const { after, costBasis } = settleSale(held, { pair, quantity, notional: ZERO, fee: ZERO });
  return { after, cost: costBasis };
}

/**
 * What an account is worth less without them, as it is valued: the whole position at the bid before
 * and after, so that not a digit remains. At cost where there is no price.
 */
export function worthOfWriteOff(before: Held, after: Held, bid: Fixed | null): Fixed {
  const worth = ({ quantity, cost }: Held): Fixed =>
    bid === null ? cost : multiply(quantity, bid, 'down');
  return subtract(worth(before), worth(after));
}
