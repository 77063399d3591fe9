/** Every strategy at once, netted to one target a pair; refuses to let one strategy have more than its equal share. */
/*
 * Rule: an equal share of the risk for each strategy that speaks of a pair, one net target a pair; each share comes and goes by its
 * own strategy's rule.
 * Source: the sources of the others; equal shares because none is known to be the best beforehand.
 * Parameters: none of its own: four strategies share what moves, the peg rule alone has stablecoins.
 */
import type { PoolId } from '../../contract/agents.ts';
import { isStablecoinPair } from '../pools.ts';
import { mean } from '../series.ts';
import type { Signal, Sleeve } from '../types.ts';
import { baseEcosystem } from './base-ecosystem.ts';
import { momentum24h } from './momentum-24h.ts';
import { stablecoinArbitrage } from './stablecoin-arbitrage.ts';
import { weeklyLeaders } from './weekly-leaders.ts';
import { ytdChampions } from './ytd-champions.ts';
import type { StrategyInput } from './strategy.ts';

type Strategy = (input: StrategyInput) => Map<string, Signal>;

const DIRECTIONAL: readonly (readonly [PoolId, Strategy])[] = [
  ['base_ecosystem', baseEcosystem],
  ['momentum_24h', momentum24h],
  ['weekly_leaders', weeklyLeaders],
  ['ytd_champions', ytdChampions],
];
const PEGGED: readonly (readonly [PoolId, Strategy])[] = [['stablecoin_arbitrage', stablecoinArbitrage]];

/**
 * Positions are sized to a volatility target, so equal shares of one are equal risks. A stablecoin answers to the peg
 * rule alone, every other pair to the four directional strategies, each ranking within the pairs given.
 */
export function allPools(input: StrategyInput): Map<string, Signal> {
  const pegged = new Map([...input.pairs].filter(([pair]) => isStablecoinPair(pair)));
  const moving = new Map([...input.pairs].filter(([pair]) => !isStablecoinPair(pair)));
  const blended = new Map([...blend({ ...input, pairs: pegged }, PEGGED), ...blend({ ...input, pairs: moving }, DIRECTIONAL)]);
  return new Map([...input.pairs.keys()].flatMap((pair) => {
    const signal = blended.get(pair);
    return signal ? [[pair, signal] as const] : [];
  }));
}

function blend(input: StrategyInput, strategies: readonly (readonly [PoolId, Strategy])[]): Map<string, Signal> {
  const results = strategies.map(([pool, strategy]) => [pool, strategy(input)] as const);
  return new Map([...input.pairs.keys()].flatMap((pair) => {
    const signals = results.flatMap(([pool, byPair]) => {
      const signal = byPair.get(pair);
      return signal ? [{ pool, signal }] : [];
    });
    const net = netOf(pair, signals);
    return net ? [[pair, net] as const] : [];
  }));
}

function netOf(pair: string, parts: readonly { pool: PoolId; signal: Signal }[]): Signal | null {
  const [first] = parts;
  if (!first) return null;
  const sleeves = parts.map(({ pool, signal }) => sleeveOf(pool, signal));
  const entering = sleeves.filter((sleeve) => sleeve.enter);
  const known = sleeves.flatMap((sleeve) => (sleeve.z === null ? [] : [sleeve.z]));
  const { price } = first.signal;
  return {
    pair,
    z: mean(known),
    strength: Math.max(0, ...(entering.length > 0 ? entering : sleeves).map((sleeve) => sleeve.strength)),
    quality: mean(parts.map(({ signal }) => signal.quality)) ?? 0,
    enter: entering.length > 0,
    leave: sleeves.every((sleeve) => sleeve.leave),
    dailyVolatility: parts.find(({ signal }) => signal.dailyVolatility !== null)?.signal.dailyVolatility ?? null,
    reason: known.length === 0 ? first.signal.reason : 'blend',
    ...(price === undefined ? {} : { price }),
    target: entering.length / sleeves.length,
    sleeves,
  };
}

function sleeveOf(pool: PoolId, { z, strength, enter, leave, reason, formedAt, deviation, edge }: Signal): Sleeve {
  return {
    pool, z, strength, enter, leave, reason,
    ...(formedAt === undefined ? {} : { formedAt }),
    ...(deviation === undefined ? {} : { deviation }),
    ...(edge === undefined ? {} : { edge }),
  };
}
