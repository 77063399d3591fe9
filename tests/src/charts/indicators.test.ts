/** Indicators against published figures and their own definitions. */
import { describe, expect, it } from 'vitest';
import {
  exponentialAverage,
  relativeStrength,
  simpleAverage,
  type Indicator,
} from '../../../src/charts/indicators.ts';
import fc from '../../support/property.ts';

/**
 * ChartSchool's worked example of RSI (14) with Wilder's smoothing: closes, and the index from the
 * fifteenth on.
 */
const RSI_CLOSES = [
  44.3389, 44.0902, 44.1497, 43.6124, 44.3278, 44.8264, 45.0955, 45.4245, 45.8433, 46.0826, 45.8931,
  46.0328, 45.614, 46.282, 46.282, 46.0028, 46.0328, 46.4116, 46.2222, 45.6439, 46.2122, 46.2521,
  45.7137, 46.4515, 45.7835, 45.3548, 44.0288, 44.1783, 44.2181, 44.5672, 43.4205, 42.6628, 43.1314,
];
const RSI_TOLD = [
  70.53, 66.32, 66.55, 69.41, 66.36, 57.97, 62.93, 63.26, 56.06, 62.38, 54.71, 50.42, 39.99, 41.46,
  41.87, 45.46, 37.3, 33.08, 37.77,
];
/** ChartSchool's worked example of averages over ten closes, from the tenth on. */
const AVERAGE_CLOSES = [
  22.2734, 22.194, 22.0847, 22.1741, 22.184, 22.1344, 22.2337, 22.4323, 22.2436, 22.2933, 22.1542,
  22.3926, 22.3816, 22.6109, 23.3558, 24.0519, 23.753, 23.8324, 23.9516, 23.6338,
];
const SMA_TOLD = [22.22, 22.21, 22.23, 22.26, 22.31, 22.42, 22.61, 22.77, 22.91, 23.08, 23.21];
const EMA_TOLD = [22.22, 22.21, 22.24, 22.27, 22.33, 22.52, 22.8, 22.97, 23.13, 23.28, 23.34];

const told = ({ values }: Indicator): number[] =>
  values.flatMap((value) => (value === null ? [] : [Number(value.toFixed(2))]));
const prices = fc.array(fc.double({ min: 0.000001, max: 1e6, noNaN: true }), { maxLength: 80 });
const ALL = { simpleAverage, exponentialAverage, relativeStrength };

describe('indicators', () => {
  it('agree with the published example of RSI after Wilder to two decimals', () => {
    const rsi = relativeStrength(RSI_CLOSES, 14);
    expect(rsi.values.slice(0, 14)).toEqual(Array(14).fill(null));
    const mine = told(rsi);
    expect(mine).toHaveLength(RSI_TOLD.length);
    mine.forEach((value, place) => {
      expect(Math.abs(value - (RSI_TOLD[place] ?? NaN)), `RSI ${place}`).toBeLessThanOrEqual(0.011);
    });
  });

  it('agree with the published examples of the simple and the exponential average to a cent', () => {
    for (const [mine, theirs] of [
      [simpleAverage(AVERAGE_CLOSES, 10), SMA_TOLD],
      [exponentialAverage(AVERAGE_CLOSES, 10), EMA_TOLD],
    ] as const) {
      expect(mine.values.slice(0, 9)).toEqual(Array(9).fill(null));
      told(mine).forEach((value, place) => {
        expect(Math.abs(value - (theirs[place] ?? NaN)), `average ${place}`).toBeLessThanOrEqual(
          0.011,
        );
      });
    }
  });

  it('hold to small sums by hand', () => {
    // Period 3: the mean of 1, 2, 3 is 2; then 2 + (6 − 2) ÷ 2 = 4, then 4 + (2 − 4) ÷ 2 = 3.
    expect(exponentialAverage([1, 2, 3, 6, 2], 3).values).toEqual([null, null, 2, 4, 3]);
    expect(simpleAverage([1, 2, 3, 6, 3], 3).values).toEqual([null, null, 2, 11 / 3, 4]);
    // Up 1, down 1: as much gain as loss. Then up 1: gains (0.5 + 1) ÷ 2, losses 0.5 ÷ 2.
    expect(relativeStrength([1, 2, 1, 2], 2).values).toEqual([null, null, 50, 75]);
    expect(relativeStrength([1, 2, 3, 4], 2).values.at(-1)).toBe(100);
    expect(relativeStrength([4, 3, 2, 1], 2).values.at(-1)).toBe(0);
    expect(relativeStrength([5, 5, 5, 5], 2).values.at(-1)).toBe(50);
  });

  it.each(Object.entries(ALL))(
    '%s of one more close is what it would be had that close been there from the start',
    (_name, indicator) => {
      fc.assert(
        fc.property(
          prices,
          fc.integer({ min: 1, max: 30 }),
          fc.double({ min: 0.000001, max: 1e6, noNaN: true }),
          (closes, period, more) => {
            const { values, next } = indicator(closes, period);
            expect([...values, next(more)]).toEqual(indicator([...closes, more], period).values);
          },
        ),
      );
    },
  );

  it.each(Object.entries(ALL))('%s knows nothing of what comes', (_name, indicator) => {
    fc.assert(
      fc.property(prices, fc.integer({ min: 1, max: 30 }), fc.nat(80), (closes, period, cut) => {
        expect(indicator(closes.slice(0, cut), period).values).toEqual(
          indicator(closes, period).values.slice(0, cut),
        );
      }),
    );
  });

  it('stay between the lowest and the highest they are taken over, RSI between 0 and 100', () => {
    fc.assert(
      fc.property(prices, fc.integer({ min: 1, max: 30 }), (closes, period) => {
        const room = Math.max(0, ...closes) * 1e-12;
        for (const average of [simpleAverage, exponentialAverage]) {
          average(closes, period).values.forEach((value, index) => {
            if (value === null) {
              expect(index).toBeLessThan(period - 1);
              return;
            }
            const seen = closes.slice(0, index + 1);
            expect(value).toBeGreaterThanOrEqual(Math.min(...seen) - room);
            expect(value).toBeLessThanOrEqual(Math.max(...seen) + room);
          });
        }
        for (const value of relativeStrength(closes, period).values)
          if (value !== null) expect(value >= 0 && value <= 100).toBe(true);
      }),
    );
  });
});
