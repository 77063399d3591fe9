/** The marks of an axis on days that are 23 or 25 hours long. */
import { afterAll, describe, expect, it, vi } from 'vitest';

vi.stubEnv('TZ', 'Europe/Berlin');
const { timeMarks } = await import('../../../src/components/line-geometry.ts');

const HOUR = 3_600_000;
const marksOf = (from: string, hours: number) => {
  const start = Date.parse(from);
  return timeMarks({ from: start, to: start + hours * HOUR, low: 0, high: 1 });
};
/** A midnight shows its date, which each locale writes in its own way. */
const textsOf = (from: string, hours: number): string[] =>
  marksOf(from, hours).map(({ text }) => (text.includes(':') ? text : 'date'));

afterAll(() => {
  vi.unstubAllEnvs();
});

describe('marks of time', () => {
  it('stand at whole hours of the clock on the day that it is put forward', () => {
    expect(textsOf('2026-03-28T18:00:00+01:00', 20)).toEqual(['18:00', 'date', '06:00', '12:00']);
    expect(textsOf('2026-03-29T00:00:00+01:00', 11)).toEqual([
      'date',
      '03:00',
      '06:00',
      '09:00',
      '12:00',
    ]);
    // Two o'clock is missing that night.
    expect(textsOf('2026-03-29T00:30:00+01:00', 3.5)).toEqual(['01:00', '03:00', '04:00', '05:00']);
  });

  it('stand at whole hours of the clock on the day that it is put back', () => {
    expect(textsOf('2026-10-24T18:00:00+02:00', 20)).toEqual(['18:00', 'date', '06:00', '12:00']);
    expect(textsOf('2026-10-25T00:00:00+02:00', 12)).toEqual(['date', '03:00', '06:00', '09:00']);
    const twice = marksOf('2026-10-25T01:00:00+02:00', 3);
    expect(twice.map(({ text }) => text)).toEqual(['01:00', '02:00', '02:00', '03:00']);
    expect(twice.map(({ at }) => at - (twice[0]?.at ?? 0))).toEqual([0, HOUR, 2 * HOUR, 3 * HOUR]);
  });
});
