/**
 * Holds the week's leaders by return for their risk, chosen on Monday 00:00 UTC for the whole week.
 */
/*
 * Rule: the ranking of ranked.ts by the 7-day return, formed on Monday 00:00 UTC.
 * Source: Liu, Tsyvinski and Wu 2022, weekly momentum. Against: momentum in crypto crashes, and was
 * not significant in 2014–18 (Grobys and Sapkota 2019).
 * Parameters: seven days; long-haul ranks by 90.
 */
import { lastMonday } from '../execution/schedule.ts';
import type { Signal } from '../signals/signal.ts';
import { rankedAt } from './ranked.ts';
import { MAJORS } from './majors.ts';
import { LONG_HAUL_DAYS, recentHistoryMs } from './strategy.ts';
import type { Strategy, StrategyInput } from './strategy.ts';

const WINDOW_DAYS = 7;

export const weeklyLeaders = {
  id: 'weekly_leaders',
  name: 'Weekly Leaders',
  risk: 'Medium',
  universe: MAJORS,
  description:
    'Every Monday, the top fifth of the week by return for its risk; a coin stays while it is in the top two fifths.',
  about: {
    enters: 'The top fifth of the list by the week\u2019s return for its risk.',
    leaves: 'When a new list no longer has it in the top two fifths, or at the stop.',
    looks: 'The list is formed on Monday, 00:00 UTC, and holds for the week.',
    risks: [
      'A leader may turn on Tuesday and is held until Monday or its stop.',
      'It is invested even in a weak week: the strongest of a falling market still falls.',
    ],
  },
  suits: 'moderate',
  lookbackMs: (at, horizon) => at - lastMonday(at) + recentHistoryMs(horizon),
  signals,
} satisfies Strategy;

/** An agent that starts midweek joins the list as it stood on Monday. */
function signals(input: StrategyInput): Map<string, Signal> {
  return rankedAt(
    input,
    lastMonday(input.at),
    input.horizon === 'long-haul' ? LONG_HAUL_DAYS : WINDOW_DAYS,
  );
}
