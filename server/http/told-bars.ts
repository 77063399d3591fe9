/** Decides which bars a stream event must carry, because its latest price does not imply them. */
import type { PriceBar } from '../../contract/market.ts';
import { formatFixed } from '../../contract/money.ts';
import type { Market } from '../market/market-source.ts';

type Bars = ReturnType<Market['bars']>;
type Bar = Bars[number];

/** After a loss the bar that has just closed is told once more beside the open one. */
const TOLD_AGAIN = 2;

export class ToldBars {
  /** The newest bar of each pair, as every reader knows it. */
  private readonly known = new Map<string, Bar>();

  /** The bars to tell of these pairs, by pair; null where there are none. */
  news(pairs: readonly string[], market: Pick<Market, 'bars'>): Record<string, PriceBar[]> | null {
    const told: Record<string, PriceBar[]> = {};
    for (const pair of pairs) {
      const bars = this.newsOf(pair, market.bars(pair));
      if (bars.length > 0) told[pair] = bars.map(wireBar);
    }
    return Object.keys(told).length === 0 ? null : told;
  }

  /** A reader went without an event: nothing counts as known any more. */
  forget(): void {
    this.known.clear();
  }

  private newsOf(pair: string, bars: Bars): Bars {
    const newest = bars.at(-1);
    if (newest === undefined) return [];
    const before = this.known.get(pair);
    this.known.set(pair, { ...newest });
    if (before === undefined) return bars.slice(-TOLD_AGAIN);
    if (before.time !== newest.time) {
      return bars.filter(
        (bar) => bar.time > before.time || (bar.time === before.time && !isSame(bar, before)),
      );
    }
    return isTold(newest, before) ? [] : [newest];
  }
}

const isSame = (bar: Bar, before: Bar): boolean =>
  bar.high === before.high && bar.low === before.low && bar.close === before.close;

/** Whether a reader that extends what it knows by the newest price has the bar as it is. */
function isTold(bar: Bar, before: Bar): boolean {
  const high = bar.close > before.high ? bar.close : before.high;
  const low = bar.close < before.low ? bar.close : before.low;
  return bar.high === high && bar.low === low;
}

const wireBar = ({ time, open, high, low, close }: Bar): PriceBar => [
  time,
  formatFixed(open),
  formatFixed(high),
  formatFixed(low),
  formatFixed(close),
];
