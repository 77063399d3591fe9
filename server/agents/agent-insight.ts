/** All agents of a user over time, and with Pro their headroom to their limits. */
import { and, desc, gte, inArray } from 'drizzle-orm';
import type { Agent } from '../../contract/agents.ts';
import type { AgentInsight, RiskDistance } from '../../contract/insight.ts';
import { formatFixed, parseFixed, subtract, toNumber, type Fixed } from '../../contract/money.ts';
import { tierPermits } from '../../contract/tiers.ts';
import {
  followOutsideCash,
  readMemory,
  type AccountWorth,
} from '../../engine/execution/agent-memory.ts';
import { DAY_MS } from '../../engine/execution/schedule.ts';
import type { RiskValues } from '../../engine/execution/agent-types.ts';
import type { Db } from '../db/database.ts';
import { agentTests, decisions } from '../db/schema.ts';
import { readPlan, tierOfPlan, type PlanFacts } from '../billing/entitlement.ts';
import { loadGuardedAccounts, worthOf, type GuardedAccount } from '../live/guarded-account.ts';
import { openLiveAccounts } from '../live/live-accounts.ts';
import type { Market } from '../market/market-source.ts';
import {
  loadPortfolioIn,
  portfolioFrom,
  type PortfolioFacts,
} from '../portfolio/read-portfolio.ts';
import { figuresAt, readFigures, type FigureRow } from '../portfolio/trade-results.ts';
import { riskValuesFor } from '../users/user-settings.ts';
import {
  readSeriesPrices,
  seriesFrom,
  tradesOf,
  type SeriesPrices,
  type Traded,
} from './agent-series.ts';
import type { Turn } from '../reads/known-facts.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { toDecision } from './agent-performance.ts';
import {
  agentRows,
  agentsFrom,
  loadResults,
  type AgentResults,
  type AgentRow,
} from './read-agents.ts';
import { agentTestsFrom, readTestedAgents, type TestedAgent } from './backtest-records.ts';

type RiskLimits = Pick<RiskValues, 'dayLossHalt' | 'drawdownHalt'>;

const DECISIONS_SHOWN = 200;
/** Wall clock: further back nothing is looked for, so that a long history costs nothing. */
const DECISIONS_WITHIN_MS = DAY_MS;

/** What the insight is made of; prices and the time are not in it. */
export interface InsightFacts {
  account: PortfolioFacts;
  rows: AgentRow[];
  results: AgentResults;
  trades: Traded;
  figures: FigureRow[];
  plan: PlanFacts;
  limits: Map<string, RiskLimits>;
  decided: (typeof decisions.$inferSelect)[];
  /** Accounts at exchanges, by connection. */
  live: Map<string, GuardedAccount>;
  /** Whether any agent was tested: its record is then read with the prices. */
  tested: boolean;
}

/** What an exchange may be asked for. */
export interface InsightPrices {
  lines: SeriesPrices;
  tested: TestedAgent[];
}

export async function readInsight(deps: TradingDeps, uid: string): Promise<AgentInsight> {
  const facts = await loadInsight(deps, uid);
  return insightFrom(deps, facts, await readInsightPrices(deps, uid, facts));
}

/** `turn`: when the database may be read for it. */
export async function readInsightPrices(
  deps: TradingDeps,
  uid: string,
  { account, rows, trades, tested }: InsightFacts,
  turn: Turn = (_uid, work) => work(),
): Promise<InsightPrices> {
  const [lines, found] = await Promise.all([
    readSeriesPrices(deps.market, trades),
    tested ? readTestedAgents(deps, uid, account.shown.id, rows, turn) : [],
  ]);
  return { lines, tested: found };
}

export async function loadInsight(deps: TradingDeps, uid: string): Promise<InsightFacts> {
  const { database, market } = deps;
  return database.transaction(async (tx) => {
    const { db } = tx;
    const account = await loadPortfolioIn(tx, deps, uid);
    const rows = await agentRows(db, uid, market.source.id);
    const ids = rows.map(({ id }) => id);
    const limits = new Map<string, RiskLimits>();
    for (const profile of new Set(rows.map(({ riskProfile }) => riskProfile)))
      limits.set(profile, await riskValuesFor(db, uid, profile));
    return {
      account,
      rows,
      limits,
      results: await loadResults(db, market, rows),
      trades: await tradesOf(
        db,
        [account.shown.id, ...(await exchangeAccounts(db, uid, rows))],
        ids,
        market.now(),
      ),
      figures: await readFigures(db, account.shown.id),
      plan: await readPlan(db, uid),
      decided: await newestDecisions(db, ids, deps.clock.now()),
      live: await loadGuardedAccounts(db, [
        ...new Set(rows.flatMap(({ connectionId }) => connectionId ?? [])),
      ]),
      tested: await anyTested(db, ids),
    };
  });
}

/** What agents traded at exchanges is in the accounts there, as their results are. */
async function exchangeAccounts(db: Db, uid: string, rows: readonly AgentRow[]): Promise<string[]> {
  if (rows.every(({ connectionId }) => connectionId === null)) return [];
  return (await openLiveAccounts(db, [uid])).map(({ id }) => id);
}

/** At present prices. */
export function insightFrom(
  deps: TradingDeps,
  facts: InsightFacts,
  { lines, tested }: InsightPrices,
): AgentInsight {
  const { market, clock } = deps;
  const portfolio = portfolioFrom(deps, facts.account);
  const agents = agentsFrom(market, facts.rows, facts.results);
  const totals = new Map(
    agents.map((agent: Agent) => [agent.id, toNumber(parseFixed(agent.total))]),
  );
  const now = market.now();
  return {
    asOf: now,
    stepMs: lines.stepMs,
    series: seriesFrom(now, facts.trades, totals, lines),
    tests: agentTestsFrom(now, tested, agents),
    figures: figuresAt(facts.figures, now),
    pro: proOf(facts, portfolio.equity, market, clock.now()),
  };
}

function proOf(
  { plan, rows, limits, decided, live }: InsightFacts,
  equity: string,
  market: Market,
  now: number,
): AgentInsight['pro'] {
  if (!tierPermits(tierOfPlan(plan, now), 'pro-features', 'read')) return null;
  const worth = new Map([...live].map(([id, account]) => [id, worthOf(account, market)]));
  return {
    equity,
    risk: rows.map((row) => {
      const mine = limits.get(row.riskProfile);
      if (mine === undefined) throw new Error('An agent without limits');
      const own = row.connectionId == null ? undefined : worth.get(row.connectionId);
      return distance(row, own ?? { equity: parseFixed(equity) }, market.now(), mine);
    }),
    decisions: decided
      .filter(({ recordedAt }) => recordedAt >= now - DECISIONS_WITHIN_MS)
      .map(toDecision),
  };
}

/** The guards' own marks against the account now. The day's mark counts on its day alone. */
export function distance(
  row: Pick<AgentRow, 'id' | 'memory'>,
  worth: AccountWorth,
  now: number,
  limits: RiskLimits,
): RiskDistance {
  const memory = readMemory(row.memory);
  followOutsideCash(memory, worth);
  const { day, highWater } = memory;
  const { equity } = worth;
  const today = day !== null && day.start === Math.floor(now / DAY_MS) * DAY_MS ? day.equity : null;
  const under = (mark: Fixed | null): number | null =>
    mark === null || mark <= 0n
      ? null
      : Math.max(0, toNumber(subtract(mark, equity)) / toNumber(mark));
  return {
    agentId: row.id,
    dayStart: today === null ? null : formatFixed(today),
    dayLoss: under(today),
    dayLossLimit: limits.dayLossHalt,
    peak: highWater === null ? null : formatFixed(highWater),
    drawdown: under(highWater),
    drawdownLimit: limits.drawdownHalt,
  };
}

async function newestDecisions(
  db: Db,
  agentIds: readonly string[],
  now: number,
): Promise<(typeof decisions.$inferSelect)[]> {
  if (agentIds.length === 0) return [];
  return db
    .select()
    .from(decisions)
    .where(
      and(
        inArray(decisions.agentId, [...agentIds]),
        gte(decisions.recordedAt, now - DECISIONS_WITHIN_MS),
      ),
    )
    .orderBy(desc(decisions.recordedAt), desc(decisions.atMarketMs))
    .limit(DECISIONS_SHOWN);
}

const anyTested = async (db: Db, agentIds: readonly string[]): Promise<boolean> =>
  agentIds.length > 0 &&
  (await db.$count(agentTests, inArray(agentTests.agentId, [...agentIds]))) > 0;
