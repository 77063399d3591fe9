/** The candles of a chart as a table, newest first, with indicators and trades. */
import { useState } from 'react';
import { formatPrice, formatRatio, formatShort, UNKNOWN } from '../format/numbers.ts';
import { formatClock, formatMoment } from '../format/times.ts';
import type { CandleData, DrawnLine } from './candle-drawing.ts';
import type { ChartCandle } from './chart-candles.ts';
import { marksText } from './trade-marks.ts';

const ROWS = 200;

export interface CandleTableProps {
  label: string;
  data: CandleData;
  /** The last price of the forming candle: market clock, ms. */
  formingAt: number | null;
  base: string;
  quote: string;
  onOlder: (() => void) | undefined;
}

const iso = (at: number): string => new Date(at).toISOString();

interface ColumnProps {
  columns: readonly DrawnLine[];
  /** Whether there is a column for trades. */
  traded: boolean;
}

function Headings({
  columns,
  traded,
  base,
  quote,
}: ColumnProps & Pick<CandleTableProps, 'base' | 'quote'>) {
  return (
    <thead>
      <tr>
        <th scope="col">Opened</th>
        {['Open', 'High', 'Low', 'Close'].map((name) => (
          <th key={name} scope="col" className="num">
            {name}
            {name === 'Close' && quote !== '' ? `, ${quote}` : ''}
          </th>
        ))}
        <th scope="col" className="num">
          Volume{base === '' ? '' : `, ${base}`}
        </th>
        {traded && <th scope="col">Trades</th>}
        {columns.map(({ name }) => (
          <th key={name} scope="col" className="num">
            {name}
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface RowProps extends ColumnProps {
  data: CandleData;
  candle: ChartCandle;
  /** Index of the candle among all, from the oldest. */
  place: number;
  formingAt: number | null;
}

function CandleRow({ data, candle, place, formingAt, columns, traded }: RowProps) {
  const { closed, forming, rsi, marks } = data;
  const [at, open, high, low, close, volume] = candle;
  const valueOf = (line: DrawnLine): string => {
    const value = place < closed.length ? line.values[place] : line.last;
    if (value == null) return UNKNOWN;
    return line === rsi ? formatRatio(value, 1) : formatPrice(value.toFixed(10));
  };
  return (
    <tr>
      <td>
        <time dateTime={iso(at)}>{formatMoment(at)}</time>
        {at === forming?.[0] && formingAt !== null && (
          <span className="block text-xs text-ink-3">
            forming, last price <time dateTime={iso(formingAt)}>{formatClock(formingAt)}</time>
          </span>
        )}
      </td>
      {[open, high, low, close].map((value, column) => (
        <td key={column} className="num">
          {formatPrice(value)}
        </td>
      ))}
      <td className="num">{volume === null ? UNKNOWN : formatShort(volume)}</td>
      {traded && <td>{marksText(marks.filter(({ time }) => time === at))}</td>}
      {columns.map((line) => (
        <td key={line.name} className="num">
          {valueOf(line)}
        </td>
      ))}
    </tr>
  );
}

export function CandleTable({ label, data, formingAt, base, quote, onOlder }: CandleTableProps) {
  const [count, setCount] = useState(ROWS);
  const { closed, forming, lines, rsi, marks } = data;
  const all = forming === null ? closed : [...closed, forming];
  const more = (): void => {
    setCount(count + ROWS);
    if (count + ROWS > all.length) onOlder?.();
  };
  const columns: DrawnLine[] = [...lines, ...(rsi === null ? [] : [rsi])];
  const traded = marks.length > 0;
  return (
    <div
      className="sheet-scroll h-full overflow-auto"
      tabIndex={0}
      role="region"
      aria-label={`${label}: table`}
    >
      <table className="sheet-table">
        <Headings columns={columns} traded={traded} base={base} quote={quote} />
        <tbody>
          {all
            .slice(-count)
            .map((candle, index) => ({ candle, place: Math.max(0, all.length - count) + index }))
            .reverse()
            .map(({ candle, place }) => (
              <CandleRow
                key={candle[0]}
                data={data}
                candle={candle}
                place={place}
                formingAt={formingAt}
                columns={columns}
                traded={traded}
              />
            ))}
        </tbody>
      </table>
      {(count < all.length || onOlder !== undefined) && (
        <button
          type="button"
          className="min-h-11 px-1 text-xs text-accent underline underline-offset-2 pointer-fine:min-h-8"
          onClick={more}
        >
          Older candles
        </button>
      )}
    </div>
  );
}
