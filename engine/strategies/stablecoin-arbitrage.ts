/**
 * Buys a stablecoin below its fair price and sells on the way back; leaves one alone that has lost
 * its peg.
 */
/*
 * Rule: z is (fair − price) ÷ σ, with fair the median of 24 hours kept within 1 ± 0.5 %. Enters
 * beyond the cost of the round trip and one σ, leaves at a quarter of the entry's gap or after 48
 * hours; buys nothing more than 1 % off the peg.
 * Source: Lyons and Viswanath-Natraj 2023, arbitrage is what holds a peg. Against: a peg that
 * breaks may never return.
 * Parameters: 0.5 %, 1 %, a quarter, 48 hours; σ is the day's spread of closes.
 */
import {
  closesBetween,
  closeAt,
  deviation,
  indexAt,
  median,
  volatilityAt,
} from '../signals/candle-series.ts';
import type { Series } from '../signals/candle-series.ts';
import { DAY_MS, HOUR_MS } from '../execution/schedule.ts';
import { isStablecoinPair } from '../pair-coins.ts';
import type { Signal } from '../signals/signal.ts';
import { COVERAGE_MIN, noOpinion, signalOf } from './strategy.ts';
import type { Strategy, StrategyInput, UniverseVersion } from './strategy.ts';

/** The median of a day may say that the peg sits a little off one, but not further than this. */
export const FAIR_BAND = 0.005;
/** Further than this from one the peg counts as broken. */
export const PEG_BREAK = 0.01;
export const LEAVE_SHARE = 0.25;
export const HOLD_MAX_MS = 48 * HOUR_MS;

const UNIVERSE: readonly UniverseVersion[] = [
  { version: 1, from: 0, bases: ['USDC', 'USDT', 'DAI', 'BUSD', 'TUSD', 'USDP', 'GUSD'] },
  {
    version: 2,
    from: Date.UTC(2024, 6, 1),
    bases: ['USDC', 'USDT', 'DAI', 'TUSD', 'FDUSD', 'PYUSD', 'USDS'],
  },
];

export const stablecoinArbitrage = {
  id: 'stablecoin_arbitrage',
  name: 'Stablecoin Arbitrage',
  risk: 'Low',
  universe: UNIVERSE,
  description:
    'Buys a stablecoin well under its usual price and sells on the way back; stands aside when a peg breaks.',
  about: {
    enters:
      'A stablecoin further under its fair price than it usually strays, if the gap also pays for buying and selling.',
    leaves: 'When three quarters of the gap are closed, after 48 hours, or at the stop.',
    looks:
      'At every look of the agent. Over 1 % away from one it counts as a broken peg, and nothing is bought.',
    risks: [
      'A peg that breaks after the purchase may never return.',
      'Gains are small: with the fees of an ordinary account most gaps do not pay, and it trades seldom or not at all.',
    ],
  },
  suits: 'conservative',
  signals,
} satisfies Strategy;

/**
 * z = (fair − price) ÷ σ, with σ the day's spread of closes. Enters where the gap is over one σ.
 * Whether it also covers the cost of the round trip depends on the agent's fee, so the agent checks
 * it (`edge` is the gap less one σ).
 */
function signals({ pairs, at }: StrategyInput): Map<string, Signal> {
  return new Map(
    [...pairs].map(([pair, series]) => [
      pair,
      isStablecoinPair(pair)
        ? judge(pair, series, at)
        : signalOf(pair, series, at, noOpinion('not_a_stablecoin')),
    ]),
  );
}

/**
 * Whether the gap is down to a quarter of what it was on entry, or 48 hours have passed: those hold
 * also where too few candles tell the gap (null).
 */
export function pegTradeIsOver(
  entryDeviation: number,
  openedAt: number,
  deviationNow: number | null,
  at: number,
): boolean {
  const isClosed = deviationNow !== null && deviationNow <= entryDeviation * LEAVE_SHARE;
  return isClosed || at - openedAt >= HOLD_MAX_MS;
}

function judge(pair: string, series: Series, at: number): Signal {
  const price = closeAt(series, at);
  const closes = closesBetween(series, at - DAY_MS, at);
  const middle = median(closes);
  const quality = coveredShare(series, at);
  const daily = volatilityAt(series, at)?.daily ?? null;
  const spread = deviation(closes);
  if (
    price === null ||
    middle === null ||
    spread === null ||
    spread === 0 ||
    quality < COVERAGE_MIN
  ) {
    return signalOf(pair, series, at, noOpinion('too_little_history', daily));
  }
  const fair = Math.min(1 + FAIR_BAND, Math.max(1 - FAIR_BAND, middle));
  const gap = (fair - price) / fair;
  const sigma = spread / fair;
  const broken = Math.abs(price - 1) > PEG_BREAK;
  const enter = !broken && gap > sigma;
  let reason = enter ? 'under_fair' : 'near_fair';
  if (broken) reason = 'off_peg';
  return signalOf(
    pair,
    series,
    at,
    { z: gap / sigma, quality, enter, leave: !broken && gap <= 0, dailyVolatility: daily, reason },
    { deviation: gap, edge: gap - sigma },
  );
}

/** Share of the last 24 hours that candles cover, in [0, 1]. */
function coveredShare(series: Series, at: number): number {
  let covered = 0;
  for (let i = indexAt(series, at - DAY_MS) + 1; i <= indexAt(series, at); i += 1) {
    covered += (series.closesAt[i] ?? 0) - (series.opensAt[i] ?? 0);
  }
  return Math.min(1, covered / DAY_MS);
}
