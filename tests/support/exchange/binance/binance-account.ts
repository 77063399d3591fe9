/** Binance's private calls: orders, trades, balances and the restrictions of the key. */
import { ZERO } from '../../../../contract/money.ts';
import type { ApiKey } from '../accounts.ts';
import type { Answer, CallName } from '../calls.ts';
import { placesText } from '../decimal-text.ts';
import type { Floor, Turn } from '../dialect.ts';
import type { Instrument } from '../instruments.ts';
import type { StandInOrder } from '../orders.ts';
import { INVALID_SYMBOL, findPair } from './binance-market.ts';
import {
  cancelledRow,
  orderRow,
  placedRow,
  readIntent,
  rejection,
  tradeRow,
} from './binance-orders.ts';
import { binanceError, paramsOf } from './binance-signature.ts';

const ok = (body: unknown): Answer => ({ status: 200, body });
const NEEDS_TRADE: readonly CallName[] = ['place', 'cancel'];
const NOT_ALLOWED = binanceError(-2015, 'Invalid API-key, IP, or permissions for action.', 401);
const UNKNOWN_CANCEL = binanceError(-2011, 'Unknown order sent.');
const NO_ORDER = binanceError(-2013, 'Order does not exist.');
const PAGE = 500;

export function answerAccount(floor: Floor, turn: Turn, key: ApiKey): Answer {
  const { call } = turn;
  const params = paramsOf(turn.asked);
  if (NEEDS_TRADE.includes(call) ? !key.permissions.trade : !key.permissions.read)
    return NOT_ALLOWED;
  if (call === 'balances') return ok(accountRow(floor, key));
  if (call === 'permissions') return ok(restrictions(floor, key));
  if (call === 'coin-settings')
    return ok(turn.asked.path.includes('/margin/') ? [] : coinSettings(floor, key));
  const pair = findPair(floor, params.get('symbol'));
  if (call === 'open-orders' && params.get('symbol') === null)
    return ok(openOrders(floor, key.account, null));
  if (pair === null) return pairGone(floor, params.get('symbol')) ?? INVALID_SYMBOL;
  const unknown = binanceError(-1000, 'An unknown error occurred while processing the request.');
  return ANSWERS[call]?.({ floor, turn, key, params, pair }) ?? unknown;
}

interface Question {
  floor: Floor;
  turn: Turn;
  key: ApiKey;
  params: URLSearchParams;
  pair: Instrument;
}

/** The calls that are about one pair. */
const ANSWERS: Partial<Record<CallName, (question: Question) => Answer>> = {
  place: ({ floor, turn, key, params, pair }) => place(floor, turn, key, params, pair),
  cancel: ({ floor, key, params, pair }) => cancel(floor, key.account, params, pair),
  order: ({ floor, key, params, pair }) => {
    const order = named(floor, key.account, params);
    return order === null ? NO_ORDER : ok(orderRow(order, pair));
  },
  'open-orders': ({ floor, key, pair }) => ok(openOrders(floor, key.account, pair)),
  'closed-orders': ({ floor, key, params, pair }) =>
    ok(allOrders(floor, key.account, params, pair)),
  trades: ({ floor, key, params, pair }) => ok(trades(floor, key.account, params, pair)),
};

/** A delisted pair is not the same as one that never was, but it is answered in the same words. */
function pairGone(floor: Floor, id: string | null): Answer | null {
  return id === null && floor.instruments.size > 0
    ? binanceError(
        -1102,
        "Mandatory parameter 'symbol' was not sent, was empty/null, or malformed.",
      )
    : null;
}

function place(
  floor: Floor,
  turn: Turn,
  key: ApiKey,
  params: URLSearchParams,
  pair: Instrument,
): Answer {
  const unnamed = (): string => floor.ids.uuid().replaceAll('-', '').slice(0, 22);
  const intent = readIntent(params, pair, unnamed);
  if ('bad' in intent) return rejection(intent.bad);
  const placed = floor.core.place(key.account, intent, {
    by: 'api',
    request: turn.asked.number,
    arrivedMs: turn.arrivedMs,
  });
  if (placed.kind === 'rejected') return rejection(placed.reason);
  const usual = intent.type === 'market' || intent.type === 'limit' ? 'FULL' : 'ACK';
  return ok(placedRow(placed.order, pair, params.get('newOrderRespType') ?? usual));
}

/** By the exchange's id or by the client's, of which the newest order answers. */
function named(floor: Floor, account: string, params: URLSearchParams): StandInOrder | null {
  const [id, clientId] = [params.get('orderId'), params.get('origClientOrderId')];
  if (id !== null) return floor.shownById(account, id);
  return clientId === null ? null : floor.shownByClientId(account, clientId);
}

function cancel(floor: Floor, account: string, params: URLSearchParams, pair: Instrument): Answer {
  const order = named(floor, account, params);
  if (order === null) return UNKNOWN_CANCEL;
  floor.beforeCancel(account, order.id);
  const done = floor.core.cancel(account, order.id, 'api', 'User requested');
  if (done.kind === 'unknown') return UNKNOWN_CANCEL;
  const cancelId = params.get('newClientOrderId') ?? floor.ids.uuid().slice(0, 22);
  return ok(cancelledRow(order, pair, cancelId));
}

function openOrders(floor: Floor, account: string, pair: Instrument | null): unknown[] {
  return floor
    .shownOrders(account)
    .filter(({ state, symbol }) => state === 'open' && (pair === null || symbol === pair.symbol))
    .flatMap((order) => {
      const instrument = floor.instruments.get(order.symbol);
      return instrument === undefined ? [] : [orderRow(order, instrument)];
    });
}

function allOrders(
  floor: Floor,
  account: string,
  params: URLSearchParams,
  pair: Instrument,
): unknown[] {
  const from = Number(params.get('orderId') ?? '0');
  const [start, end] = range(params);
  return floor
    .shownOrders(account)
    .filter(
      ({ symbol, id, placedAtMs }) =>
        symbol === pair.symbol && Number(id) >= from && placedAtMs >= start && placedAtMs <= end,
    )
    .slice(-limitOf(params))
    .map((order) => orderRow(order, pair));
}

function trades(
  floor: Floor,
  account: string,
  params: URLSearchParams,
  pair: Instrument,
): unknown[] {
  const [start, end] = range(params);
  const [fromId, orderId] = [params.get('fromId'), params.get('orderId')];
  const found = floor
    .shownFills(account)
    .filter(
      (fill) =>
        fill.symbol === pair.symbol &&
        (orderId === null || fill.orderId === orderId) &&
        (fromId === null || Number(fill.id) >= Number(fromId)) &&
        fill.atMs >= start &&
        fill.atMs <= end,
    );
  // From an id or a time on, the oldest first; otherwise the newest there are.
  const isForward = fromId !== null || params.has('startTime');
  const page = isForward ? found.slice(0, limitOf(params)) : found.slice(-limitOf(params));
  return page.map((fill) => tradeRow(fill, pair));
}

const limitOf = (params: URLSearchParams): number =>
  Math.min(1_000, Number(params.get('limit') ?? PAGE));

const range = (params: URLSearchParams): [start: number, end: number] => [
  Number(params.get('startTime') ?? '0'),
  Number(params.get('endTime') ?? 'Infinity'),
];

function accountRow(floor: Floor, key: ApiKey): Record<string, unknown> {
  const account = floor.accounts.get(key.account);
  const { trade, withdraw } = key.permissions;
  return {
    makerCommission: 10,
    takerCommission: 10,
    buyerCommission: 0,
    sellerCommission: 0,
    commissionRates: {
      maker: '0.00100000',
      taker: '0.00100000',
      buyer: '0.00000000',
      seller: '0.00000000',
    },
    canTrade: trade,
    canWithdraw: withdraw,
    canDeposit: true,
    brokered: false,
    requireSelfTradePrevention: false,
    preventSor: false,
    updateTime: Math.floor(floor.clock.now()),
    accountType: 'SPOT',
    balances: account.coins.map((coin) => ({
      asset: coin,
      free: placesText(account.free(coin), 8),
      locked: placesText(account.held(coin), 8),
    })),
    permissions: ['SPOT'],
    uid: uidOf(account.subAccountId),
  };
}

/** A number that belongs to one sub-account: what tells a key of another one. */
function uidOf(subAccountId: string): number {
  return Number(BigInt(`0x${Buffer.from(subAccountId).toString('hex').slice(0, 12)}`) % 10n ** 9n);
}

function restrictions(floor: Floor, { permissions }: ApiKey): Record<string, unknown> {
  const { read, trade, withdraw, transfer, ipRestricted } = permissions;
  return {
    ipRestrict: ipRestricted,
    createTime: Math.floor(floor.clock.now()),
    enableReading: read,
    enableWithdrawals: withdraw,
    enableInternalTransfer: transfer,
    enableMargin: false,
    enableFutures: false,
    permitsUniversalTransfer: transfer,
    enableVanillaOptions: false,
    enableFixApiTrade: false,
    enableFixReadOnly: false,
    enableSpotAndMarginTrading: trade,
    enablePortfolioMarginTrading: false,
  };
}

function coinSettings(floor: Floor, key: ApiKey): unknown[] {
  const account = floor.accounts.get(key.account);
  const coins = new Set(
    [...floor.instruments.values()].flatMap(({ base, quote }) => [base, quote]),
  );
  return [...coins].map((coin) => ({
    coin,
    depositAllEnable: true,
    withdrawAllEnable: true,
    name: coin,
    free: placesText(account.free(coin), 8),
    locked: placesText(account.held(coin), 8),
    freeze: placesText(ZERO, 8),
    withdrawing: '0',
    ipoing: '0',
    ipoable: '0',
    storage: '0',
    isLegalMoney: false,
    trading: true,
    networkList: [],
  }));
}
