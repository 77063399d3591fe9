/** Exits: stops, closes and liquidation. No size limit, guard or setting may hold one back. */
import { divide, fixedFromNumber, multiply, subtract, UNIT } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import { paperFill, priceFromNumber, quoteAround } from './fills.ts';
import { applySell } from '../accounting/ledger.ts';
import type { Candle, Depth, PairRules, Quote } from '../market-types.ts';
import type { OpenPosition, TradeDraft } from './agent-types.ts';

const BPS = fixedFromNumber(10_000);

/**
 * Whether the price has come down to the stop, judged on the bid, because that is what a sale gets.
 */
export function stopHit(
  position: Pick<OpenPosition, 'stopPrice'>,
  quote: Pick<Quote, 'bid'>,
): boolean {
  return position.stopPrice !== null && quote.bid <= position.stopPrice;
}

/** The stop under an average price paid; `stopLoss` is a fraction (0.05 is 5 %). */
export function stopPriceFor(averagePrice: Fixed, stopLoss: number): Fixed {
  return multiply(averagePrice, subtract(UNIT, fixedFromNumber(stopLoss)), 'down');
}

/**
 * Sells a whole position at the quote: for stop exits, a user's close and liquidation. It is never
 * cut to a share of the volume or refused under the minimum notional: an exit always succeeds, and
 * pays the impact.
 */
export function exitTrade(
  position: OpenPosition,
  quote: Quote,
  rules: PairRules,
  depth: Depth,
  reason: string,
): TradeDraft {
  const fill = paperFill({
    side: 'sell',
    wanted: position.quantity,
    quantity: position.quantity,
    quote,
    rules,
    depth,
    reason,
  });
  return applySell(position, fill);
}

/**
 * The quote at which a stop would have sold inside a candle that was not watched: the worse of open
 * and stop, so that a gap is paid for. Null where the candle never came down to it.
 */
export function stopQuoteInCandle(
  position: Pick<OpenPosition, 'stopPrice'>,
  candle: Candle,
  rules: PairRules,
): Quote | null {
  if (position.stopPrice === null) return null;
  const low = quoteAround(rules, candle.time, priceFromNumber(candle.low));
  if (!stopHit(position, low)) return null;
  const open = quoteAround(rules, candle.time, priceFromNumber(candle.open));
  if (stopHit(position, open)) return open;
  // The bid came down to the stop; the last price was a half-spread above it.
  const half = divide(fixedFromNumber(rules.halfSpreadBps), BPS, 'half-even');
  const last = divide(position.stopPrice, subtract(UNIT, half), 'up');
  return { ...quoteAround(rules, candle.time, last), bid: position.stopPrice };
}
