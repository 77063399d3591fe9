/** The ledger entries of real fills and of movements that are not ours, and the position after. */
import { add, maximum, minimum, negate, subtract, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { VenueFill } from '../../contract/venue.ts';
import { CASH, EXTERNAL, FEES, holdingBucket, settleSale, VENUE } from '../accounting/ledger.ts';
import { applyBuy } from '../accounting/ledger.ts';
import type { LedgerEntry } from '../accounting/ledger-entry.ts';
import type { OpenPosition, PositionAfter } from '../execution/agent-types.ts';
import { baseOf, quoteOf } from '../pair-coins.ts';
import { feeIn } from './live-order.ts';

const HOLDING_PREFIX = 'holding:';

/**
 * A real fill's entries; they sum to zero in every coin. A fee in the base coin comes out of what
 * the agent holds, one in any other coin out of cash.
 */
export function venueFillEntries(agentId: string, fill: VenueFill): LedgerEntry[] {
  const base = baseOf(fill.symbol);
  const quote = quoteOf(fill.symbol);
  const isBuy = fill.side === 'buy';
  const quoteFee = feeIn(fill, quote);
  const baseFee = feeIn(fill, base);
  const holding = holdingBucket(agentId, fill.symbol);
  const moved = isBuy ? negate(fill.quoteAmount) : fill.quoteAmount;
  const entries: LedgerEntry[] = [
    { bucket: CASH, asset: quote, amount: subtract(moved, quoteFee) },
    { bucket: FEES, asset: quote, amount: quoteFee },
    { bucket: VENUE, asset: quote, amount: negate(moved) },
    { bucket: holding, asset: base, amount: heldChange(fill) },
    { bucket: VENUE, asset: base, amount: isBuy ? negate(fill.quantity) : fill.quantity },
    { bucket: FEES, asset: base, amount: baseFee },
  ];
  for (const asset of new Set(fill.fees.map((fee) => fee.asset))) {
    if (asset === base || asset === quote) continue;
    const fee = feeIn(fill, asset);
    entries.push({ bucket: CASH, asset, amount: negate(fee) });
    entries.push({ bucket: FEES, asset, amount: fee });
  }
  return entries.filter((entry) => entry.amount !== 0n);
}

/** What a fill adds to the agent's coins: less its fee, where that is taken from them. */
export function heldChange(fill: VenueFill): Fixed {
  const moved = fill.side === 'buy' ? fill.quantity : negate(fill.quantity);
  return subtract(moved, feeIn(fill, baseOf(fill.symbol)));
}

/** A deposit, or a withdrawal where the amount is negative. */
export function externalEntries(asset: string, amount: Fixed): LedgerEntry[] {
  if (amount === 0n) return [];
  return [
    { bucket: CASH, asset, amount },
    { bucket: EXTERNAL, asset, amount: negate(amount) },
  ];
}

/** What a trade changes at the exchange, coin by coin. */
export function balanceChanges(fill: VenueFill): Map<string, Fixed> {
  const changes = new Map<string, Fixed>();
  const change = (asset: string, amount: Fixed): void => {
    changes.set(asset, add(changes.get(asset) ?? ZERO, amount));
  };
  const isBuy = fill.side === 'buy';
  change(baseOf(fill.symbol), isBuy ? fill.quantity : negate(fill.quantity));
  change(quoteOf(fill.symbol), isBuy ? negate(fill.quoteAmount) : fill.quoteAmount);
  for (const fee of fill.fees) change(fee.asset, negate(fee.amount));
  return changes;
}

/** A trade that the person made by hand: all of it comes from outside. */
export function handTradeEntries(fill: VenueFill): LedgerEntry[] {
  return [...balanceChanges(fill)].flatMap(([asset, amount]) => externalEntries(asset, amount));
}

/** Entries that undo others, for a trade that turned out to be ours. */
export function reversed(entries: readonly LedgerEntry[]): LedgerEntry[] {
  return entries.map((entry) => ({ ...entry, amount: negate(entry.amount) }));
}

/**
 * What the ledger says is at the exchange, coin by coin: cash and what agents hold. The other
 * buckets say where it came from and went.
 */
export function ownedByAsset(entries: Iterable<LedgerEntry>): Map<string, Fixed> {
  const owned = new Map<string, Fixed>();
  for (const { bucket, asset, amount } of entries)
    if (bucket === CASH || bucket.startsWith(HOLDING_PREFIX))
      owned.set(asset, add(owned.get(asset) ?? ZERO, amount));
  return owned;
}

export interface PositionStep {
  after: PositionAfter;
  /** Null for a buy. Fees in a third coin are in neither figure: they have no price here. */
  costBasis: Fixed | null;
  realized: Fixed | null;
  /** Coins that left without being the agent's; zero unless our records or the exchange are wrong. */
  oversold: Fixed;
}

/** The position after a real fill; a fill is never refused, also where it sells more than is held. */
export function positionAfter(
  held: Pick<OpenPosition, 'quantity' | 'cost' | 'stopPrice'> | null,
  fill: VenueFill,
  stopPrice: Fixed | null,
): PositionStep {
  const { symbol: pair, quoteAmount: notional } = fill;
  const fee = feeIn(fill, quoteOf(pair));
  const change = heldChange(fill);
  if (fill.side === 'buy') {
    const after = applyBuy(held, { pair, quantity: change, notional, fee }, stopPrice);
    return { after, costBasis: null, realized: null, oversold: ZERO };
  }
  const gone = negate(change);
  const position = held ?? { quantity: ZERO, cost: ZERO, stopPrice: null };
  const quantity = minimum(gone, position.quantity);
  const oversold = maximum(ZERO, subtract(gone, position.quantity));
  if (quantity <= 0n) {
    const after = { pair, ...position };
    return { after, costBasis: ZERO, realized: subtract(notional, fee), oversold };
  }
  return { ...settleSale(position, { pair, quantity, notional, fee }), oversold };
}
