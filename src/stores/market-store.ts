/**
 * Prices and pools as last reported, each symbol on its own. Older prices never replace newer ones.
 */
import { proxy } from 'valtio';
import type { MarketData, MarketSource, SymbolQuote } from '../../contract/market.ts';
import { api, rememberSource } from '../api/api.ts';
import { load } from './load-slot.ts';
import { replyStore } from './reply-store.ts';
import { clear, emptySlot, fill, type Origin, type Slot } from './slot.ts';
import { createTickBatches } from './tick-batches.ts';

export interface MarketBoard {
  source: MarketSource;
  /** Market clock, ms. */
  now: number;
  /** By `BASE/QUOTE`. Subscribe to one symbol to render for that one alone. */
  symbols: Record<string, SymbolQuote>;
}

export const marketStore = proxy<Slot<MarketBoard>>(emptySlot());
export const { slot: overviewStore, apply: applyOverview } = replyStore('overview');
export const { slot: poolsStore, apply: applyPools } = replyStore('pools');
export const {
  slot: sparklinesStore,
  apply: applySparklines,
  load: loadSparklines,
} = replyStore('sparklines');

/** Applies quotes; the newest of a symbol wins, in whatever order they arrive. */
function lay(board: MarketBoard, symbols: readonly SymbolQuote[]): void {
  for (const quote of symbols) {
    const known = board.symbols[quote.symbol];
    if (known === undefined) board.symbols[quote.symbol] = { ...quote };
    // Assigned into, never replaced: rows subscribe to this very object.
    else if (quote.timestamp >= known.timestamp) Object.assign(known, quote);
  }
}

/**
 * Takes a whole reply. Another source replaces everything: prices of two sources are never mixed.
 */
export function applyMarket(next: MarketData, origin: Origin, savedAt = Date.now()): void {
  const present = marketStore.data;
  if (present?.source.id !== next.source.id) batches.drop();
  if (present !== null && present.source.id === next.source.id) {
    lay(present, next.symbols);
    present.now = Math.max(present.now, next.now);
    present.source = next.source;
    fill(marketStore, present, origin, savedAt);
    return;
  }
  const board: MarketBoard = { source: next.source, now: next.now, symbols: {} };
  lay(board, next.symbols);
  fill(marketStore, board, origin, savedAt);
}

/** Applies ticks at once: only what changed. */
export function applyTicks(
  symbols: readonly SymbolQuote[],
  now: number,
  savedAt = Date.now(),
): void {
  const present = marketStore.data;
  if (present === null) return;
  lay(present, symbols);
  present.now = Math.max(present.now, now);
  marketStore.origin = 'stream';
  marketStore.savedAt = savedAt;
}

const batches = createTickBatches((quotes, now) => {
  applyTicks(quotes, now);
});

/** Applies the stream's ticks in the next frames, however fast they arrive. */
export function takeTicks(symbols: readonly SymbolQuote[], now: number): void {
  if (marketStore.data !== null) batches.take(symbols, now);
}

/** The board in the form the server sends it. */
export function toMarketData(board: MarketBoard): MarketData {
  return { source: board.source, now: board.now, symbols: Object.values(board.symbols) };
}

export function loadMarket(force = false): Promise<void> {
  return load(
    marketStore,
    force,
    () => api.marketData(),
    (reply) => {
      if (reply.origin === 'network') rememberSource(reply.value.source.id);
      applyMarket(reply.value, reply.origin);
    },
  );
}

export function loadOverview(force = false): Promise<void> {
  return load(
    overviewStore,
    force,
    () => api.marketOverview(),
    (reply) => {
      applyOverview(reply.value, reply.origin);
    },
  );
}

export function loadPools(force = false): Promise<void> {
  return load(
    poolsStore,
    force,
    () => api.marketPools(),
    (reply) => {
      applyPools(reply.value, reply.origin);
    },
  );
}

export function clearMarket(): void {
  batches.drop();
  clear(sparklinesStore);
  clear(marketStore);
  clear(overviewStore);
  clear(poolsStore);
}
