/**
 * Whether an order may be signed, by what the signer itself knows. A purchase must pass all of it;
 * a sale is never held back by a loss, an exposure or a volume: getting out stays possible.
 */
import {
  add,
  basisPoints,
  ceilToStep,
  divide,
  floorToStep,
  maximum,
  minimum,
  multiply,
  parseFixed,
  subtract,
  ZERO,
  type Fixed,
} from '../contract/money.ts';
import type { OrderIntent, SpendingLimits } from '../contract/signer.ts';
import { leastOfStop } from '../contract/stop-limit.ts';
import { STOP_REACHED, type PairRules } from '../contract/venue.ts';
import type { Book, BookLevel } from './exchanges/adapter.ts';

/** A connection's first week: what a stolen server could lose on its first days is small. */
export const FIRST_WEEK: SpendingLimits = {
  maxOrder: parseFixed('100'),
  maxExposure: parseFixed('500'),
  // 5 % of the exposure.
  maxDailyLoss: parseFixed('25'),
};
export const FIRST_WEEK_MS = 7 * 24 * 60 * 60_000;

/** Counted as US dollars; limits are in dollars, so other quote currencies are not traded yet. */
export const DOLLARS: ReadonlySet<string> = new Set(['USD', 'USDC', 'USDT']);
/** Traded in 24 hours, in dollars. Less is a coin whose price one person can move. */
const LEAST_VOLUME = parseFixed('1000000');
/**
 * Of the day's volume, what all accounts here together may buy of a pair within 24 hours. Each has
 * its own limits; a thief who holds the server could use them all on one coin, and sell them his.
 */
const SHARE_MOST_BPS = parseFixed('200');
export const SHARE_SPAN_MS = 24 * 60 * 60_000;
const SPREAD_MOST_BPS = 100n;
/** How far from the middle of the book an order may go. */
const BUY_COLLAR_BPS = parseFixed('200');
const SELL_COLLAR_BPS = parseFixed('500');
/**
 * In a collapse asks stay behind, and the middle with them, while the best bid is what there is. A
 * sale at market then goes a little below that bid, and never further below the middle than this:
 * whoever emptied the book to buy cheaply would have to hold every other bid off for twice as far.
 */
const WIDE_SELL_COLLAR_BPS = parseFixed('1000');
const BELOW_BID_BPS = parseFixed('100');
/** Inside the collar the book must hold this many times a purchase. */
const DEPTH_TIMES = 3n;
const DEADLINE_MOST_MS = 60_000;

export interface Refused {
  code: string;
  detail: string;
}
/**
 * `worstPrice`: what a unit costs or brings at worst; the exchange is told it with every order at
 * market, and every stop. `floor`: the same, of a market sale larger than what the book shows within the collar: the
 * rest of it is not sold at all; null for every other order.
 */
export type Judged = { worstPrice: Fixed; floor: Fixed | null } | Refused;

export interface MarketFacts {
  rules: PairRules | null;
  book: Book;
  dayVolume: Fixed;
}

export interface AccountFacts {
  limits: SpendingLimits;
  exposure: Fixed;
  lossToday: Fixed;
  sellable: Fixed;
  /** How far below its price a stop's limit lies. */
  stopRoomBps: Fixed;
  /** Dollars, at worst: of the pair, by every account at the exchange in the last 24 hours. */
  boughtByAll: Fixed;
}

const lesser = (a: SpendingLimits, b: SpendingLimits): SpendingLimits => ({
  maxOrder: minimum(a.maxOrder, b.maxOrder),
  maxExposure: minimum(a.maxExposure, b.maxExposure),
  maxDailyLoss: minimum(a.maxDailyLoss, b.maxDailyLoss),
});

/** What a person chose, and in the first week no more than its caps. */
export const limitsInForce = (
  limits: SpendingLimits,
  connectedAtMs: number,
  nowMs: number,
): SpendingLimits => (nowMs - connectedAtMs < FIRST_WEEK_MS ? lesser(limits, FIRST_WEEK) : limits);

export const firstLimits = (wanted: SpendingLimits | null): SpendingLimits =>
  wanted === null ? FIRST_WEEK : lesser(wanted, FIRST_WEEK);

export const isRaised = (from: SpendingLimits, to: SpendingLimits): boolean =>
  to.maxOrder > from.maxOrder ||
  to.maxExposure > from.maxExposure ||
  to.maxDailyLoss > from.maxDailyLoss;

export const isSame = (one: SpendingLimits, other: SpendingLimits): boolean =>
  !isRaised(one, other) && !isRaised(other, one);

/** Changes of a connection's limits that are written down without more, in so long. */
const CHANGES_MOST = 20;
const CHANGES_SPAN_MS = 60 * 60_000;

/** When the last changes were made, this one included: what `isTooOften` goes by. */
export const withChange = (changedAtMs: readonly number[], atMs: number): number[] =>
  [...changedAtMs, atMs].slice(-CHANGES_MOST);

/**
 * Each change is a record for good, and to lower limits takes no token: a stolen server would fill the
 * disk digit by digit. Beyond the number it must halve a limit at least. A person can always do that,
 * and a thief not often: nobody raises a limit without a token.
 */
export function isTooOften(
  changedAtMs: readonly number[],
  from: SpendingLimits,
  to: SpendingLimits,
  nowMs: number,
): boolean {
  const agoMs = nowMs - (changedAtMs.at(-CHANGES_MOST) ?? Number.NEGATIVE_INFINITY);
  // Less than nothing where the clock was set back.
  if (agoMs < 0 || agoMs >= CHANGES_SPAN_MS) return false;
  const isHalved = (before: Fixed, after: Fixed): boolean => before > 0n && after * 2n <= before;
  return !(
    isHalved(from.maxOrder, to.maxOrder) ||
    isHalved(from.maxExposure, to.maxExposure) ||
    isHalved(from.maxDailyLoss, to.maxDailyLoss)
  );
}

const refused = (code: string, detail: string): Refused => ({ code, detail });

/** The middle of the book; null when a side is empty. */
export function middleOf({ bids, asks }: Book): Fixed | null {
  const [bid, ask] = [bids[0], asks[0]];
  if (bid === undefined || ask === undefined || bid.price <= 0n) return null;
  return ((bid.price + ask.price) / 2n) as Fixed;
}

/** What lies within `bound`, and the price of the last piece of `quantity` there. */
function walk(
  levels: readonly BookLevel[],
  quantity: Fixed,
  inBound: (price: Fixed) => boolean,
): { depth: Fixed; last: Fixed | null } {
  let depth = ZERO;
  let last: Fixed | null = null;
  for (const level of levels) {
    if (!inBound(level.price)) break;
    if (depth < quantity) last = level.price;
    depth = add(depth, level.quantity);
  }
  return { depth, last: depth < quantity ? null : last };
}

/** Facts of the order alone. */
function judgeShape(intent: OrderIntent, nowMs: number): Refused | null {
  const { side, type, quantity, limitPrice, stopPrice, deadlineMs } = intent;
  if (deadlineMs <= nowMs) return refused('deadline', 'it has passed');
  if (deadlineMs - nowMs > DEADLINE_MOST_MS) return refused('deadline', 'more than a minute away');
  if (quantity <= 0n) return refused('quantity', 'must be above 0');
  if ((type === 'limit') !== (limitPrice !== null) && type !== 'stop')
    return refused('price', 'a limit order has a limit price, a market order none');
  if ((type === 'stop') !== (stopPrice !== null))
    return refused('price', 'a stop has a stop price, and no other order');
  if (type === 'stop' && side === 'buy') return refused('stop_buys', 'stops protect what is held');
  return null;
}

function judgeQuote({ symbol }: OrderIntent): Refused | null {
  const quote = symbol.split('/')[1] ?? '';
  if (DOLLARS.has(quote)) return null;
  return refused('pair_not_allowed', `${quote} is not counted as dollars`);
}

const judgeHeld = ({ quantity }: OrderIntent, held: Fixed): Refused | null =>
  quantity > held ? refused('not_held', 'more than was bought here and is not on sale yet') : null;

/**
 * What is known against a sale without the market. It takes nothing of the exchange's limit: a stolen
 * server would use that up, and no other sale would have its book.
 */
export const judgeUnread = (intent: OrderIntent, held: Fixed, nowMs: number): Refused | null =>
  judgeShape(intent, nowMs) ?? judgeQuote(intent) ?? judgeHeld(intent, held);

function judgePair(intent: OrderIntent, { rules, book }: MarketFacts): Refused | null {
  if (rules === null) return refused('pair_not_allowed', 'not listed');
  // A sale is for the exchange to refuse: what is known of the pair may be minutes old.
  if (rules.status !== 'trading' && intent.side === 'buy')
    return refused('pair_not_trading', rules.status);
  if (middleOf(book) === null) return refused('no_market_data', 'a side of the book is empty');
  return null;
}

/** The least that a sale at market may bring a unit: from the best bid where the spread is wide. */
function saleBound({ bids }: Book, middle: Fixed): Fixed {
  const below = (price: Fixed, bps: Fixed): Fixed =>
    subtract(price, basisPoints(price, bps, 'down'));
  const bid = bids[0]?.price ?? ZERO;
  const bound = below(middle, SELL_COLLAR_BPS);
  if (bid >= bound) return bound;
  return maximum(below(bid, BELOW_BID_BPS), below(middle, WIDE_SELL_COLLAR_BPS));
}

/** Within the collar, and what a unit may cost or bring at worst. */
function judgePrice(
  intent: OrderIntent,
  { book, rules }: MarketFacts,
  middle: Fixed,
  { stopRoomBps }: AccountFacts,
): Judged {
  const buys = intent.side === 'buy';
  const way = basisPoints(middle, buys ? BUY_COLLAR_BPS : SELL_COLLAR_BPS, 'down');
  const bound = buys
    ? add(middle, way)
    : intent.type === 'market'
      ? saleBound(book, middle)
      : subtract(middle, way);
  const inBound = (price: Fixed): boolean => (buys ? price <= bound : price >= bound);
  if (intent.type === 'stop') {
    const stop = intent.stopPrice ?? ZERO;
    // It would be triggered at once, and sell past the collar. Where it protects, the server sells.
    if (stop >= (book.bids[0]?.price ?? ZERO))
      return refused(STOP_REACHED, 'the market is not above the stop');
    const limit = intent.limitPrice;
    const floor = subtract(stop, basisPoints(stop, SELL_COLLAR_BPS, 'down'));
    if (limit !== null && (limit < floor || limit > stop))
      return refused('price_collar', 'the limit is too far from the stop');
    return {
      worstPrice: limit ?? leastOfStop(intent.quantity, stop, stopRoomBps, rules),
      floor: null,
    };
  }
  if (intent.limitPrice !== null)
    return inBound(intent.limitPrice)
      ? { worstPrice: intent.limitPrice, floor: null }
      : refused('price_collar', 'the limit is too far from the market');
  const { depth, last } = walk(buys ? book.asks : book.bids, intent.quantity, inBound);
  // Getting out stays possible in a fall, when books empty: what the collar holds is sold.
  if (rules === null || (buys ? last === null : depth === ZERO))
    return refused('price_collar', 'the book would be cleared beyond the collar');
  if (buys) return { worstPrice: last ?? bound, floor: null };
  const worstPrice = leastOfSale(intent.quantity, bound, book, rules);
  return { worstPrice, floor: last === null ? worstPrice : null };
}

/**
 * On the tick. A limit order's worth is reckoned at its limit: a small sale that would be too small
 * at the collar goes no lower than where it is not, as long as somebody bids that much.
 */
function leastOfSale(
  quantity: Fixed,
  bound: Fixed,
  { bids }: Book,
  { priceTick, minNotional }: PairRules,
): Fixed {
  const least = ceilToStep(bound, priceTick);
  const valid = ceilToStep(divide(minNotional, quantity, 'up'), priceTick);
  return valid > least && valid <= (bids[0]?.price ?? ZERO) ? valid : least;
}

/**
 * How far a purchase at market may go: the book may be a moment old, so up to the collar, and no
 * further than what one order and all positions may cost.
 */
function mostOfPurchase(
  { quantity }: OrderIntent,
  shown: Fixed,
  middle: Fixed,
  { priceTick }: PairRules,
  { limits, exposure }: AccountFacts,
): Fixed {
  const collar = add(middle, basisPoints(middle, BUY_COLLAR_BPS, 'down'));
  const money = minimum(limits.maxOrder, subtract(limits.maxExposure, exposure));
  const most = floorToStep(minimum(collar, divide(money, quantity, 'down')), priceTick);
  return maximum(most, shown);
}

/** A thin pair can be pushed by whoever sells into our purchase. */
function judgeThinness(
  intent: OrderIntent,
  { book, dayVolume }: MarketFacts,
  middle: Fixed,
): Refused | null {
  if (dayVolume < LEAST_VOLUME) return refused('pair_not_allowed', 'too little is traded a day');
  const spread = subtract(book.asks[0]?.price ?? ZERO, book.bids[0]?.price ?? ZERO);
  if (spread * 10_000n > middle * SPREAD_MOST_BPS) return refused('thin_book', 'the spread');
  const bound = add(middle, basisPoints(middle, BUY_COLLAR_BPS, 'down'));
  const floor = subtract(middle, basisPoints(middle, BUY_COLLAR_BPS, 'down'));
  const needed = (intent.quantity * DEPTH_TIMES) as Fixed;
  const asks = walk(book.asks, needed, (price) => price <= bound).depth;
  const bids = walk(book.bids, needed, (price) => price >= floor).depth;
  return minimum(asks, bids) < needed ? refused('thin_book', 'the depth near the market') : null;
}

/** The order limit and the thinness of a book bind one order; this binds all of them together. */
function judgeShare(
  { quantity }: OrderIntent,
  worstPrice: Fixed,
  { dayVolume }: MarketFacts,
  { boughtByAll }: AccountFacts,
): Refused | null {
  const bought = add(boughtByAll, multiply(quantity, worstPrice, 'up'));
  return bought > basisPoints(dayVolume, SHARE_MOST_BPS, 'down')
    ? refused('pair_share', "too much of the day's volume would be bought from here")
    : null;
}

function judgeMoney(intent: OrderIntent, worstPrice: Fixed, account: AccountFacts): Refused | null {
  const { limits, exposure, lossToday } = account;
  const cost = multiply(intent.quantity, worstPrice, 'up');
  if (cost > limits.maxOrder) return refused('order_limit', 'larger than one order may be');
  if (add(exposure, cost) > limits.maxExposure)
    return refused('exposure_limit', 'more would be in the market than allowed');
  if (lossToday >= limits.maxDailyLoss)
    return refused('loss_limit', "today's losses have reached the limit");
  return null;
}

export function judgeOrder(
  intent: OrderIntent,
  market: MarketFacts,
  account: AccountFacts,
  nowMs: number,
): Judged {
  const early = judgeShape(intent, nowMs) ?? judgeQuote(intent) ?? judgePair(intent, market);
  if (early !== null) return early;
  const middle = maximum(ZERO, middleOf(market.book) ?? ZERO);
  const priced = judgePrice(intent, market, middle, account);
  if ('code' in priced) return priced;
  if (intent.side === 'sell') return judgeHeld(intent, account.sellable) ?? priced;
  const late =
    judgeThinness(intent, market, middle) ??
    judgeMoney(intent, priced.worstPrice, account) ??
    judgeShare(intent, priced.worstPrice, market, account);
  if (late !== null || intent.type !== 'market' || market.rules === null) return late ?? priced;
  const { worstPrice } = priced;
  return {
    ...priced,
    worstPrice: mostOfPurchase(intent, worstPrice, middle, market.rules, account),
  };
}
