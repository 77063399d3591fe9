/** The fake payment provider behind the payments port. It takes no real card and moves no money. */
import { randomUUID } from 'node:crypto';
import { and, desc, eq, gt } from 'drizzle-orm';
import { InvoiceStatus, type ChargePreview, type Invoice } from '../../../contract/plan-change.ts';
import { formatFixed, parseFixed } from '../../../contract/money.ts';
import type { Coupon, Plan } from '../../../contract/subscription.ts';
import type { Tx } from '../../db/database.ts';
import { checkouts, subscriptions, testInvoices } from '../../db/schema-plans.ts';
import type {
  ChargeOrder,
  CheckoutOrder,
  Lengthened,
  OpenedCheckout,
  Payments,
  PortalOrder,
  ProviderSubscription,
} from '../payments.ts';
import { builtInPlans } from '../plans.ts';
import { changeBill, chargeOnWire, firstBill } from '../proration.ts';
import type { SubscriptionRow } from '../subscription-record.ts';
import {
  balanceOf,
  bringUpToDate,
  cancelPlan,
  providerView,
  FAKE_PERIOD_MS,
  fakeInvoicesOf,
  writeSubscription,
  type FakeProviderDeps,
  type FakeInvoice,
} from './fake-invoices.ts';

/** How long a link to the fake portal works, ms. */
export const PORTAL_LINK_MS = 30 * 60_000;
/** A second press within this finds the link of the first, ms. */
const PORTAL_REUSE_MS = 10_000;
const INVOICES_SHOWN = 24;

/** Whatever the coupon is called, the fake provider takes a fifth off the first month. */
export const fakeCoupon = (id: string): Coupon => ({
  id,
  percentOff: 20,
  amountOff: null,
  duration: 'once',
  months: null,
});

/** The number that is printed on an invoice. */
export const invoiceNumber = ({ id }: Pick<FakeInvoice, 'id'>): string =>
  `TEST-${id.slice(0, 8).toUpperCase()}`;

/** This provider keeps its records in our own tables, written by its pages and by the clock. */
export class FakePayments implements Payments {
  readonly provider = 'test';
  readonly readWebhook = null;
  readonly recentNotices = null;
  readonly checkoutState = null;

  constructor(private readonly deps: FakeProviderDeps) {}

  plans(): Promise<Plan[]> {
    return Promise.resolve(builtInPlans());
  }

  openCheckout(order: CheckoutOrder): Promise<OpenedCheckout> {
    return Promise.resolve({
      url: `/test-checkout/${order.checkoutId}`,
      clientSecret: null,
      sessionId: null,
    });
  }

  closeCheckout(): Promise<void> {
    return Promise.resolve();
  }

  async previewCharge({ uid, plan, living, coupon }: ChargeOrder): Promise<ChargePreview> {
    const now = this.deps.clock.now();
    const balance = await balanceOf(this.deps.database.db, uid);
    if (living?.plan == null)
      return chargeOnWire(
        firstBill(plan, coupon === null ? null : fakeCoupon(coupon), balance),
        plan,
        null,
      );
    return chargeOnWire(
      changeBill(living.plan, plan, (living.paidUntil ?? now) - now, FAKE_PERIOD_MS, balance),
      plan,
      living.paidUntil,
    );
  }

  async invoices({ uid }: { uid: string }): Promise<{ invoices: Invoice[]; more: boolean }> {
    const rows = await fakeInvoicesOf(this.deps.database.db, uid, INVOICES_SHOWN + 1);
    return {
      more: rows.length > INVOICES_SHOWN,
      invoices: rows.slice(0, INVOICES_SHOWN).map((row) => ({
        id: row.id,
        number: invoiceNumber(row),
        createdAt: row.createdAt,
        amount: formatFixed(parseFixed(row.amount)),
        currency: row.currency,
        status: InvoiceStatus.parse(row.status),
        text: row.text,
        url: `/test-invoice/${row.id}`,
      })),
    };
  }

  coupon(id: string): Promise<Coupon> {
    return Promise.resolve(fakeCoupon(id));
  }

  /**
   * The link is a row like a checkout's, so that it survives a restart and ends after half an hour.
   */
  async openPortal({ uid, returnPath, plan }: PortalOrder): Promise<string> {
    const now = this.deps.clock.now();
    const order = {
      uid,
      priceId: plan?.id ?? '',
      state: 'portal',
      successUrl: returnPath,
      cancelUrl: returnPath,
    };
    const id = await this.deps.database.transaction(async (tx) => {
      await bringUpToDate(tx, this.deps, uid);
      const [open] = await tx.db
        .select({ id: checkouts.id })
        .from(checkouts)
        .where(
          and(
            eq(checkouts.uid, uid),
            eq(checkouts.state, 'portal'),
            eq(checkouts.priceId, order.priceId),
            eq(checkouts.successUrl, returnPath),
            gt(checkouts.createdAt, now - PORTAL_REUSE_MS),
          ),
        )
        .orderBy(desc(checkouts.createdAt))
        .limit(1);
      if (open !== undefined) return open.id;
      const fresh = randomUUID();
      await tx.db.insert(checkouts).values({ id: fresh, createdAt: now, ...order });
      return fresh;
    });
    return `/test-portal/${id}`;
  }

  cancelAtPeriodEnd(subscriptionId: string): Promise<ProviderSubscription> {
    return this.change(subscriptionId, (tx, row) => cancelPlan(tx, this.deps, row));
  }

  /** A person has one row here, which a new plan replaces. */
  endOverdue(): Promise<null> {
    return Promise.resolve(null);
  }

  /** Its answer comes at once: an end that is later was not asked for, but brought by a renewal. */
  async lengthen({
    subscriptionId,
    paidUntil,
  }: {
    subscriptionId: string;
    paidUntil: number;
  }): Promise<Lengthened> {
    const subscription = await this.change(subscriptionId, async (tx, row) => {
      const next = providerView(row, {
        currentPeriodEnd: Math.max(row.currentPeriodEnd ?? 0, paidUntil),
      });
      await writeSubscription(tx, this.deps, next);
      return next;
    });
    return { subscription, isGiven: subscription.currentPeriodEnd === paidUntil };
  }

  async forget({ subscriptionId }: { subscriptionId: string | null }): Promise<void> {
    if (subscriptionId === null) return;
    const mine = and(
      eq(subscriptions.provider, 'test'),
      eq(subscriptions.providerSubscriptionId, subscriptionId),
    );
    await this.deps.database.db
      .update(subscriptions)
      .set({ status: 'canceled', customerId: null })
      .where(mine);
    await this.deps.database.db
      .delete(testInvoices)
      .where(eq(testInvoices.subscriptionId, subscriptionId));
  }

  async fetchSubscription(subscriptionId: string): Promise<ProviderSubscription | null> {
    const row = await this.deps.database.transaction((tx) => this.upToDate(tx, subscriptionId));
    return row === null ? null : providerView(row);
  }

  private change(
    subscriptionId: string,
    write: (tx: Tx, row: SubscriptionRow) => Promise<ProviderSubscription>,
  ): Promise<ProviderSubscription> {
    return this.deps.database.transaction(async (tx) => {
      const row = await this.upToDate(tx, subscriptionId);
      if (row === null) throw new Error('No such test subscription');
      return write(tx, row);
    });
  }

  private async upToDate(tx: Tx, subscriptionId: string): Promise<SubscriptionRow | null> {
    const [row] = await tx.db
      .select()
      .from(subscriptions)
      .where(
        and(
          eq(subscriptions.provider, 'test'),
          eq(subscriptions.providerSubscriptionId, subscriptionId),
        ),
      );
    return row === undefined ? null : bringUpToDate(tx, this.deps, row.uid);
  }
}
