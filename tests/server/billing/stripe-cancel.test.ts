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

describe('a change to a larger plan whose charge failed', () => {
  /** Somebody who has paid for Starter, as our record has it too. */
  async function starter() {
    const { uid, held } = await there.subscriber();
    held.priceId = 'price_starter';
    const { call, preview, reconciliation } = there.server({ 'pro-max': ['price_pro_max'] });
    await reconciliation.runOnce();
    /** What Stripe has after a change in the middle of the period, and what we make of it. */
    const change = async (
      priceId: string,
      status: Stripe.Subscription.Status,
      invoice: { status: Stripe.Invoice.Status; total?: number },
    ) => {
      there.world.clock.at += 60 * 60_000;
      const created = Math.floor(there.world.clock.at / 1_000);
      Object.assign(held, {
        priceId,
        status,
        latestInvoice: { reason: 'subscription_update', created, ...invoice },
      });
      there.stripe.events.push({
        id: `evt_${held.id}_${created}`,
        type: 'customer.subscription.updated',
        created,
        data: { object: { id: held.id, object: 'subscription' } },
      });
      await reconciliation.runOnce();
      const { entitledTier, standing, subscription } = await call(uid, 'subscriptionStatus');
      return { tier: entitledTier, state: standing?.state, plan: subscription?.planId };
    };
    return { uid, held, call, preview, change, reconciliation };
  }

  it('leaves the plan that is paid, until the larger one is (R4-02, R7-03)', async () => {
    const { change } = await starter();
    expect(await change('price_pro_max', 'past_due', { status: 'open' })).toEqual({
      tier: 'starter',
      state: 'grace',
      plan: 'starter',
    });
    expect(await change('price_pro', 'past_due', { status: 'open' })).toMatchObject({
      tier: 'starter',
    });
    expect(await change('price_pro', 'active', { status: 'paid' })).toEqual({
      tier: 'pro',
      state: 'active',
      plan: 'pro',
    });
    // That is the plan from which a next change is measured.
    expect(await change('price_pro_max', 'past_due', { status: 'open' })).toMatchObject({
      tier: 'pro',
    });
  });

  it('still leaves it where the renewal at the new price fails as well', async () => {
    const { held, call, uid, change, reconciliation } = await starter();
    await change('price_pro_max', 'past_due', { status: 'open' });
    there.world.clock.at = (held.periodEnd + 3_600) * 1_000;
    Object.assign(held, {
      periodStart: held.periodEnd,
      periodEnd: held.periodEnd + PERIOD_S,
      latestInvoice: undefined,
    });
    await reconciliation.runOnce();
    expect(await call(uid, 'subscriptionStatus')).toMatchObject({
      entitledTier: 'starter',
      standing: { state: 'grace' },
    });
  });

  it('gives a bank debit its days, and takes back what it did not pay', async () => {
    const { change } = await starter();
    expect(await change('price_pro', 'active', { status: 'open' })).toMatchObject({ tier: 'pro' });
    expect(await change('price_pro', 'past_due', { status: 'open' })).toMatchObject({
      tier: 'starter',
    });
  });

  it('takes a credit for paid, so that nobody who paid is held to less (R4-02)', async () => {
    const { change } = await starter();
    await change('price_pro_max', 'past_due', { status: 'open' });
    const credit = { status: 'paid', total: -8_000 } as const;
    expect(await change('price_pro', 'active', credit)).toMatchObject({
      tier: 'pro',
      state: 'active',
    });
  });

  it('measures from the smaller plan once somebody has changed to it', async () => {
    const { change } = await starter();
    await change('price_pro_max', 'active', { status: 'paid' });
    const credit = { status: 'paid', total: -8_000 } as const;
    expect(await change('price_pro', 'active', credit)).toMatchObject({ tier: 'pro' });
    expect(await change('price_pro_max', 'past_due', { status: 'open' })).toMatchObject({
      tier: 'pro',
    });
  });

  it('gives the smallest plan where it is the first that is heard of a subscription', async () => {
    const { uid, held } = await there.subscriber();
    Object.assign(held, {
      status: 'past_due',
      latestInvoice: {
        reason: 'subscription_update',
        created: Math.floor(there.world.clock.at / 1_000) + 3_600,
      },
    });
    const { call, reconciliation } = there.server();
    await reconciliation.runOnce();
    expect((await call(uid, 'subscriptionStatus')).entitledTier).toBe('starter');
  });

  it('opens the portal at its front page, where the open bill is paid', async () => {
    const { uid, call, preview, change } = await starter();
    await change('price_pro', 'past_due', { status: 'open' });
    expect(await preview(uid, 'pro')).toMatchObject({ kind: 'upgrade', charge: null });
    await call(uid, 'customerPortal', { returnUrl: '/subscription', planId: 'pro' });
    const asked = there.stripe.requests.findLast(({ path }) => path.includes('billing_portal'));
    expect(Object.keys(asked?.fields ?? {})).toEqual(['customer', 'return_url']);
  });
});

it('pays no month that is owed by a change of plan whose charge fails too (R7-03)', async () => {
  const { uid, held, call, reconciliation, paidUntil } = await overdue();
  there.world.clock.at += 6 * 60_000;
  const created = Math.floor(there.world.clock.at / 1_000);
  Object.assign(held, {
    status: 'past_due',
    priceId: 'price_starter',
    latestInvoice: { reason: 'subscription_update', created },
  });
  for (let look = 0; look < 2; look += 1) {
    await reconciliation.runOnce();
    expect(await call(uid, 'subscriptionStatus')).toMatchObject({
      entitledTier: 'starter',
      standing: { state: 'grace', until: paidUntil + 3 * DAY_MS },
    });
    there.world.clock.at += 7 * 60 * 60_000;
  }
  // Whoever pays has it; the change is the newest bill still.
  there.world.clock.at += 6 * 60_000;
  Object.assign(held, {
    status: 'active',
    latestInvoice: { reason: 'subscription_update', created, status: 'paid' },
  });
  there.stripe.invoices.length = 0;
  await reconciliation.runOnce();
  expect((await call(uid, 'subscriptionStatus')).standing).toMatchObject({
    state: 'active',
    until: held.periodEnd * 1_000,
  });
});
