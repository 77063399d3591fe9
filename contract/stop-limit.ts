/** Stops that turn into limit orders at their exchange, as signer, server and page know them. */
import {
  basisPoints,
  ceilToStep,
  divide,
  maximum,
  minimum,
  parseFixed,
  subtract,
  type Fixed,
} from './money.ts';
import type { LiveExchange } from './signer.ts';
import type { PairRules } from './venue.ts';

/**
 * How far below the stop its limit lies, in basis points. A stop guards also while the server is
 * down, so it goes as far as a sale at market in a collapse does, and no further: whoever has stolen
 * the server could empty the book below it. Those at Coinbase have had theirs from the beginning.
 */
const STOP_ROOM_BPS: Record<LiveExchange, Fixed> = {
  kraken: parseFixed('1000'),
  coinbase: parseFixed('500'),
  binance: parseFixed('1000'),
};

export const stopRoomBps = (exchange: LiveExchange): Fixed => STOP_ROOM_BPS[exchange];

/** The limit of a stop, before it is put on the tick. */
export const limitOfStop = (stopPrice: Fixed, roomBps: Fixed): Fixed =>
  subtract(stopPrice, basisPoints(stopPrice, roomBps, 'down'));

/**
 * The limit of a stop that the signer places, on the tick. An order is worth its quantity at its
 * limit: one of little worth goes no lower than the exchange takes.
 */
export function leastOfStop(
  quantity: Fixed,
  stopPrice: Fixed,
  roomBps: Fixed,
  rules: Pick<PairRules, 'priceTick' | 'minNotional'> | null,
): Fixed {
  const limit = limitOfStop(stopPrice, roomBps);
  if (rules === null) return limit;
  const { priceTick, minNotional } = rules;
  const valid = divide(minNotional, quantity, 'up');
  return minimum(stopPrice, ceilToStep(maximum(limit, valid), priceTick));
}
