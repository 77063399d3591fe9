/** Writes a made tape of candles in the recorded format: seeded, trending and reversing. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

export interface TapeOptions {
  folder: string;
  pairs: string[];
  /** Opening of the first candle, ms UTC. */
  from: number;
  candles: number;
  stepMs?: number;
  seed?: number;
}

/** Mulberry32: small, seeded, good enough for test prices. */
export function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * One file a pair, `time,open,high,low,close,volume`, time in seconds. Open equals the previous
 * close.
 */
export function writeTape({
  folder,
  pairs,
  from,
  candles,
  stepMs = 300_000,
  seed = 7,
}: TapeOptions): void {
  mkdirSync(folder, { recursive: true });
  pairs.forEach((pair, index) => {
    const next = random(seed + index * 101);
    const normal = (): number =>
      Math.sqrt(-2 * Math.log(next() + 1e-12)) * Math.cos(2 * Math.PI * next());
    // Trends that last from hours to two days, so that momentum both finds and loses its reason
    // often.
    let price = 10 * (index + 1) ** 2;
    let trend = 0;
    const rows = ['time,open,high,low,close,volume'];
    for (let n = 0; n < candles; n += 1) {
      if (next() < 1 / 90) trend = (next() - 0.5) * 0.002;
      const open = price;
      const close = Math.max(0.5, open * Math.exp(trend + 0.0018 * normal()));
      const high = Math.max(open, close) * (1 + 0.0006 * next());
      const low = Math.min(open, close) * (1 - 0.0006 * next());
      rows.push(
        [
          Math.floor((from + n * stepMs) / 1000),
          open.toFixed(6),
          high.toFixed(6),
          low.toFixed(6),
          close.toFixed(6),
          ((50_000 / open) * (0.5 + next())).toFixed(4),
        ].join(','),
      );
      price = Number(close.toFixed(6));
    }
    writeFileSync(
      join(folder, `${pair.replace('/', '-')}.csv.gz`),
      gzipSync(`${rows.join('\n')}\n`),
    );
  });
}

const RECORDED = join('..', 'shared', 'data', '5m');
const MADE_DAYS = 120;
/** The longest look back of a strategy, and some days. */
const WARM_UP_DAYS = 100;
const DAY_MS = 86_400_000;

/**
 * What a server replays: the recorded candles where they are there, else a made tape of the same
 * pairs; `remove` deletes what was made.
 */
export function replayTape(): { env: Record<string, string>; remove(): void } {
  if (existsSync(RECORDED))
    return { env: { MARKET_SOURCE: `replay:${RECORDED}` }, remove: () => undefined };
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-tape-'));
  const from = Date.UTC(2022, 0, 1);
  writeTape({
    folder,
    pairs: ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'],
    from,
    candles: MADE_DAYS * 288,
  });
  return {
    env: {
      MARKET_SOURCE: `replay:${folder}`,
      REPLAY_START: new Date(from + WARM_UP_DAYS * DAY_MS).toISOString(),
    },
    remove: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
