/**
 * Decides one pair of one agent at one tick: at most one trade, from what its strategies want and
 * what the limits leave of it.
 */
import { add, divide, formatFixed, multiply, subtract, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import { paperFill, roundTripCost } from './fills.ts';
import { firstBlock } from '../guards/guard.ts';
import type { RiskBlock, Room } from '../guards/guard.ts';
import { GUARDS_OF } from '../guards/registry.ts';
import { applyBuy, applySell } from '../accounting/ledger.ts';
import { noteExit } from './agent-memory.ts';
import type { AgentMemory } from './agent-memory.ts';
import { executionIntervalMs } from './schedule.ts';
import { NO_VOLUME } from '../signals/candle-series.ts';
import { driftAllowed, driftOf, sizeBuy, sizeReduction, targetPosition } from './sizing.ts';
import { wantedSleeves } from '../strategies/sleeves.ts';
import type { Wanted } from '../strategies/sleeves.ts';
import { exitTrade, stopHit, stopPriceFor } from './stops.ts';
import type {
  AccountInput,
  AgentInput,
  DecisionDraft,
  OpenPosition,
  TickInput,
  TradeDraft,
} from './agent-types.ts';
import type { Depth, PairRules, Quote } from '../market-types.ts';
import type { Signal } from '../signals/signal.ts';

export interface PairContext {
  agent: AgentInput;
  tick: TickInput;
  account: AccountInput;
  memory: AgentMemory;
  /** What blocks every entry of this agent, if anything. */
  block: RiskBlock | null;
  rebalance: boolean;
  position: OpenPosition | null;
  /** What the agent holds at this moment of the tick, by pair. */
  holdings: ReadonlyMap<string, Holding>;
}

export type Holding = Pick<OpenPosition, 'quantity' | 'cost'>;

export interface PairOutcome {
  decision: DecisionDraft;
  trade: TradeDraft | null;
}

interface Market {
  signal: Signal;
  quote: Quote;
  rules: PairRules;
  depth: Depth;
}

/** Decides one pair; what the agent must remember of it is written into `context.memory`. */
export function decidePair(pair: string, context: PairContext): PairOutcome {
  const { tick, position } = context;
  const signal = tick.signals.get(pair);
  const quote = tick.quotes.get(pair);
  const rules = tick.rules.get(pair);
  if (!rules)
    return stay(
      pair,
      context,
      signal ?? null,
      'not_offered',
      `${pair} is not offered by this market.`,
    );
  if (!quote)
    return stay(
      pair,
      context,
      signal ?? null,
      'no_price',
      `No price of ${pair} since the candle closed.`,
    );
  const depth: Depth = {
    ...(tick.volumes.get(pair) ?? NO_VOLUME),
    dailyVolatility: signal?.dailyVolatility ?? null,
  };
  if (position && stopHit(position, quote)) {
    noteExit(context.memory, { pair, at: quote.at, stop: true });
    const text = `Sold: stop loss hit at ${formatFixed(position.stopPrice ?? ZERO)}.`;
    return {
      decision: draft(pair, context, signal ?? null, 'exit', 'stop_loss', text),
      trade: exitTrade(position, quote, rules, depth, 'stop_loss'),
    };
  }
  if (!signal)
    return stay(pair, context, signal ?? null, 'no_signal', `No signal for ${pair} yet.`);
  return follow(pair, context, { signal, quote, rules, depth });
}

const NOT_LISTED: RiskBlock = {
  code: 'not_listed',
  text: 'the agent does not list this pair any more: it is only sold.',
  until: null,
};

/**
 * What blocks every entry, and every change of a size, while the account's worth is unknown. It has
 * the code of a missing price: a rebalance moment waits for it.
 */
export function unknownWorth({ unpriced = [] }: AccountInput): RiskBlock | null {
  if (unpriced.length === 0) return null;
  const text = `${unpriced.join(', ')} is held and has no price yet, so what the account is worth is unknown.`;
  return { code: 'no_price', text, until: null };
}

/** Follows the strategies as far as frequency, guards, limits and costs allow. */
function follow(pair: string, context: PairContext, market: Market): PairOutcome {
  const { agent, memory, position } = context;
  const { signal, quote, rules, depth } = market;
  const block =
    context.block ??
    (agent.unlisted?.includes(pair) === true ? NOT_LISTED : pairBlock(pair, context, market));
  const wanted = wantedSleeves({
    pair,
    pool: agent.pool,
    signal,
    threshold: agent.risk.threshold,
    at: context.tick.close,
    memory,
    position,
    mayJoin: block === null,
    roundTripCost: roundTripCost(quote, rules, ZERO, depth),
  });
  if (!position && block && wanted.why === 'blocked')
    return stay(pair, context, signal, block.code, `No trade: ${block.text}`);
  if (!position && wanted.joining.length === 0)
    return stay(pair, context, signal, wanted.why, noTrade(wanted, agent.risk.threshold));
  if (!context.rebalance)
    return stay(
      pair,
      context,
      signal,
      'not_now',
      `${verbOf(position)}: the next rebalance (${agent.frequency}) is not yet due.`,
    );
  if (position && wanted.share === 0) {
    noteExit(memory, { pair, at: quote.at, stop: false });
    return {
      decision: draft(pair, context, signal, 'exit', 'signal_left', `Sold: ${leftText(signal)}`),
      trade: exitTrade(position, quote, rules, depth, 'signal_left'),
    };
  }
  return rebalance(pair, context, market, wanted, block);
}

/** Moves the position towards its target: reduces it, leaves it alone, or buys what is missing. */
function rebalance(
  pair: string,
  context: PairContext,
  market: Market,
  wanted: Wanted,
  block: RiskBlock | null,
): PairOutcome {
  const { agent, account, memory, position } = context;
  const { signal, quote, rules, depth } = market;
  const verb = verbOf(position);
  const unknown = unknownWorth(account);
  if (unknown) return stay(pair, context, signal, unknown.code, `${verb}: ${unknown.text}`);
  const volatility = signal.dailyVolatility;
  if (volatility === null)
    return stay(
      pair,
      context,
      signal,
      'too_little_history',
      `${verb}: too little history to size ${pair}.`,
    );
  const common = {
    equity: account.equity,
    risk: agent.risk,
    maxPositionSize: agent.maxPositionSize,
    dailyVolatility: volatility,
    strength: wanted.strength,
  };
  const target = targetPosition({ ...common, share: wanted.share }).amount;
  const full = targetPosition({ ...common, share: 1 }).amount;
  const value = position ? multiply(position.quantity, quote.bid, 'down') : ZERO;
  const drift = driftOf(target, value, full);
  const roundTrip = roundTripCost(quote, rules, ZERO, depth);
  const band = driftAllowed(agent.frequency, roundTrip, wanted.sleeveShare);
  if (position && drift < -band)
    return reduce(pair, context, market, wanted, subtract(value, target));
  if (block) return stay(pair, context, signal, block.code, `${verb}: ${block.text}`);
  if (drift <= band) {
    if (position) memory.strategyHoldings[pair] = wanted.strategyHolding;
    return stay(
      pair,
      context,
      signal,
      'on_target',
      `${verb}: ${Math.round(Math.abs(drift) * 100)} % off target. Rebalancing would cost more than it gains.`,
    );
  }
  return buyMissing(pair, context, market, wanted, subtract(target, value));
}

const verbOf = (position: OpenPosition | null): string => (position ? 'Holding' : 'No trade');

/** Buys what is missing to the target, as far as size guards, cash and the venue allow. */
function buyMissing(
  pair: string,
  context: PairContext,
  market: Market,
  wanted: Wanted,
  missing: Fixed,
): PairOutcome {
  const { agent, account, memory, position } = context;
  const { signal, quote, rules, depth } = market;
  const room = roomFor(pair, context, missing);
  if (room.block)
    return stay(pair, context, signal, room.block.code, `${verbOf(position)}: ${room.block.text}`);
  const size = sizeBuy({
    wanted: room.amount,
    freeCash: account.freeCash,
    maxTradeAmount: account.maxTradeAmount,
    quote,
    rules,
    depth,
  });
  if (!size.ok)
    return stay(
      pair,
      context,
      signal,
      size.reason,
      `${verbOf(position)}: ${SIZE_TEXT[size.reason]}`,
    );
  const reason = position ? 'increased' : 'entered';
  const fill = paperFill({
    side: 'buy',
    wanted: size.wanted,
    quantity: size.quantity,
    quote,
    rules,
    depth,
    reason,
  });
  const stop = entryStop(position, fill.price, fill.quantity, agent.risk.stopLoss);
  // It would be hit by the price that is there now, and all of the position sold at once.
  if (stopHit({ stopPrice: stop }, quote))
    return stay(
      pair,
      context,
      signal,
      'stop_too_close',
      `${verbOf(position)}: its stop would stand at ${formatFixed(stop)}, not below the present bid.`,
    );
  memory.strategyHoldings[pair] = wanted.strategyHolding;
  const after = applyBuy(position, fill, stop);
  const limit = size.limit === null ? room.cutText : (LIMIT_TEXT[size.limit] ?? size.limit);
  const partly = limit === null ? '' : ` (part of it: ${limit})`;
  const text = `Bought ${formatFixed(size.quantity)} ${rules.base}${partly}: ${strengthText(signal, wanted)}, needs ${agent.risk.threshold.toFixed(2)}.`;
  return { decision: draft(pair, context, signal, 'enter', reason, text), trade: { fill, after } };
}

function reduce(
  pair: string,
  context: PairContext,
  market: Market,
  wanted: Wanted,
  amount: Fixed,
): PairOutcome {
  const { memory, position } = context;
  const { signal, quote, rules, depth } = market;
  const quantity = position ? sizeReduction(position.quantity, amount, quote, rules) : ZERO;
  if (!position || quantity === 0n)
    return stay(
      pair,
      context,
      signal,
      'too_little_to_sell',
      "Holding: what is over the target is under the venue's minimum.",
    );
  const fill = paperFill({
    side: 'sell',
    wanted: quantity,
    quantity,
    quote,
    rules,
    depth,
    reason: 'reduced',
  });
  const trade = applySell(position, fill);
  if (trade.after.quantity === 0n) noteExit(memory, { pair, at: quote.at, stop: false });
  else memory.strategyHoldings[pair] = wanted.strategyHolding;
  const text = `Sold ${formatFixed(quantity)} ${rules.base}: reduced to the strategies' target.`;
  return { decision: draft(pair, context, signal, 'exit', 'reduced', text), trade };
}

function pairBlock(
  pair: string,
  { agent, tick, memory }: PairContext,
  { quote, signal }: Market,
): RiskBlock | null {
  return firstBlock(GUARDS_OF.pair, {
    at: tick.close,
    intervalMs: executionIntervalMs(agent.interval),
    pair,
    quote,
    signal,
    pegBreaks: tick.pegBreaks,
    memory,
  });
}

/** What the size guards leave of a purchase, and the words of the one that cut it last. */
type RoomLeft = { block: null; amount: Fixed; cutText: string | null } | { block: RiskBlock };

function roomFor(pair: string, context: PairContext, missing: Fixed): RoomLeft {
  const { account, agent, tick } = context;
  const held = worthOf(context);
  let [amount, cutText]: [Fixed, string | null] = [missing, null];
  for (const guard of GUARDS_OF.size) {
    const room: Room = guard.check({
      pair,
      wanted: amount,
      equity: account.equity,
      profile: agent.profile,
      maxPosition: agent.risk.maxPosition,
      held,
      correlation: tick.correlation,
    });
    if (room.block) return { block: { code: guard.code, ...room.block } };
    if (room.amount < amount) [amount, cutText] = [room.amount, guard.cutText];
  }
  return { block: null, amount, cutText };
}

/** Positions valued at the bid; at cost where there is no price. */
function worthOf({ holdings, tick }: PairContext): Map<string, Fixed> {
  return new Map(
    [...holdings].map(([pair, { quantity, cost }]) => {
      const quote = tick.quotes.get(pair);
      return [pair, quote === undefined ? cost : multiply(quantity, quote.bid, 'down')];
    }),
  );
}

/** The stop of a position that grew: under the new average price, never lower than it was. */
function entryStop(
  position: OpenPosition | null,
  price: Fixed,
  quantity: Fixed,
  stopLossShare: number,
): Fixed {
  const fresh = stopPriceFor(price, stopLossShare);
  if (!position) return fresh;
  const average = divide(
    add(position.cost, multiply(quantity, price, 'down')),
    add(position.quantity, quantity),
    'down',
  );
  const blended = stopPriceFor(average, stopLossShare);
  return position.stopPrice !== null && position.stopPrice > blended ? position.stopPrice : blended;
}

const SIZE_TEXT = {
  below_minimum: "the order would be under the venue's minimum.",
  no_cash: "not enough free cash for the venue's minimum.",
  no_volume: "the candle's volume is too low.",
};
const LIMIT_TEXT: Record<string, string> = {
  participation: '1 % of the volume',
  cash: 'free cash',
  max_trade_amount: 'your limit for a single trade',
};

function noTrade(wanted: Wanted, threshold: number): string {
  switch (wanted.why) {
    case 'weak_signal':
      return `No trade: signal ${twoDecimals(wanted.best)}, needs ${threshold.toFixed(2)}.`;
    case 'too_little_history':
      return 'No trade: too little history for a signal.';
    case 'too_few_pairs':
      return 'No trade: a ranking needs at least two pairs.';
    case 'not_in_top':
      return 'No trade: not among the leaders.';
    case 'thin_volume':
      return 'No trade: volume is too low to confirm the move.';
    case 'move_turned':
      return 'No trade: the move of the day is down.';
    case 'trend_down':
      return 'No trade: the trend is down.';
    case 'near_fair':
      return 'No trade: the price is close to fair.';
    case 'off_peg':
      return 'No trade: more than 1 % off its peg.';
    case 'not_a_stablecoin':
      return 'No trade: not a stablecoin.';
    case 'cost_exceeds_edge':
      return 'No trade: the gap does not cover the cost of the round trip.';
    case 'stopped_out':
      return 'No trade: stopped out; waiting for the next ranking.';
    default:
      return 'No trade: no strategy wants it.';
  }
}

function leftText(signal: Signal): string {
  return signal.sleeves
    ? 'no strategy holds it any more.'
    : `the strategy has exited (${signal.reason.replaceAll('_', ' ')}).`;
}

function stay(
  pair: string,
  context: PairContext,
  signal: Signal | null,
  reason: string,
  text: string,
): PairOutcome {
  return {
    decision: draft(pair, context, signal, context.position ? 'hold' : 'skip', reason, text),
    trade: null,
  };
}

function draft(
  pair: string,
  { agent }: PairContext,
  signal: Signal | null,
  action: DecisionDraft['action'],
  reason: string,
  text: string,
): DecisionDraft {
  return {
    pair,
    action,
    reason,
    strength: signal?.strength ?? null,
    threshold: agent.risk.threshold,
    text,
  };
}

/**
 * A blend buys for those of its strategies that are over the threshold: the text gives their
 * strength beside its own.
 */
function strengthText(signal: Signal, wanted: Wanted): string {
  const [whole, buying] = [twoDecimals(signal.strength), twoDecimals(wanted.strength)];
  return whole === buying
    ? `signal ${whole}`
    : `signal ${whole}, ${buying} in the strategies that buy`;
}

/** Rounded down, so that a strength just short of its threshold never reads as equal to it. */
function twoDecimals(strength: number): string {
  return (Math.floor(strength * 100 + 1e-9) / 100).toFixed(2);
}
