/** Ends unpaid plans of a customer at Stripe, with what is still owed for them. */
import type Stripe from 'stripe';
import { Refusal } from '../../contract/errors.ts';
import type { Log } from '../log.ts';
import { ask, unlessGone } from './stripe-ask.ts';
import { idOf } from './stripe-read.ts';

/**
 * Stripe goes on billing these, or would once they are paid. `incomplete` is not among them: its
 * first payment may be under way, and Stripe ends it after 23 hours.
 */
const COLLECTED: ReadonlySet<Stripe.Subscription.Status> = new Set([
  'past_due',
  'unpaid',
  'paused',
]);
/** A page of Stripe's; a customer owes one or two. */
const OPEN_INVOICES_READ = 100;

const NEXT = {
  choose: 'You can choose a plan once it is confirmed or declined. Do not pay again.',
  cancel: 'You can cancel once it is confirmed or declined.',
} as const;
const paymentPending = (wish: keyof typeof NEXT) =>
  new Refusal('already_subscribed', `Your last payment is still being processed. ${NEXT[wish]}`);

const subscriptionIdOf = (invoice: Stripe.Invoice): string | null =>
  idOf(invoice.parent?.subscription_details?.subscription);

/** A bank debit takes days, in which the invoice stays open. */
async function isBeingPaid(stripe: Stripe, log: Log, invoice: string): Promise<boolean> {
  const payments = await ask(log, 'invoice payments', () =>
    stripe.invoicePayments.list({
      invoice,
      status: 'open',
      limit: OPEN_INVOICES_READ,
      expand: ['data.payment.payment_intent'],
    }),
  );
  return payments.data.some(({ payment: { payment_intent: intent } }) =>
    typeof intent === 'object' ? intent.status === 'processing' : false,
  );
}

/**
 * `all`: subscriptions of the customer that nothing more is to be collected for. `wish`: what the
 * person wants, to choose another plan or to cancel this one. Each subscription is cancelled before its invoices
 * are voided, because Stripe makes an overdue plan active again whose invoice is void. Invoices of
 * plans that are over already are voided too: an earlier press may have got no further.
 *
 * @throws Refusal `already_subscribed` while a payment for one of them is under way.
 */
export async function endLapsed(
  stripe: Stripe,
  log: Log,
  customer: string,
  all: readonly Stripe.Subscription[],
  wish: keyof typeof NEXT,
): Promise<void> {
  if (all.length === 0) return;
  const listed = await ask(log, 'open invoices', () =>
    unlessGone(stripe.invoices.list({ customer, status: 'open', limit: OPEN_INVOICES_READ })),
  );
  const statuses = new Map(all.map(({ id, status }) => [id, status]));
  const open = (listed?.data ?? []).filter((invoice) =>
    statuses.has(subscriptionIdOf(invoice) ?? ''),
  );
  const paying = await Promise.all(open.map(({ id }) => isBeingPaid(stripe, log, id)));
  if (paying.includes(true)) throw paymentPending(wish);
  for (const { id, status } of all)
    if (COLLECTED.has(status))
      await ask(log, 'end', () => unlessGone(stripe.subscriptions.cancel(id)));
  for (const invoice of open) {
    const status = statuses.get(subscriptionIdOf(invoice) ?? '');
    if (status !== undefined && (COLLECTED.has(status) || status === 'canceled'))
      await ask(log, 'void', () => unlessGone(stripe.invoices.voidInvoice(invoice.id)));
  }
}
