/** All agents of a user over time, and with Pro their headroom to their limits. */
import { and, desc, gte, inArray } from 'drizzle-orm';
import type { Agent, Decision } from '../../contract/agents.ts';
import type { AgentInsight, RiskDistance } from '../../contract/insight.ts';
import { formatFixed, parseFixed, subtract, toNumber, type Fixed } from '../../contract/money.ts';
import { tierPermits } from '../../contract/tiers.ts';
import { readMemory } from '../../engine/execution/agent-memory.ts';
import { DAY_MS } from '../../engine/execution/schedule.ts';
import type { Db } from '../db/database.ts';
import { decisions } from '../db/schema.ts';
import { portfolioIn } from '../portfolio/read-portfolio.ts';
import { figuresByAgent } from '../portfolio/trade-results.ts';
import { riskValuesFor } from '../users/user-settings.ts';
import { readSeries } from './agent-series.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { toDecision } from './agent-performance.ts';
import { agentRows, toAgents, type AgentRow } from './read-agents.ts';
import { readBacktestRecords } from './backtest-records.ts';

const DECISIONS_SHOWN = 200;
/** Wall clock: further back nothing is looked for, so that a long history costs nothing. */
const DECISIONS_WITHIN_MS = DAY_MS;

export async function readInsight(deps: TradingDeps, uid: string): Promise<AgentInsight> {
  const { database, market, entitlement } = deps;
  const { tier } = await entitlement.tierOf(uid);
  return database.transaction(async (tx) => {
    const { db } = tx;
    const portfolio = await portfolioIn(tx, deps, uid);
    const rows = await agentRows(db, uid, market.source.id);
    const agents = await toAgents(db, market, rows);
    const totals = new Map(
      agents.map((agent: Agent) => [agent.id, toNumber(parseFixed(agent.total))]),
    );
    const { stepMs, series } = await readSeries(db, market, portfolio.accountId, totals);
    const pro = !tierPermits(tier, 'pro-features', 'read')
      ? null
      : {
          equity: portfolio.equity,
          risk: await Promise.all(
            rows.map(async (row) =>
              distance(
                row,
                parseFixed(portfolio.equity),
                market.now(),
                await riskValuesFor(db, uid, row.riskProfile),
              ),
            ),
          ),
          decisions: await newestDecisions(
            db,
            rows.map((row) => row.id),
            deps.clock.now(),
          ),
        };
    const tests = await readBacktestRecords(tx, deps, uid, portfolio.accountId, rows, agents);
    return {
      asOf: market.now(),
      stepMs,
      series,
      tests,
      figures: await figuresByAgent(db, portfolio.accountId, market.now()),
      pro,
    };
  });
}

/** The guards' own marks against equity now. The day's mark counts on its day alone. */
export function distance(
  row: Pick<AgentRow, 'id' | 'memory'>,
  equity: Fixed,
  now: number,
  limits: { dayLossHalt: number; drawdownHalt: number },
): RiskDistance {
  const { day, highWater } = readMemory(row.memory);
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
): Promise<Decision[]> {
  if (agentIds.length === 0) return [];
  const rows = await db
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
  return rows.map(toDecision);
}
