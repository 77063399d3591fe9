/** Judges live trading by the exchange's own journal: what our database says is only compared with it. */
import { asc, desc, eq } from 'drizzle-orm';
import {
  add,
  formatFixed,
  multiply,
  parseFixed,
  subtract,
  ZERO,
  type Fixed,
} from '../../../contract/money.ts';
import type { LiveExchange } from '../../../contract/signer.ts';
import { hasEnded } from '../../../engine/orders/live-order.ts';
import type { Db } from '../../../server/db/database.ts';
import {
  liveMarks,
  liveOrders,
  liveWriteOffs,
  venueFills,
} from '../../../server/db/schema-live.ts';
import { ownedBy, type ConnectionRow } from '../../../server/live/live-accounts.ts';
import { toStored } from '../../../server/live/order-rows.ts';
import { checkLiveAccount } from '../../../server/portfolio/check-live-accounts.ts';
import { idWithPair } from '../../../signer/exchanges/binance/replies.ts';
import type { Journal, JournalEntry } from '../exchange/journal.ts';
import type { Fill } from '../exchange/orders.ts';

export interface Findings {
  /** Client ids with more than one order, and decisions of which more than one order took effect. */
  doubled: string[];
  /** Orders of ours at the exchange that we have lost track of, or take for something else. */
  orphaned: string[];
  /** Fills that are not booked to their order, once. */
  lost: string[];
  /** Agents that sold or offered more than they owned. */
  oversold: string[];
  /** Coins of which our ledger and the exchange's balance differ. */
  differences: string[];
  /** Dust that was left to the person and was not all that the agent owned, or was on sale. */
  dustWrong: string[];
  /** What our own nightly check finds wrong. */
  problems: string[];
}

export function isWrong(findings: Findings): boolean {
  const { doubled, orphaned, lost, oversold, differences, dustWrong, problems } = findings;
  return [doubled, orphaned, lost, oversold, differences, dustWrong, problems].some(
    (list) => list.length > 0,
  );
}

/** An id of the exchange as our side has it: Binance counts by pair, so the pair stands before it. */
export const ourNameOf = (exchange: LiveExchange, symbol: string, id: string): string =>
  exchange === 'binance' ? idWithPair(symbol.replace('/', ''), id) : id;

export interface Case {
  db: Db;
  journal: Journal;
  account: string;
  connection: Pick<ConnectionRow, 'id' | 'accountId' | 'exchange'>;
  /** The client order ids that were made for one and the same decision, by decision. */
  decisions: ReadonlyMap<string, readonly string[]>;
}

type OrderRow = typeof liveOrders.$inferSelect;
type WriteOffRow = typeof liveWriteOffs.$inferSelect;

export async function judge(one: Case): Promise<Findings> {
  const { db, journal, connection } = one;
  const rows = await db.select().from(liveOrders).where(eq(liveOrders.connectionId, connection.id));
  const ours = new Map(rows.map((row) => [row.clientOrderId, row]));
  const givenUp = await db
    .select()
    .from(liveWriteOffs)
    .where(eq(liveWriteOffs.connectionId, connection.id))
    // Of one moment a write-off comes before the dust that it left.
    .orderBy(asc(liveWriteOffs.bookedAt), desc(liveWriteOffs.cause));
  const problems: string[] = [];
  await checkLiveAccount(db, connection.accountId, (text) => problems.push(text));
  return {
    doubled: doubledIn(one),
    orphaned: orphanedIn(one, ours),
    lost: await lostIn(one),
    oversold: [...oversoldIn(journal.entries, ours, givenUp)],
    differences: await differencesIn(one),
    dustWrong: await dustWrongIn(one, ours, givenUp),
    problems,
  };
}

function doubledIn({ journal, decisions }: Case): string[] {
  const effective = new Set(journal.of('fill').flatMap(({ fill }) => fill.clientOrderId ?? []));
  const twice = [...decisions]
    .map(([id, orders]) => ({ id, took: orders.filter((order) => effective.has(order)) }))
    .filter(({ took }) => took.length > 1);
  return [...journal.doubledIds(), ...twice.map(({ id, took }) => `${id}: ${took.join(' ')}`)];
}

function orphanedIn({ journal, connection }: Case, ours: ReadonlyMap<string, OrderRow>): string[] {
  const found: string[] = [];
  for (const { accepted, end, filled } of journal.orders({ by: 'api' })) {
    const row = ours.get(accepted.clientOrderId ?? '');
    const name = `${accepted.symbol} ${accepted.side} ${accepted.clientOrderId ?? 'without id'}`;
    if (row === undefined) {
      found.push(`${name} is not known`);
      continue;
    }
    const { order } = toStored(row, []);
    const id = ourNameOf(connection.exchange, accepted.symbol, accepted.orderId);
    if (order.exchangeOrderId !== null && order.exchangeOrderId !== id)
      found.push(`${name} is taken for ${order.exchangeOrderId}`);
    if (hasEnded(order) !== (end !== null))
      found.push(`${name} is ${order.state} and ${end?.end ?? 'open'} at the exchange`);
    if (order.booked !== filled) found.push(`${name} has filled ${formatFixed(filled)}`);
  }
  const known = new Set(
    journal.orders({ by: 'api' }).map(({ accepted }) => accepted.clientOrderId),
  );
  for (const [id, row] of ours)
    if (!known.has(id) && !hasEnded(toStored(row, []).order))
      found.push(`${id} is ${row.state} and not at the exchange`);
  return found;
}

async function lostIn({ db, journal, account, connection }: Case): Promise<string[]> {
  const rows = await db.select().from(venueFills).where(eq(venueFills.connectionId, connection.id));
  const left = new Map(rows.map((row) => [row.tradeId, row]));
  // What the person traded before the first balances were read may be in the opening balances.
  const [marks] = await db
    .select({ openedAtMs: liveMarks.openedAtMs })
    .from(liveMarks)
    .where(eq(liveMarks.connectionId, connection.id));
  const openedAtMs = marks?.openedAtMs ?? 0;
  const found: string[] = [];
  for (const fill of journal.fillsOf({ account })) {
    const id = ourNameOf(connection.exchange, fill.symbol, fill.id);
    const row = left.get(id);
    left.delete(id);
    const owner = fill.by === 'api' ? fill.clientOrderId : null;
    if (row === undefined) {
      if (fill.by !== 'hand' || fill.atMs >= openedAtMs) found.push(`${fill.id} is not booked`);
    } else if (row.clientOrderId !== owner)
      found.push(`${fill.id} is booked to ${row.clientOrderId ?? 'the person'}`);
    else if (parseFixed(row.quantity) !== fill.quantity)
      found.push(`${fill.id} is ${row.quantity}`);
  }
  for (const id of left.keys()) found.push(`${id} is no fill of the exchange`);
  return found;
}

/** What a fill changes of what its agent owns: the fee counts where it is taken from the coin. */
export function ownChange(fill: Fill): Fixed {
  const fee = fill.feeCoin === fill.symbol.split('/')[0] ? fill.fee : ZERO;
  return fill.side === 'buy'
    ? subtract(fill.quantity, fee)
    : subtract(subtract(ZERO, fill.quantity), fee);
}

/**
 * At every moment: an agent owns what it has sold, and what its open sales may still sell. What it
 * has written off is its own no more.
 */
function oversoldIn(
  entries: readonly JournalEntry[],
  ours: ReadonlyMap<string, OrderRow>,
  givenUp: readonly WriteOffRow[],
): Set<string> {
  const left = [...givenUp];
  const owned = new Map<string, Fixed>();
  const selling = new Map<string, { key: string; left: Fixed }>();
  const found = new Set<string>();
  const keyOf = (clientOrderId: string | null, symbol: string): string | null => {
    const row = ours.get(clientOrderId ?? '');
    return row === undefined ? null : `${row.agentId} ${symbol}`;
  };
  const check = (key: string, atMs: number): void => {
    let offered = ZERO;
    for (const one of selling.values()) if (one.key === key) offered = add(offered, one.left);
    const has = owned.get(key) ?? ZERO;
    if (has < offered)
      found.add(`${key} owns ${formatFixed(has)}, offers ${formatFixed(offered)} at ${atMs}`);
  };
  for (const entry of entries) {
    for (let next = left[0]; next !== undefined && next.bookedAt < entry.atMs; next = left[0]) {
      left.shift();
      const key = `${next.agentId} ${next.symbol}`;
      owned.set(key, subtract(owned.get(key) ?? ZERO, parseFixed(next.quantity)));
      check(key, next.bookedAt);
    }
    if (entry.kind === 'accepted' && entry.by === 'api' && entry.side === 'sell') {
      const key = keyOf(entry.clientOrderId, entry.symbol);
      if (key === null) continue;
      selling.set(entry.orderId, { key, left: entry.quantity });
      check(key, entry.atMs);
    } else if (entry.kind === 'fill' && entry.fill.by === 'api') {
      const { fill } = entry;
      const key = keyOf(fill.clientOrderId, fill.symbol);
      if (key === null) continue;
      owned.set(key, add(owned.get(key) ?? ZERO, ownChange(fill)));
      const sale = selling.get(fill.orderId);
      if (sale !== undefined) sale.left = subtract(sale.left, fill.quantity);
      check(key, entry.atMs);
    } else if (entry.kind === 'ended') selling.delete(entry.orderId);
  }
  return found;
}

/** More than any least order of an exchange is worth, in its currency. */
const DUST_MOST = parseFixed('25');

/**
 * Dust was all that its agent owned by the trades that were booked before it, it was little, and none
 * of the agent's sales was open at the exchange.
 */
async function dustWrongIn(
  { db, journal, connection }: Case,
  ours: ReadonlyMap<string, OrderRow>,
  givenUp: readonly WriteOffRow[],
): Promise<string[]> {
  const rows = await db.select().from(venueFills).where(eq(venueFills.connectionId, connection.id));
  const numbers = new Map(rows.map(({ tradeId, number }) => [tradeId, number]));
  const found: string[] = [];
  for (const [place, dust] of givenUp.entries()) {
    if (dust.cause !== 'dust_left') continue;
    const { agentId, symbol, afterTrade, bookedAt, quantity } = dust;
    const isOfIts = (id: string | null, pair: string): boolean =>
      pair === symbol && ours.get(id ?? '')?.agentId === agentId;
    const trades = journal
      .fillsOf({ by: 'api' })
      .filter((fill) => isOfIts(fill.clientOrderId, fill.symbol))
      .filter(({ id }) => {
        const number = numbers.get(ourNameOf(connection.exchange, symbol, id));
        return number !== undefined && number <= afterTrade;
      });
    let owned = ZERO;
    for (const fill of trades) owned = add(owned, ownChange(fill));
    for (const one of givenUp.slice(0, place))
      if (one.agentId === agentId && one.symbol === symbol)
        owned = subtract(owned, parseFixed(one.quantity));
    const isOnSale = journal
      .orders({ by: 'api' })
      .some(
        ({ accepted, end }) =>
          accepted.side === 'sell' &&
          isOfIts(accepted.clientOrderId, accepted.symbol) &&
          accepted.atMs < bookedAt &&
          (end === null || end.atMs > bookedAt),
      );
    const worth = multiply(owned, trades.at(-1)?.price ?? ZERO, 'up');
    if (owned !== parseFixed(quantity) || isOnSale || worth > DUST_MOST)
      found.push(
        `${quantity} ${symbol} of ${agentId} at ${bookedAt}: owned ${formatFixed(owned)}` +
          `${isOnSale ? ', on sale' : ''}`,
      );
  }
  return found;
}

async function differencesIn({ db, journal, account, connection }: Case): Promise<string[]> {
  const { all } = await ownedBy(db, connection.accountId);
  const real = journal.balancesOf(account);
  return [...new Set([...all.keys(), ...real.keys()])].flatMap((coin) => {
    const [is, due] = [all.get(coin) ?? ZERO, real.get(coin) ?? ZERO];
    return is === due ? [] : [`${coin}: ${formatFixed(is)}, at the exchange ${formatFixed(due)}`];
  });
}

/** Whether everything is known: no outcome is out, and only stops rest. */
export async function isSettled(one: Case): Promise<boolean> {
  const rows = await one.db
    .select()
    .from(liveOrders)
    .where(eq(liveOrders.connectionId, one.connection.id));
  const ours = new Map(rows.map((row) => [row.clientOrderId, row]));
  return (
    rows.every(
      (row) =>
        hasEnded(toStored(row, []).order) ||
        (row.state === 'open' && row.type === 'stop' && row.cancel === null),
    ) &&
    orphanedIn(one, ours).length === 0 &&
    (await differencesIn(one)).length === 0
  );
}
