/**
 * Prices and pools as last reported, each symbol on its own. Older prices never replace newer ones.
 */
import { proxy, ref } from 'valtio';
import type { MarketData, MarketSource, SymbolQuote } from '../../contract/market.ts';
import { api, rememberSource } from '../api/api.ts';
import { load } from './load-slot.ts';
import { quotesChanged } from './quote-news.ts';
import { replyStore } from './reply-store.ts';
import { clear, emptySlot, fill, type Origin, type Slot } from './slot.ts';
import { createTickBatches } from './tick-batches.ts';

export interface MarketBoard {
  source: MarketSource;
  /** Market clock, ms. */
  now: number;
  /**
   * By `BASE/QUOTE`, outside the proxy: of 500 pairs, each frame would copy all for the few that
   * changed. A new object when a pair appears; `quote-news.ts` says when a quote changes.
   */
  symbols: Readonly<Record<string, SymbolQuote>>;
}

export const marketStore = proxy<Slot<MarketBoard>>(emptySlot());
export const { slot: overviewStore, apply: applyOverview } = replyStore('overview');
export const { slot: poolsStore, apply: applyPools } = replyStore('pools');
export const {
  slot: sparklinesStore,
  apply: applySparklines,
  load: loadSparklines,
} = replyStore('sparklines');

/** Null while an exchange tells prices in the server's place: they are to look at only. */
export const serverBoard = (): MarketBoard | null =>
  marketStore.origin === 'exchange' ? null : marketStore.data;

/** Ticks from before the first reply, which may not know yet that one of its prices fell silent. */
const early = new Map<string, SymbolQuote>();

const NO_QUOTES: Readonly<Record<string, SymbolQuote>> = {};

/**
 * The board's quotes with these applied and without those that are gone, and the pairs that changed;
 * the newest of a symbol wins, in whatever order they arrive.
 */
function lay(
  present: Readonly<Record<string, SymbolQuote>>,
  quotes: readonly SymbolQuote[],
  gone: readonly string[] = [],
): { symbols: Readonly<Record<string, SymbolQuote>>; changed: string[] } {
  const isNew =
    present === NO_QUOTES ||
    gone.length > 0 ||
    quotes.some(({ symbol }) => present[symbol] === undefined);
  const symbols = (isNew ? { ...present } : present) as Record<string, SymbolQuote>;
  for (const symbol of gone) Reflect.deleteProperty(symbols, symbol);
  const changed = [...gone];
  for (const quote of quotes) {
    const known = symbols[quote.symbol];
    if (known !== undefined && quote.timestamp < known.timestamp) continue;
    // A reply that was on its way as a price fell silent still calls it fresh.
    const stale = quote.stale || (quote.timestamp === known?.timestamp && known.stale);
    symbols[quote.symbol] = { ...known, ...quote, stale };
    changed.push(quote.symbol);
  }
  return { symbols: isNew ? ref(symbols) : present, changed };
}

/** Pairs that a whole reply lacks, unless their first price came after it. */
function goneFrom(present: MarketBoard['symbols'], { symbols, now }: MarketData): string[] {
  const named = new Set(symbols.map(({ symbol }) => symbol));
  return Object.keys(present).filter(
    (symbol) => !named.has(symbol) && (present[symbol]?.timestamp ?? 0) <= now,
  );
}

/**
 * Takes a whole reply. Another source replaces everything: prices of two sources are never mixed. An
 * exchange in the server's place is another one even where the server's own source is the same: its
 * pairs are not the server's, and its times may be the device's.
 */
export function applyMarket(next: MarketData, origin: Origin, savedAt = Date.now()): void {
  const present = marketStore.data;
  const isDirect = origin === 'exchange';
  if (!isDirect) rememberSource(next.source.id);
  if (present?.source.id === next.source.id && !isDirect && marketStore.origin !== 'exchange') {
    const { symbols, changed } = lay(
      present.symbols,
      next.symbols,
      goneFrom(present.symbols, next),
    );
    present.symbols = symbols;
    present.now = Math.max(present.now, next.now);
    present.source = next.source;
    fill(marketStore, present, origin, savedAt);
    quotesChanged(changed);
    return;
  }
  batches.drop();
  const { symbols, changed } = lay(
    NO_QUOTES,
    isDirect ? next.symbols : [...next.symbols, ...early.values()],
  );
  early.clear();
  fill(marketStore, { source: next.source, now: next.now, symbols }, origin, savedAt);
  quotesChanged(changed);
}

/** Applies ticks at once: only what changed. */
export function applyTicks(
  symbols: readonly SymbolQuote[],
  now: number,
  savedAt = Date.now(),
): void {
  const present = marketStore.data;
  if (present === null) return;
  const laid = lay(present.symbols, symbols);
  present.symbols = laid.symbols;
  present.now = Math.max(present.now, now);
  marketStore.origin = 'stream';
  const known = marketStore.savedAt ?? 0;
  // The market may have been read while they waited. A time to come is that of a clock set back.
  if (savedAt > known || known > Date.now()) marketStore.savedAt = savedAt;
  quotesChanged(laid.changed);
}

const batches = createTickBatches(applyTicks);

/** Applies the stream's ticks in the next frames, however fast they arrive. */
export function takeTicks(symbols: readonly SymbolQuote[], now: number): void {
  if (marketStore.data === null) for (const quote of symbols) early.set(quote.symbol, quote);
  else batches.take(symbols, now);
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
      // An exchange knows no pools: what the server said of them stays.
      if (reply.origin === 'exchange' && poolsStore.data !== null) return;
      applyPools(reply.value, reply.origin);
    },
  );
}

/** At most this often the server is asked again for what an exchange told in its place, ms. */
const REREAD_MS = 30_000;
let rereadAt = -Infinity;

/** The server's own prices arrive, so it may tell again what an exchange told in its place. */
export function rereadMarket(): void {
  const now = Date.now();
  if (Math.abs(now - rereadAt) < REREAD_MS || document.visibilityState === 'hidden') return;
  for (const [{ origin }, read] of [
    [marketStore, loadMarket],
    [poolsStore, loadPools],
  ] as const)
    if (origin === 'exchange') {
      rereadAt = now;
      void read(true);
    }
}

export function clearMarket(): void {
  early.clear();
  rereadAt = -Infinity;
  batches.drop();
  clear(sparklinesStore);
  clear(marketStore);
  clear(overviewStore);
  clear(poolsStore);
}
