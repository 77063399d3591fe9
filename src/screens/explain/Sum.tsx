/** Rows and the total they add up to, in cents or in all digits. */
import { ChevronRight } from 'lucide-react';
import { Amount } from '../../components/Figures.tsx';
import { formatAmount } from '../../format/numbers.ts';
import type { Equation, Row } from './equation.ts';

const SIGNIFICANT = 12;

function Value({
  value,
  change,
  exact,
  quote,
}: {
  value: string;
  change: boolean;
  exact: boolean;
  quote?: string;
}) {
  if (exact)
    return (
      <span className="whitespace-nowrap">
        {formatAmount(value, { signed: change, most: SIGNIFICANT })}
        {quote !== undefined && <span className="ml-1 font-normal text-ink-3">{quote}</span>}
      </span>
    );
  return <Amount value={value} change={change} {...(quote === undefined ? {} : { quote })} />;
}

function RowLine({
  row,
  exact,
  inset,
  onOpen,
}: {
  row: Row;
  exact: boolean;
  inset: string;
  onOpen?: (() => void) | undefined;
}) {
  const words = (
    <span className="min-w-0">
      <span className="block">{row.label}</span>
      {row.note !== undefined && <span className="block text-xs text-ink-3">{row.note}</span>}
    </span>
  );
  const value = <Value value={row.value} change={row.change === true} exact={exact} />;
  return (
    <div className="rule">
      {onOpen === undefined ? (
        <div className={`row flex items-center justify-between gap-4 py-1.5 ${inset}`}>
          <span className="min-w-0 text-ink-2">{words}</span>
          <span className="text-right">{value}</span>
        </div>
      ) : (
        <button
          type="button"
          onClick={onOpen}
          className="row flex w-full items-center justify-between gap-4 py-1.5 text-left hover:text-accent"
        >
          <span className="min-w-0 text-ink-2">{words}</span>
          <span className="flex items-center gap-1 text-right">
            {value}
            <ChevronRight className="size-4 shrink-0 text-ink-3" aria-hidden />
          </span>
        </button>
      )}
    </div>
  );
}

/** Rows, a line, the total they add up to. */
export function Sum({
  equation,
  quote,
  exact = false,
  onOpen,
}: {
  equation: Equation;
  quote: string;
  exact?: boolean;
  onOpen?: (key: string) => void;
}) {
  // Keeps space for arrows where one row has one, so that figures align.
  const inset =
    onOpen !== undefined && equation.rows.some((row) => row.open !== undefined) ? 'pr-5' : '';
  return (
    <section aria-label={equation.name}>
      <div role="list">
        {equation.rows.map((row) => (
          <div role="listitem" key={row.key}>
            <RowLine
              row={row}
              exact={exact}
              inset={inset}
              onOpen={
                row.open === undefined || onOpen === undefined
                  ? undefined
                  : () => {
                      onOpen(row.key);
                    }
              }
            />
          </div>
        ))}
      </div>
      <div
        className={`row flex items-center justify-between gap-4 border-t border-line-strong py-1.5 font-semibold ${inset}`}
      >
        <span>= {equation.total.label}</span>
        <Value
          value={equation.total.value}
          change={equation.total.change === true}
          exact={exact}
          quote={quote}
        />
      </div>
    </section>
  );
}
