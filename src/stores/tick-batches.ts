/**
 * Ticks gathered between frames and laid down in rounds, the newest of each symbol; refuses to hold
 * more than one quote a symbol, or to fill a frame.
 */
import type { SymbolQuote } from '../../contract/market.ts';

/**
 * A round lays each symbol down once. Oftener than four a second no eye follows a price, and the
 * server's own rhythm is that.
 */
export const ROUND_MS = 250;
/**
 * Quotes laid down in one frame at most: a few milliseconds of work on a slow phone. The rest of a
 * round takes the next frames.
 */
export const QUOTES_A_FRAME = 64;

export interface TickBatches {
  take(quotes: readonly SymbolQuote[], now: number): void;
  /** What waits belongs to a market or a person that is gone. */
  drop(): void;
}

export interface BatchHost {
  /** Calls back at the next frame, or after a while where no frame comes. */
  nextFrame(work: () => void): void;
  later(work: () => void, ms: number): void;
  /** A clock that runs only forward, ms. */
  now(): number;
}

const browser: BatchHost = {
  nextFrame(work) {
    if (typeof requestAnimationFrame === 'function' && document.visibilityState === 'visible')
      requestAnimationFrame(work);
    else setTimeout(work, ROUND_MS);
  },
  later(work, ms) {
    setTimeout(work, ms);
  },
  now: () => performance.now(),
};

/**
 * `lay` is called at most once a frame, and for a symbol at most once a round; `now` is the
 * market's clock as last heard.
 */
export function createTickBatches(
  lay: (quotes: readonly SymbolQuote[], now: number) => void,
  host: BatchHost = browser,
): TickBatches {
  /** Heard and not yet in a round. */
  const waiting = new Map<string, SymbolQuote>();
  /**
   * The rest of the round that is being laid down; a newer quote of one of them waits for the next.
   */
  let round: SymbolQuote[] = [];
  let heard = 0;
  let beganAt = -Infinity;
  let planned = false;
  let turn = 0;

  function plan(): void {
    if (planned || (round.length === 0 && waiting.size === 0)) return;
    planned = true;
    const mine = turn;
    const work = (): void => {
      if (mine !== turn) return;
      planned = false;
      if (round.length === 0) {
        beganAt = host.now();
        round = [...waiting.values()];
        waiting.clear();
      }
      const quotes = round.slice(0, QUOTES_A_FRAME);
      round = round.slice(QUOTES_A_FRAME);
      lay(quotes, heard);
      plan();
    };
    const restMs = round.length > 0 ? 0 : beganAt + ROUND_MS - host.now();
    if (restMs <= 0) host.nextFrame(work);
    else
      host.later(() => {
        if (mine === turn) host.nextFrame(work);
      }, restMs);
  }

  return {
    take(quotes, now) {
      heard = Math.max(heard, now);
      for (const quote of quotes) {
        const before = waiting.get(quote.symbol);
        if (before === undefined || quote.timestamp >= before.timestamp)
          waiting.set(quote.symbol, quote);
      }
      plan();
    },
    drop() {
      waiting.clear();
      round = [];
      heard = 0;
      beganAt = -Infinity;
      planned = false;
      turn += 1;
    },
  };
}
