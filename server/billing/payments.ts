/** The payments port: what billing needs from a payment provider, whichever it is. */
import { Refusal, type ErrorCode } from '../../contract/errors.ts';
import type { ChargePreview, Invoice } from '../../contract/plan-change.ts';
import type { Coupon, Plan } from '../../contract/subscription.ts';
import type { Tier } from '../../contract/permission.ts';

export interface CheckoutOrder {
  /** Ours; the same id again must lead to the same checkout, so that a double click opens one. */
  checkoutId: string;
  uid: string;
  email: string | null;
  priceId: string;
  /** The provider's customer, where the person already is one. */
  customerId: string | null;
  /**
   * Called with a customer that was made for it, before anything else is asked of the provider. What
   * it throws ends the order.
   */
  keepCustomer: (customerId: string) => Promise<void>;
  /** Paths of the app (`/dashboard?subscription=success`), already checked. */
  successPath: string;
  cancelPath: string;
  /** Shown inside the app where the provider can. */
  embedded: boolean;
  coupon: string | null;
}

export interface OpenedCheckout {
  url: string | null;
  clientSecret: string | null;
  /** The provider's id for it; null where it has none. */
  sessionId: string | null;
}

/** The provider did not do what was asked. */
export class ProviderFailed extends Refusal {
  /** `answered`: it said so itself, and did nothing. Otherwise nobody knows what it did. */
  constructor(
    code: ErrorCode,
    message: string,
    readonly answered: boolean,
    more: Refusal['more'] = {},
  ) {
    super(code, message, more);
  }
}

/** A subscription as the provider has it at the moment of asking. Times in ms UTC. */
export interface ProviderSubscription {
  id: string;
  /** Null where the provider knows nobody of ours for it. */
  uid: string | null;
  customerId: string | null;
  status: 'active' | 'trialing' | 'past_due' | 'canceled' | 'incomplete';
  tier: Tier;
  planId: string;
  priceId: string;
  /** The end of what is paid for. */
  currentPeriodEnd: number | null;
  cancelAtPeriodEnd: boolean;
  /**
   * What became of its newest bill: `change` is overdue for a change within a period that is paid,
   * `open` any other that is not paid.
   */
  bill: 'paid' | 'change' | 'open';
}

export interface PortalOrder {
  uid: string;
  /** Of the person's command: the same again leads to the same page. */
  commandId: string;
  customerId: string | null;
  subscriptionId: string | null;
  returnPath: string;
  /**
   * The change that the page opens at; null for its front page. The free plan is the end of the
   * present one.
   */
  plan: Plan | null;
}

/** A plan to begin, or to change to where there is a living subscription. */
export interface ChargeOrder {
  uid: string;
  plan: Plan;
  customerId: string | null;
  /** `plan` null where its price is no longer sold. */
  living: { subscriptionId: string; plan: Plan | null; paidUntil: number | null } | null;
  coupon: string | null;
}

/** What a webhook is about; its contents are not believed, the subscription is fetched. */
export interface WebhookNotice {
  eventId: string;
  type: string;
  subscriptionId: string | null;
  checkout: { id: string; state: 'complete' | 'expired' } | null;
}

export interface Lengthened {
  /** As it is now. */
  subscription: ProviderSubscription;
  /**
   * False where the end was later for another reason, such as a renewal since it was read: nothing
   * was added, and what is to be asked for has to be counted from there.
   */
  isGiven: boolean;
}

export interface Payments {
  readonly provider: 'stripe' | 'test';
  /** All plans, cheapest first, the free one included. */
  plans(): Promise<Plan[]>;
  openCheckout(order: CheckoutOrder): Promise<OpenedCheckout>;
  /** What became of a checkout; null where the provider has no word beyond our own record. */
  readonly checkoutState: ((sessionId: string) => Promise<'open' | 'complete' | 'expired'>) | null;
  /** Ends a checkout that was not paid; fine where it is over. */
  closeCheckout(sessionId: string): Promise<void>;
  /** The address of a page where the person changes or ends their plan. */
  openPortal(order: PortalOrder): Promise<string>;
  /**
   * What a first period or a change costs, as the provider computes it; null where it cannot say.
   * Charges nothing.
   */
  previewCharge(order: ChargeOrder): Promise<ChargePreview | null>;
  /** The newest invoices of a person, and whether there are older ones. */
  invoices(person: {
    uid: string;
    customerId: string | null;
  }): Promise<{ invoices: Invoice[]; more: boolean }>;
  /** A coupon as it is now; null where it is none, or no longer valid. */
  coupon(id: string): Promise<Coupon | null>;
  /**
   * Ends the subscription when what is paid for has run out; at once, with the unpaid invoice, where
   * that is so already.
   *
   * @throws Refusal `already_subscribed` while a payment for that invoice is under way.
   */
  cancelAtPeriodEnd(subscriptionId: string): Promise<ProviderSubscription>;
  /**
   * Makes room for a new plan. Ends what the provider still collects for although it no longer
   * counts here, such as a renewal that was never paid, and takes back its open invoices: a person
   * pays for one plan. The subscription that counts is left alone and returned; null where there is
   * none.
   *
   * @throws Refusal `already_subscribed` while a payment for one of them is under way.
   */
  endOverdue(customerId: string): Promise<ProviderSubscription | null>;
  /**
   * What is so now of the customer behind this subscription: the one that counts, should there be
   * several. Null where the provider has no such subscription.
   */
  fetchSubscription(subscriptionId: string): Promise<ProviderSubscription | null>;
  /**
   * What happened since (ms), oldest first, whether it was delivered or not; null where nothing is
   * delivered.
   */
  readonly recentNotices: ((since: number) => Promise<WebhookNotice[]>) | null;
  /**
   * Moves the end of what is paid for to `paidUntil` (ms), without a charge. The same credit again
   * asks for the same; a later end that is there already stays.
   */
  lengthen(order: {
    creditId: string;
    subscriptionId: string;
    paidUntil: number;
  }): Promise<Lengthened>;
  /**
   * Ends the subscription at once and forgets the customer, as far as the provider's own books may;
   * fine where both are gone.
   */
  forget(person: { subscriptionId: string | null; customerId: string | null }): Promise<void>;
  /**
   * Checks and reads a webhook's raw body; null where the provider sends none.
   * @throws Refusal `invalid_signature` when it is not the provider's, was altered, or is older
   *   than five minutes.
   */
  readonly readWebhook: ((raw: Buffer, signature: string) => WebhookNotice) | null;
}
