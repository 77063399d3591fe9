/**
 * Fast path: proves on floats that evaluating a pair is a no-op, otherwise falls back to stepAgent.
 */
import { approximate } from '../execution/fills.ts';
import { JUMP_MAX, SPREAD_MAX } from '../guards/bad-price.ts';
import { PAUSE_MS as COOLDOWN_MS } from '../guards/cooldown.ts';
import { GOOD_FOR_MIN_MS } from '../guards/stale-feed.ts';
import { PAUSE_MS as STOP_PAUSE_MS } from '../guards/stop-loss.ts';
import { PAUSE_MS as CLUSTER_PAUSE_MS, stopLossCluster } from '../guards/stop-loss-cluster.ts';
import { DRIFT_MIN } from '../execution/decide-pair.ts';
import { lastExit } from '../execution/agent-memory.ts';
import type { AgentMemory, StrategyHolding } from '../execution/agent-memory.ts';
import { isPegPair, PEG_HALT, quoteOf } from '../signals/pegs.ts';
import type { PegBreaks } from '../signals/pegs.ts';
import { baseOf } from '../strategies/pools.ts';
import { volumeOf } from '../signals/candle-series.ts';
import type { Series } from '../signals/candle-series.ts';
import { noTradeBand } from '../execution/sizing.ts';
import { holds, leaves, refusalOf } from '../strategies/sleeves.ts';
import type { SleevesInput } from '../strategies/sleeves.ts';
import { executionIntervalMs, lastRebalance } from '../execution/schedule.ts';
import type { AgentInput, OpenPosition, RiskValues } from '../execution/agent-types.ts';
import type { PairRules } from '../market-types.ts';
import type { Signal, Sleeve } from '../signals/signal.ts';

/** Between a float of this file and the money it stands for there is less than this, as a share. */
export const ROOM = 1e-6;
const DAYS_A_YEAR = 365;
/** A part of the equity under this is rounded too coarsely to be judged here. */
export const SMALL = 1e-5;

/**
 * What is known of a pair between two evaluations, as numbers; brought up to date after every fill
 * and exit.
 */
export interface Watch {
  readonly pair: string;
  readonly series: Series | null;
  /** Its place in the series at each moment of the timeline. */
  readonly bars: Int32Array | null;
  readonly rules: PairRules | null;
  /** Bid ÷ last, and the fees and the spread of a round trip. */
  readonly bidShare: number;
  readonly spread: number;
  readonly costs: number;
  readonly coins: { base: string; quote: string; pegged: boolean };
  position: OpenPosition | null;
  quantity: number;
  /** The last price at which the bid may be down at the stop. */
  stopNear: number;
  /** Guards of this pair let nobody in until then. */
  stopUntil: number;
  coolUntil: number;
  /** What its strategies are asked with. */
  readonly asked: Asked;
  /** The newest reason, and how often it was given since it was written down. */
  reason: string;
  times: number;
}

type Asked = Omit<SleevesInput, 'signal' | 'pool'>;

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
    asked: {
      pair,
      memory,
      threshold: agent.risk.threshold,
      roundTripCost: costs,
      at: 0,
      position: null,
      mayJoin: true,
    },
    coins: { base: baseOf(pair), quote: quoteOf(pair), pegged: isPegPair(pair) },
    position: null,
    quantity: 0,
    stopNear: 0,
    stopUntil: 0,
    coolUntil: 0,
    reason: '',
    times: 0,
  };
}

/** After a fill or an exit of the pair. */
export function refresh(watch: Watch, position: OpenPosition | null, context: EvalContext): void {
  const { memory } = context;
  watch.position = position;
  watch.asked.position = position;
  watch.quantity = position === null ? 0 : approximate(position.quantity);
  watch.stopNear =
    position?.stopPrice == null
      ? 0
      : (approximate(position.stopPrice) / watch.bidShare) * (1 + ROOM);
  const stop = lastExit(memory, watch.pair, true);
  const exit = lastExit(memory, watch.pair, false);
  watch.stopUntil = stop === null ? 0 : stop.at + STOP_PAUSE_MS;
  watch.coolUntil = exit === null ? 0 : exit.at + COOLDOWN_MS;
  if (stop !== null)
    context.clusterUntil = Math.max(context.clusterUntil, stop.at + CLUSTER_PAUSE_MS);
}

/** What holds for all pairs of an agent at one evaluation; one object serves all evaluations. */
export interface EvalContext {
  readonly agent: AgentInput;
  readonly memory: AgentMemory;
  readonly intervalMs: number;
  readonly cap: number;
  at: number;
  /** Equity now, at the day's first evaluation, and at its highest. */
  equity: number;
  began: number;
  highest: number;
  /** A cluster of stops may be in force until then. */
  clusterUntil: number;
  /**
   * When the day of `began` is over, and the close of the evaluation before; NaN before the first.
   */
  dayEnds: number;
  lastEvaluation: number;
  /** Whether this evaluation may rebalance, and whether each may. */
  rebalance: boolean;
  readonly always: boolean;
  /** Why the whole agent may not enter, if so; undefined where that is too close to call. */
  block: string | null | undefined;
  pegBreaks: PegBreaks;
}

export function makeEvalContext(agent: AgentInput, memory: AgentMemory): EvalContext {
  return {
    agent,
    memory,
    intervalMs: executionIntervalMs(agent.interval),
    cap: approximate(agent.maxPositionSize),
    always: lastRebalance(agent.frequency, 1) === 1,
    at: 0,
    equity: 0,
    began: 0,
    highest: 0,
    clusterUntil: 0,
    dayEnds: Number.NEGATIVE_INFINITY,
    lastEvaluation: Number.NaN,
    rebalance: true,
    block: null,
    pegBreaks: new Map(),
  };
}

/** Code of what blocks the whole agent. Undefined where that is too close to call. */
export function agentBlockCode({
  agent,
  at,
  began,
  clusterUntil,
  equity,
  highest,
  memory,
}: EvalContext): string | null | undefined {
  const { halt } = memory;
  const inForce = halt !== null && (halt.until === null || at < halt.until) ? halt.code : null;
  if (inForce !== 'drawdown' && !(highest - equity < highest * (agent.risk.drawdownHalt - ROOM)))
    return undefined;
  if (inForce !== null) return inForce;
  if (!(began - equity < began * (agent.risk.dayLossHalt - ROOM))) return undefined;
  return at < clusterUntil ? (stopLossCluster({ at, memory })?.code ?? null) : null;
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
  openAt: number,
  context: EvalContext,
): string | null {
  if (watch.rules === null) return 'not_offered';
  if (Number.isNaN(price)) return 'no_price';
  if (watch.position !== null && price <= watch.stopNear) return null;
  if (price < SMALL) return null;
  if (signal === null) return 'no_signal';
  if (context.block === undefined) return null;
  const blocked = context.block ?? pairBlockCode(watch, signal, price, openAt, context);
  return watch.position === null
    ? whyNotIn(watch, signal, blocked, context)
    : whyHeld(watch, signal, price, blocked, context);
}

/** As the guards of a pair answer, in their order. */
export function pairBlockCode(
  { coins, coolUntil, spread, stopUntil }: Watch,
  signal: Signal,
  price: number,
  openAt: number,
  { at, intervalMs, pegBreaks }: EvalContext,
): string | null | undefined {
  if (spread > SPREAD_MAX - ROOM) return undefined;
  if (signal.price !== undefined && !(Math.abs(price / signal.price - 1) < JUMP_MAX - ROOM))
    return undefined;
  if (openAt < at || openAt - at > Math.max(intervalMs, GOOD_FOR_MIN_MS)) return 'stale_feed';
  if (
    pegBreaks.size > 0 &&
    (pegBreaks.has(coins.quote) || (coins.pegged && pegBreaks.has(coins.base)))
  )
    return 'depeg';
  if (coins.pegged && Math.abs(price - 1) > PEG_HALT - ROOM) return undefined;
  if (at < stopUntil) return 'stop_loss';
  return at < coolUntil ? 'cooldown' : null;
}

/** Nobody holds: why no strategy joins. */
function whyNotIn(
  watch: Watch,
  signal: Signal,
  blocked: string | null | undefined,
  context: EvalContext,
): string | null {
  const { asked } = watch;
  asked.at = context.at;
  asked.mayJoin = true;
  let first: string | null = null;
  let weak = false;
  const sleeves = signal.sleeves;
  for (let i = 0; i < (sleeves?.length ?? 1); i += 1) {
    const sleeve: Omit<Sleeve, 'pool'> = sleeves?.[i] ?? signal;
    // What a gap has to cover is close to call, and depends on the volume.
    if (
      sleeve.edge !== undefined &&
      sleeve.enter &&
      sleeve.strength >= asked.threshold &&
      sleeve.edge > watch.costs - ROOM
    )
      return null;
    const why = refusalOf(sleeve, asked);
    if (why === null) return blocked ?? (blocked === null && !context.rebalance ? 'not_now' : null);
    weak ||= why === 'weak_signal';
    first ??= why;
  }
  return weak ? 'weak_signal' : (first ?? 'weak_signal');
}

/** Somebody holds: whether those who want it stay the same and the size is right. */
function whyHeld(
  watch: Watch,
  signal: Signal,
  price: number,
  blocked: string | null | undefined,
  context: EvalContext,
): string | null {
  const { agent, memory } = context;
  if (!context.rebalance) return 'not_now';
  if (signal.dailyVolatility === null || blocked === undefined) return null;
  const strategyHolding = memory.strategyHoldings[watch.pair];
  const strength =
    strategyHolding === undefined
      ? Number.NaN
      : strengthAsBefore(watch, strategyHolding, signal, blocked === null, context);
  if (strategyHolding === undefined || Number.isNaN(strength)) return null;
  const strategies = signal.sleeves?.length ?? 1;
  const drift = driftNow(
    watch,
    strategyHolding.pools.length / strategies,
    strength,
    signal.dailyVolatility,
    price,
    context,
  );
  if (Number.isNaN(drift)) return null;
  const band =
    agent.frequency === 'optimized'
      ? Math.max(
          DRIFT_MIN,
          Math.min(noTradeBand(watch.costs + spareImpact(watch, context)), 0.5 / strategies),
        )
      : DRIFT_MIN;
  const room = ROOM * (1 + Math.abs(drift));
  if (!(drift > room - band)) return null;
  if (blocked !== null) return blocked;
  return drift < band - room ? 'on_target' : null;
}

/** Without any volume the house reckons with the worst impact, both ways. */
export function spareImpact({ series }: Watch, { at, intervalMs }: EvalContext): number {
  return series !== null && volumeOf(series, at, intervalMs) > 0 ? 0 : Number.NaN;
}

/**
 * Mean strength of the strategies that want the pair; NaN where they are not those that are
 * remembered for it.
 */
export function strengthAsBefore(
  { asked, costs }: Watch,
  strategyHolding: StrategyHolding,
  signal: Signal,
  mayJoin: boolean,
  { agent, at }: EvalContext,
): number {
  const { threshold } = agent.risk;
  asked.at = at;
  asked.mayJoin = mayJoin;
  const sleeves = signal.sleeves;
  let strength = 0;
  let wanting = 0;
  for (let i = 0; i < (sleeves?.length ?? 1); i += 1) {
    const sleeve: Omit<Sleeve, 'pool'> = sleeves?.[i] ?? signal;
    if (holds(strategyHolding, sleeves?.[i]?.pool ?? agent.pool)) {
      if (leaves(sleeve, strategyHolding, asked)) return Number.NaN;
      strength += Math.max(threshold, sleeve.strength);
      wanting += 1;
    } else if (
      (sleeve.edge !== undefined && sleeve.edge > costs - ROOM) ||
      refusalOf(sleeve, asked) === null
    )
      return Number.NaN;
  }
  return wanting === strategyHolding.pools.length ? strength / wanting : Number.NaN;
}

/** A full position as a share of equity, as `targetPosition` has it. */
export function fullShare(risk: RiskValues, dailyVolatility: number, strength: number): number {
  const byVolatility =
    (risk.volatilityTarget / (dailyVolatility * Math.sqrt(DAYS_A_YEAR))) * strength;
  return Math.min(risk.maxPosition, risk.riskPerTrade / risk.stopLoss, byVolatility);
}

/** How far the holding is off its target, as `driftOf` has it; NaN where it is too small to say. */
export function driftNow(
  { bidShare, quantity }: Watch,
  wanted: number,
  strength: number,
  dailyVolatility: number,
  price: number,
  { agent: { risk }, cap, equity }: EvalContext,
): number {
  const part = fullShare(risk, dailyVolatility, strength);
  if (!(part * wanted > SMALL)) return Number.NaN;
  const full = Math.min(equity * part, cap);
  const target = Math.min(equity * wanted * part, cap);
  return full > SMALL ? (target - quantity * price * bidShare) / full : Number.NaN;
}
