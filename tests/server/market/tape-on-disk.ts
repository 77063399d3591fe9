/** A tape made for a test: small candle files in a folder of their own. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll } from 'vitest';
import type { Candle } from '../../../engine/market-types.ts';

export const TAPE_START = Date.UTC(2024, 0, 1);
export const FIVE = 300_000;

/** A candle that begins where the one before ended, moves and differs from its neighbours. */
export function madeCandle(index: number, base = 100, lengthMs = FIVE): Candle {
  const price = (step: number): number =>
    Number((base * (1 + 0.01 * Math.sin(step / 5) + 0.002 * Math.cos(step * 1.7))).toFixed(4));
  const [open, close] = [price(index), price(index + 1)];
  const wick = base * 0.001 * (1 + (index % 5));
  return {
    time: TAPE_START + index * lengthMs,
    open,
    close,
    volume: 10 + (index % 13),
    high: Number((Math.max(open, close) + wick).toFixed(4)),
    low: Number((Math.min(open, close) - wick / 2).toFixed(4)),
  };
}

export const asCsv = (candles: readonly Candle[]): string =>
  [
    'time,open,high,low,close,volume',
    ...candles.map((c) => [c.time / 1_000, c.open, c.high, c.low, c.close, c.volume].join(',')),
  ].join('\n');

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

/**
 * Files by name; a name that ends in `.gz` is zipped. Resolves to the folder, which goes when the
 * file's tests are over.
 */
export async function writeTape(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tape-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files))
    await writeFile(join(folder, name), name.endsWith('.gz') ? gzipSync(text) : text);
  return folder;
}
