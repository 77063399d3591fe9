/**
 * Compares accounts with what their ledger and fills add up to, some accounts at a time. It reports
 * differences and never repairs them.
 */
import { and, gt, inArray, isNotNull, sql, type SQL } from 'drizzle-orm';
import { add, formatFixed, negate, parseFixed, subtract, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import { CASH, EXTERNAL, FEES } from '../../engine/accounting/ledger.ts';
import type { Db } from '../db/database.ts';
import {
  accounts,
  balances,
  equityPoints,
  fills,
  ledger,
  orders,
  positions,
} from '../db/schema.ts';
import { checkLiveAccount } from './check-live-accounts.ts';
import { fillIdsOf, fillsInOrder } from './fill-order.ts';
import { keyOf, emptyAccount, applyFill, type RebuiltAccount } from './rebuild.ts';
import { rowsOf } from '../db/sql-rows.ts';

/**
 * Accounts looked at in one go: what a page reads is held in memory, and on PGlite everybody waits
 * for it.
 */
export const ACCOUNTS_AT_ONCE = 50;

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
  /** Each with what is stored and what it should be. */
  differences: string[];
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

const exact = (text: string | null): string => formatFixed(parseFixed(text ?? '0'));

/**
 * Every rule over every account, past ones too. Call it where nothing commits meanwhile, or page by
 * page as `runLedgerCheck` does.
 */
export async function checkLedger(db: Db): Promise<LedgerCheck> {
  const [counts] = await rowsOf<{ entries: number; transactions: number }>(
    db,
    sql`
    select count(*)::int as entries, count(distinct transaction_id)::int as transactions from ledger`,
  );
  const totals = await rowsOf<{ asset: string; total: string }>(
    db,
    sql`select asset, sum(amount)::text as total from ledger group by 1 order by 1`,
  );
  const checked: AccountCheck[] = [];
  for (
    let page = await accountsAfter(db, null);
    page.length > 0;
    page = await accountsAfter(db, page.at(-1) ?? null)
  )
    checked.push(...(await checkAccounts(db, page)));
  const problems = [
    ...totals
      .filter(({ total }) => parseFixed(total) !== ZERO)
      .map(({ asset, total }) => `The ledger sums to ${exact(total)} ${asset}, not to zero`),
    ...checked.flatMap(({ accountId, differences }) =>
      differences.map((text) => `Account ${accountId}: ${text}`),
    ),
    ...(await strays(db)),
  ];
  return {
    ok: problems.length === 0,
    transactions: counts?.transactions ?? 0,
    entries: counts?.entries ?? 0,
    totals: Object.fromEntries(totals.map(({ asset, total }) => [asset, exact(total)])),
    problems,
    accounts: checked.sort(
      (a, b) => a.source.localeCompare(b.source) || a.accountId.localeCompare(b.accountId),
    ),
  };
}

/** The next accounts in the order of their ids. */
export async function accountsAfter(
  db: Db,
  after: string | null,
  atOnce = ACCOUNTS_AT_ONCE,
): Promise<string[]> {
  const rows = await db
    .select({ id: accounts.id })
    .from(accounts)
    .where(after === null ? undefined : gt(accounts.id, after))
    .orderBy(accounts.id)
    .limit(atOnce);
  return rows.map(({ id }) => id);
}

/** Rows of accounts that are not there: no page would look at them. */
export async function strays(db: Db): Promise<string[]> {
  const found: string[] = [];
  for (const [name, table] of [
    ['Ledger entries', ledger],
    ['Fills', fills],
    ['Balances', balances],
    ['Positions', positions],
    ['Orders', orders],
  ] as const) {
    const rows = await rowsOf<{ id: string }>(
      db,
      sql`select distinct account_id::text as id from ${table} rows where not exists (select 1 from accounts where accounts.id = rows.account_id) limit 20`,
    );
    found.push(...rows.map(({ id }) => `${name} of an account that is not there: ${id}`));
  }
  return found;
}

/**
 * These accounts, each with all its differences. Reads in several statements: call it on one
 * snapshot.
 */
export async function checkAccounts(db: Db, all: readonly string[]): Promise<AccountCheck[]> {
  const live = await liveAmong(db, all);
  const ids = all.filter((id) => !live.has(id));
  const found = new Map<string, string[]>(all.map((id) => [id, []]));
  const say = (id: string, text: string): void => {
    found.get(id)?.push(text);
  };
  await checkTransactions(db, all, say);
  await checkBalances(db, all, say);
  await checkFillEntries(db, ids, say);
  await checkOrders(db, ids, say);
  const rebuilt = new Map(ids.map((id) => [id, emptyAccount()]));
  for await (const page of fillsInOrder(db, await fillIdsOf(db, ids))) {
    for (const fill of page) {
      const recomputed = rebuilt.get(fill.accountId);
      if (recomputed !== undefined) applyFill(recomputed, fill);
    }
  }
  for (const id of live)
    await checkLiveAccount(db, id, (text) => {
      say(id, text);
    });
  const stored = await readStored(db, all);
  await checkPositions(db, ids, rebuilt, new Map(stored.map((row) => [row.id, row])), say);
  return stored.map((row) => {
    const recomputed = rebuilt.get(row.id) ?? emptyAccount();
    const [cash, deposits, fees, cost] = [
      row.cash,
      negate(parseFixed(row.external)),
      row.fees,
      row.cost,
    ].map((one) => (typeof one === 'string' ? parseFixed(one) : one)) as [
      Fixed,
      Fixed,
      Fixed,
      Fixed,
    ];
    if (!live.has(row.id))
      compare(row, { recomputed, cash, deposits, fees, cost }, (text) => {
        say(row.id, text);
      });
    return {
      accountId: row.id,
      book: row.book,
      source: row.source,
      quote: row.quote,
      open: row.open,
      cash: formatFixed(cash),
      deposits: formatFixed(deposits),
      fees: formatFixed(fees),
      realized: exact(row.realized),
      positionsCost: formatFixed(cost),
      differences: [...recomputed.differences, ...(found.get(row.id) ?? [])],
    };
  });
}

/** Live accounts are held to what their exchange has said, not to the paper rules. */
async function liveAmong(db: Db, ids: readonly string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(inArray(accounts.id, [...ids]), isNotNull(accounts.connectionId)));
  return new Set(rows.map(({ id }) => id));
}

interface Stored {
  id: string;
  book: number;
  source: string;
  quote: string;
  open: boolean;
  realized: string;
  cost: string;
  cash: string;
  external: string;
  fees: string;
  deposits: number;
  first: string | null;
}
type Say = (accountId: string, text: string) => void;

const difference = (what: string, is: Fixed, due: Fixed, unit: string): string =>
  `${what} is ${formatFixed(is)} and should be ${formatFixed(due)} ${unit} (${formatFixed(subtract(is, due))})`;

function compare(
  { quote, first, deposits: made, realized }: Stored,
  {
    recomputed,
    cash,
    deposits,
    fees,
    cost,
  }: { recomputed: RebuiltAccount; cash: Fixed; deposits: Fixed; fees: Fixed; cost: Fixed },
  say: (text: string) => void,
): void {
  const due = add(deposits, recomputed.cash);
  if (cash !== due) say(difference('cash', cash, due, quote));
  if (cash < ZERO) say(`cash is below zero: ${formatFixed(cash)} ${quote}`);
  if (fees !== recomputed.fees) say(difference('fees paid', fees, recomputed.fees, quote));
  if (parseFixed(realized) !== recomputed.realized)
    say(difference('realised result', parseFixed(realized), recomputed.realized, quote));
  if (add(cash, cost) !== add(deposits, parseFixed(realized)))
    say(
      `cash + cost of positions is ${formatFixed(add(cash, cost))} and deposits + realised ${formatFixed(add(deposits, parseFixed(realized)))} ${quote}`,
    );
  // An account is opened with one deposit, and its curve begins with it: the two were written
  // apart.
  if (made !== 1) say(`it has ${made} deposits and should have one`);
  if (first !== null && parseFixed(first) !== deposits)
    say(difference('the deposit', deposits, parseFixed(first), quote));
}

async function readStored(db: Db, ids: readonly string[]): Promise<Stored[]> {
  const bucket = (name: string) =>
    sql`coalesce((select amount from balances b where b.account_id = accounts.id and b.bucket = ${name} and b.asset = accounts.quote), 0)::text`;
  return rowsOf<Stored>(
    db,
    sql`
    select id::text as id, book, source, quote, closed_at is null as open, ${bucket(CASH)} as cash, ${bucket(EXTERNAL)} as external, ${bucket(FEES)} as fees,
      coalesce((select sum(realized) from ${fills} f where f.account_id = accounts.id), 0)::text as realized,
      coalesce((select sum(cost) from ${positions} p where p.account_id = accounts.id), 0)::text as cost,
      (select count(distinct transaction_id)::int from ${ledger} l where l.account_id = accounts.id and l.fill_id is null) as deposits,
      (select equity::text from ${equityPoints} e where e.account_id = accounts.id and e.at_market_ms = accounts.opened_market_ms) as first
    from ${accounts} where ${inArray(accounts.id, [...ids])} order by id`,
  );
}

const entriesOf = (ids: readonly string[]): SQL => inArray(ledger.accountId, [...ids]);

/** The entries of each transaction sum to zero. */
async function checkTransactions(db: Db, ids: readonly string[], say: Say): Promise<void> {
  const unequal = await rowsOf<{ account: string; id: string; asset: string; total: string }>(
    db,
    sql`
    select account_id::text as account, transaction_id::text as id, asset, sum(amount)::text as total from ledger where ${entriesOf(ids)} group by account_id, transaction_id, asset having sum(amount) <> 0`,
  );
  for (const { account, id, asset, total } of unequal)
    say(account, `transaction ${id} sums to ${exact(total)} ${asset}, not to zero`);
}

/** Each balance is what its entries add up to. */
async function checkBalances(db: Db, ids: readonly string[], say: Say): Promise<void> {
  const kept = await rowsOf<{
    account: string;
    bucket: string;
    asset: string;
    is: string | null;
    due: string | null;
  }>(
    db,
    sql`
    select coalesce(b.account_id, l.account_id)::text as account, coalesce(b.bucket, l.bucket) as bucket, coalesce(b.asset, l.asset) as asset, b.amount::text as is, l.total::text as due
    from (select * from balances where ${inArray(balances.accountId, [...ids])}) b
    full join (select account_id, bucket, asset, sum(amount) as total from ledger where ${entriesOf(ids)} group by 1, 2, 3) l on l.account_id = b.account_id and l.bucket = b.bucket and l.asset = b.asset
    where coalesce(b.amount, 0) <> coalesce(l.total, 0)`,
  );
  for (const { account, bucket, asset, is, due } of kept)
    say(
      account,
      difference(
        `a balance that is not what the ledger adds up to: ${bucket}`,
        parseFixed(is ?? '0'),
        parseFixed(due ?? '0'),
        asset,
      ),
    );
}

/** Every fill has exactly its five entries. */
async function checkFillEntries(db: Db, ids: readonly string[], say: Say): Promise<void> {
  const recorded = await rowsOf<{
    account: string;
    id: string;
    bucket: string;
    asset: string;
    is: string | null;
    due: string | null;
    known: boolean;
  }>(
    db,
    sql`
    with mine as (select id, account_id, agent_id, pair, side, quantity, notional, fee, split_part(pair, '/', 1) as base, split_part(pair, '/', 2) as quote from fills where ${inArray(fills.accountId, [...ids])}),
    due as (
      select id, account_id, ${CASH}::text as bucket, quote as asset, case side when 'buy' then -(notional + fee) else notional - fee end as amount from mine
      union all select id, account_id, ${FEES}, quote, fee from mine
      union all select id, account_id, 'venue', quote, case side when 'buy' then notional else -notional end from mine
      union all select id, account_id, 'holding:' || agent_id || ':' || pair, base, case side when 'buy' then quantity else -quantity end from mine
      union all select id, account_id, 'venue', base, case side when 'buy' then -quantity else quantity end from mine
    ), entered as (select fill_id as id, account_id, bucket, asset, sum(amount) as amount from ledger where ${entriesOf(ids)} and fill_id is not null group by 1, 2, 3, 4)
    select coalesce(due.account_id, entered.account_id)::text as account, coalesce(due.id, entered.id)::text as id, coalesce(due.bucket, entered.bucket) as bucket,
      coalesce(due.asset, entered.asset) as asset, entered.amount::text as is, due.amount::text as due, exists (select 1 from mine where mine.id = coalesce(due.id, entered.id)) as known
    from due full join entered on entered.id = due.id and entered.account_id = due.account_id and entered.bucket = due.bucket and entered.asset = due.asset
    where coalesce(due.amount, 0) <> coalesce(entered.amount, 0) order by 1, 2, 3`,
  );
  for (const { account, id, bucket, asset, is, due, known } of recorded) {
    say(
      account,
      known
        ? difference(
            `fill ${id} in the ledger under ${bucket}`,
            parseFixed(is ?? '0'),
            parseFixed(due ?? '0'),
            asset,
          )
        : `the ledger has ${exact(is)} ${asset} under ${bucket} of fill ${id}, which is missing`,
    );
  }
}

async function checkOrders(db: Db, ids: readonly string[], say: Say): Promise<void> {
  const rows = await rowsOf<{
    account: string;
    id: string;
    wanted: string | null;
    filled: string | null;
    n: number;
  }>(
    db,
    sql`
    select coalesce(o.account_id, f.account_id)::text as account, coalesce(o.id, f.order_id)::text as id, o.quantity::text as wanted, f.quantity::text as filled, coalesce(f.n, 0) as n
    from (select * from ${orders} where ${inArray(orders.accountId, [...ids])} and state in ('filled', 'partly_filled')) o
    full join (select account_id, order_id, sum(quantity) as quantity, count(*)::int as n from fills where ${inArray(fills.accountId, [...ids])} group by 1, 2) f on f.order_id = o.id
    where o.id is null or f.n is distinct from 1 or f.quantity > o.quantity or (o.state = 'filled' and f.quantity <> o.quantity)`,
  );
  for (const { account, id, wanted, filled, n } of rows) {
    say(
      account,
      wanted === null
        ? `a fill of order ${id}, which is missing`
        : n === 0
          ? `an order without a fill: ${id}`
          : `order ${id} of ${exact(wanted)} has ${n} ${n === 1 ? 'fill' : 'fills'} of ${exact(filled)}`,
    );
  }
}

async function checkPositions(
  db: Db,
  ids: readonly string[],
  rebuilt: ReadonlyMap<string, RebuiltAccount>,
  stored: ReadonlyMap<string, Stored>,
  say: Say,
): Promise<void> {
  const rows = await db
    .select()
    .from(positions)
    .where(inArray(positions.accountId, [...ids]));
  const seen = new Map<string, { quantity: Fixed; cost: Fixed }>();
  for (const row of rows) {
    const key = `${row.accountId} ${keyOf(row)}`;
    const before = seen.get(key) ?? { quantity: ZERO, cost: ZERO };
    seen.set(key, {
      quantity: add(before.quantity, parseFixed(row.quantity)),
      cost: add(before.cost, parseFixed(row.cost)),
    });
    if (stored.get(row.accountId)?.open !== true) continue;
    if (row.closedMarketMs !== null && parseFixed(row.quantity) !== ZERO)
      say(row.accountId, `a closed position still holds ${exact(row.quantity)} ${row.pair}`);
    if (row.closedMarketMs === null && row.stopPrice === null)
      say(row.accountId, `an open position has no stop: ${row.pair} of agent ${row.agentId}`);
  }
  for (const id of ids) {
    const recomputed = rebuilt.get(id) ?? emptyAccount();
    const quote = stored.get(id)?.quote ?? '';
    const keys = new Set([
      ...recomputed.positions.keys(),
      ...rows.filter((row) => row.accountId === id).map(keyOf),
    ]);
    for (const key of keys) {
      const due = recomputed.positions.get(key) ?? { quantity: ZERO, cost: ZERO };
      const is = seen.get(`${id} ${key}`) ?? { quantity: ZERO, cost: ZERO };
      if (is.quantity !== due.quantity)
        say(
          id,
          difference(
            `a position that is not what its fills make: the quantity of ${key}`,
            is.quantity,
            due.quantity,
            key.split(':')[1]?.split('/')[0] ?? '',
          ),
        );
      if (is.cost !== due.cost)
        say(
          id,
          difference(
            `a position that is not what its fills make: the cost of ${key}`,
            is.cost,
            due.cost,
            quote,
          ),
        );
    }
  }
}
