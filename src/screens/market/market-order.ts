/** Filters and sorts the pairs of the market. Equal ones never swap. */
import type { SymbolQuote } from '../../../contract/market.ts';
import { multiply, parseFixed } from '../../../contract/money.ts';
import { exactly, sortRows, type SortValue, type TableSort } from '../../components/table-order.ts';
import { coinName } from '../../format/coin-names.ts';

export const VIEWS = ['all', 'favourites', 'gainers', 'losers', 'volume', 'pools'] as const;
export type MarketView = (typeof VIEWS)[number];
export type SortKey = 'symbol' | 'price' | 'change' | 'volume' | 'high' | 'low';
export type Sort = TableSort<SortKey>;

/** The default sort of each view. */
export const USUAL_SORT: Readonly<Record<MarketView, Sort>> = {
  all: { key: 'volume', down: true },
  favourites: { key: 'volume', down: true },
  volume: { key: 'volume', down: true },
  gainers: { key: 'change', down: true },
  losers: { key: 'change', down: false },
  pools: { key: 'volume', down: true },
};

export const viewOf = (name: string | null): MarketView =>
  VIEWS.find((view) => view === name) ?? 'all';
export const baseOf = (symbol: string): string => symbol.split('/')[0] ?? symbol;

/** The direction of a pair's day as shown: 0.004 % reads 0.00 %, which is neither up nor down. */
export const dayWay = ({ price_change_24h }: Pick<SymbolQuote, 'price_change_24h'>): number =>
  Math.sign(Number((price_change_24h ?? 0).toFixed(2)));

/** The day's turnover in the quote currency; null where unknown. */
export function turnover(quote: Pick<SymbolQuote, 'volume_24h' | 'price'>): number | null {
  return quote.volume_24h === null ? null : Number(quote.volume_24h) * Number(quote.price);
}

const VALUE: Record<SortKey, (quote: SymbolQuote) => SortValue> = {
  symbol: (quote) => quote.symbol,
  price: (quote) => exactly(quote.price),
  change: (quote) => quote.price_change_24h,
  volume: (quote) =>
    quote.volume_24h === null
      ? null
      : multiply(parseFixed(quote.volume_24h), parseFixed(quote.price), 'half-even'),
  high: (quote) => exactly(quote.high_24h),
  low: (quote) => exactly(quote.low_24h),
};

/**
 * Symbols in order. Unknown values come last in both directions; equal ones are in alphabetical
 * order, so that they never swap.
 */
export function sortQuotes(quotes: readonly SymbolQuote[], { key, down }: Sort): SymbolQuote[] {
  const alphabet = sortRows(quotes, (quote) => quote.symbol, false);
  return sortRows(alphabet, VALUE[key], down);
}

const plain = (text: string): string => text.toUpperCase().replace(/[^A-Z0-9]/g, '');

/** `btc`, `BTC-USDT`, `btcusdt` and `bitcoin` all find BTC/USDT. */
export function matches(symbol: string, query: string): boolean {
  const wanted = plain(query);
  return wanted === ''
    ? query.trim() === ''
    : plain(symbol).includes(wanted) || plain(coinName(baseOf(symbol)) ?? '').includes(wanted);
}

const IN_VIEW: Record<
  MarketView,
  (quote: SymbolQuote, favourites: ReadonlySet<string>) => boolean
> = {
  all: () => true,
  volume: () => true,
  pools: () => true,
  favourites: (quote, favourites) => favourites.has(quote.symbol),
  gainers: (quote) => dayWay(quote) > 0,
  losers: (quote) => dayWay(quote) < 0,
};

/** The symbols of a view in order; in the view of all pairs favourites may come first. */
export function orderOf(
  quotes: readonly SymbolQuote[],
  view: MarketView,
  sort: Sort,
  favourites: readonly string[],
  favouritesFirst: boolean,
): string[] {
  const starred = new Set(favourites);
  const order = sortQuotes(
    quotes.filter((quote) => IN_VIEW[view](quote, starred)),
    sort,
  ).map((quote) => quote.symbol);
  if (view !== 'all' || !favouritesFirst) return order;
  return [
    ...order.filter((symbol) => starred.has(symbol)),
    ...order.filter((symbol) => !starred.has(symbol)),
  ];
}
