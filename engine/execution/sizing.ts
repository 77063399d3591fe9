/** Sizes positions and orders by the least of several limits. */
import {
  add,
  basisPoints,
  divide,
  fixedFromNumber,
  floorToStep,
  maximum,
  minimum,
  multiply,
  subtract,
  ZERO,
} from '../../contract/money.ts';
import type { TradingFrequency } from '../../contract/agents.ts';
import type { Fixed } from '../../contract/money.ts';
import { approximate, fillPrice, PARTICIPATION } from './fills.ts';
import type { Depth, PairRules, Quote } from '../market-types.ts';
import type { RiskValues } from './agent-types.ts';

const DAYS_A_YEAR = 365;
/**
 * Numbers from indicators may be huge (a pair without volatility); beyond this a limit does not
 * bind anyway.
 */
const NO_LIMIT = 1e12;

export interface TargetInput {
  equity: Fixed;
  risk: RiskValues;
  /** The agent's `max_position_size`, quote currency. */
  maxPositionSize: Fixed;
  /** Signal strength in [0, 1]. */
  strength: number;
  /** A day's volatility of the pair (0.04 is 4 %). */
  dailyVolatility: number;
  /** How much of a full position is wanted, in (0, 1]; the cap in money is not shared out. */
  share: number;
}

type Limit =
  | 'position'
  | 'max_position_size'
  | 'risk'
  | 'volatility'
  | 'participation'
  | 'cash'
  | 'max_trade_amount';

export interface Sized {
  amount: Fixed;
  limit: Limit;
}

/**
 * The position to hold, in quote currency: the least of the risk limits, and which one that was.
 */
export function targetPosition(input: TargetInput): Sized {
  const { risk } = input;
  const equity = share(input.equity, input.share);
  const annual = input.dailyVolatility * Math.sqrt(DAYS_A_YEAR);
  return least([
    { limit: 'position', amount: share(equity, risk.maxPosition) },
    { limit: 'risk', amount: share(equity, risk.riskPerTrade / risk.stopLoss) },
    {
      limit: 'volatility',
      amount: share(equity, (risk.volatilityTarget / annual) * input.strength),
    },
    { limit: 'max_position_size', amount: input.maxPositionSize },
  ]);
}

/**
 * The same target as a float share of the equity, before `max_position_size`: for a backtest that
 * asks whether a size has changed.
 */
export function targetShare(risk: RiskValues, dailyVolatility: number, strength: number): number {
  const byVolatility =
    (risk.volatilityTarget / (dailyVolatility * Math.sqrt(DAYS_A_YEAR))) * strength;
  return Math.min(risk.maxPosition, risk.riskPerTrade / risk.stopLoss, byVolatility);
}

export interface OrderInput {
  /** Quote currency still wanted: target less what is held. */
  wanted: Fixed;
  freeCash: Fixed;
  maxTradeAmount: Fixed;
  quote: Quote;
  rules: PairRules;
  depth: Depth;
}

export type SizedOrder =
  | { ok: true; wanted: Fixed; quantity: Fixed; limit: Limit | null }
  | { ok: false; reason: 'below_minimum' | 'no_cash' | 'no_volume'; notional: Fixed };

/**
 * The buy order for a wanted amount: cut to the single-trade cap, to 1 % of the candle's volume and
 * to the cash that is there (fee and impact included), down to the lot. What is cut off stays
 * unfilled.
 */
export function sizeBuy(input: OrderInput): SizedOrder {
  const { quote, rules, depth } = input;
  const participation =
    depth.candleVolume > 0
      ? fixedFromNumber(Math.min(depth.candleVolume * PARTICIPATION, NO_LIMIT))
      : ZERO;
  const wanted = floorToStep(divide(input.wanted, quote.ask, 'down'), rules.lot);
  // Priced as if all of it were bought: the real fill never costs more, so its impact exceeds no
  // cap.
  const price = wanted > 0n ? fillPrice('buy', wanted, quote, depth) : quote.ask;
  const within = divide(input.wanted, price, 'down');
  const perUnit = add(price, basisPoints(price, fixedFromNumber(rules.feeBps), 'up'));
  // Two units of the last decimal are kept back for the rounding of notional and fee.
  const spendable = maximum(ZERO, subtract(input.freeCash, 2n as Fixed));
  const best = least([
    { limit: 'max_trade_amount', amount: divide(input.maxTradeAmount, price, 'down') },
    { limit: 'participation', amount: participation },
    { limit: 'cash', amount: divide(spendable, perUnit, 'down') },
  ]);
  const quantity = floorToStep(minimum(within, best.amount), rules.lot);
  const notional = multiply(quantity, quote.ask, 'down');
  const limit = best.amount < within ? best.limit : null;
  if (quantity > 0n && notional >= rules.minNotional) return { ok: true, wanted, quantity, limit };
  if (limit === 'participation') return { ok: false, reason: 'no_volume', notional };
  return { ok: false, reason: limit === 'cash' ? 'no_cash' : 'below_minimum', notional };
}

/**
 * The quantity to sell to come down by an amount; all of it where the rest would be under the
 * venue's minimum, nothing where the sale would be.
 */
export function sizeReduction(held: Fixed, amount: Fixed, quote: Quote, rules: PairRules): Fixed {
  const quantity = floorToStep(minimum(held, divide(amount, quote.bid, 'down')), rules.lot);
  const isUnderMinimum = (part: Fixed): boolean =>
    multiply(part, quote.bid, 'down') < rules.minNotional;
  if (isUnderMinimum(subtract(held, quantity))) return held;
  return isUnderMinimum(quantity) ? ZERO : quantity;
}

/**
 * Less off target than this share of a full position is left alone whatever the frequency: dust is
 * not worth a fee.
 */
const DRIFT_MIN = 0.05;

/**
 * How far off target a position may be before it is traded, as a share of a full position.
 * `sleeveShare` is one strategy's share of the position.
 */
export function driftAllowed(
  frequency: TradingFrequency,
  roundTrip: number,
  sleeveShare: number,
): number {
  return frequency === 'optimized'
    ? Math.max(DRIFT_MIN, Math.min(noTradeBand(roundTrip), sleeveShare / 2))
    : DRIFT_MIN;
}

/**
 * Half-width of the zone in which being off target is cheaper than trading back, as a share of a
 * full position. It grows with the cube root of the round-trip cost (Rogers 2004, Martin 2012), so
 * expensive pairs are left alone for longer.
 */
export function noTradeBand(roundTrip: number): number {
  return Math.cbrt(1.5 * Math.max(0, roundTrip));
}

/**
 * How far a holding is off its target, as a share of a full position; signed, positive is too
 * little.
 */
export function driftOf(target: Fixed, held: Fixed, full: Fixed): number {
  if (full <= 0n) return held > 0n ? -1 : 0;
  return approximate(subtract(target, held)) / approximate(full);
}

/** A share of an amount, rounded down. NaN counts as zero, a huge share as no limit. */
export function share(amount: Fixed, fraction: number): Fixed {
  if (Number.isNaN(fraction) || fraction <= 0 || amount <= 0n) return ZERO;
  if (fraction >= NO_LIMIT) return multiply(amount, fixedFromNumber(NO_LIMIT), 'down');
  return fraction === 1 ? amount : multiply(amount, fixedFromNumber(fraction), 'down');
}

function least(limits: readonly [Sized, ...Sized[]]): Sized {
  return limits.reduce((smallest, limit) => (limit.amount < smallest.amount ? limit : smallest));
}
