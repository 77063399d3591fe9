/** Every REST call of the product as data: method, path, body and reply. */
import * as z from 'zod/mini';
import {
  AgentCommandBody,
  AgentCommandReply,
  AgentCreateBody,
  AgentList,
  AgentReply,
  AgentsCreatedReply,
  AgentSettingsBody,
  AgentSettingsQuery,
  AgentSummary,
  AllAgentsCommandBody,
  AllAgentsCommandReply,
  PoolCreateBody,
  ReconfigureBody,
} from './agents.ts';
import { AlertBody, AlertDeletedReply, AlertList, AlertReply } from './alerts.ts';
import { Health, Readiness } from './health.ts';
import { AgentInsight } from './insight.ts';
import {
  CheckKeyBody,
  CheckKeyReply,
  ConfirmationBody,
  ConfirmationReply,
  ConnectBody,
  ConnectionReply,
  ConnectReply,
  GiveUpReply,
  LiveAccount,
  LiveConnections,
  LiveExitReply,
  LiveLimitsBody,
  LiveTaxLots,
  PasskeyBody,
  PasskeyDeletedReply,
  PasskeyOptionsReply,
  PasskeyReply,
  Passkeys,
  Shadow,
  StartLiveBody,
  StartLiveReply,
  WriteOffBody,
  WriteOffReply,
  ReplaceKeyBody,
  ReplaceKeyReply,
} from './live.ts';
import {
  Candles,
  CandlesQuery,
  MarketData,
  MarketOverview,
  MarketPools,
  Sparklines,
} from './market.ts';
import {
  OnrampOptions,
  OnrampOptionsQuery,
  OnrampQuoteBody,
  OnrampQuoteReply,
  OnrampSessionBody,
  OnrampSessionReply,
} from './onramp.ts';
import { ChangePreview, ChangePreviewQuery, Invoices } from './plan-change.ts';
import { BacktestTerms, BacktestTermsBody } from './backtest.ts';
import { AgentPreview, AgentPreviewBody } from './preview.ts';
import {
  CheckoutBody,
  CheckoutReply,
  CheckoutStateReply,
  Plans,
  PortalBody,
  PortalReply,
  SubscribeBody,
  SubscribeReply,
  SubscriptionStatusReply,
  TrialStartBody,
  TrialStartReply,
  TrialStatus,
  Usage,
} from './subscription.ts';
import { TaxLots, TaxLotsQuery } from './tax.ts';
import { tierPermits } from './tiers.ts';
import type { Permission, Tier } from './permission.ts';
import {
  AgentPerformance,
  Analytics,
  AnalyticsQuery,
  ClosePositionReply,
  History,
  HistoryQuery,
  LiquidateReply,
  PaperResetReply,
  Portfolio,
  PortfolioQuery,
} from './trading.ts';
import {
  RiskProfileBody,
  RiskProfileQuery,
  RiskProfileReply,
  TradingSettings,
  TradingSettingsBody,
  TradingSettingsReply,
  UsePresetsBody,
  UsePresetsReply,
} from './user.ts';
import {
  LinkAddressBody,
  LinkAddressReply,
  LinkMessageBody,
  LinkMessageReply,
  UnlinkReply,
  WalletStatus,
} from './wallet.ts';

const Nothing = z.strictObject({});
const AnyQuery = z.object({});
const IdParams = z.object({ id: z.string().check(z.minLength(1), z.maxLength(1000)) });
const NoParams = z.object({});

/** `symbols` is a comma-separated list: `BTC/USDT,ETH/USDT`. */
const SymbolsQuery = z.object({ symbols: z.optional(z.string().check(z.maxLength(5000))) });
const AgentDeletedReply = z.object({ commandId: z.string(), agentId: z.string() });
type AgentDeletedReply = z.infer<typeof AgentDeletedReply>;

export interface Call<
  P extends z.ZodMiniType,
  Q extends z.ZodMiniType,
  B extends z.ZodMiniType,
  R extends z.ZodMiniType,
> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  summary: string;
  /**
   * `token`: needs a signed-in user. Every `token` call that is not a GET needs an Idempotency-Key
   * as well.
   */
  access: 'open' | 'token';
  /**
   * What the caller's plan must permit; null where every plan does. A value in the body may need
   * more.
   */
  needs: Pick<Permission, 'resource' | 'action'> | null;
  params: P;
  query: Q;
  body: B;
  reply: R;
}

const call = <
  P extends z.ZodMiniType = typeof NoParams,
  Q extends z.ZodMiniType = typeof AnyQuery,
  B extends z.ZodMiniType = typeof Nothing,
  R extends z.ZodMiniType = typeof Nothing,
>(
  method: Call<P, Q, B, R>['method'],
  path: string,
  summary: string,
  parts: {
    params?: P;
    query?: Q;
    body?: B;
    reply: R;
    access?: 'open' | 'token';
    needs?: NonNullable<Call<P, Q, B, R>['needs']>;
  },
): Call<P, Q, B, R> => ({
  method,
  path,
  summary,
  access: parts.access ?? 'token',
  needs: parts.needs ?? null,
  params: (parts.params ?? NoParams) as P,
  query: (parts.query ?? AnyQuery) as Q,
  body: (parts.body ?? Nothing) as B,
  reply: parts.reply,
});

const CREATE_AGENTS = { resource: 'agents', action: 'create' } as const;
const START_AGENTS = { resource: 'trading', action: 'basic' } as const;

export const CALLS = {
  healthz: call('GET', '/healthz', 'Whether this is Tradewind and running', {
    access: 'open',
    reply: Health,
  }),
  readyz: call('GET', '/readyz', 'Whether the server is ready for requests', {
    access: 'open',
    reply: Readiness,
  }),

  plans: call('GET', '/subscriptions/plans', 'Plans with their price ids', { reply: Plans }),
  subscribe: call(
    'POST',
    '/api/subscription/subscribe',
    'Subscribe to a plan; 402 with the checkout to use where the plan is paid',
    { body: SubscribeBody, reply: SubscribeReply },
  ),
  customerPortal: call('POST', '/subscriptions/customer-portal', 'A link to the billing portal', {
    body: PortalBody,
    reply: PortalReply,
  }),
  createCheckout: call('POST', '/subscriptions/create-checkout', 'A checkout session for a price', {
    body: CheckoutBody,
    reply: CheckoutReply,
  }),
  checkoutState: call(
    'GET',
    '/api/subscription/checkout',
    'Whether a checkout that was opened lately was completed',
    { reply: CheckoutStateReply },
  ),
  subscriptionStatus: call('GET', '/subscriptions/status', 'The current subscription', {
    reply: SubscriptionStatusReply,
  }),
  usage: call('GET', '/api/subscription/usage', 'What the plan allows and what is used', {
    reply: Usage,
  }),
  changePreview: call(
    'GET',
    '/api/subscription/change-preview',
    'What another plan would mean for agents and money; changes nothing',
    { query: ChangePreviewQuery, reply: ChangePreview },
  ),
  invoices: call('GET', '/api/subscription/invoices', 'The newest invoices', { reply: Invoices }),
  trialStart: call('POST', '/api/subscription/trial/start', 'Start the one free trial', {
    body: TrialStartBody,
    reply: TrialStartReply,
  }),
  trialStatus: call('GET', '/api/subscription/trial/status', 'The trial, if any', {
    reply: TrialStatus,
  }),

  marketData: call('GET', '/market/data', 'Latest price and 24 h figures of symbols', {
    query: SymbolsQuery,
    reply: MarketData,
  }),
  marketOverview: call('GET', '/market/overview', 'Market overview', {
    reply: MarketOverview,
  }),
  sparklines: call('GET', '/market/sparklines', 'Sparklines of the last 24 h', {
    query: SymbolsQuery,
    reply: Sparklines,
  }),
  marketPools: call('GET', '/market/pools', 'The trading pools', { reply: MarketPools }),
  candles: call('GET', '/market/candles', 'Closed candles of one symbol', {
    query: CandlesQuery,
    reply: Candles,
  }),

  agents: call('GET', '/api/agents', 'All agents of the user', { reply: AgentList }),
  createPool: call(
    'POST',
    '/api/agents/create-pool',
    'One agent for each pool that suits the profile',
    { body: PoolCreateBody, needs: CREATE_AGENTS, reply: AgentsCreatedReply },
  ),
  createAgent: call('POST', '/api/agents/create', 'Create an agent', {
    body: AgentCreateBody,
    needs: CREATE_AGENTS,
    reply: AgentReply,
  }),
  previewAgent: call(
    'POST',
    '/api/agents/preview',
    'What an agent would do now, on the newest closed candle; changes nothing',
    { body: AgentPreviewBody, needs: CREATE_AGENTS, reply: AgentPreview },
  ),
  backtestTerms: call(
    'POST',
    '/api/agents/backtest-terms',
    'Everything a backtest of an agent needs except the candles; changes nothing',
    { body: BacktestTermsBody, needs: CREATE_AGENTS, reply: BacktestTerms },
  ),
  updateAgent: call('PUT', '/api/agents/:id/settings', 'Change an agent', {
    params: IdParams,
    query: AgentSettingsQuery,
    body: AgentSettingsBody,
    reply: AgentReply,
  }),
  startAgent: call('POST', '/api/agents/:id/start', 'Start an agent', {
    params: IdParams,
    body: AgentCommandBody,
    needs: START_AGENTS,
    reply: AgentCommandReply,
  }),
  stopAgent: call('POST', '/api/agents/:id/stop', 'Stop an agent; its stop losses stay active', {
    params: IdParams,
    body: AgentCommandBody,
    reply: AgentCommandReply,
  }),
  startAll: call('POST', '/api/agents/start-all', 'Start the listed agents, or all', {
    body: AllAgentsCommandBody,
    reply: AllAgentsCommandReply,
  }),
  stopAll: call('POST', '/api/agents/stop-all', 'Stop every agent', {
    body: AllAgentsCommandBody,
    reply: AllAgentsCommandReply,
  }),
  reconfigure: call(
    'POST',
    '/api/agents/reconfigure',
    'Give every agent a profile and a frequency',
    {
      body: ReconfigureBody,
      needs: { resource: 'trading', action: 'advanced' },
      reply: AgentsCreatedReply,
    },
  ),
  deleteAgent: call('DELETE', '/api/agents/:id', 'Delete an agent without open positions', {
    params: IdParams,
    reply: AgentDeletedReply,
  }),
  liquidateAgent: call('POST', '/api/agents/:id/liquidate', 'Stop and sell', {
    params: IdParams,
    reply: LiquidateReply,
  }),
  agentPerformance: call(
    'GET',
    '/api/agents/:id/performance',
    'Results, trades and decisions of one agent',
    { params: IdParams, reply: AgentPerformance },
  ),
  agentSummary: call('GET', '/api/agents/summary', 'Totals over all agents', {
    reply: AgentSummary,
  }),
  agentInsight: call(
    'GET',
    '/api/agents/insight',
    'Results of agents over time; with Pro, also headroom to their limits and their decisions',
    { reply: AgentInsight },
  ),

  alerts: call(
    'GET',
    '/api/alerts',
    'All price alerts of the user, and when they were last reached',
    { reply: AlertList },
  ),
  setAlert: call(
    'PUT',
    '/api/alerts/:id',
    'Create or change a price alert; the id is made by the client',
    {
      params: IdParams,
      body: AlertBody,
      needs: { resource: 'market', action: 'read' },
      reply: AlertReply,
    },
  ),
  deleteAlert: call('DELETE', '/api/alerts/:id', 'Delete a price alert', {
    params: IdParams,
    reply: AlertDeletedReply,
  }),

  riskProfile: call('PUT', '/api/user/risk-profile', "The user's own percentages for a profile", {
    query: RiskProfileQuery,
    body: RiskProfileBody,
    needs: { resource: 'trading', action: 'standard' },
    reply: RiskProfileReply,
  }),
  // On every plan: what a smaller one cannot set stays in effect until it is removed here.
  usePresets: call(
    'POST',
    '/api/user/risk-profile/presets',
    "Remove the user's own percentages for a profile",
    { body: UsePresetsBody, reply: UsePresetsReply },
  ),
  tradingSettings: call('GET', '/api/user/trading-settings', "The user's trading settings", {
    reply: TradingSettings,
  }),
  updateTradingSettings: call(
    'PUT',
    '/api/user/trading-settings',
    "Change the user's trading settings",
    { body: TradingSettingsBody, reply: TradingSettingsReply },
  ),

  walletStatus: call('GET', '/api/wallet/status', 'Venue, mode, balances and linked addresses', {
    reply: WalletStatus,
  }),
  linkMessage: call(
    'POST',
    '/api/wallet/link/message',
    'A message for a wallet to sign, valid once and for ten minutes',
    { body: LinkMessageBody, reply: LinkMessageReply },
  ),
  linkAddress: call(
    'POST',
    '/api/wallet/link',
    'Link an address by its signature of that message',
    { body: LinkAddressBody, reply: LinkAddressReply },
  ),
  unlinkAddress: call('DELETE', '/api/wallet/links/:id', 'Unlink an address', {
    params: IdParams,
    reply: UnlinkReply,
  }),
  onrampSession: call(
    'POST',
    '/api/wallet/onramp/session',
    "A token that opens the onramp's own page once; changes nothing here",
    { body: OnrampSessionBody, reply: OnrampSessionReply },
  ),
  onrampQuote: call('POST', '/api/wallet/onramp/quote', 'A quote for a purchase; changes nothing', {
    body: OnrampQuoteBody,
    reply: OnrampQuoteReply,
  }),
  onrampOptions: call(
    'GET',
    '/api/wallet/onramp/options',
    'Coins, currencies and payment methods of a country, with limits',
    { query: OnrampOptionsQuery, reply: OnrampOptions },
  ),

  portfolio: call(
    'GET',
    '/api/trading/portfolio',
    'Cash, positions and equity, of an earlier account if one is named',
    { query: PortfolioQuery, reply: Portfolio },
  ),
  history: call(
    'GET',
    '/api/trading/history',
    'Fills, newest first, of an earlier account if one is named',
    { query: HistoryQuery, reply: History },
  ),
  taxLots: call(
    'GET',
    '/api/trading/tax-lots',
    'Tax lots, first in, first out, in pages; of an earlier account if one is named',
    { query: TaxLotsQuery, reply: TaxLots },
  ),
  analytics: call(
    'GET',
    '/api/trading/analytics',
    'Metrics and breakdowns, as far as the plan allows; of an earlier account if one is named',
    { query: AnalyticsQuery, reply: Analytics },
  ),
  closePosition: call('POST', '/api/trading/positions/:id/close', 'Sell one position', {
    params: IdParams,
    reply: ClosePositionReply,
  }),
  resetPaper: call(
    'POST',
    '/api/trading/paper/reset',
    'Open a new paper account; the old one stays readable',
    { reply: PaperResetReply },
  ),

  liveConnections: call('GET', '/api/live/connections', 'Exchange accounts and their state', {
    reply: LiveConnections,
  }),
  checkExchangeKey: call(
    'POST',
    '/api/live/check-key',
    'What a key may do at its exchange; nothing is kept',
    { body: CheckKeyBody, reply: CheckKeyReply },
  ),
  connectExchange: call(
    'POST',
    '/api/live/connections',
    'Connect an exchange account and open its live account; the signer keeps the key',
    { body: ConnectBody, reply: ConnectReply },
  ),
  replaceExchangeKey: call(
    'PUT',
    '/api/live/connections/:id/key',
    'Keep another key of the same exchange account, by a confirmation that the signer accepts',
    { params: IdParams, body: ReplaceKeyBody, reply: ReplaceKeyReply },
  ),
  liveAccount: call(
    'GET',
    '/api/live/connections/:id',
    'One live account: cash, positions, orders, and what changed without us',
    { params: IdParams, reply: LiveAccount },
  ),
  setLiveLimits: call(
    'PUT',
    '/api/live/connections/:id/limits',
    'Limits and brakes; higher limits need a confirmation',
    { params: IdParams, body: LiveLimitsBody, reply: ConnectionReply },
  ),
  endLiveTrading: call(
    'POST',
    '/api/live/connections/:id/end',
    'Stop every agent of the account, and cancel all orders of ours, stop losses too',
    { params: IdParams, reply: ConnectionReply },
  ),
  removeConnection: call(
    'DELETE',
    '/api/live/connections/:id',
    'Delete the key and close the live account, once no order of ours is open',
    { params: IdParams, reply: ConnectionReply },
  ),
  startLiveAgent: call(
    'POST',
    '/api/live/agents/:id/start',
    'Start an agent with real money, by a confirmation that the signer accepts',
    { params: IdParams, body: StartLiveBody, needs: START_AGENTS, reply: StartLiveReply },
  ),
  closeLivePosition: call(
    'POST',
    '/api/live/positions/:id/close',
    'Sell one position at its exchange; done when the exchange says so',
    { params: IdParams, reply: LiveExitReply },
  ),
  writeOffPosition: call(
    'POST',
    '/api/live/positions/:id/write-off',
    'Give up coins of a position that the account does not have any more, at cost',
    { params: IdParams, body: WriteOffBody, reply: WriteOffReply },
  ),
  confirmLive: call(
    'POST',
    '/api/live/connections/:id/confirmation',
    'What to sign for a start, higher limits or a new key, valid once and for five minutes',
    { params: IdParams, body: ConfirmationBody, reply: ConfirmationReply },
  ),
  passkeys: call('GET', '/api/passkeys', 'Passkeys that may confirm live trading', {
    reply: Passkeys,
  }),
  passkeyOptions: call(
    'POST',
    '/api/passkeys/options',
    'What a browser needs to make a passkey, valid once and for five minutes',
    { reply: PasskeyOptionsReply },
  ),
  addPasskey: call('POST', '/api/passkeys', 'Keep a passkey that a browser has made', {
    body: PasskeyBody,
    reply: PasskeyReply,
  }),
  deletePasskey: call(
    'DELETE',
    '/api/passkeys/:id',
    'Forget a passkey; accounts that were connected with it keep their own copy',
    { params: IdParams, reply: PasskeyDeletedReply },
  ),
  liveShadow: call(
    'GET',
    '/api/live/agents/:id/shadow',
    'A live agent beside its twin on paper, decision by decision',
    { params: IdParams, reply: Shadow },
  ),
  liveTaxLots: call(
    'GET',
    '/api/live/connections/:id/tax-lots',
    'Tax lots of real fills, first in, first out, in pages',
    { params: IdParams, query: TaxLotsQuery, reply: LiveTaxLots },
  ),
  giveUpOrder: call(
    'POST',
    '/api/live/orders/:id/give-up',
    'An order that stays unknown for five minutes, or that a refused key cannot read for ten',
    { params: IdParams, reply: GiveUpReply },
  ),
} as const;

export type CallName = keyof typeof CALLS;
export type CallReply<N extends CallName> = z.output<(typeof CALLS)[N]['reply']>;
export type CallBody<N extends CallName> = z.input<(typeof CALLS)[N]['body']>;
export type CallQuery<N extends CallName> = z.input<(typeof CALLS)[N]['query']>;
export type CallParams<N extends CallName> = z.input<(typeof CALLS)[N]['params']>;

/** Whether a plan permits a call at all. */
export function tierPermitsCall(tier: Tier | null | undefined, name: CallName): boolean {
  const { needs } = CALLS[name];
  return needs === null || tierPermits(tier, needs.resource, needs.action);
}

/**
 * Mutations that must arrive even under load and past limits: stop has a bucket of its own and is
 * never refused for a plan.
 */
export const STOP_CALLS: readonly CallName[] = ['stopAgent', 'stopAll', 'endLiveTrading'];

/** Subscription calls are tried once, never again by themselves. */
export const SUBSCRIPTION_CALLS: readonly CallName[] = [
  'plans',
  'subscribe',
  'customerPortal',
  'createCheckout',
  'subscriptionStatus',
  'usage',
  'changePreview',
  'invoices',
  'trialStart',
  'trialStatus',
];
