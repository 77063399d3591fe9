/** Figures of the trading core that the texts state; a test compares each with the code. */
import type { RiskProfile } from '../../../contract/agents.ts';

/** Risk per trade and yearly volatility target by profile, as fractions. */
export const RISK_SIZES: Readonly<Record<RiskProfile, { perTrade: number; volatility: number }>> = {
  Conservative: { perTrade: 0.0025, volatility: 0.1 },
  Moderate: { perTrade: 0.005, volatility: 0.2 },
  Aggressive: { perTrade: 0.01, volatility: 0.35 },
};

/** Days of history: for a pair's volatility, its minimum, and before a strategy can start. */
export const HISTORY = { volatility: 30, volatilityLeast: 14, warmUp: 91, longHaul: 90 };

export const POOL_FIGURES = {
  trendDays: [7, 14, 28],
  momentumTop: 3,
  momentumKeep: 6,
  momentumVolumeDays: 7,
  rankEnter: 0.2,
  rankKeep: 0.4,
  yearDaysLeast: 90,
  coverageLeast: 0.9,
  fairBand: 0.005,
  pegBreak: 0.01,
  pegLeaveShare: 0.25,
  pegHoldHours: 48,
};

/** Shares of a price or of a candle's volume. */
export const FILL_FIGURES = { participation: 0.01, impactMost: 0.05 };

export const GUARD_FIGURES = {
  spreadMost: 0.02,
  jumpMost: 0.2,
  feedHours: 1,
  cooldownHours: 1,
  afterStopHours: 24,
  clusterStops: 3,
  clusterWithinHours: 24,
  clusterPauseHours: 12,
  pegMost: 0.01,
  pegBackHours: 24,
  togetherFrom: 0.8,
  togetherTimes: '2 (Aggressive: 3)',
};

/** Fee and half-spread at sources without an order book, in basis points. */
export const TERMS = {
  feeBps: 10,
  feeStableBps: 1,
  halfSpreadBps: 2,
  halfSpreadStableBps: 1,
  exchangeFeeBps: 60,
};

/** Of the signer's own limits, in dollars, and how far below a stop its limit lies. */
export const LIVE_FIGURES = {
  firstWeekDays: 7,
  firstOrder: 100,
  firstExposure: 500,
  firstDailyLoss: 25,
  confirmMinutes: 5,
  stopRoom: 0.1,
  stopRoomCoinbase: 0.05,
};

/** The server's default; its operator can set another. */
export const TRIAL_DAYS = 14;
export const PAYMENT_GRACE_DAYS = 3;
/** Places in the queue that are reserved for stops. */
export const STOP_PLACES = 100;

/** A fraction as the texts write it: `0.25 %`, `10 %`. */
export const percent = (fraction: number): string => `${Number((fraction * 100).toFixed(2))} %`;

/** The gain needed to recover a loss; both are fractions. */
export const recovery = (loss: number): number => 1 / (1 - loss) - 1;

/** The cost of a round trip as a fraction: two fees and two half-spreads, without impact. */
export const roundTrip = (feeBps: number, halfSpreadBps: number): number =>
  (2 * feeBps + 2 * halfSpreadBps) / 10_000;
