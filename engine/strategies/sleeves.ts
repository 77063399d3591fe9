/** Which strategies of an agent hold, join or leave a pair. */
import { lastExit } from '../execution/agent-memory.ts';
import type { AgentMemory, StrategyHolding } from '../execution/agent-memory.ts';
import { pegTradeIsOver } from './stablecoin-arbitrage.ts';
import type { OpenPosition } from '../execution/agent-types.ts';
import type { Signal, Sleeve } from '../signals/signal.ts';
import type { PoolId } from '../../contract/agents.ts';

export interface SleevesInput {
  pair: string;
  /** The agent's pool: the one sleeve of a signal that is no blend. */
  pool: PoolId;
  signal: Signal;
  threshold: number;
  /** Close of the evaluated candle, ms. */
  at: number;
  memory: AgentMemory;
  position: OpenPosition | null;
  /**
   * False while a guard or a setting blocks entries: then no strategy joins, but each may leave.
   */
  mayJoin: boolean;
  /** Fees and spread of an entry and an exit, as a fraction of the price. */
  roundTripCost: number;
}

export interface Wanted {
  joining: PoolId[];
  /** Share of a full position wanted by all, and by one strategy. */
  share: number;
  sleeveShare: number;
  /**
   * Mean strength of those that want it, each at least the threshold: an entry keeps its size until
   * it leaves.
   */
  strength: number;
  /** Highest strength of any strategy. */
  best: number;
  /** Why none joins: `blocked` where one would if it might, else the nearest miss. */
  why: string;
  /** What to remember if the trade is made. */
  strategyHolding: StrategyHolding;
}

/**
 * A strategy joins by its own rule and the threshold, and leaves by its own rule alone: the gap
 * between is hysteresis.
 */
export function wantedSleeves(input: SleevesInput): Wanted {
  const { signal, threshold, memory, pair, position } = input;
  const sleeves = signal.sleeves ?? [{ ...signal, pool: input.pool }];
  const strategyHolding = memory.strategyHoldings[pair];
  const staying: Sleeve[] = [];
  const joining: Sleeve[] = [];
  let [why, best] = ['', 0];
  for (const sleeve of sleeves) {
    best = Math.max(best, sleeve.strength);
    const held = position !== null && holds(strategyHolding, sleeve.pool);
    if (held && !leaves(sleeve, strategyHolding, input)) staying.push(sleeve);
    const refusal = held ? 'holding' : refusalOf(sleeve, input);
    if (refusal === null) joining.push(sleeve);
    // The nearest miss, else the first reason.
    else if (
      why === '' ||
      refusal === 'blocked' ||
      (refusal === 'weak_signal' && why !== 'blocked')
    )
      why = refusal;
  }
  const wanting = [...staying, ...joining];
  let total = 0;
  for (const sleeve of wanting) total += Math.max(threshold, sleeve.strength);
  return {
    joining: joining.map((sleeve) => sleeve.pool),
    share: wanting.length / sleeves.length,
    sleeveShare: 1 / sleeves.length,
    strength: wanting.length === 0 ? 0 : total / wanting.length,
    best,
    why: why === '' ? 'weak_signal' : why,
    strategyHolding: {
      pools: wanting.map((sleeve) => sleeve.pool),
      deviation:
        strategyHolding?.deviation ??
        joining.find((sleeve) => sleeve.deviation !== undefined)?.deviation ??
        null,
    },
  };
}

/** Whether a strategy holds part of a position; where nothing is remembered of it, each does. */
export function holds(strategyHolding: StrategyHolding | undefined, pool: PoolId): boolean {
  return strategyHolding === undefined || strategyHolding.pools.includes(pool);
}

/** A sleeve without its pool: a signal that is no blend is one too. */
type Word = Omit<Sleeve, 'pool'>;

export function leaves(
  sleeve: Word,
  strategyHolding: StrategyHolding | undefined,
  { at, position }: Pick<SleevesInput, 'at' | 'position'>,
): boolean {
  if (sleeve.leave) return true;
  const entered = strategyHolding?.deviation ?? null;
  if (position === null || entered === null) return false;
  return pegTradeIsOver(entered, position.openedAt, sleeve.deviation ?? null, at);
}

/** Why a strategy does not enter; null where it does. */
export function refusalOf(
  sleeve: Word,
  {
    threshold,
    pair,
    memory,
    roundTripCost,
    mayJoin,
  }: Pick<SleevesInput, 'threshold' | 'pair' | 'memory' | 'roundTripCost' | 'mayJoin'>,
): string | null {
  if (!sleeve.enter) return sleeve.reason;
  if (sleeve.strength < threshold) return 'weak_signal';
  if (sleeve.edge !== undefined && sleeve.edge <= roundTripCost) return 'cost_exceeds_edge';
  const stop = lastExit(memory, pair, true);
  if (sleeve.formedAt !== undefined && stop && stop.at >= sleeve.formedAt) return 'stopped_out';
  return mayJoin ? null : 'blocked';
}
