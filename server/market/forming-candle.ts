/** The candle that has not closed yet, from closed finer candles and the prices since. */
import type { CandleInterval } from '../../contract/market.ts';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import { toNumber } from '../../contract/money.ts';
import type { Candle } from '../../engine/market-types.ts';
import { alignDown } from './candle-building.ts';
import type { Forming } from './market-source.ts';
import type { TickBar } from './tick-bars.ts';
import { partsOf } from './timeframes.ts';

export interface FormingSource {
  finest: CandleInterval;
  candles(interval: CandleInterval, from: number, to: number): Promise<Candle[]>;
  /** Read last, so that no price falls between the candles and the bars. */
  bars(): readonly TickBar[];
}

/** Null where nothing of the candle that is open at `now` is known. */
export async function formingCandle(
  source: FormingSource,
  interval: CandleInterval,
  now: number,
): Promise<Forming | null> {
  const time = alignDown(now, INTERVAL_MS[interval]);
  const parts: Candle[] = [];
  let closedTo = time;
  for (const part of partsOf(interval, source.finest)) {
    const found = await source.candles(part, closedTo, now);
    const last = found.at(-1);
    if (last === undefined) continue;
    parts.push(...found);
    closedTo = last.time + INTERVAL_MS[part];
  }
  const end = time + INTERVAL_MS[interval];
  const bars = source.bars().filter((bar) => bar.time >= closedTo && bar.time < end);
  const forming = closedPart(parts, time, closedTo);
  return bars.reduce<Forming | null>((so, bar) => withBar(so, bar, time), forming);
}

function closedPart(parts: readonly Candle[], time: number, closedTo: number): Forming | null {
  const [first, last] = [parts[0], parts.at(-1)];
  if (first === undefined || last === undefined) return null;
  const candle = {
    time,
    open: first.open,
    high: Math.max(...parts.map((part) => part.high)),
    low: Math.min(...parts.map((part) => part.low)),
    close: last.close,
    volume: parts.reduce((sum, part) => sum + part.volume, 0),
  };
  return { candle, volumeTo: closedTo, since: first.time, at: closedTo };
}

function withBar(forming: Forming | null, bar: TickBar, time: number): Forming {
  const [open, high, low, close] = [bar.open, bar.high, bar.low, bar.close].map(toNumber) as [
    number,
    number,
    number,
    number,
  ];
  if (forming === null) {
    // Until a finer candle has closed, no volume is known at all.
    const candle = { time, open, high, low, close, volume: null };
    return { candle, volumeTo: time, since: bar.since, at: bar.at };
  }
  const { candle } = forming;
  return {
    ...forming,
    candle: {
      ...candle,
      high: Math.max(candle.high, high),
      low: Math.min(candle.low, low),
      close,
    },
    at: bar.at,
  };
}
