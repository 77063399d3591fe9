/**
 * Backtest records: what agents were tested with, and how they have fared since. No band is drawn
 * before an agent has run for a day, or after it has run for longer than the backtest.
 */
import { eq, inArray } from 'drizzle-orm';
import type { Agent } from '../../contract/agents.ts';
import { formatFixed, parseFixed, subtract } from '../../contract/money.ts';
import type { AgentTest, Tested } from '../../contract/backtest-record.ts';
import { bandAfter, noBand, spreadOf } from '../../engine/backtest/drift.ts';
import { DAY_MS } from '../../engine/execution/schedule.ts';
import { settingsHash } from '../../engine/backtest/backtest-hashes.ts';
import type { Tx } from '../db/database.ts';
import { agentTests } from '../db/schema.ts';
import { engineHash } from '../engine-hash.ts';
import { connectionsOf, ownedBy } from '../live/live-accounts.ts';
import { valueOf } from '../live/live-equity.ts';
import { portfolioIn } from '../portfolio/read-portfolio.ts';
import { BatchState } from './batch-state.ts';
import type { Turn } from '../reads/known-facts.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { costsSince, delayOf } from './live-costs.ts';
import { pairsOf, toAgents, type AgentRow } from './read-agents.ts';

const BAND_POINTS = 24;

/** Saves the backtest that the agent is measured against from now on; it replaces an older one. */
export async function saveBacktestRecord(
  tx: Tx,
  deps: TradingDeps,
  row: AgentRow,
  tested: Tested,
): Promise<void> {
  const base = await baseline(tx, deps, row.uid, [row]);
  const kept = {
    tested,
    keptAt: deps.clock.now(),
    keptMarketMs: deps.market.now(),
    equity: base.equities.get(row.id) ?? '0',
    result: base.results.get(row.id) ?? '0',
  };
  await tx.db
    .insert(agentTests)
    .values({ agentId: row.id, ...kept })
    .onConflictDoUpdate({ target: agentTests.agentId, set: kept });
}

/** Measures agents that start again without a new backtest from now on, against the old one. */
export async function measureFromNow(
  tx: Tx,
  deps: TradingDeps,
  uid: string,
  rows: readonly AgentRow[],
): Promise<void> {
  if (rows.length === 0) return;
  const known = new Set(
    (
      await tx.db
        .select({ id: agentTests.agentId })
        .from(agentTests)
        .where(
          inArray(
            agentTests.agentId,
            rows.map(({ id }) => id),
          ),
        )
    ).map(({ id }) => id),
  );
  const mine = rows.filter(({ id }) => known.has(id));
  if (mine.length === 0) return;
  const base = await baseline(tx, deps, uid, mine);
  for (const { id } of mine) {
    await tx.db
      .update(agentTests)
      .set({
        keptMarketMs: deps.market.now(),
        equity: base.equities.get(id) ?? '0',
        result: base.results.get(id) ?? '0',
      })
      .where(eq(agentTests.agentId, id));
  }
}

/** A new account begins without records. */
export async function deleteBacktestRecords(
  tx: Tx,
  rows: readonly Pick<AgentRow, 'id'>[],
): Promise<void> {
  if (rows.length > 0)
    await tx.db.delete(agentTests).where(
      inArray(
        agentTests.agentId,
        rows.map(({ id }) => id),
      ),
    );
}

async function baseline(
  tx: Tx,
  deps: TradingDeps,
  uid: string,
  rows: readonly AgentRow[],
): Promise<{ equities: Map<string, string>; results: Map<string, string> }> {
  const { equity } = await portfolioIn(tx, deps, uid);
  const live = await liveEquities(tx, deps, uid, rows);
  return {
    // Real money is measured against the account that it is in.
    equities: new Map(
      rows.map(({ id, connectionId }) => [
        id,
        connectionId === null ? equity : (live.get(connectionId) ?? '0'),
      ]),
    ),
    results: new Map(
      (await toAgents(tx.db, deps.market, rows)).map(({ id, total }) => [id, total]),
    ),
  };
}

/** What the live accounts of these agents are worth, by connection. */
async function liveEquities(
  tx: Tx,
  { market }: TradingDeps,
  uid: string,
  rows: readonly AgentRow[],
): Promise<Map<string, string>> {
  const wanted = new Set(rows.flatMap(({ connectionId }) => connectionId ?? []));
  const found = new Map<string, string>();
  if (wanted.size === 0) return found;
  for (const { id, accountId } of await connectionsOf(tx.db, uid)) {
    if (!wanted.has(id)) continue;
    const { all } = await ownedBy(tx.db, accountId);
    found.set(id, formatFixed(valueOf(all, market, market.source.quote).value));
  }
  return found;
}

type BacktestRow = typeof agentTests.$inferSelect;

/** What is kept of an agent that was tested, and what its trades cost; its result is not in it. */
export interface TestedAgent {
  kept: BacktestRow;
  /** The settings that it has now. */
  settings: string;
  costs: Awaited<ReturnType<typeof costsSince>>['costs'];
  delay: Awaited<ReturnType<typeof delayOf>>;
}

/** Those of a person's agents that were tested. The exchange is asked after the transaction. */
export async function readTestedAgents(
  deps: TradingDeps,
  uid: string,
  accountId: string,
  rows: readonly AgentRow[],
  turn: Turn,
): Promise<TestedAgent[]> {
  const stored = await turn(uid, () =>
    deps.database.transaction((tx) => loadTested(tx, deps, uid, accountId, rows)),
  );
  return Promise.all(
    stored.map(async ({ decided, ...one }) => ({
      ...one,
      delay: await delayOf(deps.market, decided),
    })),
  );
}

async function loadTested(
  tx: Tx,
  deps: TradingDeps,
  uid: string,
  accountId: string,
  rows: readonly AgentRow[],
) {
  const kept =
    rows.length === 0
      ? []
      : await tx.db
          .select()
          .from(agentTests)
          .where(
            inArray(
              agentTests.agentId,
              rows.map(({ id }) => id),
            ),
          );
  if (kept.length === 0) return [];
  const state = await BatchState.readUnlocked(tx, deps, uid, '');
  const isLive = rows.some(({ connectionId }) => connectionId !== null);
  const connections = isLive ? await connectionsOf(tx.db, uid) : [];
  return Promise.all(
    kept.map(async (one) => {
      const row = rows.find(({ id }) => id === one.agentId);
      if (row === undefined) throw new Error('A backtest record without a request');
      const settings = await settingsHash({
        agent: settingsOf(deps, row, state),
        maxTradeAmount: state.maxTradeAmount(row),
      });
      const found = await costsSince(tx.db, deps.market.now(), {
        accountId: connections.find(({ id }) => id === row.connectionId)?.accountId ?? accountId,
        agentId: row.id,
        since: one.keptMarketMs,
        isLive: row.connectionId !== null,
      });
      return { kept: one, settings, ...found };
    }),
  );
}

/** Their records, with what the agents have brought since. */
export function agentTestsFrom(
  now: number,
  tested: readonly TestedAgent[],
  shown: readonly Agent[],
): AgentTest[] {
  return tested.map(({ kept, settings, costs, delay }) => {
    const agent = shown.find(({ id }) => id === kept.agentId);
    if (agent === undefined) throw new Error('A backtest record without a request');
    const test = kept.tested as Tested;
    return {
      ...recordOf(kept, test, settings),
      ...progressOf(kept, test, agent, now),
      testedSlippageBps: test.slippageBps,
      ...costs,
      ...delay,
    };
  });
}

type RecordField =
  | 'agentId'
  | 'settings'
  | 'data'
  | 'engine'
  | 'from'
  | 'to'
  | 'days'
  | 'trades'
  | 'totalReturn'
  | 'sameSettings'
  | 'sameEngine'
  | 'keptAt';

/** What the backtest was of, and whether agent and engine are still the ones it tested. */
function recordOf(
  one: BacktestRow,
  tested: Tested,
  settings: string,
): Pick<AgentTest, RecordField> {
  return {
    agentId: one.agentId,
    settings: tested.settings,
    data: tested.data,
    engine: tested.engine,
    from: tested.from,
    to: tested.to,
    days: tested.daily.length,
    trades: tested.trades,
    totalReturn: tested.totalReturn,
    sameSettings: settings === tested.settings,
    sameEngine: tested.engine === '' ? null : tested.engine === engineHash(),
    keptAt: one.keptAt,
  };
}

type ProgressField = 'since' | 'equity' | 'resultThen' | 'change' | 'liveDays' | 'noBand' | 'band';

/** How the agent has fared since, beside the band that the backtest lets one expect. */
function progressOf(
  one: BacktestRow,
  tested: Tested,
  agent: Agent,
  now: number,
): Pick<AgentTest, ProgressField> {
  const liveDays = (now - one.keptMarketMs) / DAY_MS;
  const spread = spreadOf(tested.daily);
  const why = noBand(spread, liveDays);
  return {
    since: one.keptMarketMs,
    equity: formatFixed(parseFixed(one.equity)),
    resultThen: formatFixed(parseFixed(one.result)),
    change: formatFixed(subtract(parseFixed(agent.total), parseFixed(one.result))),
    liveDays,
    noBand: why,
    band:
      why !== null
        ? []
        : Array.from({ length: BAND_POINTS + 1 }, (_, index): AgentTest['band'][number] => {
            const days = (liveDays * index) / BAND_POINTS;
            const { low, middle, high } = bandAfter(spread, days);
            return [Math.round(one.keptMarketMs + days * DAY_MS), low, middle, high];
          }),
  };
}

/** The settings that a backtest of this agent would run with now. */
function settingsOf(
  { market }: TradingDeps,
  row: AgentRow,
  state: BatchState,
): Parameters<typeof settingsHash>[0]['agent'] {
  return {
    pool: row.pool,
    profile: row.riskProfile,
    risk: state.risk(row),
    pairs: pairsOf(market, row),
    maxPositionSize: parseFixed(row.maxPositionSize),
    interval: row.executionInterval,
    frequency: row.tradingFrequency,
  };
}
