/** What an agent may hold and lose by its profile and the user's own risk values. */
import type { RiskProfile } from '../../../contract/agents.ts';
import {
  add,
  basisPoints,
  formatFixed,
  minimum,
  multiply,
  negate,
  parseFixed,
  subtract,
  type Fixed,
} from '../../../contract/money.ts';
import type { RiskProfileBody } from '../../../contract/user.ts';

/**
 * Percent, but `threshold`: a signal's strength from 0 to 1. `perTrade` is what one position may
 * lose of equity at its stop.
 */
export interface RiskNumbers {
  threshold: number;
  position: number;
  stop: number;
  perTrade: number;
  dayLoss: number;
  drawdown: number;
}

/** The profiles as the server applies them. A test compares them with the engine's table. */
export const PRESET_RISK: Readonly<Record<RiskProfile, RiskNumbers>> = {
  Conservative: { threshold: 0.7, position: 5, stop: 3, perTrade: 0.25, dayLoss: 2, drawdown: 10 },
  Moderate: { threshold: 0.55, position: 10, stop: 5, perTrade: 0.5, dayLoss: 4, drawdown: 20 },
  Aggressive: { threshold: 0.4, position: 20, stop: 8, perTrade: 1, dayLoss: 6, drawdown: 30 },
};

/** Why nothing is worked out from risk values: a preset does not stand in for the person's own. */
export const RISK_UNREAD = 'Your risk values are not loaded yet';

/** The effective values of a profile, and whether the user set them. */
export function riskOf(
  profile: RiskProfile,
  own: readonly Readonly<RiskProfileBody>[],
): RiskNumbers & { isOwn: boolean } {
  const preset = PRESET_RISK[profile];
  const mine = own.find((values) => values.profile === profile);
  if (mine === undefined) return { ...preset, isOwn: false };
  return {
    ...preset,
    threshold: mine.confidence_threshold,
    position: mine.max_position_percentage,
    stop: mine.stop_loss_percentage,
    isOwn: true,
  };
}

const share = (amount: Fixed, percent: number): Fixed =>
  multiply(multiply(amount, parseFixed(String(percent)), 'up'), parseFixed('0.01'), 'up');

/**
 * `perTrade` over `stop`: the position whose fall to the stop is what one trade may lose, percent
 * of equity.
 */
export function positionLimit({
  position,
  stop,
  perTrade,
}: Pick<RiskNumbers, 'position' | 'stop' | 'perTrade'>): number {
  return Math.min(position, Number(((perTrade / stop) * 100).toFixed(6)));
}

/**
 * The largest position of one pair, and the loss if the stop fills at its price, including the fees
 * of both sides where known. Decimal text in the quote currency.
 */
export function worstLoss(
  maxPositionSize: number,
  equity: string,
  risk: Pick<RiskNumbers, 'position' | 'stop' | 'perTrade'>,
  feeBps = 0,
): { position: string; loss: string } {
  const position = minimum(
    parseFixed(String(maxPositionSize)),
    share(parseFixed(equity), positionLimit(risk)),
  );
  const fall = share(position, risk.stop);
  const fee = parseFixed(String(feeBps));
  const fees = add(
    basisPoints(position, fee, 'up'),
    basisPoints(subtract(position, fall), fee, 'up'),
  );
  return { position: formatFixed(position), loss: formatFixed(negate(add(fall, fees))) };
}
