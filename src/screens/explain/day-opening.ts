/** Where the change of a day begins in the day before, because nothing was marked at midnight. */
import type { DayResult } from '../../../contract/trading.ts';

/** Marks are made at the closes of candles: a single one that is missing says nothing. */
const CANDLE_MS = 300_000;

/** When the opening was marked, market ms; null where that was at 00:00 UTC within one candle. */
export const reachesBackTo = ({
  start,
  since = start,
}: Pick<DayResult, 'start' | 'since'>): number | null => (since < start - CANDLE_MS ? since : null);
