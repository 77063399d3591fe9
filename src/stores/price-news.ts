/**
 * Passes price events of the stream on to the charts, each whole: the market store keeps only the
 * newest.
 */
import type { PriceBar, SymbolQuote } from '../../contract/market.ts';

export interface PriceEvent {
  now: number;
  symbols: readonly SymbolQuote[];
  bars?: Readonly<Record<string, readonly PriceBar[]>> | undefined;
}

export interface PriceListener {
  onPrices(event: PriceEvent): void;
  /** Prices may have been missed. */
  onGap(): void;
}

const listeners = new Set<PriceListener>();

/** Returns a function that unsubscribes. */
export function subscribePrices(listener: PriceListener): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

export function publishPrices(event: PriceEvent): void {
  for (const listener of listeners) listener.onPrices(event);
}

export function publishPriceGap(): void {
  for (const listener of listeners) listener.onGap();
}
