/**
 * Closed candles of one pair, looked up by time. A lookup never returns what closes after its
 * moment.
 */
import { CandleGate } from './candle-gate.ts';
import type { Candle, Volumes } from '../market-types.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../execution/schedule.ts';

/**
 * Lengths a candle may have. A length is inferred from the neighbours, because a list may mix them.
 */
const LENGTHS = [5 * MINUTE_MS, 20 * MINUTE_MS, HOUR_MS, DAY_MS];

/**
 * How old the newest close may be and still count for a moment: hourly candles are up to an hour
 * behind.
 */
const TOLERANCE_MS = 2 * HOUR_MS;

export interface Series {
  readonly pair: string;
  readonly length: number;
  /** Moment each candle closes, ms, ascending. */
  readonly closesAt: Float64Array;
  readonly opensAt: Float64Array;
  readonly open: Float64Array;
  readonly high: Float64Array;
  readonly low: Float64Array;
  readonly close: Float64Array;
  /** Base units traded in all candles before index i; one longer than the rest. */
  readonly volumeBefore: Float64Array;
  /** Lookup tables for whole hours, built on first use. */
  hours: Hours | null;
}

/** What is read repeatedly at whole hours, computed once for a series. */
interface Hours {
  /** The first hour, counted from 1970. */
  readonly first: number;
  /** Newest candle, by index, that closes at or before each hour. */
  readonly newest: Int32Array;
  /** The result of `closeAt` at each hour; NaN for null. */
  readonly close: Float64Array;
  /**
   * ln(close ÷ close a day before) at each hour, NaN where either is missing; infinite until it is
   * first read.
   */
  readonly dayReturn: Float64Array;
}

/**
 * Candles oldest first, of one length or of several (hourly further back, 5-minute recently). A
 * candle that is out of order, doubled, or not what a market trades (`candle-gate.ts`) is left out.
 */
export function makeSeries(pair: string, candles: readonly Candle[]): Series {
  const kept = sane(candles) ? candles : saneOf(candles);
  const n = kept.length;
  const series: Series = {
    pair,
    length: n,
    hours: null,
    closesAt: new Float64Array(n),
    opensAt: new Float64Array(n),
    open: new Float64Array(n),
    high: new Float64Array(n),
    low: new Float64Array(n),
    close: new Float64Array(n),
    volumeBefore: new Float64Array(n + 1),
  };
  let volume = 0;
  let length = Number.POSITIVE_INFINITY;
  let room = Number.POSITIVE_INFINITY;
  for (let i = 0; i < n; i += 1) {
    const candle = kept[i];
    if (!candle) break;
    const after = i + 1 < n ? (kept[i + 1]?.time ?? 0) - candle.time : Number.POSITIVE_INFINITY;
    const nearer = Math.min(room, after);
    // Candles only get finer towards the present: the first one after a gap is as long as those
    // before it.
    if (nearer < length || i === 0) length = Math.min(length, lengthWithin(nearer));
    room = after;
    series.opensAt[i] = candle.time;
    series.closesAt[i] = candle.time + length;
    series.open[i] = candle.open;
    series.high[i] = candle.high;
    series.low[i] = candle.low;
    series.close[i] = candle.close;
    volume += candle.volume;
    series.volumeBefore[i + 1] = volume;
  }
  return series;
}

/** Whether every candle is sound, so that a long tape need not be copied. */
function sane(candles: readonly Candle[]): boolean {
  const gate = new CandleGate();
  for (const candle of candles) if (gate.judge(candle) !== null) return false;
  return true;
}

function saneOf(candles: readonly Candle[]): Candle[] {
  const gate = new CandleGate();
  return candles.filter((candle) => gate.judge(candle) === null);
}

/**
 * The longest length that fits in the time to the nearer neighbour: right across a change of length
 * and beside a gap.
 */
function lengthWithin(room: number): number {
  if (room === Number.POSITIVE_INFINITY) return LENGTHS[0] ?? 0;
  return LENGTHS.findLast((length) => length <= room) ?? room;
}

/** Index of the newest candle that closes at or before `at`; −1 where there is none. */
export function indexAt(series: Series, at: number): number {
  const { first, newest } = series.hours ?? hoursOf(series);
  const hour = Math.floor(at / HOUR_MS) - first;
  if (!(hour >= 0)) return -1;
  if (hour >= newest.length) return series.length - 1;
  const { closesAt } = series;
  let i = newest[hour] ?? -1;
  while ((closesAt[i + 1] ?? Number.POSITIVE_INFINITY) <= at) i += 1;
  return i;
}

function hoursOf(series: Series): Hours {
  const { close, closesAt, length } = series;
  const first = length === 0 ? 0 : Math.floor((closesAt[0] ?? 0) / HOUR_MS);
  const count = length === 0 ? 0 : Math.floor((closesAt[length - 1] ?? 0) / HOUR_MS) - first + 1;
  const hours: Hours = {
    first,
    newest: new Int32Array(count),
    close: new Float64Array(count),
    dayReturn: new Float64Array(count).fill(Number.POSITIVE_INFINITY),
  };
  let i = -1;
  for (let hour = 0; hour < count; hour += 1) {
    const at = (first + hour) * HOUR_MS;
    while ((closesAt[i + 1] ?? Number.POSITIVE_INFINITY) <= at) i += 1;
    hours.newest[hour] = i;
    hours.close[hour] =
      i >= 0 && at - (closesAt[i] ?? 0) <= TOLERANCE_MS ? (close[i] ?? Number.NaN) : Number.NaN;
  }
  series.hours = hours;
  return hours;
}

/**
 * ln(close ÷ close a day before) at a whole hour, counted from 1970; NaN where either is missing.
 */
function dayReturnAt(series: Series, hour: number): number {
  const { close, dayReturn, first } = series.hours ?? hoursOf(series);
  const i = hour - first;
  const known = dayReturn[i];
  // Past the last hour the newest close may still count for the moment.
  if (known === undefined) return lateReturn(series, hour);
  if (known !== Number.POSITIVE_INFINITY) return known;
  return (dayReturn[i] = Math.log((close[i] ?? Number.NaN) / (close[i - 24] ?? Number.NaN)));
}

function lateReturn(series: Series, hour: number): number {
  const newer = closeAt(series, hour * HOUR_MS);
  const older = closeAt(series, (hour - 24) * HOUR_MS);
  return newer === null || older === null ? Number.NaN : Math.log(newer / older);
}

/** Newest close at or before `at`, or null where it is older than the tolerance (ms). */
export function closeAt(series: Series, at: number, toleranceMs = TOLERANCE_MS): number | null {
  const i = indexAt(series, at);
  if (i < 0) return null;
  const closed = series.closesAt[i] ?? 0;
  return at - closed <= toleranceMs ? (series.close[i] ?? null) : null;
}

/** Moment of the oldest close, ms; null for an empty series. Nothing is known before it. */
export function firstCloseAt(series: Series): number | null {
  return series.closesAt[0] ?? null;
}

/**
 * The moment `days` days before `at`. Beyond a day down to the whole hour, so that hourly history
 * and 5-minute history of the same market give the same closes, and a live agent and a backtest the
 * same signals; a day back history is fine everywhere, and an hour of 24 is too much to be out by.
 */
export function daysBefore(at: number, days: number): number {
  return days <= 1 ? at - days * DAY_MS : Math.floor((at - days * DAY_MS) / HOUR_MS) * HOUR_MS;
}

/** ln(price at `at` ÷ price `days` days before), null where either is missing. */
export function logReturn(series: Series, at: number, days: number): number | null {
  const now = closeAt(series, at);
  const then = closeAt(series, daysBefore(at, days));
  return now === null || then === null ? null : Math.log(now / then);
}

export interface DailyReturns {
  /** Newest first; days with a missing close at either end are left out. */
  values: number[];
  /** Share of the requested days that were there, in [0, 1]. */
  coverage: number;
}

/** Rolling daily log returns, stepping back 24 h from `at`, for `days` days. */
export function dailyReturns(series: Series, at: number, days: number): DailyReturns {
  const values: number[] = [];
  const hour = Math.floor(at / HOUR_MS);
  const newest = days === 0 ? null : logReturn(series, at, 1);
  if (newest !== null) values.push(newest);
  // All but the newest lie between whole hours (see `daysBefore`).
  for (let day = 2; day <= days; day += 1) {
    const value = dayReturnAt(series, hour - 24 * (day - 1));
    if (!Number.isNaN(value)) values.push(value);
  }
  return { values, coverage: days === 0 ? 0 : values.length / days };
}

/** Base units traded in candles that open at or after `from` and close at or before `to`. */
export function volumeBetween(series: Series, from: number, to: number): number {
  const last = indexAt(series, to);
  const first = indexOpeningAt(series, from);
  if (last < first) return 0;
  return (series.volumeBefore[last + 1] ?? 0) - (series.volumeBefore[first] ?? 0);
}

/**
 * Base units traded in the interval that ends at `at`. Where candles are longer than the interval
 * it is the share of the newest closed one that falls on it: volume is never zero only because
 * candles are coarse.
 */
export function volumeOf(series: Series, at: number, intervalMs: number): number {
  const last = indexAt(series, at);
  const closed = series.closesAt[last] ?? 0;
  const lengthMs = closed - (series.opensAt[last] ?? 0);
  if (last < 0 || lengthMs <= intervalMs) return volumeBetween(series, at - intervalMs, at);
  const volume = (series.volumeBefore[last + 1] ?? 0) - (series.volumeBefore[last] ?? 0);
  return at - closed < lengthMs ? volume * (intervalMs / lengthMs) : 0;
}

/**
 * Base units traded in the day up to `at`, for impact; within a candle, in the day up to its
 * opening. Where the series begins later it is what there is, scaled to a day. Candles that are
 * missing in between are taken for candles in which nobody traded.
 */
export function volumeInDay(series: Series, at: number): number {
  const last = indexAt(series, at);
  const closed = series.closesAt[last] ?? 0;
  const lengthMs = closed - (series.opensAt[last] ?? 0);
  if (last < 0 || lengthMs > DAY_MS) return volumeOf(series, at, DAY_MS);
  const to = at - closed < lengthMs ? closed : at;
  const volume = volumeBetween(series, to - DAY_MS, to);
  const begins = series.opensAt[0] ?? to;
  return begins <= to - DAY_MS ? volume : volume * (DAY_MS / (to - begins));
}

export const NO_VOLUME: Volumes = { candleVolume: 0, dayVolume: 0 };

/** Traded in the interval that ends at `at`, and in the day. */
export const volumesAt = (series: Series, at: number, intervalMs: number): Volumes => ({
  candleVolume: volumeOf(series, at, intervalMs),
  dayVolume: volumeInDay(series, at),
});

/** Index of the first candle that opens at or after `at`; the length where there is none. */
function indexOpeningAt(series: Series, at: number): number {
  let i = indexAt(series, at) + 1;
  while ((series.opensAt[i] ?? Number.POSITIVE_INFINITY) < at) i += 1;
  return i;
}

/**
 * Volume of the 24 hours that end at `at`, base units; null where the series does not reach back
 * that far.
 */
export function dayVolume(series: Series, at: number): number | null {
  const start = series.opensAt[0];
  if (start === undefined || start > at - DAY_MS || closeAt(series, at) === null) return null;
  return volumeBetween(series, at - DAY_MS, at);
}

/** Closes of every candle that closes after `from` and at or before `to`. */
export function closesBetween(series: Series, from: number, to: number): Float64Array {
  return series.close.subarray(indexAt(series, from) + 1, indexAt(series, to) + 1);
}

/** Middle value; the mean of the two middle ones for an even count; null of nothing. */
export function median(values: ArrayLike<number>): number | null {
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >>> 1;
  const upper = sorted[half] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? 0) + upper) / 2;
}

export function mean(values: ArrayLike<number>): number | null {
  if (values.length === 0) return null;
  let total = 0;
  for (let i = 0; i < values.length; i += 1) total += values[i] ?? 0;
  return total / values.length;
}

/** Sample standard deviation (n − 1); null of fewer than two. */
export function deviation(values: ArrayLike<number>): number | null {
  const centre = mean(values);
  if (centre === null || values.length < 2) return null;
  let squares = 0;
  for (let i = 0; i < values.length; i += 1) squares += ((values[i] ?? 0) - centre) ** 2;
  return Math.sqrt(squares / (values.length - 1));
}

/** Days of daily returns that a volatility is taken over. */
export const VOLATILITY_DAYS = 30;
export const VOLATILITY_DAYS_MIN = 14;

export interface Volatility {
  /** Standard deviation of daily log returns (0.04 is 4 % a day). */
  daily: number;
  /** Share of its days that were there. */
  quality: number;
}

/** The last few results of each series: the sleeves of a blend read the same moments repeatedly. */
const ASKED = new WeakMap<Series, Map<number, Volatility | null>>();
const ASKED_MAX = 8;

/** Over 30 days; null with fewer than 14 daily returns, or where the price did not move at all. */
export function volatilityAt(series: Series, at: number): Volatility | null {
  const asked = ASKED.get(series) ?? new Map<number, Volatility | null>();
  ASKED.set(series, asked);
  const known = asked.get(at);
  if (known !== undefined) return known;
  if (asked.size >= ASKED_MAX) asked.clear();
  const { values, coverage } = dailyReturns(series, at, VOLATILITY_DAYS);
  const daily = values.length < VOLATILITY_DAYS_MIN ? null : deviation(values);
  const answer = daily === null || daily <= 0 ? null : { daily, quality: coverage };
  asked.set(at, answer);
  return answer;
}
