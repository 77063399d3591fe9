/** The year's champions by return for their risk, chosen on the 1st; refuses a year shorter than 90 days. */
import { DAY_MS, monthStart, yearStart } from '../schedule.ts';
import type { Signal } from '../types.ts';
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
  return rankedAt(input, formedAt, input.horizon === 'long-haul' ? LONG_HAUL_DAYS : ytdDays(formedAt));
}
