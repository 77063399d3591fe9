/** A feed whose clock, candles and ticks the test holds in its hand. */
import type { CandleInterval } from '../../contract/market.ts';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import type { Candle, PairRules } from '../../engine/market-types.ts';
import { alignDown, alignUp, coarser } from '../../server/market/candle-building.ts';
import type { MarketFeed, RawTick } from '../../server/market/feed.ts';

export class HandFeed implements MarketFeed {
  id = 'hand';
  readonly label = 'Hand-made prices';
  readonly quote = 'USDT';
  readonly baseInterval = '5m';
  ended = false;
  asked = 0;
  tell: (tick: RawTick) => void = () => undefined;
  private sequence = 0;
  constructor(
    public clock: number,
    readonly kind: 'simulated' | 'replay' | 'exchange',
    readonly pairs: PairRules[],
    readonly made: Map<string, Candle[]>,
  ) {}
  now(): number {
    return this.clock;
  }
  exhausted(): boolean {
    return this.ended;
  }
  async start(onTick: (tick: RawTick) => void): Promise<void> {
    this.tell = onTick;
  }
  async stop(): Promise<void> {
    this.tell = () => undefined;
  }
  /** A tick as a venue sent it, sane or not. */
  send(tick: Omit<RawTick, 'sequence'> & { sequence?: number }): void {
    this.sequence += 1;
    this.tell({ sequence: this.sequence, ...tick });
  }
  say(pair: string, last: string, at = this.clock): void {
    this.sequence += 1;
    this.tell({ pair, at, last, bid: null, ask: null, sequence: this.sequence });
  }
  async candles(
    pair: string,
    interval: CandleInterval,
    from: number,
    to: number,
  ): Promise<Candle[]> {
    this.asked += 1;
    const length = INTERVAL_MS[interval];
    const end = alignDown(Math.min(to, this.clock), length);
    const fine = (this.made.get(pair) ?? []).filter(
      (candle) => candle.time >= alignUp(from, length) && candle.time + INTERVAL_MS['5m'] <= end,
    );
    return interval === '5m' ? fine : coarser(fine, length);
  }
}
