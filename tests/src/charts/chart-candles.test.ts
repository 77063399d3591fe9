/**
 * The candles of a chart: read again, extended by prices, closed and begun anew, with trades where
 * they belong.
 */
import { describe, expect, it } from 'vitest';
import type { Candles, CandleRow, FormingCandle } from '../../../contract/market.ts';
import {
  NO_CANDLES,
  renewed,
  withNews,
  withOlder,
  withReading,
  type ChartCandles,
  type PriceNews,
} from '../../../src/charts/chart-candles.ts';
import { marksOnCandles, marksSpoken, marksText } from '../../../src/charts/trade-marks.ts';
import fc from '../../support/property.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const FIVE = 5 * MINUTE;
const candle = (hour: number, price = '1'): CandleRow => [
  hour * HOUR,
  price,
  price,
  price,
  price,
  '1',
];
const formingAt = (hour: number, more: Partial<FormingCandle> = {}): FormingCandle => ({
  time: hour * HOUR,
  open: '10',
  high: '12',
  low: '9',
  close: '11',
  volume: '5',
  volumeTo: hour * HOUR + FIVE,
  since: hour * HOUR,
  at: hour * HOUR + FIVE + 10,
  ...more,
});
const reply = (candles: CandleRow[], forming: FormingCandle | null, now: number): Candles => ({
  symbol: 'ETH/USDT',
  interval: '1h',
  candles,
  forming,
  now,
});
const price = (at: number, last: string): PriceNews => ({ now: at, bars: [], price: { at, last } });
const read = (candles: CandleRow[], forming: FormingCandle | null, now: number): ChartCandles =>
  withReading(NO_CANDLES, reply(candles, forming, now), HOUR);
const news = (held: ChartCandles, ...all: PriceNews[]): ChartCandles =>
  all.reduce((so, one) => withNews(so, one, HOUR, FIVE), held);

describe('candles read again', () => {
  it('keep the older ones where both meet, take the newer word, and leave no hole', () => {
    const newer: CandleRow = [3 * HOUR, '2', '2', '2', '2', '2'];
    expect(renewed([candle(1), candle(2), candle(3)], [newer, candle(4)])).toEqual([
      candle(1),
      candle(2),
      newer,
      candle(4),
    ]);
    expect(renewed([candle(1), candle(2)], [candle(8), candle(9)])).toEqual([candle(8), candle(9)]);
    expect(renewed([], [candle(8)])).toEqual([candle(8)]);
    expect(renewed([candle(1)], [])).toEqual([candle(1)]);
  });

  it('take the server’s closed candle in place of the one made of prices, volume and all', () => {
    const rolled = news(read([candle(1)], formingAt(2), 2.5 * HOUR), {
      now: 3 * HOUR + 5,
      bars: [[3 * HOUR, '20', '21', '19', '20']],
      price: { at: 3 * HOUR + 5, last: '20' },
    });
    expect(rolled.closed.at(-1)).toEqual([2 * HOUR, '10', '12', '9', '11', null]);
    expect(rolled.unconfirmed).toBe(2 * HOUR);
    const told: CandleRow = [2 * HOUR, '10', '13', '9', '11.5', '77'];
    const after = withReading(
      rolled,
      reply([candle(1), told], formingAt(3, { open: '20' }), 3 * HOUR + 10),
      HOUR,
    );
    expect(after).toMatchObject({ closed: [candle(1), told], unconfirmed: null, gap: false });
  });

  it('keep the one made of prices while the server is late with it, and let it go where it never comes', () => {
    const rolled = news(read([candle(1)], formingAt(2), 2.5 * HOUR), price(3 * HOUR + 5, '20'));
    const late = withReading(rolled, reply([candle(1)], formingAt(3), 3 * HOUR + 100), HOUR);
    expect(late.closed.map(([at]) => at / HOUR)).toEqual([1, 2]);
    expect(late.unconfirmed).toBe(2 * HOUR);
    const never = withReading(
      rolled,
      reply([candle(1)], formingAt(3), 3 * HOUR + 2 * MINUTE),
      HOUR,
    );
    expect(never.closed.map(([at]) => at / HOUR)).toEqual([1]);
  });

  it('grow at the front only where older ones belong before what is held', () => {
    const held = read([candle(3), candle(4)], null, 5 * HOUR);
    expect(withOlder(held, [candle(1), candle(2), candle(3)], 3 * HOUR).closed).toEqual([
      candle(1),
      candle(2),
      candle(3),
      candle(4),
    ]);
    expect(withOlder(held, [candle(1)], 2 * HOUR)).toBe(held);
  });
});

describe('the forming candle', () => {
  const held = read([candle(1)], formingAt(2), 2 * HOUR + FIVE + 10);

  it('takes every price of its own interval, extremes and close, and never a volume', () => {
    const { forming } = news(
      held,
      price(2 * HOUR + 400_000, '13'),
      price(2 * HOUR + 500_000, '8.5'),
      price(2 * HOUR + 600_000, '10.5'),
    );
    expect(forming).toMatchObject({
      open: '10',
      high: '13',
      low: '8.5',
      close: '10.5',
      volume: '5',
      at: 2 * HOUR + 600_000,
    });
  });

  it('takes the extremes between two events from their bars', () => {
    const { forming } = news(held, {
      now: 2 * HOUR + 600_000,
      bars: [[2 * HOUR + FIVE, '11', '14.2', '7.7', '9']],
      price: { at: 2 * HOUR + 600_000, last: '9' },
    });
    expect(forming).toMatchObject({ high: '14.2', low: '7.7', close: '9' });
  });

  it('is not moved by a price that is older than its last, nor by one of a candle that has closed', () => {
    expect(news(held, price(2 * HOUR + FIVE, '10')).forming?.close).toBe('11');
    expect(news(held, price(2 * HOUR - 1, '99'))).toEqual(held);
  });

  it('closes at its end and begins the next without a gap, as the bars say', () => {
    const next = news(held, {
      now: 3 * HOUR + 10,
      bars: [
        [3 * HOUR - FIVE, '11', '15', '11', '12'],
        [3 * HOUR, '12', '12.5', '11.9', '12.2'],
      ],
      price: { at: 3 * HOUR + 10, last: '12.2' },
    });
    expect(next.closed.at(-1)).toEqual([2 * HOUR, '10', '15', '9', '12', null]);
    expect(next.forming).toMatchObject({
      time: 3 * HOUR,
      open: '12',
      high: '12.5',
      low: '11.9',
      close: '12.2',
      volume: null,
      since: 3 * HOUR,
    });
  });

  it('says that prices are missing where one begins without its first bar, a candle is skipped or a bar was lost', () => {
    expect(news(held, price(3 * HOUR + 10, '12'))).toMatchObject({
      gap: true,
      forming: { since: 3 * HOUR + 10 },
    });
    expect(
      news(held, { now: 4 * HOUR + 1, bars: [[4 * HOUR, '12', '12', '12', '12']], price: null })
        .gap,
    ).toBe(true);
    const bar = (at: number): PriceNews => ({
      now: at,
      bars: [[at, '11', '11', '11', '11']],
      price: null,
    });
    expect(news(held, bar(2 * HOUR + FIVE), bar(2 * HOUR + 2 * FIVE)).gap).toBe(false);
    expect(news(held, bar(2 * HOUR + FIVE), bar(2 * HOUR + 4 * FIVE)).gap).toBe(true);
  });

  it('is, whatever prices come and however the stream bundles them, what the prices since the last close make', () => {
    const step = fc.record({
      wait: fc.integer({ min: 1, max: 20 }),
      last: fc.integer({ min: 1, max: 500 }),
      tell: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const ticks: { at: number; last: number }[] = [];
        const bars = new Map<number, [number, string, string, string, string]>();
        let [state, at, toldTo] = [news(read([candle(0)], null, HOUR)), HOUR, 0];
        for (const { wait, last, tell } of steps) {
          at += wait * MINUTE;
          ticks.push({ at, last });
          const time = Math.floor(at / FIVE) * FIVE;
          const inBar = ticks
            .filter((tick) => Math.floor(tick.at / FIVE) * FIVE === time)
            .map((tick) => tick.last);
          bars.set(time, [
            time,
            String(inBar[0]),
            String(Math.max(...inBar)),
            String(Math.min(...inBar)),
            String(last),
          ]);
          if (!tell) continue;
          state = news(state, {
            now: at,
            bars: [...bars.values()].filter(([open]) => open >= toldTo),
            price: { at, last: String(last) },
          });
          toldTo = time;
        }
        const { forming } = state;
        if (forming === null) return;
        const mine = ticks
          .filter((tick) => tick.at >= forming.time && tick.at <= forming.at)
          .map((tick) => tick.last);
        expect([forming.open, forming.high, forming.low, forming.close].map(Number)).toEqual([
          mine[0],
          Math.max(...mine),
          Math.min(...mine),
          mine.at(-1),
        ]);
        for (const [time, , high, low] of state.closed.slice(1)) {
          const inside = ticks
            .filter((tick) => Math.floor(tick.at / HOUR) * HOUR === time)
            .map((tick) => tick.last);
          expect([Number(high), Number(low)]).toEqual([Math.max(...inside), Math.min(...inside)]);
        }
      }),
    );
  });
});

describe('trades', () => {
  it('stand on the candle whose interval holds their time, the forming one too, one mark a side with its count', () => {
    const opens = new Set([1, 2, 3].map((hour) => hour * HOUR));
    const marks = marksOnCandles(
      [
        { at: 2 * HOUR + 10, side: 'sell' },
        { at: 2 * HOUR, side: 'buy' },
        { at: 3 * HOUR - 1, side: 'buy' },
        { at: 3 * HOUR + 5, side: 'sell' },
        { at: 4 * HOUR, side: 'sell' },
        { at: 9, side: 'buy' },
      ],
      opens,
      HOUR,
    );
    expect(marks).toEqual([
      { time: 2 * HOUR, side: 'buy', count: 2 },
      { time: 2 * HOUR, side: 'sell', count: 1 },
      { time: 3 * HOUR, side: 'sell', count: 1 },
    ]);
    expect(marksText(marks.slice(0, 2))).toBe('B 2, S');
    expect(marksSpoken(marks.slice(0, 2))).toBe('bought twice, sold');
  });
});
