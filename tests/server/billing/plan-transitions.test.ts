/**
 * The life of a plan: the machine against the rule it is written for, test plans over the wall
 * clock, what is billed.
 */
import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import fc from '../../support/property.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ChangePreview } from '../../../contract/plan-change.ts';
import type { SubscriptionPhase } from '../../../contract/subscription-state.ts';
import { previewChange } from '../../../server/billing/change-preview.ts';
import { DatabaseEntitlement } from '../../../server/billing/entitlement.ts';
import { billingHandlers } from '../../../server/billing/billing-handlers.ts';
import { Reconciliation } from '../../../server/billing/reconciliation.ts';
import { registerBillingRoutes } from '../../../server/billing/routes.ts';
import {
  PAYMENT_GRACE_MS,
  subscriptionStateOf,
  type SubscriptionFacts,
  type TrialFacts,
} from '../../../server/billing/subscription-state.ts';
import {
  broughtUpTo,
  FAKE_PERIOD_MS,
} from '../../../server/billing/fake-provider/fake-invoices.ts';
import { FakePayments } from '../../../server/billing/fake-provider/fake-payments.ts';
import { agents } from '../../../server/db/schema.ts';
import { after, BILLING_EVENTS, type BillingEvent } from './plan-transitions.ts';
import { caller, openWorld, ORIGIN, quietLog, SOURCE, START, type World } from './world.ts';

const DAY = 86_400_000;
interface Facts {
  plan: SubscriptionFacts | null;
  trial: TrialFacts;
  now: number;
}

/**
 * What each event does to the facts, as a provider and a clock do it; written without the machine.
 * Null where it cannot happen.
 */
function happen({ plan, trial, now }: Facts, event: BillingEvent): Facts | null {
  const paid = (end: number): SubscriptionFacts => ({
    status: 'active',
    tier: 'pro',
    currentPeriodEnd: end,
    cancelAtPeriodEnd: false,
  });
  const end = plan?.currentPeriodEnd ?? 0;
  switch (event) {
    case 'trial_started':
      return trial.endsAt !== null ? null : { plan, trial: { endsAt: now + 14 * DAY }, now };
    case 'trial_ended':
      return trial.endsAt === null || trial.endsAt <= now
        ? null
        : { plan, trial, now: trial.endsAt };
    case 'paid':
      return { plan: paid(now + 30 * DAY), trial, now };
    case 'renewed':
      return plan === null ? null : { plan: paid(Math.max(now, end) + 30 * DAY), trial, now };
    case 'payment_failed':
      return plan === null
        ? null
        : { plan: { ...plan, status: 'past_due' }, trial, now: Math.max(now, end) };
    case 'changed':
      return plan === null
        ? null
        : { plan: { ...plan, tier: 'starter', cancelAtPeriodEnd: false }, trial, now };
    case 'cancelled':
      return plan === null ? null : { plan: { ...plan, cancelAtPeriodEnd: true }, trial, now };
    case 'kept':
      return plan === null ? null : { plan: { ...plan, cancelAtPeriodEnd: false }, trial, now };
    case 'period_ended':
      return plan === null || end <= now ? null : { plan, trial, now: end };
    case 'grace_ended':
      return plan === null ? null : { plan, trial, now: Math.max(now, end + PAYMENT_GRACE_MS) };
    case 'revoked':
      return plan === null ? null : { plan: { ...plan, status: 'canceled' }, trial, now };
  }
}

describe('the machine', () => {
  it('says what the facts say, whatever happens one after the other', () => {
    const reached = new Set<string>();
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...BILLING_EVENTS), { maxLength: 25 }), (events) => {
        let facts: Facts = { plan: null, trial: { endsAt: null }, now: START };
        for (const event of events) {
          const before = subscriptionStateOf(facts.plan, facts.trial, facts.now).state;
          const next = happen(facts, event);
          if (next === null) continue;
          const trialRuns = next.trial.endsAt !== null && next.now < next.trial.endsAt;
          const expected = after(before, event, trialRuns);
          // What the table does not have is refused before anything happens.
          if (expected === null) continue;
          const { state, tier, until } = subscriptionStateOf(next.plan, next.trial, next.now);
          expect(state, `${before} --${event}-->`).toBe(expected);
          expect(tier === 'free').toBe(state === 'free' || state === 'lapsed');
          if (until !== null) expect(until).toBeGreaterThan(next.now);
          reached.add(`${before} ${event} ${state}`);
          facts = next;
        }
      }),
      { numRuns: 2_000 },
    );
    // No row of the table went untried.
    const states: SubscriptionPhase[] = ['free', 'trial', 'active', 'grace', 'ending', 'lapsed'];
    const rows = states.flatMap((state) =>
      BILLING_EVENTS.flatMap((event) => {
        const to = after(state, event, false);
        return to === null ? [] : [`${state} ${event} ${to}`];
      }),
    );
    // A lapsed person who never had a trial may have it: only a plan lapses so, not a trial that
    // was used.
    expect(rows.filter((row) => !reached.has(row))).toEqual([]);
  });

  it('says what follows by itself, and it does', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('active', 'trialing', 'past_due', 'canceled', 'incomplete', 'none'),
        fc.integer({ min: -40, max: 40 }),
        fc.option(fc.integer({ min: -20, max: 20 })),
        fc.boolean(),
        (status, days, trialDays, cancelAtPeriodEnd) => {
          const plan = {
            status,
            tier: 'pro',
            currentPeriodEnd: START + days * DAY,
            cancelAtPeriodEnd,
          };
          const trial = { endsAt: trialDays === null ? null : START + trialDays * DAY };
          const { state, until, next } = subscriptionStateOf(plan, trial, START);
          if (until === null || state === 'active') return;
          expect(subscriptionStateOf(plan, trial, until - 1).state).toBe(state);
          expect(subscriptionStateOf(plan, trial, until)).toMatchObject(next);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('calls a renewal overdue only after an hour, and gives it three days from the end of what was paid', () => {
    const plan = {
      status: 'active',
      tier: 'pro',
      currentPeriodEnd: START,
      cancelAtPeriodEnd: false,
    };
    const at = (ms: number) => subscriptionStateOf(plan, { endsAt: null }, START + ms);
    expect(at(0).state).toBe('active');
    expect(at(3_599_999).state).toBe('active');
    expect(at(3_600_000)).toEqual({
      state: 'grace',
      tier: 'pro',
      until: START + PAYMENT_GRACE_MS,
      next: { state: 'lapsed', tier: 'free' },
    });
    expect(at(PAYMENT_GRACE_MS)).toMatchObject({ state: 'lapsed', tier: 'free' });
  });
});

describe('a test plan in time', () => {
  it('renews period by period where the card pays, waits three days where it does not, and ends where it was cancelled', () => {
    const from = { paidUntil: START, cancelAtPeriodEnd: false, cardPays: true };
    expect(broughtUpTo(START - 1, from)).toEqual({
      status: 'active',
      paidUntil: START,
      renewed: [],
    });
    expect(broughtUpTo(START + 2 * FAKE_PERIOD_MS, from)).toEqual({
      status: 'active',
      paidUntil: START + 3 * FAKE_PERIOD_MS,
      renewed: [START, START + FAKE_PERIOD_MS, START + 2 * FAKE_PERIOD_MS],
    });
    expect(broughtUpTo(START, { ...from, cardPays: false })).toEqual({
      status: 'past_due',
      paidUntil: START,
      renewed: [],
    });
    expect(broughtUpTo(START + PAYMENT_GRACE_MS, { ...from, cardPays: false }).status).toBe(
      'canceled',
    );
    expect(broughtUpTo(START, { ...from, cancelAtPeriodEnd: true })).toEqual({
      status: 'canceled',
      paidUntil: START,
      renewed: [],
    });
  });
});

describe('the test till', () => {
  let world: World;
  let app: FastifyInstance;
  let call: ReturnType<typeof caller>;
  let preview: (uid: string, planId: string) => Promise<ChangePreview>;
  let reconciliation: Reconciliation;
  let entitlement: DatabaseEntitlement;
  const COUPON = 'SPRING';
  beforeAll(async () => {
    world = await openWorld();
    const payments = new FakePayments(world);
    const deps = {
      ...world,
      log: quietLog,
      payments,
      trialDays: 14,
      publicOrigin: ORIGIN,
      coupon: COUPON,
    };
    call = caller(world, billingHandlers(deps));
    preview = async (uid, planId) => ChangePreview.parse(await previewChange(deps, uid, planId));
    reconciliation = new Reconciliation({ ...world, log: quietLog, payments });
    entitlement = new DatabaseEntitlement(world.database, world.clock);
    app = Fastify();
    await registerBillingRoutes(app, { ...world, log: quietLog, payments, limit: () => undefined });
  });
  afterAll(async () => {
    await app.close();
    await world.close();
  });

  const form = (url: string, fields: Record<string, string>) =>
    app.inject({
      method: 'POST',
      url,
      payload: new URLSearchParams(fields).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  async function buy(
    uid: string,
    plan: string,
    card = '4242424242424242',
    coupon?: string,
  ): Promise<void> {
    const priceId = (await call(uid, 'plans')).plans.find(({ id }) => id === plan)?.priceId ?? '';
    const { url } = await call(uid, 'createCheckout', {
      priceId,
      successUrl: '/dashboard',
      cancelUrl: '/dashboard',
      ...(coupon === undefined ? {} : { coupon }),
    });
    expect((await form(url ?? '', { card })).statusCode).toBe(303);
  }
  const standing = async (uid: string) => (await call(uid, 'subscriptionStatus')).standing;
  const bills = async (uid: string) =>
    (await call(uid, 'invoices')).invoices.map(({ amount, status, text }) => [
      text,
      amount,
      status,
    ]);
  const portalOf = async (uid: string, planId?: string) =>
    (
      await call(uid, 'customerPortal', {
        returnUrl: '/dashboard',
        ...(planId === undefined ? {} : { planId }),
      })
    ).url;

  it('renews a plan by the clock, bills each month once, and tells every device (R7-06)', async () => {
    const uid = await world.person();
    await buy(uid, 'pro');
    world.clock.at += FAKE_PERIOD_MS + 60_000;
    await reconciliation.runOnce();
    await reconciliation.runOnce();
    expect(await standing(uid)).toMatchObject({ state: 'active', tier: 'pro' });
    expect(await bills(uid)).toEqual([
      ['Pro', '99', 'paid'],
      ['Pro', '99', 'paid'],
    ]);
    expect(await world.eventTypes(uid)).toEqual(['subscription.changed', 'subscription.changed']);
    world.clock.at += 2 * FAKE_PERIOD_MS;
    await Promise.all([reconciliation.runOnce(), reconciliation.runOnce(), portalOf(uid)]);
    expect(await bills(uid)).toHaveLength(4);
  });

  it('leads a card that fails at the renewal into the grace, and out of it by another card', async () => {
    const uid = await world.person();
    await buy(uid, 'standard', '4000 0000 0000 0341');
    const paidUntil = world.clock.at + FAKE_PERIOD_MS;
    world.clock.at = paidUntil + 60_000;
    await reconciliation.runOnce();
    expect(await standing(uid)).toEqual({
      state: 'grace',
      tier: 'standard',
      until: paidUntil + PAYMENT_GRACE_MS,
      next: { state: 'lapsed', tier: 'free' },
    });
    expect((await bills(uid))[0]).toEqual(['Standard', '49', 'open']);
    const portal = await portalOf(uid);
    expect((await app.inject(portal)).body).toContain('is unpaid');
    expect((await form(portal, { act: 'change', plan: 'pro' })).statusCode).toBe(422);
    expect((await form(portal, { act: 'pay', card: '4000 0000 0000 0002' })).statusCode).toBe(422);
    expect((await form(portal, { act: 'pay', card: '4242 4242 4242 4242' })).statusCode).toBe(303);
    expect((await form(portal, { act: 'pay', card: '4242 4242 4242 4242' })).statusCode).toBe(422);
    expect(await standing(uid)).toMatchObject({
      state: 'active',
      until: paidUntil + FAKE_PERIOD_MS,
    });
    expect(await bills(uid)).toEqual([
      ['Standard', '49', 'paid'],
      ['Standard', '49', 'paid'],
    ]);
  });

  it('ends a plan whose renewal failed as soon as it is cancelled, and asks for its bill no more (R7-03)', async () => {
    for (const byPortal of [false, true]) {
      const uid = await world.person();
      await buy(uid, 'standard', '4000 0000 0000 0341');
      const paidUntil = world.clock.at + FAKE_PERIOD_MS;
      world.clock.at = paidUntil + 60_000;
      await reconciliation.runOnce();
      expect(await preview(uid, 'free')).toMatchObject({
        kind: 'end',
        to: 'free',
        effectiveAt: world.clock.at,
      });
      if (byPortal) await form(await portalOf(uid), { act: 'cancel' });
      else await call(uid, 'subscribe', { userId: uid, planId: 'free' });
      expect((await call(uid, 'subscriptionStatus')).subscription).toMatchObject({
        status: 'canceled',
        currentPeriodEnd: paidUntil,
      });
      expect(await standing(uid)).toMatchObject({ state: 'lapsed' });
      expect((await bills(uid))[0]).toEqual(['Standard', '49', 'void']);
    }
  });

  it('lapses where nobody pays, by the clock alone, and closes the bill at the next round', async () => {
    const uid = await world.person();
    await buy(uid, 'starter', '4000 0000 0000 0341');
    world.clock.at += FAKE_PERIOD_MS + 60_000;
    await reconciliation.runOnce();
    world.clock.at += PAYMENT_GRACE_MS;
    expect(await entitlement.tierOf(uid)).toEqual({ tier: 'free', lapsed: true });
    await reconciliation.runOnce();
    expect((await bills(uid))[0]).toEqual(['Starter', '19', 'uncollectible']);
    expect(await standing(uid)).toMatchObject({ state: 'lapsed', until: null });
    await buy(uid, 'starter');
    expect(await standing(uid)).toMatchObject({ state: 'active' });
  });

  it('ends a cancelled plan on its day without another bill, also where the server slept over it', async () => {
    const uid = await world.person();
    await buy(uid, 'pro');
    const end = world.clock.at + FAKE_PERIOD_MS;
    await call(uid, 'subscribe', { userId: uid, planId: 'free' });
    expect(await standing(uid)).toEqual({
      state: 'ending',
      tier: 'pro',
      until: end,
      next: { state: 'lapsed', tier: 'free' },
    });
    world.clock.at = end + 90 * DAY;
    await reconciliation.runOnce();
    expect(await standing(uid)).toMatchObject({ state: 'lapsed', tier: 'free' });
    expect(await bills(uid)).toHaveLength(1);
  });

  it('says beforehand what a change costs, and charges that', async () => {
    const uid = await world.person();
    await buy(uid, 'standard');
    world.clock.at += FAKE_PERIOD_MS / 2;
    const up = await preview(uid, 'pro');
    expect(up).toMatchObject({
      kind: 'upgrade',
      from: 'standard',
      to: 'pro',
      effectiveAt: world.clock.at,
      charge: { dueNow: '25', credit: '0', currency: 'USD', renewal: { amount: '99' } },
    });
    const portal = await portalOf(uid, 'pro');
    expect((await app.inject(portal)).body).toContain('Charged now: 25 USD');
    expect((await form(portal, { act: 'change', plan: 'pro' })).statusCode).toBe(303);
    const down = await preview(uid, 'starter');
    expect(down.charge).toMatchObject({ dueNow: '0', credit: '40' });
    await form(portal, { act: 'change', plan: 'starter' });
    expect(await bills(uid)).toEqual([
      ['Unused time on Pro; Remaining time on Starter', '0', 'paid'],
      ['Unused time on Standard; Remaining time on Pro', '25', 'paid'],
      ['Standard', '49', 'paid'],
    ]);
    // The credit pays for what comes: 19 of 40, then 19, then the last 2.
    world.clock.at += FAKE_PERIOD_MS * 2.5 + 60_000;
    await reconciliation.runOnce();
    expect((await bills(uid)).slice(0, 3).map(([, amount]) => amount)).toEqual(['17', '0', '0']);
  });

  it("takes the deployment's coupon off the first month alone, and no other", async () => {
    const [uid, other] = [await world.person(), await world.person()];
    expect((await call(uid, 'plans')).coupon).toMatchObject({ id: COUPON, percentOff: 20 });
    expect((await preview(uid, 'pro')).charge).toMatchObject({
      dueNow: '79.2',
      renewal: { amount: '99', at: null },
    });
    await buy(uid, 'pro', undefined, COUPON);
    await buy(other, 'pro', undefined, 'STAFF100');
    world.clock.at += FAKE_PERIOD_MS + 60_000;
    await reconciliation.runOnce();
    expect((await bills(uid)).map(([, amount]) => amount)).toEqual(['99', '79.2']);
    expect((await bills(other)).map(([, amount]) => amount)).toEqual(['99', '99']);
  });

  it("shows a bill by its link, and nobody another's in the list", async () => {
    const [uid, other] = [await world.person(), await world.person()];
    await buy(uid, 'pro');
    const [invoice] = (await call(uid, 'invoices')).invoices;
    const page = await app.inject(invoice?.url ?? '');
    expect(page.body).toContain(invoice?.number ?? 'nothing');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect((await call(other, 'invoices')).invoices).toEqual([]);
    for (const id of [randomUUID(), "'", 'x'.repeat(90)])
      expect((await app.inject(`/test-invoice/${id}`)).statusCode).toBe(404);
  });

  it('names beforehand the agents that will open nothing more, and from when', async () => {
    const uid = await world.person();
    await buy(uid, 'pro');
    const agent = (name: string, status: string, createdAt: number) => ({
      id: randomUUID(),
      uid,
      source: SOURCE.id,
      quote: 'USDT',
      name,
      tradingPairs: ['BTC/USDT'],
      pool: 'all_pools',
      riskProfile: 'Moderate',
      maxPositionSize: '100',
      executionInterval: '5-minute',
      tradingFrequency: 'high',
      enabled: true,
      status,
      createdAt,
    });
    await world.database.db
      .insert(agents)
      .values([
        agent('First', 'running', 1),
        agent('Idle', 'stopped', 2),
        agent('Second', 'halted', 3),
        agent('Third', 'running', 4),
      ]);
    const told = async (planId: string) => {
      const { agents: list, ...rest } = await preview(uid, planId);
      return {
        ...rest,
        agents: list.map(({ name, effect, reason, mayStart }) => [name, effect, reason, mayStart]),
      };
    };
    expect(await told('starter')).toMatchObject({
      kind: 'downgrade',
      to: 'starter',
      places: 2,
      effectiveAt: world.clock.at,
      agents: [
        ['First', 'opens', null, true],
        ['Idle', 'stopped', null, false],
        ['Second', 'opens', null, true],
        ['Third', 'exits_only', 'over_cap', false],
      ],
    });
    expect(await told('free')).toMatchObject({
      kind: 'end',
      to: 'free',
      places: 0,
      effectiveAt: world.clock.at + FAKE_PERIOD_MS,
      charge: null,
      agents: [
        ['First', 'exits_only', 'no_plan', false],
        ['Idle', 'stopped', null, false],
        ['Second', 'exits_only', 'no_plan', false],
        ['Third', 'exits_only', 'no_plan', false],
      ],
    });
    expect((await told('pro')).kind).toBe('none');
    await expect(told('gold')).rejects.toMatchObject({
      code: 'invalid_subscription_parameters',
      message: 'Invalid subscription parameters',
    });
  });
});
