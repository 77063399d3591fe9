/** Follows the trend over 7, 14 and 28 days, in units of the pair's own volatility. */
/*
 * Rule: z is the mean over 7, 14 and 28 days of return ÷ (daily σ·√days). Enters at z > 0 and a
 * strength of at least the agent's threshold, leaves at z < 0.
 * Source: Moskowitz, Ooi and Pedersen 2012, volatility-scaled time-series momentum. Against:
 * momentum in crypto crashes, and was not significant in 2014–18 (Grobys and Sapkota 2019).
 * Parameters: the windows; long-haul uses one of 90 days; σ over 30 days (candle-series.ts).
 */
import { logReturn, mean, volatilityAt } from '../signals/candle-series.ts';
import type { Series } from '../signals/candle-series.ts';
import type { Signal } from '../signals/signal.ts';
import { LONG_HAUL_DAYS, noOpinion, signalOf } from './strategy.ts';
import type { Strategy, StrategyInput, UniverseVersion, Verdict } from './strategy.ts';

export const WINDOWS_DAYS = [7, 14, 28];

/**
 * What is built on Base: its settlement coins and lenders first, the chain's own tokens once they
 * traded widely.
 */
const UNIVERSE: readonly UniverseVersion[] = [
  {
    version: 1,
    from: 0,
    bases: ['ETH', 'BTC', 'LINK', 'UNI', 'AAVE', 'COMP', 'CRV', 'SNX', 'SUSHI', 'YFI'],
  },
  {
    version: 2,
    from: Date.UTC(2024, 6, 1),
    bases: [
      'ETH',
      'BTC',
      'LINK',
      'UNI',
      'AAVE',
      'COMP',
      'CRV',
      'SNX',
      'AERO',
      'DEGEN',
      'BRETT',
      'TOSHI',
      'WELL',
    ],
  },
  {
    version: 3,
    from: Date.UTC(2025, 6, 1),
    bases: [
      'ETH',
      'BTC',
      'LINK',
      'UNI',
      'AAVE',
      'COMP',
      'CRV',
      'AERO',
      'MORPHO',
      'VIRTUAL',
      'BRETT',
      'TOSHI',
      'DEGEN',
      'WELL',
      'ZORA',
    ],
  },
];

export const baseEcosystem = {
  id: 'base_ecosystem',
  name: 'Base Ecosystem',
  risk: 'Medium',
  universe: UNIVERSE,
  description:
    'Follows the trend of 7, 14 and 28 days in a curated list of coins that the Base chain is built on.',
  about: {
    enters:
      'A coin whose returns of 7, 14 and 28 days, each measured against its own usual swings, point up on average.',
    leaves: 'When that average turns negative, or at the stop.',
    looks: 'At every look of the agent, coin by coin; coins are not compared with each other.',
    risks: [
      'A market that turns back and forth makes it buy late and sell late, with a fee each time.',
      'The list leans on one chain: what harms that chain harms most of it at once.',
      'Its younger coins trade thinly, and a large order moves their price.',
    ],
  },
  suits: 'conservative',
  signals,
} satisfies Strategy;

/** z = mean over the windows of return ÷ (daily σ·√days). In above zero, out below. */
function signals({ pairs, at, horizon }: StrategyInput): Map<string, Signal> {
  const windows = horizon === 'long-haul' ? [LONG_HAUL_DAYS] : WINDOWS_DAYS;
  return new Map(
    [...pairs].map(([pair, series]) => [
      pair,
      signalOf(pair, series, at, judge(series, at, windows)),
    ]),
  );
}

function judge(series: Series, at: number, windows: readonly number[]): Verdict {
  const volatility = volatilityAt(series, at);
  if (!volatility) return noOpinion('too_little_history');
  const { daily, quality } = volatility;
  const scaled = windows.flatMap((days) => {
    const change = logReturn(series, at, days);
    return change === null ? [] : [change / (daily * Math.sqrt(days))];
  });
  const z = scaled.length < windows.length ? null : mean(scaled);
  if (z === null) return noOpinion('too_little_history', daily);
  return {
    z,
    quality,
    enter: z > 0,
    leave: z < 0,
    dailyVolatility: daily,
    reason: z > 0 ? 'trend_up' : 'trend_down',
  };
}
