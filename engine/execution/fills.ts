/**
 * Prices paper orders: the quote, impact and fee that go into a fill. A fill is never better than
 * the quote.
 */
import {
  add,
  basisPoints,
  DECIMALS,
  divide,
  fixedFromNumber,
  multiply,
  subtract,
  UNIT,
  ZERO,
} from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { Depth, PairRules, Quote } from '../market-types.ts';
import type { FillDraft } from './agent-types.ts';

/** Raise with any change to how a fill is priced; it is kept in every fill. */
export const RULE_VERSION = 2;
/** Impact is k·σ·√(Q/V), Q over a day's volume V and σ a day's volatility (the square-root law). */
const IMPACT_FACTOR = 1;
/** An order takes no more than this share of the candle's volume; stops and closes are exempt. */
export const PARTICIPATION = 0.01;
/** Assumed where the volatility of a pair is unknown: rather lively than calm. */
const CAUTIOUS_VOLATILITY = 0.05;
/** No model holds for an order far beyond the market's volume; it costs this much and no more. */
export const IMPACT_MAX = 0.05;

/** Impact as a fraction of the price for `quantity` base units; never negative, at most 5 %. */
export function impact(quantity: Fixed, depth: Depth): number {
  const { dayVolume } = depth;
  if (!Number.isFinite(dayVolume) || dayVolume <= 0) return IMPACT_MAX;
  const volatility = depth.dailyVolatility ?? CAUTIOUS_VOLATILITY;
  return Math.min(
    IMPACT_MAX,
    IMPACT_FACTOR * volatility * Math.sqrt(approximate(quantity) / dayVolume),
  );
}

/**
 * What a round trip of `quantity` costs, as a fraction of the price: both fees, the spread, impact
 * both ways.
 */
export function roundTripCost(
  quote: Quote,
  rules: PairRules,
  quantity: Fixed,
  depth: Depth,
): number {
  const mid = approximate(add(quote.bid, quote.ask)) / 2;
  const spread = mid > 0 ? approximate(subtract(quote.ask, quote.bid)) / mid : 0;
  return (2 * rules.feeBps) / 10_000 + spread + 2 * impact(quantity, depth);
}

export interface FillRequest {
  side: 'buy' | 'sell';
  /** What was wanted before participation and cash limited it. */
  wanted: Fixed;
  quantity: Fixed;
  quote: Quote;
  rules: PairRules;
  depth: Depth;
  reason: string;
}

/**
 * Price paid: the ask and up for a buy, the bid and down for a sell; rounded against the trader.
 */
export function fillPrice(
  side: 'buy' | 'sell',
  quantity: Fixed,
  quote: Quote,
  depth: Depth,
): Fixed {
  const moved = fixedFromNumber(impact(quantity, depth));
  if (side === 'buy') return multiply(quote.ask, add(UNIT, moved), 'up');
  return multiply(quote.bid, subtract(UNIT, moved), 'down');
}

/**
 * A paper fill at the quote. The fee rounds up, a buy's notional up and a sell's down. `realized`
 * and `costBasis` are null here: the ledger knows what was paid (see `applySell`).
 * @throws RangeError for a quantity that is not positive.
 */
export function paperFill(request: FillRequest): FillDraft {
  const { side, quantity, quote, rules } = request;
  if (quantity <= 0n) throw new RangeError('A fill needs a positive quantity');
  const price = fillPrice(side, quantity, quote, request.depth);
  const notional = multiply(quantity, price, side === 'buy' ? 'up' : 'down');
  const feeBps = fixedFromNumber(rules.feeBps);
  return {
    pair: quote.pair,
    side,
    wanted: request.wanted,
    quantity,
    price,
    notional,
    fee: basisPoints(notional, feeBps, 'up'),
    feeBps,
    slippageBps: slippage(side, price, quote),
    quoteBid: quote.bid,
    quoteAsk: quote.ask,
    ruleVersion: RULE_VERSION,
    realized: null,
    costBasis: null,
    reason: request.reason,
    filledAt: quote.at,
  };
}

/** Cost against the mid price in basis points; positive is worse than mid. */
function slippage(side: 'buy' | 'sell', price: Fixed, quote: Quote): Fixed {
  const twiceMid = add(quote.bid, quote.ask);
  if (twiceMid <= 0n) return ZERO;
  const twicePrice = add(price, price);
  const worse = side === 'buy' ? subtract(twicePrice, twiceMid) : subtract(twiceMid, twicePrice);
  return divide((worse * 10_000n) as Fixed, twiceMid, 'half-even');
}

/** A quote around a bare price for sources without a book, by the pair's stated half-spread. */
export function quoteAround(rules: PairRules, at: number, last: Fixed): Quote {
  const half = basisPoints(last, fixedFromNumber(rules.halfSpreadBps), 'up');
  return { pair: rules.pair, at, last, bid: subtract(last, half), ask: add(last, half) };
}

/**
 * A recorded price as money: twelve significant digits, so that 43451.14 does not become
 * 43451.139999999999.
 */
export function priceFromNumber(price: number): Fixed {
  const digits = price > 0 ? 11 - Math.floor(Math.log10(price)) : DECIMALS;
  return fixedFromNumber(price, Math.max(0, Math.min(DECIMALS, digits)));
}

/** Fast, inexact conversion of an amount for cost models, never for money itself. */
export function approximate(value: Fixed): number {
  return Number(value) / 1e12;
}
