/** What became of a checkout that an address calls finished, by the provider's word. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CallBody, CallName } from '../../../contract/calls.ts';
import { billingHandlers } from '../../../server/billing/billing-handlers.ts';
import { openStripeWorld, type StripeWorld } from './stripe-world.ts';
import { caller } from './world.ts';

const back = {
  successUrl: '/dashboard?subscription=success',
  cancelUrl: '/dashboard?subscription=canceled',
};
let there: StripeWorld;
let server: ReturnType<StripeWorld['server']>;

beforeAll(async () => {
  there = await openStripeWorld();
  server = there.server();
});
afterAll(() => there.close());

const open = (uid: string, priceId = 'price_pro') =>
  server.call(uid, 'createCheckout', { priceId, embedded: true, ...back });
const stateOf = async (uid: string) => (await server.call(uid, 'checkoutState')).state;

it('is open where the bank refused, and complete before any webhook has come (R2-30)', async () => {
  const uid = await there.world.person();
  expect(await stateOf(uid)).toBe('none');
  await open(uid);
  expect(await stateOf(uid)).toBe('open');
  there.stripe.pay(uid, there.world.clock.at);
  // When the page asks next.
  there.world.clock.at += 2_000;
  expect(await stateOf(uid)).toBe('complete');
});

it('is complete where an earlier one was paid in another tab', async () => {
  const uid = await there.world.person();
  await open(uid);
  there.stripe.pay(uid, there.world.clock.at);
  there.world.clock.at += 1_000;
  await open(uid, 'price_starter').catch(() => undefined);
  expect(await stateOf(uid)).toBe('complete');
});

it('of two that are opened at once the earlier is closed, and says so as a conflict', async () => {
  const uid = await there.world.person();
  await server.call(uid, 'plans');
  const before = there.stripe.openSessions();
  there.stripe.meanwhile('/v1/checkout/sessions', () => open(uid, 'price_starter'));
  await expect(open(uid)).rejects.toMatchObject({ code: 'checkout_outdated', status: 409 });
  expect(there.stripe.openSessions()).toBe(before + 1);
  expect(await stateOf(uid)).toBe('open');
});

it('is nobody else’s, nor one of days ago', async () => {
  const [uid, other] = [await there.world.person(), await there.world.person()];
  await open(uid);
  expect(await stateOf(other)).toBe('none');
  there.world.clock.at += 25 * 60 * 60_000;
  expect(await stateOf(uid)).toBe('none');
});

/** Questions to the provider that this causes. */
async function asked(work: () => Promise<unknown>): Promise<number> {
  const before = there.stripe.requests.length;
  await work();
  return there.stripe.requests.length - before;
}

it('is asked for once in two seconds, and never again once a checkout is over', async () => {
  const uid = await there.world.person();
  await open(uid);
  const atOnce = () => Promise.all(Array.from({ length: 8 }, () => stateOf(uid)));
  expect(await asked(atOnce)).toBe(1);
  expect(await asked(atOnce)).toBe(0);
  there.world.clock.at += 2_000;
  expect(await asked(atOnce)).toBe(1);
  there.stripe.pay(uid, there.world.clock.at);
  there.world.clock.at += 2_000;
  expect(await asked(() => stateOf(uid))).toBe(1);
  there.world.clock.at += 60_000;
  expect(await asked(() => stateOf(uid))).toBe(0);
  expect(await stateOf(uid)).toBe('complete');
});

it('is asked for again where the provider failed', async () => {
  const uid = await there.world.person();
  await open(uid);
  there.stripe.fail(1);
  await expect(stateOf(uid)).rejects.toMatchObject({ code: 'subscription_unavailable' });
  expect(await stateOf(uid)).toBe('open');
});

it.each([
  ['checkoutState', 60, undefined],
  ['changePreview', 60, undefined],
  ['invoices', 60, undefined],
  ['customerPortal', 60, { returnUrl: '/subscription' }],
  ['createCheckout', 60, { priceId: 'price_pro', ...back }],
] as [CallName, number, CallBody<CallName>][])(
  'lets one person ask the provider by %s %i times an hour, and others as before',
  async (name, most, body) => {
    const [{ uid }, { uid: other }] = [await there.subscriber(), await there.subscriber()];
    // What one of these says does not matter here: somebody who has a plan is sold none.
    const ask = async (of: string) =>
      server
        .call(of, name, body, undefined, name === 'changePreview' ? { planId: 'free' } : {})
        .then(
          () => null,
          (error: { code: string }) => error.code,
        );
    for (let turn = 0; turn < most; turn += 1) expect(await ask(uid)).not.toBe('limit_reached');
    expect(await asked(async () => expect(await ask(uid)).toBe('limit_reached'))).toBe(0);
    expect(await ask(other)).not.toBe('limit_reached');
    there.world.clock.at += 60 * 60_000;
    expect(await ask(uid)).not.toBe('limit_reached');
  },
);

it('asks for the coupon as seldom as for the plans', async () => {
  there.stripe.coupons.set('SPRING', {
    percent_off: 25,
    amount_off: null,
    currency: null,
    valid: true,
  });
  const { deps } = there.server();
  const call = caller(there.world, billingHandlers({ ...deps, coupon: 'SPRING' }));
  const uid = await there.world.person();
  const plans = () => call(uid, 'plans');
  expect((await plans()).coupon).toMatchObject({ id: 'SPRING' });
  expect(await asked(() => Promise.all([plans(), plans()]))).toBe(0);
  there.world.clock.at += 5 * 60_000;
  expect(await asked(() => Promise.all([plans(), plans()]))).toBe(3);
});
