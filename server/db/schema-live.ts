/**
 * The tables of live trading: connections to exchanges, orders and their events, what exchanges said
 * was traded, and how far each connection is reconciled.
 */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { money, ms } from './columns.ts';

/** A person's account at an exchange. Its key is with the signer, sealed; none is kept here. */
export const liveConnections = pgTable(
  'live_connections',
  {
    id: uuid('id').primaryKey(),
    uid: text('uid').notNull(),
    exchange: text('exchange').notNull(),
    label: text('label').notNull(),
    /** `open`, or `ended` for good. */
    state: text('state').notNull(),
    accountId: uuid('account_id').notNull(),
    /** What the exchange can do, as the signer says. */
    abilities: jsonb('abilities').notNull(),
    /** Null where the key could not be read. */
    permissions: jsonb('permissions'),
    /** By the signer's clock. */
    permissionsReadAt: ms('permissions_read_at').notNull(),
    /** Why nothing is bought with the key, as found at that reading; empty where it is accepted. */
    keyFaults: text('key_faults').array().notNull().default([]),
    /** In force, as the signer last said; it holds and enforces its own copy. */
    maxOrder: money('max_order').notNull(),
    maxExposure: money('max_exposure').notNull(),
    maxDailyLoss: money('max_daily_loss').notNull(),
    /** What the person chose, by the signer's word, where that is not in force yet; null otherwise. */
    limitsChosen: jsonb('limits_chosen'),
    maxOrdersPerHour: integer('max_orders_per_hour').notNull(),
    /** Since when the person lets nothing new be bought; exits go on. */
    entriesOffSince: ms('entries_off_since'),
    /** By the signer's word: until then no limit is above the first week's caps. Null after it. */
    firstWeekUntil: ms('first_week_until'),
    /** Public keys that confirm its starts; the signer has and trusts its own copy. */
    stepUpKeys: jsonb('step_up_keys').notNull().default([]),
    createdAt: ms('created_at').notNull(),
    endedAt: ms('ended_at'),
  },
  (t) => [
    index('live_connections_uid').on(t.uid),
    index('live_connections_open')
      .on(t.id)
      .where(sql`state = 'open'`),
  ],
);

/** An order as the lifecycle of `engine/orders` has it, and what the views need besides. */
export const liveOrders = pgTable(
  'live_orders',
  {
    clientOrderId: text('client_order_id').primaryKey(),
    /** The same number as a uuid: what fills name as their order. */
    id: uuid('id').notNull(),
    connectionId: uuid('connection_id').notNull(),
    accountId: uuid('account_id').notNull(),
    agentId: uuid('agent_id').notNull(),
    symbol: text('symbol').notNull(),
    side: text('side').notNull(),
    type: text('type').notNull(),
    quantity: money('quantity').notNull(),
    limitPrice: money('limit_price'),
    stopPrice: money('stop_price'),
    deadlineMs: ms('deadline_ms').notNull(),
    cause: text('cause').notNull(),
    reservationAsset: text('reservation_asset').notNull(),
    reservationAmount: money('reservation_amount').notNull(),
    /** The stop that the position it opens is to have; null for a sale. */
    protectAt: money('protect_at'),
    /** Strategies that hold what it buys: the agent remembers them once it is bought. */
    holding: jsonb('holding'),
    /** The decision or exit it came from. */
    tickId: text('tick_id').notNull(),
    decidedMarketMs: ms('decided_market_ms').notNull(),
    plannedAt: ms('planned_at').notNull(),
    state: text('state').notNull(),
    attempts: integer('attempts').notNull(),
    sentAtMs: ms('sent_at_ms'),
    exchangeOrderId: text('exchange_order_id'),
    booked: money('booked').notNull(),
    reserved: money('reserved').notNull(),
    seen: jsonb('seen'),
    lastSeenMs: ms('last_seen_ms'),
    endSeenMs: ms('end_seen_ms'),
    doubt: jsonb('doubt'),
    cancel: text('cancel'),
    cancelAtMs: ms('cancel_at_ms'),
    ending: text('ending'),
    code: text('code'),
    alarms: text('alarms').array().notNull(),
    changedAt: ms('changed_at').notNull(),
  },
  (t) => [
    uniqueIndex('live_orders_id').on(t.id),
    index('live_orders_live')
      .on(t.connectionId)
      .where(sql`state in ('planned', 'sending', 'unknown', 'open')`),
    index('live_orders_account').on(t.accountId, t.plannedAt),
    index('live_orders_exchange_id').on(t.connectionId, t.exchangeOrderId),
  ],
);

/** Every event that changed an order, and what followed; rows are only added. */
export const liveOrderEvents = pgTable(
  'live_order_events',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    clientOrderId: text('client_order_id').notNull(),
    atMs: ms('at_ms').notNull(),
    kind: text('kind').notNull(),
    event: jsonb('event').notNull(),
    effects: jsonb('effects').notNull(),
    /** After it. */
    state: text('state').notNull(),
  },
  (t) => [index('live_order_events_order').on(t.clientOrderId, t.id)],
);

/** Every trade of a connection, of our orders or made by hand: once per id of the exchange. */
export const venueFills = pgTable(
  'venue_fills',
  {
    connectionId: uuid('connection_id').notNull(),
    tradeId: text('trade_id').notNull(),
    /** Grows in the order of booking. */
    number: bigint('number', { mode: 'number' }).generatedAlwaysAsIdentity(),
    accountId: uuid('account_id').notNull(),
    /** Null for a trade made by hand, like the two below. */
    clientOrderId: text('client_order_id'),
    agentId: uuid('agent_id'),
    /** The row of `fills`, whose entries are this trade's. */
    fillId: uuid('fill_id'),
    symbol: text('symbol').notNull(),
    side: text('side').notNull(),
    quantity: money('quantity').notNull(),
    price: money('price').notNull(),
    quoteAmount: money('quote_amount').notNull(),
    fees: jsonb('fees').notNull(),
    exchangeOrderId: text('exchange_order_id').notNull(),
    venueClientOrderId: text('venue_client_order_id'),
    atMs: ms('at_ms').notNull(),
    bookedAt: ms('booked_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.connectionId, t.tradeId] }),
    index('venue_fills_account').on(t.accountId, t.number),
    index('venue_fills_at').on(t.connectionId, t.atMs),
    index('venue_fills_order').on(t.clientOrderId),
  ],
);

/** What changed at the exchange without us, or was taken back as ours; its id is the ledger's. */
export const externalMovements = pgTable(
  'external_movements',
  {
    id: uuid('id').primaryKey(),
    connectionId: uuid('connection_id').notNull(),
    accountId: uuid('account_id').notNull(),
    /** `opening`, `deposit`, `withdrawal`, `hand_trade` or `hand_trade_undone`. */
    kind: text('kind').notNull(),
    /** Null for a trade, whose coins are in `trade`. */
    asset: text('asset'),
    amount: money('amount'),
    trade: jsonb('trade'),
    atMs: ms('at_ms').notNull(),
    bookedAt: ms('booked_at').notNull(),
  },
  (t) => [index('external_movements_connection').on(t.connectionId, t.bookedAt)],
);

/**
 * Coins that agents gave up because the person had sold them or taken them out by hand, or because
 * they were dust; its id is the ledger's.
 */
export const liveWriteOffs = pgTable(
  'live_write_offs',
  {
    id: uuid('id').primaryKey(),
    connectionId: uuid('connection_id').notNull(),
    accountId: uuid('account_id').notNull(),
    agentId: uuid('agent_id').notNull(),
    positionId: uuid('position_id').notNull(),
    symbol: text('symbol').notNull(),
    /** `written_off`, or `dust_left`: those are at the exchange, and the person's. */
    cause: text('cause').notNull().default('written_off'),
    quantity: money('quantity').notNull(),
    /** What they had cost: neither gain nor loss. */
    cost: money('cost').notNull(),
    /** What guards stopped counting with them, in quote currency. */
    worth: money('worth').notNull(),
    /** The number of the account's last trade before it; 0 where there was none. */
    afterTrade: bigint('after_trade', { mode: 'number' }).notNull(),
    atMarketMs: ms('at_market_ms').notNull(),
    bookedAt: ms('booked_at').notNull(),
    /** When the signer had taken it into its own ledger; null until then. */
    signerToldAt: ms('signer_told_at'),
  },
  (t) => [
    index('live_write_offs_account').on(t.accountId),
    index('live_write_offs_connection').on(t.connectionId, t.bookedAt),
    index('live_write_offs_untold')
      .on(t.connectionId)
      .where(sql`signer_told_at is null`),
  ],
);

/** What the last reconciliation of a connection left behind. */
export const liveMarks = pgTable('live_marks', {
  connectionId: uuid('connection_id').primaryKey(),
  /** Everything before this has been reconciled; null before the first time. */
  reconciledToMs: ms('reconciled_to_ms'),
  /** When the first reading began that succeeded: its balances have every trade before it. */
  openedAtMs: ms('opened_at_ms'),
  pending: jsonb('pending').notNull(),
  missing: jsonb('missing').notNull(),
  orphans: text('orphans').array().notNull(),
  /** Open orders that are not ours; shown, never touched. */
  foreignOrders: jsonb('foreign_orders').notNull(),
  /** By coin, what the exchange holds back for orders that are not ours, as of `heldAtMs`. */
  heldElsewhere: jsonb('held_elsewhere').notNull().default({}),
  /** When balances were last read; null before that. */
  heldAtMs: ms('held_at_ms'),
  /** Why no order may leave; empty where it may. Each process begins with a closed gate of its own. */
  gateReasons: text('gate_reasons').array().notNull(),
  readAt: ms('read_at').notNull(),
});

/** A position that is to be sold, until it is. */
export const liveExits = pgTable(
  'live_exits',
  {
    agentId: uuid('agent_id').notNull(),
    symbol: text('symbol').notNull(),
    connectionId: uuid('connection_id').notNull(),
    accountId: uuid('account_id').notNull(),
    reason: text('reason').notNull(),
    /** Null for all of it. */
    quantity: money('quantity'),
    tickId: text('tick_id').notNull(),
    askedAt: ms('asked_at').notNull(),
    askedMarketMs: ms('asked_market_ms').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.agentId, t.symbol] }),
    index('live_exits_connection').on(t.connectionId),
  ],
);

/** Stops that did not stay at the exchange: the same one is not placed again. */
export const liveFailedStops = pgTable(
  'live_failed_stops',
  {
    agentId: uuid('agent_id').notNull(),
    symbol: text('symbol').notNull(),
    quantity: money('quantity').notNull(),
    stopPrice: money('stop_price').notNull(),
    why: text('why').notNull(),
    told: boolean('told').notNull(),
  },
  (t) => [primaryKey({ columns: [t.agentId, t.symbol] })],
);

/** What a person must know of their live account: each is told once. */
export const liveAlarms = pgTable(
  'live_alarms',
  {
    id: uuid('id').primaryKey(),
    connectionId: uuid('connection_id').notNull(),
    kind: text('kind').notNull(),
    /** Names what it is about, so that it is raised once. */
    about: text('about').notNull(),
    detail: jsonb('detail').notNull(),
    raisedAt: ms('raised_at').notNull(),
  },
  (t) => [uniqueIndex('live_alarms_once').on(t.connectionId, t.kind, t.about)],
);

/** Passkeys that a person has made here: public keys, which a new connection may be bound to. */
export const passkeys = pgTable(
  'passkeys',
  {
    id: uuid('id').primaryKey(),
    uid: text('uid').notNull(),
    /** In base64url, like the key. */
    credentialId: text('credential_id').notNull(),
    publicKey: text('public_key').notNull(),
    /** As it said when it was made; the signer keeps the one that is checked. */
    counter: bigint('counter', { mode: 'number' }).notNull(),
    transports: text('transports').array().notNull(),
    label: text('label').notNull(),
    createdAt: ms('created_at').notNull(),
    lastUsedAt: ms('last_used_at'),
  },
  (t) => [index('passkeys_uid').on(t.uid), uniqueIndex('passkeys_credential').on(t.credentialId)],
);

/** Challenges of passkeys that are being made: each holds once. */
export const passkeyChallenges = pgTable(
  'passkey_challenges',
  {
    challenge: text('challenge').primaryKey(),
    uid: text('uid').notNull(),
    createdAt: ms('created_at').notNull(),
  },
  (t) => [index('passkey_challenges_uid').on(t.uid)],
);
