/** The judge of a long run's memory, on readings that are made up: what it finds, and what it lets be. */
import { expect, it } from 'vitest';
import fc from '../property.ts';
import { FLAT, growth } from './growth.ts';

const READINGS = 16;
const series = (of: (share: number) => number): number[] =>
  Array.from({ length: READINGS }, (_, index) => of(index / (READINGS - 1)));

it('finds what grows evenly by two thirds of its start', () => {
  expect(growth(series((share) => 20 * (1 + (2 / 3) * share)))).toBeGreaterThan(FLAT);
});

it('finds what begins to grow after the middle', () => {
  expect(growth(series((share) => 20 + Math.max(0, share - 0.5) * 40))).toBeGreaterThan(FLAT);
});

it('lets a rise at the start be, and a list that has grown to its limit', () => {
  expect(growth(series((share) => (share < 0.3 ? 19 : 28)))).toBeLessThan(FLAT);
  expect(growth(series((share) => 20 + Math.min(10, share * 40)))).toBeLessThan(FLAT);
});

it('lets readings be that vary by a tenth, one of them far off included', () => {
  const readings = fc.array(fc.double({ min: 0.95, max: 1.05, noNaN: true }), {
    minLength: READINGS,
    maxLength: READINGS,
  });
  fc.assert(
    fc.property(readings, fc.nat(READINGS - 1), (values, far) => {
      const held = values.map((value, index) => (index === far ? 60 : 20 * value));
      expect(growth(held)).toBeLessThan(FLAT);
    }),
  );
});
