/** Each strategy on small cases worked out by hand. */
import { describe, expect, it } from 'vitest';
import { normalShare, strengthOf } from '../../../engine/signals/normal-distribution.ts';
import { DAY_MS, HOUR_MS } from '../../../engine/execution/schedule.ts';
import { deviation, makeSeries } from '../../../engine/signals/candle-series.ts';
import {
  computeSignals,
  LONGEST_WARM_UP_MS,
  lookbackMs,
  signalKey,
} from '../../../engine/signals/compute-signals.ts';
import { pegTradeIsOver } from '../../../engine/strategies/stablecoin-arbitrage.ts';
import { ytdDays } from '../../../engine/strategies/ytd-champions.ts';
import type { Candle } from '../../../engine/market-types.ts';
import { dailySteps, hourlyTo, MONDAY } from '../tape.ts';

const seriesOf = (candles: Record<string, Candle[]>) =>
  new Map(Object.entries(candles).map(([pair, list]) => [pair, makeSeries(pair, list)]));
/** Daily closes that go up and down by turns and end with the given last move. */
const zigzag = (days: number, size: number, last: number, start = 100) => {
  const closes = [start];
  for (let day = 1; day < days; day += 1)
    closes.push((closes.at(-1) ?? start) * (day % 2 === 0 ? 1 + size : 1 / (1 + size)));
  closes.push((closes.at(-1) ?? start) * last);
  return closes;
};
const logs = (closes: readonly number[]) =>
  closes.slice(1).map((close, i) => Math.log(close / (closes[i] ?? 1)));

describe('signal strength', () => {
  it('is q·max(0, 2Φ(z) − 1)', () => {
    expect(normalShare(1.959963984540054)).toBeCloseTo(0.975, 12);
    expect(normalShare(-1)).toBeCloseTo(0.15865525393145707, 12);
    expect(strengthOf(1, 1)).toBeCloseTo(0.6826894921370859, 12);
    expect(strengthOf(1, 0.5)).toBeCloseTo(0.34134474606854293, 12);
    expect([strengthOf(-2, 1), strengthOf(null, 1), strengthOf(0, 1), strengthOf(9, 1)]).toEqual([
      0, 0, 0, 1,
    ]);
  });
});

describe('base_ecosystem', () => {
  it('takes the mean over 7, 14 and 28 days of return over σ√days', () => {
    const closes = zigzag(40, 0.05, 1.3);
    const signal = computeSignals(
      'base_ecosystem',
      seriesOf({ 'ETH/USDT': dailySteps(MONDAY, closes) }),
      MONDAY,
    ).get('ETH/USDT');
    const sigma = deviation(logs(closes.slice(-31))) ?? 0;
    const from = (days: number) =>
      Math.log((closes.at(-1) ?? 0) / (closes.at(-1 - days) ?? 1)) / (sigma * Math.sqrt(days));
    expect(signal?.z).toBeCloseTo((from(7) + from(14) + from(28)) / 3, 9);
    expect(signal).toMatchObject({ enter: true, leave: false, quality: 1, reason: 'trend_up' });
    expect(signal?.dailyVolatility).toBeCloseTo(sigma, 9);
  });

  it('leaves when the trend is down and has no opinion with too little history', () => {
    const signals = computeSignals(
      'base_ecosystem',
      seriesOf({
        'ETH/USDT': dailySteps(MONDAY, zigzag(40, 0.05, 0.7)),
        'BTC/USDT': dailySteps(MONDAY, zigzag(20, 0.05, 1.3)),
      }),
      MONDAY,
    );
    expect(signals.get('ETH/USDT')).toMatchObject({
      enter: false,
      leave: true,
      reason: 'trend_down',
    });
    expect(signals.get('BTC/USDT')).toMatchObject({
      enter: false,
      leave: false,
      z: null,
      strength: 0,
      reason: 'too_little_history',
    });
  });
});

describe('momentum_24h', () => {
  const coins = (moves: number[], volume = 10) =>
    Object.fromEntries(
      moves.map((move, i) => {
        const closes = zigzag(35, 0.03, move);
        return [
          `A${String.fromCharCode(65 + i)}/USDT`,
          dailySteps(
            MONDAY,
            closes,
            closes.map((_, d) => (d === closes.length - 1 ? volume : 10)),
          ),
        ];
      }),
    );

  it('measures from exactly a day before between whole hours too, where candles are fine enough', () => {
    const at = MONDAY + 55 * 60_000;
    const hours = hourlyTo(
      MONDAY - 2 * DAY_MS,
      Array.from({ length: 40 * 24 }, (_, i) => 100 + (i % 24)),
    );
    const price = (time: number): number =>
      time <= at - DAY_MS ? 100 + ((time - (MONDAY - 2 * DAY_MS)) / DAY_MS) * 20 : 130;
    const fine = Array.from({ length: 2 * 288 + 11 }, (_, i): Candle => {
      const time = MONDAY - 2 * DAY_MS + i * 300_000;
      const close = price(time + 300_000);
      return { time, open: close, high: close, low: close, close, volume: 1 };
    });
    const signal = computeSignals(
      'momentum_24h',
      seriesOf({ 'AA/USDT': [...hours, ...fine] }),
      at,
    ).get('AA/USDT');
    expect(signal?.z).toBeCloseTo(
      Math.log(130 / price(at - DAY_MS)) / (signal?.dailyVolatility ?? 0),
      9,
    );
  });

  it('lets in the top three of the day and lets go below the top six', () => {
    const signals = [
      ...computeSignals(
        'momentum_24h',
        seriesOf(coins([1.01, 1.08, 1.07, 1.06, 1.05, 1.04, 1.03, 1.02])),
        MONDAY,
      ).values(),
    ];
    expect(signals.map((signal) => signal.enter)).toEqual([
      false,
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
    expect(signals.map((signal) => signal.leave)).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
      false,
      true,
    ]);
  });

  it('wants at least the median volume of the week behind a move', () => {
    expect(
      computeSignals('momentum_24h', seriesOf(coins([1.08], 10)), MONDAY).get('AA/USDT'),
    ).toMatchObject({ enter: true });
    expect(
      computeSignals('momentum_24h', seriesOf(coins([1.08], 9)), MONDAY).get('AA/USDT'),
    ).toMatchObject({ enter: false, leave: false, reason: 'thin_volume' });
  });

  it('lets go of a move that has turned where the list is too short to fall out of', () => {
    const signals = computeSignals('momentum_24h', seriesOf(coins([1.05, 0.95])), MONDAY);
    expect(signals.get('AB/USDT')).toMatchObject({
      enter: false,
      leave: true,
      reason: 'move_turned',
    });
  });
});

describe('ranked lists', () => {
  const ten = (end: number, days = 60) =>
    Object.fromEntries(
      Array.from({ length: 10 }, (_, i) => [
        `A${String.fromCharCode(65 + i)}/USDT`,
        dailySteps(end, zigzag(days, 0.04, 1 + i / 100)),
      ]),
    );

  it('lets in the top fifth of the week, lets go below the top two fifths, with z across the list', () => {
    const signals = [...computeSignals('weekly_leaders', seriesOf(ten(MONDAY)), MONDAY).values()];
    expect(signals.map((signal) => signal.enter)).toEqual([
      ...Array<boolean>(8).fill(false),
      true,
      true,
    ]);
    expect(signals.map((signal) => signal.leave)).toEqual([
      ...Array<boolean>(6).fill(true),
      false,
      false,
      false,
      false,
    ]);
    const zs = signals.map((signal) => signal.z ?? Number.NaN);
    expect(zs.reduce((sum, z) => sum + z, 0)).toBeCloseTo(0, 9);
    expect(deviation(zs)).toBeCloseTo(1, 9);
  });

  it('keeps the list of Monday 00:00 UTC for the whole week, whatever prices do', () => {
    const candles = ten(MONDAY);
    const later = MONDAY + 3 * DAY_MS;
    const grown = Object.fromEntries(
      Object.entries(candles).map(([pair, list], i) => [
        pair,
        [
          ...list,
          ...dailySteps(
            later,
            [100, 100, 100].map((close) => close * (i === 0 ? 5 : 1)),
          ),
        ],
      ]),
    );
    const monday = computeSignals('weekly_leaders', seriesOf(candles), MONDAY);
    for (const [pair, signal] of computeSignals('weekly_leaders', seriesOf(grown), later)) {
      expect([signal.enter, signal.leave, signal.z, signal.formedAt]).toEqual([
        monday.get(pair)?.enter,
        monday.get(pair)?.leave,
        monday.get(pair)?.z,
        MONDAY,
      ]);
    }
  });

  it('has no opinion on a list of one', () => {
    expect(
      computeSignals(
        'weekly_leaders',
        seriesOf({ 'AA/USDT': dailySteps(MONDAY, zigzag(60, 0.04, 1.1)) }),
        MONDAY,
      ).get('AA/USDT'),
    ).toMatchObject({ z: null, enter: false, reason: 'too_few_pairs' });
  });

  it('measures champions over the year to date but never under 90 days, formed on the 1st', () => {
    expect(ytdDays(Date.UTC(2022, 1, 1))).toBe(90);
    expect(ytdDays(Date.UTC(2022, 3, 1))).toBe(90);
    expect(ytdDays(Date.UTC(2022, 6, 1))).toBe(181);
    const first = Date.UTC(2022, 6, 1);
    const full = computeSignals('ytd_champions', seriesOf(ten(first, 190)), first + 5 * HOUR_MS);
    expect(full.get('AJ/USDT')).toMatchObject({ enter: true, quality: 1, formedAt: first });
    const short = computeSignals('ytd_champions', seriesOf(ten(first, 172)), first);
    expect(short.get('AJ/USDT')?.quality).toBeCloseTo(172 / 181, 9);
    expect(
      computeSignals('ytd_champions', seriesOf(ten(first, 150)), first).get('AJ/USDT'),
    ).toMatchObject({ enter: false, reason: 'too_little_history' });
  });
});

describe('stablecoin_arbitrage', () => {
  const day = (price: number, wobble = 0.0005) => [
    ...Array.from({ length: 24 * 30 - 1 }, (_, i) => 1 + (i % 2 === 0 ? wobble : -wobble)),
    price,
  ];
  const judge = (closes: number[], pair = 'USDC/USDT') =>
    computeSignals(
      'stablecoin_arbitrage',
      seriesOf({ [pair]: hourlyTo(MONDAY, closes) }),
      MONDAY,
    ).get(pair);

  it('measures the gap to the fair price in spreads of the day', () => {
    const closes = day(0.996);
    const signal = judge(closes);
    const sorted = closes.slice(-24).sort((a, b) => a - b);
    const fair = ((sorted[11] ?? 0) + (sorted[12] ?? 0)) / 2;
    const sigma = (deviation(closes.slice(-24)) ?? 0) / fair;
    const gap = (fair - 0.996) / fair;
    expect(signal?.deviation).toBeCloseTo(gap, 12);
    expect(signal?.z).toBeCloseTo(gap / sigma, 9);
    expect(signal?.edge).toBeCloseTo(gap - sigma, 12);
    expect(signal).toMatchObject({ enter: true, leave: false });
  });

  it('stays out near fair, and lets go at fair or above', () => {
    expect(judge(day(0.9998))).toMatchObject({ enter: false, reason: 'near_fair' });
    expect(judge(day(1.002))).toMatchObject({ enter: false, leave: true });
  });

  it('halts more than one percent off the peg and never takes a fair price further than half a percent', () => {
    expect(judge(day(0.9899))).toMatchObject({ enter: false, leave: false, reason: 'off_peg' });
    expect(judge(day(0.9901))).toMatchObject({ enter: true });
    const depegged = judge(Array.from({ length: 24 * 30 }, (_, i) => 0.991 + (i % 2) * 0.0002));
    expect(depegged?.deviation).toBeCloseTo((0.995 - 0.9912) / 0.995, 9);
  });

  it('trades stablecoins only', () => {
    expect(judge(day(0.996), 'BTC/USDT')).toMatchObject({
      enter: false,
      reason: 'not_a_stablecoin',
    });
  });

  it('ends a trade at a quarter of the gap it began with, or after 48 hours', () => {
    expect(pegTradeIsOver(0.004, MONDAY, 0.0011, MONDAY + HOUR_MS)).toBe(false);
    expect(pegTradeIsOver(0.004, MONDAY, 0.001, MONDAY + HOUR_MS)).toBe(true);
    expect(pegTradeIsOver(0.004, MONDAY, 0.004, MONDAY + 48 * HOUR_MS)).toBe(true);
  });
});

describe('all_pools', () => {
  const candles = {
    'BTC/USDT': dailySteps(MONDAY, zigzag(130, 0.03, 0.9)),
    'ETH/USDT': dailySteps(MONDAY, zigzag(130, 0.03, 1.2)),
    'USDC/USDT': hourlyTo(
      MONDAY,
      Array.from({ length: 24 * 40 }, (_, i) => 1 + (i % 2) * 0.0005),
    ),
  };

  it('gives each strategy that applies an equal share and nets them to one target a pair', () => {
    const signals = computeSignals('all_pools', seriesOf(candles), MONDAY);
    expect([...signals.keys()]).toEqual(['BTC/USDT', 'ETH/USDT', 'USDC/USDT']);
    const eth = signals.get('ETH/USDT');
    expect(eth?.sleeves?.map((sleeve) => sleeve.pool)).toEqual([
      'base_ecosystem',
      'momentum_24h',
      'weekly_leaders',
      'ytd_champions',
    ]);
    expect(eth?.target).toBe((eth?.sleeves ?? []).filter((sleeve) => sleeve.enter).length / 4);
    expect(eth?.target).toBeGreaterThanOrEqual(0.75);
    expect(signals.get('BTC/USDT')).toMatchObject({ target: 0, enter: false });
    expect(signals.get('USDC/USDT')?.sleeves?.map((sleeve) => sleeve.pool)).toEqual([
      'stablecoin_arbitrage',
    ]);
  });

  it('says of each sleeve what the pool alone says over the same pairs', () => {
    const moving = { 'BTC/USDT': candles['BTC/USDT'], 'ETH/USDT': candles['ETH/USDT'] };
    const blend = computeSignals('all_pools', seriesOf(moving), MONDAY);
    for (const pool of [
      'base_ecosystem',
      'momentum_24h',
      'weekly_leaders',
      'ytd_champions',
    ] as const) {
      for (const [pair, alone] of computeSignals(pool, seriesOf(moving), MONDAY)) {
        expect(blend.get(pair)?.sleeves?.find((sleeve) => sleeve.pool === pool)).toMatchObject({
          z: alone.z,
          strength: alone.strength,
          enter: alone.enter,
          leave: alone.leave,
        });
      }
    }
  });
});

describe('the door to the strategies', () => {
  it('judges long-haul agents by 90 days', () => {
    const closes = zigzag(100, 0.05, 1.3);
    const signal = computeSignals(
      'base_ecosystem',
      seriesOf({ 'ETH/USDT': dailySteps(MONDAY, closes) }),
      MONDAY,
      'long-haul',
    ).get('ETH/USDT');
    const sigma = deviation(logs(closes.slice(-31))) ?? 0;
    expect(signal?.z).toBeCloseTo(
      Math.log((closes.at(-1) ?? 0) / (closes.at(-91) ?? 1)) / (sigma * Math.sqrt(90)),
      9,
    );
  });

  it('shares a computation between agents of one pool, one set of pairs and one horizon', () => {
    expect(signalKey('all_pools', ['B/U', 'A/U'], 'high')).toBe(
      signalKey('all_pools', ['A/U', 'B/U'], 'optimized'),
    );
    expect(signalKey('all_pools', ['A/U'], 'high')).not.toBe(
      signalKey('all_pools', ['A/U'], 'long-haul'),
    );
  });

  it('asks for as much history as a pool can use', () => {
    expect(LONGEST_WARM_UP_MS).toBe(91 * DAY_MS);
    const midJuly = Date.UTC(2022, 6, 15);
    // The first of a quarter is no Monday: the list of weeks reaches further back than the year's.
    const quarter = Date.UTC(2026, 0, 1);
    expect(lookbackMs('all_pools', quarter, 'long-haul')).toBe(
      lookbackMs('weekly_leaders', quarter, 'long-haul'),
    );
    expect(lookbackMs('all_pools', midJuly)).toBe(lookbackMs('ytd_champions', midJuly));
    expect(lookbackMs('ytd_champions', midJuly)).toBe((14 + 181 + 1) * DAY_MS);
    expect(lookbackMs('momentum_24h', midJuly)).toBe(32 * DAY_MS);
  });
});
