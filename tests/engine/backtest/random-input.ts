/** Backtests over random candles: trends, crashes, gaps, thin trading, pegs and common moves. */
import { parseFixed } from '../../../contract/money.ts';
import type { BacktestInput } from '../../../engine/backtest/run-backtest.ts';
import { riskValues } from '../../../engine/execution/risk-profiles.ts';
import { DAY_MS, HOUR_MS } from '../../../engine/execution/schedule.ts';
import type { Candle } from '../../../engine/market-types.ts';
import { FIVE_MINUTES, MONDAY, rulesOf } from '../tape.ts';

/** Numbers between 0 and 1 from a seed. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export interface Weather {
  days: number;
  seed: number;
  swing: number;
  crashes: boolean;
  gaps: boolean;
  thin: boolean;
  pegged: boolean;
  together?: boolean;
}

/**
 * Hourly history and finer candles after it, with trends, crashes, missing candles and hours
 * without any trade.
 */
function tape(
  { crashes, days, gaps, pegged, seed, swing, thin, together }: Weather,
  index: number,
  from: number,
  to: number,
  length: number,
): Candle[] {
  const next = random(seed * 7919 + index * 104_729 + 1);
  // Pairs that move together have their moves from one source, and all else from their own.
  const move = together === true ? random(seed + 13) : next;
  const candles: Candle[] = [];
  let price = pegged ? 1 : ([0.02, 3, 120, 40_000][index % 4] ?? 1);
  let trend = 0;
  for (
    let time = from - days * DAY_MS;
    time < to;
    time += time < from - 2 * DAY_MS ? HOUR_MS : length
  ) {
    if (move() < 0.01) trend = (move() - 0.5) * swing * 0.4;
    const open =
      price * (gaps && next() < 0.004 ? 1 + (next() - 0.5) * (next() < 0.5 ? 0.3 : 0.09) : 1);
    const crash = crashes && move() < 0.001 ? 0.8 : 1;
    const pull = pegged ? (1 - open) * 0.1 : 0;
    const close =
      open * crash * (1 + pull + (pegged ? 0 : trend) + (move() - 0.5) * (pegged ? 0.006 : swing));
    price = close;
    const kept = !(gaps && next() < 0.03);
    if (kept)
      candles.push({
        time,
        open: Number(open.toPrecision(9)),
        high: Math.max(open, close) * (1 + next() * swing),
        low: Math.min(open, close) * (1 - next() * swing),
        close: Number(close.toPrecision(9)),
        volume: thin && next() < 0.3 ? 0 : (20_000 * next()) / price,
      });
  }
  return candles;
}

/** A backtest over such candles; the last of its pairs is not offered. */
export function inputOf(
  weather: Weather,
  agent: Pick<BacktestInput['agent'], 'pool' | 'profile' | 'interval' | 'frequency'>,
  hours: number,
  money: { deposit: string; cap: string; trade: string; feeBps: number },
): BacktestInput {
  const from = MONDAY - 13 * HOUR_MS;
  const length = agent.interval === 'daily' ? HOUR_MS : FIVE_MINUTES;
  const to = from + hours * HOUR_MS * (agent.interval === 'daily' ? 12 : 1);
  const pairs = weather.pegged
    ? ['USDC/USDT', 'DAI/USDT', 'TUSD/USDT']
    : ['AAA/USDT', 'BBB/USDT', 'CCC/USDT', 'USDC/USDT'];
  return {
    agent: {
      ...agent,
      risk: riskValues(agent.profile),
      pairs: [...pairs, 'NONE/USDT'],
      maxPositionSize: parseFixed(money.cap),
    },
    candles: new Map(
      pairs.map((pair, index) => [
        pair,
        tape(
          { ...weather, pegged: weather.pegged || pair.startsWith('USDC') },
          index,
          from,
          to,
          length,
        ),
      ]),
    ),
    rules: new Map(pairs.map((pair) => [pair, rulesOf(pair, { feeBps: money.feeBps })])),
    deposit: parseFixed(money.deposit),
    maxTradeAmount: parseFixed(money.trade),
    from,
    to,
  };
}
