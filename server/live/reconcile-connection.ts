/**
 * One reconciliation of a connection: reads the exchange, compares under lock, and books what
 * follows in one transaction.
 */
import { eq } from 'drizzle-orm';
import { formatFixed, parseFixed, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { PairRules, VenueFill, VenueOrder } from '../../contract/venue.ts';
import type { LiveOrder } from '../../engine/orders/live-order.ts';
import type { Gate } from '../../engine/orders/may-send.ts';
import {
  reconcile,
  type OurRecords,
  type PendingDifference,
  type ReconcileAlarm,
  type Reconciliation,
  type VenueFacts,
} from '../../engine/orders/reconcile.ts';
import { heldElsewhere } from '../../engine/orders/reservation.ts';
import type { Db, Tx } from '../db/database.ts';
import { liveMarks } from '../db/schema-live.ts';
import { bookExternal } from './external-movements.ts';
import { lockBooks, ownedBy, policyOf, type ConnectionRow } from './live-accounts.ts';
import { raiseAlarms, type LiveAlarm } from './live-alarms.ts';
import { noteDayLoss } from './day-loss.ts';
import type { BookDeps, LiveDeps, SignerPort } from './live-deps.ts';
import { markEquity } from './live-equity.ts';
import { guardFound } from './guard-positions.ts';
import { publishLive } from './live-news.ts';
import {
  fillOf,
  liveOrdersOf,
  ordersToReconcile,
  tradesToReconcile,
  type StoredOrder,
} from './order-rows.ts';
import { storeSteps } from './order-store.ts';
import { isAskedByPair, pairsToAsk } from './asked-pairs.ts';
import { pairsToPlan, planPair } from './pair-plan.ts';
import { askLookUp } from './send-order.ts';
import type { Watch } from './watches.ts';

export interface Reconciled {
  gate: Gate;
  /** Whether the exchange could be read, all of it. */
  isRead: boolean;
  /** Our orders as it left them, those of which it brought news. */
  changed: LiveOrder[];
  watches: Watch[];
}

type MarksRow = typeof liveMarks.$inferSelect;

/** Lists are read from so long before the last reconciliation: they lag, and clocks differ. */
const OVERLAP_MS = 6 * 60_000;

async function readMarks(db: Db, connectionId: string): Promise<MarksRow | null> {
  const [row] = await db.select().from(liveMarks).where(eq(liveMarks.connectionId, connectionId));
  return row ?? null;
}

/** Of such a pair an exchange may refuse every question, and with it the whole list. */
const isGone = (rules: (symbol: string) => PairRules | null, symbol: string): boolean =>
  rules(symbol)?.status === 'delisted';

async function readList<T>(read: Promise<{ kind: string; value?: T }>): Promise<T | null> {
  const answer = await read.catch(() => null);
  return answer?.kind === 'read' && answer.value !== undefined ? answer.value : null;
}

async function readFacts(
  signer: SignerPort,
  connection: ConnectionRow,
  all: readonly string[],
  rules: (symbol: string) => PairRules | null,
  sinceMs: number,
  begunAtMs: number,
): Promise<VenueFacts> {
  const { id: connectionId } = connection;
  const unlisted = new Set(all.filter((symbol) => isGone(rules, symbol)));
  const symbols = all.filter((symbol) => !unlisted.has(symbol));
  const open = await readList(signer.ask({ act: 'open_orders', connectionId, symbols }));
  const closed = await readList(
    signer.ask({ act: 'closed_orders', connectionId, symbols, sinceMs }),
  );
  const trades = await readList(signer.ask({ act: 'trades', connectionId, symbols, sinceMs }));
  const balances = await readList(signer.ask({ act: 'balances', connectionId }));
  return {
    begunAtMs,
    open,
    closed,
    trades,
    balances,
    closedSinceMs: sinceMs,
    tradesSinceMs: sinceMs,
    unlisted,
  };
}

/**
 * Reads from before the last reconciliation and before the oldest request whose order has no id of
 * the exchange yet. One that has an id may rest for weeks: it is asked for by itself.
 */
async function sinceOf(
  db: Db,
  connection: ConnectionRow,
  marks: MarksRow | null,
  now: number,
): Promise<number> {
  if (marks?.reconciledToMs === undefined || marks.reconciledToMs === null) return now;
  const sent = (await liveOrdersOf(db, connection.id)).flatMap(({ order }) =>
    order.exchangeOrderId === null ? (order.sentAtMs ?? []) : [],
  );
  return Math.max(0, Math.min(marks.reconciledToMs, ...sent) - OVERLAP_MS);
}

/** What became of orders that are known to exist and that no list shows, each asked for by its id. */
async function lookUpMissing(
  deps: LiveDeps,
  connection: ConnectionRow,
  facts: VenueFacts,
): Promise<VenueFacts> {
  const { open, closed, trades, begunAtMs, unlisted } = facts;
  if (open === null || closed === null || trades === null) return facts;
  const shown = new Set([...open, ...closed].map(({ exchangeOrderId }) => exchangeOrderId));
  const absent = new Set<string>();
  const orders: VenueOrder[] = [];
  const fills: VenueFill[] = [];
  for (const { order } of await liveOrdersOf(deps.database.db, connection.id)) {
    const { state, exchangeOrderId: id, sentAtMs, intent } = order;
    if (state !== 'open' || id === null || shown.has(id)) continue;
    if ((sentAtMs ?? 0) >= begunAtMs || unlisted?.has(intent.symbol) === true) continue;
    const answer = await askLookUp(deps, order);
    if (answer.kind === 'not_found') absent.add(id);
    if (answer.kind !== 'found') continue;
    orders.push(answer.order);
    fills.push(...answer.fills);
  }
  const isOpen = ({ status }: VenueOrder): boolean => status === 'open';
  return {
    ...facts,
    open: [...open, ...orders.filter(isOpen)],
    closed: [...closed, ...orders.filter((order) => !isOpen(order))],
    trades: [...trades, ...fills],
    absent,
  };
}

/** `isStarting`: this process has just begun, and knows of no request that is out. */
export async function reconcileConnection(
  deps: LiveDeps,
  connection: ConnectionRow,
  rules: (symbol: string) => PairRules | null,
  isStarting: boolean,
): Promise<Reconciled> {
  const { database, signer, clock } = deps;
  const begunAtMs = clock.now();
  const marks = await readMarks(database.db, connection.id);
  const sinceMs = await sinceOf(database.db, connection, marks, begunAtMs);
  // A coin that was bought by hand while nobody looked is known by its balance alone.
  const shown = isAskedByPair(connection.exchange)
    ? await readList(signer.ask({ act: 'balances', connectionId: connection.id }))
    : null;
  const { quote } = deps.market.source;
  const { db } = database;
  // As far back as the lists go: what was traded by hand after a long silence was followed before it.
  const fromMs = Math.min(begunAtMs, sinceMs);
  const symbols = await pairsToAsk(db, connection, marks, shown ?? [], rules, quote, fromMs);
  const lists = await readFacts(signer, connection, symbols, rules, sinceMs, begunAtMs);
  const facts = await lookUpMissing(deps, connection, lists);
  return database.transaction(async (tx) => {
    await lockBooks(tx, connection, 'all');
    const before = await readMarks(tx.db, connection.id);
    const { records, stored } = await readRecords(tx, connection, facts, before, isStarting);
    const found = reconcile(facts, records, policyOf(connection), clock.now());
    const changed = await book(tx, deps, connection, stored, found);
    const after = new Map(records.orders.map((order) => [order.intent.clientOrderId, order]));
    for (const { order } of found.steps) after.set(order.intent.clientOrderId, order);
    await writeMarks(tx, connection, facts, before, found, heldBy(facts, after.values()));
    const watches = await planAll(tx, deps, connection, rules);
    const isOpen = found.gate.kind === 'open';
    const isNew = isOpen && isNextSpan(before?.reconciledToMs ?? null, begunAtMs);
    if (isNew) await markEquity(tx, deps, connection);
    if (changed) await noteDayLoss(tx, deps, connection);
    const reasons = found.gate.kind === 'open' ? [] : found.gate.reasons;
    const isGateNew = before?.gateReasons.join() !== reasons.join();
    await publishLive(tx, deps, connection, changed || isNew || isGateNew);
    const { open, closed, trades, balances } = facts;
    const isRead = ![open, closed, trades, balances].includes(null);
    const news = new Set(found.steps.map(({ order }) => order.intent.clientOrderId));
    const changedOrders = [...after.values()].filter(({ intent }) =>
      news.has(intent.clientOrderId),
    );
    return { gate: found.gate, isRead, changed: changedOrders, watches };
  });
}

async function planAll(
  tx: Tx,
  deps: BookDeps,
  connection: ConnectionRow,
  rules: (symbol: string) => PairRules | null,
): Promise<Watch[]> {
  const watches: Watch[] = [];
  for (const symbol of await pairsToPlan(tx.db, connection)) {
    const plan = await planPair(tx, deps, connection, symbol, rules(symbol));
    watches.push(...plan.watches);
  }
  return watches;
}

/** A comparison that found nothing new is told, and its value marked, once in five minutes. */
const SPAN_MS = 5 * 60_000;
const isNextSpan = (lastMs: number | null, nowMs: number): boolean =>
  lastMs === null || Math.floor(nowMs / SPAN_MS) > Math.floor(lastMs / SPAN_MS);

const entriesOf = (value: unknown): [string, string][] =>
  Object.entries((value ?? {}) as Record<string, string>);

async function readRecords(
  tx: Tx,
  connection: ConnectionRow,
  facts: VenueFacts,
  marks: MarksRow | null,
  isStarting: boolean,
): Promise<{ records: OurRecords; stored: Map<string, StoredOrder> }> {
  const { db } = tx;
  const shown = [...(facts.open ?? []), ...(facts.closed ?? [])];
  const trades = facts.trades ?? [];
  const orders = await ordersToReconcile(db, connection.id, facts.closedSinceMs - OVERLAP_MS, {
    clientOrderIds: [...shown, ...trades].flatMap(({ clientOrderId }) => clientOrderId ?? []),
    exchangeOrderIds: [...shown, ...trades].map(({ exchangeOrderId }) => exchangeOrderId),
  });
  const known = await tradesToReconcile(
    db,
    connection.id,
    facts.tradesSinceMs - OVERLAP_MS,
    trades.map(({ tradeId }) => tradeId),
  );
  const owned = await ownedBy(db, connection.accountId);
  const pending = entriesOf(marks?.pending).map(([asset, text]): [string, PendingDifference] => {
    const { amount, sinceMs } = JSON.parse(text) as { amount: string; sinceMs: number };
    return [asset, { amount: parseFixed(amount), sinceMs }];
  });
  const reconciledToMs = marks?.reconciledToMs ?? null;
  return {
    stored: new Map(orders.map((one) => [one.order.intent.clientOrderId, one])),
    records: {
      orders: orders.map(({ order }) => order),
      knownTrades: new Set(known.map(({ tradeId }) => tradeId)),
      handTrades: known.filter(({ clientOrderId }) => clientOrderId === null).map(fillOf),
      reconciledToMs: reconciledToMs ?? facts.begunAtMs,
      openedAtMs: marks?.openedAtMs ?? null,
      owned: owned.all,
      holdings: owned.holdings,
      pending: new Map(pending),
      missing: new Map(
        entriesOf(marks?.missing).map(([asset, text]): [string, Fixed] => [
          asset,
          parseFixed(text),
        ]),
      ),
      orphans: new Set(marks?.orphans ?? []),
      isFirst: reconciledToMs === null,
      isStarting,
    },
  };
}

/** True where something changed. */
async function book(
  tx: Tx,
  deps: BookDeps,
  connection: ConnectionRow,
  stored: Map<string, StoredOrder>,
  found: Reconciliation,
): Promise<boolean> {
  // What was booked as made by hand is undone before its order books it.
  await bookExternal(tx, deps, connection, found.external);
  await storeSteps(tx, deps, stored, found.steps);
  const booked = found.steps
    .filter(({ effects }) => effects.some(({ kind }) => kind === 'book'))
    .flatMap(({ order }) => stored.get(order.intent.clientOrderId) ?? []);
  await guardFound(tx, deps, connection, booked);
  await raiseAlarms(
    tx,
    deps,
    found.alarms.flatMap((alarm) => alarmOf(connection.id, alarm)),
  );
  const changed = found.steps.length > 0 || found.external.length > 0;
  return changed;
}

/** Alarms of orders are raised with their step. */
function alarmOf(connectionId: string, alarm: ReconcileAlarm): LiveAlarm[] {
  if (alarm.kind === 'order') return [];
  if (alarm.kind === 'orphan') {
    const { exchangeOrderId, symbol, side, quantity } = alarm.order;
    const detail = { symbol, side, quantity: formatFixed(quantity) };
    return [{ connectionId, kind: 'orphan', about: exchangeOrderId, detail }];
  }
  const amount = formatFixed(alarm.amount);
  return [
    {
      connectionId,
      kind: 'coins_missing',
      about: `${alarm.asset} ${amount}`,
      detail: { asset: alarm.asset, amount },
    },
  ];
}

const foreignOf = (orders: readonly VenueOrder[]) =>
  orders.map(({ exchangeOrderId, symbol, side, type, quantity, filled }) => ({
    exchangeOrderId,
    symbol,
    side,
    type,
    quantity: formatFixed(quantity),
    filled: formatFixed(filled),
  }));

/** Null where balances could not be read: what was held before is the best that is known. */
function heldBy(
  { balances, begunAtMs }: VenueFacts,
  orders: Iterable<LiveOrder>,
): Pick<MarksRow, 'heldElsewhere' | 'heldAtMs'> | null {
  if (balances === null) return null;
  const ours = [...orders];
  const held = balances
    .map((balance) => [balance.asset, heldElsewhere(balance, ours, begunAtMs)] as const)
    .filter(([, amount]) => amount !== ZERO)
    .map(([asset, amount]) => [asset, formatFixed(amount)]);
  return { heldElsewhere: Object.fromEntries(held) as unknown, heldAtMs: begunAtMs };
}

async function writeMarks(
  tx: Tx,
  connection: ConnectionRow,
  facts: VenueFacts,
  before: MarksRow | null,
  found: Reconciliation,
  held: Pick<MarksRow, 'heldElsewhere' | 'heldAtMs'> | null,
): Promise<void> {
  const isOpen = found.gate.kind === 'open';
  const isFirst = (before?.reconciledToMs ?? null) === null;
  const orphans = found.alarms.flatMap((alarm) =>
    alarm.kind === 'orphan' ? [alarm.order.exchangeOrderId] : [],
  );
  const row = {
    reconciledToMs: isOpen ? facts.begunAtMs : (before?.reconciledToMs ?? null),
    // Of a connection from before this was kept it stays unknown.
    openedAtMs: isFirst && isOpen ? facts.begunAtMs : (before?.openedAtMs ?? null),
    pending: Object.fromEntries(
      [...found.pending].map(([asset, { amount, sinceMs }]) => [
        asset,
        JSON.stringify({ amount: formatFixed(amount), sinceMs }),
      ]),
    ),
    missing: Object.fromEntries(
      [...found.missing].map(([asset, amount]) => [asset, formatFixed(amount)]),
    ),
    orphans: [...new Set([...(before?.orphans ?? []), ...orphans])],
    foreignOrders: facts.open === null ? (before?.foreignOrders ?? []) : foreignOf(found.foreign),
    gateReasons: found.gate.kind === 'open' ? [] : [...found.gate.reasons],
    readAt: facts.begunAtMs,
    ...held,
  };
  await tx.db
    .insert(liveMarks)
    .values({ connectionId: connection.id, ...row })
    .onConflictDoUpdate({ target: liveMarks.connectionId, set: row });
}
