/** A line over time, with lines to compare and a table of the same values. */
import { useState, type KeyboardEvent, type ReactNode } from 'react';
import { formatAmount, formatPrice } from '../format/numbers.ts';
import { formatMoment } from '../format/times.ts';
import { classes } from './class-names.ts';
import type { Points } from './line-geometry.ts';
import { LinePlot, type ComparedLine } from './LinePlot.tsx';

export interface TimeChartProps {
  /** Name for screen readers. */
  label: string;
  /** `[ms, value]`, oldest first. */
  line: Points;
  /** Names of the line and of lines to compare; each is a column of the table. */
  lineName?: string;
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

/** The point that a finger, a pointer or the arrow keys have come to. */
function useReading(count: number) {
  /** Null while nothing is read. */
  const [index, setIndex] = useState<number | null>(null);
  const byKey = (event: KeyboardEvent): void => {
    const to =
      event.key === 'Escape' && index !== null
        ? null
        : pointAfter(event.key, index ?? count, count);
    if (to === null && event.key !== 'Escape') return;
    event.preventDefault();
    setIndex(to);
  };
  const leave = (): void => {
    setIndex(null);
  };
  // A shorter range may have fewer points than were there before.
  return {
    at: Math.min(index ?? count - 1, count - 1),
    isOn: index !== null,
    setIndex,
    byKey,
    leave,
  };
}

/** The line above the plot: the read point, otherwise the note. */
function Reading({ note, point }: { note: ReactNode; point: Points[number] | null }) {
  return (
    <div
      className={classes(
        'grid shrink-0 text-xs text-ink-2 *:col-start-1 *:row-start-1',
        note === undefined ? 'min-h-5' : 'min-h-8 sm:min-h-5',
      )}
    >
      <p className={classes(point !== null && 'invisible')}>{note}</p>
      {point !== null && (
        <p aria-hidden>
          {formatMoment(point[0])}{' '}
          <span className="ml-1 font-medium text-ink">{formatPrice(point[1])}</span>
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
  compared = NONE,
  height,
  empty,
  controls,
  unit = '',
  note,
}: TimeChartProps) {
  const [table, setTable] = useState(false);
  const points: Points = line;
  const drawable = points.length > 1;
  const { at, isOn, setIndex, byKey, leave } = useReading(points.length);

  return (
    <figure className="m-0 min-w-0">
      {/* Text is above the plot in a reserved place: a line never runs under text. */}
      <div style={{ height }} className="flex flex-col overflow-hidden">
        {!drawable && <div className="rule flex h-full items-center text-ink-3">{empty}</div>}
        {drawable && !table && (
          <>
            <Reading note={note} point={isOn ? (points[at] ?? null) : null} />
            <LinePlot
              label={label}
              unit={unit}
              line={points}
              compared={compared}
              at={at}
              reading={isOn}
              onPoint={setIndex}
              onKeyDown={byKey}
              onBlur={leave}
            />
          </>
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
                leave();
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
