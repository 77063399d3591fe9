/**
 * Exchange accounts in words: states, orders, alarms and movements. `current` is false where what is
 * told may be out of date.
 */
import type { ExternalMovementWire, WriteOffWire } from '../../../contract/live.ts';
import {
  GIVE_UP_UNREAD_AFTER_MS,
  type LiveAlarmWire,
  type LiveConnection,
  type LiveOrderWire,
} from '../../../contract/live-state.ts';
import type { KeyFault } from '../../../contract/signer.ts';
import type * as z from 'zod/mini';
import { exchangeName } from '../../format/exchange-names.ts';
import { formatExact, formatPrice } from '../../format/numbers.ts';
import { formatAgo, formatSpan, formatUntil } from '../../format/ages.ts';
import { withoutStop } from '../../stores/agent-stops.ts';
import { reasonText } from '../agents/reason-text.ts';

export const nameOf = ({ exchange }: Pick<LiveConnection, 'exchange'>): string =>
  exchangeName(exchange);

/** An account is often named as its exchange is. */
export const fullNameOf = (connection: Pick<LiveConnection, 'exchange' | 'label'>): string =>
  connection.label === nameOf(connection)
    ? connection.label
    : `${nameOf(connection)}, ${connection.label}`;

/** What has still to be read before an order may leave. */
const WAITS: Readonly<Record<string, string>> = {
  not_reconciled: 'the account has not been compared yet',
  open_orders_unread: 'open orders have not been read',
  closed_orders_unread: 'ended orders have not been read',
  trades_unread: 'trades have not been read',
  balances_unread: 'balances have not been read',
};
const words = (code: string): string => code.replaceAll('_', ' ');

/** What is wrong with a key, as a sentence goes on. */
const KEY_FAULT: Readonly<Record<KeyFault, string>> = {
  can_withdraw: 'can withdraw money',
  can_transfer: 'can move money to other accounts',
  cannot_trade: 'cannot trade',
  cannot_read: 'cannot read the account',
  invalid_key: 'is not accepted any more',
  other_portfolio: 'belongs to another portfolio than before',
  other_account: 'belongs to another account than before',
  account_unproven: 'may belong to another account than before',
};
const isKeyFault = (fault: string): fault is KeyFault => Object.hasOwn(KEY_FAULT, fault);

function keyText(faults: readonly string[], missing: readonly string[] = []): string {
  const what = faults.map((fault) => (isKeyFault(fault) ? KEY_FAULT[fault] : words(fault)));
  const without =
    missing.length === 0 ? '' : `, without ${missing.map((name) => `“${name}”`).join(', ')}`;
  return `the key ${what.join(' and ')}${without}`;
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** Positions of the account; null where they are not known. */
type Stops = readonly { stopPrice: string | null }[] | null;

export const keepsStops = (positions: Stops): boolean =>
  positions !== null && positions.length > 0 && withoutStop(positions) === 0;

/**
 * What goes on while nothing is bought. Stop losses only where every open position has one: the end
 * of live trading takes them all.
 */
export const activeText = (positions: Stops): string =>
  keepsStops(positions) ? 'Sales and stop losses stay active.' : 'Sales stay active.';

/** The same with what has none. */
function goesOn(positions: Stops): string {
  const bare = positions === null ? 0 : withoutStop(positions);
  return bare === 0
    ? activeText(positions)
    : `${activeText(positions)} Open positions without a stop loss: ${bare}.`;
}

/** With a right too many it still sells; with one too few, that is for the exchange to say. */
const stillSells = (faults: readonly string[]): boolean =>
  faults.every((fault) => fault === 'can_withdraw' || fault === 'can_transfer');

function faultyKeyText(connection: LiveConnection, current: boolean, positions: Stops): string {
  const { keyFaults = [], permissions, waitsFor } = connection;
  const fault = keyText(keyFaults, permissions?.missing);
  const change = `Replace it here, or change it at ${nameOf(connection)}: it is read again within ten minutes.`;
  if (waitsFor.length > 0) return `${sentence(fault)} ${change}`;
  if (!current) return `Connected when last seen. Nothing was bought: ${fault}.`;
  const sales = stillSells(keyFaults) ? goesOn(positions) : 'Sales are still tried.';
  return `Connected. Nothing is bought: ${fault}. ${change} ${sales}`;
}

/** The state of a connection in one sentence. `positions`: what agents hold there. */
export function connectionText(
  connection: LiveConnection,
  current = true,
  positions: Stops = null,
): string {
  const { state, waitsFor, entriesOffSince, keyFaults = [] } = connection;
  if (state === 'ended') return 'Ended. The key is deleted and nothing is traded.';
  if (state === 'connecting')
    return `Connecting to ${nameOf(connection)}${current ? '' : ' when last seen'}.`;
  if (waitsFor.length > 0) {
    const waits = waitsFor.map((code) => WAITS[code] ?? words(code)).join(', ');
    const text = current
      ? `No order leaves now: ${waits}`
      : `No order left when last seen: ${waits.replaceAll(/\bha(?:s|ve) not\b/g, 'had not')}`;
    const why =
      current && keyFaults.length > 0
        ? faultyKeyText(connection, current, positions)
        : `Tradewind keeps reading ${nameOf(connection)}.`;
    return `${text}. ${why}`;
  }
  if (keyFaults.length > 0) return faultyKeyText(connection, current, positions);
  const on = goesOn(positions);
  const then = `${on.charAt(0).toLowerCase()}${on.slice(1)}`;
  if (!current)
    return `Connected when last seen.${entriesOffSince === null ? '' : ` Purchases were off; ${then}`}`;
  return entriesOffSince === null
    ? 'Connected. Orders may go out.'
    : `Connected. Purchases are off; ${then}`;
}

/** When the account last agreed with the exchange. */
export function comparedText(connection: LiveConnection, now: number): string {
  const { reconciledAt } = connection;
  return reconciledAt === null
    ? `Not compared with ${nameOf(connection)} yet`
    : `Compared with ${nameOf(connection)} ${formatAgo(Math.max(0, now - reconciledAt))}`;
}

const STATE: Readonly<Record<LiveOrderWire['state'], string>> = {
  planned: 'Planned, not sent yet',
  sending: 'Sent, no answer yet',
  unknown: 'Outcome unknown',
  open: 'Open',
  filled: 'Filled',
  cancelled: 'Cancelled',
  rejected: 'Rejected',
  expired: 'Never took effect',
};

const LIVE_STATES: readonly LiveOrderWire['state'][] = ['planned', 'sending', 'unknown', 'open'];
export const hasEnded = ({ state }: Pick<LiveOrderWire, 'state'>): boolean =>
  !LIVE_STATES.includes(state);

/** "Buy 0.01 BTC", "Stop: sell 0.01 BTC at 58,000". */
export function orderTitle(
  order: Pick<LiveOrderWire, 'side' | 'type' | 'quantity' | 'symbol' | 'stopPrice'>,
): string {
  const base = order.symbol.split('/')[0] ?? order.symbol;
  const act = `${order.side === 'buy' ? 'buy' : 'sell'} ${formatExact(order.quantity)} ${base}`;
  if (order.type !== 'stop') return `${act.charAt(0).toUpperCase()}${act.slice(1)}`;
  return `Stop: ${act} below ${formatPrice(order.stopPrice)}`;
}

/** What the exchange has confirmed of an order, and no more. */
export function orderState(order: LiveOrderWire, current = true): string {
  const base = order.symbol.split('/')[0] ?? order.symbol;
  const part =
    order.filled === '0' || order.state === 'filled'
      ? ''
      : `, ${formatExact(order.filled)} of ${formatExact(order.quantity)} ${base} filled`;
  const open =
    order.state === 'open' && order.type === 'stop'
      ? 'Resting at the exchange'
      : STATE[order.state];
  const then = current || hasEnded(order) ? '' : ' when last seen';
  const cancelling = order.isCancelling && !hasEnded(order) ? ', cancellation asked' : '';
  const code = order.code === null || order.state === 'open' ? '' : ` (${order.code})`;
  return `${open}${then}${part}${cancelling}${code}`;
}

/** Why it was ordered. */
export const orderReason = ({ reason }: Pick<LiveOrderWire, 'reason'>): string =>
  reasonText(reason);

const CAUSE: Readonly<Record<string, string>> = {
  timeout: 'the exchange did not answer in time',
  connection: 'the connection broke off',
  server_error: 'the exchange had an error',
  unreadable: 'the answer could not be read',
  interrupted: 'the server stopped while the order was on its way',
  vanished: 'the exchange no longer lists the order',
};
const causeText = (cause: string): string =>
  CAUSE[cause] ??
  (cause.startsWith('unlisted:') ? `the exchange answered “${cause.slice(9)}”` : words(cause));

export interface Doubt {
  since: string;
  doing: string;
  /** What the person can do. */
  you: string;
  mayGiveUp: boolean;
}

/** An order whose outcome is not known: since when, what is being done, what the person can do. */
export function doubtText(
  order: LiveOrderWire,
  exchange: string,
  now: number,
  current = true,
): Doubt | null {
  const { doubt } = order;
  if (doubt === null) return null;
  const mayGiveUp = now >= doubt.mayGiveUpAt;
  const [is, keeps, stay, takes] = current
    ? ['is', 'keeps', 'stay', 'takes']
    : ['was', 'was', 'were', 'took'];
  const doing = {
    looking_up: `Tradewind ${is} asking ${exchange} for it.`,
    proving_absence: `Tradewind ${is} searching all lists of ${exchange} for it.`,
    ask_person: `Tradewind ${keeps} searching all lists of ${exchange}. It could not tell so far.`,
  }[doubt.doing];
  const reserved = `${formatExact(order.reserved)} ${order.reservedAsset} ${stay} reserved and ${order.symbol} ${takes} no new purchases.`;
  const since = current ? `for ${formatSpan(Math.max(0, now - doubt.since))}` : 'when last seen';
  return {
    since: `Outcome unknown ${since}: ${causeText(doubt.cause)}.`,
    doing: `${doing} It is never sent again until that is clear. ${reserved}`,
    you: mayGiveUp
      ? `Look at your orders and trades at ${exchange}. If it is not there, give it up here. If it turns up after all, it is booked.`
      : `You need not do anything. You can look at your orders at ${exchange}; ${formatUntil(doubt.mayGiveUpAt - now)} you can give it up here.`,
    mayGiveUp,
  };
}

/**
 * An order that cannot be read because the exchange refuses the key, and what the person can do; null
 * where it can be read, or has ended.
 */
export function unreadText(
  order: Pick<LiveOrderWire, 'state'>,
  connection: Pick<LiveConnection, 'exchange' | 'ordersUnreadSince'>,
  now: number,
): { what: string; you: string; mayGiveUp: boolean } | null {
  const { ordersUnreadSince: since = null } = connection;
  if (since === null || (order.state !== 'open' && order.state !== 'unknown')) return null;
  const exchange = nameOf(connection);
  const mayGiveUpAt = since + GIVE_UP_UNREAD_AFTER_MS;
  const mayGiveUp = now >= mayGiveUpAt;
  return {
    what: `${exchange} refuses the key, so Tradewind can neither read nor cancel this order.`,
    you: mayGiveUp
      ? `Replace the key to go on, or give the order up here. It may still rest at ${exchange}: cancel it there yourself.`
      : `Replace the key to go on. ${sentence(`${formatUntil(mayGiveUpAt - now)} you can give the order up here`)}`,
    mayGiveUp,
  };
}

const ALARM: Readonly<Record<string, string>> = {
  unknown_for_minutes: 'The outcome of an order has been unknown for five minutes',
  cancelled_at_exchange: 'An order of Tradewind’s was cancelled at the exchange',
  sent_without_record: 'The exchange has an order that was not recorded as sent',
  found_after_end: 'An order turned up after it had ended',
  two_orders: 'Two orders at the exchange carry one id',
  differs: 'An order at the exchange differs from what was sent',
  overfilled: 'More was filled than was ordered',
  fill_after_end: 'A trade came after its order had ended',
  fills_missing: 'Trades of an ended order are missing',
  rejected_though_known: 'The exchange rejected an order that it has',
  orphan: 'An order with an id of Tradewind’s kind is not known here',
  coins_missing: 'The account has less of a coin than agents hold',
  oversold: 'More was sold than an agent held',
  stop_rejected: 'The exchange turned a stop loss down; Tradewind watches the price instead',
  too_small_to_sell:
    'The price has reached a stop loss, and what is held is worth too little for an order; Tradewind sells it when the price allows, at the stop loss or below',
  sale_refused:
    'A sale could not be sent, and no stop loss rests at the exchange; Tradewind tries again every ten seconds',
  pair_delisted: 'The exchange no longer lists a pair that agents hold; nothing can be sold there',
  sale_waits_for_pair:
    'The exchange takes no orders for this pair now; the sale follows when it does',
  unreachable: 'The exchange cannot be reached',
  key_refused: 'The exchange no longer accepts the key',
  live_ended: 'Live trading was ended',
  daily_loss: 'The daily loss limit was reached',
};

const NO_PAIR_RULES =
  'The exchange does not say how its pairs are traded, and nothing can be bought or sold until it does; Tradewind watches the price where no stop loss rests there';

/** What guards a position until its sale, where the exchange takes no orders for the pair. */
const waitingSale = (hasStop: boolean): string =>
  hasStop
    ? 'The exchange takes no orders for this pair now; the stop loss there stays, and the sale follows when orders are taken again'
    : 'The exchange takes no orders for this pair now, and no stop loss rests there; Tradewind keeps trying, and sells when orders are taken again';

/** What guards meanwhile, and who turned it down; all are absent in alarms of an older server. */
function refusedSale(hasStop: unknown, isPart: unknown, isRejected: unknown): string {
  if (isRejected === true)
    return isPart === true
      ? 'The exchange turned a sale of a part down several times, and no stop loss guards that part; Tradewind keeps trying'
      : 'The exchange turned a sale down several times, and no stop loss rests there; Tradewind keeps trying';
  const again = 'Tradewind tries again every ten seconds';
  if (hasStop === true)
    return `A sale could not be sent, and the limit of the stop loss at the exchange is above the market; ${again}`;
  return isPart === true
    ? `A sale of a part could not be sent, and no stop loss guards that part; ${again}`
    : (ALARM.sale_refused ?? '');
}

/** `faults`: absent in alarms of an older server. */
function refusedKey(faults: unknown): string {
  const list = Array.isArray(faults) ? faults.filter((fault) => typeof fault === 'string') : [];
  return list.length === 0 || list.includes('invalid_key')
    ? (ALARM.key_refused ?? '')
    : `Nothing is bought: ${keyText(list)}`;
}

const Detail = (detail: unknown): Record<string, unknown> =>
  typeof detail === 'object' && detail !== null ? (detail as Record<string, unknown>) : {};

/** An alarm as a title, and what it is about. */
export function alarmText({ kind, detail }: LiveAlarmWire): { title: string; about: string } {
  const { symbol, side, quantity, asset, amount, hasStop, isPart, isRejected, faults, what } =
    Detail(detail);
  const parts = [
    typeof side === 'string' ? (side === 'buy' ? 'Buy' : 'Sell') : '',
    typeof quantity === 'string' ? formatExact(quantity) : '',
    typeof symbol === 'string' ? symbol : '',
    typeof amount === 'string' ? formatExact(amount) : '',
    typeof asset === 'string' ? asset : '',
  ].filter((part) => part !== '');
  const own = (): string | null => {
    if (kind === 'sale_waits_for_pair' && typeof hasStop === 'boolean') return waitingSale(hasStop);
    if (kind === 'sale_refused') return refusedSale(hasStop, isPart, isRejected);
    if (kind === 'unreachable' && what === 'pair_rules') return NO_PAIR_RULES;
    return kind === 'key_refused' ? refusedKey(faults) : null;
  };
  const title = own() ?? ALARM[kind] ?? words(kind);
  return { title: `${title.charAt(0).toUpperCase()}${title.slice(1)}`, about: parts.join(' ') };
}

type Movement = z.infer<typeof ExternalMovementWire>;

const KIND: Readonly<Record<Movement['kind'], string>> = {
  opening: 'There when connected',
  deposit: 'Deposit',
  withdrawal: 'Withdrawal',
  hand_trade: 'Trade by hand',
  hand_trade_undone: 'Trade by hand, taken back: it was an order of Tradewind’s',
};

export function movementText({ kind, asset, amount, trade }: Movement): {
  kind: string;
  what: string;
} {
  const what =
    trade === null
      ? `${formatExact(amount)} ${asset ?? ''}`.trim()
      : `${trade.side === 'buy' ? 'Bought' : 'Sold'} ${formatExact(trade.quantity)} ${trade.symbol.split('/')[0] ?? ''} at ${formatPrice(trade.price)}`;
  return { kind: KIND[kind], what };
}

/** What an agent gave up. Dust is still at the exchange, and no agent's any more. */
export const writeOffText = (
  { symbol, quantity, why }: WriteOffWire,
  exchange: string,
): { kind: string; what: string } => ({
  kind:
    why === 'dust'
      ? `Too little to sell. It is yours at ${exchange}.`
      : 'Written off by an agent, at cost',
  what: `${formatExact(quantity)} ${symbol.split('/')[0] ?? ''}`.trim(),
});
