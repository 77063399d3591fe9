/**
 * Writes what a batch decided, one statement per kind of row. An agent's tick is never written
 * twice.
 */
import { asc, eq, inArray, sql } from 'drizzle-orm';
import type { AgentOutcome, OpenPosition } from '../../engine/execution/agent-types.ts';
import { insertOf } from '../db/bulk.ts';
import type { Tx } from '../db/database.ts';
import { orderedId } from '../db/ordered-id.ts';
import { agents, decisions } from '../db/schema.ts';
import type { DomainEvent } from '../db/user-events.ts';
import { planDecided, type LiveTrades } from '../live/live-batch.ts';
import { recordTrades, type FillRow, type TradeToRecord } from '../portfolio/record-trades.ts';
import { toFill } from '../portfolio/fills-view.ts';
import { rowsOf } from '../db/sql-rows.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { asAgentRow, toAgents, type AgentRow } from './read-agents.ts';
import { applyEvent, nextEvaluation } from './transitions.ts';

const ROWS_AT_ONCE = 2_000;

/** What one agent decided at one tick, not yet written. */
export interface Decided {
  row: AgentRow;
  accountId: string;
  tickId: string;
  /** Close of the candle it decided on, ms on the market clock. */
  close: number;
  /** What it held before, by pair. */
  positions: ReadonlyMap<string, OpenPosition>;
  outcome: AgentOutcome;
  /** Null on paper. */
  live: LiveTrades | null;
}

/**
 * Answers the agent of each trade. An agent whose decisions of this tick are there already is only
 * advanced.
 */
export async function writeDecided(
  tx: Tx,
  deps: TradingDeps,
  tick: number,
  list: readonly Decided[],
): Promise<string[]> {
  if (list.length === 0) return [];
  const written = await writeDecisions(tx, deps.clock.now(), list);
  const first = list.filter(
    ({ row, outcome }) => (written.get(row.id) ?? 0) === outcome.decisions.length,
  );
  const recorded = await recordTrades(
    tx,
    first.flatMap((item) => tradesOf(item)),
  );
  for (const { live, row, tickId, close } of first)
    if (live !== null)
      await planDecided(tx, deps, deps.live ?? null, {
        agentId: row.id,
        tickId,
        close,
        ...live,
      });
  await advance(tx, deps, tick, list, new Set(first));
  const changed = await applyHolds(tx, deps, first);
  await publish(
    tx,
    deps,
    first,
    recorded.map(({ fill }) => fill),
    changed,
  );
  return recorded.map(({ fill }) => fill.agentId);
}

/** How many decisions of each agent were new. */
async function writeDecisions(
  tx: Tx,
  recordedAt: number,
  list: readonly Decided[],
): Promise<Map<string, number>> {
  const rows = list.flatMap(({ row, tickId, close, outcome }) =>
    outcome.decisions.map((decision) => ({
      id: orderedId(),
      agentId: row.id,
      pair: decision.pair,
      tickId,
      atMarketMs: close,
      recordedAt,
      action: decision.action,
      reason: decision.reason,
      strength: decision.strength,
      threshold: decision.threshold,
      text: decision.text,
    })),
  );
  const written = new Map<string, number>();
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const fresh = await rowsOf<{ agent: string; n: number }>(
      tx.db,
      sql`
      with fresh as (${insertOf(decisions, rows.slice(from, from + ROWS_AT_ONCE), sql`on conflict do nothing returning agent_id`)})
      select agent_id::text as agent, count(*)::int as n from fresh group by 1`,
    );
    for (const { agent, n } of fresh) written.set(agent, (written.get(agent) ?? 0) + n);
  }
  return written;
}

function tradesOf({ row, accountId, tickId, close, positions, outcome }: Decided): TradeToRecord[] {
  return outcome.trades.map((trade) => ({
    accountId,
    agentId: row.id,
    positionId: positions.get(trade.fill.pair)?.id ?? null,
    tickId,
    decidedAt: close,
    trade,
  }));
}

/** Writes memory, last and next evaluation of all agents in one statement. */
async function advance(
  tx: Tx,
  deps: TradingDeps,
  tick: number,
  list: readonly Decided[],
  first: ReadonlySet<Decided>,
): Promise<void> {
  const moved = list.map((item) => ({
    id: item.row.id,
    last: item.close,
    next: nextEvaluation(deps.market, item.row.executionInterval, tick),
    memory: first.has(item) ? item.outcome.memory : item.row.memory,
  }));
  await tx.db.execute(sql`
    update agents set last_run_market_ms = moved.last, next_due_market_ms = moved.next, memory = moved.memory
    from json_to_recordset(${JSON.stringify(moved)}::json) as moved(id uuid, last bigint, next bigint, memory jsonb)
    where agents.id = moved.id`);
}

/**
 * A guard's halt is seen as the agent's state, and its end too; and where another guard's took its
 * place, that one.
 */
async function applyHolds(
  tx: Tx,
  deps: TradingDeps,
  list: readonly Decided[],
): Promise<Set<string>> {
  const changed = new Set<string>();
  for (const {
    row,
    outcome: { hold },
  } of list) {
    const event =
      hold !== null && row.status === 'running'
        ? 'halt'
        : hold === null && row.status === 'halted'
          ? 'resume'
          : null;
    // The text tells the loss of the moment and would change at each evaluation; what holds and
    // until when is the news.
    const other =
      hold !== null &&
      row.status === 'halted' &&
      (hold.code !== row.hold?.code || hold.until !== row.hold.until);
    if (event !== null) await applyEvent(tx, deps, row, event, hold);
    else if (other) await tx.db.update(agents).set({ hold }).where(eq(agents.id, row.id));
    else continue;
    changed.add(row.id);
  }
  return changed;
}

/** Publishes events to the people whose agents traded or changed; the marks tell the others. */
async function publish(
  tx: Tx,
  deps: TradingDeps,
  list: readonly Decided[],
  fillRows: readonly FillRow[],
  held: ReadonlySet<string>,
): Promise<void> {
  const touched = new Set([...held, ...fillRows.map((fill) => fill.agentId)]);
  if (touched.size === 0) return;
  const rows = await tx.db
    .select()
    .from(agents)
    .where(inArray(agents.id, [...touched]))
    .orderBy(asc(agents.createdAt), asc(agents.id));
  const owners = new Map(list.map(({ row }) => [row.id, row]));
  const byPerson = new Map<string, DomainEvent[]>();
  const say = (uid: string, event: DomainEvent): void => {
    const said = byPerson.get(uid);
    if (said === undefined) byPerson.set(uid, [event]);
    else said.push(event);
  };
  for (const fill of fillRows) {
    const owner = owners.get(fill.agentId);
    if (owner !== undefined)
      say(owner.uid, { type: 'fill.recorded', fill: toFill(fill, owner.name) });
  }
  for (const uid of [...byPerson.keys()]) say(uid, { type: 'portfolio.changed' });
  const shown = await toAgents(tx.db, deps.market, rows.map(asAgentRow));
  shown.forEach((agent, index) => {
    say(rows[index]?.uid ?? '', { type: 'agent.changed', agent });
  });
  await deps.events.appendAll(tx, byPerson);
}
