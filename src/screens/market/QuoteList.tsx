/** The list of pairs under its headers, in the order of the last sort. */
import type { CSSProperties, ReactNode } from 'react';
import type { DayLine } from '../../../contract/market.ts';
import { classes } from '../../components/class-names.ts';
import { ariaSort, SortButton } from '../../components/SortButton.tsx';
import { useOnScreen } from '../../components/use-on-screen.ts';
import type { MarketColumn } from '../../stores/market-choices.ts';
import type { MarketBoard } from '../../stores/market-store.ts';
import { COLUMNS } from './quote-columns.tsx';
import type { Sort, SortKey } from './market-order.ts';
import { QuoteRow } from './QuoteRow.tsx';

/** Rows observed together: one observation costs the same for one row as for ten. */
const BLOCK_ROWS = 10;
/** Blocks rendered in full before the browser reports what is visible. */
const EARLY_BLOCKS = 2;
const FIXED_WIDTHS = ['2.25rem', '9rem', '7.5rem', '6.5rem'] as const;
const GAP = '12px';

function Header({
  name,
  label,
  sort,
  onSort,
  className,
  children,
}: {
  name: SortKey;
  label: string;
  sort: Sort;
  onSort: (sort: Sort) => void;
  className?: string;
  children?: ReactNode;
}) {
  return (
    <span role="columnheader" aria-sort={ariaSort(sort, name)} className={className}>
      <SortButton name={name} label={label} sort={sort} isText={name === 'symbol'} onSort={onSort}>
        {children}
      </SortButton>
    </span>
  );
}

export interface QuoteListProps {
  board: MarketBoard | null;
  symbols: readonly string[];
  lines: Readonly<Record<string, DayLine>> | undefined;
  favourites: readonly string[];
  columns: readonly MarketColumn[];
  quote: string;
  sort: Sort;
  onSort: (sort: Sort) => void;
}

function Block({
  symbols,
  early,
  board,
  lines,
  starred,
  columns,
}: Pick<QuoteListProps, 'board' | 'symbols' | 'lines' | 'columns'> & {
  early: boolean;
  starred: ReadonlySet<string>;
}) {
  const [place, seen] = useOnScreen(early);
  return (
    <div
      role="rowgroup"
      ref={place}
      className="quote-block"
      style={{ '--rows': symbols.length } as CSSProperties}
    >
      {symbols.map((symbol) => (
        <QuoteRow
          key={symbol}
          board={board}
          symbol={symbol}
          line={lines?.[symbol]}
          starred={starred.has(symbol)}
          columns={columns}
          seen={seen}
        />
      ))}
    </div>
  );
}

type HeadProps = Pick<QuoteListProps, 'columns' | 'quote' | 'sort' | 'onSort'>;

/** The header of an optional column. */
function ChosenHeader({
  name,
  quote,
  sort,
  onSort,
}: Omit<HeadProps, 'columns'> & { name: MarketColumn }) {
  const { title, sort: key } = COLUMNS[name];
  if (key === undefined)
    return (
      <span role="columnheader" className="hidden text-right text-xs text-ink-3 md:block">
        {title}
      </span>
    );
  const label = name === 'volume' && quote !== '' ? `Volume, ${quote}` : title;
  return (
    <Header
      name={key}
      label={label}
      sort={sort}
      onSort={onSort}
      className={classes('text-right', name === 'volume' ? 'max-md:order-2' : 'max-md:hidden')}
    >
      {name === 'volume' ? (
        <>
          <span className="md:hidden">Volume</span>
          <span className="hidden md:inline">{label}</span>
        </>
      ) : (
        title
      )}
    </Header>
  );
}

function HeadRow({ columns, quote, sort, onSort }: HeadProps) {
  return (
    <div role="row" className="quote-head">
      <span role="columnheader" className="max-md:hidden">
        <span className="sr-only">Favourite</span>
      </span>
      <Header name="symbol" label="Pair" sort={sort} onSort={onSort} />
      <Header
        name="price"
        label="Price"
        sort={sort}
        onSort={onSort}
        className="text-right max-md:order-3 max-md:ml-auto"
      />
      <Header
        name="change"
        label="24 h"
        sort={sort}
        onSort={onSort}
        className="text-right max-md:order-4"
      />
      {!columns.includes('volume') && (
        <Header
          name="volume"
          label="Volume"
          sort={sort}
          onSort={onSort}
          className="max-md:order-2 md:hidden"
        />
      )}
      {columns.map((name) => (
        <ChosenHeader key={name} name={name} quote={quote} sort={sort} onSort={onSort} />
      ))}
    </div>
  );
}

/** The widths of the columns, as the table's style has them. */
function columnStyle(columns: readonly MarketColumn[]): CSSProperties {
  const widths = columns.map((name) => COLUMNS[name].width);
  return {
    '--columns': ['2.25rem', 'minmax(9rem,1fr)', '7.5rem', '6.5rem', ...widths].join(' '),
    '--least': `calc(${[...FIXED_WIDTHS, ...widths].join(' + ')} + ${FIXED_WIDTHS.length + widths.length - 1} * ${GAP})`,
  } as CSSProperties;
}

export function QuoteList({
  board,
  symbols,
  lines,
  favourites,
  columns,
  quote,
  sort,
  onSort,
}: QuoteListProps) {
  const starred = new Set(favourites);
  const style = columnStyle(columns);
  const blocks = Array.from({ length: Math.ceil(symbols.length / BLOCK_ROWS) }, (_none, index) =>
    symbols.slice(index * BLOCK_ROWS, (index + 1) * BLOCK_ROWS),
  );
  return (
    <div className="quote-scroll">
      <div
        role="table"
        aria-label="Pairs"
        aria-rowcount={symbols.length + 1}
        style={style}
        className="quote-table"
      >
        <HeadRow columns={columns} quote={quote} sort={sort} onSort={onSort} />
        {blocks.map((some, index) => (
          <Block
            key={index}
            board={board}
            symbols={some}
            lines={lines}
            starred={starred}
            columns={columns}
            early={index < EARLY_BLOCKS}
          />
        ))}
      </div>
    </div>
  );
}
