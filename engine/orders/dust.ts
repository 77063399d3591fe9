/**
 * Dust that goes to the person: what an agent holds and no order can sell, neither now nor at the
 * price of its last trade. Its position would stay open for good.
 */
import { fixedFromNumber, multiply } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { OrderSide, PairRules } from '../../contract/venue.ts';
import { sizeOrder } from './order-size.ts';

/** The last that the agent traded of the pair. */
export interface LastTrade {
  side: OrderSide;
  price: Fixed;
  /** Of a sale: whether it was to sell all of the position. */
  isOfAll: boolean;
}

export interface LeftOver {
  held: Fixed;
  last: LastTrade;
  bid: Fixed;
  rules: PairRules;
  /** All of the position is to be sold. */
  isLeaving: boolean;
}

/**
 * In quote currency. The least orders of the exchanges are worth some dollars: more than this is a
 * rule that was misread, or has changed and may change back.
 */
const DUST_MOST = fixedFromNumber(20);

const isTooLittle = (held: Fixed, price: Fixed, rules: PairRules): boolean =>
  sizeOrder(held, price, rules).kind === 'dust';

/**
 * What was worth an order at its last trade has only fallen, and may be sold when its price is back:
 * it stays with its agent. So does what the agent bought and does not want to leave: it may buy more.
 * A sale that leaves less than a step has sold all, whatever it was for.
 */
export function isLeftOver({ held, last, bid, rules, isLeaving }: LeftOver): boolean {
  const hasSoldAll = last.side === 'sell' && (last.isOfAll || held < rules.quantityStep);
  if (!isLeaving && !hasSoldAll) return false;
  return (
    isTooLittle(held, bid, rules) &&
    isTooLittle(held, last.price, rules) &&
    multiply(held, bid, 'up') <= DUST_MOST
  );
}
