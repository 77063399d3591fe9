/**
 * Coins that the person sold or took out by hand stop counting as held, and their cost as money in
 * the market. Only what the exchange itself shows to be gone: a stolen server would else make room
 * for more purchases than the limits allow.
 */
import { add, multiply, subtract, sum, ZERO, type Fixed } from '../contract/money.ts';
import type { OrderRef, SignerReply } from '../contract/signer.ts';
import type { AuditLog } from './audit-log.ts';
import { lossToday } from './day-loss.ts';
import type { Adapter } from './exchanges/adapter.ts';
import type { Journal } from './journal.ts';
import { costOf, remaining, sellable, type Connection, type SentOrder } from './ledger.ts';
import type { Refused } from './limits.ts';
import type { MarketView } from './market-view.ts';
import { isSameAccount } from './same-account.ts';

export interface WritingOff {
  journal: Journal;
  audit: AuditLog;
  now: () => number;
  market: MarketView;
  adapter: Adapter;
  /** Asks the exchange for an order, and takes what it says into the ledger. */
  lookUp: (order: OrderRef) => Promise<SignerReply<'look_up'>>;
}

export interface WriteOff {
  writeOffId: string;
  symbol: string;
  quantity: Fixed;
  /** Nothing is written down. */
  isAsked: boolean;
}

/** A balance may lag behind a fill by so much. */
const LAG_MS = 3 * 60_000;

const baseOf = (symbol: string): string => symbol.split('/')[0] ?? '';

const ordersOf = (connection: Connection, coin: string): SentOrder[] =>
  [...connection.orders.values()].filter(({ intent }) => baseOf(intent.symbol) === coin);

/** It may still take or bring coins, as far as is known here. */
const isUnsettled = (order: SentOrder): boolean => !order.ended || remaining(order) > 0n;

/**
 * A stop that rests moves nothing until it fills, and of what it has filled every trade is known. One
 * whose placing got no answer has the exchange's id once it was shown.
 */
const isResting = ({ intent, exchangeOrderId, ended, filled, booked }: SentOrder): boolean =>
  intent.type === 'stop' && exchangeOrderId !== null && !ended && filled <= booked;

/**
 * Whether the exchange says of each order that may have moved coins what it did. One that it does not
 * tell of may have sold what seems to be missing.
 */
async function areAllSeen(
  { lookUp }: WritingOff,
  connection: Connection,
  coin: string,
): Promise<boolean> {
  for (const order of ordersOf(connection, coin).filter(isUnsettled)) {
    const { kind } = await lookUp({
      clientOrderId: order.intent.clientOrderId,
      exchangeOrderId: order.exchangeOrderId,
      symbol: order.intent.symbol,
      sinceMs: order.sentAtMs,
    });
    // What was confirmed once exists.
    const isTold = kind === 'found' || (kind === 'not_found' && order.exchangeOrderId === null);
    if (!isTold) return false;
  }
  return true;
}

/** Whether an order of ours may explain what is missing, as far as is known at this moment. */
function unexplained({ now }: WritingOff, connection: Connection, coin: string): Refused | null {
  const out = ordersOf(connection, coin).find((order) => isUnsettled(order) && !isResting(order));
  if (out !== undefined) return { code: 'busy', detail: 'an order of this coin has not ended' };
  for (const [symbol, atMs] of connection.boughtAtMs)
    if (baseOf(symbol) === coin && Math.abs(now() - atMs) < LAG_MS)
      return { code: 'busy', detail: 'the coin was bought a moment ago' };
  return null;
}

/** How much more of the coin was bought through here than the account has. */
function lacking(connection: Connection, coin: string, total: Fixed): Fixed {
  const held = [...connection.positions].filter(([symbol]) => baseOf(symbol) === coin);
  return subtract(sum(held.map(([, { quantity }]) => quantity)), total);
}

/** `ReadFailed` and `NotSent` pass through: without the exchange's word nothing is written off. */
export async function writeOff(
  parts: WritingOff,
  connection: Connection,
  { writeOffId, symbol, quantity, isAsked }: WriteOff,
): Promise<Refused | null> {
  if (connection.writeOffsSeen.has(writeOffId)) return null;
  if (quantity <= ZERO) return { code: 'not_held', detail: 'nothing is to be written off' };
  const { journal, audit, now, market, adapter } = parts;
  const coin = baseOf(symbol);
  const { keys } = connection;
  const sent = ordersOf(connection, coin).length;
  const balances = await adapter.balances();
  if (!(await isSameAccount(adapter, connection)))
    return { code: 'other_account', detail: 'the key shows no order that was filled before it' };
  const total = balances.find(({ asset }) => asset === coin)?.total ?? ZERO;
  if (!(await areAllSeen(parts, connection, coin)))
    return { code: 'busy', detail: 'an order of this coin could not be looked up' };
  // Already here, so that a day's beginning is read only where something may be written off.
  const before = unexplained(parts, connection, coin);
  if (before !== null) return before;
  // The day begins, or what it began without joins it: its loss stays what it is.
  await lossToday(parts, connection, market);
  const { marks } = await market.marksOf([symbol]);
  // From here to the end nothing else runs: two of them write off what is missing once.
  if (connection.writeOffsSeen.has(writeOffId)) return null;
  // The balance knows nothing of what was sent since, or of another account.
  if (ordersOf(connection, coin).length !== sent || connection.keys !== keys)
    return { code: 'busy', detail: 'an order of this coin was sent meanwhile' };
  const meanwhile = unexplained(parts, connection, coin);
  if (meanwhile !== null) return meanwhile;
  if (quantity > lacking(connection, coin, total))
    return { code: 'not_missing', detail: 'the account has more of this coin' };
  if (quantity > sellable(connection, symbol))
    return { code: 'busy', detail: 'an order may still sell these coins' };
  if (isAsked) return null;
  const position = connection.positions.get(symbol) ?? { quantity: ZERO, cost: ZERO };
  const mark = marks.get(symbol);
  const worth = mark === undefined ? ZERO : multiply(quantity, mark, 'down');
  const unrealised = add(worth, subtract(ZERO, costOf(position, quantity)));
  const { connectionId } = connection;
  const record = { connectionId, writeOffId, symbol, quantity, unrealised };
  journal.write({ kind: 'written_off', atMs: now(), ...record });
  audit.write('server', 'coins written off', { connectionId, writeOffId, symbol }, true);
  return null;
}
