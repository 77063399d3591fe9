/** Blends all strategies in equal shares, netted to one target per pair. */
/*
 * Rule: an equal share of the risk for each strategy that covers a pair, one net target per pair;
 * each share enters and leaves by its own strategy's rule.
 * Source: those of the others; equal shares because none is known to be the best beforehand.
 * Parameters: none of its own. Four strategies share ordinary coins, the peg rule has stablecoins.
 */
import type { PoolId } from '../../contract/agents.ts';
import { isStablecoinPair } from '../pair-coins.ts';
import { mean } from '../signals/candle-series.ts';
import type { Signal, Sleeve } from '../signals/signal.ts';
import { baseEcosystem } from './base-ecosystem.ts';
import { momentum24h } from './momentum-24h.ts';
import { stablecoinArbitrage } from './stablecoin-arbitrage.ts';
import { weeklyLeaders } from './weekly-leaders.ts';
import { ytdChampions } from './ytd-champions.ts';
import { MAJORS } from './majors.ts';
import { recentHistoryMs } from './strategy.ts';
import type { Strategy, StrategyInput } from './strategy.ts';

/** Equal shares, in this order. */
const DIRECTIONAL: readonly Strategy[] = [baseEcosystem, momentum24h, weeklyLeaders, ytdChampions];
const PEGGED: readonly Strategy[] = [stablecoinArbitrage];

export const allPools = {
  id: 'all_pools',
  name: 'All Pools',
  risk: 'Medium',
  universe: MAJORS,
  description:
    'Every strategy at once, each an equal share of the risk, netted to one position a pair.',
  about: {
    enters:
      'When at least one of the strategies above would: coins by the four that follow moves, stablecoins by the fifth.',
    leaves: 'When none of them holds on any more, or at the stop.',
    looks: 'At every look of the agent; each share by the calendar of its own strategy.',
    risks: [
      'Four of the five follow rises: in a sudden fall they lose together.',
      'Shares that disagree cancel out, and money then lies idle.',
    ],
  },
  suits: 'moderate',
  lookbackMs: (at, horizon) =>
    Math.max(
      ...[...DIRECTIONAL, ...PEGGED].map(
        ({ lookbackMs }) => lookbackMs?.(at, horizon) ?? recentHistoryMs(horizon),
      ),
    ),
  signals,
} satisfies Strategy;

/**
 * Positions are sized to a volatility target, so equal shares of one are equal risks. A stablecoin
 * answers to the peg rule alone, every other pair to the four directional strategies, each ranking
 * within the pairs given.
 */
function signals(input: StrategyInput): Map<string, Signal> {
  const { moving, pegged } = splitOf(input.pairs);
  const blended = [
    blend({ ...input, pairs: pegged }, PEGGED),
    blend({ ...input, pairs: moving }, DIRECTIONAL),
  ];
  const signals = new Map<string, Signal>();
  for (const pair of input.pairs.keys()) {
    const signal = blended[0]?.get(pair) ?? blended[1]?.get(pair);
    if (signal) signals.set(pair, signal);
  }
  return signals;
}

type Pairs = StrategyInput['pairs'];

/**
 * The same pairs give the same two maps, so that a ranking within one is computed once (see
 * `rankedAt`).
 */
const SPLITS = new WeakMap<Pairs, { pegged: Pairs; moving: Pairs }>();

function splitOf(pairs: Pairs): { pegged: Pairs; moving: Pairs } {
  const known = SPLITS.get(pairs);
  if (known) return known;
  const split = {
    pegged: new Map([...pairs].filter(([pair]) => isStablecoinPair(pair))),
    moving: new Map([...pairs].filter(([pair]) => !isStablecoinPair(pair))),
  };
  SPLITS.set(pairs, split);
  return split;
}

function blend(input: StrategyInput, strategies: readonly Strategy[]): Map<string, Signal> {
  const nets = new Map<string, Signal>();
  if (input.pairs.size === 0) return nets;
  const results = strategies.map((strategy) => strategy.signals(input));
  for (const pair of input.pairs.keys()) {
    const signals: Signal[] = [];
    const sleeves: Sleeve[] = [];
    for (let i = 0; i < strategies.length; i += 1) {
      const signal = results[i]?.get(pair);
      const pool = strategies[i]?.id;
      if (!signal || !pool) continue;
      signals.push(signal);
      sleeves.push(sleeveOf(pool, signal));
    }
    const net = netOf(pair, signals, sleeves);
    if (net) nets.set(pair, net);
  }
  return nets;
}

function netOf(
  pair: string,
  signals: readonly Signal[],
  sleeves: readonly Sleeve[],
): Signal | null {
  const [first] = signals;
  if (!first) return null;
  const zs: number[] = [];
  let [entering, leaving, strongest, strongestEntering, quality] = [0, 0, 0, 0, 0];
  let dailyVolatility: number | null = null;
  for (const signal of signals) {
    if (signal.z !== null) zs.push(signal.z);
    if (signal.enter) entering += 1;
    if (signal.leave) leaving += 1;
    strongest = Math.max(strongest, signal.strength);
    if (signal.enter) strongestEntering = Math.max(strongestEntering, signal.strength);
    quality += signal.quality;
    dailyVolatility ??= signal.dailyVolatility;
  }
  const net: Signal = {
    pair,
    z: mean(zs),
    strength: entering > 0 ? strongestEntering : strongest,
    quality: quality / signals.length,
    enter: entering > 0,
    leave: leaving === signals.length,
    dailyVolatility,
    reason: zs.length === 0 ? first.reason : 'blend',
    target: entering / signals.length,
    sleeves,
  };
  if (first.price !== undefined) net.price = first.price;
  return net;
}

function sleeveOf(
  pool: PoolId,
  { z, strength, enter, leave, reason, formedAt, deviation, edge }: Signal,
): Sleeve {
  const sleeve: Sleeve = { pool, z, strength, enter, leave, reason };
  if (formedAt !== undefined) sleeve.formedAt = formedAt;
  if (deviation !== undefined) sleeve.deviation = deviation;
  if (edge !== undefined) sleeve.edge = edge;
  return sleeve;
}
