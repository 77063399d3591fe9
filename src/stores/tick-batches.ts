/** Ticks gathered between frames and laid down once a frame, the newest of each symbol; refuses to hold more than one quote a symbol, or to fill a frame. */
import type { SymbolQuote } from '../../contract/market.ts';

/** Quotes laid down in one frame at most: a few milliseconds of work on a slow phone. The rest wait for the next, first come first laid. */
export const QUOTES_A_FRAME = 120;
/** Where no frame comes, as in a hidden page, ms. */
const WITHOUT_FRAMES_MS = 250;

export interface TickBatches {
  take(quotes: readonly SymbolQuote[], now: number): void;
  /** What waits belongs to a market or a person that is gone. */
  drop(): void;
}

function nextFrame(work: () => void): void {
  if (typeof requestAnimationFrame === 'function' && document.visibilityState === 'visible') requestAnimationFrame(work);
  else setTimeout(work, WITHOUT_FRAMES_MS);
}

/** `lay` is called at most once a frame; `now` is the market's clock as last heard. */
export function createTickBatches(lay: (quotes: readonly SymbolQuote[], now: number) => void, schedule: (work: () => void) => void = nextFrame): TickBatches {
  // A symbol keeps its place in the line when a newer quote takes the place of its older one.
  const waiting = new Map<string, SymbolQuote>();
  let heard = 0;
  let scheduled = false;
  let turn = 0;

  function layNext(): void {
    const quotes: SymbolQuote[] = [];
    for (const [symbol, quote] of waiting) {
      if (quotes.length === QUOTES_A_FRAME) break;
      quotes.push(quote);
      waiting.delete(symbol);
    }
    if (quotes.length > 0) lay(quotes, heard);
  }

  function plan(): void {
    if (scheduled) return;
    scheduled = true;
    const mine = turn;
    schedule(() => {
      if (mine !== turn) return;
      scheduled = false;
      layNext();
      if (waiting.size > 0) plan();
    });
  }

  return {
    take(quotes, now) {
      heard = Math.max(heard, now);
      for (const quote of quotes) {
        const before = waiting.get(quote.symbol);
        if (before === undefined || quote.timestamp >= before.timestamp) waiting.set(quote.symbol, quote);
      }
      if (waiting.size > 0) plan();
    },
    drop() {
      waiting.clear();
      heard = 0;
      scheduled = false;
      turn += 1;
    },
  };
}
