/** Start and stop, for one agent or all. A start can come too late; a stop is never refused. */
import { and, count, eq, inArray } from 'drizzle-orm';
import type {
  Agent,
  AgentCommandBody,
  AllAgentsCommandBody,
  AllAgentsCommandReply,
} from '../../contract/agents.ts';
import { placesOf } from '../../contract/consequences.ts';
import { Refusal, type ErrorCode } from '../../contract/errors.ts';
import { START_FRESH_MS, START_LAPSE_MS } from '../../contract/limits.ts';
import { tierPermitsCall } from '../../contract/calls.ts';
import type { Tx } from '../db/database.ts';
import { agents, users } from '../db/schema.ts';
import { guardPositions } from '../live/guard-positions.ts';
import { readConnection, type ConnectionRow } from '../live/live-accounts.ts';
import { withdrawEntries } from '../live/stop-live.ts';
import { lockAccount } from '../portfolio/marks.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { EVALUATED_STATUSES } from './agent-lifecycle.ts';
import {
  isId,
  lockOwnAgent,
  lockOwnAgents,
  takesPlace,
  toAgents,
  type AgentRow,
} from './read-agents.ts';
import { saveBacktestRecord, measureFromNow } from './backtest-records.ts';
import { applyEvent, outdateStarts, publishChanged } from './transitions.ts';
import { followAndTell, refuseTwin } from './twins.ts';

export interface Ran {
  outcome: 'started' | 'stopped' | 'unchanged';
  agent: Agent;
}

/**
 * How many more agents may be started: as many run at once as the plan has places. The person's row
 * is locked, so that two starts never share a place.
 * @throws Refusal where the plan has ended or does not include trading.
 */
async function freePlaces(
  tx: Tx,
  { entitlement, market }: TradingDeps,
  uid: string,
): Promise<{ free: number; refusal: Refusal }> {
  await tx.db.select({ uid: users.uid }).from(users).where(eq(users.uid, uid)).for('update');
  const { tier, lapsed } = await entitlement.tierOf(uid, tx);
  if (lapsed)
    throw new Refusal(
      'plan_lapsed',
      'Your plan has ended. You keep your agents and history, but need a plan to start one.',
    );
  if (!tierPermitsCall(tier, 'startAgent'))
    throw new Refusal(
      'insufficient_permissions',
      'Insufficient permissions: you need a plan or the free trial to start agents.',
    );
  const [row] = await tx.db
    .select({ running: count() })
    .from(agents)
    .where(
      and(
        eq(agents.uid, uid),
        takesPlace(market.source.id),
        inArray(agents.status, [...EVALUATED_STATUSES]),
      ),
    );
  const places = placesOf(tier);
  const running = row?.running ?? 0;
  return {
    free: places - running,
    refusal: new Refusal(
      'agent_cap_reached',
      `Your plan allows ${places} running agents, and ${running} are running. Stop one first.`,
      { details: { cap: places } },
    ),
  };
}

type ObservedState = Pick<AgentCommandBody, 'seenGeneration' | 'ageMs' | 'confirmed'>;

/**
 * Why this start must not be carried out as it is, or null. What waited for a day has lapsed,
 * confirmed or not. A yes said later excuses the age alone: it was said of an agent as it stood
 * then, and a stop that came after it holds.
 */
function objection(
  row: AgentRow,
  seen: ObservedState,
): { code: ErrorCode; message: string } | null {
  const ageMs = seen.ageMs ?? 0;
  if (ageMs > START_LAPSE_MS)
    return {
      code: 'command_lapsed',
      message: 'This start waited more than 24 hours and was not carried out.',
    };
  if (ageMs > START_FRESH_MS && seen.confirmed !== true)
    return {
      code: 'agent_changed',
      message: 'This start waited more than 30 minutes. Do you still want it?',
    };
  if (seen.seenGeneration !== undefined && seen.seenGeneration !== row.generation) {
    return {
      code: 'agent_changed',
      message: 'The agent has changed since you pressed Start. Do you still want it?',
    };
  }
  return null;
}

async function told(
  tx: Tx,
  deps: TradingDeps,
  uid: string,
  row: AgentRow,
  waitedMs?: number,
): Promise<Agent> {
  const [agent] = await publishChanged(tx, deps, uid, [row], waitedMs);
  if (agent === undefined) throw new Error('The agent is gone');
  return agent;
}

async function seenAs(tx: Tx, deps: TradingDeps, row: AgentRow): Promise<Agent> {
  const [agent] = await toAgents(tx.db, deps.market, [row]);
  if (agent === undefined) throw new Error('The agent is gone');
  return agent;
}

/**
 * @throws Refusal where the plan has ended, does not include trading, or has no place for one more.
 * One that is halted has its place.
 */
export async function mayStart(
  tx: Tx,
  deps: TradingDeps,
  row: Pick<AgentRow, 'uid' | 'status'>,
): Promise<void> {
  const { free, refusal } = await freePlaces(tx, deps, row.uid);
  if (row.status !== 'halted' && free <= 0) throw refusal;
}

const twinObjection = (row: AgentRow): Refusal | null => {
  try {
    refuseTwin(row);
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
};

/** Each start with real money is confirmed by itself. */
export const needsStepUp = (): Refusal =>
  new Refusal('step_up_required', 'Confirm this start: the agent trades real money.');

/** Of an agent that trades real money; before the person's row, as everybody does. */
async function lockLiveAccount(
  tx: Tx,
  { connectionId }: Pick<AgentRow, 'connectionId'>,
): Promise<ConnectionRow | null> {
  const connection = connectionId === null ? null : await readConnection(tx.db, connectionId);
  if (connection !== null) await lockAccount(tx, connection.accountId);
  return connection;
}

export async function startAgent(
  tx: Tx,
  deps: TradingDeps,
  uid: string,
  id: string,
  body: AgentCommandBody,
  /** Asks the signer to accept a confirmation of this start; it throws where that does not count. */
  confirm: ((row: AgentRow) => Promise<void>) | null = null,
): Promise<Ran> {
  const row = await lockOwnAgent(tx, uid, deps.market.source.id, id);
  if (row.status === 'running') return { outcome: 'unchanged', agent: await seenAs(tx, deps, row) };
  const against = objection(row, body);
  if (against !== null)
    throw new Refusal(against.code, against.message, {
      details: { agent: await seenAs(tx, deps, row) },
    });
  if (row.connectionId !== null && confirm === null) throw needsStepUp();
  refuseTwin(row);
  const account = await lockLiveAccount(tx, row);
  await mayStart(tx, deps, row);
  // Under the agent's lock, and after every other objection: it is used up by being asked.
  if (confirm !== null) await confirm(row);
  const started = await applyEvent(tx, deps, row, 'start');
  if (started !== null) await followAndTell(tx, deps, started, 'start');
  if (account !== null) await guardPositions(tx, deps, account, row);
  if (body.tested === undefined) await measureFromNow(tx, deps, uid, [row]);
  else await saveBacktestRecord(tx, deps, row, body.tested);
  return { outcome: 'started', agent: await told(tx, deps, uid, started ?? row) };
}

/** A stopped agent buys nothing more, at its exchange either; its stop losses stay there. */
export async function takeBackEntries(
  tx: Tx,
  deps: TradingDeps,
  { id, connectionId }: AgentRow,
): Promise<void> {
  if (connectionId !== null)
    await withdrawEntries(tx, deps, deps.live ?? null, { id, connectionId });
}

export async function stopAgent(
  tx: Tx,
  deps: TradingDeps,
  uid: string,
  id: string,
  waitedMs?: number,
): Promise<Ran> {
  const row = await lockOwnAgent(tx, uid, deps.market.source.id, id);
  const stopped = await applyEvent(tx, deps, row, 'stop');
  await takeBackEntries(tx, deps, row);
  await followAndTell(tx, deps, row, 'stop');
  return {
    outcome: stopped === null ? 'unchanged' : 'stopped',
    agent: await told(
      tx,
      deps,
      uid,
      stopped ?? (await outdateStarts(tx, row)),
      stopped === null ? undefined : waitedMs,
    ),
  };
}

type AllRan = Omit<AllAgentsCommandReply, 'commandId'>;

/**
 * R7-18. The listed agents, or all; each by its own merit: one that is refused keeps no other from
 * starting.
 */
export async function startAll(
  tx: Tx,
  deps: TradingDeps,
  uid: string,
  body: AllAgentsCommandBody,
): Promise<AllRan> {
  // One agent, however its id is spelt: what was seen of it holds for it.
  const listed = body.agents?.map(({ id }) => id.toLowerCase());
  const rows = await lockOwnAgents(tx, uid, deps.market.source.id, listed?.filter(isId));
  const seen = new Map(
    body.agents?.map(({ id, seenGeneration }) => [id.toLowerCase(), seenGeneration]),
  );
  const plan = await planAnswer(tx, deps, uid);
  const results: AllRan['results'] = [];
  const after: AgentRow[] = [];
  const changed: AgentRow[] = [];
  for (const row of rows) {
    const placeless = plan.free <= 0 && row.status !== 'halted' ? plan.refusal : null;
    const against =
      row.status === 'running'
        ? null
        : ((row.connectionId === null ? null : needsStepUp()) ??
          twinObjection(row) ??
          objection(row, {
            ageMs: body.ageMs,
            confirmed: body.confirmed,
            seenGeneration: seen.get(row.id),
          }) ??
          plan.never ??
          placeless);
    const started = against === null ? await applyEvent(tx, deps, row, 'start') : null;
    if (started !== null) {
      changed.push(started);
      if (row.status !== 'halted') plan.free -= 1;
    }
    after.push(started ?? row);
    results.push({
      agentId: row.id,
      outcome: against !== null ? 'refused' : started === null ? 'unchanged' : 'started',
      ...(against === null ? {} : { code: against.code, message: against.message }),
    });
  }
  const found = new Set(rows.map((row) => row.id));
  for (const id of listed ?? []) {
    if (!found.has(id))
      results.push({
        agentId: id,
        outcome: 'refused',
        code: 'not_found',
        message: 'Agent not found. It may have been deleted.',
      });
  }
  await measureFromNow(tx, deps, uid, changed);
  await publishChanged(tx, deps, uid, changed);
  return { results, agents: await toAgents(tx.db, deps.market, after) };
}

interface PlanAnswer {
  /** Places that are left; what a start beyond them is told. */
  free: number;
  refusal: { code: ErrorCode; message: string } | null;
  /** Why the plan starts none at all. */
  never: { code: ErrorCode; message: string } | null;
}

async function planAnswer(tx: Tx, deps: TradingDeps, uid: string): Promise<PlanAnswer> {
  try {
    return { ...(await freePlaces(tx, deps, uid)), never: null };
  } catch (error) {
    if (error instanceof Refusal) return { free: 0, refusal: null, never: error };
    throw error;
  }
}

/** R7-18. All of them, whatever is listed. */
export async function stopAll(
  tx: Tx,
  deps: TradingDeps,
  uid: string,
  waitedMs?: number,
): Promise<AllRan> {
  const rows = await lockOwnAgents(tx, uid, deps.market.source.id);
  const results: AllRan['results'] = [];
  const after: AgentRow[] = [];
  const changed: AgentRow[] = [];
  for (const row of rows) {
    const stopped = await applyEvent(tx, deps, row, 'stop');
    await takeBackEntries(tx, deps, row);
    const now = stopped ?? (await outdateStarts(tx, row));
    changed.push(now);
    after.push(now);
    results.push({ agentId: row.id, outcome: stopped === null ? 'unchanged' : 'stopped' });
  }
  await publishChanged(
    tx,
    deps,
    uid,
    changed,
    results.some(({ outcome }) => outcome === 'stopped') ? waitedMs : undefined,
  );
  return { results, agents: await toAgents(tx.db, deps.market, after) };
}
