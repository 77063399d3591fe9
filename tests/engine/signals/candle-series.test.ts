/** Candles looked up by time. */
import fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../engine/execution/schedule.ts';
import {
  closeAt,
  dailyReturns,
  dayVolume,
  deviation,
  indexAt,
  logReturn,
  makeSeries,
  median,
  volatilityAt,
  volumeBetween,
  volumeInDay,
  volumeOf,
} from '../../../engine/signals/candle-series.ts';
import { dailySteps, FIVE_MINUTES, hourlyTo, madeTape, MONDAY } from '../tape.ts';

describe('series', () => {
  it('shows only what has closed, at the very moment it closes', () => {
    const series = makeSeries('BTC/USDT', hourlyTo(MONDAY, [1, 2, 3]));
    expect(closeAt(series, MONDAY)).toBe(3);
    expect(closeAt(series, MONDAY - 1)).toBe(2);
    expect(closeAt(series, MONDAY - 2 * HOUR_MS)).toBe(1);
    expect(closeAt(series, MONDAY - 3 * HOUR_MS)).toBeNull();
  });

  it('finds the newest closed candle as a plain search does', () => {
    const series = makeSeries('BTC/USDT', madeTape(3, MONDAY, 400));
    fc.assert(
      fc.property(fc.integer({ min: -10 * FIVE_MINUTES, max: 410 * FIVE_MINUTES }), (offset) => {
        const plain = [...series.closesAt].findLastIndex((close) => close <= MONDAY + offset);
        return indexAt(series, MONDAY + offset) === plain;
      }),
    );
  });

  it('reads lengths off the neighbours across a change from hourly to 5-minute and beside gaps', () => {
    const hourly = hourlyTo(MONDAY, [198, 199, 200, 201]).filter((_, i) => i !== 1);
    const fine = madeTape(1, MONDAY, 5).filter((_, i) => i !== 2);
    const series = makeSeries('BTC/USDT', [...hourly, ...fine]);
    const lengths = [...series.closesAt].map((close, i) => close - (series.opensAt[i] ?? 0));
    expect(lengths).toEqual([
      HOUR_MS,
      HOUR_MS,
      HOUR_MS,
      FIVE_MINUTES,
      FIVE_MINUTES,
      FIVE_MINUTES,
      FIVE_MINUTES,
    ]);
  });

  it('shows the first candle after a gap as soon as it closes', () => {
    const candles = madeTape(1, MONDAY, 40).filter((_, i) => i < 5 || i === 39);
    const series = makeSeries('BTC/USDT', candles);
    expect(closeAt(series, MONDAY + 40 * FIVE_MINUTES)).toBe(candles.at(-1)?.close);
  });

  it("gives a coarse candle's volume to the looks within it, share by share, until it is too old", () => {
    const series = makeSeries('BTC/USDT', hourlyTo(MONDAY, [1, 2, 3], [30, 60, 90]));
    const third = HOUR_MS / 3;
    expect([0, 1, 2, 3].map((n) => volumeOf(series, MONDAY + n * third, third))).toEqual([
      30, 30, 30, 0,
    ]);
    expect(volumeOf(series, MONDAY - 1, third)).toBe(20);
    expect(volumeOf(series, MONDAY, 2 * HOUR_MS)).toBe(150);
    const fine = makeSeries('BTC/USDT', madeTape(1, MONDAY, 12));
    expect(volumeOf(fine, MONDAY + 12 * FIVE_MINUTES, 4 * FIVE_MINUTES)).toBe(
      volumeBetween(fine, MONDAY + 8 * FIVE_MINUTES, MONDAY + 12 * FIVE_MINUTES),
    );
  });

  it("knows a day's volume also after a candle without a trade, at its start and between candles", () => {
    const candles = madeTape(1, MONDAY - DAY_MS, 576);
    const end = MONDAY + DAY_MS;
    const total = (from: number, to: number) =>
      candles
        .filter(({ time }) => time >= from && time < to)
        .reduce((sum, { volume }) => sum + volume, 0);
    const whole = makeSeries('BTC/USDT', candles);
    expect(volumeInDay(whole, end)).toBeCloseTo(total(MONDAY, end), 6);
    expect(volumeInDay(whole, end + 60_000)).toBe(volumeInDay(whole, end));
    const quiet = candles.map((candle) =>
      candle.time === end - FIVE_MINUTES ? { ...candle, volume: 0 } : candle,
    );
    const silent = makeSeries('BTC/USDT', quiet);
    expect(volumeOf(silent, end, FIVE_MINUTES)).toBe(0);
    expect(volumeInDay(silent, end)).toBeCloseTo(total(MONDAY, end - FIVE_MINUTES), 6);
    const young = makeSeries(
      'BTC/USDT',
      candles.filter(({ time }) => time >= end - 6 * HOUR_MS),
    );
    expect(volumeInDay(young, end)).toBeCloseTo(4 * total(end - 6 * HOUR_MS, end), 6);
    expect(volumeInDay(whole, end + 3 * DAY_MS)).toBe(0);
    expect(volumeInDay(makeSeries('BTC/USDT', []), end)).toBe(0);
    const daily = makeSeries(
      'BTC/USDT',
      [240, 480].map((volume, day) => ({
        ...{ time: MONDAY + (day - 1) * DAY_MS, open: 1, high: 1, low: 1, close: 1 },
        volume,
      })),
    );
    for (const hour of [0, 1, 15, 23]) expect(volumeInDay(daily, end + hour * HOUR_MS)).toBe(480);
    expect(volumeInDay(daily, end + DAY_MS)).toBe(0);
  });

  it('says nothing where the newest close is too old', () => {
    const series = makeSeries('BTC/USDT', hourlyTo(MONDAY, [1, 2]));
    expect(closeAt(series, MONDAY + 2 * HOUR_MS)).toBe(2);
    expect(closeAt(series, MONDAY + 2 * HOUR_MS + 1)).toBeNull();
    expect(logReturn(series, MONDAY + DAY_MS, 1)).toBeNull();
  });

  it('leaves out candles that are doubled, out of order or not a price', () => {
    const good = hourlyTo(MONDAY, [1, 2, 3]);
    const first = good[0] ?? { time: 0, open: 1, high: 1, low: 1, close: 1, volume: 1 };
    const series = makeSeries('BTC/USDT', [
      ...good,
      first,
      { ...first, time: MONDAY, close: Number.NaN },
      { ...first, time: MONDAY, close: 0 },
    ]);
    expect([...series.close]).toEqual([1, 2, 3]);
  });

  it('steps back 24 hours at a time for daily returns and counts the days that are missing', () => {
    const series = makeSeries('BTC/USDT', dailySteps(MONDAY, [100, 110, 99]));
    const { values, coverage } = dailyReturns(series, MONDAY, 4);
    expect(values[0]).toBeCloseTo(Math.log(99 / 110), 12);
    expect(values[1]).toBeCloseTo(Math.log(110 / 100), 12);
    expect(coverage).toBe(0.5);
  });

  it('gives the same returns from hourly and from 5-minute candles of one market', () => {
    const fine = madeTape(5, MONDAY - 40 * DAY_MS, 40 * 288);
    const hourly = Array.from({ length: fine.length / 12 }, (_, h) => {
      const part = fine.slice(h * 12, h * 12 + 12);
      return {
        time: part[0]?.time ?? 0,
        open: part[0]?.open ?? 0,
        high: Math.max(...part.map(({ high }) => high)),
        low: Math.min(...part.map(({ low }) => low)),
        close: part[11]?.close ?? 0,
        volume: part.reduce((sum, c) => sum + c.volume, 0),
      };
    });
    const recent = MONDAY - 2 * DAY_MS;
    const mixed = makeSeries('X/USDT', [
      ...hourly.filter((c) => c.time < recent),
      ...fine.filter((c) => c.time >= recent),
    ]);
    const whole = makeSeries('X/USDT', fine);
    for (const at of [MONDAY, MONDAY - FIVE_MINUTES, MONDAY - 35 * 60_000]) {
      expect(volatilityAt(mixed, at)).toEqual(volatilityAt(whole, at));
      expect(logReturn(mixed, at, 7)).toBe(logReturn(whole, at, 7));
      expect(dayVolume(mixed, at)).toBeCloseTo(dayVolume(whole, at) ?? 0, 6);
    }
  });

  it('sums volumes of whole candles inside the window only', () => {
    const series = makeSeries('BTC/USDT', hourlyTo(MONDAY, [1, 1, 1, 1], [1, 2, 4, 8]));
    expect(volumeBetween(series, MONDAY - 2 * HOUR_MS, MONDAY)).toBe(12);
    expect(volumeBetween(series, MONDAY - 2 * HOUR_MS, MONDAY - 1)).toBe(4);
    expect(volumeBetween(series, MONDAY - 2 * HOUR_MS - 1, MONDAY)).toBe(12);
    expect(dayVolume(series, MONDAY)).toBeNull();
  });

  it('takes plain medians and sample deviations', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(median([])).toBeNull();
    expect(deviation([2, 4, 4, 4, 5, 5, 7, 9])).toBeCloseTo(Math.sqrt(32 / 7), 12);
    expect(deviation([1])).toBeNull();
  });
});
