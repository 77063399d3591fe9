/** Holds the strongest moves of the last day that volume confirms. */
/*
 * Rule: z is the 24-hour return ÷ daily σ. Enters among the top three while the day's volume is at
 * least the median day's of the week before, leaves below the top six; in a list of six or fewer,
 * leaves once the move has turned.
 * Source: Liu, Tsyvinski and Wu 2022, momentum among the common factors of crypto returns. Against:
 * momentum in crypto crashes, and was not significant in 2014–18 (Grobys and Sapkota 2019).
 * Parameters: 3, 6, seven days of volume; long-haul ranks by 90 days.
 */
import {
  daysBefore,
  dayVolume,
  logReturn,
  median,
  volatilityAt,
} from '../signals/candle-series.ts';
import type { Series } from '../signals/candle-series.ts';
import type { Signal } from '../signals/signal.ts';
import { LONG_HAUL_DAYS, noOpinion, rankByScore, signalOf } from './strategy.ts';
import { MAJORS } from './majors.ts';
import type { Strategy, StrategyInput, Verdict } from './strategy.ts';

export const ENTER_TOP = 3;
export const KEEP_TOP = 6;
export const VOLUME_DAYS = 7;

interface Move {
  z: number;
  daily: number;
  quality: number;
}

export const momentum24h = {
  id: 'momentum_24h',
  name: '24-Hour Momentum',
  risk: 'High',
  universe: MAJORS,
  description:
    'Holds the three strongest moves of the last 24 hours, where volume stands behind them.',
  about: {
    enters:
      'One of the three strongest 24-hour moves of the list, if the day\u2019s volume is at least that of a usual day of the week before.',
    leaves: 'When it falls out of the six strongest, or at the stop.',
    looks: 'At every look of the agent: the ranking is new each time.',
    risks: [
      'It buys what has already risen, and a fast rise often gives back as fast.',
      'It changes its coins often: fees and slippage are the highest of the six.',
      'A price may jump over the stop.',
    ],
  },
  suits: 'aggressive',
  signals,
} satisfies Strategy;

/** In among the top 3 with volume behind it; out below the top 6. */
function signals({ pairs, at, horizon }: StrategyInput): Map<string, Signal> {
  const moves = new Map<string, Move>();
  for (const [pair, series] of pairs) {
    const move = moveOf(series, at, horizon === 'long-haul' ? LONG_HAUL_DAYS : 1);
    if (move) moves.set(pair, move);
  }
  const ranks = rankByScore(new Map([...moves].map(([pair, move]) => [pair, move.z])));
  return new Map(
    [...pairs].map(([pair, series]) => {
      const move = moves.get(pair);
      const verdict = move
        ? judge(move, ranks.get(pair) ?? ranks.size, ranks.size, series, at)
        : noOpinion('too_little_history');
      return [pair, signalOf(pair, series, at, verdict)];
    }),
  );
}

function judge(move: Move, rank: number, ranked: number, series: Series, at: number): Verdict {
  const inTop = rank < ENTER_TOP;
  // With six pairs or fewer none can leave the top six: there the exit is a move that has turned.
  const leave = rank >= KEEP_TOP || (ranked <= KEEP_TOP && move.z < 0);
  // Checked for entries only: it reads a week of volume.
  const enter = inTop && !leave && isBacked(series, at);
  let reason = 'in_top';
  if (leave && inTop) reason = 'move_turned';
  else if (!inTop) reason = 'not_in_top';
  else if (!enter) reason = 'thin_volume';
  return { z: move.z, quality: move.quality, enter, leave, dailyVolatility: move.daily, reason };
}

function moveOf(series: Series, at: number, days: number): Move | null {
  const volatility = volatilityAt(series, at);
  const change = logReturn(series, at, days);
  if (!volatility || change === null) return null;
  return {
    z: change / (volatility.daily * Math.sqrt(days)),
    daily: volatility.daily,
    quality: volatility.quality,
  };
}

/** The day's volume is at least the median day's of the week. */
function isBacked(series: Series, at: number): boolean {
  const today = dayVolume(series, at);
  const week: number[] = [];
  for (let day = 1; day <= VOLUME_DAYS; day += 1) {
    const volume = dayVolume(series, daysBefore(at, day));
    if (volume !== null) week.push(volume);
  }
  const usual = week.length < VOLUME_DAYS ? null : median(week);
  return today !== null && usual !== null && today >= usual;
}
