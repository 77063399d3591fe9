/** One pair's quote for a component, which renders only for its own ticks. */
import { useCallback, useSyncExternalStore } from 'react';
import type { SymbolQuote } from '../../../contract/market.ts';
import { marketStore, type MarketBoard } from '../../stores/market-store.ts';
import { subscribeQuote } from '../../stores/quote-news.ts';

/**
 * `board` is the store's current one. A row that is not `live` reads once and does not subscribe.
 */
export function useQuote(
  board: MarketBoard | null,
  symbol: string,
  live = true,
): SymbolQuote | undefined {
  const listen = useCallback(
    (notify: () => void) => (live ? subscribeQuote(symbol, notify) : () => undefined),
    [symbol, live],
  );
  return useSyncExternalStore(listen, () => board?.symbols[symbol]);
}

/** The store's current board: stable until the source changes. */
export const presentBoard = (): MarketBoard | null => marketStore.data;
