/** Stripe behind the payments port, through its official library; refuses unsigned, altered or old webhooks. */
import Stripe from 'stripe';
import { Refusal } from '../../contract/errors.ts';
import { formatFixed, parseFixed, divide, UNIT, type Fixed } from '../../contract/money.ts';
import type { Plan } from '../../contract/subscription.ts';
import { PAID_TIERS, type PaidTier } from '../../contract/tiers.ts';
import type { WallClock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { CheckoutOrder, OpenedCheckout, Payments, ProviderSubscription, WebhookNotice } from './payments.ts';
import { freePlan, paidPlan } from './plans.ts';

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
/** Stripe counts these in whole units, all others in hundredths. */
const WHOLE_UNIT_CURRENCIES = new Set(['bif', 'clp', 'djf', 'gnf', 'jpy', 'kmf', 'krw', 'mga', 'pyg', 'rwf', 'ugx', 'vnd', 'vuv', 'xaf', 'xof', 'xpf']);

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
    const item = subscription.items.data[0];
    const priceId = item?.price.id ?? '';
    const tier = PAID_TIERS.find((candidate) => this.settings.prices[candidate] === priceId);
    if (tier === undefined) this.log.error({ priceId }, 'a subscription has a price that STRIPE_PRICE_* does not map to a tier');
    return {
      id: subscription.id,
      uid: subscription.metadata.uid ?? null,
      customerId: typeof subscription.customer === 'string' ? subscription.customer : subscription.customer.id,
      status: statusOf(subscription.status),
      tier: tier ?? 'free',
      planId: tier ?? 'free',
      priceId,
      currentPeriodEnd: item === undefined ? null : item.current_period_end * 1_000,
      cancelAtPeriodEnd: subscription.cancel_at_period_end,
    };
  }

  /** Every failure of Stripe's is one refusal for the caller; its text goes to the log alone. */
  private async ask<T>(what: string, request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeError)) throw error;
      this.log.error({ what, type: error.type, code: error.code, status: error.statusCode, requestId: error.requestId }, 'stripe refused or did not answer');
      throw new Refusal('subscription_unavailable', 'The payment provider did not answer. Nothing was charged. Try again in a moment.');
    }
  }
}

/** Null where Stripe has no such thing (any more). */
async function unlessGone<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError && error.statusCode === 404) return null;
    throw error;
  }
}

function planOf(tier: PaidTier, price: Stripe.Price): Plan {
  const units = parseFixed(String(price.unit_amount ?? 0));
  const amount = WHOLE_UNIT_CURRENCIES.has(price.currency) ? units : divide(units, (UNIT * 100n) as Fixed, 'half-even');
  return paidPlan(tier, {
    priceId: price.id, amount: formatFixed(amount), currency: price.currency.toUpperCase(),
    interval: price.recurring?.interval === 'year' ? 'year' : 'month',
  });
}

function statusOf(status: Stripe.Subscription.Status): ProviderSubscription['status'] {
  const counted = (['active', 'trialing', 'past_due', 'incomplete'] as const).find((known) => known === status);
  // unpaid, paused, incomplete_expired, canceled, and whatever Stripe adds: nothing that was paid for.
  return counted ?? 'canceled';
}

const idOf = (value: string | { id: string } | null | undefined): string | null =>
  (typeof value === 'string' ? value : value?.id ?? null);

function noticeOf(event: Stripe.Event): WebhookNotice {
  const notice = { eventId: event.id, type: event.type, subscriptionId: null, checkout: null };
  if (event.type === 'checkout.session.completed' || event.type === 'checkout.session.expired') {
    const session = event.data.object;
    const id = session.metadata?.checkoutId;
    const state = event.type === 'checkout.session.completed' ? 'complete' : 'expired';
    return { ...notice, subscriptionId: idOf(session.subscription), checkout: id === undefined ? null : { id, state } };
  }
  if (event.type === 'customer.subscription.created' || event.type === 'customer.subscription.updated'
    || event.type === 'customer.subscription.deleted' || event.type === 'customer.subscription.paused'
    || event.type === 'customer.subscription.resumed') {
    return { ...notice, subscriptionId: event.data.object.id };
  }
  if (event.type === 'invoice.paid' || event.type === 'invoice.payment_failed' || event.type === 'invoice.payment_action_required') {
    return { ...notice, subscriptionId: idOf(event.data.object.parent?.subscription_details?.subscription) };
  }
  return notice;
}
