/** Refuses a change of plan while days that were given away run at the provider. */
import { Refusal } from '../../contract/errors.ts';
import type { Plan } from '../../contract/subscription.ts';
import type { SubscriptionRow } from './subscription-record.ts';

/**
 * A provider knows given days only as a trial up to a later day. A change would end that trial at
 * once, and with it the month that is paid, or give the new plan away until then.
 *
 * @throws Refusal `already_subscribed`. The moment is not in it: the page shows the day on which the
 * plan renews or ends, in the person's own time.
 */
export function refuseInFreeDays(row: SubscriptionRow | null, plan: Plan, now: number): void {
  const until = row?.currentPeriodEnd ?? null;
  if (row?.status !== 'trialing' || until === null || now >= until) return;
  if (plan.priceId === null || plan.id === row.planId) return;
  throw new Refusal(
    'already_subscribed',
    'Your plan still has free days. You can change it once they are over, on the day shown here. You can cancel it at any time.',
  );
}
