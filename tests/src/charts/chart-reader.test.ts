/**
 * When a chart asks the server, what it makes of the stream meanwhile, and what it shows without
 * either.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Candles, CandleRow, FormingCandle, SymbolQuote } from '../../../contract/market.ts';
import { ChartReader, type ChartPorts } from '../../../src/charts/chart-reader.ts';
import type { PriceListener } from '../../../src/stores/price-news.ts';

const HOUR = 3_600_000;
const FIVE = 300_000;
const candle = (hour: number, volume = '1'): CandleRow => [
  hour * HOUR,
  '10',
  '10',
  '10',
  '10',
  volume,
];
const forming = (hour: number, at: number, more: Partial<FormingCandle> = {}): FormingCandle => ({
  time: hour * HOUR,
  open: '10',
  high: '11',
  low: '9',
  close: '10',
  volume: null,
  volumeTo: hour * HOUR,
  since: hour * HOUR,
  at,
  ...more,
});
const answer = (from: number, to: number, now: number, open: FormingCandle | null): Candles => ({
  symbol: 'ETH/USDT',
  interval: '1h',
  candles: Array.from({ length: to - from }, (_, index) => candle(from + index)),
  forming: open,
  now,
});
const quote = (at: number, price: string): SymbolQuote => ({
  symbol: 'ETH/USDT',
  price,
  bid: null,
  ask: null,
  volume_24h: null,
  high_24h: null,
  low_24h: null,
  price_change_24h: null,
  timestamp: at,
  stale: false,
});

interface Asked {
  limit: number;
  before?: number | undefined;
  answer(reply: Candles): Promise<void>;
  fail(): Promise<void>;
}

function open(more: Partial<ChartPorts> = {}) {
  const asked: Asked[] = [];
  const kept: Candles[] = [];
  let listener: PriceListener | null = null;
  let turn: () => void = () => undefined;
  const settled = () => vi.advanceTimersByTimeAsync(0);
  const ports: ChartPorts = {
    read: ({ limit, before }) =>
      new Promise((resolve, reject) => {
        asked.push({
          limit,
          before,
          answer: (reply) => {
            resolve(reply);
            return settled().then();
          },
          fail: () => {
            reject(new Error('away'));
            return settled().then();
          },
        });
      }),
    hear: (one) => {
      listener = one;
      return () => {
        listener = null;
      };
    },
    kept: async () => null,
    keep: (reading) => {
      kept.push(reading);
    },
    whileSeen: (_every, work) => {
      turn = work;
      return () => {
        turn = () => undefined;
      };
    },
    online: () => true,
    barMs: () => FIVE,
    random: () => 0,
    ...more,
  };
  const reader = new ChartReader({ symbol: 'ETH/USDT', interval: '1h' }, ports, () => undefined);
  reader.start();
  return {
    reader,
    asked,
    kept,
    last: () => asked.at(-1) ?? expect.unreachable('nothing was asked'),
    gap: () => {
      listener?.onGap();
    },
    turn: () => {
      turn();
    },
    hears: () => listener !== null,
    tell: (at: number, price: string, bars: [number, string, string, string, string][] = []) => {
      listener?.onPrices({
        now: at,
        symbols: [quote(at, price)],
        ...(bars.length === 0 ? {} : { bars: { 'ETH/USDT': bars } }),
      });
    },
  };
}

const AT = 10 * HOUR + 2 * FIVE;
async function begun(more: Partial<ChartPorts> = {}) {
  const chart = open(more);
  await chart.last().answer(answer(0, 10, AT, forming(10, AT)));
  return chart;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a chart', () => {
  it('asks for enough at first, and lets nothing that is heard before the answer be lost', async () => {
    const { reader, asked, last, tell } = open();
    expect(asked.map(({ limit }) => limit)).toEqual([400]);
    tell(AT - 1, '99');
    tell(AT + 5, '12', [[10 * HOUR + 2 * FIVE, '10', '13', '10', '12']]);
    expect(reader.reading.known).toBe(false);
    await last().answer(answer(0, 10, AT, forming(10, AT)));
    // What was told before the answer's own moment is in it already.
    expect(reader.reading.forming).toMatchObject({
      open: '10',
      high: '13',
      low: '9',
      close: '12',
      at: AT + 5,
    });
    await vi.advanceTimersByTimeAsync(30_000);
    expect(asked).toHaveLength(1);
  });

  it('asks for what has closed, a little at a time, and takes the server’s word for it', async () => {
    const { reader, asked, last, tell } = await begun();
    tell(11 * HOUR + 5, '20', [
      [11 * HOUR - FIVE, '10', '15', '10', '12'],
      [11 * HOUR, '20', '20', '20', '20'],
    ]);
    expect(reader.reading.closed.at(-1)).toEqual([10 * HOUR, '10', '15', '9', '12', null]);
    expect(reader.reading.forming).toMatchObject({ time: 11 * HOUR, open: '20' });
    await vi.advanceTimersByTimeAsync(4_000);
    expect(asked).toHaveLength(2);
    expect(last().limit).toBeLessThan(40);
    await last().answer({
      ...answer(5, 10, 11 * HOUR + 9, forming(11, 11 * HOUR + 9)),
      candles: [candle(8), candle(9), [10 * HOUR, '10', '16', '9', '12', '77']],
    });
    expect(reader.reading.closed).toHaveLength(11);
    expect(reader.reading.closed.at(-1)).toEqual([10 * HOUR, '10', '16', '9', '12', '77']);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(asked).toHaveLength(2);
  });

  it('asks a few times, not for ever, for a candle that the source has not', async () => {
    const { asked, last, tell } = await begun();
    tell(11 * HOUR + 5, '20', [[11 * HOUR, '20', '20', '20', '20']]);
    for (let round = 0; round < 12; round += 1) {
      await vi.advanceTimersByTimeAsync(4_000);
      await last().answer(answer(5, 10, 11 * HOUR + 10 + round, forming(11, 11 * HOUR + 9)));
    }
    expect(asked.length).toBeGreaterThan(2);
    expect(asked.length).toBeLessThan(7);
  });

  it('asks again after a gap of the stream, once more where it was asking already, and for all where a short answer leaves a hole', async () => {
    const { reader, asked, last, gap } = await begun();
    gap();
    gap();
    expect(asked).toHaveLength(2);
    await last().answer(answer(40, 60, 60 * HOUR + 5, forming(60, 60 * HOUR + 5)));
    expect(reader.reading.closed.at(-1)?.[0]).toBe(9 * HOUR);
    await vi.advanceTimersByTimeAsync(10);
    expect(last().limit).toBe(400);
    await last().answer(answer(0, 60, 60 * HOUR + 5, forming(60, 60 * HOUR + 5)));
    expect(reader.reading.closed).toHaveLength(60);
  });

  it('keeps what it has where the server fails, and says so', async () => {
    const { reader, turn, last } = await begun();
    turn();
    await last().fail();
    expect(reader.reading.closed).toHaveLength(10);
    expect(reader.reading.error).toBeInstanceOf(Error);
    turn();
    await last().answer(answer(0, 10, AT + 1, forming(10, AT + 1)));
    expect(reader.reading.error).toBeNull();
  });

  it('shows what the device kept without extending it by prices, until the server has answered', async () => {
    const past = { savedAt: 5, reading: answer(0, 8, 8 * HOUR + 7, forming(8, 8 * HOUR + 7)) };
    let online = false;
    const { reader, asked, tell, gap, last } = open({
      kept: async () => past,
      online: () => online,
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(asked).toEqual([]);
    expect(reader.reading).toMatchObject({
      known: true,
      kept: true,
      heardAt: 5,
      forming: { time: 8 * HOUR, close: '10' },
    });
    tell(8 * HOUR + 60, '50');
    expect(reader.reading).toMatchObject({ heardAt: 5, forming: { close: '10', high: '11' } });
    online = true;
    gap();
    expect(last().limit).toBe(400);
    await last().answer(answer(3, 10, AT, forming(10, AT)));
    // Nobody has said whether the kept candles and these belong together.
    expect(reader.reading).toMatchObject({ kept: false, closed: answer(3, 10, AT, null).candles });
  });

  it('hands the device what the server has said, and no candle made of prices alone', async () => {
    const { kept, tell, gap, last } = await begun();
    tell(11 * HOUR + 5, '20', [[11 * HOUR, '20', '20', '20', '20']]);
    gap();
    await last().answer(answer(5, 10, 11 * HOUR + 9, forming(11, 11 * HOUR + 9)));
    expect(kept).toHaveLength(2);
    expect(kept.at(-1)?.candles).toEqual(answer(0, 10, 0, null).candles);
    expect(kept.at(-1)?.forming).toMatchObject({ time: 11 * HOUR });
  });

  it('asks once for what lies before its first candle, and not while the server is away', async () => {
    const { reader, asked, last } = open();
    await last().answer(answer(5, 10, AT, forming(10, AT)));
    reader.older();
    reader.older();
    expect(asked.map(({ before }) => before)).toEqual([undefined, 5 * HOUR]);
    await last().answer(answer(2, 5, AT, null));
    expect(reader.reading.closed).toHaveLength(8);
    expect(reader.reading.forming).not.toBeNull();
  });

  it('hears nothing and asks for nothing after it has ended', async () => {
    const { reader, asked, hears } = await begun();
    reader.stop();
    reader.again();
    await vi.advanceTimersByTimeAsync(120_000);
    expect([asked.length, hears()]).toEqual([1, false]);
  });
});
