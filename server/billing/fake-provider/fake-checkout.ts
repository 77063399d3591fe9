/** What the fake provider's pages do to a subscription: pay, change, cancel, resume. */
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { ZERO } from '../../../contract/money.ts';
import type { Plan } from '../../../contract/subscription.ts';
import type { Tx } from '../../db/database.ts';
import { checkouts, testInvoices } from '../../db/schema-plans.ts';
import { UNFINISHED, type CheckoutRow } from '../open-checkout.ts';
import { readSubscription } from '../entitlement.ts';
import { builtInPlans, planOfPrice } from '../plans.ts';
import { changeBill, firstBill, type Bill } from '../proration.ts';
import { subscriptionCounts } from '../subscription-state.ts';
import { lockPerson, type SubscriptionRow } from '../subscription-record.ts';
import {
  answerCard,
  balanceOf,
  bringUpToDate,
  cancelPlan,
  lastInvoice,
  providerView,
  payOpenInvoice,
  paysLater,
  FAKE_PERIOD_MS,
  writeSubscription,
  writeInvoice,
  type FakeProviderDeps,
  type FakeInvoice,
} from './fake-invoices.ts';
import { PORTAL_LINK_MS, fakeCoupon } from './fake-payments.ts';

/** As Stripe: a checkout that nobody finished ends after a day, ms. */
const CHECKOUT_OPEN_MS = 24 * 60 * 60_000;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const ASKING_CARD = '4000000000003220';

export interface OpenCheckout {
  row: CheckoutRow;
  plan: Plan;
  bill: Bill;
}

export type PayAnswer =
  | { kind: 'paid'; to: string }
  | { kind: 'confirm' }
  | { kind: 'error'; text: string }
  | { kind: 'gone' };

async function rowOf(deps: FakeProviderDeps, id: string, tx?: Tx): Promise<CheckoutRow | null> {
  if (!UUID.test(id)) return null;
  const query = (tx?.db ?? deps.database.db).select().from(checkouts).where(eq(checkouts.id, id));
  const [row] = await (tx === undefined ? query : query.for('update'));
  return row ?? null;
}

/** The checkout behind a link while it can still be paid, or has been. */
export async function findCheckout(
  deps: FakeProviderDeps,
  id: string,
  tx?: Tx,
): Promise<OpenCheckout | null> {
  const row = await rowOf(deps, id, tx);
  const plan = row === null ? undefined : planOfPrice(builtInPlans(), row.priceId);
  if (row === null || plan === undefined) return null;
  const open =
    UNFINISHED.some((state) => state === row.state) &&
    deps.clock.now() - row.createdAt < CHECKOUT_OPEN_MS;
  if (row.state !== 'complete' && !open) return null;
  return {
    row,
    plan,
    bill: firstBill(
      plan,
      row.coupon === null ? null : fakeCoupon(row.coupon),
      await balanceOf(tx?.db ?? deps.database.db, row.uid),
    ),
  };
}

/** Tries a card; the checkout's row is locked, so that two presses pay once. */
export function payWithCard(deps: FakeProviderDeps, id: string, card: string): Promise<PayAnswer> {
  return deps.database.transaction(async (tx) => {
    const found = await findCheckout(deps, id, tx);
    if (found === null) return { kind: 'gone' };
    if (found.row.state === 'complete') return { kind: 'paid', to: found.row.successUrl };
    switch (answerCard(card)) {
      case 'accepted':
        return settle(deps, tx, found, card);
      case 'declined':
        return {
          kind: 'error',
          text: 'The card was declined. Nothing was charged. Try another test card.',
        };
      case 'not_a_test_card':
        return {
          kind: 'error',
          text: 'This is not a test card. Use one of the cards below.',
        };
      case 'needs_authentication':
        await tx.db.update(checkouts).set({ state: 'confirming' }).where(eq(checkouts.id, id));
        return { kind: 'confirm' };
    }
  });
}

/** The second step of a card whose bank wants to be asked. */
export function confirmPayment(
  deps: FakeProviderDeps,
  id: string,
  approved: boolean,
): Promise<PayAnswer> {
  return deps.database.transaction(async (tx) => {
    const found = await findCheckout(deps, id, tx);
    if (found === null) return { kind: 'gone' };
    if (found.row.state === 'complete') return { kind: 'paid', to: found.row.successUrl };
    if (found.row.state !== 'confirming') return { kind: 'error', text: 'Enter a card first.' };
    if (approved) return settle(deps, tx, found, ASKING_CARD);
    await tx.db.update(checkouts).set({ state: 'open' }).where(eq(checkouts.id, id));
    return { kind: 'error', text: 'The bank declined. Nothing was charged.' };
  });
}

async function settle(
  deps: FakeProviderDeps,
  tx: Tx,
  { row, plan }: OpenCheckout,
  card: string,
): Promise<PayAnswer> {
  const now = deps.clock.now();
  await bringUpToDate(tx, deps, row.uid);
  if (!(await lockPerson(tx, row.uid))) return { kind: 'gone' };
  const known = await readSubscription(tx.db, row.uid);
  if (known !== null && subscriptionCounts(known, now))
    return { kind: 'error', text: 'You already have a plan. Nothing was charged.' };
  // Again, now that nobody else can use up the person's credit.
  const bill = firstBill(
    plan,
    row.coupon === null ? null : fakeCoupon(row.coupon),
    await balanceOf(tx.db, row.uid),
  );
  const id = `sub_test_${randomUUID()}`;
  await writeInvoice(
    tx,
    { uid: row.uid, subscriptionId: id, cause: 'start', card, at: now },
    plan,
    bill,
    'paid',
  );
  await writeSubscription(tx, deps, {
    id,
    uid: row.uid,
    customerId: `cus_test_${row.uid}`,
    status: 'active',
    tier: plan.tier,
    planId: plan.id,
    priceId: plan.priceId ?? '',
    currentPeriodEnd: now + FAKE_PERIOD_MS,
    cancelAtPeriodEnd: false,
    bill: 'paid',
  });
  await tx.db.update(checkouts).set({ state: 'complete' }).where(eq(checkouts.id, row.id));
  return { kind: 'paid', to: row.successUrl };
}

export async function findPortal(
  deps: FakeProviderDeps,
  id: string,
  tx?: Tx,
): Promise<CheckoutRow | null> {
  const row = await rowOf(deps, id, tx);
  return row !== null && row.state === 'portal' && deps.clock.now() - row.createdAt < PORTAL_LINK_MS
    ? row
    : null;
}

export type PortalAct =
  | { act: 'cancel' }
  | { act: 'resume' }
  | { act: 'change'; planId: string }
  | { act: 'pay'; card: string };

/**
 * Returns a sentence where the act makes no sense, null where it was done, and false where the link
 * has ended.
 */
export function actInPortal(
  deps: FakeProviderDeps,
  id: string,
  act: PortalAct,
): Promise<string | null | false> {
  return deps.database.transaction(async (tx) => {
    const portal = await findPortal(deps, id, tx);
    if (portal === null) return false;
    const known = await bringUpToDate(tx, deps, portal.uid);
    if (known === null || !subscriptionCounts(known, deps.clock.now()))
      return 'You have no plan to change.';
    switch (act.act) {
      case 'cancel':
        await cancelPlan(tx, deps, known);
        return null;
      case 'resume':
        await writeSubscription(tx, deps, providerView(known, { cancelAtPeriodEnd: false }));
        return null;
      case 'change':
        return changePlan(deps, tx, known, act.planId);
      case 'pay':
        return payNow(deps, tx, known, act.card);
    }
  });
}

/** At once, the rest of the period reckoned up: more is charged, less is kept as a credit. */
async function changePlan(
  deps: FakeProviderDeps,
  tx: Tx,
  known: SubscriptionRow,
  planId: string,
): Promise<string | null> {
  const now = deps.clock.now();
  const [present, next] = [known.planId, planId].map((wanted) =>
    builtInPlans().find((plan) => plan.id === wanted),
  );
  if (next === undefined || next.priceId === null || present === undefined)
    return 'Plan not found.';
  if (known.status === 'past_due')
    return 'The last invoice is unpaid. Pay it with another card first.';
  if (present.id !== next.id) {
    const subscriptionId = known.providerSubscriptionId ?? '';
    const bill = changeBill(
      present,
      next,
      (known.currentPeriodEnd ?? now) - now,
      FAKE_PERIOD_MS,
      await balanceOf(tx.db, known.uid),
    );
    const card = (await lastInvoice(tx.db, subscriptionId))?.card ?? '4242424242424242';
    if (bill.dueNow > ZERO && !paysLater(card))
      return 'The card was declined. Nothing was charged or changed.';
    await writeInvoice(
      tx,
      { uid: known.uid, subscriptionId, cause: `change:${randomUUID()}`, card, at: now },
      next,
      bill,
      'paid',
    );
  }
  await writeSubscription(
    tx,
    deps,
    providerView(known, {
      tier: next.tier,
      planId: next.id,
      priceId: next.priceId,
      cancelAtPeriodEnd: false,
    }),
  );
  return null;
}

async function payNow(
  deps: FakeProviderDeps,
  tx: Tx,
  known: SubscriptionRow,
  card: string,
): Promise<string | null> {
  const answer = answerCard(card);
  if (answer === 'not_a_test_card') return 'This is not a test card.';
  if (answer !== 'accepted' || !paysLater(card))
    return 'The card was declined. Nothing was charged. Try another test card.';
  return (await payOpenInvoice(tx, deps, known, card)) ? null : 'There is no unpaid invoice.';
}

/** A bill by its link. */
export async function findInvoice(deps: FakeProviderDeps, id: string): Promise<FakeInvoice | null> {
  if (!UUID.test(id)) return null;
  const [row] = await deps.database.db.select().from(testInvoices).where(eq(testInvoices.id, id));
  return row ?? null;
}
