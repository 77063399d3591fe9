/**
 * The recorded replies of a demo: one consistent account at one moment, in the contract's types.
 */
import type { Alert } from '../../contract/alerts.ts';
import type { Agent } from '../../contract/agents.ts';
import { consequencesOf } from '../../contract/consequences.ts';
import type { CallName, CallReply } from '../../contract/calls.ts';
import { CONTRACT_VERSION } from '../../contract/version.ts';
import type { DayResult } from '../../contract/trading.ts';
import type { UserSettings } from '../../contract/user.ts';
import type { LinkedAddress } from '../../contract/wallet.ts';

export interface RecordedState {
  /** When the recording was opened, ms: every price and fill is relative to it. */
  openedAt: number;
  agents: Agent[];
  settings: UserSettings;
  alerts: Alert[];
  settingsVersion: number;
  trialEndsAt: number | null;
  links: LinkedAddress[];
  /** The address of the last message to sign. */
  asked: Pick<LinkedAddress, 'address' | 'chainId'> | null;
}

const HOUR = 60 * 60_000;
const SOURCE = {
  id: 'recorded',
  kind: 'simulated',
  label: 'Recorded prices',
  quote: 'USDT',
} as const;

export function recordAgent(id: string, name: string, now: number): Agent {
  return {
    id,
    name,
    trading_pairs: ['BTC/USDT', 'ETH/USDT'],
    risk_profile: 'Moderate',
    max_position_size: 1_000,
    execution_interval: '20-minute',
    enabled: false,
    pool: 'all_pools',
    tradingFrequency: 'optimized',
    status: 'stopped',
    hold: null,
    generation: 1,
    version: 1,
    quote: 'USDT',
    openPositions: 0,
    realized: '0',
    unrealized: '0',
    fees: '0',
    total: '0',
    createdAt: now,
    startedAt: null,
    stoppedAt: null,
    lastRunAt: null,
    nextRunAt: null,
  };
}

export function recordState(now: number): RecordedState {
  const harbour: Agent = {
    ...recordAgent('recorded-harbour', 'Harbour', now - 72 * HOUR),
    enabled: true,
    status: 'running',
    openPositions: 1,
    unrealized: '12.4',
    fees: '2.6',
    total: '12.4',
    startedAt: now - 71 * HOUR,
    lastRunAt: now - 2 * 60_000,
    nextRunAt: now + 3 * 60_000,
  };
  return {
    openedAt: now,
    agents: [harbour, recordAgent('recorded-drift', 'Drift', now - 24 * HOUR)],
    alerts: [],
    settings: {
      displayName: 'Recorded',
      tradingEnabled: true,
      tradingMode: 'automatic',
      tradingFrequency: 'optimized',
      riskProfile: 'moderate',
      maxTradeAmount: 1_000,
      notificationsEnabled: false,
    },
    settingsVersion: 1,
    trialEndsAt: now + 9 * 24 * HOUR,
    links: [],
    asked: null,
  };
}

const quote = (
  symbol: string,
  price: string,
  change: number,
  at: number,
): CallReply<'marketData'>['symbols'][number] => ({
  symbol,
  price,
  bid: price,
  ask: price,
  volume_24h: '1234.5',
  high_24h: price,
  low_24h: price,
  price_change_24h: change,
  timestamp: at,
  stale: false,
});

const NO_METRICS: CallReply<'analytics'>['metrics'] = {
  totalReturn: 0.00124,
  cagr: null,
  volatility: null,
  maxDrawdown: -0.002,
  sharpe: null,
  sortino: null,
  calmar: null,
  profitFactor: null,
  winRate: null,
  expectancy: null,
  exposure: 0.1,
  turnover: 0.1,
};

const NO_LOTS: CallReply<'taxLots'>['sums'] = {
  lots: 0,
  proceeds: '0',
  basis: '0',
  gain: '0',
  fees: '0',
};

type Replies = { [N in CallName]?: CallReply<N> };

/**
 * Every reply of the contract at `now`. The numbers add up: equity is cash and positions, to the
 * last digit.
 */
export function recordedReplies(state: RecordedState, now: number): Replies {
  const holdings = recordHoldings(state.openedAt);
  return {
    healthz: { app: 'tradewind', status: 'ok', contract: CONTRACT_VERSION, time: now },
    readyz: { app: 'tradewind', ready: true, parts: { recording: 'ready' } },
    ...planReplies(state, now),
    ...marketReplies(state.openedAt, holdings.curve),
    ...agentReplies(state, now, holdings),
    ...settingsReplies(state, now),
    ...portfolioReplies(state.openedAt, now, holdings),
    ...analyticsReplies(state.openedAt, holdings),
    ...liveReplies(state.openedAt, now),
  };
}

/** An exchange account that was connected and has traded nothing yet. */
function liveReplies(
  at: number,
  now: number,
): Pick<Replies, 'liveConnections' | 'liveAccount' | 'passkeys' | 'liveShadow' | 'liveTaxLots'> {
  const connection: CallReply<'liveAccount'>['connection'] = {
    id: 'recorded-connection',
    exchange: 'kraken',
    label: 'Kraken',
    state: 'open',
    accountId: 'recorded-live-account',
    permissions: {
      canTrade: true,
      canWithdraw: false,
      canTransfer: false,
      ipRestricted: null,
      portfolioId: null,
    },
    permissionsReadAt: at,
    limits: { maxOrder: '100', maxExposure: '500', maxDailyLoss: '25' },
    firstWeekUntil: null,
    stepUpKeys: [],
    maxOrdersPerHour: 30,
    entriesOffSince: null,
    waitsFor: [],
    reconciledAt: at,
    unknownOrders: 0,
    createdAt: at,
    endedAt: null,
  };
  return {
    liveConnections: { connections: [connection], sequence: 1, asOf: now },
    liveAccount: {
      connection,
      quote: 'USD',
      cash: [{ asset: 'USD', amount: '250', reserved: '0' }],
      positions: [],
      value: '250',
      unpriced: [],
      unrealized: '0',
      equityCurve: [[at, '250']],
      realized: '0',
      fees: [],
      orders: [],
      external: [
        {
          id: 'recorded-opening',
          kind: 'opening',
          asset: 'USD',
          amount: '250',
          trade: null,
          at,
        },
      ],
      alarms: [],
      foreignOrders: [],
      sequence: 1,
      asOf: now,
    },
    ...liveReports(connection, now),
  };
}

/** Beside paper, and for the tax office: nothing yet. */
function liveReports(
  connection: CallReply<'liveAccount'>['connection'],
  now: number,
): Pick<Replies, 'passkeys' | 'liveShadow' | 'liveTaxLots'> {
  return {
    passkeys: { passkeys: [] },
    liveShadow: {
      since: null,
      live: recordShadowSide('recorded-live'),
      paper: recordShadowSide('recorded-live-paper'),
      rows: [],
      asOf: now,
    },
    liveTaxLots: {
      live: true,
      connectionId: connection.id,
      exchange: connection.exchange,
      label: connection.label,
      source: 'kraken',
      quote: 'USD',
      asOf: now,
      through: 0,
      years: [],
      sums: NO_LOTS,
      all: NO_LOTS,
      held: [],
      realized: '0',
      rows: [],
      total: 0,
      next: null,
    },
  };
}

const recordShadowSide = (agentId: string): CallReply<'liveShadow'>['live'] => ({
  agentId,
  name: agentId,
  status: 'stopped',
  quote: 'USD',
  trades: 0,
  realized: '0',
  unrealized: '0',
  fees: '0',
});

/** What the account holds and how it came to it. */
interface Holdings {
  position: CallReply<'portfolio'>['positions'][number];
  fill: CallReply<'history'>['fills'][number];
  /** The equity of the last day, hour by hour. */
  curve: [number, string][];
  today: DayResult;
}

function recordHoldings(at: number): Holdings {
  return {
    position: {
      id: 'recorded-position',
      agentId: 'recorded-harbour',
      agentName: 'Harbour',
      pair: 'ETH/USDT',
      quantity: '0.4',
      averageCost: '2481.4',
      cost: '992.56',
      price: '2512.4',
      priceAt: at,
      value: '1004.96',
      unrealized: '12.4',
      stopPrice: '2357.33',
      openedAt: at - 5 * HOUR,
    },
    fill: {
      id: 'recorded-fill',
      orderId: 'recorded-order',
      agentId: 'recorded-harbour',
      agentName: 'Harbour',
      pair: 'ETH/USDT',
      side: 'buy',
      quantity: '0.4',
      price: '2474.9',
      notional: '989.96',
      fee: '2.6',
      feeBps: '26.26',
      slippageBps: '3',
      realized: null,
      reason: 'trend_up',
      decidedAt: at - 5 * HOUR,
      filledAt: at - 5 * HOUR,
      tickId: 'recorded:tick',
    },
    curve: Array.from({ length: 24 }, (_, hour): [number, string] => [
      at - (23 - hour) * HOUR,
      hour < 18 ? '10000' : '10012.4',
    ]),
    today: {
      start: Math.floor(at / (24 * HOUR)) * 24 * HOUR,
      opening: '10000',
      closing: '10012.4',
      realized: '0',
      unrealizedChange: '12.4',
      fees: '2.6',
      trades: 1,
    },
  };
}

function planReplies(state: RecordedState, now: number): Replies {
  const { openedAt: at, agents } = state;
  const subscription = {
    subscription: null,
    entitledTier: state.trialEndsAt === null ? 'free' : 'trial',
    servedAt: now,
  } as const;
  return {
    plans: {
      provider: 'test',
      plans: [
        {
          id: 'starter',
          name: 'Starter',
          tier: 'starter',
          priceId: 'price_recorded_starter',
          amount: '19',
          currency: 'USD',
          interval: 'month',
          agents: 2,
        },
      ],
    },
    checkoutState: { state: 'none' },
    subscriptionStatus: subscription,
    trialStatus: {
      isActive: state.trialEndsAt !== null && state.trialEndsAt > now,
      hasUsed: state.trialEndsAt !== null,
      servedAt: now,
      endDate: state.trialEndsAt === null ? null : new Date(state.trialEndsAt).toISOString(),
      trialDays: 14,
    },
    changePreview: {
      ...consequencesOf(subscription.entitledTier, 'starter', agents),
      planId: 'starter',
      kind: 'start',
      from: subscription.entitledTier,
      standing: {
        state: 'trial',
        tier: 'trial',
        until: state.trialEndsAt,
        next: { state: 'lapsed', tier: 'free' },
      },
      effectiveAt: now,
      servedAt: now,
      charge: {
        dueNow: '19',
        credit: '0',
        currency: 'USD',
        renewal: { amount: '19', interval: 'month', at: null },
        lines: [{ text: 'Starter', amount: '19' }],
      },
    },
    invoices: { invoices: [], more: false, servedAt: now },
    usage: {
      tier: subscription.entitledTier,
      agents: { used: agents.length, limit: 5 },
      fillsThisMonth: 1,
      periodStart: at - 72 * HOUR,
    },
  };
}

function marketReplies(at: number, curve: Holdings['curve']): Replies {
  const symbols = [
    quote('BTC/USDT', '68120.4', 1.24, at),
    quote('ETH/USDT', '2512.4', -0.8, at),
    quote('SOL/USDT', '171.02', 3.1, at),
  ];
  return {
    marketData: { source: SOURCE, now: at, symbols },
    marketOverview: {
      source: SOURCE,
      now: at,
      symbols: 3,
      advancing: 2,
      declining: 1,
      unchanged: 0,
      volume_24h: '3703.5',
      gainers: symbols.filter((one) => (one.price_change_24h ?? 0) > 0),
      losers: symbols.filter((one) => (one.price_change_24h ?? 0) < 0),
      mostTraded: symbols,
      refused: {},
      stale: false,
    },
    sparklines: {
      now: at,
      lines: Object.fromEntries(
        symbols.map((one) => [
          one.symbol,
          {
            to: at,
            points: Array.from(
              { length: 64 },
              (_, step) =>
                Number(one.price) * (1 + ((one.price_change_24h ?? 0) / 100) * (step / 63 - 1)),
            ),
          },
        ]),
      ),
    },
    marketPools: {
      pools: [
        {
          id: 'all_pools',
          name: 'All pools',
          description: 'Recorded.',
          risk: 'moderate',
          pairs: symbols.map((one) => one.symbol),
        },
      ],
    },
    candles: {
      symbol: 'ETH/USDT',
      interval: '1h',
      candles: curve.map(([time], index) => [
        time,
        '2480',
        '2520',
        '2470',
        index < 18 ? '2481.4' : '2512.4',
        '120',
      ]),
    },
  };
}

function agentReplies(state: RecordedState, now: number, { position, fill }: Holdings): Replies {
  const { openedAt: at, agents } = state;
  return {
    agents: { agents, sequence: 1, asOf: now },
    agentSummary: {
      total: agents.length,
      running: agents.filter((agent) => agent.status === 'running').length,
      stopped: agents.filter((agent) => agent.status === 'stopped').length,
      halted: 0,
      faulted: 0,
      openPositions: 1,
      cap: 5,
      quote: 'USDT',
      realized: '0',
      unrealized: '12.4',
      fees: '2.6',
      totalProfit: '12.4',
      asOf: now,
    },
    agentInsight: {
      asOf: at,
      stepMs: HOUR,
      pro: null,
      figures: [
        {
          agentId: 'recorded-harbour',
          trades: 1,
          sells: 0,
          wins: 0,
          profitFactor: null,
          exposure: 1,
        },
      ],
      series: [
        {
          agentId: 'recorded-harbour',
          points: Array.from({ length: 24 }, (_, hour): [number, number] => [
            at - (23 - hour) * HOUR,
            hour < 18 ? 0 : 12.4,
          ]),
        },
      ],
    },
    agentPerformance: {
      agent: agents[0] ?? recordAgent('recorded-drift', 'Drift', at),
      trades: 1,
      wins: 0,
      metrics: NO_METRICS,
      positions: [position],
      fills: [fill],
      decisions: [],
      decisionCounts: [],
    },
  };
}

function settingsReplies(state: RecordedState, now: number): Replies {
  return {
    tradingSettings: { settings: state.settings, version: state.settingsVersion, riskProfiles: [] },
    alerts: { alerts: state.alerts, firings: [], sequence: 1, servedAt: now },
    walletStatus: {
      mode: 'paper',
      venue: 'recorded',
      quote: 'USDT',
      balances: [
        { asset: 'USDT', available: '9007.44', reserved: '0' },
        { asset: 'ETH', available: '0', reserved: '0.4' },
      ],
      linkedAddresses: state.links.map(({ address }) => address),
      links: state.links,
      onramp: 'direct',
      servedAt: now,
    },
    onrampOptions: {
      paymentCurrencies: [{ id: 'USD', limits: [{ id: 'CARD', min: '2', max: '500' }] }],
      purchaseCurrencies: [
        {
          id: 'recorded-usdc',
          name: 'USD Coin',
          symbol: 'USDC',
          networks: [{ name: 'base', displayName: 'Base' }],
        },
      ],
    },
  };
}

function portfolioReplies(
  at: number,
  now: number,
  { position, fill, curve, today }: Holdings,
): Replies {
  return {
    portfolio: {
      accountId: 'recorded-account',
      book: 1,
      paper: true,
      sourceId: 'recorded',
      quote: 'USDT',
      sequence: 1,
      asOf: at,
      servedAt: now,
      cash: '9007.44',
      positionsValue: '1004.96',
      equity: '10012.4',
      deposits: '10000',
      realized: '0',
      unrealized: '12.4',
      fees: '2.6',
      dayChange: '12.4',
      dayChangePercent: 0.124,
      unpriced: [],
      positions: [position],
      equityCurve: curve,
      drawdown: { peak: '10012.4', peakAt: at, deepest: 0, deepestAt: at },
      today,
      results: [
        {
          agentId: 'recorded-harbour',
          agentName: 'Harbour',
          pairs: [{ pair: 'ETH/USDT', trades: 1, sells: 0, realized: '0', fees: '2.6' }],
        },
      ],
    },
    taxLots: {
      paper: true,
      source: 'Recorded',
      quote: 'USDT',
      book: 1,
      asOf: at,
      through: 1,
      years: [],
      sums: NO_LOTS,
      all: NO_LOTS,
      realized: '0',
      rows: [],
      total: 0,
      next: null,
      held: [
        { pair: 'ETH/USDT', lots: 1, quantity: '0.4', basis: '992.56', averageCost: '992.56' },
      ],
    },
    history: { fills: [fill], sequence: 1, asOf: at, total: 1 },
  };
}

function analyticsReplies(at: number, { curve, today }: Holdings): Replies {
  return {
    analytics: {
      quote: 'USDT',
      asOf: at,
      trades: 1,
      sells: 0,
      traded: '989.96',
      days: 1,
      metrics: NO_METRICS,
      equity: curve,
      depth: 'read',
      book: 1,
      daily: [today],
      perHour: [],
      benchmark: {
        pair: 'BTC/USDT',
        since: at - 23 * HOUR,
        price: 67_284,
        points: curve.map(([time], hour): [number, string] => [
          time,
          (10_000 + hour * 5.4).toFixed(2),
        ]),
        totalReturn: 0.0124,
      },
      perAgent: [
        {
          agentId: 'recorded-harbour',
          agentName: 'Harbour',
          trades: 1,
          realized: '0',
          unrealized: '12.4',
          fees: '2.6',
        },
      ],
      perPair: [{ pair: 'ETH/USDT', trades: 1, realized: '0', unrealized: '12.4', fees: '2.6' }],
    },
  };
}
