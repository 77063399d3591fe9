/** What became of a checkout that an address calls finished, by the provider's word. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStripeWorld, type StripeWorld } from './stripe-world.ts';

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

it('is nobody else’s, nor one of days ago', async () => {
  const [uid, other] = [await there.world.person(), await there.world.person()];
  await open(uid);
  expect(await stateOf(other)).toBe('none');
  there.world.clock.at += 25 * 60 * 60_000;
  expect(await stateOf(uid)).toBe('none');
});
