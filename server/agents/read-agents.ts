/** A user's agents for the wire, with the results of the open account. */
import { and, asc, eq, inArray, isNull } from 'drizzle-orm';
import type {
  Agent,
  AgentList,
  AgentRun,
  AgentStatus,
  AgentSummary,
  ExecutionInterval,
  LiveTotals,
  OtherFee,
  PoolId,
  RiskProfile,
  TradingFrequency,
} from '../../contract/agents.ts';
import { Refusal } from '../../contract/errors.ts';
import { add, formatFixed, parseFixed, sum, toNumber, ZERO } from '../../contract/money.ts';
import type { EntriesOff } from '../../contract/halts.ts';
import { agentCap } from '../../contract/tiers.ts';
import type { Tier } from '../../contract/permission.ts';
import { markToMarket } from '../../engine/accounting/ledger.ts';
import { universeFor } from '../../engine/strategies/pools.ts';
import type { AgentPause } from '../../engine/execution/agent-types.ts';
import type { Db, Tx } from '../db/database.ts';
import { agents, users } from '../db/schema.ts';
import { entriesOffOf } from './trading-halts.ts';
import type { Market } from '../market/market-source.ts';
import { offeredBy } from '../market/offered-pairs.ts';
import {
  NO_RESULTS,
  openPositionsOf,
  quotesOf,
  resultsOfAgents,
  toOpenPosition,
  type Results,
} from '../portfolio/marks.ts';
import { connectionsOf, openLiveAccounts, type ConnectionRow } from '../live/live-accounts.ts';
import { otherFeesOf } from '../live/other-fees.ts';
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

/**
 * Agents of one source that take a place of the plan: every one that is not deleted, but a twin on
 * paper, which runs beside a live one.
 */
export const takesPlace = (source: string) =>
  and(eq(agents.source, source), isNull(agents.deletedAt), isNull(agents.shadowOf));

export const asAgentRow = (row: typeof agents.$inferSelect): AgentRow => row as AgentRow;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
export const isId = (text: string): boolean => UUID.test(text);

const notFound = (): Refusal =>
  new Refusal('not_found', 'Agent not found. It may have been deleted.');

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
  /** By agent, of those that trade at an exchange. */
  otherFees: Map<string, OtherFee[]>;
  /** Exchange accounts by connection, of agents that trade there. */
  connections: Map<string, Pick<ConnectionRow, 'exchange' | 'label'>>;
  /** Twins on paper, by the live agent they run beside. */
  shadows: Map<string, string>;
}

export async function loadResults(
  db: Db,
  market: Market,
  rows: readonly Pick<AgentRow, 'id' | 'uid' | 'connectionId'>[],
): Promise<AgentResults> {
  const uids = [...new Set(rows.map((row) => row.uid))];
  const open = await openAccountsOf(db, uids, market.source.id);
  const live = rows.filter((row) => row.connectionId !== null);
  const connections: AgentResults['connections'] = new Map();
  let otherFees: AgentResults['otherFees'] = new Map();
  if (live.length > 0) {
    const atExchanges = await openLiveAccounts(db, uids);
    open.push(...atExchanges);
    otherFees = await otherFeesOf(
      db,
      atExchanges.map(({ id }) => id),
    );
    for (const uid of new Set(live.map((row) => row.uid)))
      for (const row of await connectionsOf(db, uid)) connections.set(row.id, row);
  }
  const ids = open.map((account) => account.id);
  const results = await resultsOfAgents(
    db,
    ids,
    rows.map((row) => row.id),
  );
  const held = new Map<string, PositionRow[]>();
  for (const position of await openPositionsOf(db, ids))
    held.set(position.agentId, [...(held.get(position.agentId) ?? []), position]);
  const shadows = await shadowsOf(
    db,
    live.map((row) => row.id),
  );
  return { results, open: held, otherFees, connections, shadows };
}

async function shadowsOf(db: Db, liveIds: readonly string[]): Promise<Map<string, string>> {
  if (liveIds.length === 0) return new Map();
  const rows = await db
    .select({ id: agents.id, of: agents.shadowOf })
    .from(agents)
    .where(and(inArray(agents.shadowOf, [...liveIds]), isNull(agents.deletedAt)));
  return new Map(rows.map(({ id, of }) => [of ?? '', id]));
}

/** At present prices. */
export const agentsFrom = (
  market: Market,
  rows: readonly AgentRow[],
  known: AgentResults,
): Agent[] =>
  rows.map((row) => ({
    ...toAgent(market, row, known.results.get(row.id) ?? NO_RESULTS, known.open.get(row.id) ?? []),
    ...tiesOf(row, known),
    ...otherFeesIn(row, known),
  }));

function otherFeesIn({ id }: AgentRow, { otherFees }: AgentResults): Pick<Agent, 'otherFees'> {
  const mine = otherFees.get(id);
  return mine === undefined ? {} : { otherFees: mine };
}

/** Whose money it is, and its twin. Of an agent on paper without one there is nothing to say. */
function tiesOf(
  { id, connectionId, shadowOf, quote }: AgentRow,
  { connections, shadows }: AgentResults,
): Pick<Agent, 'account' | 'connectionId' | 'shadow' | 'shadowOf'> {
  if (connectionId === null) return shadowOf === null ? {} : { shadowOf };
  const connection = connections.get(connectionId);
  const twin = shadows.get(id);
  return {
    connectionId,
    ...(connection === undefined
      ? {}
      : {
          account: {
            kind: 'live',
            connectionId,
            exchange: connection.exchange,
            label: connection.label,
            quote,
          },
        }),
    ...(twin === undefined ? {} : { shadow: { agentId: twin } }),
  };
}

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
    ownPairs: row.tradingPairs,
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
  const facts = await loadAgentList(deps, uid);
  return summaryFrom(deps, facts, (await deps.entitlement.tierOf(uid)).tier);
}

export function summaryFrom(
  { market, clock }: Pick<TradingDeps, 'market' | 'clock'>,
  facts: AgentListFacts,
  tier: Tier,
): AgentSummary {
  const all = agentsFrom(market, facts.rows, facts);
  const list = all.filter((agent) => agent.connectionId === undefined);
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
    live: liveTotals(market, all, facts),
  };
}

/** Real money, each exchange account by itself. */
function liveTotals(market: Market, all: readonly Agent[], facts: AgentListFacts): LiveTotals[] {
  return [...facts.connections].flatMap(([connectionId, { exchange, label }]) => {
    const mine = all.filter((agent) => agent.connectionId === connectionId);
    if (mine.length === 0) return [];
    const held = mine.flatMap(({ id }) => facts.open.get(id) ?? []);
    const quotes = quotesOf(
      market,
      held.map(({ pair }) => pair),
    );
    const total = (key: 'realized' | 'unrealized' | 'fees'): string =>
      formatFixed(sum(mine.map((agent) => parseFixed(agent[key]))));
    return [
      {
        connectionId,
        exchange,
        label,
        quote: mine[0]?.quote ?? market.source.quote,
        total: mine.length,
        running: mine.filter(({ status }) => status === 'running').length,
        openPositions: held.length,
        value: formatFixed(markToMarket(ZERO, held.map(toOpenPosition), quotes).positionsValue),
        realized: total('realized'),
        unrealized: total('unrealized'),
        fees: total('fees'),
      },
    ];
  });
}
