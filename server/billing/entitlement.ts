/** What a person may use now: their tier from subscription and trial; refuses to trust a page or a provider's event order. */
import { eq, inArray } from 'drizzle-orm';
import { Tier } from '../../contract/tiers.ts';
import type { WallClock } from '../clock.ts';
import type { Database, Db, Tx } from '../db/database.ts';
import { subscriptions, users } from '../db/schema.ts';

export interface Entitled {
  tier: Tier;
  /** There once was a plan or a trial and now there is none: agents and history stay, start and create are refused. */
  lapsed: boolean;
}

export interface Entitlement {
  /** Inside a transaction, pass it: the outer handle must not be asked there. */
  tierOf(uid: string, tx?: Tx): Promise<Entitled>;
}

/** The same of many people at once, for whoever works through them in batches. */
export interface BatchEntitlement extends Entitlement {
  /** Everybody asked for is in the answer. */
  tiersOf(uids: readonly string[], tx: Tx): Promise<Map<string, Entitled>>;
}

/** How long after a period's end a payment may still arrive before the plan lapses: card retries and late webhooks. */
export const PAYMENT_GRACE_MS = 3 * 24 * 60 * 60_000;

export interface SubscriptionFacts {
  status: string;
  tier: string;
  /** Wall clock, ms. */
  currentPeriodEnd: number | null;
  cancelAtPeriodEnd: boolean;
}

export interface TrialFacts {
  /** Wall clock, ms; null when there never was a trial. */
  endsAt: number | null;
}

/** Whether a subscription counts at `now` (ms). A cancelled one counts to the end of what was paid; an unpaid one has the grace. */
export function subscriptionCounts(facts: SubscriptionFacts, now: number): boolean {
  if (facts.status !== 'active' && facts.status !== 'trialing' && facts.status !== 'past_due') return false;
  if (facts.currentPeriodEnd === null) return facts.status !== 'past_due';
  const end = facts.cancelAtPeriodEnd ? facts.currentPeriodEnd : facts.currentPeriodEnd + PAYMENT_GRACE_MS;
  return now < end;
}

export const trialCounts = (facts: TrialFacts, now: number): boolean => facts.endsAt !== null && now < facts.endsAt;

/** The rule itself: an active plan first, else an active trial, else free. */
export function entitledTier(subscription: SubscriptionFacts | null, trial: TrialFacts, now: number): Entitled {
  if (subscription !== null && subscriptionCounts(subscription, now)) {
    const tier = Tier.safeParse(subscription.tier);
    if (tier.success && tier.data !== 'free') return { tier: tier.data, lapsed: false };
  }
  if (trialCounts(trial, now)) return { tier: 'trial', lapsed: false };
  // A checkout that was never finished is no plan that could lapse.
  const hadPlan = subscription !== null && subscription.status !== 'incomplete' && subscription.status !== 'none';
  return { tier: 'free', lapsed: hadPlan || trial.endsAt !== null };
}

export async function readSubscription(db: Db, uid: string): Promise<typeof subscriptions.$inferSelect | null> {
  const [row] = await db.select().from(subscriptions).where(eq(subscriptions.uid, uid));
  return row ?? null;
}

export async function readTrial(db: Db, uid: string): Promise<TrialFacts> {
  const [row] = await db.select({ endsAt: users.trialEndsAt }).from(users).where(eq(users.uid, uid));
  return { endsAt: row?.endsAt ?? null };
}

export class DatabaseEntitlement implements BatchEntitlement {
  constructor(private readonly database: Database, private readonly clock: WallClock) {}

  async tierOf(uid: string, tx?: Tx): Promise<Entitled> {
    const db = tx?.db ?? this.database.db;
    return entitledTier(await readSubscription(db, uid), await readTrial(db, uid), this.clock.now());
  }

  async tiersOf(uids: readonly string[], { db }: Tx): Promise<Map<string, Entitled>> {
    const plans = new Map((await db.select().from(subscriptions).where(inArray(subscriptions.uid, [...uids]))).map((row) => [row.uid, row]));
    const trials = new Map((await db.select({ uid: users.uid, endsAt: users.trialEndsAt }).from(users).where(inArray(users.uid, [...uids]))).map((row) => [row.uid, row]));
    const now = this.clock.now();
    return new Map(uids.map((uid) => [uid, entitledTier(plans.get(uid) ?? null, { endsAt: trials.get(uid)?.endsAt ?? null }, now)]));
  }
}
