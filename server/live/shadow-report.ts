/** A live agent beside its twin on paper: trade by trade, and why the two differ. */
import { and, desc, eq, gte, inArray, isNull, sql } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import type { Shadow, ShadowLeg, ShadowReason, ShadowRow } from '../../contract/live.ts';
import {
  absolute,
  add,
  divide,
  formatFixed,
  multiply,
  parseFixed,
  subtract,
  sum,
  ZERO,
  type Fixed,
} from '../../contract/money.ts';
import { LIVE_STATES } from '../../engine/orders/live-order.ts';
import { quoteOf } from '../../engine/pair-coins.ts';
import { asAgentRow, ownAgent, toAgents, type AgentRow } from '../agents/read-agents.ts';
import type { Db } from '../db/database.ts';
import { agents, decisions, fills } from '../db/schema.ts';
import { liveOrders, venueFills } from '../db/schema-live.ts';
import type { TradingDeps } from '../trading-deps.ts';
import type { LiveOrderRow, VenueFillRow } from './order-rows.ts';

/** Trades of each side that are compared. */
const SHOWN_MAX = 200;
/** Sales at a stop are of one cause, though the two are hit at their own moments. */
const STOPS_APART_MS = 15 * 60_000;
const BPS = parseFixed('10000');

type PaperFill = typeof fills.$inferSelect;
interface LiveTrade {
  order: LiveOrderRow;
  fills: VenueFillRow[];
}
interface Pairing {
  live: LiveTrade | null;
  paper: PaperFill | null;
}

/** What one side traded, for the comparison. */
interface Traded {
  quantity: Fixed;
  /** Before fees, in quote currency. */
  amount: Fixed;
  fee: Fixed;
  otherFees: Map<string, Fixed>;
  at: number;
}

function tradedLive({ order, fills: list }: LiveTrade): Traded | null {
  const last = list.at(-1);
  if (last === undefined) return null;
  const quote = quoteOf(order.symbol);
  const otherFees = new Map<string, Fixed>();
  let fee = ZERO;
  for (const { fees } of list)
    for (const { asset, amount } of fees as { asset: string; amount: string }[]) {
      if (asset === quote) fee = add(fee, parseFixed(amount));
      else otherFees.set(asset, add(otherFees.get(asset) ?? ZERO, parseFixed(amount)));
    }
  return {
    quantity: sum(list.map(({ quantity }) => parseFixed(quantity))),
    amount: sum(list.map(({ quoteAmount }) => parseFixed(quoteAmount))),
    fee,
    otherFees,
    at: last.atMs,
  };
}

const tradedOnPaper = (fill: PaperFill): Traded => ({
  quantity: parseFixed(fill.quantity),
  amount: parseFixed(fill.notional),
  fee: parseFixed(fill.fee),
  otherFees: new Map(),
  at: fill.filledMarketMs,
});

const priceOf = ({ amount, quantity }: Traded): Fixed =>
  quantity === ZERO ? ZERO : divide(amount, quantity, 'half-even');

const legOf = (traded: Traded | null, text: string | null, state: string | null): ShadowLeg => ({
  quantity: traded === null ? null : formatFixed(traded.quantity),
  price: traded === null ? null : formatFixed(priceOf(traded)),
  fee: traded === null ? null : formatFixed(traded.fee),
  otherFees: [...(traded?.otherFees ?? [])].map(([asset, amount]) => ({
    asset,
    amount: formatFixed(amount),
  })),
  filledAt: traded?.at ?? null,
  text,
  state,
});

/** Fees in basis points of what was traded: another size is no other fee. */
const feeRate = ({ amount, fee }: Traded): Fixed =>
  amount === ZERO ? ZERO : divide(multiply(fee, BPS, 'half-even'), amount, 'half-even');
/** A hundredth of a basis point is rounding. */
const SAME_RATE = parseFixed('0.01');

function reasonsOf({ live, paper }: Pairing): ShadowReason[] {
  if (live === null) return ['held_back'];
  const { order } = live;
  const ordered = parseFixed(order.quantity);
  const traded = tradedLive(live);
  const isOut = LIVE_STATES.some((state) => state === order.state);
  const reasons: ShadowReason[] = [];
  if (paper === null) reasons.push('only_live');
  if (isOut) reasons.push('under_way');
  else if (traded === null) reasons.push('not_filled');
  else if (traded.quantity < ordered) reasons.push('partial_fill');
  if (paper === null || traded === null) return reasons;
  const twin = tradedOnPaper(paper);
  if (ordered !== twin.quantity) reasons.push('size');
  if (priceOf(traded) !== priceOf(twin)) reasons.push('price');
  const apart = subtract(feeRate(traded), feeRate(twin));
  const isFeeOther = absolute(apart) > SAME_RATE || traded.otherFees.size > 0;
  if (isFeeOther) reasons.push('fee');
  return reasons;
}

/** What a trade did to the cash. */
const cashOf = ({ amount, fee }: Traded, side: string): Fixed =>
  side === 'buy' ? subtract(ZERO, add(amount, fee)) : subtract(amount, fee);

type Texts = ReadonlyMap<string, string>;
const textKey = (agentId: string, pair: string, tickId: string): string =>
  `${agentId} ${pair} ${tickId}`;

function toRow(pairing: Pairing, live: AgentRow, twin: AgentRow, texts: Texts): ShadowRow {
  const { live: real, paper } = pairing;
  const pair = real?.order.symbol ?? paper?.pair ?? '';
  const side = (real?.order.side ?? paper?.side) as ShadowRow['side'];
  const tickId = real?.order.tickId ?? paper?.tickId ?? '';
  const traded = real === null ? null : tradedLive(real);
  const onPaper = paper === null ? null : tradedOnPaper(paper);
  const said = (agent: AgentRow, tick: string): string | null =>
    texts.get(textKey(agent.id, pair, tick)) ?? null;
  return {
    at: paper?.decidedMarketMs ?? real?.order.decidedMarketMs ?? 0,
    pair,
    side,
    cause: real?.order.cause ?? paper?.reason ?? '',
    live: legOf(traded, said(live, tickId), real?.order.state ?? null),
    paper: legOf(onPaper, said(twin, paper?.tickId ?? tickId), null),
    reasons: reasonsOf(pairing),
    difference:
      traded === null || onPaper === null
        ? null
        : formatFixed(subtract(cashOf(traded, side), cashOf(onPaper, side))),
  };
}

/** By the decision they came from; sales at a stop by cause and time. */
function pairUp(live: readonly LiveTrade[], paper: readonly PaperFill[]): Pairing[] {
  const left = new Set(paper);
  const isOf = (one: PaperFill, { order }: LiveTrade): boolean =>
    one.pair === order.symbol &&
    one.side === order.side &&
    (one.tickId === order.tickId ||
      (one.reason === order.cause &&
        one.side === 'sell' &&
        one.tickId.startsWith('stop:') &&
        Math.abs(one.filledMarketMs - order.changedAt) <= STOPS_APART_MS));
  const pairings: Pairing[] = live.map((trade) => {
    const match = [...left].find((one) => isOf(one, trade)) ?? null;
    if (match !== null) left.delete(match);
    return { live: trade, paper: match };
  });
  return [...pairings, ...[...left].map((one) => ({ live: null, paper: one }))];
}

async function liveTrades(db: Db, agentId: string, sinceMs: number): Promise<LiveTrade[]> {
  const orders = await db
    .select()
    .from(liveOrders)
    .where(
      and(
        eq(liveOrders.agentId, agentId),
        gte(liveOrders.decidedMarketMs, sinceMs),
        // A stop that was not hit has traded nothing, and was decided by nobody.
        sql`(type <> 'stop' or booked > 0)`,
      ),
    )
    .orderBy(desc(liveOrders.plannedAt))
    .limit(SHOWN_MAX);
  const ids = orders.map(({ clientOrderId }) => clientOrderId);
  const trades =
    ids.length === 0
      ? []
      : await db
          .select()
          .from(venueFills)
          .where(inArray(venueFills.clientOrderId, ids))
          .orderBy(venueFills.number);
  return orders.map((order) => ({
    order,
    fills: trades.filter(({ clientOrderId }) => clientOrderId === order.clientOrderId),
  }));
}

async function textsOf(db: Db, ids: readonly string[], tickIds: readonly string[]): Promise<Texts> {
  if (tickIds.length === 0) return new Map();
  const rows = await db
    .select()
    .from(decisions)
    .where(and(inArray(decisions.agentId, [...ids]), inArray(decisions.tickId, [...tickIds])));
  return new Map(rows.map((row) => [textKey(row.agentId, row.pair, row.tickId), row.text]));
}

async function twinOf(db: Db, liveId: string): Promise<AgentRow> {
  const [row] = await db
    .select()
    .from(agents)
    .where(and(eq(agents.shadowOf, liveId), isNull(agents.deletedAt)));
  if (row === undefined) throw new Refusal('not_found', 'This agent has no twin on paper.');
  return asAgentRow(row);
}

export async function readShadow(deps: TradingDeps, uid: string, id: string): Promise<Shadow> {
  const { market, clock } = deps;
  return deps.database.transaction(async ({ db }) => {
    await db.execute(sql`set transaction isolation level repeatable read, read only`);
    const live = await ownAgent(db, uid, market.source.id, id);
    const twin = await twinOf(db, live.id);
    // An exchange's market runs on the wall clock.
    const trades = await liveTrades(db, live.id, twin.createdAt);
    const paper = await db
      .select()
      .from(fills)
      .where(eq(fills.agentId, twin.id))
      .orderBy(desc(fills.filledMarketMs), desc(fills.id))
      .limit(SHOWN_MAX);
    const texts = await textsOf(
      db,
      [live.id, twin.id],
      [
        ...new Set([
          ...trades.map(({ order }) => order.tickId),
          ...paper.map(({ tickId }) => tickId),
        ]),
      ],
    );
    const rows = pairUp(trades, paper).map((pairing) => toRow(pairing, live, twin, texts));
    const [liveAgent, paperAgent] = await toAgents(db, market, [live, twin]);
    if (liveAgent === undefined || paperAgent === undefined) throw new Error('The agent is gone');
    const side = ({
      id: agentId,
      name,
      status,
      quote,
      realized,
      unrealized,
      fees,
    }: typeof liveAgent) => ({
      agentId,
      name,
      status,
      quote,
      realized,
      unrealized,
      fees,
    });
    return {
      since: twin.lastRunMarketMs === null ? null : twin.createdAt,
      live: { ...side(liveAgent), trades: trades.filter((one) => one.fills.length > 0).length },
      paper: { ...side(paperAgent), trades: paper.length },
      rows: rows.sort((a, b) => b.at - a.at),
      asOf: clock.now(),
    };
  });
}
