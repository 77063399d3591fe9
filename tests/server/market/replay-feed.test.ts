/** A tape on a clock of its own: in order, once, without a look ahead. */
import { existsSync } from 'node:fs';
import fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import type { Candle } from '../../../engine/market-types.ts';
import type { RawTick } from '../../../server/market/feed.ts';
import { ReplayFeed, type ClockStore } from '../../../server/market/replay-feed.ts';
import { measureReplay } from './replay-speed.ts';
import { readTape } from '../../../server/market/replay-tape.ts';
import { keptLog } from './silent-log.ts';
import { asCsv, FIVE, madeCandle, TAPE_START, writeTape } from './tape-on-disk.ts';

const COUNT = 60;
const GAP = new Set([20, 21, 22]);
const btc = Array.from({ length: COUNT }, (_, index) => madeCandle(index));
const eth = Array.from({ length: COUNT }, (_, index) => madeCandle(index, 7)).filter(
  (_, index) => !GAP.has(index),
);
const folder = await writeTape({
  'BTC-USDT.csv.gz': asCsv(btc),
  'ETH-USDT.csv': asCsv(eth),
  'README.md': 'not a tape',
});
const tape = await readTape(folder);

interface Memory extends ClockStore {
  value: number | null;
  saves: number[];
}
function memory(): Memory {
  const store: Memory = {
    value: null,
    saves: [],
    load: async () => store.value,
    save: async (_id, ms) => {
      store.value = Math.max(ms, store.value ?? ms);
      store.saves.push(ms);
      return store.value;
    },
  };
  return store;
}

function open(clockStore: ClockStore, more: { speed?: number; startAt?: number } = {}) {
  const log = keptLog();
  const feed = new ReplayFeed({
    folder,
    tape,
    speed: more.speed ?? 1_200,
    startAt: more.startAt ?? TAPE_START,
    clockStore,
    log,
  });
  const ticks: RawTick[] = [];
  return {
    feed,
    ticks,
    log,
    begin: () =>
      feed.open((tick) => {
        ticks.push(tick);
      }),
  };
}

describe('replay feed', () => {
  it('reads plain and zipped files, finds the interval in the data and leaves gaps alone', () => {
    expect(tape).toMatchObject({
      interval: '5m',
      quote: 'USDT',
      first: TAPE_START,
      end: TAPE_START + COUNT * FIVE,
      skipped: 0,
    });
    expect(tape.candles.get('BTC/USDT')).toEqual(btc);
    expect(tape.candles.get('ETH/USDT')).toEqual(eth);
  });

  it('tells each candle from its open to its close through both extremes and never beyond them', async () => {
    const { feed, ticks, begin } = open(memory());
    await begin();
    await feed.advance(COUNT * FIVE);
    for (const [pair, candles] of tape.candles) {
      for (const candle of candles) {
        const own = ticks.filter(
          (tick) => tick.pair === pair && tick.at >= candle.time && tick.at < candle.time + FIVE,
        );
        const prices = own.map((tick) => Number(tick.last));
        expect(own[0]?.at).toBe(candle.time + 1);
        expect([prices[0], prices.at(-1)]).toEqual([candle.open, candle.close]);
        expect([Math.max(...prices), Math.min(...prices)]).toEqual([candle.high, candle.low]);
      }
    }
    expect(ticks.map((tick) => tick.at)).toEqual(
      ticks.map((tick) => tick.at).sort((a, b) => a - b),
    );
    expect(
      ticks.filter(
        (tick) =>
          tick.pair === 'ETH/USDT' &&
          tick.at > TAPE_START + 20 * FIVE &&
          tick.at < TAPE_START + 23 * FIVE,
      ),
    ).toEqual([]);
  });

  it('shows no candle before it has closed, at any interval', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: COUNT * FIVE - 1 }), async (ahead) => {
        const { feed, begin } = open(memory());
        await begin();
        await feed.advance(ahead);
        for (const [interval, length] of [
          ['5m', FIVE],
          ['20m', 4 * FIVE],
          ['1h', 12 * FIVE],
        ] as const) {
          const candles = await feed.candles('BTC/USDT', interval, 0, Infinity);
          expect(candles.length).toBe(Math.floor((feed.now() - TAPE_START) / length));
          expect(candles.every((candle) => candle.time + length <= feed.now())).toBe(true);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('tells the same prices whatever comes later: nothing told foretells the rest of the tape', async () => {
    const cut = 30;
    const other = btc.map((candle, index): Candle =>
      index < cut
        ? candle
        : { ...candle, high: candle.high * 2, close: candle.high * 1.5, low: candle.low / 2 },
    );
    const changed = await readTape(
      await writeTape({ 'BTC-USDT.csv': asCsv(other), 'ETH-USDT.csv': asCsv(eth) }),
    );
    const told = async (source: typeof tape): Promise<RawTick[]> => {
      const ticks: RawTick[] = [];
      const feed = new ReplayFeed({
        folder,
        tape: source,
        speed: 1,
        startAt: TAPE_START,
        clockStore: memory(),
        log: keptLog(),
      });
      await feed.open((tick) => {
        ticks.push(tick);
      });
      await feed.advance(cut * FIVE + 1);
      return ticks;
    };
    expect(await told(changed)).toEqual(await told(tape));
  });

  it('stores the clock before it tells anything at or after it', async () => {
    const store = memory();
    const feed = new ReplayFeed({
      folder,
      tape,
      speed: 1_200,
      startAt: TAPE_START,
      clockStore: store,
      log: keptLog(),
    });
    let checked = 0;
    await feed.open((tick) => {
      expect(tick.at).toBeLessThan(store.value ?? 0);
      expect(feed.now()).toBeLessThan(store.value ?? 0);
      checked += 1;
    });
    await feed.advance(10 * FIVE);
    expect(checked).toBeGreaterThan(190);
  });

  it('never tells a moment twice and never skips a close, however often it is cut off', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 3 * FIVE }), { minLength: 1, maxLength: 15 }),
        async (runs) => {
          const store = memory();
          let newest = -Infinity;
          let closes = Math.floor(TAPE_START / FIVE) - 1;
          for (const run of runs) {
            const { feed, ticks, begin } = open(store);
            await begin();
            const look = (): void => {
              const seen = Math.floor(feed.now() / FIVE);
              expect(seen - closes).toBeLessThanOrEqual(1);
              closes = Math.max(closes, seen);
            };
            look();
            for (let done = 0; done < run; done += 10_000) {
              await feed.advance(Math.min(10_000, run - done));
              look();
            }
            for (const tick of ticks.filter((candidate) => candidate.pair === 'BTC/USDT')) {
              expect(tick.at).toBeGreaterThan(newest);
              newest = tick.at;
            }
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('is told by several processes within one reservation of each other, however one of them falls behind', async () => {
    const store = memory();
    const [one, two] = [open(store), open(store)];
    await one.begin();
    await two.begin();
    await one.feed.advance(5 * FIVE);
    // Nothing is jumped: what the other told meanwhile is told here too.
    const before = two.ticks.length;
    await two.feed.advance(FIVE);
    expect(Math.abs(one.feed.now() - two.feed.now())).toBeLessThanOrEqual(FIVE);
    expect(two.ticks.length - before).toBeGreaterThan(3 * 10);
    const common = Math.min(one.feed.now(), two.feed.now());
    const btcFrom = (ticks: readonly RawTick[], from: number) =>
      ticks
        .filter(({ pair, at }) => pair === 'BTC/USDT' && at >= from && at <= common)
        .map(({ at }) => at);
    const from = two.ticks[0]?.at ?? 0;
    expect(btcFrom(two.ticks, from)).toEqual(btcFrom(one.ticks, from));
    // A third that starts now begins where nobody has been.
    const three = open(store);
    await three.begin();
    expect(three.feed.now()).toBeGreaterThanOrEqual(Math.max(one.feed.now(), two.feed.now()));
  });

  it('stands still while the clock cannot be stored, and goes on afterwards', async () => {
    const store = memory();
    const broken: ClockStore = {
      load: (id) => store.load(id),
      save: async (id, ms) => {
        if (ms > TAPE_START + 3 * FIVE && failing) throw new Error('disk full');
        return store.save(id, ms);
      },
    };
    let failing = true;
    const { feed, begin } = open(broken);
    await begin();
    await expect(feed.advance(10 * FIVE)).rejects.toThrow('disk full');
    expect(feed.now()).toBe(TAPE_START + 3 * FIVE - 1);
    failing = false;
    await feed.advance(10 * FIVE);
    expect(feed.now()).toBeGreaterThan(TAPE_START + 12 * FIVE);
  });

  it('says once that the tape has ended; after a restart it is exhausted still, and tells the last prices so that a holding keeps a value', async () => {
    const store = memory();
    const { feed, log, begin } = open(store);
    await begin();
    expect(feed.exhausted()).toBe(false);
    await feed.advance(COUNT * FIVE * 2);
    await feed.advance(FIVE);
    expect(feed.now()).toBe(tape.end);
    expect([feed.exhausted(), log.lines.filter((line) => line.level === 'warn').length]).toEqual([
      true,
      1,
    ]);
    expect(await feed.candles('BTC/USDT', '5m', 0, Infinity)).toHaveLength(COUNT);
    const again = open(store);
    await again.begin();
    expect(again.feed.exhausted()).toBe(true);
    expect(again.ticks.map((tick) => [tick.pair, Number(tick.last), tick.at])).toEqual([
      ['BTC/USDT', btc.at(-1)?.close, tape.end - 1],
      ['ETH/USDT', eth.at(-1)?.close, tape.end - 1],
    ]);
  });

  it('runs by itself at its speed and stops when told', async () => {
    const { feed, ticks } = open(memory(), { speed: 6_000 });
    await feed.start((tick) => {
      ticks.push(tick);
    });
    const before = ticks.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    await feed.stop();
    const stopped = feed.now();
    expect(ticks.length).toBeGreaterThan(before);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(feed.now()).toBe(stopped);
  });

  it.each([
    ['no usable file', { 'notes.txt': 'x' }, /no file like/],
    ['another header', { 'BTC-USDT.csv': 'a,b\n1,2' }, /header/],
    [
      'two quote currencies',
      { 'BTC-USDT.csv': asCsv(btc), 'ETH-USD.csv': asCsv(eth) },
      /mixes quote currencies/,
    ],
    [
      'an interval that is none of ours',
      { 'BTC-USDT.csv': asCsv(Array.from({ length: 9 }, (_, i) => madeCandle(i, 100, 60_000))) },
      /apart/,
    ],
  ])('refuses a folder with %s in a plain sentence', async (_, files, sentence) => {
    await expect(readTape(await writeTape(files))).rejects.toThrow(sentence);
  });

  it('leaves out rows that are no candle and counts them', async () => {
    const bad = [
      '1704067200,0,1,0,1,5',
      '1704067500,NaN,1,1,1,5',
      '1704067800,-1,2,-2,1,5',
      '1704068100,5,4,6,5,1',
      'x',
      '1704068400,1,2',
    ];
    const read = await readTape(
      await writeTape({ 'BTC-USDT.csv': `${asCsv(btc)}\n${bad.join('\n')}\n` }),
    );
    expect(read.skipped).toBe(bad.length);
    expect(read.candles.get('BTC/USDT')).toEqual(btc);
  });

  it('measures its own speed through every check, on the recorded candles where they are at hand', async () => {
    const recorded = '../shared/data/5m';
    const measured = await measureReplay(existsSync(recorded) ? recorded : folder, keptLog(), 900);
    expect(measured.candles).toBeGreaterThanOrEqual(
      existsSync(recorded) ? 900 : 2 * COUNT - GAP.size,
    );
    expect(measured.quotes).toBe(measured.candles * 10);
    expect(measured.candlesPerSecond).toBeGreaterThan(0);
  });
});
