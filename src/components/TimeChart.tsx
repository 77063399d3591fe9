/** A chart over time (a line or candles) with its table one tap away; loads the drawing code only when shown, refuses to animate. */
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { CandleRow } from '../../contract/market.ts';
import type { ChartHandle, ChartMark } from './chart-drawing.ts';
import { formatPrice } from '../format/numbers.ts';
import { formatMoment } from '../format/times.ts';

export interface TimeChartProps {
  /** What it shows, in words, for those who do not see it. */
  label: string;
  /** `[ms, value]`, oldest first; or candles. */
  line?: readonly (readonly [number, string])[];
  candles?: readonly CandleRow[];
  marks?: readonly ChartMark[];
  /** px. The place is kept before anything is drawn. */
  height: number;
  empty: ReactNode;
  /** Shown beside the table switch: ranges, say. */
  controls?: ReactNode;
  unit?: string;
}

const TABLE_ROWS = 60;

function rowsOf(line: TimeChartProps['line'], candles: TimeChartProps['candles']): [number, string][] {
  const all: [number, string][] = candles?.map(([at, , , , close]) => [at, close]) ?? line?.map(([at, value]) => [at, value]) ?? [];
  return all.slice(-TABLE_ROWS).reverse();
}

export function TimeChart({ label, line, candles, marks, height, empty, controls, unit = '' }: TimeChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const handle = useRef<ChartHandle | null>(null);
  const [table, setTable] = useState(false);
  const [read, setRead] = useState<{ at: number; text: string } | null>(null);
  const [failed, setFailed] = useState(false);
  const count = (candles ?? line ?? []).length;
  const drawable = count > 1;
  const candlestick = candles !== undefined;

  useEffect(() => {
    const host = box.current;
    if (host === null || table || !drawable) return;
    let closed = false;
    import('./chart-drawing.ts').then(({ drawChart }) => {
      if (closed) return;
      handle.current = drawChart(host, { candlestick, onRead: setRead });
      handle.current.set({ line: line ?? [], candles: candles ?? [], marks: marks ?? [] });
    }, () => { setFailed(true); });
    return () => { closed = true; handle.current?.close(); handle.current = null; };
    // Data comes by the next effect; this one is about having a chart at all.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [table, drawable, candlestick]);

  useEffect(() => { handle.current?.set({ line: line ?? [], candles: candles ?? [], marks: marks ?? [] }); }, [line, candles, marks]);

  return (
    <figure className="m-0 min-w-0">
      <div style={{ height }} className="relative overflow-hidden">
        {!drawable && <div className="rule flex h-full items-center text-ink-3">{empty}</div>}
        {drawable && !table && !failed && <div ref={box} role="img" aria-label={label} className="absolute inset-0" />}
        {drawable && !table && read !== null && <p aria-hidden className="pointer-events-none absolute top-0 left-0 z-10 rounded-sm bg-ground/85 px-1 text-xs text-ink-2">{formatMoment(read.at)} <span className="ml-1 font-medium text-ink">{read.text}</span></p>}
        {drawable && failed && !table && <p className="rule flex h-full items-center text-ink-3">The chart could not be loaded. The table has the same values.</p>}
        {drawable && table && (
          <div className="h-full overflow-y-auto" tabIndex={0} role="region" aria-label={`${label}: table`}>
            <table className="sheet-table"><thead><tr><th scope="col">Time</th><th scope="col" className="num">{candlestick ? 'Close' : 'Value'}{unit === '' ? '' : `, ${unit}`}</th></tr></thead>
              <tbody>{rowsOf(line, candles).map(([at, value]) => <tr key={at}><td>{formatMoment(at)}</td><td className="num">{formatPrice(value)}</td></tr>)}</tbody></table>
          </div>
        )}
      </div>
      <figcaption className="flex min-h-11 items-center justify-between gap-3 pointer-fine:min-h-8">
        <span className="flex min-w-0 items-center gap-1">{drawable && controls}</span>
        <span className="flex min-w-0 items-center gap-3 text-xs text-ink-3">
          {drawable && <button type="button" className="min-h-11 shrink-0 underline underline-offset-2 hover:text-ink pointer-fine:min-h-8" onClick={() => { setTable(!table); setRead(null); }}>{table ? 'Chart' : 'Table'}</button>}
        </span>
      </figcaption>
    </figure>
  );
}
