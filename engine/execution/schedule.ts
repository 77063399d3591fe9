/** When agents are evaluated and when they may rebalance, in market time. */
import type { ExecutionInterval, TradingFrequency } from '../../contract/agents.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;
/** 1970-01-01 was a Thursday; the first Monday after it is four days on. */
const FIRST_MONDAY_MS = 4 * DAY_MS;
/** Bi-weekly counts every second Monday from here. */
const BI_WEEKLY_ORIGIN_MS = Date.UTC(2024, 0, 1);

const INTERVAL_MS: Record<ExecutionInterval, number> = {
  '5-minute': 5 * MINUTE_MS,
  '20-minute': 20 * MINUTE_MS,
  daily: DAY_MS,
};

/** Length in ms of the candle that an agent of this interval is evaluated on. */
export function executionIntervalMs(interval: ExecutionInterval): number {
  return INTERVAL_MS[interval];
}

/** One id for every agent due at this close: `source:interval:close`. */
export function tickId(source: string, interval: ExecutionInterval, close: number): string {
  return `${source}:${interval}:${close}`;
}

/** Newest close (ms, aligned to the epoch, so daily is 00:00 UTC) at or before `at`. */
export function lastClose(interval: ExecutionInterval, at: number): number {
  return floorTo(at, INTERVAL_MS[interval], 0);
}

/** First close strictly after `after`, ms. */
export function nextDue(interval: ExecutionInterval, after: number): number {
  return lastClose(interval, after) + INTERVAL_MS[interval];
}

/**
 * Newest moment at or before `at` at which the frequency allows a rebalance, ms. `high` and
 * `optimized` allow every evaluation (optimized then asks whether the drift is worth its cost).
 */
export function lastRebalance(frequency: TradingFrequency, at: number): number {
  switch (frequency) {
    case 'high':
    case 'optimized':
      return at;
    case 'daily':
      return floorTo(at, DAY_MS, 0);
    case 'weekly':
      return lastMonday(at);
    case 'bi-weekly':
      return floorTo(at, 2 * WEEK_MS, BI_WEEKLY_ORIGIN_MS);
    case 'monthly':
      return monthStart(at);
    case 'long-haul':
      return quarterStart(at);
  }
}

/** Whether every evaluation may rebalance, so that no moment can be missed. */
export function rebalancesAlways(frequency: TradingFrequency): boolean {
  return lastRebalance(frequency, 1) === 1;
}

/**
 * Whether an agent that is evaluated at `close` may rebalance: a rebalance moment lies after the
 * previous evaluation and not after this one. A moment missed while the server was down is made up
 * for, once.
 */
export function mayRebalance(
  frequency: TradingFrequency,
  close: number,
  previousLook: number = close - 1,
): boolean {
  return lastRebalance(frequency, close) > Math.min(previousLook, close - 1);
}

/** Monday 00:00 UTC at or before `at`. */
export function lastMonday(at: number): number {
  return floorTo(at, WEEK_MS, FIRST_MONDAY_MS);
}

/** The 1st of the month, 00:00 UTC. */
export function monthStart(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

/** 1 January, 00:00 UTC, of the year of `at`. */
export function yearStart(at: number): number {
  return Date.UTC(new Date(at).getUTCFullYear(), 0, 1);
}

/** 00:00 UTC after `at`. */
export function nextDay(at: number): number {
  return floorTo(at, DAY_MS, 0) + DAY_MS;
}

function quarterStart(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), Math.floor(date.getUTCMonth() / 3) * 3, 1);
}

function floorTo(at: number, step: number, origin: number): number {
  return Math.floor((at - origin) / step) * step + origin;
}
