/** Holds the books against their rules: sums, balances, positions, cash; refuses to mend what it finds. */
import { sql } from 'drizzle-orm';
import { add, formatFixed, negate, parseFixed, subtract, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import { CASH, EXTERNAL, FEES } from '../../engine/ledger.ts';
import type { Db } from '../db/database.ts';
import { rowsOf } from './sql-rows.ts';

export interface AccountCheck {
  accountId: string;
  book: number;
  source: string;
  quote: string;
  open: boolean;
  cash: string;
  deposits: string;
  fees: string;
  realized: string;
  /** What open positions cost; cash + this = deposits + realized, to the last digit. */
  positionsCost: string;
}

export interface LedgerCheck {
  ok: boolean;
  transactions: number;
  entries: number;
  /** The whole ledger per asset; all "0". */
  totals: Record<string, string>;
  problems: string[];
  accounts: AccountCheck[];
}

const exact = (text: string): string => formatFixed(parseFixed(text));

/** Every rule over every book, past ones too. Call it in a transaction where trades may commit meanwhile. */
export async function checkLedger(db: Db): Promise<LedgerCheck> {
  const [counts] = await rowsOf<{ entries: number; transactions: number }>(db, sql`
    select count(*)::int as entries, count(distinct transaction_id)::int as transactions from ledger`);
  const totals = await rowsOf<{ asset: string; total: string }>(db, sql`select asset, sum(amount)::text as total from ledger group by 1 order by 1`);
  const accounts = await checkAccounts(db);
  const problems = [
    ...totals.filter(({ total }) => parseFixed(total) !== ZERO).map(({ asset, total }) => `The ledger sums to ${exact(total)} ${asset}, not to zero`),
    ...await rowProblems(db),
    ...accounts.filter((account) => !balanced(account)).map(({ accountId }) => `Account ${accountId}: cash + cost of positions is not deposits + realized`),
  ];
  return {
    ok: problems.length === 0, transactions: counts?.transactions ?? 0, entries: counts?.entries ?? 0,
    totals: Object.fromEntries(totals.map(({ asset, total }) => [asset, exact(total)])), problems, accounts,
  };
}

function balanced(account: AccountCheck): boolean {
  const left = add(parseFixed(account.cash), parseFixed(account.positionsCost));
  return subtract(left, add(parseFixed(account.deposits), parseFixed(account.realized))) === ZERO;
}

async function rowProblems(db: Db): Promise<string[]> {
  const checks: [string, ReturnType<typeof sql>][] = [
    ['A transaction that does not sum to zero', sql`select transaction_id::text || ' ' || asset as at from ledger group by transaction_id, asset having sum(amount) <> 0`],
    ['A balance that is not what the ledger adds up to', sql`
      select coalesce(b.account_id, l.account_id)::text || ' ' || coalesce(b.bucket, l.bucket) as at from balances b
      full join (select account_id, bucket, asset, sum(amount) as total from ledger group by 1, 2, 3) l
        on l.account_id = b.account_id and l.bucket = b.bucket and l.asset = b.asset
      where coalesce(b.amount, 0) <> coalesce(l.total, 0)`],
    ['A position that is not what the ledger holds', sql`
      select coalesce(p.account_id, b.account_id)::text || ' ' || coalesce(p.bucket, b.bucket) as at
      from (select account_id, 'holding:' || agent_id || ':' || pair as bucket, sum(quantity) as quantity from positions group by 1, 2) p
      full join (select * from balances where bucket like 'holding:%') b on b.account_id = p.account_id and b.bucket = p.bucket
      where coalesce(p.quantity, 0) <> coalesce(b.amount, 0)`],
    ['Cash below zero', sql`select account_id::text as at from balances where bucket = ${CASH} and amount < 0`],
    ['A fill without ledger entries', sql`select f.id::text as at from fills f where not exists (select 1 from ledger l where l.fill_id = f.id)`],
    ['An order without a fill', sql`select o.id::text as at from orders o where o.state in ('filled', 'partly_filled') and not exists (select 1 from fills f where f.order_id = o.id)`],
  ];
  const problems: string[] = [];
  for (const [what, query] of checks) problems.push(...(await rowsOf<{ at: string }>(db, query)).map(({ at }) => `${what}: ${at}`));
  return problems;
}

async function checkAccounts(db: Db): Promise<AccountCheck[]> {
  const rows = await rowsOf<{ id: string; book: number; source: string; quote: string; open: boolean; realized: string; cost: string }>(db, sql`
    select a.id::text as id, a.book, a.source, a.quote, a.closed_at is null as open,
      coalesce((select sum(realized) from fills f where f.account_id = a.id), 0)::text as realized,
      coalesce((select sum(cost) from positions p where p.account_id = a.id), 0)::text as cost
    from accounts a order by a.source, a.uid, a.book`);
  const sums = await rowsOf<{ account: string; bucket: string; asset: string; total: string }>(db, sql`
    select account_id::text as account, bucket, asset, sum(amount)::text as total from ledger
    where bucket in (${CASH}, ${EXTERNAL}, ${FEES}) group by 1, 2, 3`);
  return rows.map((row) => {
    const of = (bucket: string): Fixed => parseFixed(sums.find((line) => line.account === row.id && line.bucket === bucket && line.asset === row.quote)?.total ?? '0');
    return {
      accountId: row.id, book: row.book, source: row.source, quote: row.quote, open: row.open, cash: formatFixed(of(CASH)),
      deposits: formatFixed(negate(of(EXTERNAL))), fees: formatFixed(of(FEES)), realized: exact(row.realized), positionsCost: exact(row.cost),
    };
  });
}
