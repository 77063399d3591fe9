/** The week's leaders by return for their risk, chosen Monday 00:00 UTC; refuses to change its mind before the next. */
import { lastMonday } from '../schedule.ts';
import type { Signal } from '../types.ts';
import { rankedAt } from './ranked.ts';
import { LONG_HAUL_DAYS } from './strategy.ts';
import type { StrategyInput } from './strategy.ts';

const WINDOW_DAYS = 7;

/** An agent that starts midweek joins the list as it stood on Monday. */
export function weeklyLeaders(input: StrategyInput): Map<string, Signal> {
  return rankedAt(input, lastMonday(input.at), input.horizon === 'long-haul' ? LONG_HAUL_DAYS : WINDOW_DAYS);
}
