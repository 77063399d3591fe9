/**
 * Creates agents: one as requested, or one for each pool that suits a profile, within plan and
 * market.
 */
import { randomUUID } from 'node:crypto';
import type {
  AgentCreateBody,
  ExecutionInterval,
  PoolCreateBody,
  TradingFrequency,
} from '../../contract/agents.ts';
import { Refusal } from '../../contract/errors.ts';
import { fixedFromNumber, formatFixed } from '../../contract/money.ts';
import { tierPermits } from '../../contract/tiers.ts';
import type { Tier } from '../../contract/permission.ts';
import { POOLS_FOR_PROFILE } from '../../engine/strategies/pools.ts';
import { STRATEGIES } from '../../engine/strategies/registry.ts';
import { PROFILE_OF } from '../../engine/execution/risk-profiles.ts';
import type { Tx } from '../db/database.ts';
import { agents } from '../db/schema.ts';
import type { Market } from '../market/market-source.ts';
import { readConnection } from '../live/live-accounts.ts';
import { readSettings } from '../users/user-settings.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { needPlace } from './places.ts';
import { asAgentRow, isId, pairsOf, type AgentRow } from './read-agents.ts';
import { saveBacktestRecord } from './backtest-records.ts';
import { nextEvaluation, publishChanged } from './transitions.ts';
import { setTwin } from './twins.ts';

/**
 * How often an agent made for a pool is evaluated: no more often than its frequency lets it act.
 */
const EXECUTION_INTERVALS: Record<TradingFrequency, ExecutionInterval> = {
  high: '5-minute',
  optimized: '20-minute',
  daily: 'daily',
  weekly: 'daily',
  'bi-weekly': 'daily',
  monthly: 'daily',
  'long-haul': 'daily',
};

/** Every pair is one this market offers, in the account's quote currency; each once. */
function checkedPairs(market: Market, pairs: readonly string[]): string[] {
  const quote = market.source.quote;
  pairs.forEach((pair, index) => {
    const field = `trading_pairs.${index}`;
    if (market.rules(pair) !== null) return;
    if (!pair.endsWith(`/${quote}`))
      throw new Refusal(
        'wrong_quote',
        `${pair} is not in ${quote}, the quote currency of this account.`,
        { field },
      );
    throw new Refusal('unknown_symbol', `${pair} is not offered by ${market.source.label}.`, {
      field,
    });
  });
  return [...new Set(pairs)];
}

type NewAgent = Pick<
  AgentRow,
  | 'name'
  | 'tradingPairs'
  | 'pool'
  | 'riskProfile'
  | 'maxPositionSize'
  | 'executionInterval'
  | 'tradingFrequency'
  | 'enabled'
  | 'connectionId'
>;

async function insertAgents(
  tx: Tx,
  { market, clock }: TradingDeps,
  uid: string,
  list: readonly NewAgent[],
): Promise<AgentRow[]> {
  const now = clock.now();
  const rows = await tx.db
    .insert(agents)
    .values(
      list.map((agent) => ({
        ...agent,
        id: randomUUID(),
        uid,
        source: market.source.id,
        quote: market.source.quote,
        createdAt: now,
        memory: {},
        status: agent.enabled ? 'running' : 'stopped',
        startedAt: agent.enabled ? now : null,
        nextDueMarketMs: agent.enabled
          ? nextEvaluation(market, agent.executionInterval, market.now())
          : null,
      })),
    )
    .returning();
  return rows.map(asAgentRow);
}

/**
 * Pool and pairs of an agent as this plan and this market let it be.
 * @throws Refusal that names the field at fault.
 */
export function checkedTerms(
  { market }: Pick<TradingDeps, 'market'>,
  tier: Tier,
  body: Pick<AgentCreateBody, 'pool' | 'trading_pairs'>,
): Pick<NewAgent, 'pool' | 'tradingPairs'> {
  const pool = body.pool ?? 'all_pools';
  if (
    body.pool !== undefined &&
    body.pool !== 'all_pools' &&
    !tierPermits(tier, 'trading', 'advanced')
  ) {
    throw new Refusal(
      'insufficient_permissions',
      'Insufficient permissions: you need the Pro plan to choose a pool.',
      { field: 'pool' },
    );
  }
  const tradingPairs = checkedPairs(market, body.trading_pairs);
  if (tradingPairs.length === 0 && body.pool === undefined) {
    throw new Refusal('invalid_request', 'Choose a pool or at least one pair.', {
      field: 'trading_pairs',
      issues: [{ field: 'trading_pairs', message: 'At least one pair' }],
    });
  }
  if (pairsOf(market, { pool, tradingPairs }).length === 0) {
    throw new Refusal('unknown_symbol', `${market.source.label} offers no pairs of this pool.`, {
      field: 'pool',
    });
  }
  return { pool, tradingPairs };
}

/** Real money is never traded by what nobody has started and confirmed. */
async function checkLive(
  tx: Tx,
  uid: string,
  connectionId: string,
  enabled: boolean,
): Promise<void> {
  const connection = isId(connectionId) ? await readConnection(tx.db, connectionId) : null;
  if (connection?.uid !== uid)
    throw new Refusal('not_found', 'Exchange account not found.', { field: 'connectionId' });
  if (connection.state !== 'open')
    throw new Refusal('connection_ended', 'Live trading has ended for this exchange account.');
  if (enabled)
    throw new Refusal('step_up_required', 'Create the agent stopped, and confirm its start.');
}

/** R7-15. With `enabled` the agent starts at once. */
export async function createAgent(
  tx: Tx,
  deps: TradingDeps,
  uid: string,
  body: AgentCreateBody,
): Promise<AgentRow> {
  const { tier } = await needPlace(tx, deps, uid);
  const { pool, tradingPairs } = checkedTerms(deps, tier, body);
  const connectionId = body.connectionId ?? null;
  if (connectionId !== null) await checkLive(tx, uid, connectionId, body.enabled);
  const { settings } = await readSettings(tx.db, uid);
  const [row] = await insertAgents(tx, deps, uid, [
    {
      name: body.name,
      tradingPairs,
      pool,
      riskProfile: body.risk_profile,
      maxPositionSize: formatFixed(fixedFromNumber(body.max_position_size)),
      executionInterval: body.execution_interval,
      tradingFrequency: body.trading_frequency ?? settings.tradingFrequency,
      enabled: body.enabled,
      connectionId,
    },
  ]);
  if (row === undefined) throw new Error('The agent was not created');
  if (body.tested !== undefined) await saveBacktestRecord(tx, deps, row, body.tested);
  if (body.shadow === true) await publishChanged(tx, deps, uid, await setTwin(tx, deps, row, true));
  return row;
}

/**
 * R7-14: in the order of the pools, up to the free places. They wait to be started: nothing trades
 * that nobody started.
 */
export async function createPool(
  tx: Tx,
  deps: TradingDeps,
  uid: string,
  body: PoolCreateBody,
): Promise<AgentRow[]> {
  const { tier } = await deps.entitlement.tierOf(uid, tx);
  if (body.subscription_tier !== tier)
    throw new Refusal('invalid_subscription_parameters', 'Invalid subscription parameters', {
      field: 'subscription_tier',
    });
  const { free } = await needPlace(tx, deps, uid);
  const { settings } = await readSettings(tx.db, uid);
  const pools = POOLS_FOR_PROFILE[body.risk_profile]
    .filter((pool) => pairsOf(deps.market, { pool, tradingPairs: [] }).length > 0)
    .slice(0, free);
  if (pools.length === 0)
    throw new Refusal(
      'unknown_symbol',
      `${deps.market.source.label} offers no pairs of these pools.`,
      { field: 'risk_profile' },
    );
  return insertAgents(
    tx,
    deps,
    uid,
    pools.map((pool) => ({
      name: STRATEGIES[pool].name,
      tradingPairs: [],
      pool,
      riskProfile: PROFILE_OF[body.risk_profile],
      maxPositionSize: formatFixed(fixedFromNumber(settings.maxTradeAmount)),
      executionInterval: EXECUTION_INTERVALS[body.trading_frequency],
      tradingFrequency: body.trading_frequency,
      enabled: false,
      connectionId: null,
    })),
  );
}
