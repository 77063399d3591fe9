/**
 * Which bars the stream tells: enough that a reader of every event knows each bar exactly, and no
 * more than needed.
 */
import { describe, expect, it } from 'vitest';
import type { PriceBar } from '../../../contract/market.ts';
import { formatFixed, parseFixed } from '../../../contract/money.ts';
import { ToldBars } from '../../../server/http/told-bars.ts';
import { TickBars } from '../../../server/market/tick-bars.ts';
import fc from '../../support/property.ts';

const LENGTH = 60_000;
const PAIR = 'ETH/USDT';

/** A reader that extends what it knows by bars, then by the newest price. */
class Reader {
  readonly bars = new Map<number, PriceBar>();
  take(bars: readonly PriceBar[], at: number, price: string): void {
    for (const bar of bars) this.bars.set(bar[0], bar);
    const time = Math.floor(at / LENGTH) * LENGTH;
    const [, open, high, low] = this.bars.get(time) ?? [time, price, price, price];
    this.bars.set(time, [
      time,
      open,
      Number(price) > Number(high) ? price : high,
      Number(price) < Number(low) ? price : low,
      price,
    ]);
  }
}

const ticks = fc.array(
  fc.record({
    wait: fc.integer({ min: 1, max: 40_000 }),
    price: fc.integer({ min: 1, max: 300 }),
    flush: fc.boolean(),
  }),
  { maxLength: 200 },
);

describe('told bars', () => {
  it('let a reader know every bar as the prices made it, however many prices fall between two events', () => {
    fc.assert(
      fc.property(ticks, (all) => {
        const [bars, told, reader] = [
          new TickBars(LENGTH, () => null),
          new ToldBars(),
          new Reader(),
        ];
        let at = 0;
        const made = new Map<number, PriceBar>();
        let flushed = -1;
        for (const { wait, price, flush } of all) {
          at += wait;
          bars.see(PAIR, { at, last: parseFixed(String(price)) });
          if (!flush) continue;
          reader.take(
            told.news([PAIR], { bars: () => bars.of(PAIR) })?.[PAIR] ?? [],
            at,
            String(price),
          );
          flushed = at;
          for (const { time, open, high, low, close } of bars.of(PAIR))
            made.set(time, [
              time,
              formatFixed(open),
              formatFixed(high),
              formatFixed(low),
              formatFixed(close),
            ]);
        }
        if (flushed === -1) return;
        // The first event is told no more than the newest bars: what came before it is read by a
        // call.
        const first = Math.min(...reader.bars.keys());
        expect([...reader.bars.values()]).toEqual(
          [...made.values()].filter(([time]) => time >= first),
        );
      }),
    );
  });

  it('leave out what the newest price tells by itself', () => {
    const [bars, told] = [new TickBars(LENGTH, () => null), new ToldBars()];
    const say = (at: number, price: string) => {
      bars.see(PAIR, { at, last: parseFixed(price) });
    };
    const news = () => told.news([PAIR], { bars: () => bars.of(PAIR) })?.[PAIR] ?? null;
    say(1, '100');
    expect(news()).toEqual([[0, '100', '100', '100', '100']]);
    say(2, '101');
    expect(news()).toBeNull();
    say(3, '104');
    say(4, '101');
    expect(news()).toEqual([[0, '100', '104', '100', '101']]);
    say(LENGTH + 1, '102');
    // The bar before ended as it was known.
    expect(news()).toEqual([[LENGTH, '102', '102', '102', '102']]);
    told.forget();
    expect(news()).toHaveLength(2);
  });
});
