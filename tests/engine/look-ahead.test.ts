/** No signal may know what comes after it. */
import { describe, expect, it } from 'vitest';
import { PoolId } from '../../contract/agents.ts';
import { DAY_MS, HOUR_MS } from '../../engine/schedule.ts';
import { makeSeries } from '../../engine/series.ts';
import { computeSignals } from '../../engine/signals.ts';
import type { Candle } from '../../engine/types.ts';
import { FIVE_MINUTES, hasRecorded, madeTape, MONDAY, recorded } from './tape.ts';

/** Truncates everything that closes after `at` and demands the same signals as the whole tape gives. */
function sameWithoutTheFuture(tape: ReadonlyMap<string, Candle[]>, moments: readonly number[], length = FIVE_MINUTES): number {
  const whole = new Map([...tape].map(([pair, candles]) => [pair, makeSeries(pair, candles)]));
  let known = 0;
  for (const at of moments) {
    const past = new Map([...tape].map(([pair, candles]) => [pair, makeSeries(pair, candles.filter((candle) => candle.time + length <= at))]));
    for (const pool of PoolId.options) {
      const cut = computeSignals(pool, past, at);
      expect(computeSignals(pool, whole, at)).toEqual(cut);
      known += [...cut.values()].filter((signal) => signal.z !== null).length;
    }
  }
  return known;
}

describe('look-ahead', () => {
  it('is impossible on a made tape: cutting the future off changes no signal', () => {
    const start = MONDAY - 100 * DAY_MS;
    const tape = new Map(['AAA/USDT', 'BBB/USDT', 'CCC/USDT', 'USDC/USDT'].map((pair, i) => [pair, madeTape(i + 1, start, 102 * 288)]));
    const moments = [MONDAY, MONDAY - FIVE_MINUTES, MONDAY + FIVE_MINUTES, MONDAY + DAY_MS / 2, MONDAY - 10 * DAY_MS, MONDAY - 60 * DAY_MS];
    expect(sameWithoutTheFuture(tape, moments)).toBeGreaterThan(40);
  });

  it.runIf(hasRecorded('5m', 'BTC'))('is impossible on the recorded tape', () => {
    const tape = new Map(['BTC', 'ETH', 'SOL', 'ADA'].map((base) => [`${base}/USDT`, recorded('5m', base)]));
    const moments = [Date.UTC(2022, 1, 14), Date.UTC(2022, 2, 3, 7, 35), Date.UTC(2022, 3, 7), Date.UTC(2022, 3, 12, 13, 5)];
    expect(sameWithoutTheFuture(tape, moments)).toBeGreaterThan(40);
  });

  it.runIf(hasRecorded('1h', 'USDC'))('is impossible on hourly candles with months missing, and every number is finite', () => {
    const tape = new Map(['USDC', 'TUSD', 'BTC', 'DOGE'].map((base) => [`${base}/USDT`, recorded('1h', base)]));
    const moments = Array.from({ length: 60 }, (_, i) => Date.UTC(2021, 6, 5) + i * 12.3 * DAY_MS);
    expect(sameWithoutTheFuture(tape, moments, HOUR_MS)).toBeGreaterThan(400);
    const series = new Map([...tape].map(([pair, candles]) => [pair, makeSeries(pair, candles)]));
    for (const at of moments) {
      for (const pool of PoolId.options) {
        for (const { strength, z, quality } of computeSignals(pool, series, at).values()) {
          expect(strength >= 0 && strength <= 1 && quality >= 0 && quality <= 1 && (z === null || Number.isFinite(z))).toBe(true);
        }
      }
    }
  });
});
