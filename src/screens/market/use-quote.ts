/** One pair's quote for a component, which renders only for its own ticks. */
import { useCallback, useSyncExternalStore } from 'react';
import { snapshot, subscribe } from 'valtio';
import type { SymbolQuote } from '../../../contract/market.ts';
import { marketStore, type MarketBoard } from '../../stores/market-store.ts';

/**
 * `board` is the store's current one. A row that is not `live` reads once and does not subscribe.
 */
export function useQuote(
  board: MarketBoard | null,
  symbol: string,
  live = true,
): SymbolQuote | undefined {
  const listen = useCallback(
    (notify: () => void) => {
      const held = live ? board?.symbols[symbol] : undefined;
      return held === undefined ? () => undefined : subscribe(held, notify);
    },
    [board, symbol, live],
  );
  const read = useCallback(() => {
    const held = board?.symbols[symbol];
    return held === undefined ? undefined : snapshot(held);
  }, [board, symbol]);
  return useSyncExternalStore(listen, read);
}

/** The store's current board: stable until the source changes. */
export const presentBoard = (): MarketBoard | null => marketStore.data;
