/**
 * The parts of a user's data export as queries. No secrets such as device keys or push addresses.
 */
import { sql, type SQL } from 'drizzle-orm';
import type { ExportPart } from '../../contract/account.ts';

/** The part that is not in our database: the identity provider's own record. */
export type StoredPart = Exclude<ExportPart, 'signIn'>;

export interface Part {
  /** Tables it speaks of, so that a test can show that none was forgotten. */
  tables: readonly string[];
  /** Column of the file → expression. */
  columns: Readonly<Record<string, string>>;
  from: string;
  /** Whose rows: `$uid` is the person. */
  where: string;
  /** One expression, unique per row and sortable as text. */
  key: string;
}

const time = (column: string): string =>
  `to_char(to_timestamp(${column} / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
/** Decimal text without the zeros that the column's scale adds. */
const money = (column: string): string => `trim_scale(${column})::text`;
const json = (column: string): string => `${column}::text`;

const ACCOUNTS = '(select id from accounts where uid = $uid)';
const AGENTS = '(select id from agents where uid = $uid)';

export const PARTS: Readonly<Record<StoredPart, Part>> = {
  profile: {
    tables: ['users'],
    from: 'users',
    where: 'uid = $uid',
    key: 'uid',
    columns: {
      userId: 'uid',
      email: 'email',
      createdAt: time('created_at'),
      trialStartedAt: time('trial_started_at'),
      trialEndsAt: time('trial_ends_at'),
      lastEvent: 'sequence',
    },
  },
  settings: {
    tables: ['users'],
    from: 'users',
    where: 'uid = $uid',
    key: 'uid',
    columns: { version: 'settings_version', settings: json('settings') },
  },
  riskValues: {
    tables: ['risk_profiles'],
    from: 'risk_profiles',
    where: 'uid = $uid',
    key: 'profile',
    columns: {
      profile: 'profile',
      maxPositionPercentage: money('max_position_percentage'),
      confidenceThreshold: money('confidence_threshold'),
      stopLossPercentage: money('stop_loss_percentage'),
    },
  },
  subscription: {
    tables: ['subscriptions'],
    from: 'subscriptions',
    where: 'uid = $uid',
    key: 'uid',
    columns: {
      provider: 'provider',
      status: 'status',
      tier: 'tier',
      planId: 'plan_id',
      priceId: 'price_id',
      customerId: 'customer_id',
      subscriptionId: 'provider_subscription_id',
      currentPeriodEnd: time('current_period_end'),
      cancelAtPeriodEnd: 'cancel_at_period_end',
      updatedAt: time('updated_at'),
    },
  },
  checkouts: {
    tables: ['checkouts'],
    from: 'checkouts',
    where: 'uid = $uid',
    key: 'id',
    columns: { id: 'id', priceId: 'price_id', state: 'state', createdAt: time('created_at') },
  },
  testInvoices: {
    tables: ['test_invoices'],
    from: 'test_invoices',
    where: 'uid = $uid',
    key: 'id::text',
    columns: {
      subscriptionId: 'subscription_id',
      text: 'text',
      amount: money('amount'),
      credit: money('credit'),
      currency: 'currency',
      status: 'status',
      card: 'right(card, 4)',
      createdAt: time('created_at'),
    },
  },
  agents: {
    tables: ['agents'],
    from: 'agents',
    where: 'uid = $uid',
    key: 'id::text',
    columns: {
      id: 'id',
      source: 'source',
      quote: 'quote',
      name: 'name',
      tradingPairs: `array_to_string(trading_pairs, ' ')`,
      pool: 'pool',
      riskProfile: 'risk_profile',
      maxPositionSize: money('max_position_size'),
      executionInterval: 'execution_interval',
      tradingFrequency: 'trading_frequency',
      enabled: 'enabled',
      status: 'status',
      hold: json('hold'),
      createdAt: time('created_at'),
      startedAt: time('started_at'),
      stoppedAt: time('stopped_at'),
      deletedAt: time('deleted_at'),
      lastRun: time('last_run_market_ms'),
      nextDue: time('next_due_market_ms'),
      memory: json('memory'),
    },
  },
  books: {
    tables: ['accounts'],
    from: 'accounts',
    where: 'uid = $uid',
    key: 'id::text',
    columns: {
      id: 'id',
      source: 'source',
      quote: 'quote',
      book: 'book',
      openedAt: time('opened_at'),
      closedAt: time('closed_at'),
    },
  },
  bookAlarms: {
    tables: ['account_alarms'],
    from: 'account_alarms',
    where: `account_id in ${ACCOUNTS}`,
    key: 'account_id::text',
    columns: {
      bookId: 'account_id',
      foundAt: time('found_at'),
      checkedAt: time('checked_at'),
      count: 'count',
      differences: json('differences'),
    },
  },
  agentTests: {
    tables: ['agent_tests'],
    from: 'agent_tests',
    where: `agent_id in ${AGENTS}`,
    key: 'agent_id::text',
    columns: {
      agentId: 'agent_id',
      tested: json('tested'),
      keptAt: time('kept_at'),
      keptMarketTime: time('kept_market_ms'),
      equity: money('equity'),
      result: money('result'),
    },
  },
  positions: {
    tables: ['positions'],
    from: 'positions',
    where: `account_id in ${ACCOUNTS}`,
    key: 'id::text',
    columns: {
      id: 'id',
      bookId: 'account_id',
      agentId: 'agent_id',
      pair: 'pair',
      quantity: money('quantity'),
      cost: money('cost'),
      stopPrice: money('stop_price'),
      openedAt: time('opened_market_ms'),
      closedAt: time('closed_market_ms'),
    },
  },
  orders: {
    tables: ['orders'],
    from: 'orders',
    where: `account_id in ${ACCOUNTS}`,
    key: 'id::text',
    columns: {
      id: 'id',
      bookId: 'account_id',
      agentId: 'agent_id',
      pair: 'pair',
      side: 'side',
      quantity: money('quantity'),
      reserved: money('reserved'),
      reason: 'reason',
      state: 'state',
      decidedAt: time('decided_market_ms'),
    },
  },
  fills: {
    tables: ['fills'],
    from: 'fills',
    where: `account_id in ${ACCOUNTS}`,
    key: 'id::text',
    columns: {
      id: 'id',
      orderId: 'order_id',
      bookId: 'account_id',
      agentId: 'agent_id',
      pair: 'pair',
      side: 'side',
      quantity: money('quantity'),
      price: money('price'),
      notional: money('notional'),
      fee: money('fee'),
      feeBps: money('fee_bps'),
      slippageBps: money('slippage_bps'),
      realized: money('realized'),
      costBasis: money('cost_basis'),
      reason: 'reason',
      decidedAt: time('decided_market_ms'),
      filledAt: time('filled_market_ms'),
    },
  },
  ledger: {
    tables: ['ledger'],
    from: 'ledger',
    where: `account_id in ${ACCOUNTS}`,
    key: `lpad(id::text, 20, '0')`,
    columns: {
      id: 'id',
      transactionId: 'transaction_id',
      bookId: 'account_id',
      bucket: 'bucket',
      asset: 'asset',
      amount: money('amount'),
      cause: 'cause',
      fillId: 'fill_id',
      at: time('at_market_ms'),
    },
  },
  balances: {
    tables: ['balances'],
    from: 'balances',
    where: `account_id in ${ACCOUNTS}`,
    key: `account_id::text || ' ' || bucket || ' ' || asset`,
    columns: { bookId: 'account_id', bucket: 'bucket', asset: 'asset', amount: money('amount') },
  },
  equity: {
    tables: ['equity_points'],
    from: 'equity_points',
    where: `account_id in ${ACCOUNTS}`,
    key: `account_id::text || lpad(at_market_ms::text, 16, '0')`,
    columns: { bookId: 'account_id', at: time('at_market_ms'), equity: money('equity') },
  },
  decisions: {
    tables: ['decisions'],
    from: 'decisions',
    where: `agent_id in ${AGENTS}`,
    key: 'id::text',
    columns: {
      id: 'id',
      agentId: 'agent_id',
      pair: 'pair',
      at: time('at_market_ms'),
      action: 'action',
      reason: 'reason',
      strength: 'strength::float8',
      threshold: 'threshold::float8',
      text: 'text',
    },
  },
  decisionCounts: {
    tables: ['decision_counts'],
    from: 'decision_counts',
    where: `agent_id in ${AGENTS}`,
    key: `agent_id::text || ' ' || day || ' ' || reason`,
    columns: { agentId: 'agent_id', day: 'day', reason: 'reason', count: 'count' },
  },
  alerts: {
    tables: ['alerts'],
    from: 'alerts',
    where: 'uid = $uid',
    key: 'id::text',
    columns: {
      id: 'id',
      source: 'source',
      symbol: 'symbol',
      condition: json('condition'),
      repeatMinutes: 'repeat_minutes',
      note: 'note',
      active: 'active',
      phase: 'phase',
      arming: 'arming',
      watchedSince: time('since_market_ms'),
      restsUntil: time('rests_until_market_ms'),
      lastFiredAt: time('last_fired_market_ms'),
      version: 'version',
      createdAt: time('created_at'),
      changedAt: time('changed_at'),
      deletedAt: time('deleted_at'),
    },
  },
  alertFirings: {
    tables: ['alert_firings'],
    from: 'alert_firings',
    where: 'uid = $uid',
    key: 'id::text',
    columns: {
      id: 'id',
      alertId: 'alert_id',
      source: 'source',
      symbol: 'symbol',
      condition: json('condition'),
      note: 'note',
      price: money('price'),
      movedBps: 'moved_bps',
      at: time('at_market_ms'),
      late: 'late',
      simulated: 'simulated',
      recordedAt: time('recorded_at'),
    },
  },
  switches: {
    tables: ['halts'],
    from: 'halts',
    where: `((scope = 'user' and target = $uid) or (scope = 'agent' and target in (select id::text from agents where uid = $uid)))`,
    key: `lpad(id::text, 20, '0')`,
    columns: {
      of: 'scope',
      target: 'target',
      act: 'act',
      reason: 'reason',
      at: time('at'),
      until: time('until'),
    },
  },
  commands: {
    tables: ['receipts'],
    from: 'receipts',
    where: 'uid = $uid',
    key: 'command_id::text',
    columns: {
      commandId: 'command_id',
      status: 'status',
      reply: json('reply'),
      createdAt: time('created_at'),
    },
  },
  events: {
    tables: ['events'],
    from: 'events',
    where: 'uid = $uid',
    key: `lpad(sequence::text, 20, '0')`,
    columns: { sequence: 'sequence', event: json('payload'), createdAt: time('created_at') },
  },
  // The address of a device is a capability to write to it, and its keys are secrets: which service
  // it is with says what is held.
  pushDevices: {
    tables: ['push_subscriptions'],
    from: 'push_subscriptions',
    where: 'uid = $uid',
    key: 'id::text',
    columns: {
      id: 'id',
      service: `substring(endpoint from '^https://([^/]+)')`,
      createdAt: time('created_at'),
    },
  },
  pushSettings: {
    tables: ['push_preferences'],
    from: 'push_preferences',
    where: 'uid = $uid',
    key: 'uid',
    columns: { settings: json('settings') },
  },
  pushMessages: {
    tables: ['push_messages'],
    from: 'push_messages',
    where: 'subscription_id in (select id from push_subscriptions where uid = $uid)',
    key: 'id::text',
    columns: {
      id: 'id',
      deviceId: 'subscription_id',
      kind: 'kind',
      facts: json('facts'),
      state: 'state',
      createdAt: time('created_at'),
    },
  },
  linkedAddresses: {
    tables: ['linked_addresses'],
    from: 'linked_addresses',
    where: 'uid = $uid',
    key: 'id::text',
    columns: {
      id: 'id',
      chainId: 'chain_id',
      address: 'address',
      label: 'label',
      proof: 'proof',
      linkedAt: time('linked_at'),
    },
  },
  linkMessages: {
    tables: ['link_messages'],
    from: 'link_messages',
    where: 'uid = $uid',
    key: 'nonce',
    columns: {
      chainId: 'chain_id',
      address: 'address',
      message: 'message',
      createdAt: time('created_at'),
      expiresAt: time('expires_at'),
      usedAt: time('used_at'),
    },
  },
  referralCode: {
    tables: ['referral_codes'],
    from: 'referral_codes',
    where: 'uid = $uid',
    key: 'uid',
    columns: { code: 'code', createdAt: time('created_at') },
  },
  // Who the other side is, is theirs to tell.
  referrals: {
    tables: ['referrals'],
    from: 'referrals',
    where: '(inviter_uid = $uid or invited_uid = $uid)',
    key: 'id::text',
    columns: {
      id: 'id',
      side: `case when inviter_uid = $uid then 'inviter' else 'invited' end`,
      joinedOn: `left(${time('joined_at')}, 10)`,
      earnedOn: `left(${time('earned_at')}, 10)`,
    },
  },
  planCredits: {
    tables: ['plan_credits'],
    from: 'plan_credits',
    where: 'uid = $uid',
    key: 'id::text',
    columns: {
      id: 'id',
      cause: 'cause',
      days: 'days',
      createdAt: time('created_at'),
      grantedAt: time('granted_at'),
    },
  },
  supportRequests: {
    tables: ['support_requests'],
    from: 'support_requests',
    where: 'uid = $uid',
    key: 'id::text',
    columns: {
      id: 'id',
      category: 'category',
      state: 'state',
      priority: 'priority',
      diagnostics: json('diagnostics'),
      createdAt: time('created_at'),
      updatedAt: time('updated_at'),
    },
  },
  supportMessages: {
    tables: ['support_messages'],
    from: 'support_messages',
    where: 'request_id in (select id from support_requests where uid = $uid)',
    key: 'id::text',
    columns: {
      id: 'id',
      requestId: 'request_id',
      author: 'author',
      text: 'text',
      createdAt: time('created_at'),
    },
  },
};

/** A part's SQL with the person put in as a parameter. */
export function bound(text: string, uid: string): SQL {
  const pieces = text.split('$uid').map((piece) => sql.raw(piece));
  return sql.join(
    pieces.flatMap((piece, index) => (index === 0 ? [piece] : [sql`${uid}::text`, piece])),
    sql.raw(''),
  );
}
