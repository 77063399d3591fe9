/** An account's holdings as rows and valued at the bid. */
import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import { divide, formatFixed, parseFixed, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { Position } from '../../contract/trading.ts';
import { CASH, markToMarket } from '../../engine/accounting/ledger.ts';
import type { PositionValuation } from '../../engine/accounting/ledger.ts';
import type { OpenPosition } from '../../engine/execution/agent-types.ts';
import type { Quote } from '../../engine/market-types.ts';
import type { Db, Tx } from '../db/database.ts';
import { accounts, agents, balances, fills, positions } from '../db/schema.ts';
import type { Market } from '../market/market-source.ts';
import type { PositionRow } from './record-trades.ts';
import { rowsOf } from '../db/sql-rows.ts';

/**
 * Waits for and takes the account: whoever changes its cash or positions holds this until commit.
 */
export async function lockAccount(
  tx: Tx,
  accountId: string,
): Promise<typeof accounts.$inferSelect> {
  const [row] = await tx.db.select().from(accounts).where(eq(accounts.id, accountId)).for('update');
  if (row === undefined) throw new Error('The account is gone');
  return row;
}

export async function cashOfAccounts(
  db: Db,
  accountIds: readonly string[],
): Promise<Map<string, Fixed>> {
  if (accountIds.length === 0) return new Map();
  const rows = await db
    .select({ accountId: balances.accountId, amount: balances.amount })
    .from(balances)
    .innerJoin(
      accounts,
      and(eq(accounts.id, balances.accountId), eq(accounts.quote, balances.asset)),
    )
    .where(and(inArray(balances.accountId, [...accountIds]), eq(balances.bucket, CASH)));
  return new Map(rows.map((row) => [row.accountId, parseFixed(row.amount)]));
}

export async function openPositionsOf(
  db: Db,
  accountIds: readonly string[],
): Promise<PositionRow[]> {
  if (accountIds.length === 0) return [];
  // As one text: read row by row, this is the dearest reading of a tick.
  const [row] = await rowsOf<{ list: string }>(
    db,
    sql`
    select coalesce(json_agg(json_build_object(
      'id', id, 'accountId', account_id, 'agentId', agent_id, 'pair', pair, 'quantity', quantity::text, 'cost', cost::text,
      'stopPrice', stop_price::text, 'openedMarketMs', opened_market_ms, 'closedMarketMs', closed_market_ms
    ) order by opened_market_ms, id), '[]')::text as list
    from positions where ${and(inArray(positions.accountId, [...accountIds]), isNull(positions.closedMarketMs))}`,
  );
  return JSON.parse(row?.list ?? '[]') as PositionRow[];
}

export function toOpenPosition(row: PositionRow): OpenPosition {
  return {
    id: row.id,
    pair: row.pair,
    quantity: parseFixed(row.quantity),
    cost: parseFixed(row.cost),
    stopPrice: row.stopPrice === null ? null : parseFixed(row.stopPrice),
    openedAt: row.openedMarketMs,
  };
}

/** The newest sane quote of each pair; pairs never quoted are left out. */
export function quotesOf(market: Market, pairs: Iterable<string>): Map<string, Quote> {
  const quotes = new Map<string, Quote>();
  for (const pair of pairs) {
    const quote = market.quote(pair);
    if (quote !== null) quotes.set(pair, quote);
  }
  return quotes;
}

/** Positions as the wire has them, each with the mark it has in the account's valuation. */
export async function toPositions(
  db: Db,
  market: Market,
  rows: readonly PositionRow[],
): Promise<Position[]> {
  if (rows.length === 0) return [];
  const quotes = quotesOf(
    market,
    rows.map((row) => row.pair),
  );
  const marks = new Map(
    markToMarket(ZERO, rows.map(toOpenPosition), quotes).marks.map((mark) => [mark.id, mark]),
  );
  const names = await agentNames(
    db,
    rows.map((row) => row.agentId),
  );
  return rows.map((row) =>
    toPosition(row, names.get(row.agentId) ?? '', marks.get(row.id), quotes.get(row.pair)),
  );
}

/** One position as the wire has it; without a quote its value is not known. */
export function toPosition(
  row: PositionRow,
  agentName: string,
  mark: PositionValuation | undefined,
  quote: Quote | undefined,
): Position {
  const { quantity, cost, stopPrice } = toOpenPosition(row);
  const priced = mark?.priced === true;
  return {
    id: row.id,
    agentId: row.agentId,
    agentName,
    pair: row.pair,
    quantity: formatFixed(quantity),
    averageCost: formatFixed(quantity === ZERO ? ZERO : divide(cost, quantity, 'half-even')),
    cost: formatFixed(cost),
    price: quote === undefined ? null : formatFixed(quote.bid),
    priceAt: quote?.at ?? null,
    value: priced ? formatFixed(mark.value) : null,
    unrealized: priced ? formatFixed(mark.unrealized) : null,
    stopPrice: stopPrice === null ? null : formatFixed(stopPrice),
    openedAt: row.openedMarketMs,
  };
}

export async function agentNames(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({ id: agents.id, name: agents.name })
    .from(agents)
    .where(inArray(agents.id, [...new Set(ids)]));
  return new Map(rows.map((row) => [row.id, row.name]));
}

export interface Results {
  realized: Fixed;
  fees: Fixed;
  trades: number;
  sells: number;
  wins: number;
}

export const NO_RESULTS: Results = { realized: ZERO, fees: ZERO, trades: 0, sells: 0, wins: 0 };

interface ResultRow {
  key: string;
  realized: string;
  fees: string;
  trades: number;
  sells: number;
  wins: number;
}

const SUMS = sql`coalesce(sum(realized), 0)::text as realized, sum(fee)::text as fees, count(*)::int as trades,
  count(realized)::int as sells, (count(*) filter (where realized > 0))::int as wins`;

const asResults = (rows: readonly ResultRow[]): Map<string, Results> =>
  new Map(
    rows.map((row) => [
      row.key,
      { ...row, realized: parseFixed(row.realized), fees: parseFixed(row.fees) },
    ]),
  );

/** Sums over the fills of these agents in these accounts, by agent; who has none is left out. */
export async function resultsOfAgents(
  db: Db,
  accountIds: readonly string[],
  agentIds: readonly string[],
): Promise<Map<string, Results>> {
  if (accountIds.length === 0 || agentIds.length === 0) return new Map();
  return asResults(
    await rowsOf<ResultRow>(
      db,
      sql`
    select agent_id::text as key, ${SUMS} from fills
    where ${and(inArray(fills.agentId, [...agentIds]), inArray(fills.accountId, [...accountIds]))} group by 1`,
    ),
  );
}

/** Sums over fills of one account, by agent or by pair. */
export async function resultsBy(
  db: Db,
  accountId: string,
  key: 'agent_id' | 'pair',
  agentId?: string,
): Promise<Map<string, Results>> {
  const only = agentId === undefined ? sql`` : sql` and agent_id = ${agentId}`;
  return asResults(
    await rowsOf<ResultRow>(
      db,
      sql`
    select ${sql.identifier(key)}::text as key, ${SUMS} from fills where account_id = ${accountId}${only} group by 1 order by 1`,
    ),
  );
}
