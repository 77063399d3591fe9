/**
 * How far an account's equity fell from its highest mark. What older marks say is kept beside them:
 * marks are thinned with age, and a portfolio reads none that it does not draw.
 */
import { inArray, sql, type SQL } from 'drizzle-orm';
import { formatFixed, parseFixed, toNumber, type Fixed } from '../../contract/money.ts';
import type { Drawdown } from '../../contract/trading.ts';
import type { Tx } from '../db/database.ts';
import { accounts } from '../db/schema.ts';

/**
 * Falls over all marks of the accounts (`ids`: a query of them): what is kept, and the marks after
 * it. One row for each account that has a mark or something kept.
 */
const fallsOf = (ids: SQL): SQL => sql`
  select wanted.id as account_id, coalesce(newer.last, kept.to_market_ms) as to_market_ms,
    greatest(newer.peak, kept.peak) as peak,
    case when kept.peak is null or newer.peak > kept.peak then newer.peak_at else kept.peak_market_ms end as peak_market_ms,
    greatest(newer.deepest, kept.deepest) as deepest,
    case when kept.deepest is null or newer.deepest > kept.deepest then newer.deepest_at else kept.deepest_market_ms end as deepest_market_ms
  from (${ids}) wanted left join account_drawdowns kept on kept.account_id = wanted.id
  left join lateral (
    select max(at) as last, max(equity) as peak, (array_agg(at order by equity desc, at))[1] as peak_at,
      max(fall) as deepest, (array_agg(at order by fall desc, at))[1] as deepest_at
    from (
      select at, equity, case when peak > 0 then ((peak - equity) / peak)::float8 else 0 end as fall
      from (
        select at_market_ms as at, equity, greatest(kept.peak, max(equity) over (order by at_market_ms)) as peak
        from equity_points where account_id = wanted.id and at_market_ms > coalesce(kept.to_market_ms, -1)
      ) marks
    ) falls
  ) newer on true
  where coalesce(newer.last, kept.to_market_ms) is not null`;

/** Of one account, as JSON; null before a first mark. */
export const FALLS = (accountId: SQL): SQL => sql`
  select json_build_object('peak', peak::text, 'peakAt', peak_market_ms, 'deepest', deepest, 'deepestAt', deepest_market_ms)
  from (${fallsOf(sql`select ${accountId} as id`)}) falls`;

/** Takes all marks so far into what is kept. Whoever does it twice changes nothing. */
export async function keepFalls(tx: Tx, accountIds: readonly string[]): Promise<void> {
  if (accountIds.length === 0) return;
  const ids = sql`select id from ${accounts} where ${inArray(accounts.id, [...accountIds])}`;
  await tx.db.execute(sql`
    insert into account_drawdowns (account_id, to_market_ms, peak, peak_market_ms, deepest, deepest_market_ms)
    select account_id, to_market_ms, peak, peak_market_ms, deepest, deepest_market_ms from (${fallsOf(ids)}) falls
    on conflict (account_id) do update set to_market_ms = excluded.to_market_ms, peak = excluded.peak,
      peak_market_ms = excluded.peak_market_ms, deepest = excluded.deepest, deepest_market_ms = excluded.deepest_market_ms
    where account_drawdowns.to_market_ms < excluded.to_market_ms`);
}

/**
 * Those of accounts that are gone: one may be deleted while its marks are read, or by an older server,
 * which does not know this table.
 */
export async function dropStrayFalls(tx: Tx): Promise<void> {
  await tx.db.execute(sql`
    delete from account_drawdowns falls
    where not exists (select 1 from accounts where accounts.id = falls.account_id)`);
}

/** Falls up to the last mark, with what the account is worth now. */
export function withEquity(falls: Drawdown | null, equity: Fixed, at: number): Drawdown | null {
  if (falls === null) return null;
  const { deepest, deepestAt } = falls;
  if (equity >= parseFixed(falls.peak))
    return { peak: formatFixed(equity), peakAt: at, deepest, deepestAt };
  const peak = parseFixed(falls.peak);
  const fall = peak <= 0n ? 0 : 1 - toNumber(equity) / toNumber(peak);
  const isDeepest = fall > deepest;
  return {
    peak: formatFixed(peak),
    peakAt: falls.peakAt,
    deepest: isDeepest ? fall : deepest,
    deepestAt: isDeepest ? at : deepestAt,
  };
}
