/** What planning one pair needs: who holds how much of it, what is out, and what is to be sold. */
import { sql, type SQL } from 'drizzle-orm';
import {
  floorToStep,
  maximum,
  parseFixed,
  subtract,
  ZERO,
  type Fixed,
} from '../../contract/money.ts';
import { stopRoomBps } from '../../contract/stop-limit.ts';
import { STOP_REACHED, type PairRules } from '../../contract/venue.ts';
import type { FailedStop, StopPlanInput } from '../../engine/orders/stop-plan.ts';
import { ENDED_STATES } from '../../engine/orders/live-order.ts';
import { baseOf } from '../../engine/pair-coins.ts';
import type { Db } from '../db/database.ts';
import { rowsOf } from '../db/sql-rows.ts';
import type { ConnectionRow } from './live-accounts.ts';
import { liveOrdersOf, type StoredOrder } from './order-rows.ts';
import { mayRestUnseen } from './unread-orders.ts';

const ENDED = sql.raw(`('${ENDED_STATES.join("', '")}')`);

/** A position that is to be sold. */
export interface Exit {
  agentId: string;
  reason: string;
  /** Null for all of it. */
  quantity: Fixed | null;
  tickId: string;
  askedMarketMs: number;
  /** What its orders have sold, and all that those may sell whose end is not known. */
  sold: Fixed;
  /** Its orders that the exchange, or the signer, has turned down. */
  rejected: Rejections;
  /** Of them, those that the exchange has turned down. */
  byExchange: Rejections;
}

export interface Rejections {
  count: number;
  lastMs: number;
}

/**
 * What no order of a part has sold or may sell yet, as much of it as an order can sell; null where
 * all of the position is to go.
 */
export const partLeft = ({ quantity, sold }: Exit, rules: PairRules): Fixed | null =>
  quantity === null
    ? null
    : floorToStep(maximum(ZERO, subtract(quantity, sold)), rules.quantityStep);

/** Listed, and takes no orders for a while. */
export const isClosed = (status: PairRules['status'] | null | undefined): boolean =>
  status === 'cancel_only' || status === 'halted';

export interface PairFacts {
  input: StopPlanInput;
  /** By agent, the id of the position that is open. */
  positionIds: ReadonlyMap<string, string>;
  exits: Exit[];
  stored: Map<string, StoredOrder>;
  /** Agents of which a sale, or a stop, was refused a moment ago. */
  refused: ReadonlySet<string>;
  /** Of them, those of which that says something of a sale at market too. */
  refusedSales: ReadonlySet<string>;
  /** Agents of which a sale at market found no buyer a moment ago. */
  unsold: ReadonlySet<string>;
  /** A stop or sale of ours may rest that nobody can look up: another would sell the same twice. */
  isUnread: boolean;
}

interface HeldText {
  id: string;
  agentId: string;
  quantity: string;
  stopPrice: string | null;
  /** The stop of it that did not stay. */
  failed: { quantity: string; stopPrice: string; why: FailedStop['why'] } | null;
}

type ExitText = Omit<Exit, 'quantity' | 'sold'> & { quantity: string | null; sold: string };

interface FactsRow {
  held: string;
  exits: string;
  refused: string;
  refusedSales: string;
  unsold: string;
  missing: string | null;
  isUnread: boolean;
}

/**
 * Servers' clocks differ, and are set back: a sale may seem older than the wish. Which wish it is of
 * its tick says; this spares the search of years.
 */
const CLOCKS_APART_MS = 24 * 3_600_000;

interface Span {
  fromMs: number;
  /** What seems to be later still was written before a clock was set back. */
  toMs: number;
}

/** What came to nothing within them holds the agent's next sale back. */
interface Spans {
  refused: Span;
  unsold: Span;
}

interface Moment extends Spans {
  /** Of the market; null where none is known. */
  bid: Fixed | null;
  /** Null where nothing is planned, and whether orders rest unseen is not asked. */
  nowMs: number | null;
}

/** All but the orders, in one statement: this is read with every change of an order. */
async function readTexts(
  db: Db,
  { id, accountId }: ConnectionRow,
  symbol: string,
  { refused, unsold, nowMs }: Omit<Moment, 'bid'>,
): Promise<FactsRow> {
  const within = ({ fromMs, toMs }: Span): SQL =>
    sql`changed_at between ${fromMs}::bigint and ${toMs}::bigint`;
  const rejections = (isMeant: SQL): SQL => sql`(
          select json_build_object('count', count(*), 'lastMs', coalesce(max(changed_at), 0))
          from live_orders sale
          where sale.account_id = ${accountId}
            and sale.planned_at >= live_exits.asked_at - ${CLOCKS_APART_MS}::bigint
            and sale.agent_id = live_exits.agent_id and sale.symbol = live_exits.symbol
            and sale.tick_id = live_exits.tick_id and sale.side = 'sell'
            and sale.state = 'rejected' and ${isMeant})`;
  const [row] = await rowsOf<FactsRow>(
    db,
    sql`
    select
      (select coalesce(json_agg(json_build_object(
        'id', held.id, 'agentId', held.agent_id,
        'quantity', held.quantity::text, 'stopPrice', held.stop_price::text,
        'failed', (
          select json_build_object('quantity', quantity::text, 'stopPrice', stop_price::text, 'why', why)
          from live_failed_stops where agent_id = held.agent_id and symbol = held.pair)
        ) order by held.opened_market_ms, held.id), '[]')
        from positions held
        where account_id = ${accountId} and pair = ${symbol} and closed_market_ms is null)::text as held,
      (select coalesce(json_agg(json_build_object(
        'agentId', agent_id, 'reason', reason, 'quantity', quantity::text, 'tickId', tick_id,
        'askedMarketMs', asked_market_ms,
        'sold', (
          select coalesce(sum(case when sale.state in ${ENDED} and sale.ending <> 'given_up'
            then sale.booked else greatest(sale.quantity, sale.booked) end), 0)::text
          from live_orders sale
          where sale.account_id = ${accountId}
            and sale.planned_at >= live_exits.asked_at - ${CLOCKS_APART_MS}::bigint
            and sale.agent_id = live_exits.agent_id and sale.symbol = live_exits.symbol
            and sale.tick_id = live_exits.tick_id and sale.side = 'sell'),
        'rejected', ${rejections(sql`true`)},
        'byExchange', ${rejections(sql`sale.ending <> 'refused'`)}
        ) order by asked_at, agent_id), '[]')
        from live_exits where connection_id = ${id} and symbol = ${symbol})::text as exits,
      (select coalesce(json_agg(distinct agent_id), '[]')
        from live_orders
        where account_id = ${accountId} and symbol = ${symbol} and side = 'sell'
          and state = 'rejected' and ${within(refused)})::text as refused,
      (select coalesce(json_agg(distinct agent_id), '[]')
        from live_orders
        where account_id = ${accountId} and symbol = ${symbol} and side = 'sell'
          and state = 'rejected' and code is distinct from ${STOP_REACHED}
          and ${within(refused)})::text as "refusedSales",
      (select coalesce(json_agg(distinct agent_id), '[]')
        from live_orders
        where account_id = ${accountId} and symbol = ${symbol} and side = 'sell' and type = 'market'
          and state in ${ENDED} and booked = 0 and sent_at_ms is not null
          and ${within(unsold)})::text as unsold,
      (select missing ->> ${baseOf(symbol)} from live_marks where connection_id = ${id}) as missing,
      ${nowMs === null ? sql`false` : mayRestUnseen(id, nowMs)} as "isUnread"`,
  );
  if (row === undefined) throw new Error('The facts of a pair are one row');
  return row;
}

const failedOf = (failed: HeldText['failed']): FailedStop | null =>
  failed === null
    ? null
    : {
        quantity: parseFixed(failed.quantity),
        stopPrice: parseFixed(failed.stopPrice),
        why: failed.why,
      };

export async function readPairFacts(
  db: Db,
  connection: ConnectionRow,
  symbol: string,
  rules: PairRules,
  { bid, ...moment }: Moment,
): Promise<PairFacts> {
  const texts = await readTexts(db, connection, symbol, moment);
  const held = JSON.parse(texts.held) as HeldText[];
  const exits = (JSON.parse(texts.exits) as ExitText[]).map((exit): Exit => ({
    ...exit,
    quantity: exit.quantity === null ? null : parseFixed(exit.quantity),
    sold: parseFixed(exit.sold),
  }));
  // Where nothing can be sold now, no stop makes way for a sale.
  const leaving = rules.status === 'trading' ? exits : [];
  const parts = new Map(leaving.map((exit) => [exit.agentId, partLeft(exit, rules)]));
  const orders = (await liveOrdersOf(db, connection.id)).filter(
    ({ order }) => order.intent.symbol === symbol,
  );
  return {
    exits,
    isUnread: texts.isUnread,
    positionIds: new Map(held.map(({ agentId, id }) => [agentId, id])),
    refused: new Set(JSON.parse(texts.refused) as string[]),
    refusedSales: new Set(JSON.parse(texts.refusedSales) as string[]),
    unsold: new Set(JSON.parse(texts.unsold) as string[]),
    stored: new Map(orders.map((one) => [one.order.intent.clientOrderId, one])),
    input: {
      rules,
      abilities: connection.abilities,
      stopRoomBps: stopRoomBps(connection.exchange),
      holders: held.map(({ agentId, quantity, stopPrice, failed }) => ({
        agentId,
        held: parseFixed(quantity),
        stopPrice: stopPrice === null ? null : parseFixed(stopPrice),
        leaving: parts.get(agentId) === null,
        partToSell: parts.get(agentId) ?? ZERO,
        failedStop: failedOf(failed),
      })),
      orders: orders.map(({ order }) => order),
      // How much of the coin agents hold beyond what the account has.
      missing: texts.missing === null ? ZERO : parseFixed(texts.missing),
      // Each of the three exchanges takes the fee of a sale out of what it brings.
      baseFeeBps: ZERO,
      bid,
    },
  };
}
