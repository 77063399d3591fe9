/** Holds the year's leaders by return for their risk, chosen on the 1st, over 90 days at least. */
/*
 * Rule: the ranking of ranked.ts by the return since 1 January, over 90 days at least, formed on
 * the 1st of the month.
 * Source: Liu, Tsyvinski and Wu 2022; longer windows are the weaker evidence. Against: momentum in
 * crypto crashes, and was not significant in 2014–18 (Grobys and Sapkota 2019).
 * Parameters: 90 days at least; long-haul ranks by 90 alone.
 */
import { DAY_MS, monthStart, yearStart } from '../execution/schedule.ts';
import type { Signal } from '../signals/signal.ts';
import { rankedAt } from './ranked.ts';
import { LONG_HAUL_DAYS } from './strategy.ts';
import { MAJORS } from './majors.ts';
import type { Strategy, StrategyInput } from './strategy.ts';

export const YTD_DAYS_MIN = 90;

/** From the start of the window of the month's list. */
export function yearToDateMs(at: number): number {
  const formedAt = monthStart(at);
  return at - formedAt + ytdDays(formedAt) * DAY_MS;
}

export const ytdChampions = {
  id: 'ytd_champions',
  name: 'Year-to-Date Champions',
  risk: 'High',
  universe: MAJORS,
  description:
    'Every month, the top fifth of the year so far (at least 90 days) by return for its risk.',
  about: {
    enters:
      'The top fifth of the list by return for its risk since the year began, over 90 days at the least.',
    leaves: 'When a new list no longer has it in the top two fifths, or at the stop.',
    looks: 'The list is formed on the 1st of the month, 00:00 UTC, and holds for the month.',
    risks: [
      'The year\u2019s winners are far from where they began and can fall far.',
      'A month is long: between two lists only the stop protects.',
      'Positions are held long and fall together when the market does.',
    ],
  },
  suits: 'aggressive',
  lookbackMs: yearToDateMs,
  signals,
} satisfies Strategy;

/** Days of the window of a list formed at `formedAt`: the year so far, at least 90. */
export function ytdDays(formedAt: number): number {
  return Math.max(YTD_DAYS_MIN, Math.round((formedAt - yearStart(formedAt)) / DAY_MS));
}

function signals(input: StrategyInput): Map<string, Signal> {
  const formedAt = monthStart(input.at);
  return rankedAt(
    input,
    formedAt,
    input.horizon === 'long-haul' ? LONG_HAUL_DAYS : ytdDays(formedAt),
  );
}
