/**
 * Turns a first payment into free days for both sides, once, and adds them through the payments
 * port.
 */
import { randomUUID } from 'node:crypto';
import {
  and,
  asc,
  count,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  like,
  ne,
  or,
  sql,
} from 'drizzle-orm';
import { REFERRAL_REWARD_DAYS, REFERRAL_REWARDS_A_YEAR } from '../../contract/referrals.ts';
import { PAYMENT_GRACE_MS, subscriptionCounts } from '../billing/subscription-state.ts';
import { readSubscription } from '../billing/entitlement.ts';
import type { Payments, ProviderSubscription } from '../billing/payments.ts';
import {
  observe,
  recordSubscription,
  type SubscriptionRow,
} from '../billing/subscription-record.ts';
import type { WallClock } from '../clock.ts';
import type { Database, Tx } from '../db/database.ts';
import { referrals, users } from '../db/schema.ts';
import { planCredits, subscriptions } from '../db/schema-plans.ts';
import type { EventLog } from '../db/user-events.ts';
import type { Log } from '../log.ts';
import { PeriodicTask } from '../periodic-task.ts';

const DAY_MS = 86_400_000;
const RUN_EVERY_MS = 60_000;
const AT_ONCE = 100;

export interface RewardDeps {
  database: Database;
  events: EventLog;
  payments: Payments;
  clock: WallClock;
  log: Log;
}

type Credit = typeof planCredits.$inferSelect;

interface Settled {
  subscriptionId: string;
  paidUntil: number;
}

export class ReferralRewards {
  readonly task: PeriodicTask;

  constructor(private readonly deps: RewardDeps) {
    this.task = new PeriodicTask(
      () => this.runOnce(),
      RUN_EVERY_MS,
      deps.log,
      'referral rewards could not be processed',
    );
  }

  async runOnce(): Promise<void> {
    await this.earn();
    await this.add();
  }

  /**
   * A plan that is paid for and runs: a checkout that was begun, or a provider's own trial, is no
   * payment.
   */
  private async earn(): Promise<void> {
    const { database, clock } = this.deps;
    // Those who have not paid are left out here: among them the others would never get their turn.
    const rows = await database.db
      .select({ id: referrals.id })
      .from(referrals)
      .innerJoin(subscriptions, eq(subscriptions.uid, referrals.invitedUid))
      .where(
        and(
          isNull(referrals.earnedAt),
          eq(subscriptions.status, 'active'),
          ne(subscriptions.tier, 'free'),
          or(isNull(subscriptions.currentPeriodEnd), periodRuns(clock.now())),
        ),
      )
      .orderBy(asc(referrals.joinedAt), asc(referrals.id))
      .limit(AT_ONCE);
    for (const { id } of rows) await database.transaction((tx) => this.earnOne(tx, id));
  }

  private async earnOne(tx: Tx, id: string): Promise<void> {
    const now = this.deps.clock.now();
    const [referral] = await tx.db
      .update(referrals)
      .set({ earnedAt: now })
      .where(and(eq(referrals.id, id), isNull(referrals.earnedAt)))
      .returning();
    if (referral === undefined) return;
    const credit = (uid: string, cause: string) =>
      tx.db
        .insert(planCredits)
        .values({ id: randomUUID(), uid, cause, days: REFERRAL_REWARD_DAYS, createdAt: now })
        .onConflictDoNothing();
    if (referral.invitedUid !== null) await credit(referral.invitedUid, `invited:${id}`);
    if (referral.inviterUid === null) return;
    // The inviter's row is the lock: two friends who pay at once are counted one after the other.
    await tx.db
      .select({ uid: users.uid })
      .from(users)
      .where(eq(users.uid, referral.inviterUid))
      .for('update');
    const [year] = await tx.db
      .select({ rewards: count() })
      .from(planCredits)
      .where(
        and(
          eq(planCredits.uid, referral.inviterUid),
          like(planCredits.cause, 'inviter:%'),
          gt(planCredits.createdAt, now - 365 * DAY_MS),
        ),
      );
    if ((year?.rewards ?? 0) < REFERRAL_REWARDS_A_YEAR)
      await credit(referral.inviterUid, `inviter:${id}`);
  }

  /**
   * One person's failure (their provider, say) is tried again at the next run and holds up nobody
   * else.
   */
  private async add(): Promise<void> {
    for (let last: Credit | null = null; ;) {
      const page: Credit[] = await this.grantable(last);
      for (const credit of page) {
        try {
          await this.addOne(credit);
        } catch (error) {
          this.deps.log.warn(
            { credit: credit.id, reason: String(error) },
            'earned days could not be added yet',
          );
        }
      }
      last = page.at(-1) ?? null;
      if (page.length < AT_ONCE || last === null) return;
    }
  }

  /**
   * The oldest credits behind `last` of people with something to lengthen. Most of those that wait
   * are of people who have nothing and may never have. `settle` decides.
   */
  private async grantable(last: Credit | null): Promise<Credit[]> {
    const { database, payments, clock } = this.deps;
    const now = clock.now();
    const plan = and(
      eq(subscriptions.provider, payments.provider),
      inArray(subscriptions.status, ['active', 'trialing']),
      eq(subscriptions.cancelAtPeriodEnd, false),
      isNotNull(subscriptions.providerSubscriptionId),
      periodRuns(now),
    );
    const rows = await database.db
      .select({ credit: planCredits })
      .from(planCredits)
      .leftJoin(users, eq(users.uid, planCredits.uid))
      .leftJoin(subscriptions, eq(subscriptions.uid, planCredits.uid))
      .where(
        and(
          isNull(planCredits.grantedAt),
          or(gt(users.trialEndsAt, now), plan),
          last === null
            ? undefined
            : sql`(${planCredits.createdAt}, ${planCredits.id}) > (${last.createdAt}::bigint, ${last.id}::uuid)`,
        ),
      )
      .orderBy(asc(planCredits.createdAt), asc(planCredits.id))
      .limit(AT_ONCE);
    return rows.map(({ credit }) => credit);
  }

  private async addOne(credit: Credit): Promise<void> {
    const { database, events, payments, clock } = this.deps;
    const settled = await database.transaction((tx) => this.settle(tx, credit));
    if (settled === null) return;
    const observation = await observe(database.db, clock);
    const { subscription: lengthened, isGiven } = await payments.lengthen({
      creditId: credit.id,
      ...settled,
    });
    await database.transaction(async (tx) => {
      await recordSubscription(
        tx,
        events,
        payments.provider,
        { ...lengthened, uid: credit.uid },
        observation,
      );
      // An earlier look at the plan may have been written after it. The credit stays open until our
      // record has the new end: the next one is settled from there.
      if (await isShortOf(tx, credit.uid, lengthened)) return;
      await tx.db
        .update(planCredits)
        // A renewal had come first: counted from its end, the next run asks for the days anew.
        .set(isGiven ? { grantedAt: clock.now() } : { subscriptionId: null, paidUntil: null })
        // Another server may have settled it anew since this was asked.
        .where(
          and(
            eq(planCredits.id, credit.id),
            isNull(planCredits.grantedAt),
            eq(planCredits.subscriptionId, settled.subscriptionId),
            eq(planCredits.paidUntil, settled.paidUntil),
          ),
        );
    });
  }

  /**
   * What to ask the provider for; null where there is nothing to lengthen, where another credit of
   * theirs is open, or where a trial was lengthened here and now. The person's row is the lock:
   * credits of one person take turns, whichever server works at them.
   */
  private async settle(tx: Tx, { id, uid }: Credit): Promise<Settled | null> {
    const now = this.deps.clock.now();
    const [person] = await tx.db.select().from(users).where(eq(users.uid, uid)).for('update');
    const [credit] = await tx.db
      .select()
      .from(planCredits)
      .where(and(eq(planCredits.id, id), isNull(planCredits.grantedAt)));
    if (credit === undefined) return null;
    const [plan] = await tx.db.select().from(subscriptions).where(eq(subscriptions.uid, uid));
    if (plan !== undefined && subscriptionCounts(plan, now))
      return this.settleOnPlan(tx, credit, plan);
    if (person?.trialEndsAt == null || person.trialEndsAt <= now) return null;
    await tx.db
      .update(users)
      .set({ trialEndsAt: person.trialEndsAt + credit.days * DAY_MS })
      .where(eq(users.uid, uid));
    await tx.db.update(planCredits).set({ grantedAt: now }).where(eq(planCredits.id, id));
    await this.deps.events.append(tx, uid, [{ type: 'subscription.changed' }]);
    return null;
  }

  private async settleOnPlan(
    tx: Tx,
    credit: Credit,
    plan: SubscriptionRow,
  ): Promise<Settled | null> {
    const { providerSubscriptionId: subscriptionId, currentPeriodEnd } = plan;
    // One that is unpaid, or ends, is not lengthened: the days wait for the next.
    if (
      plan.provider !== this.deps.payments.provider ||
      subscriptionId === null ||
      currentPeriodEnd === null ||
      plan.status === 'past_due' ||
      plan.cancelAtPeriodEnd
    )
      return null;
    if (credit.subscriptionId === subscriptionId && credit.paidUntil !== null)
      return { subscriptionId, paidUntil: credit.paidUntil };
    // The end that an open credit asks for is not known to have come: another one that counted from
    // here would ask for the same, or be taken back by it.
    if (credit.paidUntil === null && (await hasOpenCredit(tx, credit.uid))) return null;
    const now = this.deps.clock.now();
    const paidUntil = Math.max(currentPeriodEnd, now) + credit.days * DAY_MS;
    await tx.db
      .update(planCredits)
      .set({ subscriptionId, paidUntil })
      .where(eq(planCredits.id, credit.id));
    return { subscriptionId, paidUntil };
  }
}

/** The period of a plan that counts by its status is paid for, or may still be: `subscriptionCounts`. */
const periodRuns = (now: number) =>
  sql`${subscriptions.currentPeriodEnd} + case when ${subscriptions.cancelAtPeriodEnd} then 0 else ${PAYMENT_GRACE_MS}::bigint end > ${now}::bigint`;

/** Whether the provider was asked, or is about to be, for a credit of theirs that is not granted. */
async function hasOpenCredit(tx: Tx, uid: string): Promise<boolean> {
  const open = and(
    eq(planCredits.uid, uid),
    isNotNull(planCredits.paidUntil),
    isNull(planCredits.grantedAt),
  );
  return (await tx.db.$count(planCredits, open)) > 0;
}

async function isShortOf(tx: Tx, uid: string, seen: ProviderSubscription): Promise<boolean> {
  const known = await readSubscription(tx.db, uid);
  return (
    known?.providerSubscriptionId === seen.id &&
    (known.currentPeriodEnd ?? Infinity) < (seen.currentPeriodEnd ?? 0)
  );
}
