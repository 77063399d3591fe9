/** Candles per second through the whole engine: signals, sizing, guards, fills, ledger, equity. */
import { parseFixed } from '../../contract/money.ts';
import { backtest } from '../../engine/backtest.ts';
import { riskValues } from '../../engine/profiles.ts';
import { LONGEST_WARM_UP_MS } from '../../engine/signals.ts';
import type { Candle, PairRules } from '../../engine/types.ts';
import { random } from '../support/tape.ts';
import { median, type Measurement } from './measurement.ts';

const STEP_MS = 300_000;
const FROM = Date.UTC(2022, 0, 1);
const RUNS = 3;

function walk(seed: number, count: number): Candle[] {
  const next = random(seed);
  let price = 100 * seed;
  let trend = 0;
  return Array.from({ length: count }, (_value, index) => {
    if (next() < 1 / 90) trend = (next() - 0.5) * 0.002;
    const open = price;
    price = open * Math.exp(trend + 0.004 * (next() - 0.5));
    return { time: FROM + index * STEP_MS, open, high: Math.max(open, price) * 1.0004, low: Math.min(open, price) * 0.9996, close: price, volume: 2e6 / price };
  });
}

export async function measure(): Promise<Measurement[]> {
  const pairs = ['AAA/USDT', 'BBB/USDT', 'CCC/USDT'];
  const warm = Math.ceil(LONGEST_WARM_UP_MS / STEP_MS);
  const count = warm + 10_000;
  const candles = new Map(pairs.map((pair, index) => [pair, walk(index + 1, count)]));
  const rules = new Map(pairs.map((pair): [string, PairRules] => [pair, {
    pair, base: pair.slice(0, 3), quote: 'USDT', lot: parseFixed('0.00001'), minNotional: parseFixed('10'), halfSpreadBps: 2, feeBps: 10,
  }]));
  const speeds: number[] = [];
  let trades = 0;
  for (let run = 0; run < RUNS; run += 1) {
    const began = performance.now();
    const result = backtest({
      agent: {
        pool: 'all_pools', profile: 'Aggressive', risk: riskValues('Aggressive'), pairs, maxPositionSize: parseFixed('5000'),
        interval: '5-minute', frequency: 'high',
      },
      candles, rules, deposit: parseFixed('10000'), maxTradeAmount: parseFixed('1000000'),
      from: FROM + warm * STEP_MS, to: FROM + count * STEP_MS,
    });
    speeds.push(result.candles / (performance.now() - began) * 1000);
    trades = result.trades.length;
  }
  return [
    { section: 'engine', what: 'backtest, all_pools, 3 pairs, median of 3', value: median(speeds), unit: 'candles/s' },
    { section: 'engine', what: 'fills in that backtest', value: trades, unit: 'fills' },
  ];
}
