/** Fits quantities and prices to a pair's rules, and says what is too little to sell. */
import { add, ceilToStep, divide, floorToStep, multiply } from '../../contract/money.ts';
import { fixedFromNumber, UNIT, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { OrderSide, PairRules } from '../../contract/venue.ts';

export type SizedOrder =
  | { kind: 'order'; quantity: Fixed }
  /** Too little for an order under the pair's rules. */
  | { kind: 'dust'; quantity: Fixed; why: 'below_step' | 'below_quantity' | 'below_notional' };

/** A quantity down to the step, judged by the pair's minimums at `price`. */
export function sizeOrder(wanted: Fixed, price: Fixed, rules: PairRules): SizedOrder {
  const quantity = wanted > 0n ? floorToStep(wanted, rules.quantityStep) : ZERO;
  if (quantity <= 0n) return { kind: 'dust', quantity: wanted, why: 'below_step' };
  if (quantity < rules.minQuantity)
    return { kind: 'dust', quantity: wanted, why: 'below_quantity' };
  if (multiply(quantity, price, 'down') < rules.minNotional)
    return { kind: 'dust', quantity: wanted, why: 'below_notional' };
  return { kind: 'order', quantity };
}

/** The most that can be sold of what is owned, where the fee comes out of the same coin. */
export function withinOwned(owned: Fixed, baseFeeBps: Fixed): Fixed {
  if (owned <= 0n) return ZERO;
  if (baseFeeBps <= 0n) return owned;
  const perUnit = add(UNIT, divide(baseFeeBps, fixedFromNumber(10_000), 'up'));
  // Rounded down by a rate rounded up: what is left over covers the fee, rounded up too.
  return divide(owned, perUnit, 'down');
}

/** A limit price on the tick, never worse for us than asked: a buy's down, a sale's up. */
export function limitOnTick(side: OrderSide, price: Fixed, rules: PairRules): Fixed {
  return side === 'buy' ? floorToStep(price, rules.priceTick) : ceilToStep(price, rules.priceTick);
}

/** A stop's price on the tick, upwards: it never sells later than the agent's stop. */
export function stopOnTick(price: Fixed, rules: PairRules): Fixed {
  return ceilToStep(price, rules.priceTick);
}
