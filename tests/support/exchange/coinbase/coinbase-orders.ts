/** Coinbase's orders and fills: how they are asked for, how they are rejected, and their rows. */
import {
  ZERO,
  add,
  divide,
  formatFixed,
  multiply,
  parseFixed,
  subtract,
  type Fixed,
} from '../../../../contract/money.ts';
import { placesText, rounded } from '../decimal-text.ts';
import type { Fill, OrderIntent, OrderType, RejectReason, StandInOrder } from '../orders.ts';
import { isoTime, productId } from './coinbase-market.ts';

interface Sizes {
  base_size?: string;
  quote_size?: string;
  limit_price?: string;
  stop_price?: string;
  post_only?: boolean;
  end_time?: string;
}

export interface OrderRequest {
  client_order_id?: string;
  product_id?: string;
  side?: string;
  order_configuration?: Record<string, Sizes>;
  retail_portfolio_id?: string;
}

const SHAPES: Record<string, [type: OrderType, timeInForce: OrderIntent['timeInForce']]> = {
  market_market_ioc: ['market', 'ioc'],
  limit_limit_gtc: ['limit', 'gtc'],
  limit_limit_gtd: ['limit', 'gtd'],
  limit_limit_fok: ['limit', 'fok'],
  sor_limit_ioc: ['limit', 'ioc'],
  stop_limit_stop_limit_gtc: ['stop-limit', 'gtc'],
  stop_limit_stop_limit_gtd: ['stop-limit', 'gtd'],
};

interface Refusal {
  error: string;
  preview: string;
  message: string;
}
const refusal = (error: string, preview: string, message: string): Refusal => ({
  error,
  preview,
  message,
});

const INVALID = 'INVALID_ARGUMENT';
export const REJECTIONS: Record<RejectReason, Refusal> = {
  'unknown-symbol': refusal('INVALID_PRODUCT_ID', 'PREVIEW_INVALID_PRODUCT_ID', 'Invalid product'),
  'market-closed': refusal('ORDER_ENTRY_DISABLED', 'UNKNOWN_PREVIEW_FAILURE_REASON', 'Cancel only'),
  'bad-arguments': refusal(INVALID, 'PREVIEW_INVALID_ORDER_CONFIG', 'Invalid order configuration'),
  'bad-client-id': refusal(
    INVALID,
    'UNKNOWN_PREVIEW_FAILURE_REASON',
    'client_order_id is required',
  ),
  'bad-step': refusal('INVALID_SIZE_PRECISION', 'PREVIEW_INVALID_SIZE_PRECISION', 'Size precision'),
  'bad-tick': refusal(
    'INVALID_PRICE_PRECISION',
    'PREVIEW_INVALID_PRICE_PRECISION',
    'Price precision',
  ),
  'below-min-quantity': refusal(
    'UNKNOWN_FAILURE_REASON',
    'PREVIEW_INVALID_BASE_SIZE_TOO_SMALL',
    'Order size is below the minimum',
  ),
  'below-min-notional': refusal(
    'UNKNOWN_FAILURE_REASON',
    'PREVIEW_INVALID_QUOTE_SIZE_TOO_SMALL',
    'Order value is below the minimum',
  ),
  'insufficient-funds': refusal(
    'INSUFFICIENT_FUND',
    'PREVIEW_INSUFFICIENT_FUND',
    'Insufficient balance in source account',
  ),
  'duplicate-client-id': refusal(INVALID, 'UNKNOWN_PREVIEW_FAILURE_REASON', 'Duplicate order'),
  'would-cross': refusal(
    'INVALID_LIMIT_PRICE_POST_ONLY',
    'PREVIEW_INVALID_LIMIT_PRICE_POST_ONLY',
    'Post only order would match',
  ),
  'stop-would-trigger': refusal(
    'UNKNOWN_FAILURE_REASON',
    'PREVIEW_STOP_PRICE_ABOVE_LAST_TRADE_PRICE',
    'Stop price would trigger at once',
  ),
  'no-liquidity': refusal('INVALID_NO_LIQUIDITY', 'PREVIEW_INVALID_NO_LIQUIDITY', 'No liquidity'),
  'bad-deadline': refusal(INVALID, 'UNKNOWN_PREVIEW_FAILURE_REASON', 'Invalid end time'),
  'deadline-passed': refusal(INVALID, 'UNKNOWN_PREVIEW_FAILURE_REASON', 'Invalid end time'),
};

const decimal = (text: string | undefined): Fixed | null =>
  text === undefined ? null : parseFixed(text);

export function readIntent(
  request: OrderRequest,
  symbol: string,
): OrderIntent | { bad: RejectReason } {
  const [shape = '', sizes = {}] = Object.entries(request.order_configuration ?? {})[0] ?? [];
  const [type, timeInForce] = SHAPES[shape] ?? [];
  const side = request.side?.toLowerCase();
  if (type === undefined || timeInForce === undefined) return { bad: 'bad-arguments' };
  if (side !== 'buy' && side !== 'sell') return { bad: 'bad-arguments' };
  if (request.client_order_id === undefined || request.client_order_id === '')
    return { bad: 'bad-client-id' };
  const expiresAtMs = sizes.end_time === undefined ? null : Date.parse(sizes.end_time);
  if (Number.isNaN(expiresAtMs)) return { bad: 'bad-deadline' };
  try {
    return {
      clientOrderId: request.client_order_id,
      symbol,
      side,
      type,
      quantity: decimal(sizes.base_size),
      spend: decimal(sizes.quote_size),
      limit: decimal(sizes.limit_price),
      stop: decimal(sizes.stop_price),
      timeInForce,
      expiresAtMs,
      postOnly: sizes.post_only ?? false,
      deadlineMs: null,
      feeCoin: null,
    };
  } catch {
    return { bad: 'bad-arguments' };
  }
}

const IN_FORCE: Record<OrderIntent['timeInForce'], string> = {
  gtc: 'GOOD_UNTIL_CANCELLED',
  gtd: 'GOOD_UNTIL_DATE_TIME',
  ioc: 'IMMEDIATE_OR_CANCEL',
  fok: 'FILL_OR_KILL',
};
const TYPE_NAMES: Record<OrderType, string> = {
  market: 'MARKET',
  limit: 'LIMIT',
  stop: 'STOP',
  'stop-limit': 'STOP_LIMIT',
};

export function statusOf({ state }: StandInOrder): string {
  return { open: 'OPEN', filled: 'FILLED', cancelled: 'CANCELLED', expired: 'EXPIRED' }[state];
}

function configuration(order: StandInOrder): Record<string, Sizes> {
  const base_size = formatFixed(order.quantity);
  const limit_price = formatFixed(order.limit ?? ZERO);
  const end_time = order.expiresAtMs === null ? {} : { end_time: isoTime(order.expiresAtMs) };
  if (order.type === 'market')
    return {
      market_market_ioc:
        order.spend === null ? { base_size } : { quote_size: formatFixed(order.spend) },
    };
  const suffix = order.expiresAtMs === null ? 'gtc' : 'gtd';
  if (order.type === 'stop-limit')
    return {
      [`stop_limit_stop_limit_${suffix}`]: {
        base_size,
        limit_price,
        stop_price: formatFixed(order.stop ?? ZERO),
        ...{ stop_direction: `STOP_DIRECTION_STOP_${order.side === 'sell' ? 'DOWN' : 'UP'}` },
        ...end_time,
      },
    };
  if (order.timeInForce === 'ioc') return { sor_limit_ioc: { base_size, limit_price } };
  if (order.timeInForce === 'fok') return { limit_limit_fok: { base_size, limit_price } };
  const post_only = order.postOnly;
  return { [`limit_limit_${suffix}`]: { base_size, limit_price, ...end_time, post_only } };
}

const feesOf = (order: StandInOrder): Fixed =>
  [...order.fees.values()].reduce((sum, fee) => add(sum, fee), ZERO);

export const averageOf = (order: StandInOrder): Fixed =>
  order.filled === ZERO ? ZERO : divide(order.cost, order.filled, 'half-even');

export function totals(order: StandInOrder): { fees: Fixed; after: Fixed; percent: Fixed } {
  const fees = feesOf(order);
  const after = order.side === 'buy' ? add(order.cost, fees) : subtract(order.cost, fees);
  const share = divide(order.filled, order.quantity, 'down');
  return {
    fees,
    after: order.filled === ZERO ? ZERO : after,
    percent: rounded(multiply(share, parseFixed('100'), 'down'), 2),
  };
}

export function orderRow(order: StandInOrder, userId: string): Record<string, unknown> {
  const { fees, after, percent } = totals(order);
  const [base = '', quote = ''] = order.symbol.split('/');
  const last = order.fills.at(-1);
  return {
    order_id: order.id,
    product_id: productId({ base, quote }),
    user_id: userId,
    order_configuration: configuration(order),
    side: order.side.toUpperCase(),
    client_order_id: order.clientOrderId ?? '',
    status: statusOf(order),
    time_in_force: IN_FORCE[order.timeInForce],
    created_time: isoTime(order.placedAtMs),
    completion_percentage: formatFixed(percent),
    filled_size: fineText(order.filled, order.spend),
    average_filled_price: formatFixed(averageOf(order)),
    fee: '',
    number_of_fills: String(order.fills.length),
    filled_value: formatFixed(order.cost),
    pending_cancel: false,
    size_in_quote: order.spend !== null,
    total_fees: formatFixed(fees),
    size_inclusive_of_fees: order.spend !== null,
    total_value_after_fees: formatFixed(after),
    trigger_status: triggerStatus(order),
    order_type: TYPE_NAMES[order.type],
    reject_reason: 'REJECT_REASON_UNSPECIFIED',
    settled: order.state === 'filled',
    product_type: 'SPOT',
    reject_message: '',
    cancel_message: order.state === 'cancelled' ? (order.reason ?? '') : '',
    order_placement_source: 'RETAIL_ADVANCED',
    outstanding_hold_amount: formatFixed(order.hold.amount),
    is_liquidation: false,
    last_fill_time: last === undefined ? null : isoTime(last.atMs),
    edit_history: [],
    leverage: '',
    margin_type: 'UNKNOWN_MARGIN_TYPE',
  };
}

function triggerStatus({ stop, waiting }: StandInOrder): string {
  if (stop === null) return 'INVALID_ORDER_TYPE';
  return waiting ? 'STOP_PENDING' : 'STOP_TRIGGERED';
}

/** Of a purchase by an amount of money Coinbase writes more decimals than anybody keeps. */
const fineText = (value: Fixed, spend: Fixed | null): string =>
  spend === null ? formatFixed(value) : `${placesText(value, 12)}3996`;

/** `spend`: what its order stated to spend, if it did. */
export function fillRow(fill: Fill, spend: Fixed | null, userId: string): Record<string, unknown> {
  const [base = '', quote = ''] = fill.symbol.split('/');
  return {
    entry_id: Buffer.from(fill.id.padEnd(32, '0')).toString('hex').slice(0, 64),
    trade_id: fill.id,
    order_id: fill.orderId,
    trade_time: isoTime(fill.atMs),
    trade_type: 'FILL',
    price: formatFixed(fill.price),
    // Who stated what to spend is told what was spent.
    size: spend === null ? formatFixed(fill.quantity) : fineText(fill.cost, spend),
    commission: formatFixed(fill.fee),
    product_id: productId({ base, quote }),
    sequence_timestamp: isoTime(fill.atMs),
    liquidity_indicator: fill.maker ? 'MAKER' : 'TAKER',
    size_in_quote: spend !== null,
    user_id: userId,
    side: fill.side.toUpperCase(),
  };
}
