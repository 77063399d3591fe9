/** The last days of an account, by the calendar. */
import { expect, it } from 'vitest';
import { lastDays } from '../../contract/last-days.ts';

it('are those of the calendar, also where some of them are missing', () => {
  const days = [1, 2, 3, 7, 8].map((day) => ({ start: day * 86_400_000 }));
  expect(lastDays(days, 5)).toEqual(days.slice(3));
  expect(lastDays(days, 6)).toEqual(days.slice(2));
  expect(lastDays(days, 100)).toEqual(days);
  expect(lastDays([], 35)).toEqual([]);
});
