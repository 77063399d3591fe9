/** Bars of the finest timeframe, made of the quotes of each pair as they come. */
import type { Fixed } from '../../contract/money.ts';
import { alignDown } from './candle-building.ts';

export interface TickBar {
  time: number;
  open: Fixed;
  high: Fixed;
  low: Fixed;
  close: Fixed;
  /** When its last price came, market clock ms. */
  at: number;
  /** From when its prices are known: `time`, or later where nobody listened before. */
  since: number;
}

interface Price {
  at: number;
  last: Fixed;
}

/** As many as close between two events of the stream on the fastest tapes. */
const BARS_KEPT = 64;

export class TickBars {
  private readonly byPair = new Map<string, TickBar[]>();

  /**
   * `earlier` tells the prices after one moment and before another again, where a source can: a
   * server that starts in the middle of a bar then knows the whole of it.
   */
  constructor(
    private readonly lengthMs: number,
    private readonly earlier: (pair: string, after: number, before: number) => Price[] | null,
  ) {}

  see(pair: string, price: Price): void {
    const bars = this.byPair.get(pair) ?? [];
    this.byPair.set(pair, bars);
    const time = alignDown(price.at, this.lengthMs);
    const newest = bars.at(-1);
    if (newest !== undefined && time < newest.time) return;
    if (newest?.time === time) {
      extend(newest, price);
      return;
    }
    bars.push(newest === undefined ? this.first(pair, time, price) : begun(time, price, time));
    if (bars.length > BARS_KEPT) bars.shift();
  }

  /** Oldest first; the last is still open. Do not change them. */
  of(pair: string): readonly TickBar[] {
    return this.byPair.get(pair) ?? [];
  }

  private first(pair: string, time: number, price: Price): TickBar {
    const told = this.earlier(pair, time - 1, price.at);
    const bar = begun(time, told?.[0] ?? price, told === null ? price.at : time);
    for (const one of told ?? []) extend(bar, one);
    extend(bar, price);
    return bar;
  }
}

function begun(time: number, { at, last }: Price, since: number): TickBar {
  return { time, open: last, high: last, low: last, close: last, at, since };
}

function extend(bar: TickBar, { at, last }: Price): void {
  if (last > bar.high) bar.high = last;
  if (last < bar.low) bar.low = last;
  bar.close = last;
  bar.at = at;
}
