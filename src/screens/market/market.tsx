/** The live market: every pair with price, day's change and volume, searched and sorted; refuses to reorder under the finger. */
import { ArrowDown, ArrowUp, Search } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useSnapshot } from 'valtio';
import { Link } from 'wouter';
import type { SymbolQuote } from '../../../contract/market.ts';
import { classes } from '../../components/class-names.ts';
import { EmptyState, ReadError, SkeletonRows } from '../../components/EmptyState.tsx';
import { Percent, Price } from '../../components/Figures.tsx';
import { ScreenTitle } from '../../components/Section.tsx';
import { formatPrice, formatShort } from '../../format/numbers.ts';
import { formatSpan } from '../../format/times.ts';
import { loadMarket, loadOverview, marketStore, overviewStore } from '../../stores/market.ts';
import { useMarketNow, useSlot } from '../reading.ts';

export type SortKey = 'symbol' | 'price' | 'change' | 'volume';
export interface Sort { key: SortKey; down: boolean }

const turnover = (quote: SymbolQuote): number => (quote.volume_24h === null ? -1 : Number(quote.volume_24h) * Number(quote.price));
const VALUE: Record<Exclude<SortKey, 'symbol'>, (quote: SymbolQuote) => number> = {
  price: (quote) => Number(quote.price), change: (quote) => quote.price_change_24h ?? -Infinity, volume: turnover,
};

/** Symbols in order. Ties keep the alphabet, so that equal rows never swap. */
export function sortQuotes(quotes: readonly SymbolQuote[], { key, down }: Sort): SymbolQuote[] {
  const way = down ? -1 : 1;
  const alphabet = (a: SymbolQuote, b: SymbolQuote): number => a.symbol.localeCompare(b.symbol);
  if (key === 'symbol') return [...quotes].sort((a, b) => way * alphabet(a, b));
  const value = VALUE[key];
  return [...quotes].sort((a, b) => (value(a) === value(b) ? alphabet(a, b) : way * (value(a) < value(b) ? -1 : 1)));
}

function Row({ symbol }: { symbol: string }) {
  // Its own snapshot: a tick of one pair draws one row.
  const quote = useSnapshot(marketStore).data?.symbols[symbol];
  const now = useMarketNow(10_000);
  if (quote === undefined) return null;
  const [base, counter] = symbol.split('/');
  const old = now - quote.timestamp;
  return (
    <li className="rule">
      <Link href={`/market/${symbol.replace('/', '-')}`} className="row grid grid-cols-[minmax(0,1fr)_7rem_5.5rem] items-center gap-x-3 py-1.5 hover:text-accent md:grid-cols-[minmax(0,1fr)_9rem_7rem_9rem_9rem_8rem]">
        <span className="min-w-0 truncate"><span className="font-medium">{base}</span><span className="text-ink-3">/{counter}</span>{quote.stale && <span className="ml-2 text-xs text-amber">{formatSpan(old)} old</span>}</span>
        <span className="text-right"><Price value={quote.price} /></span>
        <span className="text-right"><Percent value={quote.price_change_24h} why="Less than a day of history" /></span>
        <span className="hidden text-right text-ink-2 md:block">{formatPrice(quote.high_24h)}</span>
        <span className="hidden text-right text-ink-2 md:block">{formatPrice(quote.low_24h)}</span>
        <span className="hidden text-right text-ink-2 md:block">{quote.volume_24h === null ? '—' : formatShort(turnover({ ...quote }).toFixed(2))}</span>
      </Link>
    </li>
  );
}

function SortButton({ name, label, sort, onSort, className }: { name: SortKey; label: string; sort: Sort; onSort: (sort: Sort) => void; className?: string }) {
  const on = sort.key === name;
  const Arrow = sort.down ? ArrowDown : ArrowUp;
  return (
    <button type="button" aria-pressed={on} aria-label={`Sort by ${label}${on ? (sort.down ? ', descending' : ', ascending') : ''}`} onClick={() => { onSort({ key: name, down: on ? !sort.down : name !== 'symbol' }); }}
      className={classes('inline-flex min-h-11 items-center gap-1 text-xs pointer-fine:min-h-8', on ? 'font-medium text-ink' : 'text-ink-3 hover:text-ink', className)}>
      {label}{on && <Arrow className="size-3" aria-hidden />}
    </button>
  );
}

export default function Market() {
  const market = useSlot(marketStore, loadMarket);
  const overview = useSlot(overviewStore, loadOverview).data;
  const [query, setQuery] = useState('');
  const [sort, setSort] = useState<Sort>({ key: 'volume', down: true });
  const names = market.data === null ? '' : Object.keys(market.data.symbols).sort().join(' ');
  // The order is taken when asked for, and when pairs come or go; prices change in place.
  const order = useMemo(() => sortQuotes(Object.values((marketStore.data?.symbols ?? {})), sort).map((quote) => quote.symbol), [names, sort]); // eslint-disable-line react-hooks/exhaustive-deps
  const wanted = query.trim().toUpperCase();
  const shown = order.filter((symbol) => symbol.includes(wanted));
  return (
    <>
      <ScreenTitle title="Markets" note={overview === null ? '\u00a0' : `${overview.advancing} up, ${overview.declining} down of ${overview.symbols}`}>
        <label className="relative block w-full sm:w-64">
          <span className="sr-only">Search pairs</span>
          <Search className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-ink-3" aria-hidden />
          <input type="search" value={query} onChange={(event) => { setQuery(event.target.value); }} placeholder="Search" autoComplete="off" className="h-11 w-full rounded-md border border-line-strong/70 bg-surface pr-3 pl-9 placeholder:text-ink-3 pointer-fine:h-10" />
        </label>
      </ScreenTitle>
      <ReadError message={market.error} hasData={market.data !== null} onRetry={() => { void loadMarket(true); }} />
      <div role="group" aria-label="Sort" className="grid grid-cols-[minmax(0,1fr)_7rem_5.5rem] items-center gap-x-3 md:grid-cols-[minmax(0,1fr)_9rem_7rem_9rem_9rem_8rem]">
        <span className="flex gap-4"><SortButton name="symbol" label="Pair" sort={sort} onSort={setSort} /><SortButton name="volume" label="Volume" sort={sort} onSort={setSort} className="md:hidden" /></span>
        <SortButton name="price" label="Price" sort={sort} onSort={setSort} className="justify-end" />
        <SortButton name="change" label="24 h" sort={sort} onSort={setSort} className="justify-end" />
        <span className="hidden text-right text-xs text-ink-3 md:block">High</span>
        <span className="hidden text-right text-xs text-ink-3 md:block">Low</span>
        <SortButton name="volume" label={`Volume, ${market.data?.source.quote ?? ''}`} sort={sort} onSort={setSort} className="justify-end max-md:hidden" />
      </div>
      {market.data === null && market.error === null && <SkeletonRows rows={12} label="Prices" />}
      <ul>{shown.map((symbol) => <Row key={symbol} symbol={symbol} />)}</ul>
      {market.data !== null && shown.length === 0 && <EmptyState title="No pair matches" action={<button type="button" className="text-accent underline underline-offset-2" onClick={() => { setQuery(''); }}>Clear the search</button>} />}
    </>
  );
}
