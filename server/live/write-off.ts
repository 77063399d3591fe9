/**
 * Writes off coins of an agent that the account does not have any more, because the person sold them
 * or took them out by hand. Without it their position stays open for good and no sale of it succeeds.
 */
import { and, eq } from 'drizzle-orm';
import { Refusal } from '../../contract/errors.ts';
import type { WriteOffWire } from '../../contract/live.ts';
import { formatFixed, parseFixed, subtract, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import { mostToWriteOff } from '../../engine/orders/write-off.ts';
import { baseOf } from '../../engine/pair-coins.ts';
import { isId } from '../agents/read-agents.ts';
import type { Db, Tx } from '../db/database.ts';
import { positions } from '../db/schema.ts';
import { liveConnections, liveMarks } from '../db/schema-live.ts';
import { lockOpenPosition } from '../portfolio/exits.ts';
import type { PositionRow } from '../portfolio/record-trades.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { bookWriteOff, rememberLeft } from './book-write-off.ts';
import { asConnection, lockBooks, type ConnectionRow } from './live-accounts.ts';
import { publishLive } from './live-news.ts';
import { missingIn, toWriteOff } from './missing-coins.ts';
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
  const { quantity } = ask;
  const row = await bookWriteOff(tx, deps, connection, {
    position,
    quantity,
    cause: 'written_off',
  });
  if (quantity === parseFixed(position.quantity)) await rememberLeft(tx, position, row.atMarketMs);
  await lessMissing(tx, connection, asset, subtract(missing, quantity));
  await planCoin(tx, deps, connection, asset);
  tx.afterCommit(() => deps.live?.poke(connection.id));
  await publishLive(tx, deps, connection, true);
  return toWriteOff(row);
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
