/** Which pairs a list of the market has and in what order; refuses to let equal ones swap. */
import type { SymbolQuote } from '../../../contract/market.ts';
import { coinName } from '../../format/coin-names.ts';

export const VIEWS = ['all', 'favourites', 'gainers', 'losers', 'volume', 'pools'] as const;
export type MarketView = (typeof VIEWS)[number];
export type SortKey = 'symbol' | 'price' | 'change' | 'volume' | 'high' | 'low';
export interface Sort { key: SortKey; down: boolean }

/** What a view is sorted by until the person asks otherwise. */
export const USUAL_SORT: Readonly<Record<MarketView, Sort>> = {
  all: { key: 'volume', down: true }, favourites: { key: 'volume', down: true }, volume: { key: 'volume', down: true },
  gainers: { key: 'change', down: true }, losers: { key: 'change', down: false }, pools: { key: 'volume', down: true },
};

export const viewOf = (name: string | null): MarketView => VIEWS.find((view) => view === name) ?? 'all';
export const baseOf = (symbol: string): string => symbol.split('/')[0] ?? symbol;

/** Turnover of the day in the quote currency, for order and for reading; null where it is not known. */
export function turnover(quote: Pick<SymbolQuote, 'volume_24h' | 'price'>): number | null {
  return quote.volume_24h === null ? null : Number(quote.volume_24h) * Number(quote.price);
}

const numeric = (text: string | null): number | null => (text === null ? null : Number(text));
const VALUE: Record<Exclude<SortKey, 'symbol'>, (quote: SymbolQuote) => number | null> = {
  price: (quote) => Number(quote.price), change: (quote) => quote.price_change_24h, volume: turnover,
  high: (quote) => numeric(quote.high_24h), low: (quote) => numeric(quote.low_24h),
};

/** Symbols in order. What is not known comes last whichever way; ties keep the alphabet, so that equal rows never swap. */
export function sortQuotes(quotes: readonly SymbolQuote[], { key, down }: Sort): SymbolQuote[] {
  const way = down ? -1 : 1;
  const alphabet = (a: SymbolQuote, b: SymbolQuote): number => (a.symbol < b.symbol ? -1 : a.symbol > b.symbol ? 1 : 0);
  if (key === 'symbol') return [...quotes].sort((a, b) => way * alphabet(a, b));
  const value = VALUE[key];
  return [...quotes].sort((a, b) => {
    const [one, other] = [value(a), value(b)];
    if (one === other) return alphabet(a, b);
    if (one === null || other === null) return one === null ? 1 : -1;
    return way * (one - other);
  });
}

const plain = (text: string): string => text.toUpperCase().replace(/[^A-Z0-9]/g, '');

/** `btc`, `BTC-USDT`, `btcusdt` and `bitcoin` all find BTC/USDT. */
export function matches(symbol: string, query: string): boolean {
  const wanted = plain(query);
  return wanted === '' ? query.trim() === '' : plain(symbol).includes(wanted) || plain(coinName(baseOf(symbol)) ?? '').includes(wanted);
}

const IN_VIEW: Record<MarketView, (quote: SymbolQuote, favourites: ReadonlySet<string>) => boolean> = {
  all: () => true, volume: () => true, pools: () => true,
  favourites: (quote, favourites) => favourites.has(quote.symbol),
  gainers: (quote) => (quote.price_change_24h ?? 0) > 0,
  losers: (quote) => (quote.price_change_24h ?? 0) < 0,
};

/** The symbols of a view in order; among all of them favourites stand first where that is wanted. */
export function orderOf(quotes: readonly SymbolQuote[], view: MarketView, sort: Sort, favourites: readonly string[], favouritesFirst: boolean): string[] {
  const starred = new Set(favourites);
  const order = sortQuotes(quotes.filter((quote) => IN_VIEW[view](quote, starred)), sort).map((quote) => quote.symbol);
  if (view !== 'all' || !favouritesFirst) return order;
  return [...order.filter((symbol) => starred.has(symbol)), ...order.filter((symbol) => !starred.has(symbol))];
}
