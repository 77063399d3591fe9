/** Which source an installation gets: chosen once, kept, changed only by name. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { LONGEST_WARM_UP_MS } from '../../../engine/signals/compute-signals.ts';
import {
  openMarket,
  replayStart,
  type OpenMarketOptions,
} from '../../../server/market/open-market.ts';
import { startExchangeServer } from '../../support/exchange-server.ts';
import { keptLog } from './silent-log.ts';
import { asCsv, FIVE, madeCandle, TAPE_START, writeTape } from './tape-on-disk.ts';

const NOBODY = 'http://127.0.0.1:9';
const folders: string[] = [];
const newFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'market-'));
  folders.push(folder);
  return folder;
};
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

const kept = async (dataDir: string): Promise<unknown> =>
  JSON.parse(await readFile(join(dataDir, 'market-source.json'), 'utf8'));

function options(dataDir: string, more: Partial<OpenMarketOptions> = {}): OpenMarketOptions {
  return {
    source: null,
    dataDir,
    replaySpeed: 1_200,
    replayStart: null,
    log: keptLog(),
    exchangeBaseUrl: NOBODY,
    clockStore: { load: async () => null, save: async (_id: string, ms: number) => ms },
    ...more,
  };
}

describe('opening the market', () => {
  it('simulates at a first start without the exchange, says so, and stays with it when the exchange is back', async () => {
    const dataDir = join(await newFolder(), 'not-there-yet');
    const log = keptLog();
    expect((await openMarket(options(dataDir, { log }))).source).toEqual({
      id: 'simulated',
      kind: 'simulated',
      label: 'Simulated prices',
      quote: 'USDT',
      feeBps: 10,
      intervals: ['1m', '5m', '15m', '1h', '4h', '1d'],
    });
    expect(log.lines.some((line) => line.message.includes('does not respond'))).toBe(true);
    expect(await kept(dataDir)).toEqual({ source: 'simulated' });
    const server = await startExchangeServer();
    expect((await openMarket(options(dataDir, { exchangeBaseUrl: server.url }))).source.id).toBe(
      'simulated',
    );
    expect(server.asked).toEqual([]);
    await server.close();
  });

  it('takes the exchange at a first start where it answers, and stays with it when it is gone', async () => {
    const dataDir = await newFolder();
    const server = await startExchangeServer();
    expect(
      (await openMarket(options(dataDir, { exchangeBaseUrl: server.url }))).source,
    ).toMatchObject({ id: 'coinbaseexchange', kind: 'exchange', label: 'Coinbase Exchange' });
    await server.close();
    expect((await openMarket(options(dataDir))).source.id).toBe('coinbaseexchange');
  });

  it('changes the source by name and keeps that', async () => {
    const dataDir = await newFolder();
    await openMarket(options(dataDir));
    expect((await openMarket(options(dataDir, { source: 'kraken' }))).source.id).toBe('kraken');
    expect((await openMarket(options(dataDir))).source.id).toBe('kraken');
    expect((await openMarket(options(dataDir, { source: '  ' }))).source.id).toBe('kraken');
  });

  it.each(['nasdaq', 'replay:', 'simulated2', 'ftx', '__proto__'])(
    'refuses the unknown source %s with what it may be, and keeps nothing',
    async (source) => {
      const dataDir = await newFolder();
      await expect(openMarket(options(dataDir, { source }))).rejects.toThrow(
        /Unknown MARKET_SOURCE.*simulated, replay:PATH, coinbaseexchange, kraken, binance/,
      );
      await expect(kept(dataDir)).rejects.toThrow();
    },
  );

  it('does not guess at a kept choice that cannot be read', async () => {
    const dataDir = await newFolder();
    await writeFile(join(dataDir, 'market-source.json'), '{"source":');
    await expect(openMarket(options(dataDir))).rejects.toThrow(/cannot be read/);
    expect((await openMarket(options(dataDir, { source: 'simulated' }))).source.id).toBe(
      'simulated',
    );
  });

  it('replays a folder from the stored clock, else from the named date', async () => {
    const folder = await writeTape({
      'BTC-USDT.csv.gz': asCsv(Array.from({ length: 600 }, (_, index) => madeCandle(index))),
    });
    const dataDir = await newFolder();
    const first = await openMarket(
      options(dataDir, { source: `replay:${folder}`, replayStart: '2024-01-02' }),
    );
    await first.start();
    expect(first.source).toMatchObject({
      kind: 'replay',
      label: 'Replay of 5m candles',
      quote: 'USDT',
      feeBps: 10,
    });
    expect(first.now()).toBeGreaterThanOrEqual(Date.UTC(2024, 0, 2));
    expect(first.quote('BTC/USDT')).not.toBeNull();
    await first.stop();
    const stored = TAPE_START + 400 * FIVE;
    const again = await openMarket(
      options(dataDir, {
        replayStart: '2024-01-02',
        clockStore: { load: async () => stored, save: async (_id: string, ms: number) => ms },
      }),
    );
    await again.start();
    expect(again.now()).toBeGreaterThanOrEqual(stored);
    await again.stop();
  });

  it('refuses a folder that is not there and a speed that is none', async () => {
    const dataDir = await newFolder();
    await expect(
      openMarket(options(dataDir, { source: 'replay:/nowhere/at/all' })),
    ).rejects.toThrow(/cannot be read/);
    await expect(
      openMarket(options(dataDir, { source: 'replay:/nowhere/at/all', replaySpeed: 0 })),
    ).rejects.toThrow(/REPLAY_SPEED/);
  });

  it('begins a tape after the longest warm-up, in the middle of one too short for it, and only inside it by name', () => {
    const long = { first: TAPE_START, end: TAPE_START + LONGEST_WARM_UP_MS + 1_000_000 };
    expect(replayStart(null, long)).toBe(TAPE_START + LONGEST_WARM_UP_MS);
    const short = { first: TAPE_START, end: TAPE_START + 10 * 86_400_000 };
    expect(replayStart('', short)).toBe(TAPE_START + 5 * 86_400_000);
    expect(replayStart('2024-01-03T06:00:00Z', short)).toBe(Date.UTC(2024, 0, 3, 6));
    expect(() => replayStart('soon', short)).toThrow(/not a UTC date/);
    expect(() => replayStart('2023-01-03', short)).toThrow(/outside the recording/);
  });
});
