/** The built-in test checkout and portal behind the payments port; refuses real cards and never moves money. */
import { randomUUID } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import { ZERO } from '../../contract/money.ts';
import type { ChargePreview, Invoice } from '../../contract/plan-change.ts';
import type { Coupon, Plan } from '../../contract/subscription.ts';
import type { WallClock } from '../clock.ts';
import type { Database, Db } from '../db/database.ts';
import { checkouts, subscriptions } from '../db/schema.ts';
import type { ChargeOrder, CheckoutOrder, OpenedCheckout, Payments, ProviderSubscription } from './payments.ts';
import { builtInPlans } from './plans.ts';
import { changeBill, chargeOnWire, firstBill } from './proration.ts';

/** A month of the test checkout, ms. */
export const TEST_PERIOD_MS = 30 * 24 * 60 * 60_000;
/** How long a link to the test portal works, ms. */
export const PORTAL_LINK_MS = 30 * 60_000;

/** Whatever the coupon is called, the test checkout takes a fifth off the first month. */
export const testCoupon = (id: string): Coupon => ({ id, percentOff: 20, amountOff: null, duration: 'once', months: null });

export type CardAnswer = 'accepted' | 'declined' | 'needs_authentication' | 'not_a_test_card';

/** What the test checkout does with a card number; everything but the three known ones is refused unread. */
export function answerCard(number: string): CardAnswer {
  switch (number.replace(/[\s-]/g, '')) {
    case '4242424242424242': return 'accepted';
    case '4000000000000002': return 'declined';
    case '4000000000003220': return 'needs_authentication';
    default: return 'not_a_test_card';
  }
}

/** Here our own table is the provider's: what the test pages wrote is what there is. */
export class TestPayments implements Payments {
  readonly provider = 'test';
  readonly readWebhook = null;

  constructor(private readonly database: Database, private readonly clock: WallClock) {}

  plans(): Promise<Plan[]> {
    return Promise.resolve(builtInPlans());
  }

  openCheckout(order: CheckoutOrder): Promise<OpenedCheckout> {
    return Promise.resolve({ url: `/test-checkout/${order.checkoutId}`, clientSecret: null });
  }

  previewCharge({ plan, living, coupon }: ChargeOrder): Promise<ChargePreview> {
    const now = this.clock.now();
    if (living?.plan == null) return Promise.resolve(chargeOnWire(firstBill(plan, coupon === null ? null : testCoupon(coupon), ZERO), plan, null));
    const bill = changeBill(living.plan, plan, (living.paidUntil ?? now) - now, TEST_PERIOD_MS, ZERO);
    return Promise.resolve(chargeOnWire(bill, plan, living.paidUntil));
  }

  invoices(): Promise<{ invoices: Invoice[]; more: boolean }> {
    return Promise.resolve({ invoices: [], more: false });
  }

  coupon(id: string): Promise<Coupon> {
    return Promise.resolve(testCoupon(id));
  }

  /** The link is a row like a checkout's, so that it survives a restart and ends after half an hour. */
  async openPortal(order: { uid: string; returnPath: string }): Promise<string> {
    const id = randomUUID();
    await this.database.db.insert(checkouts).values({
      id, uid: order.uid, priceId: '', state: 'portal', successUrl: order.returnPath, cancelUrl: order.returnPath, createdAt: this.clock.now(),
    });
    return `/test-portal/${id}`;
  }

  async cancelAtPeriodEnd(subscriptionId: string): Promise<ProviderSubscription> {
    const subscription = await this.fetchSubscription(subscriptionId);
    if (subscription === null) throw new Error('No such test subscription');
    return { ...subscription, cancelAtPeriodEnd: true };
  }

  async lengthen({ subscriptionId, paidUntil }: { subscriptionId: string; paidUntil: number }): Promise<ProviderSubscription> {
    const subscription = await this.fetchSubscription(subscriptionId);
    if (subscription === null) throw new Error('No such test subscription');
    return { ...subscription, currentPeriodEnd: paidUntil };
  }

  async forget({ subscriptionId }: { subscriptionId: string | null }): Promise<void> {
    if (subscriptionId === null) return;
    await this.database.db.update(subscriptions).set({ status: 'canceled', customerId: null })
      .where(and(eq(subscriptions.provider, 'test'), eq(subscriptions.providerSubscriptionId, subscriptionId)));
  }

  fetchSubscription(subscriptionId: string): Promise<ProviderSubscription | null> {
    return readTestSubscription(this.database.db, subscriptionId);
  }
}

async function readTestSubscription(db: Db, subscriptionId: string): Promise<ProviderSubscription | null> {
  const [row] = await db.select().from(subscriptions)
    .where(and(eq(subscriptions.provider, 'test'), eq(subscriptions.providerSubscriptionId, subscriptionId)));
  if (row === undefined) return null;
  const plan = builtInPlans().find((candidate) => candidate.id === row.planId);
  return plan === undefined ? null : {
    ...testSubscription(row.uid, plan, row.currentPeriodEnd ?? 0), id: subscriptionId,
    status: row.status === 'active' ? 'active' : 'canceled', cancelAtPeriodEnd: row.cancelAtPeriodEnd,
  };
}

/** A plan as the test checkout sells it, paid up to `currentPeriodEnd` (ms). */
export function testSubscription(uid: string, plan: Plan, currentPeriodEnd: number): ProviderSubscription & { uid: string } {
  return {
    id: `sub_test_${randomUUID()}`, uid, customerId: `cus_test_${uid}`, status: 'active', tier: plan.tier, planId: plan.id,
    priceId: plan.priceId ?? '', currentPeriodEnd, cancelAtPeriodEnd: false,
  };
}
