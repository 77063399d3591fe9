/**
 * Twins on paper: agents that run beside a live one with its settings, and start and stop with it.
 * A twin takes no place of the plan.
 */
import { randomUUID } from 'node:crypto';
import { and, eq, inArray, isNull } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import { AGENT_NAME_MAX } from '../../contract/limits.ts';
import type { Tx } from '../db/database.ts';
import { agents } from '../db/schema.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { needPlace, needPlan } from './places.ts';
import { asAgentRow, type AgentRow } from './read-agents.ts';
import { applyEvent, nextEvaluation, outdateStarts, publishChanged } from './transitions.ts';

const ENDING = ' (paper)';

/** The twins of these live agents, locked. */
async function lockTwins(tx: Tx, liveIds: readonly string[]): Promise<AgentRow[]> {
  if (liveIds.length === 0) return [];
  const rows = await tx.db
    .select()
    .from(agents)
    .where(and(inArray(agents.shadowOf, [...liveIds]), isNull(agents.deletedAt)))
    .orderBy(agents.id)
    .for('update');
  return rows.map(asAgentRow);
}

/** @throws Refusal for whoever would change a twin by itself. */
export function refuseTwin({ shadowOf }: Pick<AgentRow, 'shadowOf'>): void {
  if (shadowOf !== null)
    throw new Refusal(
      'invalid_request',
      'This agent runs beside a live one. Change, start or remove it there.',
    );
}

/** Gives a live agent its twin, which runs if it does. @throws Refusal where it trades on paper. */
async function addTwin(tx: Tx, { market, clock }: TradingDeps, live: AgentRow): Promise<AgentRow> {
  if (live.connectionId === null)
    throw new Refusal('invalid_request', 'Only a live agent can run on paper beside itself.', {
      field: 'shadow',
    });
  const isRunning = live.status === 'running' || live.status === 'halted';
  const now = clock.now();
  const [row] = await tx.db
    .insert(agents)
    .values({
      id: randomUUID(),
      uid: live.uid,
      source: live.source,
      connectionId: null,
      shadowOf: live.id,
      quote: live.quote,
      name: `${live.name.slice(0, AGENT_NAME_MAX - ENDING.length)}${ENDING}`,
      tradingPairs: live.tradingPairs,
      pool: live.pool,
      riskProfile: live.riskProfile,
      maxPositionSize: live.maxPositionSize,
      executionInterval: live.executionInterval,
      tradingFrequency: live.tradingFrequency,
      enabled: isRunning,
      status: isRunning ? 'running' : 'stopped',
      createdAt: now,
      startedAt: isRunning ? now : null,
      nextDueMarketMs: isRunning
        ? nextEvaluation(market, live.executionInterval, market.now())
        : null,
      memory: {},
    })
    .returning();
  if (row === undefined) throw new Error('The twin was not created');
  return asAgentRow(row);
}

const TWIN_NEEDS_PLACE =
  ' The twin needs a place to become an agent of its own: delete an agent first.';

/**
 * With or without a twin from now on. One asks for a plan as creating does, and to let it go for a
 * free place as well: else twins would be agents beyond the plan. The live agent must be locked.
 * Answers the rows that changed.
 * @throws Refusal where the plan permits no agents or no place is free.
 */
export async function setTwin(
  tx: Tx,
  deps: TradingDeps,
  live: AgentRow,
  isWanted: boolean,
): Promise<AgentRow[]> {
  const [twin] = await lockTwins(tx, [live.id]);
  if (isWanted === (twin !== undefined)) return [];
  if (twin === undefined) {
    await needPlan(tx, deps, live.uid);
    return [await addTwin(tx, deps, live)];
  }
  await needPlace(tx, deps, live.uid, TWIN_NEEDS_PLACE);
  return [await letGo(tx, deps, twin)];
}

/** Stops it, and leaves it as an agent on paper like any other. */
async function letGo(tx: Tx, deps: TradingDeps, twin: AgentRow): Promise<AgentRow> {
  const stopped = (await applyEvent(tx, deps, twin, 'stop')) ?? (await outdateStarts(tx, twin));
  await tx.db.update(agents).set({ shadowOf: null }).where(eq(agents.id, twin.id));
  return { ...stopped, shadowOf: null };
}

/**
 * For a live agent that is being deleted: its twin takes over its place, so none has to be free.
 */
export async function letTwinsGo(tx: Tx, deps: TradingDeps, live: AgentRow): Promise<AgentRow[]> {
  const changed: AgentRow[] = [];
  for (const twin of await lockTwins(tx, [live.id])) changed.push(await letGo(tx, deps, twin));
  return changed;
}

/** Twins do what their live selves did, in the same transaction; answers those that changed. */
export async function followLive(
  tx: Tx,
  deps: TradingDeps,
  live: readonly AgentRow[],
  event: 'start' | 'stop',
): Promise<AgentRow[]> {
  const ids = live.filter(({ connectionId }) => connectionId !== null).map(({ id }) => id);
  const changed: AgentRow[] = [];
  for (const twin of await lockTwins(tx, ids)) {
    const after = await applyEvent(tx, deps, twin, event);
    if (after !== null) changed.push(after);
  }
  return changed;
}

/** The same, told at once: for whoever tells of the live agent apart. */
export async function followAndTell(
  tx: Tx,
  deps: TradingDeps,
  live: AgentRow,
  event: 'start' | 'stop',
): Promise<void> {
  await publishChanged(tx, deps, live.uid, await followLive(tx, deps, [live], event));
}

/** What was changed of a live agent is changed of its twin, so that the two decide alike. */
export async function editTwins(
  tx: Tx,
  live: AgentRow,
  set: Partial<typeof agents.$inferInsert>,
): Promise<AgentRow[]> {
  if (live.connectionId === null) return [];
  const twins = await lockTwins(tx, [live.id]);
  if (twins.length === 0) return [];
  const rows = await tx.db
    .update(agents)
    .set(set)
    .where(
      inArray(
        agents.id,
        twins.map(({ id }) => id),
      ),
    )
    .returning();
  return rows.map(asAgentRow);
}
