/**
 * A calendar of daily results, each cell opening into its sum. Each has a sign, not just a colour.
 */
import { useState } from 'react';
import type { Analytics, DayResult, Fill } from '../../../contract/trading.ts';
import { Amount } from '../../components/Figures.tsx';
import { formatPercent, formatShort } from '../../format/numbers.ts';
import { less, sumOf } from '../explain/equation.ts';
import { Explain } from '../explain/Explain.tsx';
import type { Measured } from '../explain/explain-figure.ts';
import { heatWeeks, type HeatDay } from './heat-weeks.ts';

const WEEKDAYS = [
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
] as const;
const FILL = ['var(--sunken)', '22%', '40%', '60%', '82%'] as const;
const colourOf = (day: HeatDay): string =>
  day.level === 0 || day.change === null
    ? 'var(--sunken)'
    : `color-mix(in oklch, ${day.change > 0 ? 'var(--gain)' : 'var(--loss)'} ${FILL[day.level] ?? '0%'}, var(--ground))`;
const dateOf = (start: number): string => new Date(start).toISOString().slice(0, 10);
const changeOf = (day: DayResult): string => sumOf([day.closing, less(day.opening)]);

function signOf(change: number | null): string {
  if (change === null) return '·';
  if (change > 0) return '+';
  return change < 0 ? '−' : '';
}

function Cell({ day, book }: { day: HeatDay | null; book?: Measured | undefined }) {
  if (day === null)
    return (
      <td className="p-[1.5px]">
        <span className="block size-6" />
      </td>
    );
  const dayText =
    day.change === null
      ? `${dateOf(day.start)}: no data`
      : `${dateOf(day.start)}: ${formatShort(day.change.toFixed(2))}, ${formatPercent(day.percent)}`;
  const sign = signOf(day.change);
  const face = (
    <span
      aria-hidden
      style={{ background: colourOf(day) }}
      className={`flex size-full items-center justify-center rounded-[3px] text-[0.625rem] leading-none ${day.level >= 4 ? 'text-ground' : 'text-ink'}`}
    >
      {sign}
    </span>
  );
  return (
    <td className="p-[1.5px]">
      {day.change === null ? (
        <span title={dayText} className="block size-6">
          {face}
          <span className="sr-only">{dayText}</span>
        </span>
      ) : (
        <Explain
          ask={{ of: 'day', start: day.start, ...(book === undefined ? {} : { book }) }}
          name={dayText}
          plain
          className="m-0! block size-6 p-0!"
        >
          {face}
        </Explain>
      )}
    </td>
  );
}

function Days({ daily, book }: { daily: readonly DayResult[]; book?: Measured | undefined }) {
  return (
    <div className="max-h-80 overflow-y-auto" role="region" tabIndex={0} aria-label="Days: table">
      <table className="sheet-table">
        <thead>
          <tr>
            <th scope="col">Day, UTC</th>
            <th scope="col" className="num">
              Change
            </th>
            <th scope="col" className="num">
              Realised
            </th>
            <th scope="col" className="num">
              {' '}
              Held{' '}
            </th>
            <th scope="col" className="num">
              Fees
            </th>
            <th scope="col" className="num">
              Trades
            </th>
          </tr>
        </thead>
        <tbody>
          {[...daily].reverse().map((day) => (
            <tr key={day.start}>
              <td>{dateOf(day.start)}</td>
              <td className="num">
                <Explain
                  ask={{ of: 'day', start: day.start, ...(book === undefined ? {} : { book }) }}
                  name={dateOf(day.start)}
                >
                  <Amount value={changeOf(day)} change />
                </Explain>
              </td>
              <td className="num">
                <Amount value={day.realized} change />
              </td>
              <td className="num">
                <Amount value={day.unrealizedChange} change />
              </td>
              <td className="num">
                <Amount value={day.fees} />
              </td>
              <td className="num">{day.trades}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Start at the newest week. */
const toTheEnd = (box: HTMLDivElement | null): void => {
  if (box !== null) box.scrollLeft = box.scrollWidth;
};

type HeatSource = { analytics: Analytics; fills: readonly Fill[] };

/** Weeks run from left to right and end at the present one, which is scrolled into view. */
function Calendar({ daily, book }: { daily: NonNullable<Analytics['daily']>; book: HeatSource }) {
  const weeks = heatWeeks(daily);
  return (
    <div className="relative overflow-x-auto pb-1" ref={toTheEnd}>
      <table className="border-collapse" aria-label="Change of equity by UTC day">
        <thead>
          <tr>
            <th className="sr-only" scope="col">
              Weekday
            </th>
            {weeks.map((week) => (
              <th
                key={week.start}
                scope="col"
                className="h-5 p-0 text-left text-xs font-normal text-ink-3"
              >
                <span className="block w-0 whitespace-nowrap">{week.label}</span>
                <span className="sr-only">Week of {dateOf(week.start)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {WEEKDAYS.map((weekday, index) => (
            <tr key={weekday}>
              <th
                scope="row"
                className="sticky left-0 bg-ground pr-2 text-left text-xs font-normal text-ink-3"
              >
                {index % 2 === 0 ? weekday.slice(0, 3) : <span className="sr-only">{weekday}</span>}
              </th>
              {weeks.map((week) => (
                <Cell key={week.start} day={week.days[index] ?? null} book={book} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Days as a calendar of colours, or as a table. */
export function HeatMap({ analytics, fills }: HeatSource) {
  const [table, setTable] = useState(false);
  const daily = analytics.daily ?? [];
  const up = daily.filter((day) => Number(changeOf(day)) > 0).length;
  const down = daily.filter((day) => Number(changeOf(day)) < 0).length;
  const book = { analytics, fills };
  return (
    <>
      {table ? <Days daily={daily} book={book} /> : <Calendar daily={daily} book={book} />}
      <div className="mt-2 flex flex-wrap items-center justify-between gap-x-4 text-xs text-ink-3">
        <span>
          {up} up, {down} down, total{' '}
          <Explain ask={{ of: 'days', book }} name="all these days">
            <Amount value={sumOf(daily.map(changeOf))} change />
          </Explain>
        </span>
        <button
          type="button"
          className="min-h-11 underline underline-offset-2 hover:text-ink pointer-fine:min-h-8"
          onClick={() => {
            setTable(!table);
          }}
        >
          {table ? 'Calendar' : 'Table'}
        </button>
      </div>
    </>
  );
}
