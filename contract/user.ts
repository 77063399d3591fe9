/** A user's trading settings and risk values on the wire. */
import * as z from 'zod/mini';
import { RiskProfile, TradingFrequency, UserRiskProfile } from './agents.ts';

const between = (low: number, high: number) =>
  z
    .number({ error: `A number from ${low} to ${high}` })
    .check(z.gte(low, `At least ${low}`), z.lte(high, `At most ${high}`));

export const DisplayName = z.string().check(
  z.minLength(1, 'Required'),
  z.maxLength(50, 'At most 50 characters'),
  z.regex(/^[\p{L}\p{N}\s_-]*$/u, 'Only letters, digits, spaces, hyphens and underscores'),
  z.refine((text) => text.trim() !== '', 'Required'),
);

export const RiskProfileBody = z.strictObject({
  profile: RiskProfile,
  max_position_percentage: between(0.01, 100),
  confidence_threshold: between(0.1, 1),
  stop_loss_percentage: between(0.01, 50),
});
export type RiskProfileBody = z.infer<typeof RiskProfileBody>;
/**
 * `version`: what `riskVersion` made of the values that the edit began on; others on the server
 * answer 409 with those. It is in the query because a server that does not know it ignores it there.
 */
export const RiskProfileQuery = z.object({ version: z.optional(z.string()) });
export const RiskProfileReply = z.object({ commandId: z.string(), profile: RiskProfileBody });
export type RiskProfileReply = z.infer<typeof RiskProfileReply>;

/** Agents of this profile use its presets again. */
export const UsePresetsBody = z.strictObject({ profile: RiskProfile });
export const UsePresetsReply = z.object({ commandId: z.string(), profile: RiskProfile });

export const UserSettings = z.strictObject({
  displayName: DisplayName,
  tradingEnabled: z.boolean({ error: 'true or false' }),
  tradingMode: z.enum(['paused', 'automatic'], { error: 'paused or automatic' }),
  tradingFrequency: TradingFrequency,
  riskProfile: UserRiskProfile,
  maxTradeAmount: between(1, 1_000_000),
  notificationsEnabled: z.boolean({ error: 'true or false' }),
});
export type UserSettings = z.infer<typeof UserSettings>;

/**
 * PUT: the settings and the version they were made on; another version on the server answers 409
 * with the fresh one.
 */
export const TradingSettingsBody = z.strictObject({
  ...UserSettings.shape,
  version: z.optional(z.int()),
});
export type TradingSettingsBody = z.infer<typeof TradingSettingsBody>;
export const TradingSettings = z.object({
  settings: UserSettings,
  version: z.number(),
  riskProfiles: z.array(RiskProfileBody),
});
export type TradingSettings = z.infer<typeof TradingSettings>;
export const TradingSettingsReply = z.object({
  commandId: z.string(),
  settings: UserSettings,
  version: z.number(),
});
export type TradingSettingsReply = z.infer<typeof TradingSettingsReply>;
