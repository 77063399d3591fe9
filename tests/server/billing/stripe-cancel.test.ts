/** "Cancel plan" while a payment is overdue: what was paid for is over, and nothing more is collected. */
import { eq } from 'drizzle-orm';
import type Stripe from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { users } from '../../../server/db/schema.ts';
import { openStripeWorld, type StripeWorld } from './stripe-world.ts';

const DAY_MS = 86_400_000;
const PERIOD_S = 30 * 86_400;
let there: StripeWorld;

beforeAll(async () => {
  there = await openStripeWorld();
});
afterAll(() => there.close());

/** Somebody whose renewal failed a day ago, with the invoice that is owed. */
async function overdue(payment?: Stripe.PaymentIntent.Status) {
  const { world, stripe } = there;
  const server = there.server();
  const { uid, held } = await there.subscriber();
  await server.reconciliation.runOnce();
  const paidUntil = held.periodEnd * 1_000;
  Object.assign(held, {
    status: 'past_due',
    periodStart: held.periodEnd,
    periodEnd: held.periodEnd + PERIOD_S,
  });
  const invoice = {
    id: `in_of_${held.id}`,
    customer: held.customer,
    created: held.periodStart ?? 0,
    total: 9_900,
    currency: 'eur',
    status: 'open',
    text: 'Pro',
    subscription: held.id,
    ...(payment === undefined ? {} : { payment }),
  };
  stripe.invoices.push(invoice);
  world.clock.at = paidUntil + DAY_MS;
  await server.reconciliation.runOnce();
  expect((await server.call(uid, 'subscriptionStatus')).standing).toMatchObject({ state: 'grace' });
  return { uid, held, invoice, paidUntil, ...server };
}

describe('cancelling a plan whose renewal is unpaid', () => {
  it('ends it at Stripe at once, with the invoice that was owed (R7-03)', async () => {
    const { uid, held, invoice, paidUntil, call, reconciliation } =
      await overdue('requires_payment_method');
    const { subscription } = await call(uid, 'subscribe', { userId: uid, planId: 'free' });
    expect([held.status, invoice.status]).toEqual(['canceled', 'void']);
    expect(subscription).toMatchObject({ status: 'canceled', currentPeriodEnd: paidUntil });
    // What Stripe tells of it later is the same: the month that began was never paid.
    there.stripe.events.push({
      id: `evt_end_of_${held.id}`,
      type: 'customer.subscription.deleted',
      created: Math.floor(there.world.clock.at / 1_000),
      data: { object: { id: held.id, object: 'subscription' } },
    });
    await reconciliation.runOnce();
    expect(await call(uid, 'subscriptionStatus')).toMatchObject({
      entitledTier: 'free',
      standing: { state: 'lapsed' },
      subscription: { status: 'canceled', currentPeriodEnd: paidUntil },
    });
  });

  it('says beforehand that it ends now, and that a trial that still runs follows (R2-14)', async () => {
    const { uid, preview } = await overdue();
    const { clock, database } = there.world;
    expect(await preview(uid, 'free')).toMatchObject({
      kind: 'end',
      to: 'free',
      effectiveAt: clock.at,
      servedAt: clock.at,
    });
    await database.db
      .update(users)
      .set({ trialEndsAt: clock.at + DAY_MS })
      .where(eq(users.uid, uid));
    expect(await preview(uid, 'free')).toMatchObject({ to: 'trial', effectiveAt: clock.at });
  });

  it('is refused while the payment is under way, and changes nothing (R7-03)', async () => {
    const { uid, held, invoice, call } = await overdue('processing');
    await expect(call(uid, 'subscribe', { userId: uid, planId: 'free' })).rejects.toMatchObject({
      code: 'already_subscribed',
      message:
        'Your last payment is still being processed. You can cancel once it is confirmed or declined.',
    });
    expect([held.status, held.cancelAtPeriodEnd, invoice.status]).toEqual([
      'past_due',
      false,
      'open',
    ]);
    invoice.payment = 'requires_payment_method';
    await call(uid, 'subscribe', { userId: uid, planId: 'free' });
    expect([held.status, invoice.status]).toEqual(['canceled', 'void']);
  });

  it('takes back what is owed at the next press where Stripe failed in between', async () => {
    const { uid, held, invoice, call } = await overdue();
    held.status = 'canceled';
    await call(uid, 'subscribe', { userId: uid, planId: 'free' });
    expect(invoice.status).toBe('void');
    expect((await call(uid, 'subscriptionStatus')).standing).toMatchObject({ state: 'lapsed' });
  });

  it('ends with the new month where its payment came and nobody had told yet (R7-03)', async () => {
    const { uid, held, invoice, preview, call } = await overdue();
    held.status = 'active';
    invoice.status = 'paid';
    const end = held.periodEnd * 1_000;
    expect(await preview(uid, 'free')).toMatchObject({ kind: 'end', effectiveAt: end });
    const { subscription } = await call(uid, 'subscribe', { userId: uid, planId: 'free' });
    expect(subscription).toMatchObject({
      status: 'active',
      cancelAtPeriodEnd: true,
      currentPeriodEnd: end,
    });
  });
});

describe("cancelling such a plan in Stripe's portal", () => {
  it('ends it as well as soon as it is heard of, and collects nothing more', async () => {
    const { uid, held, invoice, call, reconciliation } = await overdue();
    held.cancelAtPeriodEnd = true;
    there.world.clock.at += 6 * 60_000;
    await reconciliation.runOnce();
    expect([held.status, invoice.status]).toEqual(['canceled', 'void']);
    expect((await call(uid, 'subscriptionStatus')).standing).toMatchObject({ state: 'lapsed' });
  });

  it('waits for a payment that is under way', async () => {
    const { uid, held, invoice, call, reconciliation } = await overdue('processing');
    held.cancelAtPeriodEnd = true;
    there.world.clock.at += 6 * 60_000;
    await reconciliation.runOnce();
    expect([held.status, invoice.status]).toEqual(['past_due', 'open']);
    expect((await call(uid, 'subscriptionStatus')).standing).toMatchObject({ state: 'lapsed' });
    invoice.payment = 'requires_payment_method';
    there.world.clock.at += 6 * 60_000;
    await reconciliation.runOnce();
    expect([held.status, invoice.status]).toEqual(['canceled', 'void']);
  });
});

it('keeps the month that is paid where a change in the middle of it is overdue (R7-03)', async () => {
  const { world } = there;
  const { uid, held } = await there.subscriber();
  const { call, preview, reconciliation } = there.server();
  await reconciliation.runOnce();
  world.clock.at += 10 * DAY_MS;
  Object.assign(held, {
    status: 'past_due',
    latestInvoice: {
      reason: 'subscription_update',
      created: Math.floor(world.clock.at / 1_000),
    },
  });
  await reconciliation.runOnce();
  const end = held.periodEnd * 1_000;
  expect(await preview(uid, 'free')).toMatchObject({ kind: 'end', effectiveAt: end });
  const { subscription } = await call(uid, 'subscribe', { userId: uid, planId: 'free' });
  expect(subscription).toMatchObject({ cancelAtPeriodEnd: true, currentPeriodEnd: end });
  expect([held.status, held.cancelAtPeriodEnd]).toEqual(['past_due', true]);
});
