/** The lengths of candles, and which of them a chart offers. */
import type { CandleInterval } from './market.ts';

/** Candles of every length begin at a multiple of it since the epoch, UTC. */
export const INTERVAL_MS: Record<CandleInterval, number> = {
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '20m': 1_200_000,
  '1h': 3_600_000,
  '4h': 14_400_000,
  '1d': 86_400_000,
};
/**
 * The timeframes of a chart, finest first. 20m is how often an agent may check, not a timeframe.
 */
export const CHART_INTERVALS = [
  '1m',
  '5m',
  '15m',
  '1h',
  '4h',
  '1d',
] as const satisfies readonly CandleInterval[];
