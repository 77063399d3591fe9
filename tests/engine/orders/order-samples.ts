/** Orders, words of the exchange and fills for the tests of the order lifecycle. */
import { parseFixed } from '../../../contract/money.ts';
import type { Fixed } from '../../../contract/money.ts';
import type { PairRules, VenueFill, VenueOrder } from '../../../contract/venue.ts';
import { orderPolicy, planOrder } from '../../../engine/orders/live-order.ts';
import type { LiveOrder, OrderIntent, OrderPolicy } from '../../../engine/orders/live-order.ts';
import { reservationFor } from '../../../engine/orders/reservation.ts';

export const money = (text: string): Fixed => parseFixed(text);
export const ID = '0123456789abcdef0123456789abcdef';
export const VENUE_ID = 'OABC-1';
export const SENT_MS = 1_000;
export const DEADLINE_MS = 31_000;

export const POLICY: OrderPolicy = orderPolicy({ replaysIds: false });
export const REPLAYING: OrderPolicy = orderPolicy({ replaysIds: true });

export const RULES: PairRules = {
  symbol: 'BTC/USD',
  quantityStep: money('0.0001'),
  priceTick: money('0.01'),
  minQuantity: money('0.0001'),
  minNotional: money('1'),
  status: 'trading',
};

/** A buy of 2 BTC at no more than 100 USD, with a fee of 0.1 % at worst. */
export function intent(over: Partial<OrderIntent> = {}): OrderIntent {
  const terms = { symbol: 'BTC/USD', side: 'buy' as const, quantity: money('2'), ...over };
  return {
    clientOrderId: ID,
    connectionId: 'connection',
    accountId: 'account',
    agentId: 'agent',
    type: 'limit',
    limitPrice: money('100'),
    stopPrice: null,
    deadlineMs: DEADLINE_MS,
    cause: 'decision',
    reservation: reservationFor({
      ...terms,
      worstPrice: money('100'),
      worstFeeBps: money('10'),
      feeFromBase: false,
    }),
    ...terms,
  };
}

export const planned = (over: Partial<OrderIntent> = {}): LiveOrder => planOrder(intent(over));

export function shown(over: Partial<VenueOrder> = {}): VenueOrder {
  return {
    exchangeOrderId: VENUE_ID,
    clientOrderId: ID,
    symbol: 'BTC/USD',
    side: 'buy',
    type: 'limit',
    quantity: money('2'),
    limitPrice: money('100'),
    stopPrice: null,
    filled: money('0'),
    status: 'open',
    updatedAtMs: 2_000,
    ...over,
  };
}

/** Half of the order, at 99 with a fee of 0.1 % in quote currency. */
export function fillOf(tradeId: string, over: Partial<VenueFill> = {}): VenueFill {
  return {
    tradeId,
    exchangeOrderId: VENUE_ID,
    clientOrderId: null,
    symbol: 'BTC/USD',
    side: 'buy',
    quantity: money('1'),
    price: money('99'),
    quoteAmount: money('99'),
    fees: [{ asset: 'USD', amount: money('0.099') }],
    atMs: 3_000,
    ...over,
  };
}

export const SEARCHED = { byClientId: true, open: true, closed: true, trades: true };
