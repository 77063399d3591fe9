/** The result divided by agent, pair or hour, with bars and sums that open. */
import type { ReactNode } from 'react';
import type { HourResult } from '../../../contract/trading.ts';
import { Amount } from '../../components/Figures.tsx';
import { sumOf } from '../explain/equation.ts';
import { Explain } from '../explain/Explain.tsx';
import type { Ask } from '../explain/explain-figure.ts';
import { formatNumber } from '../../format/numbers.ts';

export interface Part {
  key: string;
  name: ReactNode;
  trades: number;
  realized: string;
  unrealized: string;
  fees: string;
  ask?: Ask;
}

/** Length of a result's bar as a share of the largest. */
function Bar({ value, largest }: { value: number; largest: number }) {
  const width = largest === 0 ? 0 : Math.min(50, (Math.abs(value) / largest) * 50);
  return (
    <span aria-hidden className="relative block h-2 w-full min-w-16">
      <span className="absolute inset-y-0 left-1/2 w-px bg-line-strong/60" />
      <span
        className={`absolute inset-y-0 rounded-[2px] ${value < 0 ? 'bg-loss' : 'bg-gain'}`}
        style={
          value < 0 ? { right: '50%', width: `${width}%` } : { left: '50%', width: `${width}%` }
        }
      />
    </span>
  );
}

type ResultPart = Part & { result: string };

function PartRow({ row, largest }: { row: ResultPart; largest: number }) {
  return (
    <tr>
      <td>{row.name}</td>
      <td className="num">
        {row.ask === undefined ? (
          <Amount value={row.result} change />
        ) : (
          <Explain ask={row.ask} name={`the result of ${row.key}`}>
            <Amount value={row.result} change />
          </Explain>
        )}
      </td>
      <td className="max-sm:hidden">
        <Bar value={Number(row.result)} largest={largest} />
      </td>
      <td className="num">
        <Amount value={row.realized} change />
      </td>
      <td className="num">
        <Amount value={row.unrealized} change />
      </td>
      <td className="num">
        <Amount value={row.fees} />
      </td>
      <td className="num">{formatNumber(row.trades)}</td>
    </tr>
  );
}

function Together({ rows, ask, name }: { rows: readonly ResultPart[]; ask: Ask; name: string }) {
  return (
    <tr className="font-semibold">
      <td>Total</td>
      <td className="num">
        <Explain ask={ask} name={name}>
          <Amount value={sumOf(rows.map(({ result }) => result))} change />
        </Explain>
      </td>
      <td className="max-sm:hidden" />
      <td className="num">
        <Amount value={sumOf(rows.map(({ realized }) => realized))} change />
      </td>
      <td className="num">
        <Amount value={sumOf(rows.map(({ unrealized }) => unrealized))} change />
      </td>
      <td className="num">
        <Amount value={sumOf(rows.map(({ fees }) => fees))} />
      </td>
      <td className="num">{rows.reduce((all, { trades }) => all + trades, 0)}</td>
    </tr>
  );
}

export function Breakdown({
  head,
  parts,
  ask,
  name,
}: {
  head: string;
  parts: readonly Part[];
  ask: Ask;
  name: string;
}) {
  const rows = parts
    .map((part) => ({ ...part, result: sumOf([part.realized, part.unrealized]) }))
    .sort((a, b) => Number(b.result) - Number(a.result));
  const largest = Math.max(0, ...rows.map(({ result }) => Math.abs(Number(result))));
  return (
    <div className="sheet-scroll">
      <table className="sheet-table">
        <thead>
          <tr>
            <th scope="col">{head}</th>
            <th scope="col" className="num">
              Result
            </th>
            <th scope="col" className="w-1/5 max-sm:hidden">
              <span className="sr-only">Compared</span>
            </th>
            <th scope="col" className="num">
              Realised
            </th>
            <th scope="col" className="num">
              Unrealised
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
          {rows.map((row) => (
            <PartRow key={row.key} row={row} largest={largest} />
          ))}
        </tbody>
        <tfoot>
          <Together rows={rows} ask={ask} name={name} />
        </tfoot>
      </table>
    </div>
  );
}

const hourText = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

/** Realised result by UTC hour of sale, as columns and as a table. */
export function Hours({ hours, ask }: { hours: readonly HourResult[]; ask: Ask }) {
  const byHour = new Map(hours.map((one) => [one.hour, one]));
  const largest = Math.max(0, ...hours.map(({ realized }) => Math.abs(Number(realized))));
  return (
    <>
      <div className="relative overflow-x-auto">
        <table
          className="w-full sm:min-w-[30rem] table-fixed border-collapse"
          aria-label="Realised by UTC hour"
        >
          <tbody>
            <tr>
              {Array.from({ length: 24 }, (_, hour) => {
                const one = byHour.get(hour);
                const value = Number(one?.realized ?? 0);
                const height = largest === 0 ? 0 : (Math.abs(value) / largest) * 50;
                return (
                  <td
                    key={hour}
                    className="relative h-28 p-px align-middle"
                    title={`${hourText(hour)} UTC: ${one === undefined ? 'no closed trades' : `${one.sells} closed`}`}
                  >
                    <span aria-hidden className="absolute inset-x-0 top-1/2 border-t border-line" />
                    <span
                      aria-hidden
                      className={`absolute inset-x-0.5 rounded-[2px] ${value < 0 ? 'bg-loss' : 'bg-gain'}`}
                      style={
                        value < 0
                          ? { top: '50%', height: `${height}%` }
                          : { bottom: '50%', height: `${height}%` }
                      }
                    />
                    <span className="sr-only">
                      {hourText(hour)}: <Amount value={one?.realized ?? '0'} change />,{' '}
                      {one?.sells ?? 0} closed
                    </span>
                  </td>
                );
              })}
            </tr>
          </tbody>
          <tfoot aria-hidden>
            <tr>
              {Array.from({ length: 24 }, (_, hour) => (
                <td key={hour} className="h-5 p-0 text-xs text-ink-3">
                  {hour % 6 === 0 ? <span className="block w-0">{hourText(hour)}</span> : ''}
                </td>
              ))}
            </tr>
          </tfoot>
        </table>
      </div>
      <p className="mt-1 text-xs text-ink-3">
        Hours in UTC, total{' '}
        <Explain ask={ask} name="all hours">
          <Amount value={sumOf(hours.map(({ realized }) => realized))} change />
        </Explain>{' '}
        realised
      </p>
    </>
  );
}
