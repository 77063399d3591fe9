/** Stripe behind the payments port, through its official library. */
import { createHash } from 'node:crypto';
import Stripe from 'stripe';
import { Refusal } from '../../contract/errors.ts';
import { ZERO } from '../../contract/money.ts';
import type { ChargePreview, Invoice } from '../../contract/plan-change.ts';
import type { Coupon, Plan } from '../../contract/subscription.ts';
import { PAID_TIERS, type PaidTier } from '../../contract/tiers.ts';
import type { WallClock } from '../clock.ts';
import type { Log } from '../log.ts';
import {
  ProviderFailed,
  type ChargeOrder,
  type CheckoutOrder,
  type Lengthened,
  type OpenedCheckout,
  type Payments,
  type PortalOrder,
  type ProviderSubscription,
  type WebhookNotice,
} from './payments.ts';
import { freePlan } from './plans.ts';
import { chargeOnWire, firstBill } from './proration.ts';
import { subscriptionCounts } from './subscription-state.ts';
import { ask, isGone, paramOf, unlessGone } from './stripe-ask.ts';
import { endLapsed } from './stripe-lapsed.ts';
import {
  chargeOf,
  couponOf,
  HEARD_EVENTS,
  idOf,
  invoiceOf,
  LATEST_INVOICE,
  mostTelling,
  noticeOf,
  owesItsPeriod,
  planOf,
  subscriptionOf,
  type PlanPrices,
} from './stripe-read.ts';

export interface StripeSettings {
  secretKey: string;
  webhookSecret: string;
  /** Another address than Stripe's own; null in real use. */
  apiBase: string | null;
  prices: PlanPrices;
  /** Where people come back to. */
  publicOrigin: string;
  /** How long one question to Stripe may take, ms. */
  timeoutMs?: number;
}

const SIGNATURE_TOLERANCE_S = 300;
/** Two questions in a row are answered before the page gives up after ten seconds. */
const REQUEST_TIMEOUT_MS = 4_500;
const PLANS_FRESH_MS = 5 * 60_000;
const INVOICES_SHOWN = 24;
/** The newest of a customer; one that counts is among them. */
const SUBSCRIPTIONS_READ = 100;
const EVENTS_READ = 10_000;

/** The customer we knew is no longer there. */
class CustomerGone extends Error {}

export class StripePayments implements Payments {
  readonly provider = 'stripe';
  private readonly stripe: Stripe;
  private readonly failedCustomers = new Map<string, number>();
  private askedPlans: Promise<Plan[]> | null = null;
  private cachedPlans: { plans: Plan[]; at: number } | null = null;
  private cachedCoupon: { id: string; coupon: Promise<Coupon | null>; at: number } | null = null;

  constructor(
    private readonly settings: StripeSettings,
    private readonly clock: WallClock,
    private readonly log: Log,
  ) {
    const base = settings.apiBase === null ? null : new URL(settings.apiBase);
    this.stripe = new Stripe(settings.secretKey, {
      timeout: settings.timeoutMs ?? REQUEST_TIMEOUT_MS,
      // A person presses again, and reconciliation comes round: nothing is tried again behind their
      // back.
      maxNetworkRetries: 0,
      telemetry: false,
      ...(base === null
        ? {}
        : {
            host: base.hostname,
            protocol: base.protocol === 'http:' ? ('http' as const) : ('https' as const),
            port: base.port === '' ? (base.protocol === 'http:' ? 80 : 443) : Number(base.port),
          }),
    });
  }

  /**
   * Amounts come from Stripe, asked at most every five minutes, once for everybody who waits; a
   * tier without a price is not for sale.
   */
  async plans(): Promise<Plan[]> {
    const now = this.clock.now();
    if (this.cachedPlans !== null && now - this.cachedPlans.at < PLANS_FRESH_MS)
      return this.cachedPlans.plans;
    this.askedPlans ??= this.readPlans(now).finally(() => {
      this.askedPlans = null;
    });
    return this.askedPlans;
  }

  private async readPlans(now: number): Promise<Plan[]> {
    const asked = await Promise.all(PAID_TIERS.map((tier) => this.planOnSale(tier)));
    const paid = asked.filter((plan) => plan !== null);
    const plans = [freePlan(paid[0]?.currency ?? 'USD'), ...paid];
    this.cachedPlans = { plans, at: now };
    return plans;
  }

  /** A price that was taken back at Stripe is not for sale; the other plans are. */
  private async planOnSale(tier: PaidTier): Promise<Plan | null> {
    const [priceId] = this.settings.prices[tier];
    if (priceId === undefined) return null;
    const price = await this.ask('price', () => unlessGone(this.stripe.prices.retrieve(priceId)));
    const plan = price?.active === true ? planOf(tier, price) : null;
    if (plan === null)
      this.log.error(
        { tier, priceId },
        price?.active === true
          ? 'a plan is not for sale: its price at Stripe is no fixed amount for one month or one year'
          : 'a plan is not for sale: Stripe has no active price of this id',
      );
    return plan;
  }

  /** One customer for all checkouts of a person, one session for all presses of one checkout. */
  async openCheckout(order: CheckoutOrder): Promise<OpenedCheckout> {
    const customerId = order.customerId ?? (await this.makeCustomer(order));
    try {
      return await this.openSession(order, customerId);
    } catch (error) {
      // Removed at Stripe meanwhile: a new one takes its place.
      if (!(error instanceof CustomerGone)) throw error;
      return this.openSession(order, await this.makeCustomer(order, customerId));
    }
  }

  /**
   * All presses of one person make one customer: `instead` of one that is gone, under another key
   * after a failure, which Stripe keeps under its key.
   */
  private async makeCustomer(order: CheckoutOrder, instead = ''): Promise<string> {
    const customerId = await this.askForCustomer(order, instead);
    await order.keepCustomer(customerId);
    return customerId;
  }

  private async askForCustomer({ uid, email }: CheckoutOrder, instead: string): Promise<string> {
    const failures = this.failedCustomers.get(uid) ?? 0;
    const key = createHash('sha256')
      .update(JSON.stringify([uid, email, instead, failures]))
      .digest('hex');
    try {
      const customer = await this.ask('customer', () =>
        this.stripe.customers.create(
          { metadata: { uid }, ...(email === null ? {} : { email }) },
          { idempotencyKey: `customer-${key}` },
        ),
      );
      this.failedCustomers.delete(uid);
      return customer.id;
    } catch (error) {
      if (error instanceof ProviderFailed && error.answered)
        this.failedCustomers.set(uid, failures + 1);
      throw error;
    }
  }

  private async openSession(order: CheckoutOrder, customer: string): Promise<OpenedCheckout> {
    const { publicOrigin } = this.settings;
    const back = order.embedded
      ? { ui_mode: 'embedded_page' as const, return_url: `${publicOrigin}${order.successPath}` }
      : {
          ui_mode: 'hosted_page' as const,
          success_url: `${publicOrigin}${order.successPath}`,
          cancel_url: `${publicOrigin}${order.cancelPath}`,
        };
    const session = await this.ask('checkout', async () => {
      try {
        return await this.stripe.checkout.sessions.create(
          {
            mode: 'subscription',
            customer,
            line_items: [{ price: order.priceId, quantity: 1 }],
            client_reference_id: order.uid,
            metadata: { uid: order.uid, checkoutId: order.checkoutId },
            subscription_data: { metadata: { uid: order.uid } },
            ...back,
            ...(order.coupon === null ? {} : { discounts: [{ coupon: order.coupon }] }),
          },
          { idempotencyKey: `checkout-${order.checkoutId}-${customer}` },
        );
      } catch (error) {
        if (isGone(error) && paramOf(error) === 'customer') throw new CustomerGone();
        throw error;
      }
    });
    return {
      url: session.url,
      clientSecret: session.client_secret,
      sessionId: session.id,
    };
  }

  readonly checkoutState = async (sessionId: string) => {
    const session = await this.ask('checkout', () =>
      unlessGone(this.stripe.checkout.sessions.retrieve(sessionId)),
    );
    if (session === null) return 'expired' as const;
    // A status that Stripe adds is no word that nothing was paid.
    return (['open', 'expired'] as const).find((one) => one === session.status) ?? 'complete';
  };

  async closeCheckout(sessionId: string): Promise<void> {
    // One that is paid or over cannot be closed, which is what was wanted.
    await this.ask('close', async () => {
      const session = await unlessGone(this.stripe.checkout.sessions.retrieve(sessionId));
      if (session?.status === 'open') await this.stripe.checkout.sessions.expire(sessionId);
    });
  }

  async openPortal({
    commandId,
    customerId,
    plan,
    returnPath,
    subscriptionId,
    uid,
  }: PortalOrder): Promise<string> {
    if (customerId === null)
      throw new Refusal(
        'not_found',
        'You have no billing account yet. It is created with your first plan.',
      );
    const back = `${this.settings.publicOrigin}${returnPath}`;
    const flow =
      plan === null || subscriptionId === null ? {} : await this.flowOf(subscriptionId, plan, back);
    const session = await this.ask('portal', () =>
      this.stripe.billingPortal.sessions.create(
        { customer: customerId, return_url: back, ...flow },
        { idempotencyKey: `portal-${uid}-${commandId}` },
      ),
    );
    return session.url;
  }

  /** None to a plan that Stripe has already: its bill is open, and paid on the front page. */
  private async flowOf(
    subscription: string,
    plan: Plan,
    back: string,
  ): Promise<Pick<Stripe.BillingPortal.SessionCreateParams, 'flow_data'>> {
    const after_completion = { type: 'redirect' as const, redirect: { return_url: back } };
    if (plan.priceId === null)
      return {
        flow_data: {
          type: 'subscription_cancel',
          subscription_cancel: { subscription },
          after_completion,
        },
      };
    const item = (
      await this.ask('subscription', () => this.stripe.subscriptions.retrieve(subscription))
    ).items.data[0];
    if (item?.price.id === plan.priceId) return {};
    const items = item === undefined ? [] : [{ id: item.id, price: plan.priceId, quantity: 1 }];
    return {
      flow_data: {
        type: 'subscription_update_confirm',
        subscription_update_confirm: { subscription, items },
        after_completion,
      },
    };
  }

  /**
   * A first period is the price less the coupon; a change in the middle of one is for Stripe to
   * compute.
   */
  async previewCharge({
    plan,
    living,
    customerId,
    coupon,
  }: ChargeOrder): Promise<ChargePreview | null> {
    if (living === null)
      return chargeOnWire(
        firstBill(plan, coupon === null ? null : await this.coupon(coupon), ZERO),
        plan,
        null,
      );
    const { priceId } = plan;
    if (priceId === null || customerId === null) return null;
    const subscription = await this.ask('subscription', () =>
      unlessGone(this.stripe.subscriptions.retrieve(living.subscriptionId)),
    );
    const item = subscription?.items.data[0];
    if (item === undefined || item.price.id === priceId) return null;
    const preview = await this.ask('preview', () =>
      this.stripe.invoices.createPreview({
        customer: customerId,
        subscription: living.subscriptionId,
        subscription_details: {
          items: [{ id: item.id, price: priceId }],
          proration_behavior: 'always_invoice',
        },
      }),
    );
    // A change from month to year begins a year of its own.
    const isSameLength = item.price.recurring?.interval === plan.interval;
    return chargeOf(preview, plan, isSameLength ? item.current_period_end * 1_000 : null);
  }

  async invoices({
    customerId,
  }: {
    customerId: string | null;
  }): Promise<{ invoices: Invoice[]; more: boolean }> {
    if (customerId === null) return { invoices: [], more: false };
    const list = await this.ask('invoices', () =>
      unlessGone(this.stripe.invoices.list({ customer: customerId, limit: INVOICES_SHOWN })),
    );
    return { invoices: list?.data.map(invoiceOf) ?? [], more: list?.has_more ?? false };
  }

  /** There is one, which is shown with the plans and kept as long. */
  coupon(id: string): Promise<Coupon | null> {
    const now = this.clock.now();
    const known = this.cachedCoupon;
    if (known?.id === id && now - known.at < PLANS_FRESH_MS) return known.coupon;
    const next = { id, coupon: this.readCoupon(id), at: now };
    this.cachedCoupon = next;
    next.coupon.catch(() => {
      if (this.cachedCoupon === next) this.cachedCoupon = null;
    });
    return next.coupon;
  }

  private async readCoupon(id: string): Promise<Coupon | null> {
    const coupon = await this.ask('coupon', () => unlessGone(this.stripe.coupons.retrieve(id)));
    return coupon === null ? null : couponOf(coupon);
  }

  /**
   * Stripe goes on collecting a period that was never paid, also where the plan shall end with it:
   * such a plan is ended at once instead. An earlier press may have got no further than its end.
   */
  async cancelAtPeriodEnd(subscriptionId: string): Promise<ProviderSubscription> {
    const present = await this.ask('cancel', () =>
      this.stripe.subscriptions.retrieve(subscriptionId, { expand: [LATEST_INVOICE] }),
    );
    const customer = idOf(present.customer);
    if (customer !== null && (present.status === 'canceled' || owesItsPeriod(present))) {
      await endLapsed(this.stripe, this.log, customer, [present], 'cancel');
      return { ...this.read(present), status: 'canceled' };
    }
    const subscription = await this.ask('cancel', () =>
      this.stripe.subscriptions.update(subscriptionId, {
        cancel_at_period_end: true,
        expand: [LATEST_INVOICE],
      }),
    );
    return this.read(subscription);
  }

  /**
   * Asked by customer, so that a person who ended one plan and took another is seen with the one
   * that counts.
   */
  async fetchSubscription(subscriptionId: string): Promise<ProviderSubscription | null> {
    const asked = await this.ask('subscription', () =>
      unlessGone(this.stripe.subscriptions.retrieve(subscriptionId, { expand: [LATEST_INVOICE] })),
    );
    if (asked === null) return null;
    const customer = idOf(asked.customer);
    const all = customer === null ? [] : await this.subscriptionsOf(customer);
    const read = all.map((subscription) => subscriptionOf(subscription, this.settings.prices));
    const best = mostTelling(
      [subscriptionOf(asked, this.settings.prices), ...read],
      this.clock.now(),
    );
    this.complainOf(read, best);
    return best;
  }

  async endOverdue(customerId: string): Promise<ProviderSubscription | null> {
    const all = await this.subscriptionsOf(customerId);
    const now = this.clock.now();
    const [first, ...more] = all
      .map((subscription) => subscriptionOf(subscription, this.settings.prices))
      .filter((subscription) => subscriptionCounts(subscription, now));
    if (first !== undefined) {
      const best = mostTelling([first, ...more], now);
      this.complainOf([first, ...more], best);
      return best;
    }
    await endLapsed(this.stripe, this.log, customerId, all, 'choose');
    return null;
  }

  /** The newest of a customer, ended ones included; none where the customer is gone. */
  private async subscriptionsOf(customer: string): Promise<Stripe.Subscription[]> {
    const list = await this.ask('subscriptions', () =>
      unlessGone(
        this.stripe.subscriptions.list({
          customer,
          status: 'all',
          limit: SUBSCRIPTIONS_READ,
          expand: [`data.${LATEST_INVOICE}`],
        }),
      ),
    );
    return list?.data ?? [];
  }

  readonly recentNotices = async (since: number): Promise<WebhookNotice[]> => {
    const notices: WebhookNotice[] = [];
    await this.ask('events', async () => {
      const events = this.stripe.events.list({
        types: [...HEARD_EVENTS],
        created: { gte: Math.floor(since / 1_000) },
        limit: 100,
      });
      for await (const event of events) {
        notices.push(noticeOf(event));
        if (notices.length >= EVENTS_READ) break;
      }
    });
    // Listed newest first; taken in the order in which they happened.
    return notices.reverse();
  };

  /**
   * A trial up to a later day is how Stripe gives days away: no charge, no proration, and the next
   * period begins after it. Stripe sets what it is told, so it is asked first: an end that is there
   * already, or a later one, stays. The last trial's end stays known when a period follows it, which
   * tells one that was asked for from one that a renewal brought.
   */
  async lengthen({
    creditId,
    subscriptionId,
    paidUntil,
  }: {
    creditId: string;
    subscriptionId: string;
    paidUntil: number;
  }): Promise<Lengthened> {
    const trialEndS = Math.floor(paidUntil / 1_000);
    const found = await this.ask('lengthen', () =>
      this.stripe.subscriptions.retrieve(subscriptionId, { expand: [LATEST_INVOICE] }),
    );
    const present = this.read(found);
    if ((present.currentPeriodEnd ?? 0) >= trialEndS * 1_000)
      return { subscription: present, isGiven: (found.trial_end ?? 0) >= trialEndS };
    const subscription = await this.ask('lengthen', () =>
      this.stripe.subscriptions.update(
        subscriptionId,
        { trial_end: trialEndS, proration_behavior: 'none' },
        { idempotencyKey: `credit-${creditId}-${paidUntil}` },
      ),
    );
    return { subscription: this.read(subscription), isGiven: true };
  }

  /**
   * Deleting the customer ends their subscriptions at once; what Stripe must keep of invoices, it
   * keeps.
   */
  async forget({
    subscriptionId,
    customerId,
  }: {
    subscriptionId: string | null;
    customerId: string | null;
  }): Promise<void> {
    if (customerId !== null)
      await this.ask('forget', () => unlessGone(this.stripe.customers.del(customerId)));
    else if (subscriptionId !== null)
      await this.ask('forget', () => unlessGone(this.stripe.subscriptions.cancel(subscriptionId)));
  }

  readonly readWebhook = (raw: Buffer, signature: string): WebhookNotice => {
    try {
      const event = this.stripe.webhooks.constructEvent(
        raw,
        signature,
        this.settings.webhookSecret,
        SIGNATURE_TOLERANCE_S,
        undefined,
        this.clock.now(),
      );
      return noticeOf(event);
    } catch (error) {
      if (
        error instanceof Stripe.errors.StripeSignatureVerificationError ||
        error instanceof SyntaxError
      ) {
        throw new Refusal('invalid_signature', 'The webhook signature does not match');
      }
      throw error;
    }
  };

  private read(subscription: Stripe.Subscription): ProviderSubscription {
    const read = subscriptionOf(subscription, this.settings.prices);
    this.complainOf([read], read);
    return read;
  }

  private complainOf(all: readonly ProviderSubscription[], best: ProviderSubscription): void {
    const now = this.clock.now();
    if (best.tier === 'free')
      this.log.error(
        { priceId: best.priceId },
        'a subscription has a price that STRIPE_PRICE_* does not map to a tier',
      );
    const living = all.filter((subscription) => subscriptionCounts(subscription, now));
    if (living.length > 1)
      this.log.error(
        { customer: best.customerId, subscriptions: living.map(({ id }) => id) },
        'a customer pays for more than one plan',
      );
  }

  private ask<T>(what: string, request: () => Promise<T>): Promise<T> {
    return ask(this.log, what, request);
  }
}
