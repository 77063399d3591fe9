/** The customer at Stripe bears a person's email address: it is known here from its first moment. */
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseEntitlement } from '../../../server/billing/entitlement.ts';
import { accountDeletions, users } from '../../../server/db/schema.ts';
import { subscriptions } from '../../../server/db/schema-plans.ts';
import { EndedSessions } from '../../../server/identity/ended-sessions.ts';
import { Deletions } from '../../../server/users/account-deletion.ts';
import { IdentityBook } from '../../support/identity-accounts.ts';
import { openStripeWorld, type StripeWorld } from './stripe-world.ts';

const ORDER = {
  priceId: 'price_pro',
  successUrl: '/dashboard?subscription=success',
  cancelUrl: '/dashboard?subscription=canceled',
};
const CUSTOMERS = '/v1/customers';
let there: StripeWorld;
let server: ReturnType<StripeWorld['server']>;
let deletions: Deletions;

beforeAll(async () => {
  there = await openStripeWorld();
  server = there.server();
  const { database, clock } = there.world;
  deletions = new Deletions({
    trading: { ...server.deps, entitlement: new DatabaseEntitlement(database, clock) },
    payments: server.payments,
    administration: new IdentityBook(() => clock.now()),
    ended: new EndedSessions(),
  });
});
afterAll(() => there.close());

const checkout = (uid: string) => server.call(uid, 'createCheckout', ORDER);
const customerOf = async (uid: string): Promise<string | null> => {
  const { db } = there.world.database;
  const [row] = await db.select().from(subscriptions).where(eq(subscriptions.uid, uid));
  return row?.customerId ?? null;
};

/** Somebody whose customer was made, and whose checkout was not. */
async function halfOpened(): Promise<string> {
  const uid = await there.world.person();
  await server.call(uid, 'plans');
  there.stripe.meanwhile(CUSTOMERS, async () => {
    there.stripe.fail(1);
  });
  await expect(checkout(uid)).rejects.toMatchObject({ code: 'subscription_unavailable' });
  expect(there.stripe.remembers(uid)).toBe(true);
  return uid;
}

describe('a customer at Stripe', () => {
  it('is kept also where the checkout could not be opened, and taken for the next one', async () => {
    const uid = await halfOpened();
    const [kept, customers] = [await customerOf(uid), there.stripe.customers()];
    expect(kept).not.toBeNull();
    await checkout(uid);
    expect([await customerOf(uid), there.stripe.customers()]).toEqual([kept, customers]);
  });

  it('is forgotten with the account although nothing was ever bought (R2-19)', async () => {
    const uid = await halfOpened();
    expect(await deletions.ask(uid)).toBe('done');
    expect(there.stripe.remembers(uid)).toBe(false);
  });

  it('that is made while the account is deleted is forgotten, and no checkout opens (R2-19)', async () => {
    const uid = await there.world.person();
    const sessions = there.stripe.sessions();
    there.stripe.meanwhile(CUSTOMERS, () => deletions.ask(uid));
    await expect(checkout(uid)).rejects.toMatchObject({ code: 'checkout_outdated', status: 409 });
    expect([there.stripe.remembers(uid), there.stripe.sessions()]).toEqual([false, sessions]);
  });

  it('that is made once the deletion was asked for is forgotten, before its rows go (R2-19)', async () => {
    const uid = await there.world.person();
    const { database, clock } = there.world;
    there.stripe.meanwhile(CUSTOMERS, () =>
      database.db.insert(accountDeletions).values({ uid, askedAt: clock.now() }),
    );
    await expect(checkout(uid)).rejects.toMatchObject({ code: 'checkout_outdated', status: 409 });
    expect([there.stripe.remembers(uid), await customerOf(uid)]).toEqual([false, null]);
    await deletions.runOnce();
    expect(await database.db.$count(users, eq(users.uid, uid))).toBe(0);
  });
});
