/**
 * The version of a user's own values for a risk profile: the values themselves. Their rows have no
 * number, and one in the reply would be refused by builds from before.
 */
import type { RiskProfileBody } from './user.ts';

/** `undefined`: the presets of the profile are in use. */
export const riskVersion = (own: Readonly<RiskProfileBody> | undefined): string =>
  own === undefined
    ? 'presets'
    : [own.max_position_percentage, own.confidence_threshold, own.stop_loss_percentage].join(',');
