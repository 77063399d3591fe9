/** Where lines over time lie, and the marks on their axes. */
import { describe, expect, it } from 'vitest';
import {
  acrossOf,
  areaPath,
  BOX,
  downOf,
  linePath,
  nearestPoint,
  plotRange,
  timeMarks,
  valueMarks,
  type Points,
} from '../../../src/components/line-geometry.ts';
import fc from '../../support/property.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const noon = new Date(2026, 10, 21, 12).getTime();
const line: Points = [
  [noon, '100'],
  [noon + HOUR, '110'],
  [noon + 4 * HOUR, '90'],
];

describe('the range of a plot', () => {
  it('has all lines in it, with room above and below', () => {
    const range = plotRange(line, [[[noon + HOUR, '120']]])!;
    expect([range.from, range.to]).toEqual([noon, noon + 4 * HOUR]);
    expect(range.low).toBeLessThan(90);
    expect(range.high).toBeGreaterThan(120);
  });

  it('leaves out what a compared line has outside the time of the first', () => {
    const range = plotRange(line, [[[noon - HOUR, '5000']]])!;
    expect(range.high).toBeLessThan(200);
  });

  it('is none without two moments, and stands around a level line', () => {
    expect(plotRange([], [])).toBeNull();
    expect(plotRange(line.slice(0, 1), [])).toBeNull();
    const level = plotRange(
      [
        [noon, '0'],
        [noon + HOUR, '0'],
      ],
      [],
    )!;
    expect(level.low).toBeLessThan(0);
    expect(level.high).toBeGreaterThan(0);
    expect(downOf(level, 0)).toBeCloseTo(0.5);
  });
});

describe('a line', () => {
  it('is drawn true to time: points further apart are further apart', () => {
    const range = plotRange(line, [])!;
    const [first, second, third] = line.map(([at]) => acrossOf(range, at));
    expect([first, second, third]).toEqual([0, 0.25, 1]);
    const path = linePath(line, range);
    expect(path).toMatch(/^M0\.0 [\d.]+L250\.0 [\d.]+L1000\.0 [\d.]+$/);
    expect(areaPath(line, range)).toBe(`${path}L${BOX}.0 ${BOX}L0.0 ${BOX}Z`);
  });

  it('stays in its square whatever it is made of', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.integer({ min: 1, max: 1e6 }),
            fc.double({ noNaN: true, min: -1e9, max: 1e9 }),
          ),
          {
            minLength: 2,
            maxLength: 40,
          },
        ),
        (steps) => {
          let at = noon;
          const points = steps.map(([step, value]) => [(at += step), String(value)] as const);
          const range = plotRange(points, [])!;
          const numbers = [...linePath(points, range).matchAll(/-?[\d.]+/g)].map(Number);
          expect(numbers.length).toBe(2 * points.length);
          expect(numbers.every((one) => one >= 0 && one <= BOX)).toBe(true);
        },
      ),
    );
  });
});

describe('the marks of an axis', () => {
  it('are round values in the range, four at most', () => {
    expect(valueMarks({ from: 0, to: 1, low: 9_874, high: 10_322 })).toEqual([10_000, 10_200]);
    fc.assert(
      fc.property(
        fc.double({ min: -1e6, max: 1e6, noNaN: true }),
        fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
        (low, span) => {
          const range = { from: 0, to: 1, low, high: low + span };
          const marks = valueMarks(range);
          expect(marks.length).toBeLessThanOrEqual(5);
          expect(marks.every((mark) => mark >= low - span * 1e-6 && mark <= range.high)).toBe(true);
          expect(new Set(marks).size).toBe(marks.length);
        },
      ),
    );
  });

  it('are moments of the reader’s clock within a day, and days over days', () => {
    const of = (from: number, to: number) => timeMarks({ from, to, low: 0, high: 1 });
    expect(of(noon, noon + 4 * HOUR).map(({ text }) => text)).toEqual([
      '12:00',
      '13:00',
      '14:00',
      '15:00',
      '16:00',
    ]);
    const overnight = of(noon, noon + DAY);
    expect(overnight.map(({ text }) => text)).toContain('18:00');
    expect(overnight.find(({ at }) => new Date(at).getHours() === 0)?.text).toMatch(/21|22/);
    const week = of(noon, noon + 7 * DAY);
    expect(week.length).toBeLessThanOrEqual(4);
    expect(week.every(({ at }) => new Date(at).getHours() === 0)).toBe(true);
    expect(week.every(({ text }) => !/\d{4}/.test(text))).toBe(true);
    expect(of(noon, noon + 1_500 * DAY).every(({ text }) => /\d{4}/.test(text))).toBe(true);
  });
});

describe('reading a line', () => {
  it('finds the point nearest to a moment', () => {
    expect(
      [-1, 0, 0.4, 0.6, 2.4, 2.6, 9].map((hours) => nearestPoint(line, noon + hours * HOUR)),
    ).toEqual([0, 0, 0, 1, 1, 2, 2]);
  });
});
