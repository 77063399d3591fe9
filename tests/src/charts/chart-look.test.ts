/** The time axis of a price chart: every day of the reader's has its date, wherever they live. */
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { ChartOptionsImpl, Time, UTCTimestamp } from 'lightweight-charts';

vi.stubEnv('TZ', 'Europe/Berlin');
const { chartOptions } = await import('../../../src/charts/chart-look.ts');
const { setDateForm } = await import('../../../src/format/times.ts');
const { LocalDays } = await import('../../../src/charts/local-days.ts');

const HOUR = 3_600;
type Tones = Parameters<typeof chartOptions>[0];

/** What the axis writes at each candle, the heaviest ticks being those that find room first. */
function axis(zone: string, from: string, days: number, step: number) {
  vi.stubEnv('TZ', zone);
  setDateForm('clock', null);
  setDateForm('date', null);
  const scale = new LocalDays();
  const { timeScale } = chartOptions({} as Tones, { daily: false, volume: true, top: 0 });
  const options = { timeScale, localization: { locale: 'en-US' } };
  scale.setOptions(options as unknown as ChartOptionsImpl<Time>);
  const first = Date.parse(from) / 1_000;
  type Tick = Parameters<typeof scale.formatTickmark>[0];
  type Points = Parameters<typeof scale.fillWeightsForPoints>[0];
  const points = Array.from({ length: (days * 24 * HOUR) / step }, (_, index) => {
    const originalTime = (first + index * step) as UTCTimestamp;
    return { originalTime, time: scale.convertHorzItemToInternal(originalTime), timeWeight: 0 };
  }) as unknown as Points;
  scale.fillWeightsForPoints(points.slice(0, 30), 0);
  // The newer ones come later.
  scale.fillWeightsForPoints(points, 30);
  return points.map((point) => {
    const at = new Date(Number(point.originalTime) * 1_000);
    const tick = { ...point, weight: point.timeWeight } as unknown as Tick;
    return {
      day: at.toDateString(),
      date: at.toLocaleDateString(undefined, { day: 'numeric', month: 'short' }),
      clock: `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`,
      weight: Number(point.timeWeight),
      text: scale.formatTickmark(tick, options.localization as never),
    };
  });
}

afterAll(() => {
  vi.unstubAllEnvs();
});

describe('the time axis of a price chart', () => {
  const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'UTC'];
  it.each(zones.flatMap((zone) => [0.25, 1, 4].map((hours) => ({ zone, hours }))))(
    'dates the first candle of each day in $zone, of $hours h each, and tells the time of all others (R2-15)',
    ({ zone, hours }) => {
      const ticks = axis(zone, '2026-06-20T00:00:00Z', 10, hours * HOUR);
      const begins = ticks.filter(({ day }, index) => index > 0 && day !== ticks[index - 1]?.day);
      expect(begins.length).toBeGreaterThanOrEqual(9);
      expect(begins.map(({ text }) => text)).toEqual(begins.map(({ date }) => date));
      const others = ticks.slice(1).filter((tick) => !begins.includes(tick));
      expect(others.map(({ text }) => text)).toEqual(others.map(({ clock }) => clock));
      const heaviest = Math.max(...others.map(({ weight }) => weight));
      expect(Math.min(...begins.map(({ weight }) => weight))).toBeGreaterThan(heaviest);
    },
  );

  it('has one date on a day that is 23 or 25 hours long (R2-15)', () => {
    for (const from of ['2026-03-27T00:00:00Z', '2026-10-23T00:00:00Z']) {
      // What is before the first candle, the library can only guess.
      const [, ...ticks] = axis('Europe/Berlin', from, 5, HOUR);
      const dated = ticks.filter(({ text }) => !text.includes(':'));
      expect(dated.map(({ clock }) => clock)).toEqual(Array(5).fill('00:00'));
      expect(new Set(dated.map(({ text }) => text)).size).toBe(5);
    }
  });
});
