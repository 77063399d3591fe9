/** Where lines over time lie in a box, and the marks on its two axes. No page and no state. */
import { formatClock, formatDate } from '../format/times.ts';

/** `[ms, value]`, oldest first. */
export type Points = readonly (readonly [number, string])[];

/** What a plot shows: times in ms, values as floats, for drawing alone. */
export interface PlotRange {
  from: number;
  to: number;
  low: number;
  high: number;
}

/** Side of the box that a path is drawn in; the page stretches it. */
export const BOX = 1_000;
/** Space left above and below the lines, as a share of their height. */
const MARGIN = 0.07;
/** Marks on the axis of values, and of times, at most. */
const VALUE_MARKS_MOST = 4;
const TIME_MARKS_MOST = 4;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Distances between marks of time that a reader knows, ms. */
const CLOCK_STEPS = [1, 5, 15, 30, 60, 180, 360, 720].map((minutes) => minutes * MINUTE);
const DAY_STEPS = [1, 2, 7, 14, 30, 60, 91, 182, 365, 730, 1_826];

/** The range in which all of these lines lie; null with fewer than two moments of the first. */
export function plotRange(line: Points, compared: readonly Points[]): PlotRange | null {
  const [from, to] = [line[0]?.[0], line.at(-1)?.[0]];
  if (from === undefined || to === undefined || to <= from) return null;
  let low = Infinity;
  let high = -Infinity;
  for (const points of [line, ...compared])
    for (const [at, text] of points) {
      const value = Number(text);
      if (at < from || at > to || !Number.isFinite(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  if (low > high) return null;
  // A level line stands in the middle.
  const span = high - low || Math.abs(high) * 0.001 || 1;
  return { from, to, low: low - span * MARGIN, high: high + span * MARGIN };
}

/** Share of the width, from the left. */
export const acrossOf = ({ from, to }: PlotRange, at: number): number => (at - from) / (to - from);

/** Share of the height, from the top. */
export const downOf = ({ low, high }: PlotRange, value: number): number =>
  1 - (value - low) / (high - low);

/** The path of a line in a square of `BOX`; empty where nothing of it is in the range. */
export function linePath(points: Points, range: PlotRange): string {
  return points
    .filter(([at, value]) => at >= range.from && at <= range.to && Number.isFinite(Number(value)))
    .map(
      ([at, value], index) =>
        `${index === 0 ? 'M' : 'L'}${(acrossOf(range, at) * BOX).toFixed(1)} ${(downOf(range, Number(value)) * BOX).toFixed(1)}`,
    )
    .join('');
}

/** The area between a line and the bottom of the square. */
export function areaPath(points: Points, range: PlotRange): string {
  const line = linePath(points, range);
  if (line === '') return '';
  const [first = range.from, last = range.to] = [points[0]?.[0], points.at(-1)?.[0]];
  const x = (at: number): string => (acrossOf(range, at) * BOX).toFixed(1);
  return `${line}L${x(last)} ${BOX}L${x(first)} ${BOX}Z`;
}

/** Round values in the range, one, two or five times a power of ten apart, lowest first. */
export function valueMarks({ low, high }: PlotRange): number[] {
  const least = (high - low) / VALUE_MARKS_MOST;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10) * power;
  const marks: number[] = [];
  // Counted in steps: adding a step up would carry its rounding along.
  for (let count = Math.ceil(low / step); count * step <= high; count += 1)
    marks.push(count * step);
  return marks;
}

/** Midnights of the reader, `days` apart; they are not evenly spaced where clocks change. */
function midnights(from: number, to: number, days: number): number[] {
  const marks: number[] = [];
  const start = new Date(from);
  const day = new Date(start.getFullYear(), start.getMonth(), start.getDate() + 1);
  for (; day.getTime() <= to; day.setDate(day.getDate() + days)) marks.push(day.getTime());
  return marks;
}

/** Moments on the reader's clock, `stepMs` apart, a divisor of the day. */
function clockTimes(from: number, to: number, stepMs: number): number[] {
  const start = new Date(from);
  const marks: number[] = [];
  // Where clocks change, three o'clock is not three hours after midnight. An hour and less apart,
  // marks are whole on either side, and an hour that comes twice has its own.
  const at = (hours: number): number =>
    new Date(start.getFullYear(), start.getMonth(), start.getDate(), hours).getTime();
  let mark = at(0);
  for (let hours = stepMs / HOUR; mark <= to; hours += stepMs / HOUR) {
    if (mark >= from) marks.push(mark);
    mark = stepMs > HOUR ? at(hours) : mark + stepMs;
  }
  return marks;
}

/** `14:30` within a day, `12 Nov` at midnight and over days, with the year over years. */
export function timeMarks({ from, to }: PlotRange): { at: number; text: string }[] {
  const span = to - from;
  const clock = CLOCK_STEPS.find((step) => span / step <= TIME_MARKS_MOST);
  const days = DAY_STEPS.find((step) => span / (step * DAY) <= TIME_MARKS_MOST) ?? 3_652;
  const marks = clock === undefined ? midnights(from, to, days) : clockTimes(from, to, clock);
  return marks.map((at) => {
    const time = formatClock(at);
    if (clock !== undefined && time !== '00:00') return { at, text: time };
    return { at, text: formatDate(at).replace(days >= 365 ? /$^/ : /[, ]*\d{4}$/, '') };
  });
}

/** Index of the point nearest to a moment; points are oldest first and at least one. */
export function nearestPoint(points: Points, at: number): number {
  let low = 0;
  let high = points.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.[0] ?? Infinity) < at) low = middle + 1;
    else high = middle;
  }
  const [before, after] = [points[low - 1]?.[0], points[low]?.[0]];
  return before !== undefined && after !== undefined && at - before < after - at ? low - 1 : low;
}

/** A float of a drawing as plain decimal text, never with an exponent. */
export const plain = (value: number): string => value.toFixed(Math.abs(value) < 1 ? 10 : 4);
