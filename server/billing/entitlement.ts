/** What a user may use now: the tier from subscription and trial. */
import { eq, inArray } from 'drizzle-orm';
import type { Tier } from '../../contract/permission.ts';
import type { WallClock } from '../clock.ts';
import type { Database, Db, Tx } from '../db/database.ts';
import { users } from '../db/schema.ts';
import { subscriptions } from '../db/schema-plans.ts';
import {
  subscriptionStateOf,
  type SubscriptionFacts,
  type TrialFacts,
} from './subscription-state.ts';

export interface Entitled {
  tier: Tier;
  /**
   * There once was a plan or a trial and now there is none: agents and history stay, start and
   * create are refused.
   */
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

/** The rule itself: an active plan first, else an active trial, else free. */
export function entitledTier(
  subscription: SubscriptionFacts | null,
  trial: TrialFacts,
  now: number,
): Entitled {
  const { state, tier } = subscriptionStateOf(subscription, trial, now);
  return { tier, lapsed: state === 'lapsed' };
}

export async function readSubscription(
  db: Db,
  uid: string,
): Promise<typeof subscriptions.$inferSelect | null> {
  const [row] = await db.select().from(subscriptions).where(eq(subscriptions.uid, uid));
  return row ?? null;
}

export async function readTrial(db: Db, uid: string): Promise<TrialFacts> {
  const [row] = await db
    .select({ endsAt: users.trialEndsAt })
    .from(users)
    .where(eq(users.uid, uid));
  return { endsAt: row?.endsAt ?? null };
}

/** What the tier follows from; the time decides the rest. */
export interface PlanFacts {
  subscription: typeof subscriptions.$inferSelect | null;
  trial: TrialFacts;
}

export const readPlan = async (db: Db, uid: string): Promise<PlanFacts> => ({
  subscription: await readSubscription(db, uid),
  trial: await readTrial(db, uid),
});

/** Where the tier ends with the time, no event tells of it. */
export const tierOfPlan = ({ subscription, trial }: PlanFacts, now: number): Tier =>
  entitledTier(subscription, trial, now).tier;

export class DatabaseEntitlement implements BatchEntitlement {
  constructor(
    private readonly database: Database,
    private readonly clock: WallClock,
  ) {}

  async tierOf(uid: string, tx?: Tx): Promise<Entitled> {
    const db = tx?.db ?? this.database.db;
    return entitledTier(
      await readSubscription(db, uid),
      await readTrial(db, uid),
      this.clock.now(),
    );
  }

  async tiersOf(uids: readonly string[], { db }: Tx): Promise<Map<string, Entitled>> {
    const plans = new Map(
      (
        await db
          .select()
          .from(subscriptions)
          .where(inArray(subscriptions.uid, [...uids]))
      ).map((row) => [row.uid, row]),
    );
    const trials = new Map(
      (
        await db
          .select({ uid: users.uid, endsAt: users.trialEndsAt })
          .from(users)
          .where(inArray(users.uid, [...uids]))
      ).map((row) => [row.uid, row]),
    );
    const now = this.clock.now();
    return new Map(
      uids.map((uid) => [
        uid,
        entitledTier(plans.get(uid) ?? null, { endsAt: trials.get(uid)?.endsAt ?? null }, now),
      ]),
    );
  }
}
