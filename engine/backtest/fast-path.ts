/**
 * Fast path: proves on floats that evaluating a pair is a no-op, otherwise falls back to stepAgent.
 */
import { approximate } from '../execution/fills.ts';
import { lastExit } from '../execution/agent-memory.ts';
import type { AgentMemory, StrategyHolding } from '../execution/agent-memory.ts';
import type { AgentInput, OpenPosition } from '../execution/agent-types.ts';
import { driftAllowed, targetShare } from '../execution/sizing.ts';
import { executionIntervalMs, rebalancesAlways } from '../execution/schedule.ts';
import { FLOAT_MARGIN } from '../guards/guard.ts';
import type { AgentView, PairView } from '../guards/guard.ts';
import { GUARDS_OF } from '../guards/registry.ts';
import type { PairRules } from '../market-types.ts';
import { baseOf, quoteOf } from '../pair-coins.ts';
import { volumeInDay } from '../signals/candle-series.ts';
import type { Series } from '../signals/candle-series.ts';
import { isPegPair } from '../signals/pegs.ts';
import type { PegBreaks } from '../signals/pegs.ts';
import type { Signal, Sleeve } from '../signals/signal.ts';
import { holds, leaves, refusalOf } from '../strategies/sleeves.ts';
import type { SleevesInput } from '../strategies/sleeves.ts';

/** A price or a share of the equity below this is rounded too coarsely to be judged here. */
export const SMALL = 1e-5;

/**
 * What is known of a pair between two evaluations, as numbers. `refresh` brings it up to date after
 * every fill and exit; price, quote time and signal are those of the evaluation under way.
 */
export interface Watch extends PairView {
  readonly series: Series | null;
  /** Its place in the series at each moment of the timeline. */
  readonly bars: Int32Array | null;
  readonly rules: PairRules | null;
  /** Bid ÷ last. */
  readonly bidShare: number;
  /** Fees and spread of a round trip, as a fraction of the price. */
  readonly costs: number;
  position: OpenPosition | null;
  quantity: number;
  /** The highest last price at which the bid may have reached the stop. */
  stopNear: number;
  price: number;
  quotedAt: number;
  signal: Signal;
  /** Whether the evaluation under way may rebalance the pair. */
  rebalance: boolean;
  lastExitAt: number;
  lastStopAt: number;
  readonly sleevesInput: Omit<SleevesInput, 'signal' | 'pool'>;
  /** The newest reason, and how often it was given since it was added to the totals. */
  reason: string;
  times: number;
}

const NO_SIGNAL: Signal = {
  pair: '',
  z: null,
  strength: 0,
  quality: 0,
  enter: false,
  leave: false,
  dailyVolatility: null,
  reason: '',
};

export function makeWatch(
  pair: string,
  series: Series | null,
  bars: Int32Array | null,
  rules: PairRules | null,
  { agent, memory }: EvalContext,
): Watch {
  const half = (rules?.halfSpreadBps ?? 0) / 10_000;
  const costs = 2 * half + (2 * (rules?.feeBps ?? 0)) / 10_000;
  return {
    pair,
    series,
    bars,
    rules,
    bidShare: 1 - half,
    spread: 2 * half,
    costs,
    sleevesInput: {
      pair,
      memory,
      threshold: agent.risk.threshold,
      roundTripCost: costs,
      at: 0,
      position: null,
      mayJoin: true,
    },
    base: baseOf(pair),
    quote: quoteOf(pair),
    isPegPair: isPegPair(pair),
    position: null,
    quantity: 0,
    stopNear: 0,
    price: Number.NaN,
    quotedAt: Number.NaN,
    signal: NO_SIGNAL,
    rebalance: true,
    lastExitAt: Number.NEGATIVE_INFINITY,
    lastStopAt: Number.NEGATIVE_INFINITY,
    reason: '',
    times: 0,
  };
}

/** After a fill or an exit of the pair. */
export function refresh(watch: Watch, position: OpenPosition | null, context: EvalContext): void {
  const { memory } = context;
  watch.position = position;
  watch.sleevesInput.position = position;
  watch.quantity = position === null ? 0 : approximate(position.quantity);
  watch.stopNear =
    position?.stopPrice == null
      ? 0
      : (approximate(position.stopPrice) / watch.bidShare) * (1 + FLOAT_MARGIN);
  watch.lastExitAt = lastExit(memory, watch.pair, false)?.at ?? Number.NEGATIVE_INFINITY;
  watch.lastStopAt = lastExit(memory, watch.pair, true)?.at ?? Number.NEGATIVE_INFINITY;
  context.lastStopAt = Math.max(context.lastStopAt, watch.lastStopAt);
}

/** What holds for all pairs of an agent at one evaluation; one object serves all evaluations. */
export interface EvalContext extends AgentView {
  readonly memory: AgentMemory;
  /** The agent's `max_position_size`. */
  readonly cap: number;
  at: number;
  equity: number;
  dayEquity: number;
  highestEquity: number;
  lastStopAt: number;
  /**
   * When the day of `dayEquity` is over, and the close of the evaluation before; NaN before the
   * first.
   */
  dayEnds: number;
  lastEvaluation: number;
  /** Whether this evaluation is at a rebalance moment, and whether each is. */
  rebalance: boolean;
  readonly always: boolean;
  /** Code of what blocks the whole agent, if anything; undefined where only stepAgent can tell. */
  block: string | null | undefined;
  pegBreaks: PegBreaks;
}

export function makeEvalContext(agent: AgentInput, memory: AgentMemory): EvalContext {
  return {
    agent,
    memory,
    intervalMs: executionIntervalMs(agent.interval),
    cap: approximate(agent.maxPositionSize),
    always: rebalancesAlways(agent.frequency),
    at: 0,
    equity: 0,
    dayEquity: 0,
    highestEquity: 0,
    lastStopAt: Number.NEGATIVE_INFINITY,
    dayEnds: Number.NEGATIVE_INFINITY,
    lastEvaluation: Number.NaN,
    rebalance: true,
    block: null,
    pegBreaks: new Map(),
  };
}

/** Code of the halt in force, as stepAgent would find it before it asks any guard. */
function haltInForce({ at, memory: { halt } }: EvalContext): string | null {
  return halt !== null && (halt.until === null || at < halt.until) ? halt.code : null;
}

/**
 * Whether a guard may halt the agent at this evaluation. stepAgent has to run then even if it
 * trades nothing, because a halt is remembered. A lasting halt in force changes nothing by halting
 * again.
 */
export function mayHalt(context: EvalContext): boolean {
  const inForce = haltInForce(context);
  for (const { bound, code } of GUARDS_OF.lastingHalt)
    if (code !== inForce && bound?.(context) !== 'passes') return true;
  if (inForce !== null) return false;
  for (const { bound } of GUARDS_OF.timedHalt) if (bound?.(context) !== 'passes') return true;
  return false;
}

/** Code of what blocks the whole agent where none may halt it now; undefined where unknown. */
export function agentBlockCode(context: EvalContext): string | null | undefined {
  const inForce = haltInForce(context);
  if (inForce !== null) return inForce;
  for (const { bound, code } of GUARDS_OF.agent) {
    const found = bound?.(context) ?? 'unknown';
    if (found !== 'passes') return found === 'blocks' ? code : undefined;
  }
  return null;
}

/**
 * The reason that the decision of this pair would give for doing nothing, and changing nothing that
 * is remembered; null where it would do something, or might. `price` is the open of the candle
 * after the evaluation, NaN where it has none.
 */
export function noOpReason(
  watch: Watch,
  signal: Signal | null,
  price: number,
  quotedAt: number,
  context: EvalContext,
): string | null {
  if (watch.rules === null) return 'not_offered';
  if (Number.isNaN(price)) return 'no_price';
  if (watch.position !== null && price <= watch.stopNear) return null;
  if (price < SMALL) return null;
  if (signal === null) return 'no_signal';
  watch.price = price;
  watch.quotedAt = quotedAt;
  watch.signal = signal;
  return watch.position === null ? whyNotIn(watch, context) : whyHeld(watch, context);
}

/** Code of what blocks entries on the pair; undefined where only stepAgent can tell. */
export function blockCode(watch: Watch, context: EvalContext): string | null | undefined {
  if (context.block !== null) return context.block;
  for (const { bound, code } of GUARDS_OF.pair) {
    const found = bound?.(watch, context) ?? 'unknown';
    if (found !== 'passes') return found === 'blocks' ? code : undefined;
  }
  return null;
}

/** Nobody holds: why no strategy joins. */
function whyNotIn(watch: Watch, context: EvalContext): string | null {
  const { signal, sleevesInput } = watch;
  sleevesInput.at = context.at;
  sleevesInput.mayJoin = true;
  let first: string | null = null;
  let weak = false;
  const sleeves = signal.sleeves;
  for (let i = 0; i < (sleeves?.length ?? 1); i += 1) {
    const sleeve: Omit<Sleeve, 'pool'> = sleeves?.[i] ?? signal;
    // What a gap has to cover depends on the volume, and is too close to call.
    if (
      sleeve.edge !== undefined &&
      sleeve.enter &&
      sleeve.strength >= sleevesInput.threshold &&
      sleeve.edge > watch.costs - FLOAT_MARGIN
    )
      return null;
    const why = refusalOf(sleeve, sleevesInput);
    if (why === null) {
      const blocked = blockCode(watch, context);
      return blocked ?? (blocked === null && !watch.rebalance ? 'not_now' : null);
    }
    weak ||= why === 'weak_signal';
    first ??= why;
  }
  return weak ? 'weak_signal' : (first ?? 'weak_signal');
}

/** Somebody holds: whether those who want it stay the same and the size is right. */
function whyHeld(watch: Watch, context: EvalContext): string | null {
  if (!watch.rebalance) return 'not_now';
  const blocked = blockCode(watch, context);
  if (blocked === undefined) return null;
  const held = heldDrift(watch, blocked === null, context);
  if (held === null) return null;
  const { band, drift } = held;
  const margin = FLOAT_MARGIN * (1 + Math.abs(drift));
  if (drift < -margin - band) return isTooLittleToSell(watch, held) ? 'too_little_to_sell' : null;
  if (!(drift > margin - band)) return null;
  if (blocked !== null) return blocked;
  return drift < band - margin ? 'on_target' : null;
}

/** Whether what is over the target is certain to be under the venue's minimum, and the rest is not. */
function isTooLittleToSell(
  { bidShare, price, quantity, rules }: Watch,
  { target }: HeldDrift,
): boolean {
  const least = rules === null ? Number.NaN : approximate(rules.minNotional);
  const value = quantity * price * bidShare;
  const margin = FLOAT_MARGIN * (1 + value);
  return target > least + margin && value - target < least - margin;
}

/** Where a holding stands against its target, as floats. */
interface HeldDrift {
  drift: number;
  /** How much drift is left alone. */
  band: number;
  /** What the strategies would hold, in quote currency. */
  target: number;
}

/** Null where other strategies want the pair than hold it, or where a float cannot say. */
export function heldDrift(watch: Watch, mayJoin: boolean, context: EvalContext): HeldDrift | null {
  const { agent, cap, equity, memory } = context;
  const { bidShare, costs, pair, price, quantity, signal } = watch;
  const strategyHolding = memory.strategyHoldings[pair];
  if (signal.dailyVolatility === null || strategyHolding === undefined) return null;
  const strength = strengthAsBefore(watch, strategyHolding, mayJoin, context);
  if (Number.isNaN(strength)) return null;
  const strategies = signal.sleeves?.length ?? 1;
  const wanted = strategyHolding.pools.length / strategies;
  const part = targetShare(agent.risk, signal.dailyVolatility, strength);
  if (!(part * wanted > SMALL)) return null;
  const full = Math.min(equity * part, cap);
  if (!(full > SMALL)) return null;
  const target = Math.min(equity * wanted * part, cap);
  // The other frequencies do not weigh the cost of trading.
  const roundTrip = agent.frequency === 'optimized' ? costs + impactAtZero(watch, context) : costs;
  return {
    target,
    drift: (target - quantity * price * bidShare) / full,
    band: driftAllowed(agent.frequency, roundTrip, 1 / strategies),
  };
}

/** An order of nothing has no impact, but without any volume the worst is assumed: NaN then. */
function impactAtZero({ series }: Watch, { at }: EvalContext): number {
  return series !== null && volumeInDay(series, at) > 0 ? 0 : Number.NaN;
}

/**
 * Mean strength of the strategies that want the pair; NaN where they are not those that are
 * remembered for it.
 */
function strengthAsBefore(
  { costs, signal, sleevesInput }: Watch,
  strategyHolding: StrategyHolding,
  mayJoin: boolean,
  { agent, at }: EvalContext,
): number {
  const { threshold } = agent.risk;
  sleevesInput.at = at;
  sleevesInput.mayJoin = mayJoin;
  const sleeves = signal.sleeves;
  let strength = 0;
  let wanting = 0;
  for (let i = 0; i < (sleeves?.length ?? 1); i += 1) {
    const sleeve: Omit<Sleeve, 'pool'> = sleeves?.[i] ?? signal;
    if (holds(strategyHolding, sleeves?.[i]?.pool ?? agent.pool)) {
      if (leaves(sleeve, strategyHolding, sleevesInput)) return Number.NaN;
      strength += Math.max(threshold, sleeve.strength);
      wanting += 1;
    } else if (
      (sleeve.edge !== undefined && sleeve.edge > costs - FLOAT_MARGIN) ||
      refusalOf(sleeve, sleevesInput) === null
    )
      return Number.NaN;
  }
  return wanting === strategyHolding.pools.length ? strength / wanting : Number.NaN;
}
