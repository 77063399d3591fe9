/** Writes a backtest as plain JSON: trades lot by lot, decisions, equity and measures. */
import type { BacktestReport, BacktestTrade } from '../../contract/backtest.ts';
import { add, formatFixed, subtract, sum, toNumber, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { BacktestInput, BacktestResult } from './run-backtest.ts';
import { fifoLots } from '../accounting/fifo-lots.ts';
import type { Lot } from '../accounting/fifo-lots.ts';
import { tradeMetrics } from '../accounting/performance-metrics.ts';

const byName = (a: { pair: string }, b: { pair: string }): number =>
  a.pair < b.pair ? -1 : Number(a.pair > b.pair);
const iso = (ms: number): string => new Date(ms).toISOString();
const orNull = (value: Fixed | null): string | null => (value === null ? null : formatFixed(value));

/** `points` limits the points of the equity curve, spread evenly; all without it. */
export function backtestReport(
  input: BacktestInput,
  result: BacktestResult,
  points = Number.POSITIVE_INFINITY,
): BacktestReport {
  const { agent } = input;
  // By name at the same time, so that the order in which pairs were listed does not matter.
  const lots = fifoLots(result.trades).sort((a, b) => a.acquiredAt - b.acquiredAt || byName(a, b));
  const acted = [...result.acted].sort((a, b) => a.at - b.at || byName(a.decision, b.decision));
  // By the listed trades, first in, first out: open positions make up the rest of the result.
  const realized = sum(lots.map(({ gain }) => gain ?? ZERO));
  return {
    settings: {
      pool: agent.pool,
      profile: agent.profile,
      pairs: agent.pairs,
      interval: agent.interval,
      frequency: agent.frequency,
      from: iso(input.from),
      to: iso(input.to),
      deposit: formatFixed(input.deposit),
      maxPositionSize: formatFixed(agent.maxPositionSize),
      quote: agent.pairs[0]?.split('/')[1] ?? '',
    },
    trades: lots.map(tradeOf),
    decisions: acted.map(
      ({ at, decision: { pair, action, reason, strength, threshold, text } }) => ({
        time: iso(at),
        pair,
        action,
        reason,
        strength,
        threshold,
        text,
      }),
    ),
    reasons: Object.fromEntries([...result.reasons].sort(([, a], [, b]) => b - a)),
    equity: pointsOf(result.curve.length, points).map((point) => ({
      time: iso(result.curve.timeAt(point)),
      equity: formatFixed(result.curve.worthAt(point)),
    })),
    metrics: { ...result.metrics, ...measuresOf(lots) },
    buyAndHold: result.buyAndHold,
    costs: {
      fees: formatFixed(sum(result.trades.map((fill) => fill.fee))),
      slippage: formatFixed(sum(result.trades.map(slippageOf))),
    },
    finalEquity: formatFixed(result.finalEquity),
    realized: formatFixed(realized),
    unrealized: formatFixed(subtract(subtract(result.finalEquity, input.deposit), realized)),
    candles: result.candles,
  };
}

/** From the listed trades, so that counting them gives the same figures. */
function measuresOf(
  lots: readonly Lot[],
): Pick<BacktestReport['metrics'], 'profitFactor' | 'winRate' | 'expectancy'> {
  const { profitFactor, winRate, expectancy } = tradeMetrics(
    lots.flatMap(({ gain }) => (gain === null ? [] : [toNumber(gain)])),
  );
  return { profitFactor, winRate, expectancy };
}

/** Samples every Nth point from the first on, and the last. */
function pointsOf(length: number, most: number): number[] {
  const every = Math.max(1, Math.ceil(length / most));
  const points = Array.from({ length: Math.ceil(length / every) }, (_, index) => index * every);
  return points.at(-1) === length - 1 ? points : [...points, length - 1];
}

function tradeOf(lot: Lot): BacktestTrade {
  return {
    pair: lot.pair,
    entryTime: iso(lot.acquiredAt),
    exitTime: lot.disposedAt === null ? null : iso(lot.disposedAt),
    entryPrice: formatFixed(lot.entryPrice),
    exitPrice: orNull(lot.exitPrice),
    quantity: formatFixed(lot.quantity),
    fees: formatFixed(lot.fees),
    pnl: orNull(lot.gain),
    exitReason: lot.exitReason,
  };
}

/**
 * What spread and impact took: the notional against the same quantity at the middle of the quote.
 */
function slippageOf(fill: BacktestResult['trades'][number]): Fixed {
  const atMid = ((fill.quantity * add(fill.quoteBid, fill.quoteAsk)) / 2_000_000_000_000n) as Fixed;
  return fill.side === 'buy' ? subtract(fill.notional, atMid) : subtract(atMid, fill.notional);
}
