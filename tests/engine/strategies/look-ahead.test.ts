/**
 * No strategy looks ahead: on a tape that ends at N every signal is the same as on the whole tape.
 */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { PoolId } from '../../../contract/agents.ts';
import { DAY_MS, HOUR_MS } from '../../../engine/execution/schedule.ts';
import { makeSeries } from '../../../engine/signals/candle-series.ts';
import type { Series } from '../../../engine/signals/candle-series.ts';
import { computeSignals } from '../../../engine/signals/compute-signals.ts';
import type { Candle } from '../../../engine/market-types.ts';
import type { Signal } from '../../../engine/signals/signal.ts';
import { crossSweep, PAIR } from '../backtest/cross.ts';
import { FIVE_MINUTES, hasRecorded, madeTape, MONDAY, recorded } from '../tape.ts';

/** `LOOK_AHEAD=all` takes every candle of every tape for N: minutes instead of seconds. */
const ALL = process.env.LOOK_AHEAD === 'all';
const HORIZONS = ['usual', 'long-haul'] as const;
const TIMEOUT_MS = ALL ? 3_600_000 : 90_000;

interface Tape {
  name: string;
  read: () => Map<string, Candle[]>;
  length: number;
  /**
   * Samples every Nth candle; a prime, so that every minute of the hour and hour of the day comes
   * up.
   */
  stride: number;
  /**
   * Number of cuts at which the newest candle is the first of a finer length: only the next one
   * shows that it is over.
   */
  seams: number;
}

const START = MONDAY - 100 * DAY_MS;
const madePairs = ['AAA/USDT', 'BBB/USDT', 'CCC/USDT', 'USDC/USDT'];
/** Hourly until two days before its end, finer from there. */
const mixed = (index: number): Candle[] => [
  ...madeTape(index + 1, START, 98 * 24, HOUR_MS),
  ...madeTape(index + 1, START + 98 * DAY_MS, 2 * 288),
];
const TAPES: Tape[] = [
  {
    name: 'a made tape that grows finer',
    length: FIVE_MINUTES,
    stride: 37,
    seams: 1,
    read: () => new Map(madePairs.map((pair, index) => [pair, mixed(index)])),
  },
  ...(hasRecorded('5m', 'BTC')
    ? [
        {
          name: 'recorded five-minute candles',
          length: FIVE_MINUTES,
          stride: 191,
          seams: 0,
          read: () =>
            new Map(
              ['BTC', 'ETH', 'SOL', 'ADA'].map((base) => [`${base}/USDT`, recorded('5m', base)]),
            ),
        },
      ]
    : []),
  ...(hasRecorded('1h', 'USDC')
    ? [
        {
          name: 'recorded hourly candles with months missing',
          length: HOUR_MS,
          stride: 127,
          seams: 0,
          read: () =>
            new Map(
              ['USDC', 'TUSD', 'BTC', 'DOGE'].map((base) => [`${base}/USDT`, recorded('1h', base)]),
            ),
        },
      ]
    : []),
];

const seriesOf = (tape: ReadonlyMap<string, readonly Candle[]>): Map<string, Series> =>
  new Map([...tape].map(([pair, candles]) => [pair, makeSeries(pair, candles)]));

/** The closes of every candle of any pair, or every so manyth of them. */
function momentsOf(whole: ReadonlyMap<string, Series>, stride: number): number[] {
  const closes = [...new Set([...whole.values()].flatMap((series) => [...series.closesAt]))].sort(
    (a, b) => a - b,
  );
  return ALL ? closes : closes.filter((_, index) => index % stride === 0);
}

/**
 * Cuts the tape at each moment and compares. At a change of length the cut is a candle late, never
 * early: it is compared with a tape without that candle.
 */
function cutAtEach(
  { read, seams, stride }: Tape,
  judge: (at: number, cut: ReadonlyMap<string, Series>, whole: ReadonlyMap<string, Series>) => void,
): number {
  const tape = read();
  const whole = seriesOf(tape);
  // None left out: the index of a candle is its index in the series.
  for (const [pair, candles] of tape) expect(whole.get(pair)?.length).toBe(candles.length);
  const counts = new Map<string, number>();
  const moments = momentsOf(whole, stride);
  let behind = 0;
  for (const at of moments) {
    for (const [pair, series] of whole) {
      let count = counts.get(pair) ?? 0;
      while ((series.closesAt[count] ?? Number.POSITIVE_INFINITY) <= at) count += 1;
      counts.set(pair, count);
    }
    const cutBy = (less: number): Map<string, Series> =>
      seriesOf(
        new Map(
          [...tape].map(([pair, candles]) => [
            pair,
            candles.slice(0, (counts.get(pair) ?? 0) - less),
          ]),
        ),
      );
    const cut = cutBy(0);
    const told = [...cut.values()].every(
      (series) => series.length === 0 || (series.closesAt[series.length - 1] ?? 0) <= at,
    );
    judge(at, cut, told ? whole : cutBy(1));
    behind += told ? 0 : 1;
  }
  expect(behind).toBeLessThanOrEqual(seams);
  return moments.length;
}

/** Deep and quick; a difference is then shown in full. */
function same(ofCut: unknown, ofWhole: unknown, what: string): void {
  if (!isDeepStrictEqual(ofCut, ofWhole)) expect(ofCut, what).toEqual(ofWhole);
}

const sane = ({ quality, strength, z }: Signal): boolean =>
  strength >= 0 &&
  strength <= 1 &&
  quality >= 0 &&
  quality <= 1 &&
  (z === null || Number.isFinite(z));

describe('look-ahead', () => {
  it.each(TAPES)(
    'is impossible on $name: all six pools and the sleeves of their blend say the same on a tape that ends at N',
    (tape) => {
      let [known, sleeves] = [0, 0];
      let earlier = 0;
      let number = 0;
      const cuts = cutAtEach(tape, (at, cut, whole) => {
        for (const pool of PoolId.options) {
          for (const horizon of HORIZONS) {
            const signals = computeSignals(pool, cut, at, horizon);
            same(
              signals,
              computeSignals(pool, whole, at, horizon),
              `${pool}, ${horizon}, cut at ${new Date(at).toISOString()}`,
            );
            for (const signal of signals.values()) {
              expect(sane(signal)).toBe(true);
              known += signal.z === null ? 0 : 1;
              sleeves += signal.sleeves?.filter(({ z }) => z !== null).length ?? 0;
            }
          }
        }
        // Up to N, not at N alone: an earlier moment too, a different one each time.
        const pool = PoolId.options[number % PoolId.options.length] ?? 'all_pools';
        const before = at - ((number * 7_919) % 2_000) * tape.length;
        same(
          computeSignals(pool, cut, before),
          computeSignals(pool, whole, before),
          `${pool} at ${new Date(before).toISOString()}, cut at ${new Date(at).toISOString()}`,
        );
        earlier += 1;
        number += 1;
      });
      expect(known).toBeGreaterThan(cuts);
      expect(sleeves).toBeGreaterThan(cuts);
      if (ALL)
        console.info(
          `${tape.name}: ${cuts} cuts, each of ${PoolId.options.length} pools and ${HORIZONS.length} horizons; ${known} signals with an opinion, ${sleeves} of sleeves; ${earlier} moments before the cut`,
        );
    },
    TIMEOUT_MS,
  );

  it.each(TAPES)(
    'is impossible on $name for a strategy that reckons a whole tape at once',
    (tape) => {
      let known = 0;
      let sweep: ReturnType<typeof crossSweep> | null = null;
      let swept: ReadonlyMap<string, Series> | null = null;
      const one = {
        ...tape,
        read: () => new Map([...tape.read()].slice(-1).map(([, candles]) => [PAIR, candles])),
      };
      const cuts = cutAtEach(one, (at, cut, whole) => {
        if (sweep === null || swept !== whole) sweep = crossSweep(whole, 'usual');
        swept = whole;
        const signal = crossSweep(cut, 'usual')(at, PAIR);
        same(signal, sweep(at, PAIR), `cut at ${new Date(at).toISOString()}`);
        known += signal === null ? 0 : 1;
      });
      expect(known).toBeGreaterThan(cuts / 2);
      if (ALL)
        console.info(`${tape.name}, a cross over the whole tape: ${cuts} cuts, ${known} signals`);
    },
    TIMEOUT_MS,
  );
});
