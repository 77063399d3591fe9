/** Equity over time with its ranges, and the result of each compared with buy-and-hold. */
import { useMemo, useState, type ReactNode } from 'react';
import { RANGES, rangeStart, type Range } from '../../contract/chart-ranges.ts';
import { formatFixed, parseFixed, subtract, toNumber } from '../../contract/money.ts';
import { formatWhen } from '../format/times.ts';
import { Amount, Percent } from './Figures.tsx';
import { RangeChoice } from './RangeChoice.tsx';
import { TimeChart } from './TimeChart.tsx';
import type { Points } from './line-geometry.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

/**
 * The change over a range, signed; null with fewer than two points. `from` is its first point, ms.
 */
export function changeOver(
  points: Points,
): { amount: string; percent: number | null; from: number } | null {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined || points.length < 2) return null;
  const amount = subtract(parseFixed(last[1]), parseFixed(first[1]));
  const base = toNumber(parseFixed(first[1]));
  return {
    amount: formatFixed(amount),
    percent: base <= 0 ? null : (toNumber(amount) / base) * 100,
    from: first[0],
  };
}

/** The points of a range with the last one before it, so that its first change counts too. */
export function pointsOf(curve: Points, range: Range): Points {
  const start = rangeStart(range, curve.at(-1)?.[0] ?? 0);
  const first = curve.findIndex(([at]) => at >= start);
  return first <= 0 ? curve : curve.slice(first - (curve[first]?.[0] === start ? 0 : 1));
}

/** The last point of each step and the first of all, to thin out a range. */
export function thinned(points: Points, stepMs: number): Points {
  return points.filter(
    ([at], index) =>
      index === 0 ||
      index === points.length - 1 ||
      Math.floor(at / stepMs) !== Math.floor((points[index + 1]?.[0] ?? at) / stepMs),
  );
}

/** Spacing of the server's points for a span, ms. */
function stepOf(spanMs: number): number {
  if (spanMs <= 1.1 * DAY) return DAY / 288;
  if (spanMs <= 8 * DAY) return DAY / 24;
  return spanMs <= 32 * DAY ? DAY / 4 : DAY;
}

/** The name of a range, or since when where its first point is not, give or take a step, its start. */
export function spanOf(range: Range, from: number, end: number, stepMs: number): string {
  const early = rangeStart(range, end) - from;
  return early < 0 || early > stepMs ? `since ${formatWhen(from, end)}` : range;
}

/** The last value at or before a moment; null before the first one. Points are oldest first. */
function valueAt(points: Points, at: number): number | null {
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.[0] ?? Infinity) <= at) low = middle + 1;
    else high = middle;
  }
  const point = points[low - 1];
  return point === undefined ? null : Number(point[1]);
}

/**
 * Buy-and-hold over a range, starting at the account's value at its first known moment. Where only
 * the account has a point, the value before it is used; the line ends with its data.
 */
export function heldBeside(shown: Points, benchmark: Points): Points | null {
  const from = shown.findIndex(([at]) => (valueAt(benchmark, at) ?? 0) > 0);
  const first = shown[from];
  const start = first === undefined ? null : valueAt(benchmark, first[0]);
  if (first === undefined || start === null) return null;
  const scale = Number(first[1]) / start;
  const last = benchmark.at(-1)?.[0] ?? -Infinity;
  return shown
    .slice(from)
    .flatMap(([at]) =>
      at > last ? [] : [[at, ((valueAt(benchmark, at) ?? start) * scale).toFixed(2)] as const],
    );
}

export interface EquityChartProps {
  curve: Points;
  quote: string;
  height?: number;
  /** The current value: the last point, so that chart and headline agree. */
  now?: readonly [number, string] | undefined;
  lineName?: string;
  /** Says the change of the shown points in place of the usual words; `span` names their range. */
  noteOf?: (shown: Points, span: string) => ReactNode;
  /** Buy-and-hold over time; null where unknown, absent where not wanted. */
  held?: { name: string; points: Points } | null;
  /** Why there is no buy-and-hold. */
  whyNotHeld?: string;
}

/** The curve with the current value at its end; an older value never follows a newer one. */
export const withNow = (curve: Points, now: readonly [number, string] | undefined): Points =>
  now === undefined || now[0] < (curve.at(-1)?.[0] ?? -Infinity)
    ? curve
    : [...curve.filter(([at]) => at !== now[0]), now];

/**
 * `since` and `end`: start and end of the account's line. A comparison that begins later or ends
 * earlier says so.
 */
function Held({
  name,
  points,
  since,
  end,
  why,
}: {
  name: string;
  points: Points | null;
  since: number;
  end: number;
  why: string;
}) {
  const change = points === null ? null : changeOver(points);
  const from = points?.[0]?.[0] ?? since;
  const last = points?.at(-1)?.[0] ?? end;
  return (
    <span className="text-ink-3">
      <span className="whitespace-nowrap">
        <span
          aria-hidden
          className="mr-1.5 inline-block w-4 border-t border-dashed border-ink-3 align-middle"
        />
        {name} <Percent value={change?.percent} why={why} />
      </span>
      {change !== null && from > since && ` since ${formatWhen(from, end)}`}
      {change !== null && end - last >= MINUTE && ` to ${formatWhen(last, end)}`}
    </span>
  );
}

/** The curve of a range, thinned, with buy-and-hold. */
function useRange(
  range: Range,
  { curve, now, held }: Pick<EquityChartProps, 'curve' | 'now' | 'held'>,
) {
  const [nowAt, nowEquity] = now ?? [];
  const whole = useMemo(
    () =>
      withNow(
        curve,
        nowAt === undefined || nowEquity === undefined ? undefined : [nowAt, nowEquity],
      ),
    [curve, nowAt, nowEquity],
  );
  const inRange = useMemo(() => pointsOf(whole, range), [whole, range]);
  const end = whole.at(-1)?.[0] ?? 0;
  const stepMs = stepOf(end - (inRange[0]?.[0] ?? end));
  const shown = useMemo(() => thinned(inRange, stepMs), [inRange, stepMs]);
  const change = useMemo(() => changeOver(shown), [shown]);
  const beside = useMemo(
    () => (held == null ? null : heldBeside(shown, held.points)),
    [held, shown],
  );
  const compared = useMemo(
    () => (held == null || beside === null ? [] : [{ name: held.name, points: beside }]),
    [held, beside],
  );
  const span = change === null ? range : spanOf(range, change.from, end, stepMs);
  return { shown, change, beside, compared, end, span };
}

export function EquityChart({
  curve,
  quote,
  height = 160,
  now,
  held,
  lineName = 'Equity',
  noteOf,
  whyNotHeld = 'Not available',
}: EquityChartProps) {
  const [range, setRange] = useState<Range>('ALL');
  const { shown, change, beside, compared, end, span } = useRange(range, { curve, now, held });
  return (
    <TimeChart
      label={`${lineName} in ${quote}`}
      line={shown}
      lineName={lineName}
      compared={compared}
      height={height}
      unit={quote}
      empty="Available after the second valuation of this account."
      note={
        change === null ? undefined : noteOf !== undefined ? (
          noteOf(shown, span)
        ) : (
          <>
            <Percent value={change.percent} why="No earlier value" />{' '}
            <Amount value={change.amount} change /> <span className="mr-3 text-ink-3">{span}</span>{' '}
            {held !== undefined && (
              <Held
                name={held?.name ?? 'Bitcoin held'}
                points={beside}
                since={change.from}
                end={end}
                why={whyNotHeld}
              />
            )}
          </>
        )
      }
      controls={<RangeChoice ranges={RANGES} range={range} onChoose={setRange} />}
    />
  );
}
