/**
 * Puts the server's parts together over one database, one market and one clock. It opens and starts
 * nothing.
 */
import type { FastifyInstance } from 'fastify';
import { CALLS, STOP_CALLS, type CallName } from '../contract/calls.ts';
import { CONTRACT_VERSION } from '../contract/version.ts';
import { accountCallables } from './users/account-callables.ts';
import { Deletions, refuseDeleted, type DeletionDeps } from './users/account-deletion.ts';
import { AlertWatch } from './alerts/alert-watch.ts';
import { alertHandlers } from './alerts/alert-handlers.ts';
import { agentReadings } from './agents/agent-readings.ts';
import { agentHandlers } from './agents/agent-handlers.ts';
import { readAgentList, readRuns } from './agents/read-agents.ts';
import { Scheduler } from './agents/scheduler.ts';
import { DatabaseEntitlement } from './billing/entitlement.ts';
import { billingHandlers } from './billing/billing-handlers.ts';
import type { Payments } from './billing/payments.ts';
import { Reconciliation } from './billing/reconciliation.ts';
import { registerBillingRoutes } from './billing/routes.ts';
import { StripePayments } from './billing/stripe-payments.ts';
import { FakePayments } from './billing/fake-provider/fake-payments.ts';
import type { WallClock } from './clock.ts';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import type { Lane } from './db/lanes.ts';
import { EventNotifier, EventLog, type WordKind } from './db/user-events.ts';
import { buildApp, type AppDeps } from './http/app.ts';
import type { Callables } from './http/callable.ts';
import { heldCallables } from './http/callables.ts';
import { entriesOffOf } from './agents/trading-halts.ts';
import type { Handlers } from './http/handlers.ts';
import { networkOf } from './http/network-of.ts';
import { RateLimit, RateLimits } from './http/rate-limit.ts';
import { SharedSpending } from './http/shared-spending.ts';
import type { IdentityAdministration } from './identity/administration.ts';
import { EndedSessions } from './identity/ended-sessions.ts';
import type { TokenVerifier } from './identity/verifier.ts';
import type { LivePort, SignerPort } from './live/live-deps.ts';
import { takeBackPurchases } from './live/brakes.ts';
import { liveHandlers } from './live/live-handlers.ts';
import { openLiveDesk, type OpenLiveDesk } from './live/live-desk.ts';
import type { Log } from './log.ts';
import { marketHandlers } from './market/market-handlers.ts';
import { marketReadings } from './market/market-readings.ts';
import type { RunningMarket } from './market/running-market.ts';
import { operatorGauges } from './operator-gauges.ts';
import { portfolioHandlers } from './portfolio/portfolio-handlers.ts';
import { openAccount } from './portfolio/open-account.ts';
import { knownPortfolio, portfolioReadings } from './portfolio/portfolio-readings.ts';
import { portfolioFrom, readPortfolio } from './portfolio/read-portfolio.ts';
import { openReads, type Reads } from './reads/open-reads.ts';
import { ReadQueue } from './reads/read-queue.ts';
import { pushCallables } from './push/push-callables.ts';
import { pushAgent } from './push/endpoint.ts';
import { PushSender } from './push/sender.ts';
import { openVapid } from './push/vapid.ts';
import { referralCallables } from './referrals/referral-callables.ts';
import { ReferralRewards } from './referrals/rewards.ts';
import { supportCallables } from './support/support-callables.ts';
import { ensureUser } from './users/ensure-user.ts';
import { userHandlers } from './users/user-handlers.ts';
import { walletHandlers } from './wallet/wallet-handlers.ts';

export interface Parts {
  config: Config;
  database: Database;
  market: RunningMarket;
  verifier: TokenVerifier;
  administration: IdentityAdministration;
  clock: WallClock;
  log: Log;
  /** Whether the rest of the server can serve, by part; asked by /readyz. */
  readiness(): Promise<Record<string, string>>;
  extend?: readonly ((app: FastifyInstance) => void | Promise<void>)[];
  bare?: readonly string[];
  dist?: string;
}

export interface Composed {
  app: FastifyInstance;
  /** Notifies the streams of this process. */
  notifier: EventNotifier;
  scheduler: Scheduler;
  payments: Payments;
  events: EventLog;
  push: PushSender;
  rewards: ReferralRewards;
  deletions: Deletions;
  reconciliation: Reconciliation;
  alerts: AlertWatch;
  /** Null where live trading is turned off. */
  live: OpenLiveDesk | null;
}

function paymentsOf(
  config: Config,
  database: Database,
  events: EventLog,
  clock: WallClock,
  log: Log,
): Payments {
  const { secretKey, webhookSecret, apiBase, prices } = config.payments;
  if (secretKey === null || webhookSecret === null)
    return new FakePayments({ database, events, clock });
  return new StripePayments(
    { secretKey, webhookSecret, apiBase, prices, publicOrigin: config.publicOrigin },
    clock,
    log,
  );
}

function healthHandlers(parts: Parts): Pick<Handlers, 'healthz' | 'readyz'> {
  return {
    healthz: async () => ({
      app: 'tradewind',
      status: 'ok',
      contract: CONTRACT_VERSION,
      time: parts.clock.now(),
    }),
    readyz: async () => {
      const states = await parts.readiness();
      return {
        app: 'tradewind',
        ready: Object.values(states).every((state) => state === 'ready'),
        parts: states,
      };
    },
  };
}

/** What every noun that trades, bills or tells works with. */
interface Trading {
  database: Database;
  market: RunningMarket;
  events: EventLog;
  clock: WallClock;
  log: Log;
  entitlement: DatabaseEntitlement;
  live?: LivePort;
}

/** The same parts for those who go before or after others on the database. */
function onLane(trading: Trading, lane: Lane): Trading {
  const database = trading.database.on(lane);
  return { ...trading, database, entitlement: new DatabaseEntitlement(database, trading.clock) };
}

/** Handlers by what waits for them: a stop before other commands, what is only looked at last. */
function laneHandlers(
  parts: Parts,
  trading: Trading,
  payments: Payments,
  alerts: AlertWatch,
  signer: SignerPort | null,
): Handlers {
  const made = (lane: Lane): Handlers =>
    callHandlers(parts, onLane(trading, lane), payments, alerts, signer);
  const byLane: Partial<Record<Lane, Handlers>> = {
    stop: made('stop'),
    command: made('command'),
    read: made('read'),
  };
  return Object.fromEntries(
    Object.entries(CALLS).map(([name, { method }]) => {
      const call = name as CallName;
      const lane = STOP_CALLS.includes(call) ? 'stop' : method === 'GET' ? 'read' : 'command';
      return [name, byLane[lane]?.[call]];
    }),
  ) as unknown as Handlers;
}

function callHandlers(
  parts: Parts,
  trading: Trading,
  payments: Payments,
  alerts: AlertWatch,
  signer: SignerPort | null,
): Handlers {
  const { config, market } = parts;
  const { publicOrigin, wallet } = config;
  return {
    ...healthHandlers(parts),
    ...billingHandlers({
      ...trading,
      payments,
      trialDays: config.trialDays,
      publicOrigin,
      coupon: config.payments.coupon,
    }),
    ...marketHandlers({ market }),
    ...agentHandlers(trading),
    ...alertHandlers({
      ...trading,
      changed: (id) => {
        alerts.note(id);
      },
    }),
    ...portfolioHandlers(trading),
    ...liveHandlers(trading, signer, publicOrigin),
    ...userHandlers({
      ...trading,
      takeBackPurchases: (tx, uid) => takeBackPurchases(tx, trading, trading.live ?? null, uid),
    }),
    ...walletHandlers({ ...trading, publicOrigin, wallet }),
  };
}

/** Hosted functions go before ticks as other commands do; the pages of an export are heavy reads. */
function hostedFunctions(
  account: DeletionDeps & { trading: Trading },
  deletions: Deletions,
  push: { publicKey: string; allowLocal: boolean },
  reads: Reads,
): Callables {
  const trading = onLane(account.trading, 'command');
  return heldCallables({
    ...pushCallables({ ...trading, ...push }),
    ...referralCallables(trading),
    ...supportCallables(trading),
    ...accountCallables({ ...account, trading }, deletions, reads.deps),
  });
}

/** What HTTP asks the database about a person. */
function peopleOf(
  trading: Trading,
  reads: Reads,
): Pick<AppDeps, 'admit' | 'readMarks' | 'readRuns' | 'readEntriesOff'> {
  const { database, market, clock } = trading;
  // Every open stream asks: they wait for each other, and none is refused.
  const marksInTurn = new ReadQueue({ atOnce: 1, waiting: Infinity, waitingEach: Infinity });
  return {
    // A stop may be the first word of somebody whom this process has not seen.
    admit: (identity, isStop) =>
      database.on(isStop ? 'stop' : 'command').transaction(async (tx) => {
        await refuseDeleted(tx, identity.uid);
        await ensureUser(tx, identity, clock);
        await openAccount(tx, identity.uid, market, clock);
      }),
    readMarks: async (uid) => {
      const { facts } = await knownPortfolio(reads.deps, uid, undefined, (person, work) =>
        marksInTurn.run(person, work),
      );
      return facts.shown.positions.length === 0 ? null : portfolioFrom(trading, facts);
    },
    readRuns: (uids) => readRuns(trading, uids),
    readEntriesOff: (uids) => entriesOffOf(database.db, market.source.id, uids, clock.now()),
  };
}

/** What servers on one database tell each other about the people who use them. */
interface Fleet {
  ended: EndedSessions;
  limits: RateLimits;
}

/**
 * Sign-ins that end at one server end at all, and what is spent of a limit at one is spent at all.
 * A word that is lost costs an account check's time, or a little of a limit.
 */
function joinFleet({ config, database, clock, log }: Parts, notifier: EventNotifier): Fleet {
  const tell = async (kind: WordKind, texts: readonly string[]): Promise<void> => {
    try {
      await database.pubsub?.publish(
        database.db,
        texts.map((text) => `${kind} ${text}`),
      );
    } catch (error) {
      log.warn({ kind, reason: String(error) }, 'Other servers could not be told');
    }
  };
  const ended = new EndedSessions((uid) => tell('ended', [uid]));
  notifier.listenWord('ended', (uid) => {
    ended.hear(uid);
  });
  const limits = new RateLimits(config.rateLimit, clock);
  if (database.pubsub !== null) {
    const spending = new SharedSpending(limits, clock, (texts) => tell('spent', texts));
    notifier.listenWord('spent', (text) => {
      spending.hear(text);
    });
  }
  return { ended, limits };
}

function billingRoutes(
  { config, clock }: Parts,
  trading: Trading,
  payments: Payments,
): NonNullable<Parts['extend']>[number] {
  const anonymousLimit = new RateLimit(config.rateLimit.ipPerSecond, clock);
  return (scope) =>
    registerBillingRoutes(scope, {
      ...trading,
      payments,
      limit: (ip) => {
        anonymousLimit.take(networkOf(ip));
      },
    });
}

function tradingOf(
  { database, market, clock, log }: Parts,
  events: EventLog,
  live: OpenLiveDesk | null,
): Trading {
  const entitlement = new DatabaseEntitlement(database, clock);
  const trading = { database, market, events, clock, log, entitlement };
  return live === null ? trading : { ...trading, live: live.desk };
}

export async function compose(parts: Parts): Promise<Composed> {
  const { config, database, market, clock, log } = parts;
  const notifier = new EventNotifier();
  const events = new EventLog(notifier, clock, database.pubsub);
  const payments = paymentsOf(config, database, events, clock, log);
  const live = openLiveDesk(config.signer, { database, market, events, clock, log });
  const trading = tradingOf(parts, events, live);
  const reads = openReads(config, trading, onLane(trading, 'read'));
  const vapid = await openVapid(database, config.push);
  const { ended, limits } = joinFleet(parts, notifier);
  const account = { trading, payments, administration: parts.administration, ended };
  const deletions = new Deletions(account);
  const alerts = new AlertWatch(trading);
  const { publicKey } = vapid;
  const app = await buildApp({
    config,
    database,
    market,
    clock,
    log,
    notifier,
    verifier: parts.verifier,
    handlers: laneHandlers(parts, trading, payments, alerts, live?.signer ?? null),
    readings: {
      ...portfolioReadings(reads.deps),
      ...agentReadings(reads.deps),
      ...marketReadings(market),
    },
    turn: reads.deps.turn,
    ended,
    limits,
    callables: hostedFunctions(
      account,
      deletions,
      { publicKey, allowLocal: config.push.allowLocal },
      reads,
    ),
    ...peopleOf(trading, reads),
    gauges: operatorGauges(database, market, reads, clock, live?.signer ?? null),
    extend: [billingRoutes(parts, trading, payments), ...(parts.extend ?? [])],
    ...(parts.bare === undefined ? {} : { bare: parts.bare }),
    ...(parts.dist === undefined ? {} : { dist: parts.dist }),
  });
  const push = new PushSender({
    database,
    clock,
    log,
    vapid,
    agent: pushAgent(config.push.allowLocal),
    readAgents: (uid) => readAgentList(trading, uid),
    readPortfolio: (uid) => readPortfolio(trading, uid),
    readValidSince: (uid) => parts.administration.validSince(uid),
  });
  return {
    app,
    notifier,
    scheduler: new Scheduler(trading, config.agentBatch),
    payments,
    events,
    push,
    rewards: new ReferralRewards({ ...trading, payments }),
    deletions,
    reconciliation: new Reconciliation({ ...trading, payments }),
    alerts,
    live,
  };
}
