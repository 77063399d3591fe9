/** Opens a checkout once per user and price, however often the button is pressed. */
import { randomUUID } from 'node:crypto';
import { and, desc, eq, gt, inArray, isNull, ne } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import type { CheckoutBody } from '../../contract/subscription.ts';
import { sanitise } from '../../contract/text.ts';
import type { WallClock } from '../clock.ts';
import type { Database, Tx } from '../db/database.ts';
import { checkouts } from '../db/schema-plans.ts';
import type { EventLog } from '../db/user-events.ts';
import type { Caller } from '../http/handlers.ts';
import { readSubscription } from './entitlement.ts';
import { subscriptionCounts } from './subscription-state.ts';
import { keepCustomer, lockPerson, observe, recordSubscription } from './subscription-record.ts';
import { honouredCoupon } from './first-coupon.ts';
import { ProviderFailed, type Payments } from './payments.ts';
import { planOfPrice } from './plans.ts';
import { returnPath } from './return-path.ts';

/** An unfinished checkout of the same price is taken up again for this long. */
const CHECKOUT_REUSE_MS = 30 * 60_000;

/**
 * A checkout that waits for its card; `open_embedded` is one shown inside the app, `confirming` one
 * that wants the bank's word.
 */
export const UNFINISHED = ['open', 'open_embedded', 'confirming'] as const;

export interface CheckoutDeps {
  database: Database;
  events: EventLog;
  clock: WallClock;
  payments: Payments;
  publicOrigin: string;
  coupon: string | null;
}

export type CheckoutRow = typeof checkouts.$inferSelect;
/** A checkout with the provider's address for it. */
export type OpenedRow = Pick<CheckoutRow, 'id' | 'url' | 'clientSecret' | 'sessionId'>;

/**
 * The checkout for this order with the provider's address for it. Nothing is held locked while the
 * provider is asked: two presses find the same row, and its id makes the provider answer both with
 * one session.
 */
export async function openCheckout(
  deps: CheckoutDeps,
  caller: Caller,
  body: CheckoutBody,
): Promise<OpenedRow> {
  const { clock, database, payments, publicOrigin } = deps;
  const successPath = returnPath(body.successUrl, publicOrigin, 'successUrl');
  const cancelPath = returnPath(body.cancelUrl, publicOrigin, 'cancelUrl');
  const plan = planOfPrice(await payments.plans(), body.priceId);
  if (plan === undefined) {
    throw new Refusal(
      'no_price_id',
      `No price ID found for plan: ${sanitise(body.priceId).slice(0, 100)}`,
      { field: 'priceId' },
    );
  }
  const subscription = await readSubscription(database.db, caller.uid);
  if (subscription !== null && subscriptionCounts(subscription, clock.now()))
    throw alreadySubscribed();
  const embedded = body.embedded === true && payments.provider === 'stripe';
  const coupon = honouredCoupon(body.coupon, subscription, deps.coupon);
  const row = await reserve(deps, {
    uid: caller.uid,
    priceId: body.priceId,
    state: embedded ? 'open_embedded' : 'open',
    successUrl: successPath,
    cancelUrl: cancelPath,
    coupon,
  });
  await closeOthers(deps, row);
  const customerId = subscription?.provider === payments.provider ? subscription.customerId : null;
  try {
    // Asked for a checkout that is taken up again too: it may have been paid a moment ago.
    if (customerId !== null) await makeRoom(deps, row, customerId);
    if (isOpened(row)) return row;
    const opened = await payments.openCheckout({
      checkoutId: row.id,
      uid: caller.uid,
      email: caller.email,
      priceId: body.priceId,
      successPath,
      cancelPath,
      embedded,
      customerId,
      keepCustomer: (made) => keepMade(deps, caller.uid, made),
      coupon,
    });
    const [kept] = await database.db
      .update(checkouts)
      .set({ sessionId: opened.sessionId })
      .where(eq(checkouts.id, row.id))
      .returning({ state: checkouts.state });
    // Whoever opened another meanwhile could not yet close this one.
    if (kept === undefined || !UNFINISHED.some((state) => state === kept.state)) {
      if (opened.sessionId !== null) await payments.closeCheckout(opened.sessionId);
      throw new Refusal(
        'checkout_outdated',
        'Another checkout was opened at the same time. Nothing was charged. Try again.',
      );
    }
    return { ...row, ...opened };
  } catch (error) {
    await giveUp(deps, row, error);
    throw error;
  }
}

/**
 * The provider would give the same answer to the same checkout again: the next press begins another.
 * One that a plan stood in the way of is not taken up again either.
 */
async function giveUp({ database }: CheckoutDeps, row: CheckoutRow, error: unknown): Promise<void> {
  const isAnswered =
    error instanceof Refusal &&
    (error.code === 'already_subscribed' || (error instanceof ProviderFailed && error.answered));
  if (!isAnswered) return;
  await database.db
    .update(checkouts)
    .set({ state: 'failed' })
    .where(and(eq(checkouts.id, row.id), isNull(checkouts.url), isNull(checkouts.clientSecret)));
}

/** Whether the provider's address for a checkout is kept. */
const isOpened = ({ url, clientSecret }: CheckoutRow): boolean =>
  url !== null || clientSecret !== null;

const alreadySubscribed = () =>
  new Refusal(
    'already_subscribed',
    'You already have a plan. Change or end it in the billing portal.',
  );

/**
 * Before a plan is sold the provider has the last word on those before it. One that lapsed unpaid is
 * ended, or both would be charged; one that was paid a moment ago is recorded although its webhook is
 * still to come, and nothing is sold.
 */
async function makeRoom(deps: CheckoutDeps, row: CheckoutRow, customerId: string): Promise<void> {
  const { clock, database, events, payments } = deps;
  const { id, priceId, sessionId, uid } = row;
  const observation = await observe(database.db, clock);
  const living = await payments.endOverdue(customerId);
  if (living === null) return;
  // Where another one was paid, this one must not be paid as well.
  if (sessionId !== null) await payments.closeCheckout(sessionId);
  await database.transaction(async (tx) => {
    await recordSubscription(tx, events, payments.provider, { ...living, uid }, observation);
    if (isOpened(row))
      await tx.db
        .update(checkouts)
        .set({ state: living.priceId === priceId ? 'complete' : 'expired' })
        .where(and(eq(checkouts.id, id), inArray(checkouts.state, [...UNFINISHED])));
  });
  throw alreadySubscribed();
}

/**
 * A customer bears the person's email address, so that it is kept as soon as there is one, whatever
 * becomes of the checkout: the deletion of the account must find it. One that nobody is to have any
 * more is forgotten at once.
 */
async function keepMade(
  { clock, database, payments }: CheckoutDeps,
  uid: string,
  customerId: string,
): Promise<void> {
  const isKept = await database.transaction((tx) =>
    keepCustomer(tx, uid, payments.provider, customerId, clock.now()),
  );
  if (isKept) return;
  await payments.forget({ subscriptionId: null, customerId });
  throw new Refusal(
    'checkout_outdated',
    'Your account or plan has changed meanwhile. Nothing was charged. Reload and try again.',
  );
}

/** Keeps what the provider opened, in the transaction of the receipt. */
export async function keepOpened(tx: Tx, opened: OpenedRow): Promise<void> {
  const { id, url, clientSecret, sessionId } = opened;
  await tx.db.update(checkouts).set({ url, clientSecret, sessionId }).where(eq(checkouts.id, id));
}

/** A person pays for one plan: whatever else they opened can be paid no more. */
async function closeOthers({ database, payments }: CheckoutDeps, row: CheckoutRow): Promise<void> {
  const others = await database.db
    .select()
    .from(checkouts)
    .where(
      and(
        eq(checkouts.uid, row.uid),
        ne(checkouts.id, row.id),
        inArray(checkouts.state, [...UNFINISHED]),
      ),
    );
  for (const other of others) {
    if (other.sessionId !== null) await payments.closeCheckout(other.sessionId);
    await database.db
      .update(checkouts)
      .set({ state: 'expired' })
      .where(and(eq(checkouts.id, other.id), inArray(checkouts.state, [...UNFINISHED])));
  }
}

function reserve(
  deps: CheckoutDeps,
  order: Pick<CheckoutRow, 'uid' | 'priceId' | 'successUrl' | 'cancelUrl' | 'coupon'> & {
    state: 'open' | 'open_embedded';
  },
): Promise<CheckoutRow> {
  const now = deps.clock.now();
  return deps.database.transaction(async (tx) => {
    await lockPerson(tx, order.uid);
    const [waiting] = await tx.db
      .select()
      .from(checkouts)
      .where(
        and(
          eq(checkouts.uid, order.uid),
          eq(checkouts.priceId, order.priceId),
          inArray(checkouts.state, order.state === 'open' ? ['open', 'confirming'] : [order.state]),
          eq(checkouts.successUrl, order.successUrl),
          eq(checkouts.cancelUrl, order.cancelUrl),
          order.coupon === null ? isNull(checkouts.coupon) : eq(checkouts.coupon, order.coupon),
          gt(checkouts.createdAt, now - CHECKOUT_REUSE_MS),
        ),
      )
      .orderBy(desc(checkouts.createdAt))
      .limit(1);
    if (waiting !== undefined) return waiting;
    const fresh = {
      id: randomUUID(),
      url: null,
      clientSecret: null,
      sessionId: null,
      createdAt: now,
      ...order,
    };
    await tx.db.insert(checkouts).values(fresh);
    return fresh;
  });
}
