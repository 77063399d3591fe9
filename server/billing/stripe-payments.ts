/** Stripe behind the payments port, through its official library; refuses unsigned, altered or old webhooks. */
import Stripe from 'stripe';
import { Refusal } from '../../contract/errors.ts';
import { ZERO } from '../../contract/money.ts';
import type { ChargePreview, Invoice } from '../../contract/plan-change.ts';
import type { Coupon, Plan } from '../../contract/subscription.ts';
import { PAID_TIERS, type PaidTier } from '../../contract/tiers.ts';
import type { WallClock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { ChargeOrder, CheckoutOrder, OpenedCheckout, Payments, ProviderSubscription, WebhookNotice } from './payments.ts';
import { freePlan } from './plans.ts';
import { chargeOnWire, firstBill } from './proration.ts';
import { ask, unlessGone } from './stripe-ask.ts';
import { chargeOf, couponOf, invoiceOf, noticeOf, planOf, subscriptionOf } from './stripe-read.ts';

export interface StripeSettings {
  secretKey: string;
  webhookSecret: string;
  /** Another address than Stripe's own; null in real use. */
  apiBase: string | null;
  prices: Record<PaidTier, string | null>;
  /** Where people come back to. */
  publicOrigin: string;
}

const SIGNATURE_TOLERANCE_S = 300;
const REQUEST_TIMEOUT_MS = 8_000;
const PLANS_FRESH_MS = 5 * 60_000;
const INVOICES_SHOWN = 24;

export class StripePayments implements Payments {
  readonly provider = 'stripe';
  private readonly stripe: Stripe;
  private cachedPlans: { plans: Plan[]; at: number } | null = null;

  constructor(private readonly settings: StripeSettings, private readonly clock: WallClock, private readonly log: Log) {
    const base = settings.apiBase === null ? null : new URL(settings.apiBase);
    this.stripe = new Stripe(settings.secretKey, {
      timeout: REQUEST_TIMEOUT_MS,
      maxNetworkRetries: 1,
      telemetry: false,
      ...(base === null ? {} : {
        host: base.hostname,
        protocol: base.protocol === 'http:' ? 'http' as const : 'https' as const,
        port: base.port === '' ? (base.protocol === 'http:' ? 80 : 443) : Number(base.port),
      }),
    });
  }

  /** Amounts come from Stripe, asked at most every five minutes; a tier without a price is not for sale. */
  async plans(): Promise<Plan[]> {
    const now = this.clock.now();
    if (this.cachedPlans !== null && now - this.cachedPlans.at < PLANS_FRESH_MS) return this.cachedPlans.plans;
    const paid = await Promise.all(PAID_TIERS.flatMap((tier) => {
      const priceId = this.settings.prices[tier];
      return priceId === null ? [] : [this.ask('price', () => this.stripe.prices.retrieve(priceId)).then((price) => planOf(tier, price))];
    }));
    const plans = [freePlan(paid[0]?.currency ?? 'USD'), ...paid];
    this.cachedPlans = { plans, at: now };
    return plans;
  }

  async openCheckout(order: CheckoutOrder): Promise<OpenedCheckout> {
    const { publicOrigin } = this.settings;
    const back = order.embedded
      ? { ui_mode: 'embedded_page' as const, return_url: `${publicOrigin}${order.successPath}` }
      : { ui_mode: 'hosted_page' as const, success_url: `${publicOrigin}${order.successPath}`, cancel_url: `${publicOrigin}${order.cancelPath}` };
    const customer = order.customerId !== null ? { customer: order.customerId } : order.email !== null ? { customer_email: order.email } : {};
    const session = await this.ask('checkout', () => this.stripe.checkout.sessions.create({
      mode: 'subscription',
      line_items: [{ price: order.priceId, quantity: 1 }],
      client_reference_id: order.uid,
      metadata: { uid: order.uid, checkoutId: order.checkoutId },
      subscription_data: { metadata: { uid: order.uid } },
      ...back,
      ...customer,
      ...(order.coupon === null ? {} : { discounts: [{ coupon: order.coupon }] }),
    }, { idempotencyKey: `checkout-${order.checkoutId}` }));
    return { url: session.url, clientSecret: session.client_secret };
  }

  async openPortal(order: { customerId: string | null; returnPath: string }): Promise<string> {
    const { customerId } = order;
    if (customerId === null) throw new Refusal('not_found', 'There is no billing account yet: it is made with the first plan.');
    const session = await this.ask('portal', () => this.stripe.billingPortal.sessions.create({
      customer: customerId, return_url: `${this.settings.publicOrigin}${order.returnPath}`,
    }));
    return session.url;
  }

  /** A first period is the price less the coupon; a change in the middle of one is for Stripe to compute. */
  async previewCharge({ plan, living, customerId, coupon }: ChargeOrder): Promise<ChargePreview | null> {
    if (living === null) return chargeOnWire(firstBill(plan, coupon === null ? null : await this.coupon(coupon), ZERO), plan, null);
    const { priceId } = plan;
    if (priceId === null || customerId === null) return null;
    const subscription = await this.ask('subscription', () => unlessGone(this.stripe.subscriptions.retrieve(living.subscriptionId)));
    const item = subscription?.items.data[0];
    if (item === undefined) return null;
    const preview = await this.ask('preview', () => this.stripe.invoices.createPreview({
      customer: customerId, subscription: living.subscriptionId,
      subscription_details: { items: [{ id: item.id, price: priceId }], proration_behavior: 'always_invoice' },
    }));
    return chargeOf(preview, plan, item.current_period_end * 1_000);
  }

  async invoices({ customerId }: { customerId: string | null }): Promise<{ invoices: Invoice[]; more: boolean }> {
    if (customerId === null) return { invoices: [], more: false };
    const list = await this.ask('invoices', () => unlessGone(this.stripe.invoices.list({ customer: customerId, limit: INVOICES_SHOWN })));
    return { invoices: list?.data.map(invoiceOf) ?? [], more: list?.has_more ?? false };
  }

  async coupon(id: string): Promise<Coupon | null> {
    const coupon = await this.ask('coupon', () => unlessGone(this.stripe.coupons.retrieve(id)));
    return coupon === null ? null : couponOf(coupon);
  }

  async cancelAtPeriodEnd(subscriptionId: string): Promise<ProviderSubscription> {
    const subscription = await this.ask('cancel', () => this.stripe.subscriptions.update(subscriptionId, { cancel_at_period_end: true }));
    return this.read(subscription);
  }

  async fetchSubscription(subscriptionId: string): Promise<ProviderSubscription | null> {
    const subscription = await this.ask('subscription', () => unlessGone(this.stripe.subscriptions.retrieve(subscriptionId)));
    return subscription === null ? null : this.read(subscription);
  }

  /** A trial up to a later day is how Stripe gives days away: no charge, no proration, and the next period begins after it. */
  async lengthen({ creditId, subscriptionId, paidUntil }: { creditId: string; subscriptionId: string; paidUntil: number }): Promise<ProviderSubscription> {
    const subscription = await this.ask('lengthen', () => this.stripe.subscriptions.update(
      subscriptionId, { trial_end: Math.floor(paidUntil / 1_000), proration_behavior: 'none' }, { idempotencyKey: `credit-${creditId}-${paidUntil}` },
    ));
    return this.read(subscription);
  }

  /** Deleting the customer ends their subscriptions at once; what Stripe must keep of invoices, it keeps. */
  async forget({ subscriptionId, customerId }: { subscriptionId: string | null; customerId: string | null }): Promise<void> {
    if (customerId !== null) await this.ask('forget', () => unlessGone(this.stripe.customers.del(customerId)));
    else if (subscriptionId !== null) await this.ask('forget', () => unlessGone(this.stripe.subscriptions.cancel(subscriptionId)));
  }

  readonly readWebhook = (raw: Buffer, signature: string): WebhookNotice => {
    try {
      const event = this.stripe.webhooks.constructEvent(
        raw, signature, this.settings.webhookSecret, SIGNATURE_TOLERANCE_S, undefined, this.clock.now(),
      );
      return noticeOf(event);
    } catch (error) {
      if (error instanceof Stripe.errors.StripeSignatureVerificationError || error instanceof SyntaxError) {
        throw new Refusal('invalid_signature', 'The webhook signature does not match');
      }
      throw error;
    }
  };

  private read(subscription: Stripe.Subscription): ProviderSubscription {
    const read = subscriptionOf(subscription, this.settings.prices);
    if (read.tier === 'free') this.log.error({ priceId: read.priceId }, 'a subscription has a price that STRIPE_PRICE_* does not map to a tier');
    return read;
  }

  private ask<T>(what: string, request: () => Promise<T>): Promise<T> {
    return ask(this.log, what, request);
  }
}
