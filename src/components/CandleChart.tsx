/** Candles that can be read one by one, by finger, mouse and key, with their table one tap away; refuses a mark on a candle it does not belong to. */
import { ZoomIn, ZoomOut } from 'lucide-react';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import type { CandleRow } from '../../contract/market.ts';
import { formatPrice, formatShort } from '../format/numbers.ts';
import { formatMoment, formatWhen } from '../format/times.ts';
import { log } from '../log.ts';
import type { CandleHandle } from './candle-drawing.ts';
import type { ChartMark } from './chart-drawing.ts';
import { classes } from './class-names.ts';
import { exponentialAverage } from './moving-average.ts';
import { pointAfter } from './TimeChart.tsx';

export interface CandleChartProps {
  /** What it shows, in words, for those who do not see it. */
  label: string;
  candles: readonly CandleRow[];
  /** Length of a candle, ms. */
  intervalMs: number;
  marks?: readonly ChartMark[];
  /** Periods of the exponential averages that are drawn, in candles. */
  averages?: readonly number[];
  /** The price of this moment, drawn as a line. */
  price?: string | null;
  /** px. The place is kept before anything is drawn. */
  height: number;
  empty: ReactNode;
  controls?: ReactNode;
  base?: string;
  quote?: string;
  /** The first candle has come into sight: what lies before it is wanted. */
  onOlder?: () => void;
}

const TABLE_ROWS = 200;
const NO_MARKS: readonly ChartMark[] = [];
const NO_AVERAGES: readonly number[] = [];

/** Each mark on the candle during which it happened, one a side and candle, with how many there were; those without a candle are left out. */
export function marksOnCandles(marks: readonly ChartMark[], candles: readonly CandleRow[], intervalMs: number): ChartMark[] {
  const opens = new Set(candles.map(([at]) => at));
  const counts = new Map<string, { mark: ChartMark; count: number }>();
  for (const mark of marks) {
    const at = Math.floor(mark.at / intervalMs) * intervalMs;
    // A trade of the candle that is still open stands on the last that is drawn.
    const place = opens.has(at) ? at : opens.has(at - intervalMs) ? at - intervalMs : null;
    if (place === null) continue;
    const key = `${place} ${mark.side}`;
    const known = counts.get(key);
    counts.set(key, { mark: { ...mark, at: place }, count: (known?.count ?? 0) + 1 });
  }
  return [...counts.values()].map(({ mark, count }) => ({ ...mark, text: count > 1 ? String(count) : mark.text }))
    .sort((a, b) => a.at - b.at || (a.side === b.side ? 0 : a.side === 'buy' ? -1 : 1));
}

/** A candle as a line of words: time, open, high, low, close, volume. */
function Read({ candle, base, averages }: { candle: CandleRow; base: string; averages: readonly (readonly [number, number | null | undefined])[] }) {
  const [at, open, high, low, close, volume] = candle;
  const up = Number(close) >= Number(open);
  const part = (name: string, value: ReactNode): ReactNode => <span className="whitespace-nowrap"><span className="text-ink-3">{name}</span> {value}</span>;
  return (
    <p aria-hidden className="flex flex-wrap gap-x-2.5 text-xs text-ink-2">
      <span className="whitespace-nowrap">{formatWhen(at)}</span>
      {part('O', formatPrice(open))}{part('H', formatPrice(high))}{part('L', formatPrice(low))}
      {part('C', <span className={classes('font-medium', up ? 'text-gain' : 'text-loss')}>{formatPrice(close)}</span>)}
      {part('Vol', <>{formatShort(volume)} {base}</>)}
      {averages.map(([period, value]) => value != null && <span key={period} className="whitespace-nowrap"><span className="text-ink-3">EMA {period}</span> {formatPrice(value.toFixed(10))}</span>)}
    </p>
  );
}

function CandleTable({ label, candles, quote, base, onOlder }: { label: string; candles: readonly CandleRow[]; quote: string; base: string; onOlder: (() => void) | undefined }) {
  const [count, setCount] = useState(TABLE_ROWS);
  const more = (): void => {
    setCount(count + TABLE_ROWS);
    if (count + TABLE_ROWS > candles.length) onOlder?.();
  };
  return (
    <div className="sheet-scroll h-full overflow-auto" tabIndex={0} role="region" aria-label={`${label}: table`}>
      <table className="sheet-table">
        <thead><tr><th scope="col">Opened</th>{['Open', 'High', 'Low', 'Close'].map((name) => <th key={name} scope="col" className="num">{name}{name === 'Close' && quote !== '' ? `, ${quote}` : ''}</th>)}<th scope="col" className="num">Volume{base === '' ? '' : `, ${base}`}</th></tr></thead>
        <tbody>{candles.slice(-count).reverse().map(([at, open, high, low, close, volume]) => (
          <tr key={at}><td>{formatMoment(at)}</td>{[open, high, low, close].map((value, place) => <td key={place} className="num">{formatPrice(value)}</td>)}<td className="num">{formatShort(volume)}</td></tr>
        ))}</tbody>
      </table>
      {(count < candles.length || onOlder !== undefined) && <button type="button" className="min-h-11 px-1 text-xs text-accent underline underline-offset-2 pointer-fine:min-h-8" onClick={more}>Older candles</button>}
    </div>
  );
}

function spoken(candle: CandleRow | undefined, quote: string): string {
  if (candle === undefined) return '';
  const [at, open, high, low, close] = candle;
  return `${formatMoment(at)}: open ${formatPrice(open)}, high ${formatPrice(high)}, low ${formatPrice(low)}, close ${formatPrice(close)} ${quote}`.trim();
}

export function CandleChart({ label, candles, intervalMs, marks = NO_MARKS, averages = NO_AVERAGES, price = null, height, empty, controls, base = '', quote = '', onOlder }: CandleChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const handle = useRef<CandleHandle | null>(null);
  const [table, setTable] = useState(false);
  const [failed, setFailed] = useState(false);
  /** When the candle under the finger or the key opened, ms: older ones may come before it. Null while nothing is read. */
  const [readAt, setReadAt] = useState<number | null>(null);
  const drawable = candles.length > 1;
  const daily = intervalMs >= 86_400_000;
  const data = useMemo(() => {
    const closes = candles.map(([, , , , close]) => Number(close));
    return { candles, marks: marksOnCandles(marks, candles, intervalMs), averages: averages.map((period) => ({ period, values: exponentialAverage(closes, period) })) };
  }, [candles, marks, intervalMs, averages]);
  const places = useMemo(() => new Map(candles.map(([at], place) => [at, place])), [candles]);
  const index = readAt === null ? null : places.get(readAt) ?? null;
  const latest = useRef({ data, price, onOlder });
  useEffect(() => { latest.current = { data, price, onOlder }; });

  useEffect(() => {
    const host = box.current;
    if (host === null || table || !drawable) return;
    let closed = false;
    import('./candle-drawing.ts').then(({ drawCandles }) => {
      if (closed) return;
      handle.current = drawCandles(host, { daily, onRead: setReadAt, onEdge: () => { latest.current.onOlder?.(); } });
      handle.current.set(latest.current.data);
      handle.current.price(latest.current.price);
    }).catch((error: unknown) => {
      log.warn('A chart could not be drawn', error);
      setFailed(true);
    });
    return () => { closed = true; handle.current?.close(); handle.current = null; };
  }, [table, drawable, daily]);
  useEffect(() => { handle.current?.set(data); }, [data]);
  useEffect(() => { handle.current?.price(price); }, [price]);

  const byKey = (event: KeyboardEvent): void => {
    const to = event.key === 'Escape' ? null : pointAfter(event.key, index ?? candles.length, candles.length);
    if (to === null && (event.key !== 'Escape' || index === null)) return;
    event.preventDefault();
    if (to === 0) onOlder?.();
    setReadAt(to === null ? null : candles[to]?.[0] ?? null);
    handle.current?.point(to === null ? null : candles[to] ?? null);
  };
  const at = Math.min(index ?? candles.length - 1, candles.length - 1);
  const read = candles[at];
  const chart = drawable && !table && !failed;
  const tool = 'flex size-11 items-center justify-center rounded-sm hover:text-ink pointer-fine:size-8';
  return (
    <figure className="m-0 min-w-0">
      <div className="mb-1 min-h-12 md:min-h-4">{chart && read !== undefined && <Read candle={read} base={base} averages={data.averages.map(({ period, values }) => [period, values[at]] as const)} />}</div>
      <div style={{ height }} className="relative overflow-hidden">
        {!drawable && <div className="rule flex h-full items-center text-ink-3">{empty}</div>}
        {chart && <div ref={box} role="slider" tabIndex={0} aria-label={`${label}. Arrow keys read it.`} aria-orientation="horizontal" aria-valuemin={0} aria-valuemax={candles.length - 1} aria-valuenow={at} aria-valuetext={spoken(read, quote)}
          onKeyDown={byKey} onBlur={() => { setReadAt(null); handle.current?.point(null); }} className="absolute inset-0 touch-pan-y" />}
        {drawable && failed && !table && <p className="rule flex h-full items-center text-ink-3">The chart could not be loaded. The table has the same values.</p>}
        {drawable && table && <CandleTable label={label} candles={candles} quote={quote} base={base} onOlder={onOlder} />}
      </div>
      <figcaption className="flex min-h-11 flex-wrap items-center justify-between gap-x-3 pointer-fine:min-h-8">
        <span className="flex min-w-0 flex-wrap items-center gap-x-4">{drawable && controls}</span>
        <span className="ml-auto flex items-center text-xs text-ink-3">
          {chart && <><button type="button" aria-label="Fewer candles" className={tool} onClick={() => { handle.current?.zoom(0.6); }}><ZoomIn className="size-4" aria-hidden /></button><button type="button" aria-label="More candles" className={tool} onClick={() => { handle.current?.zoom(1.6); }}><ZoomOut className="size-4" aria-hidden /></button></>}
          {drawable && <button type="button" className="ml-2 min-h-11 shrink-0 underline underline-offset-2 hover:text-ink pointer-fine:min-h-8" onClick={() => { setTable(!table); setReadAt(null); }}>{table ? 'Chart' : 'Table'}</button>}
        </span>
      </figcaption>
    </figure>
  );
}
