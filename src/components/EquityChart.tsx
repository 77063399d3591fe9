/** Equity over time with its ranges; refuses a range that the data does not reach into. */
import { useMemo, useState } from 'react';
import { classes } from './class-names.ts';
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

export function EquityChart({ curve, quote, height = 160 }: { curve: readonly (readonly [number, string])[]; quote: string; height?: number }) {
  const [range, setRange] = useState<Range>('ALL');
  const end = curve.at(-1)?.[0] ?? 0;
  const shown = useMemo(() => curve.filter(([at]) => at >= rangeStart(range, end)), [curve, range, end]);
  return (
    <TimeChart label={`Equity in ${quote}`} line={shown} height={height} unit={quote}
      empty="The curve begins with the second mark of this account."
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
