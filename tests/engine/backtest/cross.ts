/**
 * A moving-average cross in our engine and in the npm package grademark, made comparable: the same
 * rule, waits and stop.
 */
import { DataFrame, type IDataFrame } from 'data-forge';
import { backtest as otherBacktest, type IBar, type IStrategy } from 'grademark';
import { negate, parseFixed, toNumber } from '../../../contract/money.ts';
import type { BacktestInput } from '../../../engine/backtest/run-backtest.ts';
import { DAY_MS, HOUR_MS } from '../../../engine/execution/schedule.ts';
import { indexAt } from '../../../engine/signals/candle-series.ts';
import type { Series } from '../../../engine/signals/candle-series.ts';
import type { StrategyInput, Sweep } from '../../../engine/strategies/strategy.ts';
import type { Candle } from '../../../engine/market-types.ts';
import type { FillDraft } from '../../../engine/execution/agent-types.ts';
import type { Signal } from '../../../engine/signals/signal.ts';
import { FIVE_MINUTES, rulesOf } from '../tape.ts';

const FAST = 12;
const SLOW = 48;
export const PAIR = 'BTC/USDT';

/**
 * Enters when the fast average is above the slow one, leaves when it was below at two closes: the
 * other package does not check its exit in the candle of its entry.
 */
function say(signal: Signal, now: number, before: number): void {
  signal.z = now;
  signal.enter = now > 0;
  signal.leave = now < 0 && before < 0;
  signal.reason = now > 0 ? 'in_top' : 'not_in_top';
}

/** A volatility close to zero: no price impact, and no limit on the size. */
const signalFor = (pair: string): Signal => ({
  pair,
  z: null,
  strength: 1,
  quality: 1,
  enter: false,
  leave: false,
  dailyVolatility: 1e-15,
  reason: '',
});

function average({ close }: Series, count: number, end: number): number {
  let sum = 0;
  for (let i = end + 1 - count; i <= end; i += 1) sum += close[i] ?? Number.NaN;
  return sum / count;
}

/** Which of the averages is higher: 1, 0 or −1. */
const sideOf = (series: Series, end: number): number =>
  Math.sign(average(series, FAST, end) - average(series, SLOW, end));

/** At one moment, by the definition. */
export function cross({ at, pairs }: StrategyInput): Map<string, Signal> {
  return new Map(
    [...pairs].flatMap(([pair, series]): [string, Signal][] => {
      const last = indexAt(series, at);
      if (last < SLOW) return [];
      const signal = signalFor(pair);
      say(signal, sideOf(series, last), sideOf(series, last - 1));
      return [[pair, signal]];
    }),
  );
}

/** Sums start again after this many candles, before rounding adds up. */
const ANEW = 1_024;
/** Closer together than this, as a share, the averages are computed by their definition. */
const NEAR = 1e-9;

/** Over a whole tape, with running sums: which average is higher at each candle. */
function sidesOf(series: Series): Int8Array {
  const { close, length } = series;
  const sides = new Int8Array(length);
  let fast = 0;
  let slow = 0;
  for (let i = SLOW - 1; i < length; i += 1) {
    if ((i - SLOW + 1) % ANEW === 0) {
      fast = average(series, FAST, i) * FAST;
      slow = average(series, SLOW, i) * SLOW;
    } else {
      fast += (close[i] ?? 0) - (close[i - FAST] ?? 0);
      slow += (close[i] ?? 0) - (close[i - SLOW] ?? 0);
    }
    const apart = fast / FAST - slow / SLOW;
    sides[i] = Math.abs(apart) < NEAR * (close[i] ?? 0) ? sideOf(series, i) : Math.sign(apart);
  }
  return sides;
}

export const crossSweep: Sweep = (pairs) => {
  const all = new Map(
    [...pairs].map(([pair, series]) => [
      pair,
      { series, sides: sidesOf(series), signal: signalFor(pair), last: -1 },
    ]),
  );
  return (at, pair) => {
    const one = all.get(pair);
    if (one === undefined) return null;
    const {
      series: { closesAt },
      sides,
      signal,
    } = one;
    while ((closesAt[one.last + 1] ?? Number.POSITIVE_INFINITY) <= at) one.last += 1;
    if (one.last < SLOW) return null;
    say(signal, sides[one.last] ?? 0, sides[one.last - 1] ?? 0);
    return signal;
  };
};

/** Our terms for it: a fixed position, with or without costs. */
export function crossInput(
  candles: readonly Candle[],
  costs: { feeBps: number; stopLoss: number },
): BacktestInput {
  return {
    agent: {
      pool: 'momentum_24h',
      profile: 'Aggressive',
      pairs: [PAIR],
      maxPositionSize: parseFixed('100'),
      interval: '5-minute',
      frequency: 'high',
      risk: {
        threshold: 0,
        maxPosition: 1,
        stopLoss: costs.stopLoss,
        riskPerTrade: 1,
        volatilityTarget: 1,
        dayLossHalt: 9,
        drawdownHalt: 9,
      },
    },
    candles: new Map([[PAIR, candles]]),
    rules: new Map([
      [
        PAIR,
        rulesOf(PAIR, { halfSpreadBps: 0, feeBps: costs.feeBps, lot: parseFixed('0.00000001') }),
      ],
    ]),
    deposit: parseFixed('1000000'),
    maxTradeAmount: parseFixed('1000000'),
    strategy: cross,
    sweep: crossSweep,
    from: candles[0]?.time ?? 0,
    to: (candles.at(-1)?.time ?? 0) + FIVE_MINUTES,
  };
}

export type Round = [enteredAt: number, paid: number, leftAt: number, got: number];

/**
 * From the first purchase to the last sale: only our engine resizes in between. Prices as quoted:
 * only ours pays impact.
 */
export function roundsOf(trades: readonly FillDraft[]): Round[] {
  const rounds: Round[] = [];
  let held = 0n;
  let entry: [number, number] = [0, 0];
  for (const { filledAt, quantity, quoteAsk, quoteBid, side } of trades) {
    if (held === 0n) entry = [filledAt, toNumber(quoteAsk)];
    held += side === 'buy' ? quantity : negate(quantity);
    if (held === 0n) rounds.push([...entry, filledAt, toNumber(quoteBid)]);
  }
  return rounds;
}

export interface Bar extends IBar {
  over: number;
  overBefore: number;
}

/** Their bars, with the averages from their own library. */
export function theirBars(candles: readonly IBar[]): IDataFrame<number, Bar> {
  const prices = new DataFrame<number, IBar>(candles as IBar[]);
  const averageOver = (count: number) =>
    prices
      .deflate((bar) => bar.close)
      .rollingWindow(count)
      .select<[number, number]>((window) => [window.getIndex().last(), window.average()])
      .withIndex(([index]) => index)
      .select(([, value]) => value);
  const rows = prices
    .withSeries('fast', averageOver(FAST))
    .withSeries('slow', averageOver(SLOW))
    .skip(SLOW - 1)
    .toArray() as unknown as (IBar & { fast: number; slow: number })[];
  return new DataFrame<number, Bar>(
    rows.slice(1).map((bar, index) => ({
      ...bar,
      over: bar.fast - bar.slow,
      overBefore: (rows[index]?.fast ?? NaN) - (rows[index]?.slow ?? NaN),
    })),
  );
}

/** Their trades, without the one that only they close at the end of the tape. */
export function theirRounds(bars: IDataFrame<number, Bar>, stopLoss = 0): Round[] {
  const closeOf = (bar: Bar): number => bar.time.getTime() + FIVE_MINUTES;
  let waitUntil = -Infinity;
  let holding = false;
  const strategy: IStrategy<Bar> = {
    entryRule: (enter, { bar }) => {
      // A position while the rule decides on an entry: the stop has sold in the candle before.
      // Ours then waits a day.
      if (holding) waitUntil = bar.time.getTime() - FIVE_MINUTES + DAY_MS;
      holding = false;
      if (bar.over > 0 && closeOf(bar) >= waitUntil) {
        holding = true;
        enter();
      }
    },
    // Ours waits an hour before it buys back.
    exitRule: (exit, { bar }) => {
      if (bar.over < 0 && bar.overBefore < 0) {
        waitUntil = closeOf(bar) + HOUR_MS;
        holding = false;
        exit();
      }
    },
    ...(stopLoss > 0 ? { stopLoss: ({ entryPrice }) => entryPrice * stopLoss } : {}),
  };
  return otherBacktest<IBar, Bar, object, number>(strategy as never, bars as never)
    .filter(({ exitReason }) => exitReason !== 'finalize')
    .map(({ entryPrice, entryTime, exitPrice, exitTime }) => [
      entryTime.getTime(),
      entryPrice,
      exitTime.getTime(),
      exitPrice,
    ]);
}
