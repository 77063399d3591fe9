/** Where the stop loss of a position is: at the exchange, watched here, or nowhere. */
import type { LiveAccount } from '../../../../contract/live.ts';
import {
  basisPoints,
  divide,
  formatFixed,
  maximum,
  multiply,
  parseFixed,
  subtract,
  sum,
  ZERO,
  type Fixed,
} from '../../../../contract/money.ts';
import { limitOfStop, stopRoomBps } from '../../../../contract/stop-limit.ts';
import type { Position } from '../../../../contract/trading.ts';
import { formatExact, formatPrice } from '../../../format/numbers.ts';
import { hasEnded, nameOf } from '../live-text.ts';
import { baseOf } from '../sale-text.ts';

type Account = Pick<LiveAccount, 'orders' | 'connection' | 'exits' | 'missing'>;
type Orders = LiveAccount['orders'];

const ONE = parseFixed('1');
/** A step of a quantity is worth less in quote currency at any of the exchanges. */
const STEP_WORTH = parseFixed('2');
const LITTLE_BPS = parseFixed('10');
const MUCH_BPS = parseFixed('100');

/** Of the last digit that a text has: a price is on its tick, and has no finer digit. */
function lastDigit(text: string): Fixed {
  const places = text.split('.')[1]?.length ?? 0;
  return divide(ONE, parseFixed(`1${'0'.repeat(places)}`), 'up');
}

const openPart = ({ quantity, filled }: Orders[number]): Fixed =>
  maximum(ZERO, subtract(parseFixed(quantity), parseFixed(filled)));

/**
 * Whether a stop has the price of its position, which the server puts up to the tick. No pair's tick
 * is known here: it is told by the digits, and is never much of the price.
 */
function isAt(text: string, stop: Fixed): boolean {
  const above = subtract(parseFixed(text), stop);
  if (above < 0n) return false;
  return (
    above <= basisPoints(stop, LITTLE_BPS, 'down') ||
    (above < lastDigit(text) && above <= basisPoints(stop, MUCH_BPS, 'down'))
  );
}

/** Too little for a step of its quantity, as what is left of a purchase after fees in the coin. */
function isDust(rest: Fixed, resting: Orders, stop: Fixed): boolean {
  if (rest <= 0n) return true;
  const fits = resting.some(({ quantity }) => rest < lastDigit(quantity));
  return fits && multiply(rest, stop, 'up') < STEP_WORTH;
}

/** What the position's stop leaves free because it is being sold. */
function partOnSale({ pair, agentId, quantity }: Position, { orders, exits = [] }: Account): Fixed {
  const exit = exits.find((one) => one.symbol === pair && one.agentId === agentId);
  if (exit !== undefined && exit.quantity === null) return parseFixed(quantity);
  const sales = orders.filter(
    (order) =>
      !hasEnded(order) &&
      order.side === 'sell' &&
      order.type !== 'stop' &&
      order.symbol === pair &&
      order.agentId === agentId,
  );
  return maximum(parseFixed(exit?.quantity ?? '0'), sum(sales.map(openPart)));
}

/** `all`: as much rests as a stop can have; `missing`: of what the account has. */
function coverage(position: Position, resting: Orders, account: Account): 'all' | 'missing' | null {
  const stop = parseFixed(position.stopPrice ?? '0');
  const amount = sum(resting.map(openPart));
  const held = subtract(parseFixed(position.quantity), partOnSale(position, account));
  const lacking = subtract(held, amount);
  if (isDust(lacking, resting, stop)) return 'all';
  const gone = account.missing?.find(({ asset }) => asset === baseOf(position.pair));
  const rest = subtract(lacking, parseFixed(gone?.amount ?? '0'));
  return isDust(rest, resting, stop) ? 'missing' : null;
}

/**
 * What a stop does below its limit: as the exchange shows it, and before that as the signer sets it.
 * One from before stops had limits has none.
 */
function limitText(stop: string, resting: Orders, { exchange }: LiveAccount['connection']): string {
  const limits = resting.flatMap(({ limitPrice, stopPrice }) => {
    if (limitPrice === null) return [];
    const set = limitOfStop(parseFixed(stopPrice ?? stop), stopRoomBps(exchange));
    return [parseFixed(limitPrice ?? formatFixed(set))];
  });
  const [first, ...rest] = limits;
  if (first === undefined) return '';
  const limit = formatPrice(formatFixed(maximum(first, ...rest)));
  return `. It is a stop with a limit: below ${limit} Tradewind cancels it and sells at the price there is.`;
}

/** What rests at the exchange, with the amounts and prices it has there. */
function restingText(
  position: Position & { stopPrice: string },
  resting: Orders,
  account: Account,
  current: boolean,
): string {
  const exchange = nameOf(account.connection);
  const at = formatPrice(position.stopPrice);
  const prices = resting.map(({ stopPrice }) => stopPrice ?? position.stopPrice);
  const there = [...new Set(prices.map((price) => formatPrice(price)))].join(' and ');
  const amount = formatExact(formatFixed(sum(resting.map(openPart))));
  const some = `${amount} of ${formatExact(position.quantity)} ${baseOf(position.pair)}`;
  const covered = coverage(position, resting, account);
  if (covered === null)
    return current
      ? `${some} rests at ${exchange} at ${there}; the rest is watched by Tradewind at ${at}`
      : `When last seen, ${some} rested at ${exchange} at ${there}; the rest was watched by Tradewind at ${at}`;
  const then = current ? '' : ' when last seen';
  const [part, gone] =
    covered === 'all' ? ['', ''] : [` for ${some}`, '; the rest is missing from the account'];
  return prices.every((price) => isAt(price, parseFixed(position.stopPrice)))
    ? `Stop loss at ${there}, resting at ${exchange}${part}${then}${gone}`
    : `Stop loss at ${at}; at ${exchange} it still ${current ? 'rests' : 'rested'} at ${there}${part}${then}${gone}`;
}

export function stopText(position: Position, account: Account, current = true): string {
  const { orders, connection } = account;
  const { stopPrice } = position;
  // Without its key nothing is watched, whatever the stop was.
  if (connection.state === 'ended') return 'No stop loss';
  const then = current ? '' : ' when last seen';
  if (stopPrice === null) return `No stop loss${then}`;
  const resting = orders.filter(
    (order) =>
      order.type === 'stop' &&
      order.state === 'open' &&
      order.symbol === position.pair &&
      order.agentId === position.agentId &&
      openPart(order) > 0n,
  );
  if (resting.length === 0)
    return `Stop loss at ${formatPrice(stopPrice)}, watched by Tradewind${then}`;
  const text = restingText({ ...position, stopPrice }, resting, account, current);
  return `${text}${limitText(stopPrice, resting, connection)}`;
}
