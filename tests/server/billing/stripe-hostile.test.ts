/**
 * Stripe at its worst and a person in a hurry: races, refusals, silence, lost webhooks; nothing
 * half made.
 */
import { randomUUID } from 'node:crypto';
import { and, eq, isNull } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { previewChange } from '../../../server/billing/change-preview.ts';
import { billingHandlers } from '../../../server/billing/billing-handlers.ts';
import { Reconciliation } from '../../../server/billing/reconciliation.ts';
import { StripePayments } from '../../../server/billing/stripe-payments.ts';
import { PAYMENT_GRACE_MS } from '../../../server/billing/subscription-state.ts';
import { checkouts, planCredits, subscriptions } from '../../../server/db/schema-plans.ts';
import { ReferralRewards } from '../../../server/referrals/rewards.ts';
import { startStripeStandIn, type StripeStandIn } from '../../support/stripe-server.ts';
import { caller, openWorld, ORIGIN, quietLog, type World } from './world.ts';

const DAY_S = 86_400;
let world: World;
let stripe: StripeStandIn;
let payments: StripePayments;
let call: ReturnType<typeof caller>;
let reconciliation: Reconciliation;
let deps: Parameters<typeof billingHandlers>[0];

beforeAll(async () => {
  world = await openWorld();
  stripe = await startStripeStandIn();
  for (const [id, unit_amount] of [
    ['price_starter', 1_900],
    ['price_pro', 9_900],
  ] as const)
    stripe.prices.set(id, { unit_amount, currency: 'eur', interval: 'month' });
  stripe.coupons.set('SPRING', { percent_off: 25, amount_off: null, currency: null, valid: true });
});
afterAll(async () => {
  await stripe.close();
  await world.close();
});
const stripePayments = (timeoutMs: number): StripePayments =>
  new StripePayments(
    {
      secretKey: 'sk_test_stand_in',
      webhookSecret: 'whsec_x',
      apiBase: stripe.base,
      publicOrigin: ORIGIN,
      timeoutMs,
      prices: {
        starter: ['price_starter'],
        standard: [],
        pro: ['price_pro'],
        'pro-max': ['price_vanished'],
      },
    },
    world.clock,
    quietLog,
  );

beforeEach(() => {
  // A machine that is busy with other tests is no fault of Stripe's.
  payments = stripePayments(60_000);
  deps = {
    ...world,
    log: quietLog,
    payments,
    trialDays: 14,
    publicOrigin: ORIGIN,
    coupon: 'SPRING',
  };
  call = caller(world, billingHandlers(deps));
  reconciliation = new Reconciliation(deps);
  stripe.fail(0);
});

const back = {
  successUrl: '/dashboard?subscription=success',
  cancelUrl: '/dashboard?subscription=canceled',
};
const checkout = (uid: string, priceId = 'price_pro', more: object = {}) =>
  call(uid, 'createCheckout', { priceId, ...back, ...more });
const nowS = (): number => Math.floor(world.clock.at / 1_000);
function paid(uid: string, priceId = 'price_pro', customer = `cus_${uid}`): string {
  const id = `sub_${randomUUID()}`;
  stripe.subscriptions.set(id, {
    id,
    customer,
    status: 'active',
    priceId,
    uid,
    periodStart: nowS(),
    periodEnd: nowS() + 30 * DAY_S,
    cancelAtPeriodEnd: false,
  });
  stripe.events.push({
    id: `evt_${randomUUID()}`,
    type: 'customer.subscription.created',
    created: nowS(),
    data: { object: { id, object: 'subscription' } },
  });
  return id;
}
const rowOf = async (uid: string) =>
  (await world.database.db.select().from(subscriptions).where(eq(subscriptions.uid, uid)))[0];
const standing = async (uid: string) => (await call(uid, 'subscriptionStatus')).standing;

describe('fifty presses at once', () => {
  it('open one session for one customer (F49, R7-05)', async () => {
    const uid = await world.person();
    const [sessions, customers] = [stripe.sessions(), stripe.customers()];
    const replies = await Promise.all(Array.from({ length: 50 }, () => checkout(uid)));
    expect(new Set(replies.map(({ url }) => url)).size).toBe(1);
    expect([stripe.sessions() - sessions, stripe.customers() - customers]).toEqual([1, 1]);
  });

  it('for different plans make one customer, and leave at most one that can be paid', async () => {
    const uid = await world.person();
    const customers = stripe.customers();
    const before = stripe.openSessions();
    await Promise.allSettled(
      Array.from({ length: 10 }, (_, press) =>
        checkout(uid, press % 2 === 0 ? 'price_pro' : 'price_starter'),
      ),
    );
    expect(stripe.customers() - customers).toBe(1);
    expect(stripe.openSessions() - before).toBeLessThanOrEqual(1);
    await checkout(uid, 'price_starter');
    expect(stripe.openSessions() - before).toBe(1);
  });

  it('of the portal make one session where they are one command (R7-04)', async () => {
    const uid = await world.person();
    paid(uid);
    await reconciliation.runOnce();
    const command = randomUUID();
    await Promise.all(
      [1, 2, 3].map(() => call(uid, 'customerPortal', { returnUrl: '/dashboard' }, command)),
    );
    const asked = stripe.requests.filter(
      ({ path, fields }) =>
        path === '/v1/billing_portal/sessions' && fields.customer === `cus_${uid}`,
    );
    expect(new Set(asked.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
  });
});

describe('what goes wrong at Stripe', () => {
  it.each([
    ['error', 'subscription_unavailable', 503],
    ['busy', 'subscription_unavailable', 503],
    ['declined', 'payment_required', 402],
  ] as const)(
    'as %s is said in a sentence, leaves no plan, and the next press works (R8-02)',
    async (trouble, code, status) => {
      for (const times of [1, 2]) {
        const uid = await world.person();
        await call(uid, 'plans');
        // The first failure meets the customer, the second, after it, the session.
        if (times === 2) {
          await checkout(uid, 'price_starter');
        }
        const asked = stripe.requests.length;
        stripe.fail(1, trouble);
        await expect(checkout(uid)).rejects.toMatchObject({ code, status });
        expect(stripe.requests.length - asked).toBe(1);
        expect((await call(uid, 'subscriptionStatus')).subscription).toBeNull();
        expect((await checkout(uid)).url).toMatch(/^https:\/\/checkout/);
      }
    },
  );

  it('as silence ends, and the next press takes up the same checkout', async () => {
    const uid = await world.person();
    await call(uid, 'plans');
    const hasty = caller(world, billingHandlers({ ...deps, payments: stripePayments(400) }));
    await hasty(uid, 'plans');
    stripe.fail(1, 'silence');
    await expect(
      hasty(uid, 'createCheckout', { priceId: 'price_pro', ...back }),
    ).rejects.toMatchObject({
      code: 'subscription_unavailable',
      message: expect.stringContaining('in time') as string,
    });
    const waiting = await world.database.db.select().from(checkouts).where(eq(checkouts.uid, uid));
    expect((await checkout(uid)).url).toMatch(/^https:\/\/checkout/);
    expect(
      (await world.database.db.select().from(checkouts).where(eq(checkouts.uid, uid))).map(
        ({ id }) => id,
      ),
    ).toEqual(waiting.map(({ id }) => id));
  });

  it('as a plan that vanished takes that plan off the list and leaves the others (R8-07)', async () => {
    const uid = await world.person();
    expect((await call(uid, 'plans')).plans.map(({ id }) => id)).toEqual([
      'free',
      'starter',
      'pro',
    ]);
    await expect(checkout(uid, 'price_vanished')).rejects.toMatchObject({
      code: 'no_price_id',
      status: 400,
      message: 'No price ID found for plan: price_vanished',
    });
    await expect(call(uid, 'subscribe', { userId: uid, planId: 'pro-max' })).rejects.toMatchObject({
      code: 'invalid_subscription_parameters',
    });
    stripe.prices.set('price_pro', {
      unit_amount: 9_900,
      currency: 'eur',
      interval: 'month',
      active: false,
    });
    world.clock.at += 6 * 60_000;
    expect((await call(uid, 'plans')).plans.map(({ id }) => id)).toEqual(['free', 'starter']);
    stripe.prices.set('price_pro', { unit_amount: 9_900, currency: 'eur', interval: 'month' });
  });

  it('as a customer that somebody removed makes a new one', async () => {
    const uid = await world.person();
    await checkout(uid, 'price_starter');
    const first = (await rowOf(uid))?.customerId ?? '';
    stripe.removeCustomer(first);
    expect((await checkout(uid)).url).toMatch(/^https:\/\/checkout/);
    expect((await rowOf(uid))?.customerId).not.toBe(first);
  });

  it("keeps a checkout of nobody's plan from counting as one", async () => {
    const uid = await world.person();
    await checkout(uid);
    expect(await standing(uid)).toMatchObject({ state: 'free' });
    expect((await call(uid, 'subscriptionStatus')).subscription).toBeNull();
  });
});

describe('reconciliation', () => {
  it('finds a plan whose webhooks were all lost, once (F47)', async () => {
    const uid = await world.person();
    paid(uid);
    expect(await standing(uid)).toMatchObject({ state: 'free' });
    expect((await reconciliation.runOnce()).events).toBe(1);
    expect(await standing(uid)).toMatchObject({ state: 'active', tier: 'pro' });
    expect((await reconciliation.runOnce()).events).toBe(0);
    expect(await world.eventTypes(uid)).toEqual(['subscription.changed']);
  });

  it('finds a renewal, a failed payment and an end that nobody told, also where Stripe lists no event of it', async () => {
    const uid = await world.person();
    const id = paid(uid);
    await reconciliation.runOnce();
    const held = stripe.subscriptions.get(id);
    if (held === undefined) throw new Error('No subscription');
    world.clock.at += 30 * DAY_S * 1_000 + 6 * 60_000;
    Object.assign(held, {
      periodStart: held.periodEnd,
      periodEnd: held.periodEnd + 30 * DAY_S,
      status: 'past_due',
    });
    await reconciliation.runOnce();
    expect(await standing(uid)).toMatchObject({
      state: 'grace',
      tier: 'pro',
      until: (held.periodStart ?? 0) * 1_000 + PAYMENT_GRACE_MS,
    });
    world.clock.at += 6 * 60_000;
    held.status = 'active';
    await reconciliation.runOnce();
    expect(await standing(uid)).toMatchObject({ state: 'active' });
    world.clock.at += 7 * 60 * 60_000;
    held.status = 'canceled';
    await reconciliation.runOnce();
    expect(await standing(uid)).toMatchObject({ state: 'lapsed' });
  });

  it.each([
    ['update', 'the end of the month that is paid', { reason: 'subscription_update' }, 30],
    ['renewal', 'where that renewal began', { reason: 'subscription_cycle' }, 0],
    ['first', 'where that first period began', { reason: 'subscription_create' }, 0],
    [
      'update that began a period of its own',
      'where that period began',
      { reason: 'subscription_update', afterS: 1 },
      0,
    ],
  ] as const)(
    'counts a plan whose unpaid invoice is of the %s to %s',
    async (_of, _to, { reason, ...more }, days) => {
      const uid = await world.person();
      const id = paid(uid);
      const began = nowS();
      await reconciliation.runOnce();
      const held = stripe.subscriptions.get(id);
      if (held === undefined) throw new Error('No subscription');
      const afterS = 'afterS' in more ? more.afterS : 10 * DAY_S;
      world.clock.at += 10 * DAY_S * 1_000;
      Object.assign(held, {
        status: 'past_due',
        latestInvoice: { reason, created: began + (reason === 'subscription_update' ? afterS : 0) },
      });
      const until = (began + days * DAY_S) * 1_000;
      expect(await payments.fetchSubscription(id)).toMatchObject({
        status: 'past_due',
        currentPeriodEnd: until,
      });
      expect(await payments.cancelAtPeriodEnd(id)).toMatchObject({
        status: days === 0 ? 'canceled' : 'past_due',
        currentPeriodEnd: until,
      });
      Object.assign(held, { status: 'past_due', cancelAtPeriodEnd: false });
      await reconciliation.runOnce();
      expect(await standing(uid)).toMatchObject(
        days === 0
          ? { state: 'lapsed' }
          : { state: 'grace', tier: 'pro', until: until + PAYMENT_GRACE_MS },
      );
    },
  );

  it('comes back to what it could not ask about', async () => {
    const [first, second] = [await world.person(), await world.person()];
    paid(first);
    paid(second);
    expect((await payments.recentNotices(world.clock.at - 60_000)).length).toBeGreaterThanOrEqual(
      2,
    );
    stripe.fail(1);
    await expect(reconciliation.runOnce()).rejects.toMatchObject({
      code: 'subscription_unavailable',
    });
    await reconciliation.runOnce();
    expect([(await standing(first))?.state, (await standing(second))?.state]).toEqual([
      'active',
      'active',
    ]);
  });

  it('takes news in the order of asking, not of clocks: one that was set back loses nothing', async () => {
    const uid = await world.person();
    const id = paid(uid);
    await reconciliation.runOnce();
    const held = stripe.subscriptions.get(id);
    if (held !== undefined) held.priceId = 'price_starter';
    stripe.events.push({
      id: `evt_${randomUUID()}`,
      type: 'customer.subscription.updated',
      created: nowS(),
      data: { object: { id, object: 'subscription' } },
    });
    world.clock.at -= 60 * 60_000;
    await reconciliation.runOnce();
    world.clock.at += 60 * 60_000;
    expect(await standing(uid)).toMatchObject({ tier: 'starter' });
  });
});

describe('what a person sees of Stripe', () => {
  it('is their invoices, newest first, in its own currency, with its own page', async () => {
    const [uid, other] = [await world.person(), await world.person()];
    paid(uid);
    await reconciliation.runOnce();
    stripe.invoices.push(
      {
        id: 'in_1',
        customer: `cus_${uid}`,
        created: nowS(),
        total: 9_900,
        currency: 'eur',
        status: 'paid',
        text: 'Pro',
      },
      {
        id: 'in_2',
        customer: `cus_${uid}`,
        created: nowS() + 5,
        total: 2_150,
        currency: 'eur',
        status: 'open',
        text: 'Pro',
      },
    );
    expect(await call(uid, 'invoices')).toMatchObject({
      more: false,
      invoices: [
        {
          id: 'in_2',
          number: 'N-in_2',
          amount: '21.5',
          currency: 'EUR',
          status: 'open',
          url: 'https://invoice.stripe.test/in_2',
        },
        { id: 'in_1', amount: '99', status: 'paid' },
      ],
    });
    expect((await call(other, 'invoices')).invoices).toEqual([]);
  });

  it('is the price of a change as Stripe computes it, and of a first month with the coupon', async () => {
    const uid = await world.person();
    expect((await call(uid, 'plans')).coupon).toMatchObject({ id: 'SPRING', percentOff: 25 });
    expect((await previewChange(deps, uid, 'pro')).charge).toMatchObject({
      dueNow: '74.25',
      currency: 'EUR',
      renewal: { amount: '99' },
    });
    paid(uid, 'price_starter');
    await reconciliation.runOnce();
    expect(await previewChange(deps, uid, 'pro')).toMatchObject({
      kind: 'upgrade',
      charge: {
        dueNow: '40',
        credit: '0',
        lines: [
          { text: 'Unused time', amount: '-9.5' },
          { text: 'Remaining time', amount: '49.5' },
        ],
      },
    });
  });

  it('is a portal that opens at the change that was chosen (R7-04)', async () => {
    const uid = await world.person();
    const id = paid(uid, 'price_starter');
    await reconciliation.runOnce();
    await call(uid, 'customerPortal', { returnUrl: '/subscription', planId: 'pro' });
    expect(stripe.requests.at(-1)?.fields).toMatchObject({
      'flow_data[type]': 'subscription_update_confirm',
      'flow_data[subscription_update_confirm][items][0][price]': 'price_pro',
      'flow_data[subscription_update_confirm][subscription]': id,
    });
    await call(uid, 'customerPortal', { returnUrl: '/subscription', planId: 'free' });
    expect(stripe.requests.at(-1)?.fields).toMatchObject({
      'flow_data[type]': 'subscription_cancel',
      'flow_data[after_completion][redirect][return_url]': `${ORIGIN}/subscription`,
    });
  });

  it('is a plan that was ended by a date in the portal, to that date', async () => {
    const uid = await world.person();
    const id = paid(uid);
    const held = stripe.subscriptions.get(id);
    if (held !== undefined) held.cancelAt = held.periodEnd;
    await reconciliation.runOnce();
    expect(await standing(uid)).toMatchObject({
      state: 'ending',
      until: (held?.periodEnd ?? 0) * 1_000,
    });
  });
});

describe('days and goodbyes', () => {
  it('lengthen a plan once, without a charge, however often the same is asked', async () => {
    const uid = await world.person();
    const id = paid(uid);
    const paidUntil = world.clock.at + 44 * DAY_S * 1_000;
    for (let time = 0; time < 3; time += 1)
      expect(
        await payments.lengthen({ creditId: 'credit-1', subscriptionId: id, paidUntil }),
      ).toMatchObject({
        isGiven: true,
        subscription: {
          status: 'trialing',
          currentPeriodEnd: Math.floor(paidUntil / 1_000) * 1_000,
        },
      });
    const asked = stripe.requests.filter(
      ({ path, method }) => method === 'POST' && path === `/v1/subscriptions/${id}`,
    );
    expect(new Set(asked.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect(asked[0]?.fields).toEqual({
      trial_end: String(Math.floor(paidUntil / 1_000)),
      proration_behavior: 'none',
    });
  });

  it('take no day back where an end is asked for that a later one has passed (R2-13)', async () => {
    const id = paid(await world.person());
    const [sooner, later] = [44, 58].map((days) => world.clock.at + days * DAY_S * 1_000);
    await payments.lengthen({ creditId: 'second', subscriptionId: id, paidUntil: later ?? 0 });
    expect(
      await payments.lengthen({ creditId: 'first', subscriptionId: id, paidUntil: sooner ?? 0 }),
    ).toMatchObject({ subscription: { currentPeriodEnd: later } });
    expect(stripe.subscriptions.get(id)?.periodEnd).toBe((later ?? 0) / 1_000);
  });

  it('give every day of several credits, whatever Stripe does not hear, also of two servers (R2-13)', async () => {
    const uid = await world.person();
    const id = paid(uid);
    await reconciliation.runOnce();
    const end = stripe.subscriptions.get(id)?.periodEnd ?? 0;
    await world.database.db.insert(planCredits).values(
      [0, 1, 2].map((nth) => ({
        id: randomUUID(),
        uid,
        cause: `inviter:${randomUUID()}`,
        days: 14,
        createdAt: world.clock.at + nth,
      })),
    );
    const servers = [0, 1].map(
      () => new ReferralRewards({ ...deps, payments: stripePayments(500) }),
    );
    const open = async () =>
      world.database.db.$count(
        planCredits,
        and(eq(planCredits.uid, uid), isNull(planCredits.grantedAt)),
      );
    stripe.fail(1, 'silence');
    await servers[0]?.runOnce();
    while ((await open()) > 0) {
      stripe.fail(1, 'silence');
      await Promise.all(servers.map((server) => server.runOnce()));
      stripe.fail(0);
      await Promise.all(servers.map((server) => server.runOnce()));
    }
    expect(stripe.subscriptions.get(id)?.periodEnd).toBe(end + 42 * DAY_S);
    expect((await rowOf(uid))?.currentPeriodEnd).toBe((end + 42 * DAY_S) * 1_000);
  });

  it.each([
    ['before Stripe hears of them', false],
    ['after Stripe has given them', true],
  ])('are given once where the plan renews %s (R2-13)', async (_when, isHeard) => {
    const uid = await world.person();
    const id = paid(uid);
    await reconciliation.runOnce();
    const held = stripe.subscriptions.get(id);
    if (held === undefined) throw new Error('No such subscription');
    const end = held.periodEnd;
    await world.database.db.insert(planCredits).values({
      id: randomUUID(),
      uid,
      cause: `inviter:${randomUUID()}`,
      days: 14,
      createdAt: world.clock.at,
    });
    const rewards = new ReferralRewards({ ...deps, payments: stripePayments(500) });
    // What is asked first reads the plan: then Stripe falls silent before, or after, the days.
    if (isHeard) {
      await payments.lengthen({
        creditId: 'by hand',
        subscriptionId: id,
        paidUntil: (end + 14 * DAY_S) * 1_000,
      });
    }
    stripe.fail(1, 'silence');
    await rewards.runOnce();
    stripe.fail(0);
    held.periodEnd += 30 * DAY_S;
    held.status = 'active';
    for (let run = 0; run < 3; run += 1) await rewards.runOnce();
    expect(held.periodEnd).toBe(end + 44 * DAY_S);
    expect((await rowOf(uid))?.currentPeriodEnd).toBe((end + 44 * DAY_S) * 1_000);
  });

  it('forget a customer with every subscription of theirs, and again without complaint', async () => {
    const uid = await world.person();
    const id = paid(uid);
    await payments.forget({ subscriptionId: id, customerId: `cus_${uid}` });
    await payments.forget({ subscriptionId: id, customerId: `cus_${uid}` });
    expect(stripe.subscriptions.get(id)?.status).toBe('canceled');
    const lone = paid(await world.person());
    await payments.forget({ subscriptionId: lone, customerId: null });
    await payments.forget({ subscriptionId: lone, customerId: null });
    await payments.forget({ subscriptionId: null, customerId: null });
    expect(stripe.subscriptions.get(lone)?.status).toBe('canceled');
  });

  it("remember no checkout under another person's name", async () => {
    const [uid, other] = [await world.person(), await world.person()];
    await checkout(uid);
    await checkout(other);
    const rows = await world.database.db.select().from(checkouts).where(eq(checkouts.uid, other));
    expect(rows).toHaveLength(1);
    expect((await rowOf(uid))?.customerId).not.toBe((await rowOf(other))?.customerId);
    await expect(call(other, 'subscribe', { userId: uid, planId: 'free' })).rejects.toMatchObject({
      code: 'invalid_user_id',
      message: 'Invalid user ID',
    });
  });
});
