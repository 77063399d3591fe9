/** What page and worker say to each other about a test. */
import type { BacktestTerms, BacktestTrade } from '../../contract/backtest.ts';
import type { CandleRow } from '../../contract/market.ts';
import type { Tested } from '../../contract/backtest-record.ts';
import type { Metrics } from '../../contract/trading.ts';

export interface BacktestOrder {
  terms: BacktestTerms;
  /** By pair, oldest first; finer ones may follow coarser ones. */
  candles: Readonly<Record<string, readonly CandleRow[]>>;
}

/** What is shown of a test. Money as decimal text, times on the market clock in ms. */
export interface BacktestOutcome {
  finalEquity: string;
  realized: string;
  unrealized: string;
  costs: { fees: string; slippage: string };
  metrics: Metrics;
  /** As a plain return, without costs; null without prices. */
  buyAndHold: number | null;
  trades: readonly BacktestTrade[];
  /** How often each reason kept it from trading, most often first. */
  reasons: readonly (readonly [string, number])[];
  curve: readonly (readonly [number, string])[];
  candles: number;
}

/** `tested`: what a server may be told of it. */
export type BacktestWord =
  | { kind: 'progress'; share: number }
  | { kind: 'done'; outcome: BacktestOutcome; tested: Tested }
  | { kind: 'failed'; message: string };
