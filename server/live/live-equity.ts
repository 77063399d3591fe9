/**
 * What a live account is worth at present prices, now and as it was marked before, and what of it
 * was paid in or out.
 */
import { isDeepStrictEqual } from 'node:util';
import { and, asc, eq, inArray, or, sql } from 'drizzle-orm';
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

/**
 * One point, of all that has a price here. A curve must not fall because a price is late: there is
 * none while a pair that is followed has none. A coin that no pair here has a price of is left out.
 */
export async function markEquity(
  tx: Tx,
  { market }: Pick<BookDeps, 'market'>,
  { accountId }: Pick<ConnectionRow, 'accountId'>,
): Promise<void> {
  const { all } = await ownedBy(tx.db, accountId);
  const { quote } = market.source;
  const { value, unpriced } = valueOf(all, market, quote);
  if (unpriced.some((coin) => market.rules(`${coin}/${quote}`) !== null)) return;
  await tx.db
    .insert(equityPoints)
    .values({
      accountId,
      atMarketMs: market.now(),
      equity: formatFixed(value),
      leftOut: unpriced.length === 0 ? null : unpriced,
    })
    .onConflictDoNothing();
}

/** The last of five minutes for a day, of each hour for a week, of each day before. */
function bucketOf(at: number, now: number): number {
  const age = now - at;
  const length = age <= DAY_MS ? 5 * MINUTE_MS : age <= 7 * DAY_MS ? 60 * MINUTE_MS : DAY_MS;
  return Math.floor(at / length) * length;
}

export interface Curve {
  /** `[market ms, value]`, oldest first. */
  points: [number, string][];
  /** Coins that are in none of these values. */
  leftOut: string[];
}

/**
 * The points that leave out what the newest one does: others are of another measure, and a step
 * between the two would look like a gain or a loss.
 */
export async function readCurve(db: Db, accountId: string, now: number): Promise<Curve> {
  const all = await db
    .select({
      at: equityPoints.atMarketMs,
      equity: equityPoints.equity,
      leftOut: equityPoints.leftOut,
    })
    .from(equityPoints)
    .where(eq(equityPoints.accountId, accountId))
    .orderBy(asc(equityPoints.atMarketMs));
  const leftOut = all.at(-1)?.leftOut ?? [];
  const rows = all.filter((row) => isDeepStrictEqual(row.leftOut ?? [], leftOut));
  const kept = new Map<number, [number, string]>();
  for (const { at, equity } of rows)
    kept.set(bucketOf(at, now), [at, formatFixed(parseFixed(equity))]);
  return { points: [...kept.values()], leftOut };
}

/**
 * Coinbase counts money finer than it writes trades: what is left over is in the ledger, so that it
 * equals the account to the last digit, and nobody moved it.
 */
export const LEAST_MOVED = '0.00000001';

/**
 * What was paid in less what was paid out, each at the first point of the curve that has it, or at
 * its own moment after the last. Null where another coin than `quote` is among it, or where one that
 * the curve leaves out was traded by hand: what was paid for it is in the curve, and it is not. Of
 * one that is left out, what came and went is in no point.
 *
 * A movement is booked before the point of the same transaction is marked: at one moment, the point
 * has it.
 */
export async function readFlows(
  db: Db,
  connectionId: string,
  quote: string,
  { points: curve, leftOut }: Curve,
): Promise<[number, string | null][]> {
  const rows = await db
    .select({
      at: externalMovements.atMs,
      asset: externalMovements.asset,
      amount: externalMovements.amount,
      symbol: sql<string | null>`${externalMovements.trade} ->> 'symbol'`,
    })
    .from(externalMovements)
    .where(
      and(
        eq(externalMovements.connectionId, connectionId),
        or(
          and(
            inArray(externalMovements.kind, ['deposit', 'withdrawal']),
            sql`abs(${externalMovements.amount}) >= ${LEAST_MOVED}::numeric`,
          ),
          inArray(externalMovements.kind, ['hand_trade', 'hand_trade_undone']),
        ),
      ),
    )
    .orderBy(asc(externalMovements.atMs));
  const flows = new Map<number, Fixed | null>();
  let next = 0;
  const isLeftOut = (coin: string): boolean => leftOut.includes(coin);
  for (const { at, asset, amount, symbol } of rows) {
    if (asset === null ? !symbol?.split('/').some(isLeftOut) : isLeftOut(asset)) continue;
    while ((curve[next]?.[0] ?? Infinity) < at) next += 1;
    const point = curve[next]?.[0] ?? at;
    const before = flows.get(point);
    const isKnown = asset === quote && before !== null;
    flows.set(point, isKnown ? add(before ?? ZERO, parseFixed(amount ?? '0')) : null);
  }
  return [...flows].map(([at, amount]) => [at, amount === null ? null : formatFixed(amount)]);
}
