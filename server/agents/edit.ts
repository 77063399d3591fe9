/** Changes and deletes agents. An agent with open positions cannot be deleted. */
import { and, count, eq, isNull, sql } from 'drizzle-orm';
import type {
  Agent,
  AgentSettingsBody,
  AgentSettingsQuery,
  ReconfigureBody,
} from '../../contract/agents.ts';
import { Refusal } from '../../contract/errors.ts';
import { fixedFromNumber, formatFixed } from '../../contract/money.ts';
import { tierPermitsCall } from '../../contract/calls.ts';
import { PROFILE_OF } from '../../engine/execution/risk-profiles.ts';
import type { Tx } from '../db/database.ts';
import { agents, positions } from '../db/schema.ts';
import { readConnection } from '../live/live-accounts.ts';
import { hasLiveOrders } from '../live/stop-live.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { EVALUATED_STATUSES } from './agent-lifecycle.ts';
import { asAgentRow, lockOwnAgent, lockOwnAgents, toAgents, type AgentRow } from './read-agents.ts';
import { mayStart, needsStepUp, takeBackEntries } from './run-commands.ts';
import { saveBacktestRecord, measureFromNow } from './backtest-records.ts';
import { applyEvent, nextEvaluation, publishChanged } from './transitions.ts';
import { editTwins, followLive, letTwinsGo, refuseTwin, setTwin } from './twins.ts';

async function edited(
  tx: Tx,
  row: AgentRow,
  set: Partial<typeof agents.$inferInsert>,
): Promise<AgentRow> {
  const [changed] = await tx.db
    .update(agents)
    .set({ ...set, version: sql`${agents.version} + 1`, generation: sql`${agents.generation} + 1` })
    .where(eq(agents.id, row.id))
    .returning();
  if (changed === undefined) throw new Error('The agent is gone');
  return asAgentRow(changed);
}

/**
 * R7-16. A changed `enabled` starts or stops as the commands do; a start may be refused, a stop
 * never. With `keep` it does neither: what a form last saw may be older than the last Stop.
 */
export async function updateAgent(
  tx: Tx,
  deps: TradingDeps,
  uid: string,
  id: string,
  sent: AgentSettingsBody,
  { enabled }: AgentSettingsQuery,
): Promise<Agent> {
  const { market } = deps;
  const row = await lockOwnAgent(tx, uid, market.source.id, id);
  const body = enabled === 'keep' ? { ...sent, enabled: row.enabled } : sent;
  if (body.version !== undefined && body.version !== row.version) {
    const [agent] = await toAgents(tx.db, market, [row]);
    throw new Refusal(
      'agent_changed',
      'This agent was changed elsewhere in the meantime. Compare both versions and save again.',
      { details: { agent } },
    );
  }
  refuseTwin(row);
  if (body.enabled && !row.enabled) await mayStart(tx, deps, row);
  const evaluations =
    EVALUATED_STATUSES.includes(row.status) && body.execution_interval !== row.executionInterval;
  const terms = {
    riskProfile: body.risk_profile,
    maxPositionSize: formatFixed(fixedFromNumber(body.max_position_size)),
    executionInterval: body.execution_interval,
    ...(evaluations
      ? { nextDueMarketMs: nextEvaluation(market, body.execution_interval, market.now()) }
      : {}),
  };
  let changed = await edited(tx, row, terms);
  if (body.enabled && !row.enabled && row.connectionId !== null) throw needsStepUp();
  if (body.enabled !== row.enabled)
    changed = (await applyEvent(tx, deps, changed, body.enabled ? 'start' : 'stop')) ?? changed;
  if (!body.enabled && row.enabled) await takeBackEntries(tx, deps, row);
  const twins = await changeTwin(tx, deps, changed, body, terms, row.enabled);
  if (body.tested !== undefined) await saveBacktestRecord(tx, deps, changed, body.tested);
  else if (body.enabled && !row.enabled) await measureFromNow(tx, deps, uid, [changed]);
  const [agent] = await publishChanged(tx, deps, uid, [changed, ...twins]);
  if (agent === undefined) throw new Error('The agent is gone');
  return agent;
}

/** Of a live agent: its twin gets the same terms, stops with it, and comes or goes as is wished. */
async function changeTwin(
  tx: Tx,
  deps: TradingDeps,
  live: AgentRow,
  { enabled, shadow }: AgentSettingsBody,
  terms: Partial<typeof agents.$inferInsert>,
  wasEnabled: boolean,
): Promise<AgentRow[]> {
  const changed = new Map<string, AgentRow>();
  const note = (rows: readonly AgentRow[]): void => {
    for (const row of rows) changed.set(row.id, row);
  };
  note(await editTwins(tx, live, terms));
  if (!enabled) note(await followLive(tx, deps, [live], 'stop'));
  if (shadow !== undefined) note(await wishedTwin(tx, deps, live, shadow, wasEnabled && !enabled));
  return [...changed.values()];
}

/** A stop is never refused: one that comes with a wish that is goes on without it. */
async function wishedTwin(
  tx: Tx,
  deps: TradingDeps,
  live: AgentRow,
  isWanted: boolean,
  isStop: boolean,
): Promise<AgentRow[]> {
  try {
    return await setTwin(tx, deps, live, isWanted);
  } catch (error) {
    if (isStop && error instanceof Refusal) return [];
    throw error;
  }
}

/**
 * R7-21: every agent of the person at once, running ones too; what they hold stays and is looked at
 * by the new rules.
 */
export async function reconfigureAgents(
  tx: Tx,
  deps: TradingDeps,
  uid: string,
  body: ReconfigureBody,
): Promise<Agent[]> {
  const { tier, lapsed } = await deps.entitlement.tierOf(uid, tx);
  if (lapsed)
    throw new Refusal('plan_lapsed', 'Your plan has ended. You keep your agents and history.');
  if (!tierPermitsCall(tier, 'reconfigure'))
    throw new Refusal(
      'insufficient_permissions',
      'Insufficient permissions: you need the Pro plan to reconfigure all agents.',
    );
  const rows = await lockOwnAgents(tx, uid, deps.market.source.id);
  const changed: AgentRow[] = [];
  for (const row of rows)
    changed.push(
      await edited(tx, row, {
        riskProfile: PROFILE_OF[body.risk_profile],
        tradingFrequency: body.trading_frequency,
      }),
    );
  return publishChanged(tx, deps, uid, changed);
}

/** History stays; the agent is gone from every list. */
export async function deleteAgent(
  tx: Tx,
  deps: TradingDeps,
  uid: string,
  id: string,
): Promise<void> {
  const row = await lockOwnAgent(tx, uid, deps.market.source.id, id);
  refuseTwin(row);
  const connection =
    row.connectionId === null ? null : await readConnection(tx.db, row.connectionId);
  const [held] = await tx.db
    .select({ open: count() })
    .from(positions)
    .where(and(eq(positions.agentId, row.id), isNull(positions.closedMarketMs)));
  // In an exchange account that was removed nothing can be sold: its books stay as they are.
  if ((held?.open ?? 0) > 0 && connection?.state !== 'ended') {
    throw new Refusal(
      'agent_holds_positions',
      `The agent holds ${held?.open ?? 0} positions. Use Stop and sell first.`,
      { details: { openPositions: held?.open ?? 0 } },
    );
  }
  if (row.connectionId !== null && (await hasLiveOrders(tx, row.id)))
    throw new Refusal(
      'live_orders_open',
      'The agent has orders at the exchange. Stop it and wait until they have ended.',
    );
  if (row.connectionId !== null)
    await publishChanged(tx, deps, uid, await letTwinsGo(tx, deps, row));
  const now = deps.clock.now();
  await tx.db
    .update(agents)
    .set({
      deletedAt: now,
      status: 'stopped',
      enabled: false,
      nextDueMarketMs: null,
      stoppedAt: row.stoppedAt ?? now,
    })
    .where(eq(agents.id, row.id));
  await deps.events.append(tx, uid, [{ type: 'agent.deleted', agentId: row.id }]);
}
