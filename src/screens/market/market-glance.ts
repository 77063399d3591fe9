/** The overview of the market, from the quotes that the list shows. */
import { useCallback, useRef, useSyncExternalStore } from 'react';
import type { MarketOverview, SymbolQuote } from '../../../contract/market.ts';
import {
  add,
  formatFixed,
  multiply,
  parseFixed,
  ZERO,
  type Fixed,
} from '../../../contract/money.ts';
import { marketStore, type MarketBoard } from '../../stores/market-store.ts';
import { subscribeQuotes } from '../../stores/quote-news.ts';
import { dayWay } from './market-order.ts';

type Named = Pick<SymbolQuote, 'symbol' | 'price_change_24h'>;

export interface MarketGlance {
  quote: string;
  symbols: number;
  advancing: number;
  declining: number;
  unchanged: number;
  /** Null where no pair has one. */
  volume: string | null;
  /** The pairs that have a volume. */
  traded: number;
  /** Pairs that rise, the strongest first; pairs that fall, the weakest first. */
  rising: readonly Named[];
  falling: readonly Named[];
  /** The pair nearest to turning, where none rises or none falls. */
  smallestFall: Named | undefined;
  smallestRise: Named | undefined;
  busiest: string | undefined;
  stale: boolean;
}

const named = ({ symbol, price_change_24h }: SymbolQuote): Named => ({ symbol, price_change_24h });
const turnoverOf = (volume: string, price: string): Fixed =>
  multiply(parseFixed(volume), parseFixed(price), 'half-even');

/** Counts and leaders use the change as shown: a row that reads 0.00 % neither rises nor falls. */
function glanceOf(quotes: readonly SymbolQuote[], quote: string): MarketGlance {
  const changed = quotes
    .filter((one) => one.price_change_24h !== null)
    .sort((a, b) => (b.price_change_24h ?? 0) - (a.price_change_24h ?? 0));
  const rising = changed.filter((one) => dayWay(one) > 0).map(named);
  const falling = changed
    .filter((one) => dayWay(one) < 0)
    .map(named)
    .reverse();
  const traded = quotes.flatMap(({ symbol, volume_24h, price }) =>
    volume_24h === null ? [] : { symbol, turnover: turnoverOf(volume_24h, price) },
  );
  const busiest = traded.reduce<(typeof traded)[number] | undefined>(
    (most, one) => (most === undefined || one.turnover > most.turnover ? one : most),
    undefined,
  );
  return {
    quote,
    symbols: quotes.length,
    advancing: rising.length,
    declining: falling.length,
    unchanged: changed.length - rising.length - falling.length,
    volume:
      traded.length === 0
        ? null
        : formatFixed(traded.reduce((sum, one) => add(sum, one.turnover), ZERO)),
    traded: traded.length,
    rising: rising.slice(0, 4),
    falling: falling.slice(0, 4),
    smallestFall: rising.length === 0 ? falling.at(-1) : undefined,
    smallestRise: falling.length === 0 ? rising.at(-1) : undefined,
    busiest: busiest === undefined || busiest.turnover === ZERO ? undefined : busiest.symbol,
    stale: quotes.length > 0 && quotes.every((one) => one.stale),
  };
}

/** The server's own overview, until the first quote arrives. */
export function glanceOfOverview(overview: MarketOverview): MarketGlance {
  const { advancing, declining, unchanged, symbols, gainers, losers } = overview;
  return {
    quote: overview.source.quote,
    symbols,
    advancing,
    declining,
    unchanged,
    // The server adds up what it has: nothing is no volume known.
    volume: parseFixed(overview.volume_24h) === ZERO ? null : overview.volume_24h,
    traded: symbols,
    rising: gainers.slice(0, 4).map(named),
    falling: losers.slice(0, 4).map(named),
    smallestFall: undefined,
    smallestRise: undefined,
    busiest: overview.mostTraded[0]?.symbol,
    stale: overview.stale,
  };
}

/** Pairs that are summed up at every price; a longer list is once in `LONG_LIST_MS`. */
const SHORT_LIST = 60;
const LONG_LIST_MS = 1_000;

/**
 * The overview of the current prices; null without prices. It changes only when one of its figures
 * does.
 */
export function useGlance(board: MarketBoard | null): MarketGlance | null {
  const last = useRef<{ board: MarketBoard; key: string; glance: MarketGlance } | null>(null);
  const due = useRef(true);
  const listen = useCallback(
    (notify: () => void) => {
      if (board === null) return () => undefined;
      let later: ReturnType<typeof setTimeout> | undefined;
      const again = (): void => {
        later = undefined;
        due.current = true;
        notify();
      };
      const stop = subscribeQuotes(() => {
        if ((last.current?.glance.symbols ?? 0) <= SHORT_LIST) again();
        else later ??= setTimeout(again, LONG_LIST_MS);
      });
      return () => {
        stop();
        clearTimeout(later);
      };
    },
    [board],
  );
  const read = useCallback(() => {
    if (board === null) return null;
    if (!due.current && last.current?.board === board) return last.current.glance;
    const quotes = Object.values(board.symbols);
    if (quotes.length === 0) return null;
    due.current = false;
    const glance = glanceOf(quotes, marketStore.data?.source.quote ?? board.source.quote);
    const key = JSON.stringify(glance);
    if (last.current?.key !== key || last.current.board !== board)
      last.current = { board, key, glance };
    return last.current.glance;
  }, [board]);
  return useSyncExternalStore(listen, read);
}
