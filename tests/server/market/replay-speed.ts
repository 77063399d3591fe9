/** Measures how fast a recording can run through the market with all checks of a live price. */
import type { Log } from '../../../server/log.ts';
import { INTERVAL_MS } from '../../../contract/intervals.ts';
import { ReplayFeed } from '../../../server/market/replay-feed.ts';
import { readTape } from '../../../server/market/replay-tape.ts';
import { FeedMarket } from '../../../server/market/running-market.ts';

export interface ReplaySpeed {
  candles: number;
  quotes: number;
  seconds: number;
  candlesPerSecond: number;
  readSeconds: number;
}

/**
 * Tells at most `maxCandles` candles (all pairs together) of the folder from its start, every quote
 * through the gate.
 */
export async function measureReplay(
  folder: string,
  log: Log,
  maxCandles = 200_000,
): Promise<ReplaySpeed> {
  const begun = performance.now();
  const tape = await readTape(folder);
  const read = performance.now();
  let stored: number | null = null;
  const clockStore = {
    load: async () => stored,
    save: async (_id: string, ms: number) => {
      stored = ms;
      return ms;
    },
  };
  const feed = new ReplayFeed({ folder, tape, speed: 1e6, startAt: tape.first, clockStore, log });
  const market = new FeedMarket(feed, log);
  let quotes = 0;
  market.onQuote(() => {
    quotes += 1;
  });
  await feed.open((tick) => {
    market.offer(tick);
  });
  const length = INTERVAL_MS[tape.interval];
  const closes = Math.min(
    Math.ceil(maxCandles / tape.candles.size),
    (tape.end - tape.first) / length,
  );
  for (let close = 1; close <= closes; close += 1)
    await feed.advance(tape.first + close * length - feed.now());
  const seconds = (performance.now() - read) / 1_000;
  const candles = [...tape.candles.values()].reduce(
    (sum, list) => sum + list.filter((candle) => candle.time + length <= feed.now()).length,
    0,
  );
  return {
    candles,
    quotes,
    seconds,
    candlesPerSecond: candles / seconds,
    readSeconds: (read - begun) / 1_000,
  };
}
