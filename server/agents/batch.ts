/** One batch of due agents in one transaction: decide, then write everything or nothing; refuses to let one agent hurt another. */
import { randomUUID } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { parseFixed as fixedOf } from '../../contract/money.ts';
import { runAgent } from '../../engine/agent.ts';
import type { AgentOutcome, Hold, OpenPosition } from '../../engine/types.ts';
import type { Tx } from '../db/database.ts';
import { isRetryable, isUnavailable } from '../db/faults.ts';
import { agents, decisions } from '../db/schema.ts';
import type { DomainEvent } from '../events/events.ts';
import { recordTrades, type TradeToRecord } from '../portfolio/book.ts';
import { toFill } from '../portfolio/fills-view.ts';
import { BatchState, claimDue } from './batch-state.ts';
import type { TradingDeps } from './deps.ts';
import { asAgentRow, pairsOf, toAgents, type AgentRow } from './read-agents.ts';
import type { TickInputs } from './tick-inputs.ts';
import { applyEvent, nextLook } from './transitions.ts';

const ROWS_AT_ONCE = 1_000;

interface Decided {
  row: AgentRow;
  accountId: string;
  tickId: string;
  close: number;
  positions: ReadonlyMap<string, OpenPosition>;
  outcome: AgentOutcome;
}

export interface BatchReport {
  agents: number;
  trades: number;
  faults: number;
}

/** Runs at most `limit` due agents. The caller's transaction commits or undoes all of it. */
export async function runBatch(tx: Tx, deps: TradingDeps, inputs: TickInputs, limit: number): Promise<BatchReport> {
  const rows = await claimDue(tx, deps.market.source.id, inputs.tick, limit);
  if (rows.length === 0) return { agents: 0, trades: 0, faults: 0 };
  try {
    // All at once is the usual way; a savepoint, because one bad agent would spoil the transaction for the rest.
    const written = await tx.savepoint(async (inner) => {
      const state = await BatchState.load(inner, deps, rows);
      const decided: Decided[] = [];
      for (const row of rows) decided.push(await decide(state, inputs, deps, row));
      return { trades: await write(inner, deps, inputs.tick, decided) };
    });
    return { agents: rows.length, trades: written.trades, faults: 0 };
  } catch (error) {
    if (isRetryable(error) || isUnavailable(error)) throw error;
    return runOneByOne(tx, deps, inputs, rows);
  }
}

/** Each agent under its own savepoint: the one that fails is faulted, the others go on. */
async function runOneByOne(tx: Tx, deps: TradingDeps, inputs: TickInputs, rows: readonly AgentRow[]): Promise<BatchReport> {
  const report: BatchReport = { agents: rows.length, trades: 0, faults: 0 };
  for (const row of rows) {
    try {
      report.trades += await tx.savepoint(async (inner) => {
        const state = await BatchState.load(inner, deps, [row]);
        return write(inner, deps, inputs.tick, [await decide(state, inputs, deps, row)]);
      });
    } catch (error) {
      if (isRetryable(error) || isUnavailable(error)) throw error;
      report.faults += 1;
      deps.log.error({ agent: row.id, tick: inputs.tick, reason: error instanceof Error ? error.message : String(error) }, 'An agent failed at a tick');
      await fault(tx, deps, row);
    }
  }
  return report;
}

async function fault(tx: Tx, deps: TradingDeps, row: AgentRow): Promise<void> {
  const hold: Hold = { code: 'fault', text: 'The strategy failed at this candle and the agent was taken out. Its stops stay on guard; start it to try again.', until: null };
  const faulted = await applyEvent(tx, deps, row, 'fault', hold);
  if (faulted === null) return;
  const list = await toAgents(tx.db, deps.market, row.uid, [faulted]);
  await deps.events.append(tx, row.uid, list.map((agent) => ({ type: 'agent.changed', agent })));
}

async function decide(state: BatchState, inputs: TickInputs, deps: TradingDeps, row: AgentRow): Promise<Decided> {
  const input = await inputs.of(row);
  const held = state.held(row);
  const outcome = runAgent({
    id: row.id, pool: row.pool, profile: row.riskProfile, risk: state.risk(row), pairs: withHeld(pairsOf(deps.market, row), held),
    maxPositionSize: fixedOf(row.maxPositionSize), interval: row.executionInterval, frequency: row.tradingFrequency, memory: row.memory,
  }, input, state.input(row, inputs.quotes), held);
  for (const trade of outcome.trades) state.apply(row, trade);
  return {
    row, accountId: state.account(row).id, tickId: input.id, close: input.close, outcome,
    positions: new Map(held.map((position) => [position.pair, position])),
  };
}

/** A pair that left the pool's list is looked at for as long as it is held. */
function withHeld(pairs: readonly string[], held: readonly OpenPosition[]): string[] {
  return [...new Set([...pairs, ...held.map(({ pair }) => pair)])];
}

/** Writes what was decided. An agent whose decisions of this tick are there already is only moved on: nothing is done twice. */
async function write(tx: Tx, deps: TradingDeps, tick: number, list: readonly Decided[]): Promise<number> {
  const recordedAt = deps.clock.now();
  const rows = list.flatMap(({ row, tickId, close, outcome }) => outcome.decisions.map((decision) => ({
    id: randomUUID(), agentId: row.id, pair: decision.pair, tickId, atMarketMs: close, recordedAt,
    action: decision.action, reason: decision.reason, strength: decision.strength, threshold: decision.threshold, text: decision.text,
  })));
  const written = new Map<string, number>();
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
    const fresh = await tx.db.insert(decisions).values(rows.slice(from, from + ROWS_AT_ONCE)).onConflictDoNothing().returning({ agentId: decisions.agentId });
    for (const { agentId } of fresh) written.set(agentId, (written.get(agentId) ?? 0) + 1);
  }
  const first = list.filter(({ row, outcome }) => (written.get(row.id) ?? 0) === outcome.decisions.length);
  const trades = first.flatMap((item) => tradesOf(item));
  const recorded = await recordTrades(tx, trades);
  await moveOn(tx, deps, tick, list, new Set(first));
  const changed = await applyHolds(tx, deps, first);
  await tell(tx, deps, first, recorded.map(({ fill }) => fill), changed);
  return recorded.length;
}

function tradesOf({ row, accountId, tickId, close, positions, outcome }: Decided): TradeToRecord[] {
  return outcome.trades.map((trade) => ({ accountId, agentId: row.id, positionId: positions.get(trade.fill.pair)?.id ?? null, tickId, decidedAt: close, trade }));
}

/** Memory, last and next look of all agents in one statement. */
async function moveOn(tx: Tx, deps: TradingDeps, tick: number, list: readonly Decided[], first: ReadonlySet<Decided>): Promise<void> {
  const moved = list.map((item) => ({
    id: item.row.id, last: item.close, next: nextLook(deps.market, item.row.executionInterval, tick),
    memory: first.has(item) ? item.outcome.memory : item.row.memory,
  }));
  await tx.db.execute(sql`
    update agents set last_run_market_ms = moved.last, next_due_market_ms = moved.next, memory = moved.memory
    from jsonb_to_recordset(${JSON.stringify(moved)}::jsonb) as moved(id uuid, last bigint, next bigint, memory jsonb)
    where agents.id = moved.id`);
}

/** A guard's halt is seen as the agent's state, and its end too. */
async function applyHolds(tx: Tx, deps: TradingDeps, list: readonly Decided[]): Promise<Set<string>> {
  const changed = new Set<string>();
  for (const { row, outcome } of list) {
    const event = outcome.hold !== null && row.status === 'running' ? 'halt' : outcome.hold === null && row.status === 'halted' ? 'resume' : null;
    if (event === null) continue;
    await applyEvent(tx, deps, row, event, outcome.hold);
    changed.add(row.id);
  }
  return changed;
}

async function tell(tx: Tx, deps: TradingDeps, list: readonly Decided[], fillRows: readonly Parameters<typeof toFill>[0][], held: ReadonlySet<string>): Promise<void> {
  const touched = new Set([...held, ...fillRows.map((fill) => fill.agentId)]);
  if (touched.size === 0) return;
  const byPerson = new Map<string, Decided[]>();
  for (const item of list) {
    if (touched.has(item.row.id)) byPerson.set(item.row.uid, [...byPerson.get(item.row.uid) ?? [], item]);
  }
  // People in one order everywhere: their rows are locked by the numbering of events.
  for (const [uid, items] of [...byPerson].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const names = new Map(items.map(({ row }) => [row.id, row.name]));
    const events: DomainEvent[] = fillRows.filter((fill) => names.has(fill.agentId)).map((fill) => ({ type: 'fill.recorded', fill: toFill(fill, names.get(fill.agentId) ?? '') }));
    if (events.length > 0) events.push({ type: 'portfolio.changed' });
    const fresh: AgentRow[] = [];
    for (const { row } of items) {
      const [now] = await tx.db.select().from(agents).where(eq(agents.id, row.id));
      if (now !== undefined) fresh.push(asAgentRow(now));
    }
    for (const agent of await toAgents(tx.db, deps.market, uid, fresh)) events.push({ type: 'agent.changed', agent });
    await deps.events.append(tx, uid, events);
  }
}
