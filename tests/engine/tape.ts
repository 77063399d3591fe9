/**
 * Candles for engine tests: a generated tape, and a recorded one where it lies beside the project.
 */
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { parseFixed } from '../../contract/money.ts';
import { DAY_MS, HOUR_MS } from '../../engine/execution/schedule.ts';
import type { Candle, PairRules, Quote } from '../../engine/market-types.ts';

export const FIVE_MINUTES = 300_000;
const FOLDER = new URL('../../../shared/data/', import.meta.url);

/** Whether the recorded candles are there. */
export function hasRecorded(folder: '5m' | '1h', base: string): boolean {
  return existsSync(new URL(`${folder}/${base}-USDT.csv.gz`, FOLDER));
}

export function recorded(folder: '5m' | '1h', base: string): Candle[] {
  const text = gunzipSync(
    readFileSync(new URL(`${folder}/${base}-USDT.csv.gz`, FOLDER)),
  ).toString();
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [time = 0, open = 0, high = 0, low = 0, close = 0, volume = 0] = line
        .split(',')
        .map(Number);
      return { time: time * 1000, open, high, low, close, volume };
    });
}

/**
 * A seeded random walk: `count` candles of `length` ms from `start`, drifting by `drift` per
 * candle.
 */
export function madeTape(
  seed: number,
  start: number,
  count: number,
  length = FIVE_MINUTES,
  drift = 0,
): Candle[] {
  let state = seed >>> 0;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  let price = 100 * (1 + (seed % 7));
  return Array.from({ length: count }, (_, i) => {
    const open = price;
    const close = open * (1 + drift + (random() - 0.5) * 0.01);
    price = close;
    return {
      time: start + i * length,
      open,
      high: Math.max(open, close) * 1.001,
      low: Math.min(open, close) * 0.999,
      close,
      volume: 1000 * (0.5 + random()),
    };
  });
}

/** Hourly candles whose closes are given, oldest first, the last closing at `end`. */
export function hourlyTo(
  end: number,
  closes: readonly number[],
  volumes?: readonly number[],
): Candle[] {
  return closes.map((close, i) => ({
    time: end - (closes.length - i) * HOUR_MS,
    open: closes[i - 1] ?? close,
    high: Math.max(close, closes[i - 1] ?? close),
    low: Math.min(close, closes[i - 1] ?? close),
    close,
    volume: volumes?.[i] ?? 10,
  }));
}

/**
 * Hourly candles that hold one close for each day: `daily[k]` is the close `daily.length − 1 − k`
 * days before `end`.
 */
export function dailySteps(
  end: number,
  daily: readonly number[],
  volumes?: readonly number[],
): Candle[] {
  return hourlyTo(
    end,
    daily.flatMap((close) => Array<number>(24).fill(close)),
    volumes?.flatMap((volume) => Array<number>(24).fill(volume)),
  );
}

export const MONDAY = Date.UTC(2022, 3, 11);
export const NOON = MONDAY + DAY_MS + 12 * HOUR_MS;

export function rulesOf(pair: string, more: Partial<PairRules> = {}): PairRules {
  const [base = '', quote = ''] = pair.split('/');
  return {
    pair,
    base,
    quote,
    lot: parseFixed('0.001'),
    minNotional: parseFixed('10'),
    halfSpreadBps: 2,
    feeBps: 10,
    ...more,
  };
}

export function quoteOf(pair: string, bid: string, ask: string, at = NOON): Quote {
  return { pair, at, last: parseFixed(bid), bid: parseFixed(bid), ask: parseFixed(ask) };
}
