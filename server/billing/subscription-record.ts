/**
 * Our record of a user's subscription, written from the provider's state. Older news is ignored.
 */
import { eq, sql } from 'drizzle-orm';
import type { Subscription } from '../../contract/subscription.ts';
import { Tier } from '../../contract/permission.ts';
import type { WallClock } from '../clock.ts';
import type { Db, Tx } from '../db/database.ts';
import { accountDeletions, users } from '../db/schema.ts';
import { subscriptions } from '../db/schema-plans.ts';
import type { EventLog } from '../db/user-events.ts';
import { readSubscription } from './entitlement.ts';
import { settledPlan } from './paid-tier.ts';
import type { ProviderSubscription } from './payments.ts';
import { subscriptionCounts } from './subscription-state.ts';

export type SubscriptionRow = typeof subscriptions.$inferSelect;

/**
 * A question to the provider: its place among all questions, whoever asked, and the wall clock, ms.
 */
export interface Observation {
  number: number;
  at: number;
}

/**
 * Drawn before the provider is asked, so that of two answers the one to the later question holds.
 */
export async function observe(db: Db, clock: WallClock): Promise<Observation> {
  const [row] = await db
    .select({ number: sql`nextval('observations')`.mapWith(Number) })
    .from(sql`(select 1) as once`);
  if (row === undefined) throw new Error('No number for an observation');
  return { number: row.number, at: clock.now() };
}

/**
 * The person's row is the lock: whoever writes about one person's plan takes turns. False where
 * there is no such person.
 */
export async function lockPerson(tx: Tx, uid: string): Promise<boolean> {
  const [person] = await tx.db
    .select({ uid: users.uid })
    .from(users)
    .where(eq(users.uid, uid))
    .for('update');
  return person !== undefined;
}

/**
 * Writes what the provider said and tells the person's devices where it is something new. An answer
 * to an earlier question than the one we have is dropped, and a dead subscription does not replace
 * a living other one. Returns whether anything changed.
 */
export async function recordSubscription(
  tx: Tx,
  events: EventLog,
  provider: 'stripe' | 'test',
  seen: ProviderSubscription & { uid: string },
  observation: Observation,
): Promise<boolean> {
  if (!(await lockPerson(tx, seen.uid))) return false;
  const known = await readSubscription(tx.db, seen.uid);
  if (known !== null && known.observation > observation.number) return false;
  // Of one customer the provider names the subscription that counts; of two, a dead one says
  // nothing about the living.
  if (
    known !== null &&
    known.providerSubscriptionId !== seen.id &&
    known.customerId !== seen.customerId &&
    subscriptionCounts(known, observation.at) &&
    !subscriptionCounts(seen, observation.at)
  )
    return false;
  const plan = settledPlan({ ...seen, ...planOfSeen(seen, known) }, known);
  const facts = {
    provider,
    status: seen.status,
    tier: plan.tier,
    planId: plan.planId,
    priceId: seen.priceId,
    customerId: seen.customerId,
    providerSubscriptionId: seen.id,
    currentPeriodEnd: plan.currentPeriodEnd,
    cancelAtPeriodEnd: seen.cancelAtPeriodEnd,
  };
  const values = {
    ...facts,
    paidTier: plan.paidTier,
    updatedAt: observation.at,
    observation: observation.number,
  };
  await tx.db
    .insert(subscriptions)
    .values({ uid: seen.uid, ...values })
    .onConflictDoUpdate({ target: subscriptions.uid, set: values });
  if (
    known !== null &&
    (Object.keys(facts) as (keyof typeof facts)[]).every((key) => known[key] === facts[key])
  )
    return false;
  await events.append(tx, seen.uid, [{ type: 'subscription.changed' }]);
  return true;
}

/**
 * The plan that was bought, also where the operator has left its price out of the settings: the
 * person goes on paying for it. The provider's reader tells the operator.
 */
function planOfSeen(
  seen: ProviderSubscription,
  known: SubscriptionRow | null,
): Pick<ProviderSubscription, 'tier' | 'planId'> {
  const tier = Tier.safeParse(known?.tier);
  return seen.tier === 'free' && known?.providerSubscriptionId === seen.id && tier.success
    ? { tier: tier.data, planId: known.planId ?? tier.data }
    : { tier: seen.tier, planId: seen.planId };
}

/**
 * Keeps the provider's customer of a person who has no plan yet, so that all their checkouts are
 * one customer's. False where there is no such person, or soon will not be, and where they have a
 * plan as another customer.
 */
export async function keepCustomer(
  tx: Tx,
  uid: string,
  provider: 'stripe' | 'test',
  customerId: string,
  now: number,
): Promise<boolean> {
  if (!(await lockPerson(tx, uid))) return false;
  // The deletion reads the customer under the same lock: from its wish on, none is added.
  if ((await tx.db.$count(accountDeletions, eq(accountDeletions.uid, uid))) > 0) return false;
  const known = await readSubscription(tx.db, uid);
  if (known?.provider === provider && known.customerId === customerId) return true;
  if (known !== null && known.provider === provider && subscriptionCounts(known, now)) return false;
  const values = { provider, customerId, updatedAt: now };
  await tx.db
    .insert(subscriptions)
    .values({ uid, status: 'none', tier: 'free', ...values })
    .onConflictDoUpdate({ target: subscriptions.uid, set: values });
  return true;
}

/**
 * The subscription as the wire has it at `now` (ms); null where there never was one. A plan that
 * ran out is not "active".
 */
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
    case 'active':
    case 'trialing':
    case 'past_due':
      return subscriptionCounts(row, now) ? row.status : 'canceled';
    case 'incomplete':
      return 'incomplete';
    default:
      return 'canceled';
  }
}
