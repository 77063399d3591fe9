/** Invoices of the fake payment provider: first bills, renewals by the wall clock, credit. */
import { randomUUID } from 'node:crypto';
import { and, desc, eq } from 'drizzle-orm';
import { formatFixed, parseFixed, sum, type Fixed } from '../../../contract/money.ts';
import type { Plan } from '../../../contract/subscription.ts';
import type { WallClock } from '../../clock.ts';
import type { Database, Db, Tx } from '../../db/database.ts';
import { testInvoices } from '../../db/schema-plans.ts';
import type { EventLog } from '../../db/user-events.ts';
import { readSubscription } from '../entitlement.ts';
import type { ProviderSubscription } from '../payments.ts';
import { builtInPlans } from '../plans.ts';
import { billOf, type Bill } from '../proration.ts';
import { PAYMENT_GRACE_MS } from '../subscription-state.ts';
import {
  lockPerson,
  observe,
  recordSubscription,
  type SubscriptionRow,
} from '../subscription-record.ts';

/** A month of the fake provider, ms. */
export const FAKE_PERIOD_MS = 30 * 24 * 60 * 60_000;

export interface FakeProviderDeps {
  database: Database;
  events: EventLog;
  clock: WallClock;
}

export type CardAnswer = 'accepted' | 'declined' | 'needs_authentication' | 'not_a_test_card';

/** Taken when it is given, refused whenever it is charged after that. */
const FAILS_LATER = '4000000000000341';
const digitsOf = (card: string): string => card.replace(/[\s-]/g, '');

/**
 * What the fake provider does with a card number; everything but the four known ones is refused
 * unread.
 */
export function answerCard(number: string): CardAnswer {
  switch (digitsOf(number)) {
    case '4242424242424242':
    case FAILS_LATER:
      return 'accepted';
    case '4000000000000002':
      return 'declined';
    case '4000000000003220':
      return 'needs_authentication';
    default:
      return 'not_a_test_card';
  }
}

/** Whether a card that was taken can be charged again. */
export const paysLater = (card: string): boolean => digitsOf(card) !== FAILS_LATER;

export interface Period {
  status: 'active' | 'past_due' | 'canceled';
  paidUntil: number;
  /** Beginnings of the periods that were renewed on the way. */
  renewed: number[];
}

/**
 * What has become of a plan by `now` (ms): each period that has passed is renewed where the card
 * pays, else the plan is overdue, and over after the grace.
 */
export function broughtUpTo(
  now: number,
  from: { paidUntil: number; cancelAtPeriodEnd: boolean; cardPays: boolean },
): Period {
  const renewed: number[] = [];
  let { paidUntil } = from;
  while (paidUntil <= now) {
    if (from.cancelAtPeriodEnd) return { status: 'canceled', paidUntil, renewed };
    if (!from.cardPays)
      return {
        status: now < paidUntil + PAYMENT_GRACE_MS ? 'past_due' : 'canceled',
        paidUntil,
        renewed,
      };
    renewed.push(paidUntil);
    paidUntil += FAKE_PERIOD_MS;
  }
  return { status: 'active', paidUntil, renewed };
}

export type FakeInvoice = typeof testInvoices.$inferSelect;

export async function balanceOf(db: Db, uid: string): Promise<Fixed> {
  const rows = await db
    .select({ credit: testInvoices.credit })
    .from(testInvoices)
    .where(and(eq(testInvoices.uid, uid), eq(testInvoices.status, 'paid')));
  return sum(rows.map(({ credit }) => parseFixed(credit)));
}

/** The newest bill of a subscription, by whose card the next is paid. */
export async function lastInvoice(db: Db, subscriptionId: string): Promise<FakeInvoice | null> {
  const [row] = await db
    .select()
    .from(testInvoices)
    .where(eq(testInvoices.subscriptionId, subscriptionId))
    .orderBy(desc(testInvoices.createdAt), desc(testInvoices.id))
    .limit(1);
  return row ?? null;
}

export async function writeInvoice(
  tx: Tx,
  to: { uid: string; subscriptionId: string; cause: string; card: string; at: number },
  plan: Plan,
  bill: Bill,
  status: 'paid' | 'open',
): Promise<void> {
  const { at, card, cause, subscriptionId, uid } = to;
  // No two bills of one moment: which is the newest, and by whose card the next is paid, is never
  // left to chance.
  const newest = await lastInvoice(tx.db, subscriptionId);
  await tx.db
    .insert(testInvoices)
    .values({
      id: randomUUID(),
      uid,
      subscriptionId,
      cause,
      card: digitsOf(card),
      text: bill.lines.map(({ text }) => text).join('; '),
      status,
      amount: formatFixed(bill.dueNow),
      credit: formatFixed(bill.credit),
      currency: plan.currency,
      createdAt: Math.max(at, (newest?.createdAt ?? 0) + 1),
    })
    .onConflictDoNothing();
}

/** Our row as the provider would report it, with `change` applied. */
export function providerView(
  row: SubscriptionRow,
  change: Partial<Omit<ProviderSubscription, 'uid'>> = {},
): ProviderSubscription & { uid: string } {
  const plan = builtInPlans().find((candidate) => candidate.id === row.planId);
  return {
    id: row.providerSubscriptionId ?? '',
    uid: row.uid,
    customerId: row.customerId,
    tier: plan?.tier ?? 'free',
    planId: plan?.id ?? 'free',
    priceId: plan?.priceId ?? '',
    status: row.status === 'active' || row.status === 'past_due' ? row.status : 'canceled',
    currentPeriodEnd: row.currentPeriodEnd,
    cancelAtPeriodEnd: row.cancelAtPeriodEnd,
    // A change is made here once it is paid.
    bill: 'paid',
    ...change,
  };
}

export async function writeSubscription(
  tx: Tx,
  deps: FakeProviderDeps,
  next: ProviderSubscription & { uid: string },
): Promise<void> {
  await recordSubscription(tx, deps.events, 'test', next, await observe(tx.db, deps.clock));
}

/**
 * The person's test subscription as it is by now, with the bills of what passed meanwhile. Their
 * row is locked: renewals and what they do in the portal take turns. Null where they have none.
 */
export async function bringUpToDate(
  tx: Tx,
  deps: FakeProviderDeps,
  uid: string,
): Promise<SubscriptionRow | null> {
  if (!(await lockPerson(tx, uid))) return null;
  const row = await readSubscription(tx.db, uid);
  if (row === null || row.provider !== 'test' || row.providerSubscriptionId === null) return null;
  const plan = builtInPlans().find((candidate) => candidate.id === row.planId);
  if (
    plan === undefined ||
    row.currentPeriodEnd === null ||
    (row.status !== 'active' && row.status !== 'past_due')
  )
    return row;
  const subscriptionId = row.providerSubscriptionId;
  const newest = await lastInvoice(tx.db, subscriptionId);
  const card = newest?.card ?? '4242424242424242';
  const cardPays = paysLater(card) && newest?.status !== 'open';
  const period = broughtUpTo(deps.clock.now(), {
    paidUntil: row.currentPeriodEnd,
    cancelAtPeriodEnd: row.cancelAtPeriodEnd,
    cardPays,
  });
  const bill = async (start: number, status: 'paid' | 'open'): Promise<void> => {
    const lines = [{ text: plan.name, amount: parseFixed(plan.amount) }];
    await writeInvoice(
      tx,
      { uid, subscriptionId, cause: `renewal:${start}`, card, at: start },
      plan,
      billOf(lines, await balanceOf(tx.db, uid)),
      status,
    );
  };
  for (const start of period.renewed) await bill(start, 'paid');
  if (period.status === 'past_due') await bill(period.paidUntil, 'open');
  if (period.status === 'canceled') {
    await tx.db
      .update(testInvoices)
      .set({ status: 'uncollectible' })
      .where(and(eq(testInvoices.subscriptionId, subscriptionId), eq(testInvoices.status, 'open')));
  }
  if (period.status !== row.status || period.paidUntil !== row.currentPeriodEnd) {
    await writeSubscription(
      tx,
      deps,
      providerView(row, { status: period.status, currentPeriodEnd: period.paidUntil }),
    );
  }
  return readSubscription(tx.db, uid);
}

/**
 * Pays the open bill with another card: the plan goes on from where what was paid for had ended.
 */
export async function payOpenInvoice(
  tx: Tx,
  deps: FakeProviderDeps,
  row: SubscriptionRow,
  card: string,
): Promise<boolean> {
  if (
    row.status !== 'past_due' ||
    row.providerSubscriptionId === null ||
    row.currentPeriodEnd === null
  )
    return false;
  const paid = await tx.db
    .update(testInvoices)
    .set({ status: 'paid', card: digitsOf(card) })
    .where(
      and(
        eq(testInvoices.subscriptionId, row.providerSubscriptionId),
        eq(testInvoices.status, 'open'),
      ),
    )
    .returning({ id: testInvoices.id });
  if (paid.length === 0) return false;
  await writeSubscription(
    tx,
    deps,
    providerView(row, {
      status: 'active',
      currentPeriodEnd: row.currentPeriodEnd + FAKE_PERIOD_MS,
    }),
  );
  return true;
}

/**
 * Ends a plan with what is paid. One whose renewal is unpaid is over at once, and its bill is void.
 * The row is up to date and locked. Returns what the provider reports of it then.
 */
export async function cancelPlan(
  tx: Tx,
  deps: FakeProviderDeps,
  row: SubscriptionRow,
): Promise<ProviderSubscription> {
  const isUnpaid = row.status === 'past_due';
  if (isUnpaid)
    await tx.db
      .update(testInvoices)
      .set({ status: 'void' })
      .where(
        and(
          eq(testInvoices.subscriptionId, row.providerSubscriptionId ?? ''),
          eq(testInvoices.status, 'open'),
        ),
      );
  const next = providerView(row, isUnpaid ? { status: 'canceled' } : { cancelAtPeriodEnd: true });
  await writeSubscription(tx, deps, next);
  return next;
}

/** A person's bills, newest first. */
export async function fakeInvoicesOf(db: Db, uid: string, limit: number): Promise<FakeInvoice[]> {
  return db
    .select()
    .from(testInvoices)
    .where(eq(testInvoices.uid, uid))
    .orderBy(desc(testInvoices.createdAt), desc(testInvoices.id))
    .limit(limit);
}
