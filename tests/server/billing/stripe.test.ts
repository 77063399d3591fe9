/**
 * The Stripe body of the payments port, against a stand-in over real HTTP and webhooks signed by
 * Stripe's own library.
 */
import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import Fastify, { type FastifyInstance } from 'fastify';
import Stripe from 'stripe';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { billingHandlers } from '../../../server/billing/billing-handlers.ts';
import type { ProviderSubscription } from '../../../server/billing/payments.ts';
import { registerBillingRoutes } from '../../../server/billing/routes.ts';
import { StripePayments } from '../../../server/billing/stripe-payments.ts';
import { recordSubscription } from '../../../server/billing/subscription-record.ts';
import { checkouts } from '../../../server/db/schema-plans.ts';
import { startStripeStandIn, type StripeStandIn } from '../../support/stripe-server.ts';
import { caller, openWorld, ORIGIN, quietLog, type World } from './world.ts';

const SECRET = 'whsec_for_these_tests';
const DAY_S = 86_400;
let world: World;
let stripe: StripeStandIn;
let app: FastifyInstance;
let call: ReturnType<typeof caller>;

beforeAll(async () => {
  world = await openWorld();
  stripe = await startStripeStandIn();
  stripe.prices.set('price_starter', { unit_amount: 2150, currency: 'eur', interval: 'month' });
  stripe.prices.set('price_pro', { unit_amount: 9900, currency: 'eur', interval: 'month' });
  stripe.coupons.set('SPRING', { percent_off: 25, amount_off: null, currency: null, valid: true });
});
afterAll(async () => {
  await app.close();
  await stripe.close();
  await world.close();
});

beforeEach(async () => {
  const payments = new StripePayments(
    {
      secretKey: 'sk_test_stand_in',
      webhookSecret: SECRET,
      apiBase: stripe.base,
      publicOrigin: ORIGIN,
      timeoutMs: 60_000,
      prices: { starter: ['price_starter'], standard: [], pro: ['price_pro'], 'pro-max': [] },
    },
    world.clock,
    quietLog,
  );
  call = caller(
    world,
    billingHandlers({
      ...world,
      log: quietLog,
      payments,
      trialDays: 14,
      publicOrigin: ORIGIN,
      coupon: 'SPRING',
    }),
  );
  app = Fastify();
  await registerBillingRoutes(app, { ...world, log: quietLog, payments, limit: () => undefined });
  stripe.fail(0);
});

const back = {
  successUrl: '/dashboard?subscription=success',
  cancelUrl: '/dashboard?subscription=canceled',
};

/** What Stripe would send. `ageS` is how long ago it was signed. */
function delivery(
  type: string,
  object: object,
  options: { id?: string; ageS?: number; secret?: string } = {},
) {
  const payload = JSON.stringify({
    id: options.id ?? `evt_${randomUUID()}`,
    object: 'event',
    type,
    data: { object },
  });
  const timestamp = Math.floor(world.clock.at / 1_000) - (options.ageS ?? 0);
  const signature = Stripe.webhooks.generateTestHeaderString({
    payload,
    secret: options.secret ?? SECRET,
    timestamp,
  });
  return { payload, signature };
}
const deliver = ({ payload, signature }: { payload: string; signature: string }) =>
  app.inject({
    method: 'POST',
    url: '/webhooks/stripe',
    payload,
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
  });

function subscribed(uid: string, priceId = 'price_pro'): string {
  const id = `sub_${randomUUID()}`;
  stripe.subscriptions.set(id, {
    id,
    customer: `cus_${uid}`,
    status: 'active',
    priceId,
    uid,
    periodEnd: Math.floor(world.clock.at / 1_000) + 30 * DAY_S,
    cancelAtPeriodEnd: false,
  });
  return id;
}

/** A plan whose renewal was never paid, past its grace, with the invoice that is owed. */
async function lapsed(status: Stripe.Subscription.Status, payment?: Stripe.PaymentIntent.Status) {
  const uid = await world.person();
  const id = subscribed(uid);
  const old = stripe.subscriptions.get(id);
  if (old === undefined) throw new Error('No subscription');
  await deliver(delivery('customer.subscription.created', { id }));
  const nowS = Math.floor(world.clock.at / 1_000);
  const periodStart = nowS - 5 * DAY_S;
  Object.assign(old, { status, periodStart, periodEnd: periodStart + 30 * DAY_S });
  await deliver(delivery('customer.subscription.updated', { id }));
  const invoice: StripeStandIn['invoices'][number] = {
    id: `in_${randomUUID()}`,
    customer: old.customer,
    created: periodStart,
    total: 9_900,
    currency: 'eur',
    status: 'open',
    text: 'Pro',
    subscription: id,
    ...(payment === undefined ? {} : { payment }),
  };
  stripe.invoices.push(invoice);
  return { uid, old, invoice };
}

const checkoutStates = async (uid: string): Promise<string[]> =>
  (await world.database.db.select().from(checkouts).where(eq(checkouts.uid, uid))).map(
    ({ state }) => state,
  );

const PENDING = {
  code: 'already_subscribed',
  message:
    'Your last payment is still being processed. You can choose a plan once it is confirmed or declined. Do not pay again.',
};

describe('plans and checkout', () => {
  it('take their amounts from Stripe, and sell only what has a price (R7-02)', async () => {
    const { plans, provider } = await call(await world.person(), 'plans');
    expect(provider).toBe('stripe');
    expect(plans.map(({ id, amount, currency }) => [id, amount, currency])).toEqual([
      ['free', '0', 'EUR'],
      ['starter', '21.5', 'EUR'],
      ['pro', '99', 'EUR'],
    ]);
  });

  it("open one session for a double click, named after the person, with the app's own addresses (R7-05)", async () => {
    const uid = await world.person();
    const before = stripe.sessions();
    const replies = await Promise.all(
      [1, 2, 3].map(() =>
        call(uid, 'createCheckout', { priceId: 'price_pro', ...back, coupon: 'SPRING' }),
      ),
    );
    expect(new Set(replies.map((reply) => reply.url)).size).toBe(1);
    expect(stripe.sessions()).toBe(before + 1);
    const request = stripe.requests.filter(({ path }) => path === '/v1/checkout/sessions').at(-1);
    expect(request?.fields).toMatchObject({
      mode: 'subscription',
      client_reference_id: uid,
      'line_items[0][price]': 'price_pro',
      'subscription_data[metadata][uid]': uid,
      success_url: `${ORIGIN}/dashboard?subscription=success`,
      cancel_url: `${ORIGIN}/dashboard?subscription=canceled`,
      'discounts[0][coupon]': 'SPRING',
    });
  });

  it('honour no coupon but the configured one', async () => {
    await call(await world.person(), 'createCheckout', {
      priceId: 'price_pro',
      ...back,
      coupon: 'STAFF100',
    });
    expect(stripe.requests.at(-1)?.fields).not.toHaveProperty('discounts[0][coupon]');
  });

  it('honour the coupon for a first plan alone, on each screen (R3-25)', async () => {
    const uid = await world.person();
    const preview = () => call(uid, 'changePreview', undefined, '', { planId: 'pro' });
    /** What the plans show, the preview computes and the checkout takes off. */
    const offered = async () => {
      const { coupon } = await call(uid, 'plans');
      const { charge } = await preview();
      await call(uid, 'createCheckout', { priceId: 'price_pro', ...back, coupon: 'SPRING' });
      const session = stripe.requests.findLast(({ path }) => path === '/v1/checkout/sessions');
      return [coupon?.id ?? null, charge?.dueNow, session?.fields['discounts[0][coupon]'] ?? null];
    };
    const first = ['SPRING', '74.25', 'SPRING'];
    expect(await offered()).toEqual(first);
    const observation = { number: 0, at: world.clock.at };
    const seen = async (change: Partial<Omit<ProviderSubscription, 'uid'>>) => {
      observation.number += 1_000_000;
      await world.database.transaction((tx) =>
        recordSubscription(
          tx,
          world.events,
          'stripe',
          {
            id: 'sub_first',
            uid,
            customerId: null,
            status: 'active',
            tier: 'pro',
            planId: 'pro',
            priceId: 'price_pro',
            currentPeriodEnd: world.clock.at - 1,
            cancelAtPeriodEnd: true,
            bill: 'paid',
            ...change,
          },
          observation,
        ),
      );
    };
    // A first payment that never came made no plan.
    await seen({ status: 'incomplete', bill: 'open' });
    expect(await offered()).toEqual(first);
    await seen({ status: 'canceled', bill: 'open' });
    expect(await offered()).toEqual(first);
    await seen({});
    expect(await offered()).toEqual([null, '99', null]);
    await seen({ status: 'canceled' });
    expect(await offered()).toEqual([null, '99', null]);
  });

  it('give a client secret where the app shows the checkout itself', async () => {
    const reply = await call(await world.person(), 'createCheckout', {
      priceId: 'price_pro',
      ...back,
      embedded: true,
    });
    expect(reply.url).toBeNull();
    expect(reply.clientSecret).toMatch(/_secret$/);
  });

  it('end a plan that lapsed unpaid before another is sold, so that never two are charged', async () => {
    const uid = await world.person();
    const id = subscribed(uid);
    await deliver(delivery('customer.subscription.created', { id }));
    const old = stripe.subscriptions.get(id);
    if (old === undefined) throw new Error('No subscription');
    world.clock.at += 30 * DAY_S * 1_000;
    Object.assign(old, {
      status: 'past_due',
      periodStart: old.periodEnd,
      periodEnd: old.periodEnd + 30 * DAY_S,
    });
    await deliver(delivery('customer.subscription.updated', { id }));
    await expect(
      call(uid, 'createCheckout', { priceId: 'price_starter', ...back }),
    ).rejects.toMatchObject({ code: 'already_subscribed' });
    world.clock.at += 4 * DAY_S * 1_000;
    expect((await call(uid, 'subscriptionStatus')).standing?.state).toBe('lapsed');
    await call(uid, 'plans');
    const before = stripe.sessions();
    stripe.fail(1);
    await expect(
      call(uid, 'createCheckout', { priceId: 'price_pro', ...back }),
    ).rejects.toMatchObject({ code: 'subscription_unavailable' });
    expect([old.status, stripe.sessions()]).toEqual(['past_due', before]);
    await call(uid, 'createCheckout', { priceId: 'price_starter', ...back });
    expect([old.status, stripe.sessions()]).toEqual(['canceled', before + 1]);
    world.clock.at -= 34 * DAY_S * 1_000;
  });

  it('leave nothing to pay of a plan that lapsed unpaid once another is sold', async () => {
    const { uid, old, invoice } = await lapsed('past_due', 'requires_payment_method');
    const other = { ...invoice, id: `in_${randomUUID()}`, subscription: 'sub_of_another' };
    stripe.invoices.push(other);
    await call(uid, 'createCheckout', { priceId: 'price_starter', ...back });
    expect([old.status, invoice.status, other.status]).toEqual(['canceled', 'void', 'open']);
    const shown = (await call(uid, 'invoices')).invoices.find(({ id }) => id === invoice.id);
    expect(shown?.status).toBe('void');
  });

  it('take back what was owed at the next press where Stripe failed in between', async () => {
    const { uid, old, invoice } = await lapsed('past_due');
    old.status = 'canceled';
    await call(uid, 'createCheckout', { priceId: 'price_starter', ...back });
    expect(invoice.status).toBe('void');
  });

  it.each(['past_due', 'unpaid', 'incomplete'] as const)(
    'sell nothing while a bank debit for a plan that is %s is under way',
    async (status) => {
      const { uid, old, invoice } = await lapsed(status, 'processing');
      const before = stripe.sessions();
      await expect(
        call(uid, 'createCheckout', { priceId: 'price_starter', ...back }),
      ).rejects.toMatchObject(PENDING);
      expect([old.status, invoice.status, stripe.sessions()]).toEqual([status, 'open', before]);
      // Declined meanwhile: the next press opens a checkout.
      invoice.payment = 'requires_payment_method';
      await call(uid, 'createCheckout', { priceId: 'price_starter', ...back });
      expect(stripe.sessions()).toBe(before + 1);
    },
  );

  it('leave a first payment that was never finished to Stripe, which ends it', async () => {
    const { uid, old, invoice } = await lapsed('incomplete', 'requires_action');
    await call(uid, 'createCheckout', { priceId: 'price_starter', ...back });
    expect([old.status, invoice.status]).toEqual(['incomplete', 'open']);
  });

  it('sell no second plan between a payment and its webhook: the first is recorded', async () => {
    const uid = await world.person();
    await call(uid, 'createCheckout', { priceId: 'price_starter', ...back });
    const id = stripe.pay(uid, world.clock.at);
    const before = stripe.sessions();
    await expect(
      call(uid, 'createCheckout', { priceId: 'price_pro', ...back }),
    ).rejects.toMatchObject({ code: 'already_subscribed' });
    expect(stripe.sessions()).toBe(before);
    expect(stripe.subscriptions.get(id)?.status).toBe('active');
    expect(await call(uid, 'subscriptionStatus')).toMatchObject({
      entitledTier: 'starter',
      standing: { state: 'active' },
    });
    expect(await world.eventTypes(uid)).toContain('subscription.changed');
  });

  it('sell the same plan no second time between a payment and its webhook', async () => {
    const uid = await world.person();
    await call(uid, 'createCheckout', { priceId: 'price_starter', ...back });
    stripe.pay(uid, world.clock.at);
    await expect(
      call(uid, 'createCheckout', { priceId: 'price_starter', ...back }),
    ).rejects.toMatchObject({ code: 'already_subscribed' });
    expect(await call(uid, 'subscriptionStatus')).toMatchObject({ entitledTier: 'starter' });
    expect(await checkoutStates(uid)).toEqual(['complete']);
  });

  it('can be paid no more once another plan of the same person counts', async () => {
    const uid = await world.person();
    await call(uid, 'createCheckout', { priceId: 'price_starter', ...back });
    const customer = [...stripe.requests]
      .reverse()
      .find(({ path }) => path === '/v1/checkout/sessions')?.fields.customer;
    const other = stripe.subscriptions.get(subscribed(uid));
    if (other === undefined || customer === undefined) throw new Error('No subscription');
    other.customer = customer;
    const before = stripe.openSessions();
    await expect(
      call(uid, 'createCheckout', { priceId: 'price_starter', ...back }),
    ).rejects.toMatchObject({ code: 'already_subscribed' });
    expect(stripe.openSessions()).toBe(before - 1);
    expect(await checkoutStates(uid)).toEqual(['expired']);
  });

  it('say so where Stripe does not answer, and work again when it does', async () => {
    const uid = await world.person();
    await call(uid, 'plans');
    stripe.fail(1);
    await expect(
      call(uid, 'createCheckout', { priceId: 'price_pro', ...back }),
    ).rejects.toMatchObject({ code: 'subscription_unavailable', status: 503 });
    expect((await call(uid, 'createCheckout', { priceId: 'price_pro', ...back })).url).toMatch(
      /^https:\/\/checkout/,
    );
  });
});

describe('webhooks', () => {
  it('make a plan of what Stripe says when asked, not of what the event says (R7-06)', async () => {
    const uid = await world.person();
    const id = subscribed(uid);
    const sent = await deliver(
      delivery('customer.subscription.created', {
        id,
        object: 'subscription',
        status: 'canceled',
        metadata: { uid: 'someone else' },
      }),
    );
    expect(sent.statusCode).toBe(200);
    expect(await call(uid, 'subscriptionStatus')).toMatchObject({
      entitledTier: 'pro',
      subscription: { status: 'active', tier: 'pro' },
    });
  });

  it('have one effect however many times one is delivered', async () => {
    const uid = await world.person();
    const sent = delivery('customer.subscription.updated', {
      id: subscribed(uid),
      object: 'subscription',
    });
    const answers = await Promise.all(Array.from({ length: 10 }, () => deliver(sent)));
    expect(answers.every(({ statusCode }) => statusCode === 200)).toBe(true);
    expect(
      answers.filter((answer) => !answer.json<{ duplicate: boolean }>().duplicate),
    ).toHaveLength(1);
    expect(await world.eventTypes(uid)).toEqual(['subscription.changed']);
  });

  it('end in the present state in whatever order they come', async () => {
    const uid = await world.person();
    const id = subscribed(uid);
    const of = (type: string) => delivery(type, { id, object: 'subscription' });
    const [created, updated, deleted] = [
      of('customer.subscription.created'),
      of('customer.subscription.updated'),
      of('customer.subscription.deleted'),
    ];
    const held = stripe.subscriptions.get(id);
    if (held !== undefined) held.status = 'canceled';
    for (const sent of [deleted, updated, created]) {
      world.clock.at += 1_000;
      await deliver(sent);
    }
    expect(await call(uid, 'subscriptionStatus')).toMatchObject({
      entitledTier: 'free',
      subscription: { status: 'canceled' },
    });
  });

  it('about an ended subscription do not take away the one that replaced it', async () => {
    const uid = await world.person();
    const [old, present] = [subscribed(uid, 'price_starter'), subscribed(uid)];
    const ended = stripe.subscriptions.get(old);
    if (ended !== undefined) ended.status = 'canceled';
    await deliver(
      delivery('customer.subscription.created', { id: present, object: 'subscription' }),
    );
    await deliver(delivery('customer.subscription.deleted', { id: old, object: 'subscription' }));
    expect((await call(uid, 'subscriptionStatus')).entitledTier).toBe('pro');
  });

  it('are refused with a bad, old, missing or reparsed signature', async () => {
    const uid = await world.person();
    const object = { id: subscribed(uid), object: 'subscription' };
    const good = delivery('customer.subscription.created', object);
    const refused = [
      delivery('customer.subscription.created', object, { secret: 'whsec_other' }),
      delivery('customer.subscription.created', object, { ageS: 301 }),
      { payload: good.payload.replace('created', 'deleted'), signature: good.signature },
      { payload: JSON.stringify(JSON.parse(good.payload), null, 1), signature: good.signature },
      { payload: good.payload, signature: '' },
      { payload: 'null', signature: good.signature },
      { payload: '', signature: good.signature },
    ];
    for (const sent of refused) expect((await deliver(sent)).statusCode).toBe(400);
    expect((await call(uid, 'subscriptionStatus')).subscription).toBeNull();
    expect(
      (await deliver(delivery('customer.subscription.created', object, { ageS: 299 }))).statusCode,
    ).toBe(200);
  });

  it('leave no trace where Stripe could not be asked, so that the next try works', async () => {
    const uid = await world.person();
    const sent = delivery('customer.subscription.created', {
      id: subscribed(uid),
      object: 'subscription',
    });
    stripe.fail(1);
    expect((await deliver(sent)).statusCode).toBe(503);
    expect((await call(uid, 'subscriptionStatus')).subscription).toBeNull();
    expect((await deliver(sent)).json()).toEqual({ received: true, duplicate: false });
    expect((await call(uid, 'subscriptionStatus')).entitledTier).toBe('pro');
  });

  it('close the checkout they are about, so that the next press opens another', async () => {
    const uid = await world.person();
    const first = await call(uid, 'createCheckout', { priceId: 'price_pro', ...back });
    const checkoutId = stripe.requests.at(-1)?.fields['metadata[checkoutId]'];
    await deliver(
      delivery('checkout.session.expired', {
        id: 'cs_x',
        object: 'checkout.session',
        subscription: null,
        metadata: { checkoutId },
      }),
    );
    expect((await call(uid, 'createCheckout', { priceId: 'price_pro', ...back })).url).not.toBe(
      first.url,
    );
  });

  it('about nobody here, or about nothing we act on, are taken quietly', async () => {
    const nobody = subscribed('nobody');
    expect(
      (
        await deliver(
          delivery('customer.subscription.created', { id: nobody, object: 'subscription' }),
        )
      ).statusCode,
    ).toBe(200);
    expect(
      (await deliver(delivery('customer.created', { id: 'cus_1', object: 'customer' }))).statusCode,
    ).toBe(200);
    expect(
      (
        await deliver(
          delivery('customer.subscription.updated', { id: 'sub_gone', object: 'subscription' }),
        )
      ).statusCode,
    ).toBe(200);
  });
});

describe("the person's side of it", () => {
  it("ends a plan at Stripe at the period's end, and reaches the portal as that customer (R7-03, R7-04)", async () => {
    const uid = await world.person();
    const id = subscribed(uid);
    await deliver(
      delivery('invoice.paid', {
        id: 'in_1',
        object: 'invoice',
        parent: { subscription_details: { subscription: id } },
      }),
    );
    const { url } = await call(uid, 'customerPortal', { returnUrl: '/dashboard' });
    expect(url).toBe(`https://billing.stripe.test/cus_${uid}`);
    expect(stripe.requests.at(-1)?.fields.return_url).toBe(`${ORIGIN}/dashboard`);
    const { subscription } = await call(uid, 'subscribe', { userId: uid, planId: 'free' });
    expect(subscription).toMatchObject({ status: 'active', cancelAtPeriodEnd: true });
    expect(stripe.subscriptions.get(id)?.cancelAtPeriodEnd).toBe(true);
  });
});
