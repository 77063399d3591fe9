/** Applies prices four times a second, at most 64 per frame, the newest of each symbol. */
import type { SymbolQuote } from '../../contract/market.ts';
import { isInteracting } from '../platform/interaction.ts';

/**
 * Interval between batches, each with one quote per symbol. The server sends no more often, and
 * nobody can follow faster changes.
 */
export const APPLY_EVERY_MS = 250;
/**
 * The same while the page is scrolled. Its frames come first, and a row that comes into sight reads
 * the newest price that was applied.
 */
export const APPLY_WHILE_SCROLLING_MS = 1_000;
/** How soon a scroll that ends is noticed, ms. */
const LOOK_AGAIN_MS = 100;
/**
 * Most quotes applied in one frame, a few milliseconds on a slow phone. The next frames take the
 * rest of a batch.
 */
export const QUOTES_PER_FRAME = 64;

export interface TickBatches {
  take(quotes: readonly SymbolQuote[], now: number): void;
  /** The market or the user has changed: pending ticks are dropped. */
  drop(): void;
}

export interface BatchHost {
  /** Calls back at the next frame, or after a while where no frame comes. */
  nextFrame(work: () => void): void;
  later(work: () => void, ms: number): void;
  /** A monotonic clock, ms. */
  now(): number;
  scrolls(): boolean;
}

const browser: BatchHost = {
  nextFrame(work) {
    if (typeof requestAnimationFrame === 'function' && document.visibilityState === 'visible')
      requestAnimationFrame(work);
    else setTimeout(work, APPLY_EVERY_MS);
  },
  later(work, ms) {
    setTimeout(work, ms);
  },
  now: () => performance.now(),
  scrolls: isInteracting,
};

/**
 * `apply` is called at most once a frame, and for a symbol at most once a batch; `now` is the
 * market's last known clock. `heardAt` is the device's clock at which the first of the batch was
 * received: the frame of a page that is hidden may come hours later.
 */
export function createTickBatches(
  apply: (quotes: readonly SymbolQuote[], now: number, heardAt: number) => void,
  host: BatchHost = browser,
): TickBatches {
  /** Received and not yet in a batch. */
  const waiting = new Map<string, SymbolQuote>();
  /** The rest of the present batch. A newer quote of one of them waits for the next batch. */
  let batch: SymbolQuote[] = [];
  let marketTime = 0;
  /** Device clock (ms) at which the first of `waiting`, and of `batch`, was received. */
  let waitingSince = 0;
  let heardAt = 0;
  let beganAt = -Infinity;
  let planned = false;
  let epoch = 0;

  const isEarly = (): boolean => host.scrolls() && host.now() - beganAt < APPLY_WHILE_SCROLLING_MS;

  function plan(): void {
    if (planned || (batch.length === 0 && waiting.size === 0)) return;
    planned = true;
    const begunIn = epoch;
    const work = (): void => {
      if (begunIn !== epoch) return;
      planned = false;
      if (batch.length === 0) {
        // A scroll has begun since this was planned.
        if (isEarly()) {
          plan();
          return;
        }
        beganAt = host.now();
        batch = [...waiting.values()];
        heardAt = waitingSince;
        waiting.clear();
      }
      const quotes = batch.slice(0, QUOTES_PER_FRAME);
      batch = batch.slice(QUOTES_PER_FRAME);
      apply(quotes, marketTime, heardAt);
      plan();
    };
    const dueInMs = batch.length > 0 ? 0 : beganAt + APPLY_EVERY_MS - host.now();
    const restMs = batch.length === 0 && isEarly() ? Math.max(dueInMs, LOOK_AGAIN_MS) : dueInMs;
    if (restMs <= 0) host.nextFrame(work);
    else
      host.later(() => {
        if (begunIn === epoch) host.nextFrame(work);
      }, restMs);
  }

  return {
    take(quotes, now) {
      marketTime = Math.max(marketTime, now);
      if (waiting.size === 0) waitingSince = Date.now();
      for (const quote of quotes) {
        const before = waiting.get(quote.symbol);
        if (before === undefined || quote.timestamp >= before.timestamp)
          waiting.set(quote.symbol, quote);
      }
      plan();
    },
    drop() {
      waiting.clear();
      batch = [];
      marketTime = 0;
      beganAt = -Infinity;
      planned = false;
      epoch += 1;
    },
  };
}
