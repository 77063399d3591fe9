/** Applies a life event to an agent's row and publishes it, in one transaction. */
import { eq, sql } from 'drizzle-orm';
import type { Agent, ExecutionInterval } from '../../contract/agents.ts';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import { memoryOnStart } from '../../engine/execution/agent-memory.ts';
import { executionIntervalMs } from '../../engine/execution/schedule.ts';
import type { AgentPause } from '../../engine/execution/agent-types.ts';
import type { Tx } from '../db/database.ts';
import { agents } from '../db/schema.ts';
import type { Market } from '../market/market-source.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { transition, type LifeEvent } from './agent-lifecycle.ts';
import { asAgentRow, toAgents, type AgentRow } from './read-agents.ts';

/**
 * How often an agent of this interval is evaluated, ms: never more often than the source closes
 * candles.
 */
export function evaluationIntervalMs(market: Market, interval: ExecutionInterval): number {
  return Math.max(executionIntervalMs(interval), INTERVAL_MS[market.baseInterval]);
}

/** First close strictly after `after` at which the agent is evaluated, ms on the market clock. */
export function nextEvaluation(market: Market, interval: ExecutionInterval, after: number): number {
  const every = evaluationIntervalMs(market, interval);
  return Math.floor(after / every) * every + every;
}

/**
 * Applies an event to a row that the caller has locked. Null where the table says it changes
 * nothing. `start` and `stop` are the person's wish and set `enabled`; a guard's halt, a resume and
 * a fault leave the wish alone.
 */
export async function applyEvent(
  tx: Tx,
  deps: TradingDeps,
  row: AgentRow,
  event: LifeEvent,
  hold: AgentPause | null = null,
): Promise<AgentRow | null> {
  const status = transition(row.status, event);
  if (status === null) return null;
  const now = deps.clock.now();
  const request =
    event === 'start' ? { enabled: true } : event === 'stop' ? { enabled: false } : {};
  const moment =
    event === 'start'
      ? {
          startedAt: now,
          stoppedAt: null,
          nextDueMarketMs: nextEvaluation(deps.market, row.executionInterval, deps.market.now()),
          memory: memoryOnStart(row.memory),
        }
      : event === 'stop'
        ? { stoppedAt: now, nextDueMarketMs: null }
        : event === 'fault'
          ? { nextDueMarketMs: null }
          : {};
  const [changed] = await tx.db
    .update(agents)
    .set({
      status,
      hold: event === 'halt' || event === 'fault' ? hold : null,
      generation: sql`${agents.generation} + 1`,
      ...request,
      ...moment,
    })
    .where(eq(agents.id, row.id))
    .returning();
  if (changed === undefined) throw new Error('The agent is gone');
  return asAgentRow(changed);
}

/**
 * A stop that finds the agent stopped still makes every earlier start out of date: one that a
 * device gave up on may be on the network yet, and must not run after the stop that was pressed
 * later.
 */
export async function outdateStarts(tx: Tx, row: AgentRow): Promise<AgentRow> {
  const [changed] = await tx.db
    .update(agents)
    .set({ generation: sql`${agents.generation} + 1` })
    .where(eq(agents.id, row.id))
    .returning();
  if (changed === undefined) throw new Error('The agent is gone');
  return asAgentRow(changed);
}

/**
 * Appends `agent.changed` for each row and answers them as the wire has them. `waitedMs`: how long
 * the command waited on a device.
 */
export async function publishChanged(
  tx: Tx,
  deps: TradingDeps,
  uid: string,
  rows: readonly AgentRow[],
  waitedMs?: number,
): Promise<Agent[]> {
  const list = await toAgents(tx.db, deps.market, rows);
  await deps.events.append(
    tx,
    uid,
    list.map((agent) => ({
      type: 'agent.changed',
      agent,
      ...(waitedMs === undefined ? {} : { waitedMs }),
    })),
  );
  return list;
}

/**
 * For a new book: every agent stops, and forgets what it remembered of the old one. Rows locked by
 * the caller.
 */
export async function stopForNewAccount(
  tx: Tx,
  deps: TradingDeps,
  uid: string,
  rows: readonly AgentRow[],
): Promise<void> {
  const changed: AgentRow[] = [];
  for (const row of rows) {
    await tx.db.update(agents).set({ memory: {} }).where(eq(agents.id, row.id));
    changed.push((await applyEvent(tx, deps, row, 'stop')) ?? (await outdateStarts(tx, row)));
  }
  await publishChanged(tx, deps, uid, changed);
}
