/** Equity over time with its ranges and what each brought; refuses to call a shorter history by the name of a longer range. */
import { useMemo, useState } from 'react';
import { formatFixed, parseFixed, subtract, toNumber } from '../../contract/money.ts';
import { formatWhen } from '../format/times.ts';
import { classes } from './class-names.ts';
import { Amount, Percent } from './Figures.tsx';
import { TimeChart } from './TimeChart.tsx';

const DAY = 86_400_000;
export const RANGES = ['1D', '1W', '1M', '3M', 'YTD', 'ALL'] as const;
export type Range = (typeof RANGES)[number];
const SPAN: Record<Exclude<Range, 'YTD' | 'ALL'>, number> = { '1D': DAY, '1W': 7 * DAY, '1M': 30 * DAY, '3M': 91 * DAY };

/** The first moment (ms) of a range that ends at `end` (market clock). */
export function rangeStart(range: Range, end: number): number {
  if (range === 'ALL') return -Infinity;
  if (range === 'YTD') return Date.UTC(new Date(end).getUTCFullYear(), 0, 1);
  return end - SPAN[range];
}

/** What a range brought, signed; null with fewer than two points. `from` is its first point, ms. */
export function changeOver(points: readonly (readonly [number, string])[]): { amount: string; percent: number | null; from: number } | null {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined || points.length < 2) return null;
  const amount = subtract(parseFixed(last[1]), parseFixed(first[1]));
  const base = toNumber(parseFixed(first[1]));
  return { amount: formatFixed(amount), percent: base <= 0 ? null : (toNumber(amount) / base) * 100, from: first[0] };
}

/** The points of a range with the last one before it, so that its first change is counted too. */
export function pointsOf(curve: readonly (readonly [number, string])[], range: Range): readonly (readonly [number, string])[] {
  const start = rangeStart(range, curve.at(-1)?.[0] ?? 0);
  const first = curve.findIndex(([at]) => at >= start);
  return first <= 0 ? curve : curve.slice(first - (curve[first]?.[0] === start ? 0 : 1));
}

export function EquityChart({ curve, quote, height = 160 }: { curve: readonly (readonly [number, string])[]; quote: string; height?: number }) {
  const [range, setRange] = useState<Range>('ALL');
  const shown = useMemo(() => pointsOf(curve, range), [curve, range]);
  const change = useMemo(() => changeOver(shown), [shown]);
  const end = curve.at(-1)?.[0] ?? 0;
  // A younger account than the range asks for: the change is of what there is, and says since when.
  const short = range !== 'ALL' && (curve[0]?.[0] ?? 0) > rangeStart(range, end);
  return (
    <TimeChart label={`Equity in ${quote}`} line={shown} height={height} unit={quote}
      empty="The curve begins with the second mark of this account."
      note={change === null ? undefined : <><Percent value={change.percent} why="Nothing to compare with" /> <Amount value={change.amount} change /> <span className="text-ink-3">{range === 'ALL' || short ? `since ${formatWhen(change.from, end)}` : range}</span></>}
      controls={(
        <span role="group" aria-label="Range" className="-ml-2 flex">
          {RANGES.map((name) => (
            <button key={name} type="button" aria-pressed={range === name} onClick={() => { setRange(name); }}
              className={classes('min-h-11 min-w-9 rounded-sm px-1.5 text-xs pointer-fine:min-h-8', range === name ? 'font-semibold text-accent' : 'text-ink-3 hover:text-ink')}>{name}</button>
          ))}
        </span>
      )} />
  );
}
