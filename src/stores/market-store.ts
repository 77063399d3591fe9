/** Prices and pools as the server last said them; each symbol keeps its newest price. */
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
  /** By `BASE/QUOTE`. Subscribe to one symbol to be told of that one alone. */
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

/** Lays quotes over the board; the newest of a symbol wins, whatever order they come in. */
function lay(board: MarketBoard, symbols: readonly SymbolQuote[]): void {
  for (const quote of symbols) {
    const known = board.symbols[quote.symbol];
    if (known === undefined) board.symbols[quote.symbol] = { ...quote };
    // Assigned into, never replaced: a row listens to this very object.
    else if (quote.timestamp >= known.timestamp) Object.assign(known, quote);
  }
}

/**
 * Takes a whole reading. Another source replaces the board: prices of two sources are never mixed.
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

/** Ticks laid over the board at once: only what changed. */
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

/**
 * Ticks of the stream, laid down at the next frames: however fast they come, a frame has one change
 * of the board.
 */
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
