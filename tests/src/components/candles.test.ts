/** What is drawn over candles: averages by their definition, and marks on the candles they belong to. */
import fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import type { CandleRow } from '../../../contract/market.ts';
import { marksOnCandles } from '../../../src/components/CandleChart.tsx';
import { renewed } from '../../../src/screens/market/use-candles.ts';
import { exponentialAverage } from '../../../src/components/moving-average.ts';

const HOUR = 3_600_000;
const candle = (hour: number): CandleRow => [hour * HOUR, '1', '1', '1', '1', '1'];

describe('an exponential average', () => {
  it('begins as the mean of its first values and then takes its share of each', () => {
    // Period 3: the mean of 1, 2, 3 is 2; then 2 + (6 − 2) ÷ 2 = 4, then 4 + (2 − 4) ÷ 2 = 3.
    expect(exponentialAverage([1, 2, 3, 6, 2], 3)).toEqual([null, null, 2, 4, 3]);
    expect(exponentialAverage([1, 2], 3)).toEqual([null, null]);
  });

  it('stays between the lowest and the highest so far, is level on a level price, and knows nothing of what comes', () => {
    fc.assert(fc.property(fc.array(fc.double({ min: 0.000001, max: 1e6, noNaN: true }), { maxLength: 80 }), fc.integer({ min: 1, max: 30 }), fc.nat(80), (values, period, cut) => {
      const all = exponentialAverage(values, period);
      all.forEach((average, index) => {
        if (average === null) { expect(index).toBeLessThan(period - 1); return; }
        const seen = values.slice(0, index + 1);
        // A float rounds by the largest that it was added to.
        const least = Math.max(...seen) * 1e-12;
        expect(average).toBeGreaterThanOrEqual(Math.min(...seen) - least);
        expect(average).toBeLessThanOrEqual(Math.max(...seen) + least);
      });
      expect(exponentialAverage(values.slice(0, cut), period)).toEqual(all.slice(0, cut));
    }));
    expect(exponentialAverage([5, 5, 5, 5], 2)).toEqual([null, 5, 5, 5]);
  });
});

describe('candles read again', () => {
  it('keep the older ones where both meet, take the newer word, and leave no hole', () => {
    const newer: CandleRow = [3 * HOUR, '2', '2', '2', '2', '2'];
    expect(renewed([candle(1), candle(2), candle(3)], [newer, candle(4)])).toEqual([candle(1), candle(2), newer, candle(4)]);
    expect(renewed([candle(1), candle(2)], [candle(8), candle(9)])).toEqual([candle(8), candle(9)]);
    expect(renewed([], [candle(8)])).toEqual([candle(8)]);
    expect(renewed([candle(1)], [])).toEqual([candle(1)]);
  });
});

describe('marks', () => {
  it('stand on the candle during which they happened, one a side, counted; one of the open candle on the last; none without a candle', () => {
    const candles = [candle(1), candle(2), candle(3)];
    const marks = marksOnCandles([
      { at: 2 * HOUR + 10, side: 'sell', text: '' }, { at: 2 * HOUR, side: 'buy', text: '' }, { at: 3 * HOUR - 1, side: 'buy', text: '' },
      { at: 4 * HOUR + 5, side: 'sell', text: '' }, { at: 9, side: 'buy', text: '' }, { at: 9 * HOUR, side: 'buy', text: '' },
    ], candles, HOUR);
    expect(marks).toEqual([{ at: 2 * HOUR, side: 'buy', text: '2' }, { at: 2 * HOUR, side: 'sell', text: '' }, { at: 3 * HOUR, side: 'sell', text: '' }]);
  });
});
