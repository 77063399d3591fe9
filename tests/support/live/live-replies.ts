/** An exchange account as the server would tell of it, for tests of the page. */
import type { LiveAccount } from '../../../contract/live.ts';
import type { LiveConnection, LiveOrderWire } from '../../../contract/live-state.ts';

export const CONNECTION_ID = '5a6b7c8d-0000-4000-a000-000000000001';
export const AGENT_ID = 'agent-1';

/** What says of an agent that it trades in this account. */
export const IN_LIVE_ACCOUNT = {
  connectionId: CONNECTION_ID,
  account: {
    kind: 'live',
    connectionId: CONNECTION_ID,
    exchange: 'kraken',
    label: 'Main',
    quote: 'USD',
  },
} as const;

export const liveConnection = (at: number, own: Partial<LiveConnection> = {}): LiveConnection => ({
  id: CONNECTION_ID,
  exchange: 'kraken',
  label: 'Main',
  state: 'open',
  accountId: 'account-1',
  permissions: {
    canTrade: true,
    canWithdraw: false,
    canTransfer: false,
    ipRestricted: null,
    portfolioId: null,
  },
  permissionsReadAt: at,
  limits: { maxOrder: '100', maxExposure: '500', maxDailyLoss: '25' },
  firstWeekUntil: at + 6 * 86_400_000,
  stepUpKeys: [{ id: 'key-1', kind: 'ed25519' }],
  maxOrdersPerHour: 30,
  entriesOffSince: null,
  waitsFor: [],
  reconciledAt: at - 12_000,
  unknownOrders: 0,
  createdAt: at - 86_400_000,
  endedAt: null,
  ...own,
});

export const liveOrder = (at: number, own: Partial<LiveOrderWire> = {}): LiveOrderWire => ({
  clientOrderId: '0123456789abcdef0123456789abcdef',
  exchangeOrderId: 'OABC-1',
  agentId: AGENT_ID,
  symbol: 'BTC/USD',
  side: 'buy',
  type: 'market',
  quantity: '0.00123456',
  filled: '0',
  stopPrice: null,
  state: 'open',
  reason: 'entered',
  code: null,
  reserved: '91.23',
  reservedAsset: 'USD',
  doubt: null,
  isCancelling: false,
  plannedAt: at - 2_000,
  sentAt: at - 1_900,
  changedAt: at - 1_000,
  ...own,
});

export const liveAccount = (at: number, own: Partial<LiveAccount> = {}): LiveAccount => ({
  connection: liveConnection(at),
  quote: 'USD',
  cash: [{ asset: 'USD', amount: '909.12345678', reserved: '0' }],
  positions: [
    {
      id: 'position-1',
      agentId: AGENT_ID,
      agentName: 'Harbour',
      pair: 'BTC/USD',
      quantity: '0.00123456',
      averageCost: '72000',
      cost: '88.88832',
      price: '73000',
      priceAt: at,
      value: '90.12288',
      unrealized: '1.23456',
      stopPrice: '66240',
      openedAt: at - 3_600_000,
    },
  ],
  value: '999.24633678',
  unpriced: [],
  unrealized: '1.23456',
  equityCurve: [
    [at - 3_600_000, '1000'],
    [at, '999.24633678'],
  ],
  realized: '0',
  fees: [{ asset: 'USD', amount: '0.23110963' }],
  orders: [],
  external: [],
  alarms: [],
  foreignOrders: [],
  sequence: 5,
  asOf: at,
  ...own,
});
