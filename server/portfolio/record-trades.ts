/**
 * Writes trades into orders, fills, ledger, balances and positions, all or nothing. Cash never goes
 * negative.
 */
import { sql } from 'drizzle-orm';
import { add, formatFixed, negate, parseFixed, sum, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import { CASH, fillEntries, sumsByAsset } from '../../engine/accounting/ledger.ts';
import type { LedgerEntry } from '../../engine/accounting/ledger-entry.ts';
import type { TradeDraft } from '../../engine/execution/agent-types.ts';
import { insertOf, insertRows, updateOf } from '../db/bulk.ts';
import type { Tx } from '../db/database.ts';
import { orderedId } from '../db/ordered-id.ts';
import { balances, fills, ledger, orders, positions } from '../db/schema.ts';
import { rowsOf } from '../db/sql-rows.ts';

export interface TradeToRecord {
  accountId: string;
  agentId: string;
  /** The open position it changes; null where the buy opens one. */
  positionId: string | null;
  tickId: string;
  /** Market clock, ms. */
  decidedAt: number;
  trade: TradeDraft;
}

export type FillRow = typeof fills.$inferSelect;
export type PositionRow = typeof positions.$inferSelect;

export interface RecordedTrade {
  fill: FillRow;
  positionId: string;
}

export interface Posting {
  transactionId: string;
  accountId: string;
  cause: string;
  fillId: string | null;
  /** Market clock, ms. */
  at: number;
  entries: readonly LedgerEntry[];
}

/**
 * Appends double entries and keeps the balances in step. The account's row must be locked by the
 * caller, so that two writers never spend the same cash.
 * @throws Error where entries do not sum to zero per asset, or paper cash would fall below zero. What
 * an exchange says has happened is booked in any case.
 */
export async function post(
  tx: Tx,
  postings: readonly Posting[],
  { hasHappened = false } = {},
): Promise<void> {
  const changes = new Map<
    string,
    { accountId: string; bucket: string; asset: string; amount: Fixed }
  >();
  for (const { accountId, cause, entries } of postings) {
    for (const [asset, total] of sumsByAsset(entries)) {
      if (total !== ZERO) throw new Error(`Entries of ${cause} do not balance in ${asset}`);
    }
    for (const { bucket, asset, amount } of entries) {
      const key = `${accountId} ${bucket} ${asset}`;
      const change = changes.get(key);
      changes.set(key, { accountId, bucket, asset, amount: add(change?.amount ?? ZERO, amount) });
    }
  }
  const lines = postings.flatMap(({ transactionId, accountId, cause, fillId, at, entries }) =>
    entries.map((entry) => ({
      transactionId,
      accountId,
      bucket: entry.bucket,
      asset: entry.asset,
      amount: formatFixed(entry.amount),
      cause,
      fillId,
      atMarketMs: at,
    })),
  );
  if (lines.length === 0) return;
  await insertRows(tx.db, ledger, lines);
  const changed = [...changes.values()].map((change) => ({
    ...change,
    amount: formatFixed(change.amount),
  }));
  const after = await rowsOf<{ bucket: string; amount: string }>(
    tx.db,
    insertOf(
      balances,
      changed,
      sql`
    on conflict (account_id, bucket, asset) do update set amount = balances.amount + excluded.amount returning bucket, amount::text as amount`,
    ),
  );
  const overdrawn = after.find(
    ({ bucket, amount }) => bucket === CASH && parseFixed(amount) < ZERO,
  );
  if (overdrawn !== undefined && !hasHappened)
    throw new Error('A trade would spend cash that is not there');
}

/**
 * Records trades in the order given. Each (agent, pair, tick) can be recorded once: a repeat fails
 * as a whole. A position is named by one trade at most. The rows of the accounts must be locked by
 * the caller.
 */
export async function recordTrades(
  tx: Tx,
  trades: readonly TradeToRecord[],
): Promise<RecordedTrade[]> {
  if (trades.length === 0) return [];
  const rows = trades.map((item) => {
    const orderId = orderedId();
    return {
      item,
      order: orderRow(orderId, item),
      fill: fillRow(orderId, item),
      positionId: item.positionId ?? orderedId(),
    };
  });
  await insertRows(
    tx.db,
    orders,
    rows.map(({ order }) => order),
  );
  await insertRows(
    tx.db,
    fills,
    rows.map(({ fill }) => fill),
  );
  await post(
    tx,
    rows.map(({ item, fill }) => ({
      transactionId: fill.id,
      accountId: item.accountId,
      cause: 'fill',
      fillId: fill.id,
      at: fill.filledMarketMs,
      entries: fillEntries(item.agentId, item.trade.fill),
    })),
  );
  await writePositions(tx, rows);
  return rows.map(({ fill, positionId }) => ({ fill, positionId }));
}

function orderRow(
  id: string,
  { accountId, agentId, tickId, decidedAt, trade: { fill } }: TradeToRecord,
): typeof orders.$inferInsert {
  const reserved = fill.side === 'buy' ? add(fill.notional, fill.fee) : ZERO;
  return {
    id,
    clientOrderId: `${agentId}:${fill.pair}:${tickId}`,
    accountId,
    agentId,
    pair: fill.pair,
    tickId,
    side: fill.side,
    quantity: formatFixed(fill.wanted),
    reserved: formatFixed(reserved),
    reason: fill.reason,
    state: fill.quantity === fill.wanted ? 'filled' : 'partly_filled',
    decidedMarketMs: decidedAt,
  };
}

function fillRow(
  orderId: string,
  { accountId, agentId, tickId, decidedAt, trade: { fill } }: TradeToRecord,
): FillRow {
  return {
    id: orderedId(),
    orderId,
    accountId,
    agentId,
    pair: fill.pair,
    tickId,
    side: fill.side,
    quantity: formatFixed(fill.quantity),
    price: formatFixed(fill.price),
    notional: formatFixed(fill.notional),
    fee: formatFixed(fill.fee),
    feeBps: formatFixed(fill.feeBps),
    slippageBps: formatFixed(fill.slippageBps),
    quoteBid: formatFixed(fill.quoteBid),
    quoteAsk: formatFixed(fill.quoteAsk),
    ruleVersion: fill.ruleVersion,
    realized: fill.realized === null ? null : formatFixed(fill.realized),
    costBasis: fill.costBasis === null ? null : formatFixed(fill.costBasis),
    reason: fill.reason,
    decidedMarketMs: decidedAt,
    filledMarketMs: fill.filledAt,
  };
}

/** Opens the new ones in one statement and brings the held ones up to date in another. */
async function writePositions(
  tx: Tx,
  list: readonly { item: TradeToRecord; positionId: string }[],
): Promise<void> {
  const opened: (typeof positions.$inferInsert)[] = [];
  const held: Pick<PositionRow, 'id' | 'quantity' | 'cost' | 'stopPrice' | 'closedMarketMs'>[] = [];
  for (const {
    item: {
      accountId,
      agentId,
      positionId,
      trade: { fill, after },
    },
    positionId: id,
  } of list) {
    const state = {
      quantity: formatFixed(after.quantity),
      cost: formatFixed(after.cost),
      stopPrice: after.stopPrice === null ? null : formatFixed(after.stopPrice),
      closedMarketMs: after.quantity === ZERO ? fill.filledAt : null,
    };
    if (positionId === null)
      opened.push({
        id,
        accountId,
        agentId,
        pair: fill.pair,
        openedMarketMs: fill.filledAt,
        ...state,
      });
    else held.push({ id, ...state });
  }
  await insertRows(tx.db, positions, opened);
  if (held.length === 0) return;
  const changed = await rowsOf<{ id: string }>(
    tx.db,
    updateOf(positions, 'id', held, sql`returning positions.id::text as id`),
  );
  if (changed.length !== held.length) throw new Error('A trade names a position that is not there');
}

/** What a buy takes out of cash; negative for a sale, which brings cash. */
export function cashOf({ fill }: TradeDraft): Fixed {
  return fill.side === 'buy'
    ? add(fill.notional, fill.fee)
    : negate(sum([fill.notional, negate(fill.fee)]));
}
