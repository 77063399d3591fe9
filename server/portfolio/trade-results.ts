/** Results and holding times of closed trades, of one account. */
import { and, asc, eq, isNotNull, min, sql } from 'drizzle-orm';
import type { Db } from '../db/database.ts';
import { accounts, fills } from '../db/schema.ts';
import { rowsOf } from '../db/sql-rows.ts';

/**
 * Realised result of every sell of an account, oldest first, as decimal text; of one agent where
 * named.
 */
export async function resultsOfSells(
  db: Db,
  accountId: string,
  agentId?: string,
): Promise<string[]> {
  const mine = and(eq(fills.accountId, accountId), isNotNull(fills.realized));
  const rows = await db
    .select({ realized: fills.realized })
    .from(fills)
    .where(agentId === undefined ? mine : and(mine, eq(fills.agentId, agentId)))
    .orderBy(asc(fills.filledMarketMs), asc(fills.id));
  return rows.flatMap(({ realized }) => (realized === null ? [] : [realized]));
}

/** When an account, or one agent of it, held something. */
export interface HeldSpans {
  /**
   * Since when the account is open, of an agent since its first trade, as `figuresAt` counts; null
   * where there is none.
   */
  from: number | null;
  /** Beginnings, in their order, and ends on the market clock; null for what is held yet. */
  spans: [number, number | null][];
}

export async function readHeldSpans(
  db: Db,
  accountId: string,
  agentId?: string,
): Promise<HeldSpans> {
  const [begun] =
    agentId === undefined
      ? await db
          .select({ from: accounts.openedMarketMs })
          .from(accounts)
          .where(eq(accounts.id, accountId))
      : await db
          .select({ from: min(fills.filledMarketMs) })
          .from(fills)
          .where(and(eq(fills.accountId, accountId), eq(fills.agentId, agentId)));
  const only = agentId === undefined ? sql`` : sql` and agent_id = ${agentId}`;
  const [row] = await rowsOf<{ spans: string }>(
    db,
    sql`
    select coalesce(json_agg(json_build_array(opened_market_ms, closed_market_ms) order by opened_market_ms), '[]')::text as spans
    from positions where account_id = ${accountId}${only}`,
  );
  return {
    from: begun?.from ?? null,
    spans: JSON.parse(row?.spans ?? '[]') as HeldSpans['spans'],
  };
}

/** Market time (ms) with at least one position open since the beginning, and that whole time. */
export function exposureAt(
  { from, spans }: HeldSpans,
  now: number,
): { exposed: number; total: number } {
  return {
    exposed: covered(spans.map(([opened, closed]) => [opened, closed ?? now])),
    total: Math.max(0, now - (from ?? now)),
  };
}

/** Whether something is held at a moment. Each one asked about must be later than the one before. */
export function holding(spans: HeldSpans['spans']): (at: number) => boolean {
  let next = 0;
  let until = Number.NEGATIVE_INFINITY;
  return (at) => {
    for (; (spans[next]?.[0] ?? Infinity) <= at; next += 1)
      until = Math.max(until, spans[next]?.[1] ?? Infinity);
    return until > at;
  };
}

export async function exposureMs(
  db: Db,
  accountId: string,
  now: number,
  agentId?: string,
): Promise<{ exposed: number; total: number }> {
  return exposureAt(await readHeldSpans(db, accountId, agentId), now);
}

export interface TradeFigures {
  agentId: string;
  trades: number;
  sells: number;
  wins: number;
  profitFactor: number | null;
  exposure: number | null;
}

export interface FigureRow {
  agentId: string;
  trades: number;
  sells: number;
  wins: number;
  won: string;
  lost: string;
  first: number;
  spans: [number, number | null][];
}

export async function readFigures(db: Db, accountId: string): Promise<FigureRow[]> {
  const [row] = await rowsOf<{ figures: string }>(
    db,
    sql`
    select coalesce(json_agg(json_build_object('agentId', agent_id, 'trades', trades, 'sells', sells, 'wins', wins, 'won', won::text, 'lost', lost::text, 'first', first, 'spans', coalesce((
      select json_agg(json_build_array(opened_market_ms, closed_market_ms) order by opened_market_ms) from positions
      where positions.account_id = ${accountId} and positions.agent_id = traded.agent_id), '[]'::json)) order by agent_id), '[]')::text as figures
    from (
      select agent_id, count(*)::int as trades, count(realized)::int as sells, (count(*) filter (where realized > 0))::int as wins,
        coalesce(sum(realized) filter (where realized > 0), 0) as won, coalesce(-sum(realized) filter (where realized < 0), 0) as lost, min(filled_market_ms) as first
      from fills where account_id = ${accountId} group by agent_id
    ) traded`,
  );
  return JSON.parse(row?.figures ?? '[]') as FigureRow[];
}

/**
 * Every agent of an account that has traded, by its own trades and the time it held something since
 * the first of them.
 */
export function figuresAt(rows: readonly FigureRow[], now: number): TradeFigures[] {
  return rows.map(({ agentId, trades, sells, wins, won, lost, first, spans }) => ({
    agentId,
    trades,
    sells,
    wins,
    profitFactor: Number(lost) === 0 ? null : Number(won) / Number(lost),
    exposure:
      now <= first ? null : covered(spans.map(([from, to]) => [from, to ?? now])) / (now - first),
  }));
}

/** Time covered by spans that may overlap, sorted by their beginning. */
function covered(spans: readonly (readonly [number, number])[]): number {
  let time = 0;
  let until = Number.NEGATIVE_INFINITY;
  for (const [from, to] of spans) {
    time += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return time;
}
