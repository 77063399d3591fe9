/** The pairs that an exchange is asked for by name, where it answers its lists by pair alone. */
import { and, eq, gte, isNull, or } from 'drizzle-orm';
import type { LiveExchange } from '../../contract/signer.ts';
import type { PairRules, VenueBalance } from '../../contract/venue.ts';
import type { Db } from '../db/database.ts';
import { agents } from '../db/schema.ts';
import { liveOrders, venueFills, type liveMarks } from '../db/schema-live.ts';
import { ownedBy, type ConnectionRow } from './live-accounts.ts';
import { pairsToPlan } from './pair-plan.ts';

/** The others answer for all pairs at once. */
const ASKED_BY_PAIR: ReadonlySet<LiveExchange> = new Set(['binance']);
/** A pair is asked for so long after its last order or trade: what was said of it may be taken back. */
const RECENTLY_MS = 7 * 24 * 60 * 60_000;

export const isAskedByPair = (exchange: LiveExchange): boolean => ASKED_BY_PAIR.has(exchange);

type Marks = Pick<typeof liveMarks.$inferSelect, 'pending' | 'foreignOrders'>;

/** Coins that the books have or the account shows, and those that differed at the last reading. */
async function coinsOf(
  db: Db,
  { accountId }: ConnectionRow,
  marks: Marks | null,
  shown: readonly VenueBalance[],
): Promise<string[]> {
  const { all } = await ownedBy(db, accountId);
  return [
    ...[...all].flatMap(([coin, amount]) => (amount === 0n ? [] : coin)),
    ...shown.flatMap(({ asset, total }) => (total === 0n ? [] : asset)),
    ...Object.keys(marks?.pending ?? {}),
  ];
}

/** Of every order and trade that is not long over. */
async function movedSince(db: Db, connectionId: string, sinceMs: number): Promise<string[]> {
  const ordered = await db
    .selectDistinct({ symbol: liveOrders.symbol })
    .from(liveOrders)
    .where(
      and(
        eq(liveOrders.connectionId, connectionId),
        or(gte(liveOrders.plannedAt, sinceMs), gte(liveOrders.changedAt, sinceMs)),
      ),
    );
  const traded = await db
    .selectDistinct({ symbol: venueFills.symbol })
    .from(venueFills)
    .where(and(eq(venueFills.connectionId, connectionId), gte(venueFills.bookedAt, sinceMs)));
  return [...ordered, ...traded].map(({ symbol }) => symbol);
}

/**
 * Those of agents, of orders, positions and trades, of the person's open orders, and those in which
 * coins that are there trade. Each costs as much again with every reading, so a pair that nothing is
 * in any more is left out after a week. `shown`: the balances as they are now.
 */
export async function pairsToAsk(
  db: Db,
  connection: ConnectionRow,
  marks: Marks | null,
  shown: readonly VenueBalance[],
  rules: (symbol: string) => PairRules | null,
  quote: string,
  nowMs: number,
): Promise<string[]> {
  const isListed = (symbol: string): boolean => {
    const status = rules(symbol)?.status;
    return status !== undefined && status !== 'delisted';
  };
  const coins = await coinsOf(db, connection, marks, shown);
  const rows = await db
    .select({ pairs: agents.tradingPairs })
    .from(agents)
    .where(and(eq(agents.connectionId, connection.id), isNull(agents.deletedAt)));
  const foreign = (marks?.foreignOrders ?? []) as { symbol: string }[];
  return [
    ...new Set([
      ...coins.map((coin) => `${coin}/${quote}`).filter(isListed),
      ...rows.flatMap(({ pairs }) => pairs),
      ...foreign.map(({ symbol }) => symbol).filter(isListed),
      ...(await movedSince(db, connection.id, nowMs - RECENTLY_MS)),
      ...(await pairsToPlan(db, connection)),
    ]),
  ].sort();
}
