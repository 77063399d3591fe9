/** Binance's orders and trades: how they are asked for, how they are rejected, and their rows. */
import { ZERO, parseFixed, type Fixed } from '../../../../contract/money.ts';
import type { Answer } from '../calls.ts';
import { placesText } from '../decimal-text.ts';
import type { Instrument } from '../instruments.ts';
import type { Fill, OrderIntent, OrderType, RejectReason, StandInOrder } from '../orders.ts';
import { INVALID_SYMBOL, pairId } from './binance-market.ts';
import { binanceError } from './binance-signature.ts';

const TYPES: Record<string, OrderType> = {
  MARKET: 'market',
  LIMIT: 'limit',
  LIMIT_MAKER: 'limit',
  STOP_LOSS: 'stop',
  STOP_LOSS_LIMIT: 'stop-limit',
};
const NAMES: Record<OrderType, string> = {
  market: 'MARKET',
  limit: 'LIMIT',
  stop: 'STOP_LOSS',
  'stop-limit': 'STOP_LOSS_LIMIT',
};
const CLIENT_ID = /^[a-zA-Z0-9-_]{1,36}$/;

const REJECTIONS: Record<RejectReason, [code: number, msg: string]> = {
  'unknown-symbol': [-1121, 'Invalid symbol.'],
  'market-closed': [-1013, 'Market is closed.'],
  'bad-arguments': [-1102, 'A mandatory parameter was not sent, was empty/null, or malformed.'],
  'bad-client-id': [
    -1100,
    "Illegal characters found in parameter 'newClientOrderId'; legal range is '^[a-zA-Z0-9-_]{1,36}$'.",
  ],
  'bad-step': [-1013, 'Filter failure: LOT_SIZE'],
  'bad-tick': [-1013, 'Filter failure: PRICE_FILTER'],
  'below-min-quantity': [-1013, 'Filter failure: LOT_SIZE'],
  'below-min-notional': [-1013, 'Filter failure: NOTIONAL'],
  'insufficient-funds': [-2010, 'Account has insufficient balance for requested action.'],
  'duplicate-client-id': [-2010, 'Duplicate order sent.'],
  'would-cross': [-2010, 'Order would immediately match and take.'],
  'stop-would-trigger': [-2010, 'Stop price would trigger immediately.'],
  'no-liquidity': [-1013, 'Market is closed.'],
  'bad-deadline': [-1102, 'A mandatory parameter was not sent, was empty/null, or malformed.'],
  'deadline-passed': [-1021, 'Timestamp for this request is outside of the recvWindow.'],
};

export function rejection(reason: RejectReason): Answer {
  if (reason === 'unknown-symbol') return INVALID_SYMBOL;
  const [code, msg] = REJECTIONS[reason];
  return binanceError(code, msg);
}

const decimal = (text: string | null): Fixed | null => (text === null ? null : parseFixed(text));

export function readIntent(
  params: URLSearchParams,
  instrument: Instrument,
  unnamed: () => string,
): OrderIntent | { bad: RejectReason } {
  const name = params.get('type') ?? '';
  const type = TYPES[name];
  const side = params.get('side')?.toLowerCase();
  if (type === undefined || (side !== 'buy' && side !== 'sell')) return { bad: 'bad-arguments' };
  const clientOrderId = params.get('newClientOrderId') ?? unnamed();
  if (!CLIENT_ID.test(clientOrderId)) return { bad: 'bad-client-id' };
  const inForce = (params.get('timeInForce') ?? 'GTC').toLowerCase();
  try {
    return {
      clientOrderId,
      symbol: instrument.symbol,
      side,
      type,
      quantity: decimal(params.get('quantity')),
      spend: decimal(params.get('quoteOrderQty')),
      limit: decimal(params.get('price')),
      stop: decimal(params.get('stopPrice')),
      timeInForce: inForce === 'ioc' || inForce === 'fok' ? inForce : 'gtc',
      expiresAtMs: null,
      postOnly: name === 'LIMIT_MAKER',
      deadlineMs: null,
      feeCoin: null,
    };
  } catch {
    return { bad: 'bad-arguments' };
  }
}

const eight = (value: Fixed | null): string => placesText(value ?? ZERO, 8);

export function statusOf(order: StandInOrder): string {
  if (order.state === 'open') return order.filled > ZERO ? 'PARTIALLY_FILLED' : 'NEW';
  return { filled: 'FILLED', cancelled: 'CANCELED', expired: 'EXPIRED' }[order.state];
}

/** What every row of an order has. */
function base(order: StandInOrder, instrument: Instrument): Record<string, unknown> {
  return {
    symbol: pairId(instrument),
    orderId: Number(order.id),
    orderListId: -1,
    clientOrderId: order.clientOrderId ?? '',
    price: eight(order.limit),
    origQty: eight(order.quantity),
    executedQty: eight(order.filled),
    origQuoteOrderQty: eight(order.spend),
    cummulativeQuoteQty: eight(order.cost),
    status: statusOf(order),
    timeInForce: order.timeInForce === 'gtd' ? 'GTC' : order.timeInForce.toUpperCase(),
    type: order.postOnly ? 'LIMIT_MAKER' : NAMES[order.type],
    side: order.side.toUpperCase(),
  };
}

export const orderTypeName = (order: StandInOrder): string =>
  order.postOnly ? 'LIMIT_MAKER' : NAMES[order.type];

/** The row that a look-up or a list answers. */
export function orderRow(order: StandInOrder, instrument: Instrument): Record<string, unknown> {
  return {
    ...base(order, instrument),
    stopPrice: eight(order.stop),
    icebergQty: eight(null),
    time: Math.floor(order.placedAtMs),
    updateTime: Math.floor(order.changedAtMs),
    isWorking: !order.waiting,
    workingTime: order.waiting ? -1 : Math.floor(order.placedAtMs),
    selfTradePreventionMode: 'EXPIRE_MAKER',
  };
}

/** The answer to a placing, as long as `newOrderRespType` asks. */
export function placedRow(
  order: StandInOrder,
  instrument: Instrument,
  detail: string,
): Record<string, unknown> {
  const { symbol, orderId, orderListId, clientOrderId, ...rest } = base(order, instrument);
  const short = {
    symbol,
    orderId,
    orderListId,
    clientOrderId,
    transactTime: Math.floor(order.changedAtMs),
  };
  if (detail === 'ACK') return short;
  const result = {
    ...short,
    ...rest,
    ...(order.stop === null ? {} : { stopPrice: eight(order.stop) }),
    workingTime: order.waiting ? -1 : Math.floor(order.placedAtMs),
  };
  const selfTradePreventionMode = 'EXPIRE_MAKER';
  if (detail === 'RESULT') return { ...result, selfTradePreventionMode };
  const fills = order.fills.map((fill) => ({
    price: eight(fill.price),
    qty: eight(fill.quantity),
    commission: eight(fill.fee),
    commissionAsset: fill.feeCoin,
    tradeId: Number(fill.id),
  }));
  return { ...result, fills, selfTradePreventionMode };
}

export function cancelledRow(
  order: StandInOrder,
  instrument: Instrument,
  cancelId: string,
): Record<string, unknown> {
  return {
    ...base(order, instrument),
    origClientOrderId: order.clientOrderId ?? '',
    clientOrderId: cancelId,
    transactTime: Math.floor(order.changedAtMs),
    selfTradePreventionMode: 'EXPIRE_MAKER',
  };
}

export function tradeRow(fill: Fill, instrument: Instrument): Record<string, unknown> {
  return {
    symbol: pairId(instrument),
    id: Number(fill.id),
    orderId: Number(fill.orderId),
    orderListId: -1,
    price: eight(fill.price),
    qty: eight(fill.quantity),
    quoteQty: eight(fill.cost),
    commission: eight(fill.fee),
    commissionAsset: fill.feeCoin,
    time: Math.floor(fill.atMs),
    isBuyer: fill.side === 'buy',
    isMaker: fill.maker,
    isBestMatch: true,
  };
}
