/**
 * Writes off coins of an agent that the account does not have any more, because the person sold them
 * or took them out by hand. Without it their position stays open for good and no sale of it succeeds.
 */
import { randomUUID } from 'node:crypto';
import { and, eq, max } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import type { WriteOffWire } from '../../contract/live.ts';
import { formatFixed, parseFixed, subtract, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import { rememberExit } from '../../engine/execution/agent-memory.ts';
import {
  mostToWriteOff,
  positionAfterWriteOff,
  worthOfWriteOff,
  writeOffEntries,
} from '../../engine/orders/write-off.ts';
import { baseOf } from '../../engine/pair-coins.ts';
import { isId } from '../agents/read-agents.ts';
import type { Db, Tx } from '../db/database.ts';
import { agents, positions } from '../db/schema.ts';
import {
  liveConnections,
  liveExits,
  liveFailedStops,
  liveMarks,
  liveWriteOffs,
  venueFills,
} from '../db/schema-live.ts';
import { lockOpenPosition } from '../portfolio/exits.ts';
import { toOpenPosition } from '../portfolio/marks.ts';
import { post, type PositionRow } from '../portfolio/record-trades.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { asConnection, lockBooks, type ConnectionRow } from './live-accounts.ts';
import { publishLive } from './live-news.ts';
import { missingIn, toWriteOff, type WriteOffRow } from './missing-coins.ts';
import { liveOrdersOf } from './order-rows.ts';
import { pairsToPlan, planPair } from './pair-plan.ts';

export interface WriteOffAsk {
  positionId: string;
  quantity: Fixed;
  /** What the person was shown that the agent holds. */
  held: Fixed;
}

/** The person's position and its account; @throws Refusal where there is none. */
export async function positionToWriteOff(
  db: Db,
  uid: string,
  id: string,
): Promise<{ position: PositionRow; connection: ConnectionRow }> {
  const [found] = !isId(id)
    ? []
    : await db
        .select({ position: positions, connection: liveConnections })
        .from(positions)
        .innerJoin(liveConnections, eq(liveConnections.accountId, positions.accountId))
        .where(and(eq(positions.id, id), eq(liveConnections.uid, uid)));
  if (found === undefined) throw new Refusal('not_found', 'Position not found.');
  return { position: found.position, connection: asConnection(found.connection) };
}

const refused = (message: string): Refusal =>
  new Refusal('write_off_refused', `${message} Nothing was written off.`);

/** What is missing of the coin. @throws Refusal where the exchange has not said so lately. */
async function missingNow(
  db: Db,
  deps: TradingDeps,
  connection: ConnectionRow,
  asset: string,
): Promise<Fixed> {
  const [marks] = await db
    .select()
    .from(liveMarks)
    .where(eq(liveMarks.connectionId, connection.id));
  const isCompared = deps.live?.isCompared(connection.id) === true;
  const isExplained = !Object.hasOwn(marks?.pending ?? {}, asset);
  if (!isCompared || marks === undefined || marks.gateReasons.length > 0 || !isExplained)
    throw refused('This account is being compared with the exchange. Try again in some minutes.');
  const missing = missingIn(marks).get(asset) ?? ZERO;
  if (missing <= ZERO) throw refused(`The account has all the ${asset} that agents hold.`);
  return missing;
}

/** @throws Refusal where less may be given up than was asked for. */
async function checkQuantity(
  db: Db,
  connection: ConnectionRow,
  { agentId, pair, quantity: heldText }: PositionRow,
  { quantity, held: shown }: WriteOffAsk,
  missing: Fixed,
): Promise<void> {
  const asset = baseOf(pair);
  const held = parseFixed(heldText);
  if (held !== shown)
    throw refused(`The agent now holds ${formatFixed(held)} ${asset}. Check it and ask again.`);
  const orders = (await liveOrdersOf(db, connection.id))
    .map(({ order }) => order)
    .filter(({ intent }) => intent.symbol === pair);
  const most = mostToWriteOff(missing, held, agentId, orders);
  if (quantity <= most) return;
  if (quantity <= missing && quantity <= held)
    throw new Refusal(
      'live_orders_open',
      `An order of this agent may still sell ${asset}. Nothing was written off. Try again when the order has ended.`,
    );
  throw refused(`The account lacks ${formatFixed(missing)} ${asset}.`);
}

/**
 * What is missing of the coin. It counts only under the locks of booking; without them it spares
 * questions to the exchange. @throws Refusal where the server knows that this may not be given up.
 */
export async function checkWriteOff(
  db: Db,
  deps: TradingDeps,
  connection: ConnectionRow,
  position: PositionRow,
  ask: WriteOffAsk,
): Promise<Fixed> {
  const missing = await missingNow(db, deps, connection, baseOf(position.pair));
  await checkQuantity(db, connection, position, ask, missing);
  return missing;
}

/**
 * Once for a command, and only what the exchange has not: agents that share a coin share what is
 * missing of it. The signer is told after the commit.
 */
export async function writeOffPosition(
  tx: Tx,
  deps: TradingDeps,
  uid: string,
  ask: WriteOffAsk,
): Promise<WriteOffWire> {
  const { position: found, connection } = await positionToWriteOff(tx.db, uid, ask.positionId);
  await lockBooks(tx, connection, [found.agentId]);
  const position = await lockOpenPosition(tx, ask.positionId);
  if (position === null) throw new Refusal('position_closed', 'This position is already closed.');
  if (connection.state !== 'open')
    throw new Refusal('connection_ended', 'Live trading has ended for this exchange account.');
  const asset = baseOf(position.pair);
  const missing = await checkWriteOff(tx.db, deps, connection, position, ask);
  const row = await book(tx, deps, position, connection, ask.quantity);
  await lessMissing(tx, connection, asset, subtract(missing, ask.quantity));
  await planCoin(tx, deps, connection, asset);
  tx.afterCommit(() => deps.live?.poke(connection.id));
  await publishLive(tx, deps, connection, true);
  return toWriteOff(row);
}

async function book(
  tx: Tx,
  deps: TradingDeps,
  position: PositionRow,
  connection: ConnectionRow,
  quantity: Fixed,
): Promise<WriteOffRow> {
  const { db } = tx;
  const { id: connectionId, accountId } = connection;
  const { agentId, pair: symbol } = position;
  const before = toOpenPosition(position);
  const { after, cost } = positionAfterWriteOff(before, { symbol, quantity });
  const bid = deps.market.quote(symbol)?.bid ?? null;
  const at = deps.market.now();
  const [last] = await db
    .select({ number: max(venueFills.number) })
    .from(venueFills)
    .where(eq(venueFills.accountId, accountId));
  const row: WriteOffRow = {
    id: randomUUID(),
    connectionId,
    accountId,
    agentId,
    positionId: position.id,
    symbol,
    quantity: formatFixed(quantity),
    cost: formatFixed(cost),
    worth: formatFixed(worthOfWriteOff(before, after, bid)),
    afterTrade: last?.number ?? 0,
    atMarketMs: at,
    bookedAt: deps.clock.now(),
    signerToldAt: null,
  };
  await db.insert(liveWriteOffs).values(row);
  const entries = writeOffEntries({ agentId, symbol, quantity });
  await post(
    tx,
    [{ transactionId: row.id, accountId, cause: 'written_off', fillId: null, at, entries }],
    { hasHappened: true },
  );
  const isClosed = after.quantity === ZERO;
  await db
    .update(positions)
    .set({
      quantity: formatFixed(after.quantity),
      cost: formatFixed(after.cost),
      stopPrice: after.stopPrice === null ? null : formatFixed(after.stopPrice),
      closedMarketMs: isClosed ? at : null,
    })
    .where(eq(positions.id, position.id));
  if (isClosed) await forgetPosition(tx, position, at);
  return row;
}

/** Nothing of it is to be sold any more, and the agent does not enter again at once. */
async function forgetPosition(
  { db }: Tx,
  { agentId, pair }: PositionRow,
  at: number,
): Promise<void> {
  await db.delete(liveExits).where(and(eq(liveExits.agentId, agentId), eq(liveExits.symbol, pair)));
  await db
    .delete(liveFailedStops)
    .where(and(eq(liveFailedStops.agentId, agentId), eq(liveFailedStops.symbol, pair)));
  const [agent] = await db
    .select({ memory: agents.memory })
    .from(agents)
    .where(eq(agents.id, agentId));
  if (agent === undefined) return;
  const memory = rememberExit(agent.memory as Record<string, unknown>, { pair, at, stop: false });
  await db.update(agents).set({ memory }).where(eq(agents.id, agentId));
}

/** Until the next comparison this is what is missing: nobody writes the same coins off again. */
async function lessMissing(
  { db }: Tx,
  { id }: ConnectionRow,
  asset: string,
  left: Fixed,
): Promise<void> {
  const [marks] = await db
    .select({ missing: liveMarks.missing })
    .from(liveMarks)
    .where(eq(liveMarks.connectionId, id));
  const missing = missingIn(marks);
  if (left > ZERO) missing.set(asset, left);
  else missing.delete(asset);
  const texts = [...missing].map(([coin, amount]) => [coin, formatFixed(amount)] as const);
  await db
    .update(liveMarks)
    .set({ missing: Object.fromEntries(texts) as unknown })
    .where(eq(liveMarks.connectionId, id));
}

/** Stops that shrank because coins were missing grow again, of every pair of the coin. */
async function planCoin(
  tx: Tx,
  deps: TradingDeps,
  connection: ConnectionRow,
  asset: string,
): Promise<void> {
  for (const symbol of await pairsToPlan(tx.db, connection)) {
    if (baseOf(symbol) !== asset) continue;
    const rules = deps.live?.rules(connection.exchange, symbol) ?? null;
    await planPair(tx, deps, connection, symbol, rules);
  }
}
