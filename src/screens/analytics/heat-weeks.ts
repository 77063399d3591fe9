/** Arranges days in weeks, each with its change and its strength relative to the others. */
import { parseFixed, subtract, toNumber } from '../../../contract/money.ts';
import type { DayResult } from '../../../contract/trading.ts';

const DAY_MS = 86_400_000;

export interface HeatDay {
  start: number;
  /** Null where there is no valuation of that day. */
  change: number | null;
  percent: number | null;
  /** 0 to 4: the size relative to the days shown. */
  level: number;
}
/** Monday first; `label` is the month where a new one begins. */
export interface HeatWeek {
  start: number;
  label: string;
  days: (HeatDay | null)[];
}

let month: Intl.DateTimeFormat | undefined;
/** Created on first use, because the browser takes some milliseconds for it. */
const monthOf = (at: number): string =>
  (month ??= new Intl.DateTimeFormat(undefined, { month: 'short', timeZone: 'UTC' })).format(at);
const mondayOf = (at: number): number => at - ((new Date(at).getUTCDay() + 6) % 7) * DAY_MS;

export function heatWeeks(daily: readonly DayResult[]): HeatWeek[] {
  const [first] = daily;
  const last = daily.at(-1);
  if (first === undefined || last === undefined) return [];
  const byStart = new Map(
    daily.map((day) => {
      const change = toNumber(subtract(parseFixed(day.closing), parseFixed(day.opening)));
      const base = toNumber(parseFixed(day.opening));
      return [day.start, { change, percent: base > 0 ? (change / base) * 100 : null }];
    }),
  );
  // Scaled to the third quartile of all sizes, so that one wild day does not bleach the others.
  const sizes = [...byStart.values()]
    .map(({ change }) => Math.abs(change))
    .filter((size) => size > 0)
    .sort((a, b) => a - b);
  const full = sizes[Math.floor(sizes.length * 0.85)] ?? 0;
  const levelOf = (change: number): number =>
    change === 0 || full === 0
      ? 0
      : Math.min(4, Math.max(1, Math.ceil((Math.abs(change) / full) * 4)));
  const weeks: HeatWeek[] = [];
  let shown = '';
  for (let week = mondayOf(first.start); week <= last.start; week += 7 * DAY_MS) {
    const name = monthOf(week + 6 * DAY_MS);
    weeks.push({
      start: week,
      label: name === shown ? '' : name,
      days: Array.from({ length: 7 }, (_, index) => {
        const start = week + index * DAY_MS;
        if (start < first.start || start > last.start) return null;
        const known = byStart.get(start);
        return {
          start,
          change: known?.change ?? null,
          percent: known?.percent ?? null,
          level: known === undefined ? 0 : levelOf(known.change),
        };
      }),
    });
    shown = name;
  }
  return weeks;
}
