/**
 * The fills of an account in ledger order, a page at a time. Clock times alone do not give that
 * order.
 */
import { eq, inArray, sql } from 'drizzle-orm';
import { parseFixed } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { Db } from '../db/database.ts';
import { ledger } from '../db/schema.ts';
import { rowsOf } from '../db/sql-rows.ts';

const AT_ONCE = 5_000;

export interface LedgerFill {
  id: string;
  accountId: string;
  agentId: string;
  pair: string;
  side: 'buy' | 'sell';
  quantity: Fixed;
  price: Fixed;
  notional: Fixed;
  fee: Fixed;
  feeBps: Fixed;
  ruleVersion: number;
  realized: Fixed | null;
  costBasis: Fixed | null;
  reason: string;
  filledAt: number;
}

/** What changes an account's lots: a fill, or a write-off, also of dust. */
export interface LotId {
  id: string;
  isFill: boolean;
}

interface Row extends Omit<
  LedgerFill,
  'quantity' | 'price' | 'notional' | 'fee' | 'feeBps' | 'realized' | 'costBasis'
> {
  quantity: string;
  price: string;
  notional: string;
  fee: string;
  feeBps: string;
  realized: string | null;
  costBasis: string | null;
}

/**
 * Fills and write-offs of an account in the order of the ledger. A stop that was hit while nobody
 * watched is dated back to its candle: by the clock a position could be sold before it was bought, by
 * the ledger never.
 */
export async function lotIds(db: Db, accountId: string): Promise<LotId[]> {
  const [row] = await rowsOf<{ ids: string }>(
    db,
    sql`
    select coalesce(json_agg(json_build_object('id', id, 'isFill', is_fill) order by first), '[]')::text as ids from (
      select transaction_id as id, bool_or(fill_id is not null) as is_fill, min(id) as first from ledger
      where ${eq(ledger.accountId, accountId)} and (fill_id is not null or cause in ('written_off', 'dust_left')) group by transaction_id) entered`,
  );
  return JSON.parse(row?.ids ?? '[]') as LotId[];
}

/** Fills of several accounts in that order, one account after the other. */
export async function fillIdsOf(db: Db, accountIds: readonly string[]): Promise<string[]> {
  if (accountIds.length === 0) return [];
  const [row] = await rowsOf<{ ids: string }>(
    db,
    sql`
    select coalesce(json_agg(fill_id order by account_id, first), '[]')::text as ids from (
      select account_id, fill_id, min(id) as first from ledger where ${inArray(ledger.accountId, [...accountIds])} and fill_id is not null group by account_id, fill_id) entered`,
  );
  return JSON.parse(row?.ids ?? '[]') as string[];
}

export async function* fillsInOrder(
  db: Db,
  ids: readonly string[],
  atOnce = AT_ONCE,
): AsyncGenerator<LedgerFill[]> {
  for (let from = 0; from < ids.length; from += atOnce) {
    const page = ids.slice(from, from + atOnce);
    const [row] = await rowsOf<{ list: string }>(
      db,
      sql`
      select coalesce(json_agg(json_build_object(
        'id', id, 'accountId', account_id, 'agentId', agent_id, 'pair', pair, 'side', side, 'quantity', quantity::text, 'price', price::text, 'notional', notional::text, 'fee', fee::text,
        'feeBps', fee_bps::text, 'ruleVersion', rule_version, 'realized', realized::text, 'costBasis', cost_basis::text, 'reason', reason, 'filledAt', filled_market_ms
      ) order by place), '[]')::text as list
      from json_array_elements_text(${JSON.stringify(page)}::json) with ordinality as wanted(fill, place) join fills on fills.id = wanted.fill::uuid`,
    );
    yield (JSON.parse(row?.list ?? '[]') as Row[]).map(asFill);
  }
}

const orNull = (text: string | null): Fixed | null => (text === null ? null : parseFixed(text));

const asFill = (row: Row): LedgerFill => ({
  ...row,
  quantity: parseFixed(row.quantity),
  price: parseFixed(row.price),
  notional: parseFixed(row.notional),
  fee: parseFixed(row.fee),
  feeBps: parseFixed(row.feeBps),
  realized: orNull(row.realized),
  costBasis: orNull(row.costBasis),
});
