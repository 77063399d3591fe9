/** What the test pages do to a subscription: pay, change, end, keep; refuses to pay twice for one checkout. */
import { eq } from 'drizzle-orm';
import type { Plan } from '../../contract/subscription.ts';
import type { WallClock } from '../clock.ts';
import type { Database, Tx } from '../db/database.ts';
import { checkouts } from '../db/schema.ts';
import type { EventLog } from '../events/events.ts';
import { UNFINISHED, type CheckoutRow } from './checkout.ts';
import { readSubscription } from './entitlement.ts';
import { subscriptionCounts } from './standing.ts';
import type { ProviderSubscription } from './payments.ts';
import { builtInPlans, planOfPrice } from './plans.ts';
import { recordSubscription } from './subscription-record.ts';
import { answerCard, PORTAL_LINK_MS, TEST_PERIOD_MS, testSubscription } from './test-payments.ts';

/** As Stripe: a checkout that nobody finished ends after a day, ms. */
const CHECKOUT_OPEN_MS = 24 * 60 * 60_000;
const UUID = /^[0-9a-f-]{36}$/;

export interface TillDeps {
  database: Database;
  events: EventLog;
  clock: WallClock;
}

export interface OpenCheckout {
  row: CheckoutRow;
  plan: Plan;
}

export type PayAnswer = { kind: 'paid'; to: string } | { kind: 'confirm' } | { kind: 'error'; text: string } | { kind: 'gone' };

async function rowOf(deps: TillDeps, id: string, tx?: Tx): Promise<CheckoutRow | null> {
  if (!UUID.test(id)) return null;
  const query = (tx?.db ?? deps.database.db).select().from(checkouts).where(eq(checkouts.id, id));
  const [row] = await (tx === undefined ? query : query.for('update'));
  return row ?? null;
}

/** The checkout behind a link while it can still be paid, or has been. */
export async function findCheckout(deps: TillDeps, id: string, tx?: Tx): Promise<OpenCheckout | null> {
  const row = await rowOf(deps, id, tx);
  const plan = row === null ? undefined : planOfPrice(builtInPlans(), row.priceId);
  if (row === null || plan === undefined) return null;
  if (row.state === 'complete') return { row, plan };
  const open = UNFINISHED.some((state) => state === row.state) && deps.clock.now() - row.createdAt < CHECKOUT_OPEN_MS;
  return open ? { row, plan } : null;
}

/** Tries a card; the checkout's row is locked, so that two presses pay once. */
export function payWithCard(deps: TillDeps, id: string, card: string): Promise<PayAnswer> {
  return deps.database.transaction(async (tx) => {
    const found = await findCheckout(deps, id, tx);
    if (found === null) return { kind: 'gone' };
    if (found.row.state === 'complete') return { kind: 'paid', to: found.row.successUrl };
    const answer = answerCard(card);
    switch (answer) {
      case 'accepted': return settle(deps, tx, found);
      case 'declined': return { kind: 'error', text: 'The card was declined. Nothing was charged. Try another test card.' };
      case 'not_a_test_card': return { kind: 'error', text: 'That is not one of the test cards. Use one of the three below.' };
      case 'needs_authentication':
        await tx.db.update(checkouts).set({ state: 'confirming' }).where(eq(checkouts.id, id));
        return { kind: 'confirm' };
    }
  });
}

/** The second step of a card whose bank wants to be asked. */
export function confirmPayment(deps: TillDeps, id: string, approved: boolean): Promise<PayAnswer> {
  return deps.database.transaction(async (tx) => {
    const found = await findCheckout(deps, id, tx);
    if (found === null) return { kind: 'gone' };
    if (found.row.state === 'complete') return { kind: 'paid', to: found.row.successUrl };
    if (found.row.state !== 'confirming') return { kind: 'error', text: 'Pay with a card first.' };
    if (approved) return settle(deps, tx, found);
    await tx.db.update(checkouts).set({ state: 'open' }).where(eq(checkouts.id, id));
    return { kind: 'error', text: 'The bank refused. Nothing was charged.' };
  });
}

async function settle(deps: TillDeps, tx: Tx, { row, plan }: OpenCheckout): Promise<PayAnswer> {
  const now = deps.clock.now();
  const known = await readSubscription(tx.db, row.uid);
  if (known !== null && subscriptionCounts(known, now)) return { kind: 'error', text: 'You already have a plan. Nothing was charged.' };
  await recordSubscription(tx, deps.events, 'test', testSubscription(row.uid, plan, now + TEST_PERIOD_MS), now);
  await tx.db.update(checkouts).set({ state: 'complete' }).where(eq(checkouts.id, row.id));
  return { kind: 'paid', to: row.successUrl };
}

export async function findPortal(deps: TillDeps, id: string, tx?: Tx): Promise<CheckoutRow | null> {
  const row = await rowOf(deps, id, tx);
  return row !== null && row.state === 'portal' && deps.clock.now() - row.createdAt < PORTAL_LINK_MS ? row : null;
}

export type PortalAct = { act: 'cancel' } | { act: 'resume' } | { act: 'change'; planId: string };

/** Returns a sentence where the act makes no sense, null where it was done, and false where the link has ended. */
export function actInPortal(deps: TillDeps, id: string, act: PortalAct): Promise<string | null | false> {
  return deps.database.transaction(async (tx) => {
    const portal = await findPortal(deps, id, tx);
    if (portal === null) return false;
    const now = deps.clock.now();
    const known = await readSubscription(tx.db, portal.uid);
    const plan = builtInPlans().find((candidate) => candidate.id === (act.act === 'change' ? act.planId : known?.planId));
    if (known === null || known.provider !== 'test' || !subscriptionCounts(known, now)) return 'There is no plan to change.';
    if (plan === undefined || plan.priceId === null) return 'There is no such plan.';
    const next: ProviderSubscription & { uid: string } = {
      ...testSubscription(portal.uid, plan, known.currentPeriodEnd ?? now + TEST_PERIOD_MS),
      ...(known.providerSubscriptionId === null ? {} : { id: known.providerSubscriptionId }),
      cancelAtPeriodEnd: act.act === 'cancel',
    };
    await recordSubscription(tx, deps.events, 'test', next, now);
    return null;
  });
}
