/** What a person's plan, as the database has it, is a cause of. */
import { eq } from 'drizzle-orm';
import { TRIAL_WARNING_DAYS } from '../../contract/limits.ts';
import type { PushKind } from '../../contract/push.ts';
import { subscriptionCounts } from '../billing/subscription-state.ts';
import type { Db } from '../db/database.ts';
import { users } from '../db/schema.ts';
import { subscriptions } from '../db/schema-plans.ts';
import { planCauses, type Cause } from './causes.ts';

interface PlanRow {
  trialEndsAt: number | null;
  plan: typeof subscriptions.$inferSelect | null;
}

export const causesOfPlan = ({ trialEndsAt, plan }: PlanRow, now: number): Cause[] =>
  planCauses(
    {
      trialEndsAt,
      status: plan?.status ?? null,
      periodEnd: plan?.currentPeriodEnd ?? null,
      subscribed: plan !== null && subscriptionCounts(plan, now),
    },
    now,
    TRIAL_WARNING_DAYS,
  );

const OF_THE_PLAN: readonly PushKind[] = ['trialEnding', 'paymentFailed'];

/**
 * Whether a message is still true. What happened stays so; a plan is a state, and may have been
 * bought or paid while its message waited.
 */
export async function stillHolds(
  db: Db,
  uid: string,
  { kind, cause }: Pick<Cause, 'kind' | 'cause'>,
  now: number,
): Promise<boolean> {
  if (!OF_THE_PLAN.includes(kind)) return true;
  const [row] = await db
    .select({ trialEndsAt: users.trialEndsAt, plan: subscriptions })
    .from(users)
    .leftJoin(subscriptions, eq(subscriptions.uid, users.uid))
    .where(eq(users.uid, uid));
  return row !== undefined && causesOfPlan(row, now).some((one) => one.cause === cause);
}
