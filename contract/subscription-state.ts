/** The state of a user's plan in one word and a date. */
import * as z from 'zod/mini';
import { Tier } from './permission.ts';

/**
 * `free`: no plan yet. `trial`: the free trial runs. `active`: a plan that is paid for, and renews.
 * `grace`: its payment is overdue, and it counts a little longer. `ending`: it was cancelled, and
 * runs to the end of what is paid. `lapsed`: there was a plan or a trial, and now there is none.
 */
export const SubscriptionPhase = z.enum(['free', 'trial', 'active', 'grace', 'ending', 'lapsed']);
export type SubscriptionPhase = z.infer<typeof SubscriptionPhase>;

export const SubscriptionState = z.object({
  state: SubscriptionPhase,
  /** What is enforced now. */
  tier: Tier,
  /**
   * Until when it is so by itself (wall clock, ms): the trial's end, the renewal, the end of the
   * grace or of what is paid. Null where nothing ends.
   */
  until: z.nullable(z.number()),
  /** What follows at `until` where nobody does anything; the same state for a plan that renews. */
  next: z.object({ state: SubscriptionPhase, tier: Tier }),
});
export type SubscriptionState = z.infer<typeof SubscriptionState>;
