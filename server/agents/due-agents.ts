/** Which agents are due at a tick, and on what they decide: read once, however many they are. */
import { inArray, sql, type SQL } from 'drizzle-orm';
import type { ExecutionInterval, PoolId, TradingFrequency } from '../../contract/agents.ts';
import type { Db } from '../db/database.ts';
import { agents } from '../db/schema.ts';
import { rowsOf } from '../db/sql-rows.ts';
import type { Market } from '../market/market-source.ts';
import { EVALUATED_STATUSES } from './agent-lifecycle.ts';
import type { AgentTerms } from './read-agents.ts';

/** All that decides which candles an agent needs. */
export type CandleTerms = Pick<
  AgentTerms,
  'pool' | 'tradingPairs' | 'executionInterval' | 'tradingFrequency'
>;

const isDue = (market: Market, tick: number) =>
  sql`${agents.source} = ${market.source.id} and ${agents.deletedAt} is null and ${agents.nextDueMarketMs} <= ${tick}::bigint and ${inArray(agents.status, [...EVALUATED_STATUSES])}`;

/** Agents with the same key need the same candles. */
export const termsKey = (terms: CandleTerms): string =>
  [terms.pool, terms.executionInterval, terms.tradingFrequency, terms.tradingPairs.join(',')].join(
    '|',
  );

/** Not of these keys. Undefined where there is none: usually nobody is left out. */
export const notOfTerms = (keys: ReadonlySet<string>): SQL | undefined =>
  keys.size === 0
    ? undefined
    : sql`concat_ws('|', ${agents.pool}, ${agents.executionInterval}, ${agents.tradingFrequency}, array_to_string(${agents.tradingPairs}, ',')) not in (select json_array_elements_text(${JSON.stringify([...keys])}::json))`;

/**
 * Whether any agent is still to be evaluated, those that another worker holds among them, but not
 * those of the terms left out.
 */
export async function isAnyDue(
  db: Db,
  market: Market,
  tick: number,
  leftOut: ReadonlySet<string>,
): Promise<boolean> {
  const others = notOfTerms(leftOut);
  const due =
    others === undefined ? isDue(market, tick) : sql`${isDue(market, tick)} and ${others}`;
  return (await db.select({ id: agents.id }).from(agents).where(due).limit(1)).length > 0;
}

export const countDue = (db: Db, market: Market, tick: number): Promise<number> =>
  db.$count(agents, isDue(market, tick));

/**
 * The different terms of all due agents, a pair at a time: no list of pairs where they trade the
 * pool's. Pairs are taken apart before rows are told apart: few agents share a list, and lists cost
 * three times as much to compare.
 */
export async function dueTerms(db: Db, market: Market, tick: number): Promise<CandleTerms[]> {
  const rows = await rowsOf<{
    pool: string;
    interval: string;
    frequency: string;
    pair: string | null;
  }>(
    db,
    sql`
    select distinct pool, execution_interval as interval, trading_frequency as frequency, pair
    from agents left join lateral unnest(trading_pairs) as pair on true
    where ${isDue(market, tick)}`,
  );
  return rows.map(({ pool, interval, frequency, pair }) => ({
    pool: pool as PoolId,
    executionInterval: interval as ExecutionInterval,
    tradingFrequency: frequency as TradingFrequency,
    tradingPairs: pair === null ? [] : [pair],
  }));
}
