/** One agent's results, trades and reasons. Figures that its trades cannot support are null. */
import { asc, desc, eq, sql } from 'drizzle-orm';
import type { Decision } from '../../contract/agents.ts';
import { parseFixed, toNumber } from '../../contract/money.ts';
import type { AgentPerformance } from '../../contract/trading.ts';
import { metricsOf } from '../../engine/accounting/performance-metrics.ts';
import type { Db } from '../db/database.ts';
import { decisionCounts, decisions } from '../db/schema.ts';
import { liveSource } from '../live/live-accounts.ts';
import { readFills } from '../portfolio/fills-view.ts';
import { NO_RESULTS, openPositionsOf, resultsBy, toPositions } from '../portfolio/marks.ts';
import { openAccountOf } from '../portfolio/open-account.ts';
import { exposureMs, resultsOfSells } from '../portfolio/trade-results.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { ownAgent, toAgents } from './read-agents.ts';

const DECISIONS_SHOWN = 200;
const FILLS_SHOWN = 200;
const COUNTS_SHOWN = 1_000;

/** In one snapshot: a trade that is made meanwhile is in all of it or in none. */
export async function readPerformance(
  { database, market }: TradingDeps,
  uid: string,
  id: string,
): Promise<AgentPerformance> {
  return database.transaction(async ({ db }) => {
    await db.execute(sql`set transaction isolation level repeatable read, read only`);
    return performanceIn(db, market, uid, id);
  });
}

async function performanceIn(
  db: Db,
  market: TradingDeps['market'],
  uid: string,
  id: string,
): Promise<AgentPerformance> {
  const row = await ownAgent(db, uid, market.source.id, id);
  const [agent] = await toAgents(db, market, [row]);
  if (agent === undefined) throw new Error('The agent is gone');
  // A live agent's trades are in the account of its exchange, whatever the paper account holds.
  const book = row.connectionId === null ? market.source.id : liveSource(row.connectionId);
  const account = await openAccountOf(db, uid, book);
  const decided = await recentDecisions(db, row.id);
  const counts = await db
    .select({ day: decisionCounts.day, reason: decisionCounts.reason, count: decisionCounts.count })
    .from(decisionCounts)
    .where(eq(decisionCounts.agentId, row.id))
    .orderBy(desc(decisionCounts.day), asc(decisionCounts.reason))
    .limit(COUNTS_SHOWN);
  const empty = { agent, decisions: decided, decisionCounts: counts };
  if (account === null)
    return {
      ...empty,
      trades: 0,
      wins: 0,
      positions: [],
      fills: [],
      metrics: metricsOf({ equity: [], results: [], exposedMs: 0, totalMs: 0, traded: 0 }),
    };
  const results = (await resultsBy(db, account.id, 'agent_id', row.id)).get(row.id) ?? NO_RESULTS;
  const open = (await openPositionsOf(db, [account.id])).filter(
    (position) => position.agentId === row.id,
  );
  const sells = await resultsOfSells(db, account.id, row.id);
  const time = await exposureMs(db, account.id, market.now(), row.id);
  return {
    ...empty,
    trades: results.trades,
    wins: results.wins,
    // An agent has no equity of its own: what is measured on equity is the account's and stays null
    // here.
    metrics: metricsOf({
      equity: [],
      results: sells.map((text) => toNumber(parseFixed(text))),
      exposedMs: time.exposed,
      totalMs: time.total,
      traded: 0,
    }),
    positions: await toPositions(db, market, open),
    fills: await readFills(db, account.id, FILLS_SHOWN, { agentId: row.id }),
  };
}

async function recentDecisions(db: Db, agentId: string): Promise<Decision[]> {
  const rows = await db
    .select()
    .from(decisions)
    .where(eq(decisions.agentId, agentId))
    .orderBy(desc(decisions.atMarketMs), asc(decisions.pair))
    .limit(DECISIONS_SHOWN);
  return rows.map(toDecision);
}

/** A decision as the wire has it. */
export function toDecision(row: typeof decisions.$inferSelect): Decision {
  return {
    id: row.id,
    agentId: row.agentId,
    pair: row.pair,
    tickId: row.tickId,
    at: row.atMarketMs,
    action: row.action as Decision['action'],
    reason: row.reason,
    strength: row.strength,
    threshold: row.threshold,
    text: row.text,
  };
}
