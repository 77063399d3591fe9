/** Plans, trial, entitlement and the built-in test checkout, end to end over its own pages. */
import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import fc from '../../support/property.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Subscription, TrialStatus } from '../../../contract/subscription.ts';
import { DatabaseEntitlement, entitledTier } from '../../../server/billing/entitlement.ts';
import {
  PAYMENT_GRACE_MS,
  type SubscriptionFacts,
} from '../../../server/billing/subscription-state.ts';
import { billingHandlers } from '../../../server/billing/billing-handlers.ts';
import { returnPath } from '../../../server/billing/return-path.ts';
import { registerBillingRoutes } from '../../../server/billing/routes.ts';
import { FAKE_PERIOD_MS } from '../../../server/billing/fake-provider/fake-invoices.ts';
import { FakePayments } from '../../../server/billing/fake-provider/fake-payments.ts';
import { agents } from '../../../server/db/schema.ts';
import { caller, openWorld, ORIGIN, quietLog, SOURCE, START, type World } from './world.ts';

const DAY = 86_400_000;
let world: World;
let app: FastifyInstance;
let call: ReturnType<typeof caller>;
let entitlement: DatabaseEntitlement;

beforeAll(async () => {
  world = await openWorld();
  const payments = new FakePayments(world);
  call = caller(
    world,
    billingHandlers({
      ...world,
      log: quietLog,
      payments,
      trialDays: 14,
      publicOrigin: ORIGIN,
      coupon: null,
    }),
  );
  entitlement = new DatabaseEntitlement(world.database, world.clock);
  app = Fastify();
  await registerBillingRoutes(app, { ...world, log: quietLog, payments, limit: () => undefined });
});
afterAll(async () => {
  await app.close();
  await world.close();
});

const back = {
  successUrl: '/dashboard?subscription=success',
  cancelUrl: `${ORIGIN}/dashboard?subscription=canceled`,
};
const form = (url: string, fields: Record<string, string>) =>
  app.inject({
    method: 'POST',
    url,
    payload: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
const priceOf = async (uid: string, plan: string): Promise<string> =>
  (await call(uid, 'plans')).plans.find((candidate) => candidate.id === plan)?.priceId ?? '';
const checkoutFor = async (uid: string, plan: string): Promise<string> =>
  (await call(uid, 'createCheckout', { priceId: await priceOf(uid, plan), ...back })).url ?? '';

async function pay(uid: string, plan: string): Promise<void> {
  const paid = await form(await checkoutFor(uid, plan), { card: '4242 4242 4242 4242' });
  expect(paid.statusCode).toBe(303);
}

describe('plans', () => {
  it('list five, each with its id, price id, amount and agents (R7-02, R1-03, R3-05, R9-17)', async () => {
    const { plans, provider } = await call(await world.person(), 'plans');
    expect(provider).toBe('test');
    expect(
      plans.map(({ id, amount, agents: cap, priceId }) => [id, amount, cap, priceId !== null]),
    ).toEqual([
      ['free', '0', 0, false],
      ['starter', '19', 2, true],
      ['standard', '49', 5, true],
      ['pro', '99', 10, true],
      ['pro-max', '199', 25, true],
    ]);
  });
});

describe('the trial', () => {
  it('runs fourteen days, once, and is told to every device (R7-08, R7-09, R3-06, R4-08)', async () => {
    const uid = await world.person();
    expect(await call(uid, 'trialStatus')).toEqual({
      isActive: false,
      endDate: null,
      hasUsed: false,
      servedAt: world.clock.at,
      trialDays: 14,
    });
    const started = await call(uid, 'trialStart', { userId: uid });
    expect(started.trial).toEqual({
      isActive: true,
      endDate: new Date(world.clock.at + 14 * DAY).toISOString(),
      hasUsed: true,
      servedAt: world.clock.at,
      trialDays: 14,
    });
    expect(TrialStatus.parse(await call(uid, 'trialStatus'))).toEqual(started.trial);
    expect(await entitlement.tierOf(uid)).toEqual({ tier: 'trial', lapsed: false });
    await expect(call(uid, 'trialStart', { userId: uid })).rejects.toMatchObject({
      code: 'trial_used',
      status: 409,
      message: 'You have already used your free trial.',
    });
    expect(await world.eventTypes(uid)).toEqual(['subscription.changed']);
  });

  it('is over at its last millisecond, stays used, and leaves a lapsed account', async () => {
    const uid = await world.person();
    await call(uid, 'trialStart', { userId: uid });
    world.clock.at += 14 * DAY - 1;
    expect((await call(uid, 'trialStatus')).isActive).toBe(true);
    world.clock.at += 1;
    expect(await call(uid, 'trialStatus')).toMatchObject({ isActive: false, hasUsed: true });
    expect(await entitlement.tierOf(uid)).toEqual({ tier: 'free', lapsed: true });
    expect((await call(uid, 'subscriptionStatus')).entitledTier).toBe('free');
  });

  it('starts once however many presses arrive together (R4-08)', async () => {
    const uid = await world.person();
    const presses = await Promise.allSettled(
      Array.from({ length: 6 }, () => call(uid, 'trialStart', { userId: uid })),
    );
    expect(presses.filter((press) => press.status === 'fulfilled')).toHaveLength(1);
  });

  it("is nobody else's to start, and an id that cleans to nothing is none (R8-05)", async () => {
    const uid = await world.person();
    for (const userId of [await world.person(), ' <>"\'& ', `${uid}x`]) {
      await expect(call(uid, 'trialStart', { userId })).rejects.toMatchObject({
        code: 'invalid_user_id',
        message: 'Invalid user ID',
      });
    }
    expect((await call(uid, 'trialStatus')).hasUsed).toBe(false);
  });
});

describe('the entitlement rule', () => {
  const facts = (change: Partial<SubscriptionFacts>): SubscriptionFacts => ({
    status: 'active',
    tier: 'pro',
    currentPeriodEnd: START + 10 * DAY,
    cancelAtPeriodEnd: false,
    ...change,
  });

  it('prefers a plan, gives a late payment its grace, and ends a cancelled plan on its day', () => {
    const none = { endsAt: null };
    expect(entitledTier(facts({}), { endsAt: START + DAY }, START)).toEqual({
      tier: 'pro',
      lapsed: false,
    });
    expect(
      entitledTier(
        facts({ status: 'past_due', currentPeriodEnd: START }),
        none,
        START + PAYMENT_GRACE_MS - 1,
      ).tier,
    ).toBe('pro');
    expect(
      entitledTier(
        facts({ status: 'past_due', currentPeriodEnd: START }),
        none,
        START + PAYMENT_GRACE_MS,
      ),
    ).toEqual({ tier: 'free', lapsed: true });
    expect(
      entitledTier(facts({ cancelAtPeriodEnd: true, currentPeriodEnd: START }), none, START - 1)
        .tier,
    ).toBe('pro');
    expect(
      entitledTier(facts({ cancelAtPeriodEnd: true, currentPeriodEnd: START }), none, START),
    ).toEqual({ tier: 'free', lapsed: true });
    expect(entitledTier(facts({ status: 'canceled' }), { endsAt: START + DAY }, START).tier).toBe(
      'trial',
    );
    expect(entitledTier(facts({ status: 'incomplete' }), none, START)).toEqual({
      tier: 'free',
      lapsed: false,
    });
    expect(entitledTier(null, none, START)).toEqual({ tier: 'free', lapsed: false });
  });

  it('is lapsed only where the tier is free', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(
          'active',
          'trialing',
          'past_due',
          'canceled',
          'incomplete',
          'none',
          'unheard-of',
        ),
        fc.constantFrom('starter', 'pro', 'free', 'gold'),
        fc.option(fc.integer({ min: -30, max: 30 })),
        fc.option(fc.integer({ min: -30, max: 30 })),
        fc.boolean(),
        (status, tier, periodDays, trialDays, cancelAtPeriodEnd) => {
          const end = periodDays === null ? null : START + periodDays * DAY;
          const result = entitledTier(
            { status, tier, currentPeriodEnd: end, cancelAtPeriodEnd },
            { endsAt: trialDays === null ? null : START + trialDays * DAY },
            START,
          );
          if (result.lapsed) expect(result.tier).toBe('free');
          if (result.tier === ('gold' as string)) throw new Error('an unknown tier was granted');
        },
      ),
    );
  });
});

describe('the checkout', () => {
  it('is one session for one price however often it is pressed (R7-05)', async () => {
    const uid = await world.person();
    const urls = await Promise.all(Array.from({ length: 5 }, () => checkoutFor(uid, 'pro')));
    expect(new Set(urls).size).toBe(1);
    expect(await checkoutFor(uid, 'starter')).not.toBe(urls[0]);
    world.clock.at += 31 * 60_000;
    expect(await checkoutFor(uid, 'pro')).not.toBe(urls[0]);
  });

  it('needs a price of the plans list (R8-07, R7-05)', async () => {
    const uid = await world.person();
    await expect(
      call(uid, 'createCheckout', { priceId: 'price_<other>', ...back }),
    ).rejects.toMatchObject({
      code: 'no_price_id',
      status: 400,
      message: 'No price ID found for plan: price_other',
    });
  });

  it('turns an accepted card into a plan and brings the person back (R2-30, R7-06)', async () => {
    const uid = await world.person();
    const url = await checkoutFor(uid, 'pro');
    const page = await app.inject(url);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.body).not.toMatch(/<script|onclick=|https?:\/\//);
    expect(page.body).toContain('TEST');
    const paid = await form(url, { card: '4242424242424242' });
    expect([paid.statusCode, paid.headers.location]).toEqual([
      303,
      '/dashboard?subscription=success',
    ]);
    const status = await call(uid, 'subscriptionStatus');
    expect(status).toMatchObject({
      entitledTier: 'pro',
      subscription: { status: 'active', tier: 'pro', planId: 'pro', cancelAtPeriodEnd: false },
    });
    expect(Subscription.parse(status.subscription).currentPeriodEnd).toBe(
      world.clock.at + FAKE_PERIOD_MS,
    );
    expect(await world.eventTypes(uid)).toEqual(['subscription.changed']);
    expect((await form(url, { card: '4242424242424242' })).statusCode).toBe(303);
    expect(await world.eventTypes(uid)).toEqual(['subscription.changed']);
    await expect(checkoutFor(uid, 'pro-max')).rejects.toMatchObject({
      code: 'already_subscribed',
      status: 409,
    });
    await expect(call(uid, 'trialStart', { userId: uid })).rejects.toMatchObject({
      code: 'already_subscribed',
    });
  });

  it('charges nothing for a declined, unknown or markup card', async () => {
    const uid = await world.person();
    const url = await checkoutFor(uid, 'starter');
    for (const card of [
      '4000 0000 0000 0002',
      '5555555555554444',
      '<script>alert(1)</script>',
      '',
    ]) {
      const refused = await form(url, { card });
      expect(refused.statusCode).toBe(422);
      expect(refused.body).toContain('role="alert"');
      expect(refused.body).not.toContain('<script');
    }
    expect((await call(uid, 'subscriptionStatus')).subscription).toBeNull();
  });

  it('asks the bank in a second step where the card wants it', async () => {
    const uid = await world.person();
    const url = await checkoutFor(uid, 'standard');
    expect((await form(`${url}/confirm`, { answer: 'approve' })).statusCode).toBe(422);
    const first = await form(url, { card: '4000 0000 0000 3220' });
    expect([first.statusCode, first.headers.location]).toEqual([303, url]);
    expect((await call(uid, 'subscriptionStatus')).subscription).toBeNull();
    expect((await app.inject(url)).body).toContain('Your test bank');
    expect((await form(`${url}/confirm`, { answer: 'refuse' })).statusCode).toBe(422);
    await form(url, { card: '4000 0000 0000 3220' });
    expect((await form(`${url}/confirm`, { answer: 'approve' })).statusCode).toBe(303);
    expect((await call(uid, 'subscriptionStatus')).entitledTier).toBe('standard');
  });

  it('ends after a day, and answers nothing for an id it does not know', async () => {
    const url = await checkoutFor(await world.person(), 'pro');
    world.clock.at += DAY;
    expect((await app.inject(url)).statusCode).toBe(404);
    expect((await form(url, { card: '4242424242424242' })).statusCode).toBe(404);
    for (const id of [randomUUID(), "'", '%00', 'x'.repeat(500)])
      expect((await app.inject(`/test-checkout/${id}`)).statusCode).toBeLessThan(500);
  });
});

describe('where people are sent back to', () => {
  it('is a place in this app and nowhere else', () => {
    expect(returnPath('/dashboard?subscription=success#top', ORIGIN, 'successUrl')).toBe(
      '/dashboard?subscription=success#top',
    );
    expect(returnPath(`${ORIGIN}/subscription`, ORIGIN, 'successUrl')).toBe('/subscription');
    const foreign = [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example',
      '\\\\evil.example',
      `${ORIGIN}//evil.example`,
      'javascript:alert(1)',
      `https://user:pass@${new URL(ORIGIN).host}/`,
      `${ORIGIN}.evil.example/`,
      'http://trade.example.com/',
      'http://169.254.169.254/',
      '/\tx',
      'https://',
    ];
    for (const value of foreign)
      expect(() => returnPath(value, ORIGIN, 'successUrl'), value).toThrow('Invalid parameter');
  });

  it('never leaves the origin, whatever is asked', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.webUrl(),
          fc.string(),
          fc.string().map((text) => `/${text}`),
          fc.constantFrom('/', '\\', '//').chain((head) => fc.string().map((tail) => head + tail)),
        ),
        (value) => {
          let path: string;
          try {
            path = returnPath(value, ORIGIN, 'successUrl');
          } catch {
            return;
          }
          expect(new URL(path, ORIGIN).origin).toBe(ORIGIN);
          expect(path.startsWith('/')).toBe(true);
        },
      ),
    );
  });
});

describe('taking a plan', () => {
  it('that costs something answers 402 with the checkout to use (R7-03)', async () => {
    const uid = await world.person();
    await expect(call(uid, 'subscribe', { userId: uid, planId: 'pro' })).rejects.toMatchObject({
      code: 'payment_required',
      status: 402,
      more: {
        details: { priceId: await priceOf(uid, 'pro'), checkout: '/subscriptions/create-checkout' },
      },
    });
  });

  it('that costs nothing ends a paid one when its time has run out, not before (R7-03)', async () => {
    const uid = await world.person();
    expect(await call(uid, 'subscribe', { userId: uid, planId: 'free' })).toMatchObject({
      subscription: null,
    });
    await pay(uid, 'pro');
    const { subscription } = await call(uid, 'subscribe', { userId: uid, planId: 'free' });
    expect(subscription).toMatchObject({ status: 'active', tier: 'pro', cancelAtPeriodEnd: true });
    expect(await entitlement.tierOf(uid)).toEqual({ tier: 'pro', lapsed: false });
    world.clock.at += FAKE_PERIOD_MS;
    expect(await entitlement.tierOf(uid)).toEqual({ tier: 'free', lapsed: true });
    expect((await call(uid, 'subscriptionStatus')).subscription?.status).toBe('canceled');
  });

  it('refuses an unknown plan and another person (R8-04, R8-05)', async () => {
    const uid = await world.person();
    for (const planId of ['gold', '<>']) {
      await expect(call(uid, 'subscribe', { userId: uid, planId })).rejects.toMatchObject({
        code: 'invalid_subscription_parameters',
        status: 400,
        message: 'Invalid subscription parameters',
      });
    }
    await expect(
      call(uid, 'subscribe', { userId: 'someone', planId: 'free' }),
    ).rejects.toMatchObject({ message: 'Invalid user ID' });
  });
});

describe('the billing portal', () => {
  it('changes, ends and keeps a plan, for half an hour (R7-04)', async () => {
    const uid = await world.person();
    await expect(call(uid, 'customerPortal', { returnUrl: '/dashboard' })).rejects.toMatchObject({
      code: 'not_found',
    });
    await pay(uid, 'starter');
    const { url } = await call(uid, 'customerPortal', { returnUrl: '/dashboard' });
    expect((await app.inject(url)).body).toContain('href="/dashboard"');
    expect((await form(url, { act: 'change', plan: 'pro-max' })).statusCode).toBe(303);
    expect((await call(uid, 'subscriptionStatus')).entitledTier).toBe('pro-max');
    await form(url, { act: 'cancel' });
    expect((await call(uid, 'subscriptionStatus')).subscription?.cancelAtPeriodEnd).toBe(true);
    await form(url, { act: 'resume' });
    expect((await call(uid, 'subscriptionStatus')).subscription?.cancelAtPeriodEnd).toBe(false);
    expect((await form(url, { act: 'change', plan: 'free' })).statusCode).toBe(422);
    world.clock.at += 30 * 60_000;
    expect((await form(url, { act: 'cancel' })).statusCode).toBe(404);
  });

  it('leads nowhere but back into the app (R7-04)', async () => {
    const uid = await world.person();
    await expect(
      call(uid, 'customerPortal', { returnUrl: 'https://evil.example/' }),
    ).rejects.toMatchObject({ code: 'invalid_parameter', status: 400 });
  });
});

describe('usage', () => {
  it("counts the agents that are there against the tier's limit (R7-07)", async () => {
    const uid = await world.person();
    await pay(uid, 'standard');
    const agent = {
      uid,
      source: SOURCE.id,
      quote: 'USDT',
      name: 'Harbour',
      tradingPairs: ['BTC/USDT'],
      pool: 'all_pools',
      riskProfile: 'Moderate',
      maxPositionSize: '100',
      executionInterval: '5-minute',
      tradingFrequency: 'high',
      enabled: true,
      status: 'stopped',
      createdAt: START,
    };
    await world.database.db.insert(agents).values([
      { ...agent, id: randomUUID() },
      { ...agent, id: randomUUID() },
      { ...agent, id: randomUUID(), deletedAt: START },
    ]);
    expect(await call(uid, 'usage')).toMatchObject({
      tier: 'standard',
      agents: { used: 2, limit: 5 },
      fillsThisMonth: 0,
    });
  });
});
