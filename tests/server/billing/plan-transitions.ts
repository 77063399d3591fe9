/**
 * The life of a plan as a table: what each event makes of each state; written without the product's
 * rule, which is held to it.
 */
import type { SubscriptionPhase } from '../../../contract/subscription-state.ts';

/**
 * `paid`: a plan is bought. `renewed`: a payment came for the one there is. `payment_failed`: one
 * did not. `changed`: the plan is another one. `cancelled`: it shall end with what is paid; `kept`:
 * it shall not after all. `revoked`: the provider ended it at once. The three ends are the clock's.
 */
export const BILLING_EVENTS = [
  'trial_started',
  'trial_ended',
  'paid',
  'renewed',
  'payment_failed',
  'changed',
  'cancelled',
  'kept',
  'period_ended',
  'grace_ended',
  'revoked',
] as const;
export type BillingEvent = (typeof BILLING_EVENTS)[number];

/**
 * What is not listed is refused, or changes nothing. Where `lapsed` follows a plan while a trial
 * still runs, it is `trial`: see `after`. What is paid in the grace was for days already used:
 * cancelled there, the plan is over.
 */
const TABLE: Readonly<Record<SubscriptionPhase, Partial<Record<BillingEvent, SubscriptionPhase>>>> =
  {
    free: { trial_started: 'trial', paid: 'active' },
    trial: { trial_ended: 'lapsed', paid: 'active' },
    active: {
      renewed: 'active',
      changed: 'active',
      payment_failed: 'grace',
      cancelled: 'ending',
      revoked: 'lapsed',
    },
    grace: {
      renewed: 'active',
      payment_failed: 'grace',
      cancelled: 'lapsed',
      grace_ended: 'lapsed',
      revoked: 'lapsed',
    },
    ending: { kept: 'active', changed: 'active', period_ended: 'lapsed', revoked: 'lapsed' },
    lapsed: { trial_started: 'trial', paid: 'active' },
  };

/** The state that an event leads to; null where it is not to be. */
export function after(
  state: SubscriptionPhase,
  event: BillingEvent,
  trialRuns: boolean,
): SubscriptionPhase | null {
  const next = TABLE[state][event] ?? null;
  return next === 'lapsed' && trialRuns && state !== 'trial' ? 'trial' : next;
}
