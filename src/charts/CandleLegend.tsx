/** The values of the candle under the cross-hair, with its indicators. */
import type { ReactNode } from 'react';
import { classes } from '../components/class-names.ts';
import {
  direction,
  formatPercent,
  formatPrice,
  formatRatio,
  formatShort,
  UNKNOWN,
} from '../format/numbers.ts';
import { numberMarks } from '../format/number-marks.ts';
import { formatClock, formatWhen } from '../format/times.ts';
import type { ChartCandle } from './chart-candles.ts';
import { LINE_TONES } from './line-tones.ts';

const TONE = { up: 'text-gain', down: 'text-loss', flat: 'text-ink' } as const;

/** Change from the previous close in percent, or from the candle's own open without one. */
export function changeOf(candle: ChartCandle, before: ChartCandle | undefined): number {
  const from = Number(before?.[4] ?? candle[1]);
  return ((Number(candle[4]) - from) / from) * 100;
}

/** All four with as many decimals, or what stands after 34.2 moves as 34.2134 comes. */
function placesOf(prices: readonly string[]): number {
  const { decimal } = numberMarks();
  return Math.max(...prices.map((price) => formatPrice(price).split(decimal)[1]?.length ?? 0));
}

export interface LegendProps {
  candle: ChartCandle;
  before: ChartCandle | undefined;
  base: string;
  /** The moment up to which the volume of a forming candle counts, ms; null for a closed one. */
  formingTo: number | null;
}

export function CandleLegend({ candle, before, base, formingTo }: LegendProps) {
  const [at, open, high, low, close, volume] = candle;
  const change = changeOf(candle, before);
  const places = placesOf([open, high, low, close]);
  const part = (name: string, value: ReactNode, className = ''): ReactNode => (
    <span className={classes('whitespace-nowrap', className)}>
      <span className="text-ink-3">{name}</span> {value}
    </span>
  );
  const amount = volume === null ? UNKNOWN : `${formatShort(volume)} ${base}`;
  const upTo = formingTo !== null && volume !== null ? ` to ${formatClock(formingTo)}` : '';
  return (
    <p aria-hidden className="flex flex-wrap gap-x-2.5 text-xs text-ink-2">
      <span className="whitespace-nowrap">
        {formatWhen(at)}
        {formingTo !== null && <span className="text-ink-3"> forming</span>}
      </span>
      {part('O', formatPrice(open, places))}
      {part('H', formatPrice(high, places))}
      {part('L', formatPrice(low, places))}
      {part('C', <span className="font-medium text-ink">{formatPrice(close, places)}</span>)}
      <span className={classes('whitespace-nowrap', TONE[direction(change)])}>
        {formatPercent(change)}
      </span>
      {/* A line of its own on a phone, whether or not its number of now would fit. */}
      {part('Vol', `${amount}${upTo}`, 'max-sm:basis-full')}
    </p>
  );
}

export interface LineValue {
  name: string;
  value: number | null;
}

/** A piece of the line as it is drawn. */
function LineSample({ place }: { place: number }) {
  const { token, dash } = LINE_TONES[place] ?? { token: '--line-strong', dash: 'solid' };
  return <span aria-hidden className="w-3" style={{ borderTop: `2px ${dash} var(${token})` }} />;
}

export function LineLegend({ lines, rsi }: { lines: readonly LineValue[]; rsi: LineValue | null }) {
  if (lines.length === 0 && rsi === null) return null;
  const value = (one: LineValue, decimals?: number): string => {
    if (one.value === null) return UNKNOWN;
    return decimals === undefined
      ? formatPrice(one.value.toFixed(10))
      : formatRatio(one.value, decimals);
  };
  return (
    <p
      aria-hidden
      className="pointer-events-none absolute top-0 left-0 z-10 flex max-w-[calc(100%-4.75rem)] flex-wrap gap-x-2.5 rounded-sm bg-ground/85 px-1 text-xs text-ink-2"
    >
      {lines.map((line, place) => (
        <span key={line.name} className="inline-flex items-center gap-1 whitespace-nowrap">
          <LineSample place={place} />
          <span className="text-ink-3">{line.name}</span> {value(line)}
        </span>
      ))}
      {rsi !== null && (
        <span className="whitespace-nowrap">
          <span className="text-ink-3">{rsi.name}</span> {value(rsi, 1)}
        </span>
      )}
    </p>
  );
}
