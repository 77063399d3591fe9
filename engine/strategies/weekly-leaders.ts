/**
 * The week's leaders by return for their risk, chosen Monday 00:00 UTC; refuses to change its mind
 * before the next.
 */
/*
 * Rule: the ranking of ranked.ts by the 7-day return, formed on Monday 00:00 UTC.
 * Source: Liu, Tsyvinski and Wu 2022, weekly momentum. Against: momentum in crypto crashes, and was not significant in 2014–18 (Grobys and Sapkota 2019).
 * Parameters: seven days; long-haul ranks by 90.
 */
import { lastMonday } from '../execution/schedule.ts';
import type { Signal } from '../signals/signal.ts';
import { rankedAt } from './ranked.ts';
import { LONG_HAUL_DAYS } from './strategy.ts';
import type { StrategyInput } from './strategy.ts';

const WINDOW_DAYS = 7;

/** An agent that starts midweek joins the list as it stood on Monday. */
export function weeklyLeaders(input: StrategyInput): Map<string, Signal> {
  return rankedAt(
    input,
    lastMonday(input.at),
    input.horizon === 'long-haul' ? LONG_HAUL_DAYS : WINDOW_DAYS,
  );
}
