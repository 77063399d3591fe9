/** Days that were given away are a trial at Stripe, and a change of plan must not cost what is paid. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStripeWorld, type StripeWorld } from './stripe-world.ts';

const DAY_MS = 86_400_000;
let there: StripeWorld;

beforeAll(async () => {
  there = await openStripeWorld();
});
afterAll(() => there.close());

/** Somebody whose plan ends fourteen days later than what they paid for. */
async function rewarded() {
  const server = there.server();
  const { uid, held } = await there.subscriber();
  await server.reconciliation.runOnce();
  const paidUntil = held.periodEnd * 1_000 + 14 * DAY_MS;
  await server.payments.lengthen({ creditId: `of-${uid}`, subscriptionId: held.id, paidUntil });
  there.world.clock.at += 7 * 60 * 60_000;
  await server.reconciliation.runOnce();
  expect((await server.call(uid, 'subscriptionStatus')).subscription).toMatchObject({
    status: 'trialing',
    currentPeriodEnd: paidUntil,
  });
  return { uid, held, paidUntil, ...server };
}

it('is refused until that day, before anything is asked of Stripe (R2-13, R2-14)', async () => {
  const { uid, call, preview } = await rewarded();
  const refusal = {
    code: 'already_subscribed',
    message:
      'Your plan still has free days. You can change it once they are over, on the day shown here. You can cancel it at any time.',
  };
  await call(uid, 'plans');
  const asked = there.stripe.requests.length;
  await expect(preview(uid, 'starter')).rejects.toMatchObject(refusal);
  await expect(
    call(uid, 'customerPortal', { returnUrl: '/dashboard', planId: 'starter' }),
  ).rejects.toMatchObject(refusal);
  expect(there.stripe.requests.length).toBe(asked);
});

it('leaves the portal, the present plan and the end of it as they are (R7-03, R7-04)', async () => {
  const { uid, held, paidUntil, call, preview } = await rewarded();
  expect((await call(uid, 'customerPortal', { returnUrl: '/dashboard' })).url).toMatch(/^https:/);
  expect(await preview(uid, 'pro')).toMatchObject({ kind: 'none' });
  expect(await preview(uid, 'free')).toMatchObject({ kind: 'end', effectiveAt: paidUntil });
  await call(uid, 'customerPortal', { returnUrl: '/dashboard', planId: 'free' });
  await call(uid, 'subscribe', { userId: uid, planId: 'free' });
  expect(held).toMatchObject({ status: 'trialing', cancelAtPeriodEnd: true });
});

it('is possible again once the days are over (R2-14)', async () => {
  const { uid, held, paidUntil, preview } = await rewarded();
  there.world.clock.at = paidUntil;
  Object.assign(held, { status: 'active', periodStart: held.periodEnd });
  expect(await preview(uid, 'starter')).toMatchObject({ kind: 'downgrade' });
});
