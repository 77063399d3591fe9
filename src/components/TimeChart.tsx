/** A line over time, with lines to compare and a table of the same values. */
import {
  useEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import type { ChartHandle, ComparedLine } from './chart-drawing.ts';
import { formatAmount, formatPrice } from '../format/numbers.ts';
import { formatMoment } from '../format/times.ts';
import { breathe } from '../platform/breathe.ts';
import { log } from '../platform/page-log.ts';
import { classes } from './class-names.ts';

export interface TimeChartProps {
  /** Name for screen readers. */
  label: string;
  /** `[ms, value]`, oldest first. */
  line: readonly (readonly [number, string])[];
  /** Names of the line and of lines to compare; each is a column of the table. */
  lineName?: string;
  /** Spacing of points on the axis, ms, for unevenly spaced points. */
  stepMs?: number;
  compared?: readonly ComparedLine[];
  /** px; reserved before anything is drawn. */
  height: number;
  empty: ReactNode;
  /** Shown beside the table switch, such as ranges. */
  controls?: ReactNode;
  unit?: string;
  /** Shown above the plot while no point is read, such as the change. */
  note?: ReactNode;
}

const TABLE_ROWS = 200;
/** Points skipped by Page Up and Page Down. */
const PAGE = 10;

type Points = readonly (readonly [number, string])[];

/** Where a key leads from `index` among `count` points; null for a key that leads nowhere. */
export function pointAfter(key: string, index: number, count: number): number | null {
  const to = {
    ArrowLeft: index - 1,
    ArrowDown: index - 1,
    ArrowRight: index + 1,
    ArrowUp: index + 1,
    PageDown: index - PAGE,
    PageUp: index + PAGE,
    Home: 0,
    End: count - 1,
  }[key];
  return to === undefined ? null : Math.min(count - 1, Math.max(0, to));
}

const NONE: readonly ComparedLine[] = [];

interface ReadPoint {
  at: number;
  text: string;
}

type PlotData = TimeChartProps & { compared: readonly ComparedLine[] };

/** A chart in `box` while it is wanted there, drawn by code that comes when it is first needed. */
function useDrawnChart(
  { line, stepMs, compared }: Pick<PlotData, 'line' | 'stepMs' | 'compared'>,
  { drawable, table }: { drawable: boolean; table: boolean },
  setRead: (read: ReadPoint | null) => void,
) {
  const box = useRef<HTMLDivElement>(null);
  const handle = useRef<ChartHandle | null>(null);
  const [failed, setFailed] = useState(false);
  const latest = useRef({ line, stepMs, compared });

  useEffect(() => {
    latest.current = { line, stepMs, compared };
  }, [line, stepMs, compared]);

  useEffect(() => {
    const host = box.current;
    if (host === null || table || !drawable) return;
    let closed = false;
    const draw = async (): Promise<void> => {
      const { drawChart } = await import('./chart-drawing.ts');
      // Code, canvas and line each in a task of their own: together they hold up a finger.
      await breathe();
      if (closed) return;
      handle.current = drawChart(host, { onRead: setRead });
      await breathe();
      handle.current?.set(latest.current);
    };
    draw().catch((error: unknown) => {
      log.error('The chart could not be drawn', error);
      setFailed(true);
    });
    return () => {
      closed = true;
      handle.current?.close();
      handle.current = null;
    };
    // Data comes by the next effect; this one is about having a chart at all.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [table, drawable]);

  useEffect(() => {
    handle.current?.set({ line, stepMs, compared });
  }, [line, stepMs, compared]);

  return { box, handle, failed };
}

/** The point that the arrow keys have come to, shown on the chart. */
function useKeyReading(
  points: Points,
  handle: RefObject<ChartHandle | null>,
  setRead: (read: ReadPoint | null) => void,
) {
  const count = points.length;
  /** The point the keyboard stands on; null while it reads nothing. */
  const [index, setIndex] = useState<number | null>(null);
  const move = (to: number | null): void => {
    const point = to === null ? undefined : points[to];
    setIndex(point === undefined ? null : to);
    setRead(point === undefined ? null : { at: point[0], text: formatPrice(point[1]) });
    handle.current?.point(point === undefined ? null : { at: point[0], value: point[1] });
  };
  const byKey = (event: KeyboardEvent): void => {
    const to =
      event.key === 'Escape' && index !== null
        ? null
        : pointAfter(event.key, index ?? count, count);
    if (to === null && event.key !== 'Escape') return;
    event.preventDefault();
    move(to);
  };
  const leave = (): void => {
    if (index !== null) move(null);
  };
  return { at: Math.min(index ?? count - 1, count - 1), byKey, leave };
}

/** The canvas and its keyboard control. */
function Plot({
  label,
  unit,
  points,
  reading: { at, byKey, leave },
  box,
}: {
  label: string;
  unit: string;
  points: Points;
  reading: ReturnType<typeof useKeyReading>;
  box: RefObject<HTMLDivElement | null>;
}) {
  const [time, value] = points[at] ?? [0, ''];
  return (
    <div
      ref={box}
      role="slider"
      tabIndex={0}
      aria-label={`${label}. Use arrow keys to read values.`}
      aria-orientation="horizontal"
      aria-valuemin={0}
      aria-valuemax={points.length - 1}
      aria-valuenow={at}
      aria-valuetext={`${formatMoment(time)}: ${formatPrice(value)} ${unit}`.trim()}
      onKeyDown={byKey}
      onBlur={leave}
      className="relative min-h-0 flex-1 touch-pan-y"
    />
  );
}

/** The line above the plot: the read point, otherwise the note. */
function Reading({ note, read }: { note: ReactNode; read: ReadPoint | null }) {
  return (
    <div
      className={classes(
        'grid shrink-0 text-xs text-ink-2 *:col-start-1 *:row-start-1',
        note === undefined ? 'min-h-5' : 'min-h-8 sm:min-h-5',
      )}
    >
      <p className={classes(read !== null && 'invisible')}>{note}</p>
      {read !== null && (
        <p aria-hidden>
          {formatMoment(read.at)} <span className="ml-1 font-medium text-ink">{read.text}</span>
        </p>
      )}
    </div>
  );
}

function PointTable({
  label,
  line,
  lineName,
  compared,
  unit,
}: Required<Pick<TimeChartProps, 'label' | 'line' | 'lineName' | 'compared' | 'unit'>>) {
  return (
    <div
      className="sheet-scroll h-full overflow-y-auto"
      tabIndex={0}
      role="region"
      aria-label={`${label}: table`}
    >
      <table className="sheet-table">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col" className="num">
              {lineName}
              {unit === '' ? '' : `, ${unit}`}
            </th>
            {compared.map(({ name }) => (
              <th key={name} scope="col" className="num">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {line
            .slice(-TABLE_ROWS)
            .reverse()
            .map(([at, value]) => (
              <tr key={at}>
                <td>{formatMoment(at)}</td>
                <td className="num">{formatAmount(value)}</td>
                {compared.map(({ name, points: others }) => (
                  <td key={name} className="num">
                    {formatAmount(others.find(([time]) => time === at)?.[1])}
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}

export function TimeChart({
  label,
  line,
  lineName = 'Value',
  stepMs,
  compared = NONE,
  height,
  empty,
  controls,
  unit = '',
  note,
}: TimeChartProps) {
  const [table, setTable] = useState(false);
  const [read, setRead] = useState<ReadPoint | null>(null);
  const points: Points = line;
  const drawable = points.length > 1;
  const { box, handle, failed } = useDrawnChart(
    { line, stepMs, compared },
    { drawable, table },
    setRead,
  );
  const reading = useKeyReading(points, handle, setRead);

  return (
    <figure className="m-0 min-w-0">
      {/* Text is above the plot in a reserved place: a line never runs under text. */}
      <div style={{ height }} className="flex flex-col overflow-hidden">
        {!drawable && <div className="rule flex h-full items-center text-ink-3">{empty}</div>}
        {drawable && !table && <Reading note={note} read={read} />}
        {drawable && !table && !failed && (
          <Plot label={label} unit={unit} points={points} reading={reading} box={box} />
        )}
        {drawable && failed && !table && (
          <p className="rule flex min-h-0 flex-1 items-center text-ink-3">
            Could not load the chart. The table has the same values.
          </p>
        )}
        {drawable && table && (
          <PointTable
            label={label}
            line={points}
            lineName={lineName}
            compared={compared}
            unit={unit}
          />
        )}
      </div>
      <figcaption className="flex min-h-11 items-center justify-between gap-3 pointer-fine:min-h-8">
        <span className="flex min-w-0 items-center gap-1">{drawable && controls}</span>
        <span className="flex min-w-0 items-center gap-3 text-xs text-ink-3">
          {drawable && (
            <button
              type="button"
              className="min-h-11 shrink-0 underline underline-offset-2 hover:text-ink pointer-fine:min-h-8"
              onClick={() => {
                setTable(!table);
                setRead(null);
              }}
            >
              {table ? 'Chart' : 'Table'}
            </button>
          )}
        </span>
      </figcaption>
    </figure>
  );
}
