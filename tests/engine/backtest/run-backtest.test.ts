/** A backtest uses the live functions, never looks ahead and is repeatable. */
import { describe, expect, it } from 'vitest';
import { add, parseFixed, subtract, sum, toNumber } from '../../../contract/money.ts';
import { backtest } from '../../../engine/backtest/run-backtest.ts';
import type { BacktestInput } from '../../../engine/backtest/run-backtest.ts';
import { fillEntries, sumsByAsset } from '../../../engine/accounting/ledger.ts';
import { riskValues } from '../../../engine/execution/risk-profiles.ts';
import { DAY_MS, HOUR_MS } from '../../../engine/execution/schedule.ts';
import { LONGEST_WARM_UP_MS } from '../../../engine/signals/compute-signals.ts';
import type { Candle } from '../../../engine/market-types.ts';
import { FIVE_MINUTES, hasRecorded, madeTape, MONDAY, recorded, rulesOf } from '../tape.ts';

const inputOf = (
  candles: Map<string, Candle[]>,
  from: number,
  to: number,
  more: Partial<BacktestInput['agent']> = {},
): BacktestInput => ({
  agent: {
    pool: 'all_pools',
    profile: 'Aggressive',
    risk: riskValues('Aggressive'),
    pairs: [...candles.keys()],
    maxPositionSize: parseFixed('1000000'),
    interval: '5-minute',
    frequency: 'optimized',
    ...more,
  },
  candles,
  rules: new Map([...candles.keys()].map((pair) => [pair, rulesOf(pair)])),
  deposit: parseFixed('10000'),
  maxTradeAmount: parseFixed('1000000'),
  from,
  to,
});
const made = () =>
  new Map(
    ['AAA/USDT', 'BBB/USDT', 'CCC/USDT'].map((pair, i) => [
      pair,
      madeTape(i + 1, MONDAY - 60 * DAY_MS, 66 * 288),
    ]),
  );

describe('backtest', () => {
  it('trades, and its books add up to the last digit', () => {
    const result = backtest(inputOf(made(), MONDAY, MONDAY + 5 * DAY_MS));
    expect(result.trades.length).toBeGreaterThan(3);
    const cash = result.trades.reduce(
      (left, fill) =>
        fill.side === 'buy'
          ? subtract(left, add(fill.notional, fill.fee))
          : add(left, subtract(fill.notional, fill.fee)),
      parseFixed('10000'),
    );
    expect(result.cash).toBe(cash);
    expect(cash >= 0n).toBe(true);
    const entries = result.trades.flatMap((fill) => fillEntries('a', fill));
    expect([...sumsByAsset(entries).values()].every((total) => total === 0n)).toBe(true);
    expect(result.curve.worthAt(result.curve.length - 1)).toBe(result.finalEquity);
    expect(result.candles).toBe(3 * 5 * 288);
    expect(result.metrics.totalReturn).toBeCloseTo(toNumber(result.finalEquity) / 10_000 - 1, 9);
  });

  it('trades a stablecoin off its fair price on hourly candles with looks every 20 minutes', () => {
    const hours = 40 * 24;
    const dip = (i: number): boolean => i >= 36 * 24 && i < 36 * 24 + 3;
    const close = (i: number): number => (dip(i) ? 0.993 : 1 + (i % 2) * 0.0003);
    const candles = Array.from({ length: hours }, (_, i): Candle => {
      const [open, end] = [close(i - 1), close(i)];
      return {
        time: MONDAY + i * HOUR_MS,
        open,
        high: Math.max(open, end),
        low: Math.min(open, end),
        close: end,
        volume: 2_000_000,
      };
    });
    const from = MONDAY + 35 * DAY_MS;
    const { trades } = backtest(
      inputOf(new Map([['USDC/USDT', candles]]), from, MONDAY + 39 * DAY_MS, {
        pool: 'stablecoin_arbitrage',
        interval: '20-minute',
        frequency: 'high',
      }),
    );
    expect(trades.map((fill) => fill.side)).toEqual(['buy', 'sell']);
    expect(toNumber(trades[1]?.price ?? parseFixed('0'))).toBeGreaterThan(
      toNumber(trades[0]?.price ?? parseFixed('9')),
    );
  });

  it('gives the same journal every time', () => {
    const run = () => backtest(inputOf(made(), MONDAY, MONDAY + 3 * DAY_MS));
    expect(run()).toEqual(run());
  });

  it('fills a decision at the open of the next candle, not at the close it was made on, and never better than it', () => {
    const tape = made();
    const { trades, acted } = backtest(inputOf(tape, MONDAY, MONDAY + 3 * DAY_MS));
    const entries = trades.filter((fill) => fill.side === 'buy');
    expect(entries.length).toBeGreaterThan(0);
    for (const fill of entries) {
      const bar = tape.get(fill.pair)?.find((candle) => candle.time === fill.filledAt);
      expect(toNumber(fill.price)).toBeGreaterThan(bar?.open ?? Number.POSITIVE_INFINITY);
      expect(acted.some((act) => act.at === fill.filledAt && act.decision.pair === fill.pair)).toBe(
        true,
      );
    }
  });

  it('does not change what was traded before N when the tape after N is cut off', () => {
    const end = MONDAY + 2 * DAY_MS;
    const whole = backtest(inputOf(made(), MONDAY, MONDAY + 5 * DAY_MS));
    const cut = backtest(
      inputOf(
        new Map(
          [...made()].map(([pair, candles]) => [
            pair,
            candles.filter((candle) => candle.time < end),
          ]),
        ),
        MONDAY,
        end,
      ),
    );
    expect(cut.trades.length).toBeGreaterThan(0);
    expect(cut.trades).toEqual(whole.trades.filter((fill) => fill.filledAt < end));
  });

  it('counts the pause after a stop in a daily candle from the end of that candle', () => {
    const flat = Array.from({ length: 20 }, (_, day) => ({
      time: MONDAY + (day - 10) * DAY_MS,
      ...{ open: 100, high: 100, low: day === 12 ? 70 : 100, close: 100, volume: 1e6 },
    }));
    const always = ({ pairs }: { pairs: ReadonlyMap<string, unknown> }) =>
      new Map(
        [...pairs.keys()].map((pair) => [
          pair,
          {
            ...{ pair, z: 1, strength: 1, quality: 1, enter: true, leave: false },
            ...{ dailyVolatility: 0.02, reason: 'always' },
          },
        ]),
      );
    const { trades } = backtest({
      ...inputOf(new Map([['AAA/USDT', flat]]), MONDAY, MONDAY + 8 * DAY_MS, { frequency: 'high' }),
      strategy: always,
    });
    const days = trades.map(({ side, filledAt }) => [side, (filledAt - MONDAY) / DAY_MS]);
    // Hit on the third day, at an hour that nobody knows: a day's pause ends a day after its end.
    expect(days.slice(0, 3)).toEqual([
      ['buy', 0],
      ['sell', 2],
      ['buy', 4],
    ]);
  });

  it('pays for a gap through the stop', () => {
    const tape = made();
    const crash = MONDAY + DAY_MS;
    for (const [pair, candles] of tape)
      tape.set(
        pair,
        candles.map((candle) =>
          candle.time < crash
            ? candle
            : {
                ...candle,
                open: candle.open / 2,
                high: candle.high / 2,
                low: candle.low / 2,
                close: candle.close / 2,
              },
        ),
      );
    const { trades, metrics } = backtest(inputOf(tape, MONDAY, MONDAY + 2 * DAY_MS));
    const stops = trades.filter((fill) => fill.reason === 'stop_loss' && fill.filledAt === crash);
    expect(stops.length).toBeGreaterThan(0);
    for (const fill of stops) {
      const bar = tape.get(fill.pair)?.find((candle) => candle.time === crash);
      expect(toNumber(fill.price)).toBeLessThan(bar?.open ?? 0);
    }
    expect(metrics.maxDrawdown).toBeLessThan(0);
  });

  it.runIf(hasRecorded('5m', 'BTC'))(
    'finds a first trade soon on the recorded tape, whenever it starts after the warm-up',
    () => {
      const tape = new Map(
        ['BTC', 'ETH', 'SOL'].map((base) => [`${base}/USDT`, recorded('5m', base)]),
      );
      const begin = (tape.get('BTC/USDT')?.[0]?.time ?? 0) + LONGEST_WARM_UP_MS;
      for (const frequency of ['optimized', 'high'] as const) {
        for (let late = 0; late <= 40; late += 8) {
          const from = begin + late * HOUR_MS + FIVE_MINUTES;
          const { trades } = backtest(inputOf(tape, from, from + 24 * HOUR_MS, { frequency }));
          expect(sum(trades.map((fill) => fill.notional)) > 0n, `${frequency}, ${late} h in`).toBe(
            true,
          );
        }
      }
    },
  );
});
