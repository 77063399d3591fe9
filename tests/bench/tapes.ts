/**
 * Long tapes for the benchmark of the engine: the recorded pairs joined end to end where they lie
 * beside the project, a made walk where not.
 */
import type { PoolId } from '../../contract/agents.ts';
import type { CandleRow } from '../../contract/market.ts';
import { riskValues } from '../../engine/execution/risk-profiles.ts';
import { DAY_MS, HOUR_MS } from '../../engine/execution/schedule.ts';
import type { Candle } from '../../engine/market-types.ts';
import type { BacktestOrder } from '../../src/backtest/worker-messages.ts';
import { FIVE_MINUTES, hasRecorded, madeTape, recorded } from '../engine/tape.ts';

const FROM = Date.UTC(2015, 0, 1);
const BASES = ['BTC', 'ETH', 'SOL', 'AVAX', 'LINK', 'DOT', 'ATOM', 'ADA', 'MATIC'].filter((base) =>
  hasRecorded('5m', base),
);

export const TAPE_NAME =
  BASES.length > 0
    ? `recorded (${BASES.length} pairs joined, each also the other way round)`
    : 'made';

/** The same market quoted the other way round: what fell rises, and as much money changes hands. */
const inverted = (tape: readonly Candle[]): Candle[] =>
  tape.map(({ close, high, low, open, time, volume }) => ({
    time,
    open: 1 / open,
    high: 1 / low,
    low: 1 / high,
    close: 1 / close,
    volume: volume * open * open,
  }));

/**
 * The pairs one after the other, each as it was and then quoted the other way round, so that the
 * price comes back to where it began; each taken on from the price at which the one before ended,
 * as often as it takes; prices to the cent.
 */
export function longTape(count: number): Candle[] {
  const tapes = (
    BASES.length > 0 ? BASES.map((base) => recorded('5m', base)) : [madeTape(11, FROM, 50_000)]
  ).flatMap((tape) => [tape, inverted(tape)]);
  const joined: Candle[] = [];
  let last = 40_000;
  for (let next = 0; joined.length < count; next += 1) {
    const tape = tapes[next % tapes.length] ?? [];
    const scale = last / (tape[0]?.open ?? 1);
    const cents = (price: number): number => Number((price * scale).toFixed(2));
    for (const candle of tape.slice(0, count - joined.length)) {
      joined.push({
        time: FROM + joined.length * FIVE_MINUTES,
        open: cents(candle.open),
        high: cents(candle.high),
        low: cents(candle.low),
        close: cents(candle.close),
        volume: candle.volume / scale,
      });
    }
    last = joined.at(-1)?.close ?? last;
  }
  return joined;
}

const POOL_PAIRS = ['BTC', 'ETH', 'LINK', 'AVAX', 'DOT'];

/**
 * What the page hands to its worker for a test of so many days on five-minute candles: hourly
 * history, then the candles, as the server writes them.
 */
export function poolOrder(pool: PoolId, days: number): BacktestOrder {
  const there = POOL_PAIRS.every((base) => hasRecorded('5m', base) && hasRecorded('1h', base));
  const fine = new Map(
    POOL_PAIRS.map((base, index) => [
      `${base}/USDT`,
      there ? recorded('5m', base) : madeTape(index + 1, FROM, 100 * 288),
    ]),
  );
  const to = Math.min(...[...fine.values()].map((tape) => (tape.at(-1)?.time ?? 0) + FIVE_MINUTES));
  const from = to - days * DAY_MS;
  const historyFrom = from - 150 * DAY_MS;
  const rows = (pair: string, index: number): CandleRow[] => {
    const tape = fine.get(pair) ?? [];
    const begins = tape[0]?.time ?? 0;
    const hourly = (
      there
        ? recorded('1h', pair.split('/')[0] ?? '')
        : madeTape(index + 1, historyFrom, 160 * 24, HOUR_MS)
    ).filter((candle) => candle.time >= historyFrom && candle.time < begins);
    return [...hourly, ...tape].map(({ close, high, low, open, time, volume }) => [
      time,
      String(open),
      String(high),
      String(low),
      String(close),
      String(volume),
    ]);
  };
  return {
    terms: {
      commandId: '0',
      quote: 'USDT',
      deposit: '10000',
      maxTradeAmount: '1000000',
      baseInterval: '5m',
      from,
      to,
      historyFrom,
      agent: {
        pool,
        profile: 'Aggressive',
        risk: riskValues('Aggressive'),
        pairs: [...fine.keys()],
        maxPositionSize: '5000',
        interval: '5-minute',
        frequency: 'optimized',
      },
      rules: [...fine.keys()].map((pair) => ({
        pair,
        base: pair.split('/')[0] ?? '',
        quote: 'USDT',
        lot: '0.00001',
        minNotional: '10',
        halfSpreadBps: 2,
        feeBps: 10,
      })),
    },
    candles: Object.fromEntries([...fine.keys()].map((pair, index) => [pair, rows(pair, index)])),
  };
}
