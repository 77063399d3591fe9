/** Coinbase's private calls: orders, fills, balances, and what the key may do and where. */
import type { ApiKey } from '../accounts.ts';
import type { Answer, CallName } from '../calls.ts';
import { placesText } from '../decimal-text.ts';
import type { Floor, Turn } from '../dialect.ts';
import type { RejectReason, StandInOrder } from '../orders.ts';
import { findProduct, isoTime, productId } from './coinbase-market.ts';
import { REJECTIONS, fillRow, orderRow, readIntent, type OrderRequest } from './coinbase-orders.ts';
import { coinbaseError } from './coinbase-signature.ts';

const ok = (body: unknown): Answer => ({ status: 200, body });
const NEEDS_TRADE: readonly CallName[] = ['place', 'cancel'];
const NOT_FOUND = 'order with this orderID was not found';
const LARGEST_PAGE = 1_000;

export function answerAccount(floor: Floor, turn: Turn, key: ApiKey): Answer {
  const { call } = turn;
  const { permissions } = key;
  if (NEEDS_TRADE.includes(call) ? !permissions.trade : !permissions.read)
    return coinbaseError(403, 'PERMISSION_DENIED', 'Missing required scopes');
  return ANSWERS[call]?.(floor, turn, key) ?? coinbaseError(404, 'NOT_FOUND', 'Not found');
}

const ANSWERS: Partial<Record<CallName, (floor: Floor, turn: Turn, key: ApiKey) => Answer>> = {
  place,
  cancel,
  order: (floor, { asked }, key) => oneOrder(floor, key, asked.path.split('/').at(-1) ?? ''),
  'open-orders': (floor, { asked }, key) => batch(floor, key, asked.query),
  'closed-orders': (floor, { asked }, key) => batch(floor, key, asked.query),
  trades: (floor, { asked }, key) => fills(floor, key, asked.query),
  balances: (floor, { asked }, key) =>
    ok(asked.path.startsWith('/v2/') ? oldAccounts(floor, key) : accounts(floor, key)),
  permissions: (floor, _turn, key) => ok(keyPermissions(floor, key)),
  'fee-tier': () =>
    ok({
      total_volume: 0,
      total_fees: 0,
      fee_tier: {
        pricing_tier: 'Advanced 1',
        taker_fee_rate: '0.006',
        maker_fee_rate: '0.004',
      },
      advanced_trade_only_volume: 0,
      advanced_trade_only_fees: 0,
    }),
};

const userIdOf = (floor: Floor, key: ApiKey): string =>
  floor.accounts.get(key.account).subAccountId;

function rejected(request: OrderRequest, reason: RejectReason): Answer {
  const { error, preview, message } = REJECTIONS[reason];
  return ok({
    success: false,
    failure_reason: 'UNKNOWN_FAILURE_REASON',
    order_id: '',
    error_response: {
      error,
      message,
      error_details: '',
      preview_failure_reason: preview,
      new_order_failure_reason: error,
    },
    order_configuration: request.order_configuration ?? null,
  });
}

function place(floor: Floor, turn: Turn, key: ApiKey): Answer {
  const request = JSON.parse(turn.asked.body) as OrderRequest;
  const portfolio = request.retail_portfolio_id;
  if (portfolio !== undefined && portfolio !== userIdOf(floor, key))
    return coinbaseError(403, 'PERMISSION_DENIED', 'The key is not for this portfolio');
  const product = findProduct(floor, request.product_id ?? null);
  // An id that is known is answered with its order, whatever else the request says.
  if (product === null && floor.core.named(key.account, request.client_order_id ?? null) === null)
    return rejected(request, 'unknown-symbol');
  const intent = readIntent(request, product?.symbol ?? '');
  if ('bad' in intent) return rejected(request, intent.bad);
  const placed = floor.core.place(key.account, intent, {
    by: 'api',
    request: turn.asked.number,
    arrivedMs: turn.arrivedMs,
  });
  if (placed.kind === 'rejected') return rejected(request, placed.reason);
  const { order } = placed;
  const [base = '', quote = ''] = order.symbol.split('/');
  return ok({
    success: true,
    failure_reason: 'UNKNOWN_FAILURE_REASON',
    order_id: order.id,
    success_response: {
      order_id: order.id,
      product_id: productId({ base, quote }),
      side: order.side.toUpperCase(),
      client_order_id: order.clientOrderId ?? '',
    },
    order_configuration: request.order_configuration ?? null,
  });
}

function cancel(floor: Floor, turn: Turn, key: ApiKey): Answer {
  const { order_ids = [] } = JSON.parse(turn.asked.body) as { order_ids?: string[] };
  const results = order_ids.map((id) => {
    const isShown = floor.shownById(key.account, id) !== null;
    if (isShown) floor.beforeCancel(key.account, id);
    const success =
      isShown && floor.core.cancel(key.account, id, 'api', 'User requested').kind === 'cancelled';
    const failure_reason = success ? 'UNKNOWN_CANCEL_FAILURE_REASON' : 'UNKNOWN_CANCEL_ORDER';
    return { success, failure_reason, order_id: id };
  });
  return ok({ results });
}

function oneOrder(floor: Floor, key: ApiKey, id: string): Answer {
  const order = floor.shownById(key.account, id);
  return order === null
    ? coinbaseError(404, 'NOT_FOUND', NOT_FOUND)
    : ok({ order: orderRow(order, userIdOf(floor, key)) });
}

const STATES: Record<string, StandInOrder['state']> = {
  OPEN: 'open',
  FILLED: 'filled',
  CANCELLED: 'cancelled',
  EXPIRED: 'expired',
};

function batch(floor: Floor, key: ApiKey, query: URLSearchParams): Answer {
  const wanted = query.getAll('order_status').map((status) => STATES[status]);
  const found = floor
    .shownOrders(key.account)
    .filter(
      (order) =>
        (wanted.length === 0 || wanted.includes(order.state)) &&
        isWithin(order.placedAtMs, query.get('start_date'), query.get('end_date')) &&
        isOf(order.symbol, query),
    )
    .sort((a, b) => b.number - a.number);
  const { rows, cursor, more } = page(found, query);
  return ok({
    orders: rows.map((order) => orderRow(order, userIdOf(floor, key))),
    sequence: '0',
    has_next: more,
    cursor,
  });
}

function fills(floor: Floor, key: ApiKey, query: URLSearchParams): Answer {
  const orderIds = [...query.getAll('order_id'), ...query.getAll('order_ids')];
  const [start, end] = [query.get('start_sequence_timestamp'), query.get('end_sequence_timestamp')];
  const found = floor
    .shownFills(key.account)
    .filter(
      (fill) =>
        (orderIds.length === 0 || orderIds.includes(fill.orderId)) &&
        isWithin(fill.atMs, start, end) &&
        isOf(fill.symbol, query),
    )
    .reverse();
  const { rows, cursor } = page(found, query);
  return ok({
    fills: rows.map((fill) =>
      fillRow(fill, floor.core.orders.get(fill.orderId)?.spend ?? null, userIdOf(floor, key)),
    ),
    cursor,
  });
}

function isOf(symbol: string, query: URLSearchParams): boolean {
  const wanted = [...query.getAll('product_id'), ...query.getAll('product_ids')];
  return wanted.length === 0 || wanted.includes(symbol.replace('/', '-'));
}

function isWithin(atMs: number, start: string | null, end: string | null): boolean {
  if (start !== null && atMs < Date.parse(start)) return false;
  return end === null || atMs < Date.parse(end);
}

/** A cursor is how many rows were already read. */
function page<T>(list: T[], query: URLSearchParams): { rows: T[]; cursor: string; more: boolean } {
  const from = Number(query.get('cursor') ?? '0');
  const size = Math.min(LARGEST_PAGE, Number(query.get('limit') ?? '100'));
  const more = from + size < list.length;
  return { rows: list.slice(from, from + size), cursor: more ? String(from + size) : '', more };
}

function accounts(floor: Floor, key: ApiKey): Record<string, unknown> {
  const account = floor.accounts.get(key.account);
  const rows = account.coins.map((coin) => ({
    uuid: accountUuid(coin, account.subAccountId),
    name: `${coin} Wallet`,
    currency: coin,
    available_balance: { value: placesText(account.free(coin), 16), currency: coin },
    default: true,
    active: true,
    created_at: '2023-01-04T06:20:06.456Z',
    updated_at: isoTime(floor.clock.now()),
    deleted_at: null,
    type: coin === 'USD' ? 'ACCOUNT_TYPE_FIAT' : 'ACCOUNT_TYPE_CRYPTO',
    ready: true,
    hold: { value: placesText(account.held(coin), 16), currency: coin },
    retail_portfolio_id: account.subAccountId,
    platform: 'ACCOUNT_PLATFORM_CONSUMER',
  }));
  return { accounts: rows, has_next: false, cursor: '', size: rows.length };
}

/** The second version of the API: totals only, nothing of what open orders hold. */
function oldAccounts(floor: Floor, key: ApiKey): Record<string, unknown> {
  const account = floor.accounts.get(key.account);
  const data = account.coins.map((coin) => {
    const id = accountUuid(coin, account.subAccountId);
    const isFiat = coin === 'USD';
    return {
      id,
      name: `${coin} Wallet`,
      primary: true,
      type: isFiat ? 'fiat' : 'wallet',
      balance: { amount: placesText(account.total(coin), 12), currency: coin },
      created_at: '2023-08-28T23:49:17Z',
      updated_at: isoTime(floor.clock.now()).replace(/\.\d+Z/, 'Z'),
      resource: 'account',
      resource_path: `/v2/accounts/${id}`,
      currency: {
        asset_id: `asset-${coin}`,
        code: coin,
        color: '#000000',
        exponent: isFiat ? 2 : 8,
        name: coin,
        slug: coin.toLowerCase(),
        type: isFiat ? 'fiat' : 'crypto',
        rewards: null,
      },
      allow_deposits: true,
      allow_withdrawals: true,
    };
  });
  return {
    pagination: {
      ending_before: null,
      starting_after: null,
      previous_ending_before: null,
      next_starting_after: null,
      limit: 250,
      order: 'desc',
      previous_uri: null,
      next_uri: null,
    },
    data,
  };
}

function accountUuid(coin: string, portfolio: string): string {
  const hex = Buffer.from(`${coin}${portfolio}`).toString('hex').padEnd(32, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

function keyPermissions(floor: Floor, key: ApiKey): Record<string, unknown> {
  const { read, trade, transfer, withdraw } = key.permissions;
  return {
    can_view: read,
    can_trade: trade,
    // One right covers both at Coinbase.
    can_transfer: transfer || withdraw,
    portfolio_uuid: userIdOf(floor, key),
    portfolio_type: 'DEFAULT',
    can_receive: false,
  };
}
