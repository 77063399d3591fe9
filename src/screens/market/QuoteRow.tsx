/** One pair in the list. */
import { memo } from 'react';
import type { DayLine, SymbolQuote } from '../../../contract/market.ts';
import { Percent, Price } from '../../components/Figures.tsx';
import { RowLink } from '../../components/RowLink.tsx';
import { coinName } from '../../format/coin-names.ts';
import { formatSpan } from '../../format/ages.ts';
import type { MarketColumn } from '../../stores/market-choices.ts';
import type { MarketBoard } from '../../stores/market-store.ts';
import { useMarketNow } from '../use-store.ts';
import { COLUMNS, DayLineCell, priceDecimals, volumeText } from './quote-columns.tsx';
import { Star } from './Star.tsx';
import { useQuote } from './use-quote.ts';

export interface QuoteRowProps {
  board: MarketBoard | null;
  symbol: string;
  line: DayLine | undefined;
  starred: boolean;
  columns: readonly MarketColumn[];
  /** A row that is not near the viewport does not subscribe to ticks. */
  seen: boolean;
}

function Old({ at }: { at: number }) {
  return <span className="text-amber">{formatSpan(useMarketNow(10_000) - at)} old</span>;
}

/** The second line in a narrow window. */
function VolumeOrName({ quote, name }: { quote: SymbolQuote; name: ReturnType<typeof coinName> }) {
  const volume = volumeText(quote);
  if (volume === null) return name;
  return (
    <>
      <span className="sr-only">Volume </span>
      {volume}
    </>
  );
}

function Name({ symbol, quote }: { symbol: string; quote: SymbolQuote }) {
  const [base = symbol, counter = ''] = symbol.split('/');
  const name = coinName(base);
  return (
    <span role="rowheader" className="min-w-0 max-md:row-span-2">
      <span className="flex items-baseline gap-2">
        <RowLink
          href={`/market/${base}-${counter}`}
          className="shrink-0 whitespace-nowrap outline-none after:absolute after:inset-0 after:rounded-sm focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
        >
          <span className="font-medium">{base}</span>
          <span className="text-ink-3">/{counter}</span>
        </RowLink>
        <span className="hidden min-w-0 truncate text-xs text-ink-3 md:inline">{name}</span>
        {quote.stale && (
          <span className="hidden shrink-0 text-xs md:inline">
            <Old at={quote.timestamp} />
          </span>
        )}
      </span>
      <span className="block truncate text-xs text-ink-3 md:hidden">
        {quote.stale ? <Old at={quote.timestamp} /> : <VolumeOrName quote={quote} name={name} />}
      </span>
    </span>
  );
}

export const QuoteRow = memo(function QuoteRow({
  board,
  symbol,
  line,
  starred,
  columns,
  seen,
}: QuoteRowProps) {
  const quote = useQuote(board, symbol, seen);
  if (quote === undefined) return null;
  return (
    <div role="row" className="quote-row rule relative hover:bg-sunken/60">
      <span role="cell" className="max-md:row-span-2">
        <Star symbol={symbol} on={starred} className="-ml-2 size-11 pointer-fine:size-9" />
      </span>
      <Name symbol={symbol} quote={quote} />
      <span
        role="cell"
        className="text-right max-md:col-start-4 max-md:row-start-1 max-md:self-end"
      >
        <Price value={quote.price} least={priceDecimals(quote)} />
      </span>
      <span
        role="cell"
        className="text-right max-md:col-start-4 max-md:row-start-2 max-md:self-start max-md:text-xs"
      >
        <Percent value={quote.price_change_24h} why="Less than a day of history" />
      </span>
      <span
        role="cell"
        className="spark max-md:col-start-3 max-md:row-span-2 max-md:row-start-1 md:hidden"
      >
        {seen && <DayLineCell line={line} quote={quote} className="block !w-full" />}
      </span>
      {columns.map((name) => (
        <span key={name} role="cell" className="hidden text-right text-ink-2 md:block">
          {seen && COLUMNS[name].cell(quote, line)}
        </span>
      ))}
    </div>
  );
});
