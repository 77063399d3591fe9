/**
 * The year's champions by return for their risk, chosen on the 1st; refuses a year shorter than 90
 * days.
 */
/*
 * Rule: the ranking of ranked.ts by the return since 1 January, over 90 days at the least, formed on the 1st of the month.
 * Source: Liu, Tsyvinski and Wu 2022; longer windows are the weaker evidence. Against: momentum in crypto crashes, and was not significant in 2014–18 (Grobys and Sapkota 2019).
 * Parameters: 90 days at the least; long-haul ranks by 90 alone.
 */
import { DAY_MS, monthStart, yearStart } from '../execution/schedule.ts';
import type { Signal } from '../signals/signal.ts';
import { rankedAt } from './ranked.ts';
import { LONG_HAUL_DAYS } from './strategy.ts';
import type { StrategyInput } from './strategy.ts';

export const YTD_DAYS_MIN = 90;

/** Days of the window of a list formed at `formedAt`: the year so far, at least 90. */
export function ytdDays(formedAt: number): number {
  return Math.max(YTD_DAYS_MIN, Math.round((formedAt - yearStart(formedAt)) / DAY_MS));
}

export function ytdChampions(input: StrategyInput): Map<string, Signal> {
  const formedAt = monthStart(input.at);
  return rankedAt(
    input,
    formedAt,
    input.horizon === 'long-haul' ? LONG_HAUL_DAYS : ytdDays(formedAt),
  );
}
