/**
 * Whether a key reaches the account at the exchange that its connection trades: judged by orders
 * that were sent from here, under the ids that the exchange gave them. Nobody else's account has
 * these, whatever a stolen server or a person's second account may show.
 */
import type { KeyFault } from '../contract/signer.ts';
import { ReadFailed, type Adapter } from './exchanges/adapter.ts';
import type { Connection, SentOrder } from './ledger.ts';

/** Besides the oldest one that was filled: an exchange may have put some away. */
const NEWEST = 3;

async function shows(
  adapter: Adapter,
  { intent, sentAtMs }: SentOrder,
  exchangeOrderId: string,
): Promise<'yes' | 'no' | 'unknown'> {
  const { symbol, side } = intent;
  const ref = { clientOrderId: null, exchangeOrderId, symbol, sinceMs: sentAtMs };
  const lookup = await adapter.lookUp(ref);
  if (lookup.kind === 'unknown') return 'unknown';
  if (lookup.kind !== 'found') return 'no';
  const { order } = lookup;
  const isIt =
    order.exchangeOrderId === exchangeOrderId && order.symbol === symbol && order.side === side;
  return isIt ? 'yes' : 'no';
}

/** The oldest that was filled, by the id with which the exchange confirmed it. */
const oldestFilled = ({ orders }: Connection): SentOrder | null =>
  [...orders.values()].find(
    ({ outcome, filled }) => outcome?.kind === 'confirmed' && filled > 0n,
  ) ?? null;

/**
 * A thief of the server could have connected a key of their own, whose account has none of the
 * coins. So a key that took the place of another one must show the first order that was filled.
 */
export async function isSameAccount(adapter: Adapter, connection: Connection): Promise<boolean> {
  const { keys } = connection;
  if (keys <= 1) return true;
  const order = oldestFilled(connection);
  if (order?.outcome?.kind !== 'confirmed') return false;
  const answer = await shows(adapter, order, order.outcome.exchangeOrderId);
  // Meanwhile yet another key may have come.
  return answer === 'yes' && keys === connection.keys;
}

/**
 * Why a new key does not take the place of the one that is kept; null where it is of the same
 * account. A portfolio that is pinned was compared with the key's rights.
 * @throws ReadFailed where the exchange could not say.
 */
export async function accountFault(
  adapter: Adapter,
  connection: Connection,
): Promise<Extract<KeyFault, 'other_account' | 'account_unproven'> | null> {
  if (connection.portfolioId !== null) return null;
  const known = [...connection.orders.values()].filter((one) => one.exchangeOrderId !== null);
  const first = oldestFilled(connection);
  const asked = new Set([...(first === null ? [] : [first]), ...known.slice(-NEWEST).reverse()]);
  if (asked.size === 0) return 'account_unproven';
  let isUnknown = false;
  for (const order of asked) {
    const answer = await shows(adapter, order, order.exchangeOrderId ?? '');
    if (answer === 'yes') return null;
    isUnknown ||= answer === 'unknown';
  }
  if (isUnknown) throw new ReadFailed('unreadable');
  return 'other_account';
}
