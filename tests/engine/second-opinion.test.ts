/** Another implementation of the same rule on the same candles: the npm package grademark makes the same trades; refuses to compare what costs money. */
import { DataFrame } from 'data-forge';
import { backtest as otherBacktest, type IBar, type IStrategy } from 'grademark';
import { describe, expect, it } from 'vitest';
import { negate, parseFixed, toNumber } from '../../contract/money.ts';
import { backtest } from '../../engine/backtest.ts';
import { indexAt } from '../../engine/series.ts';
import { HOUR_MS } from '../../engine/schedule.ts';
import type { StrategyInput } from '../../engine/strategies/strategy.ts';
import type { Candle, Signal } from '../../engine/types.ts';
import { FIVE_MINUTES, hasRecorded, madeTape, MONDAY, recorded, rulesOf } from './tape.ts';

const [FAST, SLOW] = [12, 48];
const PAIR = 'BTC/USDT';
type Round = [enteredAt: number, paid: number, leftAt: number, got: number];

/** Ours: in when the fast average stands over the slow one, out when it stood under it at two closes: the other one does not look at its way out in the candle it got in. */
function cross({ at, pairs }: StrategyInput): Map<string, Signal> {
  return new Map([...pairs].flatMap(([pair, series]): [string, Signal][] => {
    const last = indexAt(series, at);
    if (last < SLOW) return [];
    const average = (count: number, end: number): number => series.close.subarray(end + 1 - count, end + 1).reduce((sum, close) => sum + close, 0) / count;
    const over = (end: number): number => average(FAST, end) - average(SLOW, end);
    const [now, before] = [over(last), over(last - 1)];
    // A volatility of next to nothing: no price impact, and no limit to the size by it.
    return [[pair, { pair, z: now, strength: 1, quality: 1, enter: now > 0, leave: now < 0 && before < 0, dailyVolatility: 1e-15, reason: now > 0 ? 'in_top' : 'not_in_top' }]];
  }));
}

function ours(candles: readonly Candle[]): Round[] {
  const from = candles[0]?.time ?? 0;
  const { trades } = backtest({
    agent: {
      pool: 'momentum_24h', profile: 'Aggressive', pairs: [PAIR], maxPositionSize: parseFixed('1000'), interval: '5-minute', frequency: 'high',
      risk: { threshold: 0, maxPosition: 1, stopLoss: 1, riskPerTrade: 1, volatilityTarget: 1, dayLossHalt: 9, drawdownHalt: 9 },
    },
    candles: new Map([[PAIR, candles]]), rules: new Map([[PAIR, rulesOf(PAIR, { halfSpreadBps: 0, feeBps: 0, lot: parseFixed('0.00000001') })]]),
    deposit: parseFixed('1000000'), maxTradeAmount: parseFixed('1000000'), strategy: cross, from, to: (candles.at(-1)?.time ?? 0) + FIVE_MINUTES,
  });
  const rounds: Round[] = [];
  let held = 0n;
  let entry: [number, number] = [0, 0];
  // Between the first purchase and the last sale it may add and take away; the other one cannot.
  for (const { filledAt, price, quantity, side } of trades) {
    if (held === 0n) entry = [filledAt, toNumber(price)];
    held += side === 'buy' ? quantity : negate(quantity);
    if (held === 0n) rounds.push([...entry, filledAt, toNumber(price)]);
  }
  return rounds;
}

interface Bar extends IBar { over: number; overBefore: number }

function theirs(candles: readonly Candle[]): Round[] {
  const prices = new DataFrame<number, IBar>(candles.map((candle) => ({ ...candle, time: new Date(candle.time) })));
  const averageOver = (count: number) => prices.deflate((bar) => bar.close).rollingWindow(count).select<[number, number]>((window) => [window.getIndex().last(), window.average()])
    .withIndex(([index]) => index).select(([, value]) => value);
  const rows = prices.withSeries('fast', averageOver(FAST)).withSeries('slow', averageOver(SLOW)).skip(SLOW - 1).toArray() as unknown as (IBar & { fast: number; slow: number })[];
  const bars = new DataFrame<number, Bar>(rows.slice(1).map((bar, index) => ({ ...bar, over: bar.fast - bar.slow, overBefore: (rows[index]?.fast ?? NaN) - (rows[index]?.slow ?? NaN) })));
  let leftAt = -Infinity;
  const strategy: IStrategy<Bar> = {
    // The house waits an hour before it buys back what it has sold.
    entryRule: (enter, { bar }) => { if (bar.over > 0 && bar.time.getTime() + FIVE_MINUTES >= leftAt + HOUR_MS) enter(); },
    exitRule: (exit, { bar }) => { if (bar.over < 0 && bar.overBefore < 0) { leftAt = bar.time.getTime() + FIVE_MINUTES; exit(); } },
  };
  // What is open at the end is closed there by it alone.
  return otherBacktest<IBar, Bar, object, number>(strategy as never, bars as never).filter(({ exitReason }) => exitReason !== 'finalize')
    .map(({ entryPrice, entryTime, exitPrice, exitTime }) => [entryTime.getTime(), entryPrice, exitTime.getTime(), exitPrice]);
}

describe('a cross of moving averages without costs', () => {
  it.each([['a made tape', () => madeTape(11, MONDAY, 6_000).map((candle) => ({ ...candle, open: Number(candle.open.toFixed(6)) }))], ...(hasRecorded('5m', 'BTC') ? [['five-minute candles of Bitcoin', () => recorded('5m', 'BTC')] as const] : [])] as const)(
    'makes the same trades as grademark on %s', (_name, read) => {
      const candles = read();
      const rounds = ours(candles);
      expect(rounds.length).toBeGreaterThan(50);
      expect(rounds).toEqual(theirs(candles));
    },
  );
});
