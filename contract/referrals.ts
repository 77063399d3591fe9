/**
 * Referrals on the wire: a code, who joined with it and the days earned. Never names who joined.
 */
import * as z from 'zod/mini';

/** What both sides get when the invited person's first plan is paid. */
export const REFERRAL_REWARD_DAYS = 14;
/** A code counts for accounts younger than this. */
export const REFERRAL_NEW_DAYS = 7;
/** One person's invitations are rewarded at most this often in 365 days. */
export const REFERRAL_REWARDS_A_YEAR = 12;
/** By one code at most this many join in 24 hours. */
export const REFERRAL_JOINS_A_DAY = 50;
/** How many of those who came are listed, the newest first. */
export const REFERRAL_LIST_MAX = 100;

/**
 * `joined`: has an account. `earned`: has paid a first plan, which earned both sides their days.
 * `unrewarded`: has paid, beyond the year's limit.
 */
export const ReferralState = z.enum(['joined', 'earned', 'unrewarded']);
export type ReferralState = z.infer<typeof ReferralState>;

export const Referral = z.object({
  code: z.string(),
  rewardDays: z.number(),
  /**
   * Newest first, without a name or an address: the day (UTC, `2026-01-05`) and how far they are.
   */
  joined: z.array(z.object({ day: z.string(), state: ReferralState })),
  joinedCount: z.number(),
  /** Days earned and already added to a plan or trial, and days that wait for one. */
  days: z.object({ added: z.number(), waiting: z.number() }),
  /** The day this person came by somebody's code; null where they came by themselves. */
  invitedOn: z.nullable(z.string()),
});
export type Referral = z.infer<typeof Referral>;

export const ClaimReferral = z.strictObject({
  code: z.string({ error: 'Required' }).check(z.maxLength(64, 'At most 64 characters')),
});
