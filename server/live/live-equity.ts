/**
 * What a live account is worth at present prices, now and as it was marked before, and what of it
 * was paid in or out.
 */
import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import { add, formatFixed, multiply, parseFixed, ZERO, type Fixed } from '../../contract/money.ts';
import type { Db, Tx } from '../db/database.ts';
import { equityPoints } from '../db/schema.ts';
import { externalMovements } from '../db/schema-live.ts';
import type { Market } from '../market/market-source.ts';
import { ownedBy, type ConnectionRow } from './live-accounts.ts';
import type { BookDeps } from './live-deps.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

export interface AccountValue {
  value: Fixed;
  /** Coins without a price; they are not counted. */
  unpriced: string[];
}

/** Every coin of the account at the bid, the person's own among them: it is their account. */
export function valueOf(
  coins: ReadonlyMap<string, Fixed>,
  market: Pick<Market, 'quote'>,
  quote: string,
): AccountValue {
  let value = coins.get(quote) ?? ZERO;
  const unpriced: string[] = [];
  for (const [coin, amount] of coins) {
    if (coin === quote || amount === ZERO) continue;
    const price = market.quote(`${coin}/${quote}`);
    if (price === null) unpriced.push(coin);
    else value = add(value, multiply(amount, price.bid, 'down'));
  }
  return { value, unpriced: unpriced.sort() };
}

/** One point, where all of it has a price: a curve must not fall because a price is late. */
export async function markEquity(
  tx: Tx,
  { market }: Pick<BookDeps, 'market'>,
  { accountId }: Pick<ConnectionRow, 'accountId'>,
): Promise<void> {
  const { all } = await ownedBy(tx.db, accountId);
  const { value, unpriced } = valueOf(all, market, market.source.quote);
  if (unpriced.length > 0) return;
  await tx.db
    .insert(equityPoints)
    .values({ accountId, atMarketMs: market.now(), equity: formatFixed(value) })
    .onConflictDoNothing();
}

/** The last of five minutes for a day, of each hour for a week, of each day before. */
function bucketOf(at: number, now: number): number {
  const age = now - at;
  const length = age <= DAY_MS ? 5 * MINUTE_MS : age <= 7 * DAY_MS ? 60 * MINUTE_MS : DAY_MS;
  return Math.floor(at / length) * length;
}

/** `[market ms, value]`, oldest first. */
export async function readCurve(
  db: Db,
  accountId: string,
  now: number,
): Promise<[number, string][]> {
  const rows = await db
    .select({ at: equityPoints.atMarketMs, equity: equityPoints.equity })
    .from(equityPoints)
    .where(eq(equityPoints.accountId, accountId))
    .orderBy(asc(equityPoints.atMarketMs));
  const kept = new Map<number, [number, string]>();
  for (const { at, equity } of rows)
    kept.set(bucketOf(at, now), [at, formatFixed(parseFixed(equity))]);
  return [...kept.values()];
}

/**
 * Coinbase counts money finer than it writes trades: what is left over is in the ledger, so that it
 * equals the account to the last digit, and nobody moved it.
 */
export const LEAST_MOVED = '0.00000001';

/**
 * What was paid in less what was paid out, each at the first point of the curve that has it, or at
 * its own moment after the last. Null where another coin than `quote` is among it.
 *
 * A movement is booked before the point of the same transaction is marked: at one moment, the point
 * has it.
 */
export async function readFlows(
  db: Db,
  connectionId: string,
  quote: string,
  curve: readonly (readonly [number, string])[],
): Promise<[number, string | null][]> {
  const rows = await db
    .select({
      at: externalMovements.atMs,
      asset: externalMovements.asset,
      amount: externalMovements.amount,
    })
    .from(externalMovements)
    .where(
      and(
        eq(externalMovements.connectionId, connectionId),
        inArray(externalMovements.kind, ['deposit', 'withdrawal']),
        sql`abs(${externalMovements.amount}) >= ${LEAST_MOVED}::numeric`,
      ),
    )
    .orderBy(asc(externalMovements.atMs));
  const flows = new Map<number, Fixed | null>();
  let next = 0;
  for (const { at, asset, amount } of rows) {
    while ((curve[next]?.[0] ?? Infinity) < at) next += 1;
    const point = curve[next]?.[0] ?? at;
    const before = flows.get(point);
    const isKnown = asset === quote && before !== null;
    flows.set(point, isKnown ? add(before ?? ZERO, parseFixed(amount ?? '0')) : null);
  }
  return [...flows].map(([at, amount]) => [at, amount === null ? null : formatFixed(amount)]);
}
