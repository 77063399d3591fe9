/** A price chart with touch, mouse and keyboard control, and a table of the same values. */
import { ZoomIn, ZoomOut } from 'lucide-react';
import {
  useEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import type { FormingCandle } from '../../contract/market.ts';
import { classes } from '../components/class-names.ts';
import { Button } from '../components/Button.tsx';
import { pointAfter } from '../components/TimeChart.tsx';
import { useNetworkBack } from '../components/use-network-back.ts';
import { formatPercent, formatPrice } from '../format/numbers.ts';
import { formatMoment } from '../format/times.ts';
import { log } from '../platform/page-log.ts';
import type { CandleData, CandleHandle, DrawnLine } from './candle-drawing.ts';
import { CandleLegend, changeOf, LineLegend } from './CandleLegend.tsx';
import { CandleTable } from './CandleTable.tsx';
import { formingRow, type ChartCandle } from './chart-candles.ts';
import { marksOnCandles, marksSpoken, type Trade, type TradeMark } from './trade-marks.ts';
import { useIndicators, type ChosenIndicators } from './use-indicators.ts';

export interface CandleChartProps {
  /** Name for screen readers. */
  label: string;
  closed: readonly ChartCandle[];
  forming: FormingCandle | null;
  /** Length of a candle, ms. */
  intervalMs: number;
  trades: readonly Trade[];
  indicators: ChosenIndicators;
  /** The last price, drawn as a line. */
  price: string | null;
  /** px; reserved before anything is drawn. */
  height: number;
  /** Shown in place of the chart while there are fewer than two candles. */
  empty: ReactNode;
  controls: ReactNode;
  /** Shown beside the controls, such as the age. */
  note?: ReactNode;
  base: string;
  quote: string;
  /** Whether the table is shown in place of the chart. */
  table: boolean;
  onTable: (table: boolean) => void;
  /** The first candle is visible: older ones are needed. */
  onOlder: (() => void) | undefined;
}

function spoken(
  candle: ChartCandle | undefined,
  before: ChartCandle | undefined,
  forming: boolean,
  marks: readonly TradeMark[],
  quote: string,
): string {
  if (candle === undefined) return '';
  const [at, open, high, low, close] = candle;
  const figures =
    `open ${formatPrice(open)}, high ${formatPrice(high)}, low ${formatPrice(low)}, close ${formatPrice(close)} ${quote}`.trim();
  const trades = marks.length === 0 ? '' : `, ${marksSpoken(marks)}`;
  return `${formatMoment(at)}${forming ? ', forming' : ''}: ${figures}, ${formatPercent(changeOf(candle, before))}${trades}`;
}

/** The drawn candles and their index by opening time. */
function useCandleData({
  closed,
  forming,
  intervalMs,
  trades,
  indicators,
}: Pick<CandleChartProps, 'closed' | 'forming' | 'intervalMs' | 'trades' | 'indicators'>): {
  data: CandleData;
  places: ReadonlyMap<number, number>;
} {
  const open = useMemo(() => (forming === null ? null : formingRow(forming)), [forming]);
  const openAt = open?.[0] ?? null;
  const { lines, rsi } = useIndicators(closed, open, indicators);
  const places = useMemo(
    () =>
      new Map(
        [...closed.map(([at]) => at), ...(openAt === null ? [] : [openAt])].map((at, place) => [
          at,
          place,
        ]),
      ),
    [closed, openAt],
  );
  const marks = useMemo(
    () => marksOnCandles(trades, new Set(places.keys()), intervalMs),
    [trades, places, intervalMs],
  );
  const { volume } = indicators;
  const data = useMemo(
    (): CandleData => ({ closed, forming: open, lines, rsi, volume, marks }),
    [closed, open, lines, rsi, volume, marks],
  );
  return { data, places };
}

const candleAt = ({ closed, forming }: CandleData, place: number): ChartCandle | undefined =>
  closed[place] ?? (place === closed.length && forming !== null ? forming : undefined);

/** The candle whose values are shown: the one under the cross-hair, otherwise the newest. */
interface CandleReading {
  /** Index of the candle under the cross-hair; null without one. */
  index: number | null;
  at: number;
  count: number;
  candle: ChartCandle | undefined;
  before: ChartCandle | undefined;
}

function readingOf(
  data: CandleData,
  places: ReadonlyMap<number, number>,
  readAt: number | null,
): CandleReading {
  const count = places.size;
  const index = readAt === null ? null : (places.get(readAt) ?? null);
  const at = Math.min(index ?? count - 1, count - 1);
  return { index, at, count, candle: candleAt(data, at), before: candleAt(data, at - 1) };
}

export function CandleChart(props: CandleChartProps) {
  const { label, forming, intervalMs, price, height, controls, note, base, table, onTable } = props;
  const [failed, setFailed] = useState(false);
  /** Opening time of the read candle, because older ones may be inserted before it. */
  const [readAt, setReadAt] = useState<number | null>(null);
  const { data, places } = useCandleData(props);
  const reading = readingOf(data, places, readAt);
  const drawable = reading.count > 1;
  const shown = drawable && !table && !failed;
  const drawing = useDrawing({
    shown,
    of: label,
    daily: intervalMs >= 86_400_000,
    data,
    price,
    onRead: setReadAt,
    onOlder: props.onOlder,
    onFailed: () => {
      setFailed(true);
    },
  });
  const zoom = (factor: number): void => {
    drawing.handle.current?.zoom(factor);
  };
  return (
    <figure className="m-0 min-w-0">
      <div className="mb-1 min-h-12 md:min-h-4">
        {shown && reading.candle !== undefined && (
          <CandleLegend
            candle={reading.candle}
            before={reading.before}
            base={base}
            formingTo={reading.candle === data.forming ? (forming?.volumeTo ?? null) : null}
          />
        )}
      </div>
      <div style={{ height }} className="relative overflow-hidden">
        <ChartArea
          chart={props}
          data={data}
          reading={reading}
          failed={failed}
          onRetry={() => {
            setFailed(false);
          }}
          drawing={drawing}
          onRead={setReadAt}
        />
      </div>
      <figcaption className="flex min-h-11 flex-wrap items-center gap-x-2 pointer-fine:min-h-8">
        {controls}
        <span className="min-w-24 flex-1 basis-0 text-xs leading-4 text-ink-3">{note}</span>
        <ChartTools
          zoom={shown ? zoom : null}
          table={table}
          usable={drawable}
          onTable={() => {
            onTable(!table);
            setReadAt(null);
          }}
        />
      </figcaption>
    </figure>
  );
}

interface ReadProps {
  data: CandleData;
  reading: CandleReading;
  drawing: Drawing;
  onRead: (at: number | null) => void;
}

/** The chart, the table, or the reason why there is neither. */
function ChartArea({
  chart: { label, forming, empty, base, quote, table, onOlder },
  failed,
  onRetry,
  ...read
}: ReadProps & { chart: CandleChartProps; failed: boolean; onRetry: () => void }) {
  const { data, reading } = read;
  if (reading.count <= 1)
    return (
      <div className="flex h-full flex-col items-start justify-center gap-3 text-ink-3">
        {empty}
      </div>
    );
  if (table)
    return (
      <CandleTable
        label={label}
        data={data}
        formingAt={forming?.at ?? null}
        base={base}
        quote={quote}
        onOlder={onOlder}
      />
    );
  if (failed) return <MissingChart onRetry={onRetry} />;
  return (
    <>
      <CandleSlider label={label} quote={quote} onOlder={onOlder} {...read} />
      <ReadLines data={data} at={reading.at} />
    </>
  );
}

/** The code that draws did not come. It is asked for again on a press, and when the network is back. */
function MissingChart({ onRetry }: { onRetry: () => void }) {
  useNetworkBack(onRetry);
  return (
    <div className="rule flex h-full flex-wrap content-center items-center gap-x-4 gap-y-2 text-ink-3">
      <p>Could not load the chart. The table has the same values.</p>
      <Button size="sm" onClick={onRetry}>
        Try again
      </Button>
    </div>
  );
}

/** Holds the canvas; arrow keys move the cross-hair, and each candle is announced. */
function CandleSlider({
  label,
  quote,
  onOlder,
  data,
  reading: { index, at, count },
  drawing: { box, handle },
  onRead,
}: ReadProps & Pick<CandleChartProps, 'label' | 'quote' | 'onOlder'>) {
  const byKey = (event: KeyboardEvent): void => {
    const to = event.key === 'Escape' ? null : pointAfter(event.key, index ?? count, count);
    if (to === null && (event.key !== 'Escape' || index === null)) return;
    event.preventDefault();
    if (to === 0) onOlder?.();
    const candle = to === null ? null : (candleAt(data, to) ?? null);
    onRead(candle?.[0] ?? null);
    handle.current?.point(candle);
  };
  // Without a choice the last closed candle: the forming one would be announced with every price.
  const place = index === null ? data.closed.length - 1 : at;
  const read = candleAt(data, place);
  return (
    <div
      ref={box}
      role="slider"
      tabIndex={0}
      aria-label={`${label}. Use arrow keys to read values.`}
      aria-orientation="horizontal"
      aria-valuemin={0}
      aria-valuemax={count - 1}
      aria-valuenow={place}
      aria-valuetext={spoken(
        read,
        candleAt(data, place - 1),
        read !== undefined && read === data.forming,
        data.marks.filter(({ time }) => time === read?.[0]),
        quote,
      )}
      onKeyDown={byKey}
      onBlur={() => {
        onRead(null);
        handle.current?.point(null);
      }}
      className="absolute inset-0 touch-pan-y select-none"
    />
  );
}

/** The indicators' values at the read candle. */
function ReadLines({ data: { closed, lines, rsi }, at }: { data: CandleData; at: number }) {
  const valueAt = (line: DrawnLine) => ({
    name: line.name,
    value: (at < closed.length ? line.values[at] : line.last) ?? null,
  });
  return <LineLegend lines={lines.map(valueAt)} rsi={rsi === null ? null : valueAt(rsi)} />;
}

/** Keeps its place while there is nothing to zoom. */
function ChartTools({
  zoom,
  table,
  usable,
  onTable,
}: {
  zoom: ((factor: number) => void) | null;
  table: boolean;
  usable: boolean;
  onTable: () => void;
}) {
  const tool =
    'flex size-11 items-center justify-center rounded-sm hover:text-ink pointer-fine:size-8';
  return (
    <span
      className={classes('ml-auto flex items-center text-xs text-ink-3', !usable && 'invisible')}
    >
      {(zoom !== null || !usable) && (
        <button
          type="button"
          aria-label="Fewer candles"
          className={tool}
          onClick={() => {
            zoom?.(0.6);
          }}
        >
          <ZoomIn className="size-4" aria-hidden />
        </button>
      )}
      {(zoom !== null || !usable) && (
        <button
          type="button"
          aria-label="More candles"
          className={tool}
          onClick={() => {
            zoom?.(1.6);
          }}
        >
          <ZoomOut className="size-4" aria-hidden />
        </button>
      )}
      <button
        type="button"
        className="ml-2 min-h-11 shrink-0 underline underline-offset-2 hover:text-ink pointer-fine:min-h-8"
        onClick={onTable}
      >
        {table ? 'Chart' : 'Table'}
      </button>
    </span>
  );
}

interface DrawingProps {
  shown: boolean;
  /** Another pair or timeframe needs a new chart. */
  of: string;
  daily: boolean;
  data: CandleData;
  price: string | null;
  onRead: (at: number | null) => void;
  onOlder: (() => void) | undefined;
  onFailed: () => void;
}

interface Drawing {
  box: RefObject<HTMLDivElement | null>;
  handle: RefObject<CandleHandle | null>;
}

/** Loads the drawing code when there is something to draw, and passes each change on. */
function useDrawing({
  shown,
  of,
  daily,
  data,
  price,
  onRead,
  onOlder,
  onFailed,
}: DrawingProps): Drawing {
  const box = useRef<HTMLDivElement>(null);
  const handle = useRef<CandleHandle | null>(null);
  const latest = useRef({ data, price, onRead, onOlder, onFailed });
  useEffect(() => {
    latest.current = { data, price, onRead, onOlder, onFailed };
  });
  useEffect(() => {
    const host = box.current;
    if (host === null || !shown) return;
    let closed = false;
    import('./candle-drawing.ts')
      .then(({ drawCandles }) => {
        if (closed) return;
        handle.current = drawCandles(host, {
          daily,
          onRead: (at) => {
            latest.current.onRead(at);
          },
          onEdge: () => {
            latest.current.onOlder?.();
          },
        });
        handle.current.set(latest.current.data);
        handle.current.price(latest.current.price);
      })
      .catch((error: unknown) => {
        log.warn('Could not draw a chart', error);
        latest.current.onFailed();
      });
    return () => {
      closed = true;
      handle.current?.close();
      handle.current = null;
    };
  }, [shown, of, daily]);
  useEffect(() => {
    handle.current?.set(data);
  }, [data]);
  useEffect(() => {
    handle.current?.price(price);
  }, [price]);
  return { box, handle };
}
