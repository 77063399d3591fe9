/** Which timeframes can be built from the candles of a source. */
import type { CandleInterval } from '../../contract/market.ts';
import { CHART_INTERVALS, INTERVAL_MS } from '../../contract/intervals.ts';

/** Whether candles of `interval` are whole groups of candles of `finest`. */
export function isBuildable(interval: CandleInterval, finest: CandleInterval): boolean {
  return INTERVAL_MS[interval] % INTERVAL_MS[finest] === 0;
}

/** Finest first. A source finer than none of a chart's timeframes still offers its own. */
export function timeframesOf(finest: CandleInterval): CandleInterval[] {
  const built = CHART_INTERVALS.filter((interval) => isBuildable(interval, finest));
  return built[0] === finest ? built : [finest, ...built];
}

/** The finer timeframes that a candle of `interval` is made of, coarsest first. */
export function partsOf(interval: CandleInterval, finest: CandleInterval): CandleInterval[] {
  return timeframesOf(finest)
    .filter((part) => part !== interval && isBuildable(interval, part))
    .reverse();
}
