/** Opens a checkout once for a person and a price, however often the button is pressed; refuses unknown prices. */
import { randomUUID } from 'node:crypto';
import { and, desc, eq, gt, inArray } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import type { CheckoutBody } from '../../contract/subscription.ts';
import { sanitise } from '../../contract/text.ts';
import type { WallClock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { checkouts, users } from '../db/schema.ts';
import type { Caller } from '../http/handlers.ts';
import { readSubscription } from './entitlement.ts';
import { subscriptionCounts } from './standing.ts';
import { honouredCoupon, type OpenedCheckout, type Payments } from './payments.ts';
import { planOfPrice } from './plans.ts';
import { returnPath } from './return-path.ts';

/** An unfinished checkout of the same price is taken up again for this long. */
export const CHECKOUT_REUSE_MS = 30 * 60_000;

/** A checkout that waits for its card; `open_embedded` is one shown inside the app, `confirming` one that wants the bank's word. */
export const UNFINISHED = ['open', 'open_embedded', 'confirming'] as const;

export interface CheckoutDeps {
  database: Database;
  clock: WallClock;
  payments: Payments;
  publicOrigin: string;
  coupon: string | null;
}

export type CheckoutRow = typeof checkouts.$inferSelect;

/**
 * The checkout for this order with the provider's address for it. Nothing is held locked while the provider is asked:
 * two presses find the same row, and its id makes the provider answer both with one session.
 */
export async function openCheckout(deps: CheckoutDeps, caller: Caller, body: CheckoutBody): Promise<{ id: string } & OpenedCheckout> {
  const { clock, database, payments, publicOrigin } = deps;
  const successPath = returnPath(body.successUrl, publicOrigin, 'successUrl');
  const cancelPath = returnPath(body.cancelUrl, publicOrigin, 'cancelUrl');
  const plan = planOfPrice(await payments.plans(), body.priceId);
  if (plan === undefined) {
    throw new Refusal('no_price_id', `No price ID found for plan: ${sanitise(body.priceId).slice(0, 100)}`, { field: 'priceId' });
  }
  const subscription = await readSubscription(database.db, caller.uid);
  if (subscription !== null && subscriptionCounts(subscription, clock.now())) {
    throw new Refusal('already_subscribed', 'You already have a plan. Change or end it in the billing portal.');
  }
  const embedded = body.embedded === true && payments.provider === 'stripe';
  const row = await reserve(deps, {
    uid: caller.uid, priceId: body.priceId, state: embedded ? 'open_embedded' : 'open', successUrl: successPath, cancelUrl: cancelPath,
  });
  if (row.url !== null || row.clientSecret !== null) return { id: row.id, url: row.url, clientSecret: row.clientSecret };
  const opened = await payments.openCheckout({
    checkoutId: row.id, uid: caller.uid, email: caller.email, priceId: body.priceId, successPath, cancelPath, embedded,
    customerId: subscription?.provider === payments.provider ? subscription.customerId : null,
    coupon: honouredCoupon(body.coupon, deps.coupon),
  });
  return { id: row.id, ...opened };
}

function reserve(
  deps: CheckoutDeps, order: Pick<CheckoutRow, 'uid' | 'priceId' | 'successUrl' | 'cancelUrl'> & { state: 'open' | 'open_embedded' },
): Promise<CheckoutRow> {
  const now = deps.clock.now();
  return deps.database.transaction(async (tx) => {
    await tx.db.select({ uid: users.uid }).from(users).where(eq(users.uid, order.uid)).for('update');
    const [waiting] = await tx.db.select().from(checkouts).where(and(
      eq(checkouts.uid, order.uid), eq(checkouts.priceId, order.priceId),
      inArray(checkouts.state, order.state === 'open' ? ['open', 'confirming'] : [order.state]),
      eq(checkouts.successUrl, order.successUrl), eq(checkouts.cancelUrl, order.cancelUrl),
      gt(checkouts.createdAt, now - CHECKOUT_REUSE_MS),
    )).orderBy(desc(checkouts.createdAt)).limit(1);
    if (waiting !== undefined) return waiting;
    const fresh = { id: randomUUID(), url: null, clientSecret: null, createdAt: now, ...order };
    await tx.db.insert(checkouts).values(fresh);
    return fresh;
  });
}
