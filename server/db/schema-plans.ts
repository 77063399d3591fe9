/**
 * The tables of plans and payments, including those of the fake payment provider. No card numbers
 * of real cards.
 */
import {
  bigint,
  boolean,
  index,
  integer,
  pgSequence,
  pgTable,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { money, ms } from './columns.ts';

export const subscriptions = pgTable(
  'subscriptions',
  {
    uid: text('uid').primaryKey(),
    provider: text('provider').notNull(),
    status: text('status').notNull(),
    tier: text('tier').notNull(),
    planId: text('plan_id'),
    priceId: text('price_id'),
    customerId: text('customer_id'),
    providerSubscriptionId: text('provider_subscription_id'),
    currentPeriodEnd: ms('current_period_end'),
    cancelAtPeriodEnd: boolean('cancel_at_period_end').notNull().default(false),
    /** The tier that was last paid for under this subscription; null where none was yet. */
    paidTier: text('paid_tier'),
    updatedAt: ms('updated_at').notNull(),
    /**
     * Number of the question to the provider that this row answers, from `observations`: news of an
     * earlier one are old.
     */
    observation: bigint('observation', { mode: 'number' }).notNull().default(0),
  },
  (t) => [
    index('subscriptions_customer').on(t.customerId),
    index('subscriptions_updated').on(t.updatedAt),
  ],
);

/**
 * Drawn before a provider is asked. A clock would do where there is one server and nobody sets it
 * back.
 */
export const observations = pgSequence('observations');

export const checkouts = pgTable(
  'checkouts',
  {
    id: text('id').primaryKey(),
    uid: text('uid').notNull(),
    priceId: text('price_id').notNull(),
    state: text('state').notNull(),
    successUrl: text('success_url').notNull(),
    cancelUrl: text('cancel_url').notNull(),
    url: text('url'),
    clientSecret: text('client_secret'),
    /** The provider's id for it, by which it can be ended. */
    sessionId: text('session_id'),
    /** The coupon that it carries. */
    coupon: text('coupon'),
    createdAt: ms('created_at').notNull(),
  },
  (t) => [index('checkouts_uid').on(t.uid)],
);

/**
 * The books of the built-in test checkout: what it billed, to which card, and what is left over for
 * later.
 */
export const testInvoices = pgTable(
  'test_invoices',
  {
    /** Unguessable: the id is the link to its page. */
    id: uuid('id').primaryKey(),
    uid: text('uid').notNull(),
    subscriptionId: text('subscription_id').notNull(),
    /** What it was made for, once: `start`, `renewal:<period>`, `change:<portal>:<plan>`. */
    cause: text('cause').notNull(),
    text: text('text').notNull(),
    amount: money('amount').notNull(),
    /** Added to what the person has left over; negative where it is used up. */
    credit: money('credit').notNull(),
    currency: text('currency').notNull(),
    /** As the wire has it: `open`, `paid`, `void`, `uncollectible`. */
    status: text('status').notNull(),
    /** Number of the test card. */
    card: text('card').notNull(),
    createdAt: ms('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('test_invoices_once').on(t.subscriptionId, t.cause),
    index('test_invoices_uid').on(t.uid, t.createdAt),
  ],
);

/** Webhook deliveries already taken, by the provider's event id. */
export const webhookEvents = pgTable('webhook_events', {
  id: text('id').primaryKey(),
  type: text('type').notNull(),
  receivedAt: ms('received_at').notNull(),
});

/** Days a person has earned. They wait for a plan or trial that can be lengthened. */
export const planCredits = pgTable(
  'plan_credits',
  {
    id: uuid('id').primaryKey(),
    uid: text('uid').notNull(),
    /** What it is for, told once: `invited:<referral>` or `inviter:<referral>`. */
    cause: text('cause').notNull(),
    days: integer('days').notNull(),
    createdAt: ms('created_at').notNull(),
    /** Settled before the provider is asked, so that asking again asks for the same. */
    subscriptionId: text('subscription_id'),
    paidUntil: ms('paid_until'),
    grantedAt: ms('granted_at'),
  },
  (t) => [uniqueIndex('plan_credits_cause').on(t.cause), index('plan_credits_uid').on(t.uid)],
);
