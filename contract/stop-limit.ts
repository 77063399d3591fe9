/** Stops that turn into limit orders at their exchange, as signer, server and page know them. */
import { basisPoints, parseFixed, subtract, type Fixed } from './money.ts';
import type { LiveExchange } from './signer.ts';

/** How far below the stop its limit lies, in basis points. Other exchanges' stops sell at market. */
const STOP_ROOM_BPS: Partial<Record<LiveExchange, Fixed>> = { coinbase: parseFixed('500') };

/** Null where a stop becomes a market order. */
export const stopRoomBps = (exchange: LiveExchange): Fixed | null =>
  STOP_ROOM_BPS[exchange] ?? null;

/** The limit of a stop, before it is put on the tick. */
export const limitOfStop = (stopPrice: Fixed, roomBps: Fixed): Fixed =>
  subtract(stopPrice, basisPoints(stopPrice, roomBps, 'down'));
