/**
 * Ticks between frames: however they come, the board ends with the newest of each, and no frame has
 * more than its share.
 */
import fc from '../../support/property.ts';
import { describe, expect, it, vi } from 'vitest';
import type { SymbolQuote } from '../../../contract/market.ts';
import {
  APPLY_EVERY_MS,
  APPLY_WHILE_SCROLLING_MS,
  createTickBatches,
  QUOTES_PER_FRAME,
} from '../../../src/stores/tick-batches.ts';

const quote = (symbol: string, price: number, timestamp: number): SymbolQuote => ({
  symbol,
  price: String(price),
  bid: null,
  ask: null,
  volume_24h: null,
  high_24h: null,
  low_24h: null,
  price_change_24h: null,
  timestamp,
  stale: false,
});

/** Frames and time by hand. */
function host() {
  let now = 0;
  let scrolls = false;
  let due: { at: number; work: () => void }[] = [];
  const frames: (() => void)[] = [];
  return {
    nextFrame: (work: () => void) => {
      frames.push(work);
    },
    later: (work: () => void, ms: number) => {
      due.push({ at: now + ms, work });
    },
    now: () => now,
    scrolls: () => scrolls,
    scroll(on: boolean): void {
      scrolls = on;
    },
    /** The next frame, 16 ms on. */
    frame(): void {
      now += 16;
      const ripe = due.filter((one) => one.at <= now);
      due = due.filter((one) => one.at > now);
      for (const { work } of ripe) work();
      for (const work of frames.splice(0)) work();
    },
  };
}

describe('ticks while the page is scrolled', () => {
  /** Prices as they are laid, with the time; one comes with each frame. */
  function flow(frames: number, scrollsAt: (frame: number) => boolean): number[] {
    const clock = host();
    const laidAt: number[] = [];
    const batches = createTickBatches(() => laidAt.push(clock.now()), clock);
    for (let frame = 0; frame < frames; frame += 1) {
      clock.scroll(scrollsAt(frame));
      batches.take([quote('A/B', frame, frame)], frame);
      clock.frame();
    }
    return laidAt;
  }
  const gaps = (times: number[]): number[] =>
    times.slice(1).map((at, place) => at - (times[place] ?? 0));

  it('are applied once a second, so that its frames come first', () => {
    expect(Math.min(...gaps(flow(400, () => true)))).toBeGreaterThanOrEqual(
      APPLY_WHILE_SCROLLING_MS,
    );
    expect(Math.max(...gaps(flow(400, () => true)))).toBeLessThan(APPLY_WHILE_SCROLLING_MS + 200);
    expect(Math.max(...gaps(flow(400, () => false)))).toBeLessThan(APPLY_EVERY_MS + 40);
  });

  it('come at their usual pace within a moment of its end', () => {
    // It scrolls for 50 frames, 800 ms.
    const laidAt = flow(100, (frame) => frame >= 5 && frame < 55);
    const first = laidAt.find((at) => at > 55 * 16) ?? Infinity;
    expect(first - 55 * 16).toBeLessThan(150);
  });

  it('are not held back where a scroll begins between a batch and its rest', () => {
    const clock = host();
    const laid: number[] = [];
    const batches = createTickBatches((quotes) => laid.push(quotes.length), clock);
    batches.take(
      Array.from({ length: QUOTES_PER_FRAME + 5 }, (_none, n) => quote(`A${n}/B`, 1, 1)),
      1,
    );
    clock.frame();
    clock.scroll(true);
    clock.frame();
    expect(laid).toEqual([QUOTES_PER_FRAME, 5]);
  });
});

describe('ticks', () => {
  it('of one breath become one change at the next frame', () => {
    const clock = host();
    const laid: string[][] = [];
    const batches = createTickBatches((quotes) => {
      laid.push(quotes.map((one) => `${one.symbol} ${one.price}`));
    }, clock);
    batches.take([quote('A/B', 1, 1)], 1);
    batches.take([quote('A/B', 2, 2), quote('C/B', 5, 2)], 2);
    expect(laid).toEqual([]);
    clock.frame();
    expect(laid).toEqual([['A/B 2', 'C/B 5']]);
  });

  it('end with the newest of every symbol on the board, in frames of a bounded size and rounds of a quarter second, whatever order they come in', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            symbol: fc.integer({ min: 0, max: 200 }),
            timestamp: fc.integer({ min: 0, max: 1_000 }),
            frames: fc.integer({ min: 0, max: 3 }),
          }),
          { maxLength: 600 },
        ),
        (ticks) => {
          const clock = host();
          const board = new Map<string, number>();
          const laidAt = new Map<string, number>();
          const newest = new Map<string, number>();
          let inFrame = 0;
          const batches = createTickBatches((quotes) => {
            inFrame += 1;
            expect(quotes.length).toBeLessThanOrEqual(QUOTES_PER_FRAME);
            for (const one of quotes) {
              // The board itself takes the newer of two; the batches may lay an older one that came
              // late.
              board.set(one.symbol, Math.max(board.get(one.symbol) ?? 0, one.timestamp));
              expect(clock.now() - (laidAt.get(one.symbol) ?? -Infinity)).toBeGreaterThanOrEqual(
                APPLY_EVERY_MS - 16 * Math.ceil(201 / QUOTES_PER_FRAME),
              );
              laidAt.set(one.symbol, clock.now());
            }
          }, clock);
          const frame = (): void => {
            inFrame = 0;
            clock.frame();
            expect(inFrame).toBeLessThanOrEqual(1);
          };
          for (const { symbol, timestamp, frames } of ticks) {
            batches.take([quote(`S${symbol}`, timestamp, timestamp)], timestamp);
            newest.set(`S${symbol}`, Math.max(newest.get(`S${symbol}`) ?? 0, timestamp));
            for (let count = 0; count < frames; count += 1) frame();
          }
          for (let count = 0; count < 60; count += 1) frame();
          expect(board).toEqual(newest);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('lay each symbol down at most four times a second under 5,000 a second, and none waits longer than a round and its frames', () => {
    const clock = host();
    let laid = 0;
    let oldest = 0;
    const batches = createTickBatches((quotes) => {
      laid += quotes.length;
      for (const one of quotes) oldest = Math.max(oldest, clock.now() - one.timestamp);
    }, clock);
    let place = 0;
    for (let frame = 0; frame < 625; frame += 1) {
      batches.take(
        Array.from({ length: 80 }, () => quote(`S${place++ % 500}`, frame, clock.now())),
        clock.now(),
      );
      clock.frame();
    }
    expect(laid / 10).toBeLessThanOrEqual(4 * 500);
    expect(laid / 10).toBeGreaterThan(3 * 500);
    expect(oldest).toBeLessThanOrEqual(APPLY_EVERY_MS + 16 * 10);
  });

  it('bring the time at which the first of their batch was received, those of the next batch their own', () => {
    vi.useFakeTimers({ now: 1_000, toFake: ['Date'] });
    const clock = host();
    const laid: [number, number][] = [];
    const batches = createTickBatches((quotes, _now, heardAt) => {
      laid.push([quotes.length, heardAt]);
    }, clock);
    const many = Array.from({ length: QUOTES_PER_FRAME + 5 }, (_none, n) => quote(`A${n}/B`, 1, 1));
    batches.take(many, 1);
    vi.setSystemTime(1_100);
    batches.take([quote('A0/B', 2, 2)], 2);
    clock.frame();
    vi.setSystemTime(9_000);
    batches.take([quote('A0/B', 3, 3)], 3);
    vi.setSystemTime(9_100);
    for (let frame = 0; frame < 30; frame += 1) clock.frame();
    expect(laid).toEqual([
      [QUOTES_PER_FRAME, 1_000],
      [5, 1_000],
      [1, 9_000],
    ]);
    vi.useRealTimers();
  });

  it('of a market that is gone are dropped, and the next ones come at the next frame', () => {
    const clock = host();
    const laid: string[] = [];
    const batches = createTickBatches((quotes) => {
      laid.push(...quotes.map((one) => one.symbol));
    }, clock);
    batches.take([quote('OLD/B', 1, 9)], 9);
    batches.drop();
    batches.take([quote('NEW/B', 1, 1)], 1);
    clock.frame();
    clock.frame();
    expect(laid).toEqual(['NEW/B']);
  });
});
