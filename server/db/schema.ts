/** The tables of the product, the same for PGlite and PostgreSQL. */
import {
  bigint,
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';
import { money, ms } from './columns.ts';

export const users = pgTable('users', {
  uid: text('uid').primaryKey(),
  email: text('email'),
  /** Whether they have shown that the address is theirs; null until a token has said so or not. */
  emailVerified: boolean('email_verified'),
  createdAt: ms('created_at').notNull(),
  /** Last event number given out; grows in the transaction that writes the event. */
  sequence: ms('sequence').notNull().default(0),
  settings: jsonb('settings').notNull(),
  settingsVersion: integer('settings_version').notNull().default(1),
  trialStartedAt: ms('trial_started_at'),
  trialEndsAt: ms('trial_ends_at'),
});

/** The user's own percentages for a profile; where there is no row the engine's table holds. */
export const riskProfiles = pgTable(
  'risk_profiles',
  {
    uid: text('uid').notNull(),
    profile: text('profile').notNull(),
    maxPositionPercentage: money('max_position_percentage').notNull(),
    confidenceThreshold: money('confidence_threshold').notNull(),
    stopLossPercentage: money('stop_loss_percentage').notNull(),
  },
  (t) => [primaryKey({ columns: [t.uid, t.profile] })],
);

/**
 * One book of a (user, source); a reset closes it and opens the next. A live account's source is
 * `live:CONNECTION`, so that no question about a market source's paper account ever meets it.
 */
export const accounts = pgTable(
  'accounts',
  {
    id: uuid('id').primaryKey(),
    uid: text('uid').notNull(),
    source: text('source').notNull(),
    quote: text('quote').notNull(),
    book: integer('book').notNull(),
    /** The exchange account it keeps the books of; null for paper. For good. */
    connectionId: uuid('connection_id'),
    openedAt: ms('opened_at').notNull(),
    openedMarketMs: ms('opened_market_ms').notNull(),
    closedAt: ms('closed_at'),
  },
  (t) => [
    uniqueIndex('accounts_book').on(t.uid, t.source, t.book),
    uniqueIndex('accounts_open')
      .on(t.uid, t.source)
      .where(sql`closed_at is null`),
    uniqueIndex('accounts_live')
      .on(t.connectionId)
      .where(sql`closed_at is null`),
  ],
);

/**
 * Append-only double entry. Entries of one transaction sum to zero per asset, and so does the
 * table. Buckets: `cash`, `external` (deposits), `fees`, `venue` (the counterparty),
 * `holding:<agentId>:<BASE/QUOTE>`.
 */
export const ledger = pgTable(
  'ledger',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    transactionId: uuid('transaction_id').notNull(),
    accountId: uuid('account_id').notNull(),
    bucket: text('bucket').notNull(),
    asset: text('asset').notNull(),
    amount: money('amount').notNull(),
    cause: text('cause').notNull(),
    fillId: uuid('fill_id'),
    atMarketMs: ms('at_market_ms').notNull(),
  },
  (t) => [index('ledger_account').on(t.accountId, t.bucket, t.asset)],
);

/**
 * What the ledger adds up to per bucket, kept in the same transaction, so that a balance is one
 * row.
 */
export const balances = pgTable(
  'balances',
  {
    accountId: uuid('account_id').notNull(),
    bucket: text('bucket').notNull(),
    asset: text('asset').notNull(),
    amount: money('amount').notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.bucket, t.asset] })],
);

/**
 * Accounts that were not what their ledger and fills make of them; gone once a check finds them
 * right.
 */
export const accountAlarms = pgTable('account_alarms', {
  accountId: uuid('account_id').primaryKey(),
  foundAt: ms('found_at').notNull(),
  checkedAt: ms('checked_at').notNull(),
  /** How many differences there are, and the first of them in words. */
  count: integer('count').notNull(),
  differences: jsonb('differences').notNull(),
});

export const agents = pgTable(
  'agents',
  {
    id: uuid('id').primaryKey(),
    uid: text('uid').notNull(),
    /** Market source: an agent belongs to the (user, source) whose account it trades. */
    source: text('source').notNull(),
    /** The exchange account it trades; null for paper. For good. */
    connectionId: uuid('connection_id'),
    /** The live agent that this one runs beside on paper, until it is let go. */
    shadowOf: uuid('shadow_of'),
    quote: text('quote').notNull(),
    name: text('name').notNull(),
    tradingPairs: text('trading_pairs').array().notNull(),
    pool: text('pool').notNull(),
    riskProfile: text('risk_profile').notNull(),
    maxPositionSize: money('max_position_size').notNull(),
    executionInterval: text('execution_interval').notNull(),
    tradingFrequency: text('trading_frequency').notNull(),
    enabled: boolean('enabled').notNull(),
    status: text('status').notNull(),
    hold: jsonb('hold'),
    generation: integer('generation').notNull().default(1),
    version: integer('version').notNull().default(1),
    createdAt: ms('created_at').notNull(),
    startedAt: ms('started_at'),
    stoppedAt: ms('stopped_at'),
    deletedAt: ms('deleted_at'),
    lastRunMarketMs: ms('last_run_market_ms'),
    /** Close of the next candle at which the agent looks. */
    nextDueMarketMs: ms('next_due_market_ms'),
    /**
     * What strategies and guards remember between ticks (cooldowns, high-water marks); owned by the
     * engine.
     */
    memory: jsonb('memory').notNull().default({}),
  },
  (t) => [
    index('agents_uid').on(t.uid, t.source),
    index('agents_due')
      .on(t.source, t.nextDueMarketMs, t.uid, t.id)
      .where(sql`deleted_at is null`),
    index('agents_connection')
      .on(t.connectionId)
      .where(sql`connection_id is not null`),
    uniqueIndex('agents_shadow')
      .on(t.shadowOf)
      .where(sql`shadow_of is not null and deleted_at is null`),
  ],
);

/**
 * What an agent was tested with before it was started or changed, as the person's device says, and
 * where it stood then.
 */
export const agentTests = pgTable('agent_tests', {
  agentId: uuid('agent_id').primaryKey(),
  tested: jsonb('tested').notNull(),
  keptAt: ms('kept_at').notNull(),
  keptMarketMs: ms('kept_market_ms').notNull(),
  /** What the account was worth, and what the agent had brought, realised and unrealised. */
  equity: money('equity').notNull(),
  result: money('result').notNull(),
});

export const positions = pgTable(
  'positions',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id').notNull(),
    agentId: uuid('agent_id').notNull(),
    pair: text('pair').notNull(),
    quantity: money('quantity').notNull(),
    /** What the open quantity cost, entry fees included. */
    cost: money('cost').notNull(),
    stopPrice: money('stop_price'),
    openedMarketMs: ms('opened_market_ms').notNull(),
    closedMarketMs: ms('closed_market_ms'),
  },
  (t) => [
    uniqueIndex('positions_open')
      .on(t.agentId, t.pair)
      .where(sql`closed_market_ms is null`),
    index('positions_account').on(t.accountId),
  ],
);

export const orders = pgTable(
  'orders',
  {
    id: uuid('id').primaryKey(),
    clientOrderId: text('client_order_id').notNull(),
    accountId: uuid('account_id').notNull(),
    agentId: uuid('agent_id').notNull(),
    pair: text('pair').notNull(),
    tickId: text('tick_id').notNull(),
    side: text('side').notNull(),
    quantity: money('quantity').notNull(),
    reserved: money('reserved').notNull(),
    reason: text('reason').notNull(),
    state: text('state').notNull(),
    decidedMarketMs: ms('decided_market_ms').notNull(),
  },
  (t) => [
    uniqueIndex('orders_once').on(t.agentId, t.pair, t.tickId),
    uniqueIndex('orders_client').on(t.clientOrderId),
    index('orders_account').on(t.accountId),
  ],
);

export const fills = pgTable(
  'fills',
  {
    id: uuid('id').primaryKey(),
    orderId: uuid('order_id').notNull(),
    accountId: uuid('account_id').notNull(),
    agentId: uuid('agent_id').notNull(),
    pair: text('pair').notNull(),
    tickId: text('tick_id').notNull(),
    side: text('side').notNull(),
    quantity: money('quantity').notNull(),
    price: money('price').notNull(),
    notional: money('notional').notNull(),
    fee: money('fee').notNull(),
    feeBps: money('fee_bps').notNull(),
    slippageBps: money('slippage_bps').notNull(),
    quoteBid: money('quote_bid').notNull(),
    quoteAsk: money('quote_ask').notNull(),
    ruleVersion: integer('rule_version').notNull(),
    realized: money('realized'),
    /** Cost of the sold quantity (null for a buy). */
    costBasis: money('cost_basis'),
    reason: text('reason').notNull(),
    decidedMarketMs: ms('decided_market_ms').notNull(),
    filledMarketMs: ms('filled_market_ms').notNull(),
  },
  (t) => [
    uniqueIndex('fills_once').on(t.agentId, t.pair, t.tickId),
    index('fills_account').on(t.accountId, t.filledMarketMs),
    index('fills_agent').on(t.agentId, t.filledMarketMs),
  ],
);

export const decisions = pgTable(
  'decisions',
  {
    id: uuid('id').primaryKey(),
    agentId: uuid('agent_id').notNull(),
    pair: text('pair').notNull(),
    tickId: text('tick_id').notNull(),
    atMarketMs: ms('at_market_ms').notNull(),
    /** Wall clock, for retention. */
    recordedAt: ms('recorded_at').notNull(),
    action: text('action').notNull(),
    reason: text('reason').notNull(),
    strength: numeric('strength', { precision: 18, scale: 9, mode: 'number' }),
    threshold: numeric('threshold', { precision: 18, scale: 9, mode: 'number' }),
    text: text('text').notNull(),
  },
  (t) => [
    uniqueIndex('decisions_once').on(t.agentId, t.pair, t.tickId),
    index('decisions_recorded').on(t.recordedAt),
  ],
);

/** Decisions older than the retention, counted by UTC day and reason. */
export const decisionCounts = pgTable(
  'decision_counts',
  {
    agentId: uuid('agent_id').notNull(),
    day: text('day').notNull(),
    reason: text('reason').notNull(),
    count: integer('count').notNull(),
  },
  (t) => [primaryKey({ columns: [t.agentId, t.day, t.reason] })],
);

/**
 * Closed ticks per source. `running` from its first worker's beginning, `done` in the transaction
 * of its last batch; `unfinished` where a newer one was begun before all agents had looked,
 * `skipped` where none was run at it.
 */
export const ticks = pgTable(
  'ticks',
  {
    source: text('source').notNull(),
    interval: text('interval').notNull(),
    closeMarketMs: ms('close_market_ms').notNull(),
    state: text('state').notNull(),
    /** Agents that were run at it. */
    agents: integer('agents').notNull().default(0),
    finishedAt: ms('finished_at'),
    /**
     * The prices that every worker fills at, as the first to begin the tick saw them; kept while it
     * runs.
     */
    book: jsonb('book'),
  },
  (t) => [primaryKey({ columns: [t.source, t.interval, t.closeMarketMs] })],
);

/** Where a replayed market stands, so that a restart goes on and repeats nothing. */
export const marketClocks = pgTable('market_clocks', {
  source: text('source').primaryKey(),
  nowMarketMs: ms('now_market_ms').notNull(),
});

export const equityPoints = pgTable(
  'equity_points',
  {
    accountId: uuid('account_id').notNull(),
    atMarketMs: ms('at_market_ms').notNull(),
    equity: money('equity').notNull(),
    /** Of a live account: its coins without a price here, which are not in `equity`. Null for none. */
    leftOut: text('left_out').array(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.atMarketMs] })],
);

/** How far equity fell over all marks up to one of them: marks are thinned with age. */
export const accountDrawdowns = pgTable('account_drawdowns', {
  accountId: uuid('account_id').primaryKey(),
  toMarketMs: ms('to_market_ms').notNull(),
  /** The highest mark, and the first time it was reached. */
  peak: money('peak').notNull(),
  peakMarketMs: ms('peak_market_ms').notNull(),
  /** The deepest fall as a share of the highest mark before it, and the mark it ended at. */
  deepest: doublePrecision('deepest').notNull(),
  deepestMarketMs: ms('deepest_market_ms').notNull(),
});

/** What became of each command; written with its effect, kept 30 days. */
export const receipts = pgTable(
  'receipts',
  {
    uid: text('uid').notNull(),
    commandId: uuid('command_id').notNull(),
    bodyHash: text('body_hash').notNull(),
    status: integer('status').notNull(),
    reply: jsonb('reply').notNull(),
    createdAt: ms('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.uid, t.commandId] }), index('receipts_created').on(t.createdAt)],
);

/** Events of a person, in order, kept a day; the stream reads them after commit. */
export const events = pgTable(
  'events',
  {
    uid: text('uid').notNull(),
    sequence: ms('sequence').notNull(),
    payload: jsonb('payload').notNull(),
    createdAt: ms('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.uid, t.sequence] }), index('events_created').on(t.createdAt)],
);

/**
 * One device that wants to be told. `sequence` is the last event of its person that was looked at
 * for it.
 */
export const pushSubscriptions = pgTable(
  'push_subscriptions',
  {
    id: uuid('id').primaryKey(),
    uid: text('uid').notNull(),
    endpoint: text('endpoint').notNull(),
    p256dh: text('p256dh').notNull(),
    auth: text('auth').notNull(),
    sequence: ms('sequence').notNull(),
    createdAt: ms('created_at').notNull(),
    /** Of the token it was last registered with; null where no build that knows it has done so. */
    tokenIssuedAt: ms('token_issued_at'),
  },
  (t) => [
    uniqueIndex('push_subscriptions_endpoint').on(t.endpoint),
    index('push_subscriptions_uid').on(t.uid),
  ],
);

/** What a person chose to be told of; without a row the defaults hold. */
export const pushPreferences = pgTable('push_preferences', {
  uid: text('uid').primaryKey(),
  settings: jsonb('settings').notNull(),
});

/**
 * Told once per device: `cause` names what happened. Kept 30 days after it was sent, so that it is
 * not told again.
 */
export const pushMessages = pgTable(
  'push_messages',
  {
    id: uuid('id').primaryKey(),
    subscriptionId: uuid('subscription_id').notNull(),
    cause: text('cause').notNull(),
    kind: text('kind').notNull(),
    facts: jsonb('facts').notNull(),
    /** `waiting`, then `sent` or `dropped`. */
    state: text('state').notNull(),
    attempts: integer('attempts').notNull().default(0),
    nextAttemptAt: ms('next_attempt_at').notNull(),
    createdAt: ms('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('push_messages_once').on(t.subscriptionId, t.cause),
    index('push_messages_due')
      .on(t.nextAttemptAt)
      .where(sql`state = 'waiting'`),
    index('push_messages_created').on(t.createdAt),
  ],
);

/** A person's own code, made when they first look at it. */
export const referralCodes = pgTable(
  'referral_codes',
  {
    uid: text('uid').primaryKey(),
    code: text('code').notNull(),
    createdAt: ms('created_at').notNull(),
  },
  (t) => [uniqueIndex('referral_codes_code').on(t.code)],
);

/**
 * Who came by whose code. A person comes once; either side is emptied when its account is deleted.
 */
export const referrals = pgTable(
  'referrals',
  {
    id: uuid('id').primaryKey(),
    inviterUid: text('inviter_uid'),
    invitedUid: text('invited_uid'),
    joinedAt: ms('joined_at').notNull(),
    /** When the invited person's first payment was seen; null until then. */
    earnedAt: ms('earned_at'),
  },
  (t) => [
    uniqueIndex('referrals_invited').on(t.invitedUid),
    index('referrals_inviter').on(t.inviterUid),
  ],
);

/**
 * An account whose deletion was asked for and is not finished: nobody enters by it, and the work is
 * taken up again after a crash.
 */
export const accountDeletions = pgTable('account_deletions', {
  uid: text('uid').primaryKey(),
  askedAt: ms('asked_at').notNull(),
});

/**
 * Digests of deleted accounts, until no token of theirs can still be good: a late request must not
 * make the account anew.
 */
export const deletedAccounts = pgTable('deleted_accounts', {
  digest: text('digest').primaryKey(),
  deletedAt: ms('deleted_at').notNull(),
});

/**
 * Which offers deleted accounts have used, by a keyed digest of their mailbox: each offer is for
 * once. The address cannot be read from it.
 */
export const usedOffers = pgTable(
  'used_offers',
  {
    digest: text('digest').primaryKey(),
    trial: boolean('trial').notNull(),
    invited: boolean('invited').notNull(),
    keptAt: ms('kept_at').notNull(),
  },
  (t) => [index('used_offers_kept').on(t.keptAt)],
);

export const meta = pgTable('meta', {
  key: text('key').primaryKey(),
  value: jsonb('value').notNull(),
});
