/** A price that the operator changes: who bought at the old one keeps their plan. */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { subscriptions } from '../../../server/db/schema-plans.ts';
import { openStripeWorld, type StripeWorld } from './stripe-world.ts';

const back = {
  successUrl: '/dashboard?subscription=success',
  cancelUrl: '/dashboard?subscription=canceled',
};
let there: StripeWorld;
const serverWith = (...pro: string[]) => there.server({ starter: [], pro });

beforeAll(async () => {
  there = await openStripeWorld();
  there.stripe.prices.set('price_pro_2026', {
    unit_amount: 10_900,
    currency: 'eur',
    interval: 'month',
  });
});
afterAll(() => there.close());

const UNMAPPED = 'a subscription has a price that STRIPE_PRICE_* does not map to a tier';
/** Reconciliation asks about every plan again after this. */
const ASKED_AGAIN_MS = 7 * 60 * 60_000;

describe('a new price of a plan', () => {
  it('is sold, while who bought at the old one keeps the plan (R4-02, R7-02)', async () => {
    const { uid } = await there.subscriber();
    await serverWith('price_pro').reconciliation.runOnce();
    const changed = serverWith('price_pro_2026', 'price_pro');
    there.world.clock.at += ASKED_AGAIN_MS;
    await changed.reconciliation.runOnce();
    expect(await changed.call(uid, 'subscriptionStatus')).toMatchObject({
      entitledTier: 'pro',
      standing: { state: 'active' },
      subscription: { tier: 'pro', planId: 'pro' },
    });
    const { plans } = await changed.call(uid, 'plans');
    expect(plans.map(({ id, priceId, amount }) => [id, priceId, amount])).toEqual([
      ['free', null, '0'],
      ['pro', 'price_pro_2026', '109'],
    ]);
    const buyer = await there.world.person();
    await expect(
      changed.call(buyer, 'createCheckout', { priceId: 'price_pro', ...back }),
    ).rejects.toMatchObject({ code: 'no_price_id' });
    await changed.call(buyer, 'createCheckout', { priceId: 'price_pro_2026', ...back });
    expect(changed.errors).toEqual([]);
  });

  it('takes the plan from nobody where the old one was left out, and the operator is told (R4-02)', async () => {
    const { uid, held } = await there.subscriber();
    await serverWith('price_pro').reconciliation.runOnce();
    const changed = serverWith('price_pro_2026');
    there.world.clock.at += ASKED_AGAIN_MS;
    await changed.reconciliation.runOnce();
    expect(await changed.call(uid, 'subscriptionStatus')).toMatchObject({
      entitledTier: 'pro',
      standing: { state: 'active', tier: 'pro' },
      subscription: { tier: 'pro', planId: 'pro' },
    });
    expect(changed.errors).toContain(UNMAPPED);
    // What else Stripe says of it still counts.
    Object.assign(held, { status: 'canceled' });
    there.world.clock.at += ASKED_AGAIN_MS;
    await changed.reconciliation.runOnce();
    expect(await changed.call(uid, 'subscriptionStatus')).toMatchObject({
      entitledTier: 'free',
      standing: { state: 'lapsed' },
    });
  });

  it('can still be cancelled where the old one was left out (R7-03)', async () => {
    const { uid, held } = await there.subscriber();
    await serverWith('price_pro').reconciliation.runOnce();
    const changed = serverWith('price_pro_2026');
    const { subscription } = await changed.call(uid, 'subscribe', { userId: uid, planId: 'free' });
    expect(subscription).toMatchObject({ tier: 'pro', planId: 'pro', cancelAtPeriodEnd: true });
    expect(held.cancelAtPeriodEnd).toBe(true);
  });

  it('that is none of ours gives no plan to a subscription that never had one', async () => {
    const { uid, held } = await there.subscriber();
    held.priceId = 'price_of_something_else';
    const server = serverWith('price_pro');
    await server.reconciliation.runOnce();
    expect((await server.call(uid, 'subscriptionStatus')).entitledTier).toBe('free');
    expect(server.errors).toContain(UNMAPPED);
    const [row] = await there.world.database.db
      .select()
      .from(subscriptions)
      .where(eq(subscriptions.uid, uid));
    expect(row).toMatchObject({ tier: 'free', priceId: 'price_of_something_else' });
  });
});

describe('a price as Stripe counts it', () => {
  const NOT_SOLD =
    'a plan is not for sale: its price at Stripe is no fixed amount for one month or one year';
  const sold = async (price: Parameters<StripeWorld['stripe']['prices']['set']>[1]) => {
    there.stripe.prices.set('price_of_now', price);
    const server = serverWith('price_of_now');
    const { plans } = await server.call(await there.world.person(), 'plans');
    return { pro: plans.find(({ id }) => id === 'pro'), errors: server.errors };
  };

  it.each([
    ['kwd', 5_120, '5.12'],
    ['jpy', 5_120, '5120'],
    ['eur', 5_120, '51.2'],
  ])('of %s is in its own smallest unit (R7-02)', async (currency, unit_amount, amount) => {
    expect((await sold({ unit_amount, currency, interval: 'month' })).pro).toMatchObject({
      amount,
      currency: currency.toUpperCase(),
      interval: 'month',
    });
  });

  it.each([
    ['for a quarter', { unit_amount: 12_000, interval: 'month', interval_count: 3 }],
    ['for a week', { unit_amount: 3_000, interval: 'week' }],
    ['in tiers', { unit_amount: 0, interval: 'month', tiered: true }],
  ] as const)(
    '%s is not sold as one a month, and the operator is told (R7-02)',
    async (_, price) => {
      const { pro, errors } = await sold({ ...price, currency: 'eur' });
      expect(pro).toBeUndefined();
      expect(errors).toEqual([NOT_SOLD]);
    },
  );

  it('begins a year of its own where a month is changed for it', async () => {
    there.stripe.prices.set('price_of_now', {
      unit_amount: 99_000,
      currency: 'eur',
      interval: 'year',
    });
    const { uid, held } = await there.subscriber();
    const server = there.server({ starter: ['price_of_now'] });
    await server.reconciliation.runOnce();
    expect((await server.preview(uid, 'starter')).charge?.renewal).toEqual({
      amount: '990',
      interval: 'year',
      at: null,
    });
    expect((await there.server().preview(uid, 'starter')).charge?.renewal).toMatchObject({
      interval: 'month',
      at: held.periodEnd * 1_000,
    });
  });
});
