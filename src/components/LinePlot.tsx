/** Lines over time as the page's own markup: in the first picture, and readable by finger at once. */
import { memo, useMemo, type KeyboardEvent, type PointerEvent } from 'react';
import { formatPrice } from '../format/numbers.ts';
import { formatMoment } from '../format/times.ts';
import {
  acrossOf,
  areaPath,
  BOX,
  downOf,
  linePath,
  nearestPoint,
  plain,
  plotRange,
  timeMarks,
  valueMarks,
  type PlotRange,
  type Points,
} from './line-geometry.ts';

/** A line to compare. `alike`: in the style of the first, because both are one thing, such as the limits of a band. */
export interface ComparedLine {
  name: string;
  points: Points;
  alike?: boolean;
}

/** Dash and colour of each compared line: as many as can be told apart. */
const COMPARED_STYLES = [
  { token: '--ink-3', dash: '5 4' },
  { token: '--amber', dash: undefined },
  { token: '--blue', dash: '1 4' },
  { token: '--red', dash: '9 5' },
  { token: '--green', dash: '1 2' },
  { token: '--orange', dash: undefined },
] as const;

const percent = (share: number): string => `${(share * 100).toFixed(2)}%`;
/** Place of a label on the axis of times; none sticks out of the plot. */
const onAxis = (share: number) => ({
  left: percent(share),
  transform: `translateX(${percent(-Math.min(1, Math.max(0, share)))})`,
});

const Lines = memo(function Lines({
  line,
  compared,
  range,
}: {
  line: Points;
  compared: readonly ComparedLine[];
  range: PlotRange;
}) {
  return (
    <svg
      viewBox={`0 0 ${BOX} ${BOX}`}
      preserveAspectRatio="none"
      aria-hidden
      className="absolute inset-0 size-full overflow-visible"
    >
      <path d={areaPath(line, range)} className="fill-accent opacity-10" />
      {compared.map(({ name, points, alike }, index) => {
        const style = COMPARED_STYLES[(alike === true ? 0 : index) % COMPARED_STYLES.length];
        return (
          <path
            key={name}
            d={linePath(points, range)}
            fill="none"
            stroke={`var(${style?.token ?? '--ink-3'})`}
            strokeDasharray={style?.dash}
            vectorEffect="non-scaling-stroke"
          />
        );
      })}
      <path
        d={linePath(line, range)}
        fill="none"
        stroke="var(--accent)"
        strokeWidth="1.5"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
});

/** The vertical line at the point that is read, and the point. */
function CrossHair({ across, down }: { across: number; down: number }) {
  return (
    <span aria-hidden className="pointer-events-none absolute inset-0">
      <span className="absolute inset-y-0 w-px bg-ink-3" style={{ left: percent(across) }} />
      <span
        className="absolute inset-x-0 border-t border-dotted border-ink-3"
        style={{ top: percent(down) }}
      />
      <span
        className="absolute -m-[3.5px] size-[7px] rounded-full border border-surface bg-accent"
        style={{ left: percent(across), top: percent(down) }}
      />
    </span>
  );
}

const Axes = memo(function Axes({ range }: { range: PlotRange }) {
  return (
    <span aria-hidden className="pointer-events-none text-[11px] leading-4 text-ink-3">
      {valueMarks(range).map((value) => (
        <span
          key={value}
          className="absolute left-full -translate-y-1/2 pl-2"
          style={{ top: percent(downOf(range, value)) }}
        >
          {formatPrice(plain(value))}
        </span>
      ))}
      {timeMarks(range).map(({ at, text }) => (
        <span
          key={at}
          className="absolute top-full mt-1 whitespace-nowrap"
          style={onAxis(acrossOf(range, at))}
        >
          {text}
        </span>
      ))}
    </span>
  );
});

/** Room for the longest mark of value, in digits of the axis. */
const scaleWidth = (range: PlotRange): string =>
  `${Math.max(...valueMarks(range).map((value) => formatPrice(plain(value)).length), 1) + 1}ch`;

export interface LinePlotProps {
  label: string;
  unit: string;
  line: Points;
  compared: readonly ComparedLine[];
  /** The point that is read, or the last one. */
  at: number;
  /** Whether it is being read. */
  reading: boolean;
  /** A finger or pointer is over a point, by its index; null as it leaves. */
  onPoint: (index: number | null) => void;
  onKeyDown: (event: KeyboardEvent) => void;
  onBlur: () => void;
}

export function LinePlot({
  label,
  unit,
  line,
  compared,
  at,
  reading,
  onPoint,
  onKeyDown,
  onBlur,
}: LinePlotProps) {
  const range = useMemo(
    () =>
      plotRange(
        line,
        compared.map(({ points }) => points),
      ),
    [line, compared],
  );
  const [time, value] = line[at] ?? [0, ''];
  const read = ({ currentTarget, clientX }: PointerEvent): void => {
    const plot = currentTarget.firstElementChild?.getBoundingClientRect();
    if (range === null || plot === undefined || plot.width === 0) return;
    const share = Math.min(1, Math.max(0, (clientX - plot.left) / plot.width));
    onPoint(nearestPoint(line, range.from + share * (range.to - range.from)));
  };
  const leave = (): void => {
    onPoint(null);
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={`${label}. Use arrow keys to read values.`}
      aria-orientation="horizontal"
      aria-valuemin={0}
      aria-valuemax={line.length - 1}
      aria-valuenow={at}
      aria-valuetext={`${formatMoment(time)}: ${formatPrice(value)} ${unit}`.trim()}
      onKeyDown={onKeyDown}
      onBlur={onBlur}
      onPointerDown={read}
      onPointerMove={read}
      onPointerLeave={leave}
      onPointerCancel={leave}
      className="relative min-h-0 flex-1 touch-pan-y select-none"
    >
      {range !== null && (
        <div
          className="absolute top-0 bottom-5 left-0 tabular-nums"
          style={{ right: scaleWidth(range) }}
        >
          <Lines line={line} compared={compared} range={range} />
          <Axes range={range} />
          {reading && (
            <CrossHair across={acrossOf(range, time)} down={downOf(range, Number(value))} />
          )}
        </div>
      )}
    </div>
  );
}
