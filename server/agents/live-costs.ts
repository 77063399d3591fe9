/** What an agent's trades cost beyond fees, and which entries it missed. */
import { and, desc, eq, gt, inArray, lt, notInArray, sql } from 'drizzle-orm';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import type { AgentTest } from '../../contract/backtest-record.ts';
import { GUARD_CODES } from '../../contract/guards.ts';
import { GUARDS_OF } from '../../engine/guards/registry.ts';
import type { Db } from '../db/database.ts';
import { decisions, fills, orders } from '../db/schema.ts';
import { liveOrders } from '../db/schema-live.ts';
import { LIVE_STATES } from '../../engine/orders/live-order.ts';
import type { Market } from '../market/market-source.ts';
import { candlesInTime } from '../market/candles-in-time.ts';
import { closesOf } from '../market/kept-series.ts';
import { rowsOf } from '../db/sql-rows.ts';

/** Fills whose delay is looked at, and how far back: candles have to be read for it. */
const DELAYS = 30;
const DELAYS_WITHIN_MS = 7 * 86_400_000;
/** Sales that no evaluation of the agent decided. */
const NOT_DECIDED = ['stop_loss', 'closed', 'liquidated'];
const SIZES: readonly string[] = GUARDS_OF.size.map(({ code }) => code);
/**
 * A purchase that was wanted and could not be: neither the strategy's own opinion nor the calendar.
 */
const REFUSED = ['below_minimum', 'no_cash', 'no_volume', 'stop_too_close', ...SIZES];
/** Said before it is known whether a position that is held wants more: of those without one alone. */
const BLOCKED = [
  'entries_stopped',
  // The code of the stop-loss guard is also the reason of a sale by its stop.
  ...GUARD_CODES.filter((code) => code !== 'stop_loss' && !SIZES.includes(code)),
];

interface CostQuery {
  accountId: string;
  agentId: string;
  since: number;
  /** Whether it trades at an exchange: its orders are `live_orders`, and no quote of its fills is known. */
  isLive: boolean;
}
type Costs = Pick<AgentTest, 'slippageBps' | 'halfSpreadBps' | 'fills' | 'partFills' | 'missed'>;
type Delay = Pick<AgentTest, 'delayBps' | 'delayUnread'>;

/** A fill that an evaluation decided. */
interface DecidedFill {
  pair: string;
  side: string;
  bid: string;
  ask: string;
  notional: string;
  /** Close that it was decided on, market clock. */
  at: number;
}

/** `decided`: the newest fills, of which the delay is worked out. */
export async function costsSince(
  db: Db,
  now: number,
  asked: CostQuery,
): Promise<{ costs: Costs; decided: DecidedFill[] }> {
  const mine = and(
    eq(fills.accountId, asked.accountId),
    eq(fills.agentId, asked.agentId),
    gt(fills.filledMarketMs, asked.since),
  );
  const [row] = await rowsOf<{ n: number; slippage: number | null; spread: number | null }>(
    db,
    sql`
    select count(*)::int as n, (sum(slippage_bps * notional) / nullif(sum(notional), 0))::float8 as slippage,
      (sum((quote_ask - quote_bid) / nullif(quote_ask + quote_bid, 0) * 10000 * notional) / nullif(sum(notional), 0))::float8 as spread
    from fills where ${mine}`,
  );
  const count = row?.n ?? 0;
  return {
    costs: {
      fills: count,
      slippageBps: asked.isLive ? null : (row?.slippage ?? null),
      halfSpreadBps: asked.isLive ? null : (row?.spread ?? null),
      partFills: await partFillsOf(db, asked),
      missed: await missedOf(db, asked),
    },
    decided: count === 0 ? [] : await decidedOf(db, now, asked),
  };
}

/** Purchases that ended with a part of them unfilled. */
const partFillsOf = (db: Db, { accountId, agentId, since, isLive }: CostQuery): Promise<number> =>
  isLive
    ? db.$count(
        liveOrders,
        and(
          eq(liveOrders.accountId, accountId),
          eq(liveOrders.agentId, agentId),
          eq(liveOrders.side, 'buy'),
          notInArray(liveOrders.state, [...LIVE_STATES]),
          gt(liveOrders.booked, '0'),
          lt(liveOrders.booked, liveOrders.quantity),
          gt(liveOrders.decidedMarketMs, since),
        ),
      )
    : db.$count(
        orders,
        and(
          eq(orders.accountId, accountId),
          eq(orders.agentId, agentId),
          eq(orders.state, 'partly_filled'),
          eq(orders.side, 'buy'),
          gt(orders.decidedMarketMs, since),
        ),
      );

function decidedOf(
  db: Db,
  now: number,
  { accountId, agentId, since }: CostQuery,
): Promise<DecidedFill[]> {
  return db
    .select({
      pair: fills.pair,
      side: fills.side,
      bid: fills.quoteBid,
      ask: fills.quoteAsk,
      notional: fills.notional,
      at: fills.decidedMarketMs,
    })
    .from(fills)
    .where(
      and(
        eq(fills.accountId, accountId),
        eq(fills.agentId, agentId),
        gt(fills.filledMarketMs, Math.max(since, now - DELAYS_WITHIN_MS)),
        notInArray(fills.reason, NOT_DECIDED),
      ),
    )
    .orderBy(desc(fills.filledMarketMs))
    .limit(DELAYS);
}

/**
 * By their amounts, what the price did between the close that was decided on and the middle of the
 * quote at the fill; positive is worse. An exchange may be asked for the closes: never within a
 * transaction.
 */
export async function delayOf(market: Market, decided: readonly DecidedFill[]): Promise<Delay> {
  const length = INTERVAL_MS[market.baseInterval];
  const from = Math.min(...decided.map(({ at }) => at)) - length;
  const closes = new Map<string, (at: number) => number | null>();
  const isRead = await Promise.all(
    [...new Set(decided.map(({ pair }) => pair))].map(async (pair) => {
      const candles = await candlesInTime(market, pair, market.baseInterval, from, market.now());
      if (candles !== null) closes.set(pair, closesOf(candles, length));
      return candles !== null;
    }),
  );
  // Of some pairs alone it would be another figure.
  if (isRead.includes(false)) return { delayBps: null, delayUnread: true };
  let [cost, amount] = [0, 0];
  for (const { pair, side, bid, ask, notional, at } of decided) {
    const close = closes.get(pair)?.(at) ?? null;
    if (close === null || close <= 0) continue;
    const middle = (Number(bid) + Number(ask)) / 2;
    cost += (side === 'buy' ? 1 : -1) * (middle / close - 1) * 10_000 * Number(notional);
    amount += Number(notional);
  }
  return { delayBps: amount === 0 ? null : cost / amount };
}

async function missedOf(db: Db, { agentId, since }: CostQuery): Promise<Costs['missed']> {
  const rows = await db
    .select({ reason: decisions.reason, count: sql<number>`count(*)::int` })
    .from(decisions)
    .where(
      and(
        eq(decisions.agentId, agentId),
        gt(decisions.atMarketMs, since),
        sql`(${inArray(decisions.reason, REFUSED)} or (${inArray(decisions.reason, BLOCKED)} and ${decisions.action} = 'skip') or (${decisions.reason} = 'no_price' and ${decisions.strength} >= ${decisions.threshold}))`,
      ),
    )
    .groupBy(decisions.reason)
    .orderBy(desc(sql`count(*)`), decisions.reason);
  return rows;
}
