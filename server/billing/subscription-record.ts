/** Our record of a person's subscription: written from what the provider says, read for the wire; refuses older news. */
import { eq } from 'drizzle-orm';
import type { Subscription } from '../../contract/subscription.ts';
import { Tier } from '../../contract/tiers.ts';
import type { Tx } from '../db/database.ts';
import { subscriptions, users } from '../db/schema.ts';
import type { EventLog } from '../events/events.ts';
import { readSubscription } from './entitlement.ts';
import { subscriptionCounts } from './standing.ts';
import type { ProviderSubscription } from './payments.ts';

export type SubscriptionRow = typeof subscriptions.$inferSelect;

/**
 * Writes what the provider said at `observedAt` (wall clock, ms, taken before asking) and tells the person's devices.
 * An observation made before the one we have is dropped, and a dead subscription does not replace a living other one.
 * Returns whether anything was written.
 */
export async function recordSubscription(
  tx: Tx, events: EventLog, provider: 'stripe' | 'test', seen: ProviderSubscription & { uid: string }, observedAt: number,
): Promise<boolean> {
  // The person's row is the lock: two deliveries about one person take turns.
  const [person] = await tx.db.select({ uid: users.uid }).from(users).where(eq(users.uid, seen.uid)).for('update');
  if (person === undefined) return false;
  const known = await readSubscription(tx.db, seen.uid);
  if (known !== null && known.updatedAt > observedAt) return false;
  if (known !== null && known.providerSubscriptionId !== seen.id
    && subscriptionCounts(known, observedAt) && !subscriptionCounts(seen, observedAt)) return false;
  const values = {
    provider, status: seen.status, tier: seen.tier, planId: seen.planId, priceId: seen.priceId,
    customerId: seen.customerId, providerSubscriptionId: seen.id, currentPeriodEnd: seen.currentPeriodEnd,
    cancelAtPeriodEnd: seen.cancelAtPeriodEnd, updatedAt: observedAt,
  };
  await tx.db.insert(subscriptions).values({ uid: seen.uid, ...values })
    .onConflictDoUpdate({ target: subscriptions.uid, set: values });
  await events.append(tx, seen.uid, [{ type: 'subscription.changed' }]);
  return true;
}

/** The subscription as the wire has it at `now` (ms); null where there never was one. A plan that ran out is not "active". */
export function subscriptionOnWire(row: SubscriptionRow | null, now: number): Subscription | null {
  if (row === null || row.status === 'none') return null;
  const tier = Tier.safeParse(row.tier);
  return {
    status: statusAt(row, now),
    tier: tier.success ? tier.data : 'free',
    planId: row.planId,
    currentPeriodEnd: row.currentPeriodEnd,
    cancelAtPeriodEnd: row.cancelAtPeriodEnd,
  };
}

function statusAt(row: SubscriptionRow, now: number): Subscription['status'] {
  switch (row.status) {
    case 'active': case 'trialing': case 'past_due':
      return subscriptionCounts(row, now) ? row.status : 'canceled';
    case 'incomplete': return 'incomplete';
    default: return 'canceled';
  }
}
