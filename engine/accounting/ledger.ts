/** Double entry and average cost: the ledger entries of each event, exact to the last digit. */
import { add, multiply, negate, subtract, sum, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { FillDraft, OpenPosition, PositionAfter } from '../execution/agent-types.ts';
import type { LedgerEntry } from './ledger-entry.ts';
import type { Quote } from '../market-types.ts';

export const CASH = 'cash';
export const EXTERNAL = 'external';
export const FEES = 'fees';
export const VENUE = 'venue';

/** The bucket of what one agent holds of one pair. */
export function holdingBucket(agentId: string, pair: string): string {
  return `holding:${agentId}:${pair}`;
}

/** Money from outside: cash against `external`. */
export function depositEntries(asset: string, amount: Fixed): LedgerEntry[] {
  if (amount <= 0n) throw new RangeError('A deposit must be positive');
  return [
    { bucket: CASH, asset, amount },
    { bucket: EXTERNAL, asset, amount: negate(amount) },
  ];
}

/** The part of a fill that the ledger reads. */
type Posted = Pick<FillDraft, 'pair' | 'side' | 'quantity' | 'notional' | 'fee'>;

/**
 * A fill's entries; they sum to zero in the quote currency and in the base asset. Zero amounts are
 * left out.
 */
export function fillEntries(agentId: string, fill: Posted): LedgerEntry[] {
  const [base = '', quote = ''] = fill.pair.split('/');
  const holding = holdingBucket(agentId, fill.pair);
  const buying = fill.side === 'buy';
  const paid = buying ? negate(add(fill.notional, fill.fee)) : subtract(fill.notional, fill.fee);
  const entries: LedgerEntry[] = [
    { bucket: CASH, asset: quote, amount: paid },
    { bucket: FEES, asset: quote, amount: fill.fee },
    { bucket: VENUE, asset: quote, amount: buying ? fill.notional : negate(fill.notional) },
    { bucket: holding, asset: base, amount: buying ? fill.quantity : negate(fill.quantity) },
    { bucket: VENUE, asset: base, amount: buying ? negate(fill.quantity) : fill.quantity },
  ];
  return entries.filter((entry) => entry.amount !== 0n);
}

/** The sum of the entries per asset; all zero where the ledger balances. */
export function sumsByAsset(entries: Iterable<LedgerEntry>): Map<string, Fixed> {
  const sums = new Map<string, Fixed>();
  for (const { asset, amount } of entries) sums.set(asset, add(sums.get(asset) ?? ZERO, amount));
  return sums;
}

type Held = Pick<OpenPosition, 'quantity' | 'cost' | 'stopPrice'>;

/** The position after a buy: the whole payment, fee included, becomes cost. */
export function applyBuy(
  held: Held | null,
  fill: Omit<Posted, 'side'>,
  stopPrice: Fixed | null,
): PositionAfter {
  return {
    pair: fill.pair,
    quantity: add(held?.quantity ?? ZERO, fill.quantity),
    cost: add(add(held?.cost ?? ZERO, fill.notional), fill.fee),
    stopPrice,
  };
}

/**
 * A sell at average cost: what was sold had cost, and brought (proceeds − fee − basis). Selling the
 * whole takes the whole cost, so that no remainder of rounding outlives a position.
 * @throws RangeError when more is sold than held.
 */
export function settleSale(
  held: Held,
  fill: Omit<Posted, 'side'>,
): { costBasis: Fixed; realized: Fixed; after: PositionAfter } {
  if (fill.quantity > held.quantity) throw new RangeError('Cannot sell more than is held');
  const whole = fill.quantity === held.quantity;
  // Rounded down: the remainder stays in the cost of the rest, and leaves with its last unit.
  const costBasis = whole ? held.cost : (((held.cost * fill.quantity) / held.quantity) as Fixed);
  return {
    costBasis,
    realized: subtract(subtract(fill.notional, fill.fee), costBasis),
    after: {
      pair: fill.pair,
      quantity: subtract(held.quantity, fill.quantity),
      cost: subtract(held.cost, costBasis),
      stopPrice: whole ? null : held.stopPrice,
    },
  };
}

/** The same, with the realised result written into the fill. */
export function applySell(held: Held, fill: FillDraft): { fill: FillDraft; after: PositionAfter } {
  const { after, ...result } = settleSale(held, fill);
  return { fill: { ...fill, ...result }, after };
}

export interface PositionValuation {
  id: string;
  pair: string;
  /** Quantity × bid, rounded down; the cost where there is no price. */
  value: Fixed;
  unrealized: Fixed;
  priced: boolean;
}

export interface Valuation {
  cash: Fixed;
  positionsValue: Fixed;
  /** cash + positionsValue, to the last digit. */
  equity: Fixed;
  unrealized: Fixed;
  marks: PositionValuation[];
  unpriced: string[];
}

/** Values an account at the bid: what a sale would bring now, before its fee. */
export function markToMarket(
  cash: Fixed,
  positions: readonly Pick<OpenPosition, 'id' | 'pair' | 'quantity' | 'cost'>[],
  quotes: ReadonlyMap<string, Quote>,
): Valuation {
  const marks = positions.map((position): PositionValuation => {
    const quote = quotes.get(position.pair);
    const value = quote ? multiply(position.quantity, quote.bid, 'down') : position.cost;
    return {
      id: position.id,
      pair: position.pair,
      value,
      unrealized: subtract(value, position.cost),
      priced: quote !== undefined,
    };
  });
  const positionsValue = sum(marks.map((mark) => mark.value));
  return {
    cash,
    positionsValue,
    equity: add(cash, positionsValue),
    unrealized: sum(marks.map((mark) => mark.unrealized)),
    marks,
    unpriced: [...new Set(marks.filter((mark) => !mark.priced).map((mark) => mark.pair))],
  };
}
