/** A user's agents for the wire, with the results of the open account. */
import { and, asc, eq, inArray, isNull } from 'drizzle-orm';
import type {
  Agent,
  AgentList,
  AgentRun,
  AgentStatus,
  AgentSummary,
  ExecutionInterval,
  PoolId,
  RiskProfile,
  TradingFrequency,
} from '../../contract/agents.ts';
import { Refusal } from '../../contract/errors.ts';
import { add, formatFixed, parseFixed, sum, toNumber, ZERO } from '../../contract/money.ts';
import type { EntriesOff } from '../../contract/halts.ts';
import { agentCap, type Tier } from '../../contract/tiers.ts';
import { markToMarket } from '../../engine/accounting/ledger.ts';
import { universeFor } from '../../engine/strategies/pools.ts';
import type { AgentPause } from '../../engine/execution/agent-types.ts';
import type { PairRules } from '../../engine/market-types.ts';
import type { Db, Tx } from '../db/database.ts';
import { agents, users } from '../db/schema.ts';
import { entriesOffOf } from './trading-halts.ts';
import type { Market } from '../market/market-source.ts';
import {
  NO_RESULTS,
  openPositionsOf,
  quotesOf,
  resultsOfAgents,
  toOpenPosition,
  type Results,
} from '../portfolio/marks.ts';
import { openLiveAccounts } from '../live/live-accounts.ts';
import { openAccountsOf } from '../portfolio/open-account.ts';
import type { PositionRow } from '../portfolio/record-trades.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { EVALUATED_STATUSES } from './agent-lifecycle.ts';

/**
 * The row with its words narrowed to the contract's; the table's check is the contract that wrote
 * them.
 */
export type AgentRow = Omit<
  typeof agents.$inferSelect,
  'status' | 'riskProfile' | 'executionInterval' | 'tradingFrequency' | 'pool' | 'hold' | 'memory'
> & {
  status: AgentStatus;
  riskProfile: RiskProfile;
  executionInterval: ExecutionInterval;
  tradingFrequency: TradingFrequency;
  pool: PoolId;
  hold: AgentPause | null;
  memory: Record<string, unknown>;
};

/** What an agent decides by: all that a preview needs to know of one. */
export type AgentTerms = Pick<
  AgentRow,
  | 'id'
  | 'uid'
  | 'pool'
  | 'tradingPairs'
  | 'riskProfile'
  | 'maxPositionSize'
  | 'executionInterval'
  | 'tradingFrequency'
  | 'memory'
> & {
  /** Absent in what is only looked at: that decides as on paper. */
  connectionId?: string | null;
};

export const asAgentRow = (row: typeof agents.$inferSelect): AgentRow => row as AgentRow;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isId = (text: string): boolean => UUID.test(text);

const notFound = (): Refusal =>
  new Refusal('not_found', 'Agent not found. It may have been deleted.');

/** Names of what a market offers, made once for each list of it. */
const NAMES = new WeakMap<readonly PairRules[], readonly string[]>();

function offeredBy(market: Market): readonly string[] {
  const list = market.pairs();
  const names = NAMES.get(list) ?? list.map((rules) => rules.pair);
  NAMES.set(list, names);
  return names;
}

/** The pairs an agent looks at on this market now. */
export function pairsOf(market: Market, row: Pick<AgentRow, 'pool' | 'tradingPairs'>): string[] {
  return universeFor(row.pool, row.tradingPairs, offeredBy(market), market.now());
}

/** All agents of (user, source) that are not deleted, oldest first. */
export async function agentRows(db: Db, uid: string, source: string): Promise<AgentRow[]> {
  const rows = await db
    .select()
    .from(agents)
    .where(and(eq(agents.uid, uid), eq(agents.source, source), isNull(agents.deletedAt)))
    .orderBy(asc(agents.createdAt), asc(agents.id));
  return rows.map(asAgentRow);
}

/** One agent of this person; another's is not found, like one that never was. */
export async function ownAgent(db: Db, uid: string, source: string, id: string): Promise<AgentRow> {
  if (!isId(id)) throw notFound();
  const [row] = await db
    .select()
    .from(agents)
    .where(
      and(
        eq(agents.id, id),
        eq(agents.uid, uid),
        eq(agents.source, source),
        isNull(agents.deletedAt),
      ),
    );
  if (row === undefined) throw notFound();
  return asAgentRow(row);
}

/**
 * The same under a row lock, for whoever changes it: scheduler and commands wait for each other
 * here.
 */
export async function lockOwnAgent(
  tx: Tx,
  uid: string,
  source: string,
  id: string,
): Promise<AgentRow> {
  if (!isId(id)) throw notFound();
  const [row] = await tx.db
    .select()
    .from(agents)
    .where(
      and(
        eq(agents.id, id),
        eq(agents.uid, uid),
        eq(agents.source, source),
        isNull(agents.deletedAt),
      ),
    )
    .for('update');
  if (row === undefined) throw notFound();
  return asAgentRow(row);
}

/**
 * All of a person's agents under lock, in the order of their ids, so that two such calls never
 * cross.
 */
export async function lockOwnAgents(
  tx: Tx,
  uid: string,
  source: string,
  ids?: readonly string[],
): Promise<AgentRow[]> {
  const mine = and(eq(agents.uid, uid), eq(agents.source, source), isNull(agents.deletedAt));
  if (ids?.length === 0) return [];
  const rows = await tx.db
    .select()
    .from(agents)
    .where(ids === undefined ? mine : and(mine, inArray(agents.id, [...ids])))
    .orderBy(asc(agents.id))
    .for('update');
  return rows.map(asAgentRow);
}

/** What agents have made of their accounts; prices are not in it. */
export interface AgentResults {
  results: Map<string, Results>;
  open: Map<string, PositionRow[]>;
}

export async function loadResults(
  db: Db,
  market: Market,
  rows: readonly Pick<AgentRow, 'id' | 'uid' | 'connectionId'>[],
): Promise<AgentResults> {
  const uids = [...new Set(rows.map((row) => row.uid))];
  const open = await openAccountsOf(db, uids, market.source.id);
  if (rows.some((row) => row.connectionId !== null))
    open.push(...(await openLiveAccounts(db, uids)));
  const ids = open.map((account) => account.id);
  const results = await resultsOfAgents(
    db,
    ids,
    rows.map((row) => row.id),
  );
  const held = new Map<string, PositionRow[]>();
  for (const position of await openPositionsOf(db, ids))
    held.set(position.agentId, [...(held.get(position.agentId) ?? []), position]);
  return { results, open: held };
}

/** At present prices. */
export const agentsFrom = (
  market: Market,
  rows: readonly AgentRow[],
  { results, open }: AgentResults,
): Agent[] =>
  rows.map((row) =>
    toAgent(market, row, results.get(row.id) ?? NO_RESULTS, open.get(row.id) ?? []),
  );

/**
 * Rows as the wire has them, in the order given; of several people where they are several people's.
 */
export async function toAgents(
  db: Db,
  market: Market,
  rows: readonly AgentRow[],
): Promise<Agent[]> {
  return rows.length === 0 ? [] : agentsFrom(market, rows, await loadResults(db, market, rows));
}

function toAgent(
  market: Market,
  row: AgentRow,
  results: Results,
  open: readonly PositionRow[],
): Agent {
  const { unrealized } = markToMarket(
    ZERO,
    open.map(toOpenPosition),
    quotesOf(
      market,
      open.map((position) => position.pair),
    ),
  );
  return {
    id: row.id,
    name: row.name,
    trading_pairs: pairsOf(market, row),
    risk_profile: row.riskProfile,
    max_position_size: toNumber(parseFixed(row.maxPositionSize)),
    execution_interval: row.executionInterval,
    enabled: row.enabled,
    pool: row.pool,
    tradingFrequency: row.tradingFrequency,
    status: row.status,
    hold: row.hold,
    generation: row.generation,
    version: row.version,
    quote: row.quote,
    ...(row.connectionId === null ? {} : { connectionId: row.connectionId }),
    openPositions: open.length,
    realized: formatFixed(results.realized),
    unrealized: formatFixed(unrealized),
    fees: formatFixed(results.fees),
    total: formatFixed(add(results.realized, unrealized)),
    createdAt: row.createdAt,
    startedAt: row.startedAt,
    stoppedAt: row.stoppedAt,
    lastRunAt: row.lastRunMarketMs,
    nextRunAt: row.nextDueMarketMs,
  };
}

/** What the list of a person's agents is made of; prices are not in it. */
export interface AgentListFacts extends AgentResults {
  sequence: number;
  rows: AgentRow[];
  off: EntriesOff[];
}

export const readAgentList = async (deps: TradingDeps, uid: string): Promise<AgentList> =>
  agentListFrom(deps, await loadAgentList(deps, uid));

export async function loadAgentList(
  { database, market, clock }: TradingDeps,
  uid: string,
): Promise<AgentListFacts> {
  // The sequence first: what happens after it reaches the reader as an event on top of this list.
  const [user] = await database.db
    .select({ sequence: users.sequence })
    .from(users)
    .where(eq(users.uid, uid));
  const rows = await agentRows(database.db, uid, market.source.id);
  const off = await entriesOffOf(database.db, market.source.id, [uid], clock.now());
  return {
    sequence: user?.sequence ?? 0,
    rows,
    off: off.get(uid) ?? [],
    ...(await loadResults(database.db, market, rows)),
  };
}

/** At present prices; what was off until now is off no more. */
export function agentListFrom(
  { market, clock }: Pick<TradingDeps, 'market' | 'clock'>,
  facts: AgentListFacts,
): AgentList {
  const now = clock.now();
  return {
    agents: agentsFrom(market, facts.rows, facts),
    sequence: facts.sequence,
    asOf: now,
    entriesOff: facts.off.filter(({ until }) => until === null || until > now),
  };
}

/** When these people's running and halted agents were last evaluated, and when they are next. */
export async function readRuns(
  { database: { db }, market }: Pick<TradingDeps, 'database' | 'market'>,
  uids: readonly string[],
): Promise<Map<string, AgentRun[]>> {
  const rows =
    uids.length === 0
      ? []
      : await db
          .select({
            uid: agents.uid,
            id: agents.id,
            lastRunAt: agents.lastRunMarketMs,
            nextRunAt: agents.nextDueMarketMs,
          })
          .from(agents)
          .where(
            and(
              inArray(agents.uid, [...uids]),
              eq(agents.source, market.source.id),
              isNull(agents.deletedAt),
              inArray(agents.status, [...EVALUATED_STATUSES]),
            ),
          )
          .orderBy(asc(agents.id));
  const byPerson = new Map<string, AgentRun[]>(uids.map((uid) => [uid, []]));
  for (const { uid, ...run } of rows) byPerson.get(uid)?.push(run);
  return byPerson;
}

export async function readSummary(deps: TradingDeps, uid: string): Promise<AgentSummary> {
  const list = await readAgentList(deps, uid);
  return summaryFrom(deps, list, (await deps.entitlement.tierOf(uid)).tier);
}

export function summaryFrom(
  { market, clock }: Pick<TradingDeps, 'market' | 'clock'>,
  { agents: list }: AgentList,
  tier: Tier,
): AgentSummary {
  const count = (status: AgentStatus): number =>
    list.filter((agent) => agent.status === status).length;
  const total = (key: 'realized' | 'unrealized' | 'fees' | 'total'): string =>
    formatFixed(sum(list.map((agent) => parseFixed(agent[key]))));
  return {
    total: list.length,
    running: count('running'),
    stopped: count('stopped'),
    halted: count('halted'),
    faulted: count('faulted'),
    openPositions: list.reduce((all, agent) => all + agent.openPositions, 0),
    cap: agentCap(tier),
    quote: market.source.quote,
    realized: total('realized'),
    unrealized: total('unrealized'),
    fees: total('fees'),
    totalProfit: total('total'),
    asOf: clock.now(),
  };
}
