/** Converts Stripe's objects to ours. */
import type Stripe from 'stripe';
import {
  divide,
  formatFixed,
  maximum,
  negate,
  parseFixed,
  UNIT,
  ZERO,
  type Fixed,
} from '../../contract/money.ts';
import { InvoiceStatus, type ChargePreview, type Invoice } from '../../contract/plan-change.ts';
import type { Coupon, Plan } from '../../contract/subscription.ts';
import { PAID_TIERS, tierRank, type PaidTier } from '../../contract/tiers.ts';
import type { ProviderSubscription, WebhookNotice } from './payments.ts';
import { paidPlan } from './plans.ts';
import { subscriptionCounts } from './subscription-state.ts';

/**
 * The price ids of each plan. The first is sold; those that follow were sold before, and entitle
 * who pays them to the same.
 */
export type PlanPrices = Readonly<Record<PaidTier, readonly string[]>>;

/** Stripe counts these in thousandths. */
const THOUSANDTHS_CURRENCIES = new Set(['bhd', 'jod', 'kwd', 'omr', 'tnd']);
/** Stripe counts these in whole units, all others in hundredths. */
const WHOLE_UNIT_CURRENCIES = new Set([
  'bif',
  'clp',
  'djf',
  'gnf',
  'jpy',
  'kmf',
  'krw',
  'mga',
  'pyg',
  'rwf',
  'ugx',
  'vnd',
  'vuv',
  'xaf',
  'xof',
  'xpf',
]);

const amountOf = (units: number, currency: string): Fixed => {
  const amount = parseFixed(String(units));
  const code = currency.toLowerCase();
  if (WHOLE_UNIT_CURRENCIES.has(code)) return amount;
  const parts = THOUSANDTHS_CURRENCIES.has(code) ? 1_000n : 100n;
  return divide(amount, (UNIT * parts) as Fixed, 'half-even');
};

export const idOf = (value: string | { id: string } | null | undefined): string | null =>
  typeof value === 'string' ? value : (value?.id ?? null);

/**
 * The plan as it is sold; null where the price is no fixed amount for one month or one year: we have
 * no words for another.
 */
export function planOf(tier: PaidTier, price: Stripe.Price): Plan | null {
  const { recurring, unit_amount: units, currency } = price;
  const interval = (['month', 'year'] as const).find((one) => one === recurring?.interval);
  if (units === null || interval === undefined || recurring?.interval_count !== 1) return null;
  return paidPlan(tier, {
    priceId: price.id,
    amount: formatFixed(amountOf(units, currency)),
    currency: currency.toUpperCase(),
    interval,
  });
}

function statusOf(status: Stripe.Subscription.Status): ProviderSubscription['status'] {
  const counted = (['active', 'trialing', 'past_due', 'incomplete'] as const).find(
    (known) => known === status,
  );
  // unpaid, paused, incomplete_expired, canceled, and whatever Stripe adds: nothing that was paid
  // for.
  return counted ?? 'canceled';
}

/** What questions about subscriptions ask for on top: `subscriptionOf` reads it. */
export const LATEST_INVOICE = 'latest_invoice';
/** Reasons of invoices by which a period is paid. All others bill something within one. */
const PAYS_A_PERIOD: ReadonlySet<string> = new Set(['subscription_cycle', 'subscription_create']);
/** A change that begins a period, from month to year say, is billed as the period begins. */
const BILLED_WITHIN_S = 60;

/**
 * Whether an overdue subscription owes the period that it is in, and not a change in the middle of
 * it: the month in which an upgrade was declined is paid. One that is over owed it where its invoice
 * was never paid.
 */
export function owesItsPeriod(subscription: Stripe.Subscription): boolean {
  const { items, latest_invoice: invoice } = subscription;
  const item = items.data[0];
  if (item === undefined || invoice === null || typeof invoice === 'string') return false;
  const status = statusOf(subscription.status);
  if (status !== 'past_due' && (status !== 'canceled' || invoice.status === 'paid')) return false;
  return (
    PAYS_A_PERIOD.has(invoice.billing_reason ?? '') ||
    invoice.created < item.current_period_start + BILLED_WITHIN_S
  );
}

/** An invoice that asks for nothing is paid as soon as it is made. */
function billOf(subscription: Stripe.Subscription): ProviderSubscription['bill'] {
  const { latest_invoice: invoice, status } = subscription;
  if (invoice === null || typeof invoice === 'string') return 'open';
  if (invoice.status === 'paid') return 'paid';
  return status === 'past_due' && !owesItsPeriod(subscription) ? 'change' : 'open';
}

/**
 * A subscription with the end of what is paid for. Stripe begins the next period before its payment
 * has come: while that is overdue, what is paid for ended where the period began. A date of
 * cancellation, which the portal may set instead of the flag, ends the plan as the flag does.
 */
export function subscriptionOf(
  subscription: Stripe.Subscription,
  prices: PlanPrices,
): ProviderSubscription {
  const item = subscription.items.data[0];
  const priceId = item?.price.id ?? '';
  const tier = PAID_TIERS.find((candidate) => prices[candidate].includes(priceId)) ?? 'free';
  const status = statusOf(subscription.status);
  const periodEnd =
    item === undefined
      ? null
      : (owesItsPeriod(subscription) ? item.current_period_start : item.current_period_end) * 1_000;
  const cancelAt =
    typeof subscription.cancel_at === 'number' ? subscription.cancel_at * 1_000 : null;
  const endsOnDate = cancelAt !== null && (periodEnd === null || cancelAt <= periodEnd);
  return {
    id: subscription.id,
    uid: subscription.metadata.uid ?? null,
    customerId: idOf(subscription.customer),
    status,
    tier,
    planId: tier,
    priceId,
    currentPeriodEnd: endsOnDate && !subscription.cancel_at_period_end ? cancelAt : periodEnd,
    cancelAtPeriodEnd: subscription.cancel_at_period_end || endsOnDate,
    bill: billOf(subscription),
  };
}

/**
 * Of several subscriptions of one customer the one that tells what they are entitled to: one that
 * counts before one that does not, the higher tier before the lower, what once was a plan before
 * what never was one.
 */
export function mostTelling(
  all: readonly [ProviderSubscription, ...ProviderSubscription[]],
  now: number,
): ProviderSubscription {
  const rank = (one: ProviderSubscription): number[] => {
    const counts = subscriptionCounts(one, now);
    return [
      counts ? 1 : 0,
      counts ? tierRank(one.tier) : 0,
      one.status === 'incomplete' ? 0 : 1,
      one.currentPeriodEnd ?? Infinity,
    ];
  };
  return all.reduce((best, one) => {
    const [a, b] = [rank(best), rank(one)];
    const at = a.findIndex((value, index) => value !== b[index]);
    if (at === -1) return one.id > best.id ? one : best;
    return (b[at] ?? 0) > (a[at] ?? 0) ? one : best;
  });
}

export function couponOf(coupon: Stripe.Coupon): Coupon | null {
  if (!coupon.valid) return null;
  return {
    id: coupon.id,
    percentOff: coupon.percent_off,
    amountOff:
      coupon.amount_off === null
        ? null
        : formatFixed(amountOf(coupon.amount_off, coupon.currency ?? '')),
    duration:
      (['repeating', 'forever'] as const).find((known) => known === coupon.duration) ?? 'once',
    months: coupon.duration_in_months,
  };
}

export function invoiceOf(invoice: Stripe.Invoice): Invoice {
  const status = InvoiceStatus.safeParse(invoice.status);
  return {
    id: invoice.id,
    number: invoice.number,
    createdAt: invoice.created * 1_000,
    amount: formatFixed(amountOf(invoice.total, invoice.currency)),
    currency: invoice.currency.toUpperCase(),
    status: status.success ? status.data : 'draft',
    text:
      invoice.description ??
      invoice.lines.data
        .map(({ description }) => description ?? '')
        .filter((text) => text !== '')
        .slice(0, 3)
        .join('; '),
    url: invoice.hosted_invoice_url ?? null,
  };
}

/** The invoice that Stripe would make of a change, as what is charged now and what is left over. */
export function chargeOf(
  invoice: Stripe.Invoice,
  plan: Plan,
  renewsAt: number | null,
): ChargePreview {
  const { currency } = invoice;
  return {
    dueNow: formatFixed(amountOf(invoice.amount_due, currency)),
    credit: formatFixed(maximum(negate(amountOf(invoice.total, currency)), ZERO)),
    renewal: { amount: plan.amount, interval: plan.interval, at: renewsAt },
    currency: currency.toUpperCase(),
    lines: invoice.lines.data.map((line) => ({
      text: line.description ?? '',
      amount: formatFixed(amountOf(line.amount, line.currency)),
    })),
  };
}

/** Types of events that can change what a person is entitled to. */
export const HEARD_EVENTS = [
  'checkout.session.completed',
  'checkout.session.expired',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'customer.subscription.paused',
  'customer.subscription.resumed',
  'invoice.paid',
  'invoice.payment_failed',
  'invoice.payment_action_required',
] as const;

export function noticeOf(event: Stripe.Event): WebhookNotice {
  const notice = { eventId: event.id, type: event.type, subscriptionId: null, checkout: null };
  if (event.type === 'checkout.session.completed' || event.type === 'checkout.session.expired') {
    const session = event.data.object;
    const id = session.metadata?.checkoutId;
    const state = event.type === 'checkout.session.completed' ? 'complete' : 'expired';
    return {
      ...notice,
      subscriptionId: idOf(session.subscription),
      checkout: id === undefined ? null : { id, state },
    };
  }
  if (
    event.type === 'customer.subscription.created' ||
    event.type === 'customer.subscription.updated' ||
    event.type === 'customer.subscription.deleted' ||
    event.type === 'customer.subscription.paused' ||
    event.type === 'customer.subscription.resumed'
  ) {
    return { ...notice, subscriptionId: event.data.object.id };
  }
  if (
    event.type === 'invoice.paid' ||
    event.type === 'invoice.payment_failed' ||
    event.type === 'invoice.payment_action_required'
  ) {
    return {
      ...notice,
      subscriptionId: idOf(event.data.object.parent?.subscription_details?.subscription),
    };
  }
  return notice;
}
