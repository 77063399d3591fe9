/** Kraken's private calls: orders, trades, balances, the key itself and the token of the streams. */
import { ZERO } from '../../../../contract/money.ts';
import type { ApiKey } from '../accounts.ts';
import type { Answer, CallName } from '../calls.ts';
import type { Floor, Turn } from '../dialect.ts';
import type { Fill, StandInOrder } from '../orders.ts';
import { coinId } from './kraken-names.ts';
import {
  REJECTIONS,
  amountText,
  description,
  orderRow,
  readIntent,
  tradeRow,
} from './kraken-orders.ts';
import { bodyOf, krakenError } from './kraken-signature.ts';

const ok = (result: unknown): Answer => ({ status: 200, body: { error: [], result } });
const PAGE = 50;

/** What a key needs to be allowed a call; a key may always be asked about itself. */
const NEEDS_TRADE: readonly CallName[] = ['place', 'cancel'];

export interface StreamTokens {
  /** A new token for this account's streams. */
  issue(account: string): string;
}

export function answerAccount(floor: Floor, tokens: StreamTokens, turn: Turn, key: ApiKey): Answer {
  const { call } = turn;
  const form = bodyOf(turn.asked);
  const { permissions } = key;
  if (call === 'permissions') return ok(keyInfo(floor, key));
  if (NEEDS_TRADE.includes(call) ? !permissions.trade : !permissions.read)
    return krakenError('EGeneral:Permission denied');
  return (
    ANSWERS[call]?.({ floor, tokens, turn, key, form }) ?? krakenError('EGeneral:Unknown method')
  );
}

interface Question {
  floor: Floor;
  tokens: StreamTokens;
  turn: Turn;
  key: ApiKey;
  form: URLSearchParams;
}

const ANSWERS: Partial<Record<CallName, (question: Question) => Answer>> = {
  place: ({ floor, turn, key, form }) => place(floor, turn, key, form),
  cancel: ({ floor, key, form }) => cancel(floor, key.account, form),
  order: ({ floor, key, form }) => queryOrders(floor, key.account, form),
  'open-orders': ({ floor, key, form }) => openOrders(floor, key.account, form),
  'closed-orders': ({ floor, key, form }) => closedOrders(floor, key.account, form),
  trades: ({ floor, key, form }) => trades(floor, key.account, form),
  balances: ({ floor, turn, key }) =>
    balances(floor, key.account, turn.asked.path.endsWith('BalanceEx')),
  ledger: ({ floor, key }) => ledger(floor, key.account),
  'stream-token': ({ tokens, key }) => ok({ token: tokens.issue(key.account), expires: 900 }),
};

function place(floor: Floor, turn: Turn, key: ApiKey, form: URLSearchParams): Answer {
  const intent = readIntent(floor, form);
  if ('bad' in intent) return krakenError(REJECTIONS[intent.bad]);
  const placed = floor.core.place(key.account, intent, {
    by: 'api',
    request: turn.asked.number,
    arrivedMs: turn.arrivedMs,
  });
  if (placed.kind === 'rejected') return krakenError(REJECTIONS[placed.reason]);
  const { order } = placed;
  return ok({
    descr: { order: description(order, instrumentOf(floor, order)) },
    txid: [order.id],
  });
}

function instrumentOf(floor: Floor, { symbol }: { symbol: string }) {
  const instrument = floor.instruments.get(symbol);
  if (instrument === undefined) throw new RangeError(`No pair ${symbol}`);
  return instrument;
}

function cancel(floor: Floor, account: string, form: URLSearchParams): Answer {
  const clientId = form.get('cl_ord_id');
  const order =
    clientId === null
      ? floor.shownById(account, form.get('txid') ?? '')
      : floor.shownByClientId(account, clientId);
  if (order === null) return krakenError('EOrder:Unknown order');
  floor.beforeCancel(account, order.id);
  const cancelled = floor.core.cancel(account, order.id, 'api', 'User requested');
  return cancelled.kind === 'unknown' ? krakenError('EOrder:Unknown order') : ok({ count: 1 });
}

function queryOrders(floor: Floor, account: string, form: URLSearchParams): Answer {
  // A reference of the user's is a number; a client order id is none.
  if (!/^-?\d{1,10}$/.test(form.get('userref') ?? '0'))
    return krakenError('EGeneral:Invalid arguments:userref');
  const ids = (form.get('txid') ?? '').split(',').filter(Boolean);
  const orders = ids.map((id) => floor.shownById(account, id)).filter((order) => order !== null);
  if (orders.length === 0) return krakenError('EOrder:Unknown order');
  return ok(rows(floor, orders, form.get('trades') === 'true'));
}

function rows(
  floor: Floor,
  orders: StandInOrder[],
  withTrades: boolean,
): Record<string, Record<string, unknown>> {
  return Object.fromEntries(
    orders.map((order) => [order.id, orderRow(order, instrumentOf(floor, order), withTrades)]),
  );
}

function matching(floor: Floor, account: string, form: URLSearchParams): StandInOrder[] {
  const clientId = form.get('cl_ord_id');
  const start = Number(form.get('start') ?? '0') * 1_000;
  const end = Number(form.get('end') ?? 'Infinity') * 1_000;
  return floor
    .shownOrders(account)
    .filter(
      (order) =>
        (clientId === null || order.clientOrderId === clientId) &&
        order.placedAtMs > start &&
        order.placedAtMs <= end,
    );
}

function openOrders(floor: Floor, account: string, form: URLSearchParams): Answer {
  const open = matching(floor, account, form).filter(({ state }) => state === 'open');
  return ok({ open: rows(floor, open, form.get('trades') === 'true') });
}

function closedOrders(floor: Floor, account: string, form: URLSearchParams): Answer {
  const closed = matching(floor, account, form)
    .filter(({ state }) => state !== 'open')
    .sort((a, b) => (b.closedAtMs ?? 0) - (a.closedAtMs ?? 0) || b.number - a.number);
  const from = Number(form.get('ofs') ?? '0');
  const page = closed.slice(from, from + PAGE);
  return ok({
    closed: rows(floor, page, form.get('trades') === 'true'),
    count: closed.length,
  });
}

function trades(floor: Floor, account: string, form: URLSearchParams): Answer {
  const start = startOf(floor, account, form.get('start'));
  const end = Number(form.get('end') ?? 'Infinity') * 1_000;
  // Rows are keyed by their id: none can be listed twice.
  const found = [...new Set(floor.shownFills(account))]
    .filter((fill) => start(fill) && fill.atMs <= end)
    .reverse();
  const from = Number(form.get('ofs') ?? '0');
  const page = found.slice(from, from + PAGE);
  return ok({
    trades: Object.fromEntries(page.map((fill) => [fill.id, tradeOf(floor, fill)])),
    count: found.length,
  });
}

/** `start` is a time in seconds or the id of a trade, both exclusive. */
function startOf(floor: Floor, account: string, text: string | null): (fill: Fill) => boolean {
  if (text === null) return () => true;
  const named = floor.shownFills(account).find(({ id }) => id === text);
  if (named !== undefined) return ({ number }) => number > named.number;
  return ({ atMs }) => atMs > Number(text) * 1_000;
}

function tradeOf(floor: Floor, fill: Fill): Record<string, unknown> {
  const order = floor.core.orders.get(fill.orderId);
  if (order === undefined) throw new RangeError(`No order ${fill.orderId}`);
  return tradeRow(fill, order, instrumentOf(floor, fill));
}

function balances(floor: Floor, account: string, extended: boolean): Answer {
  const book = floor.accounts.get(account);
  const held = book.coins.filter((coin) => book.total(coin) !== ZERO);
  return ok(
    Object.fromEntries(
      held.map((coin) => [
        coinId(coin),
        extended
          ? { balance: amountText(book.total(coin)), hold_trade: amountText(book.held(coin)) }
          : amountText(book.total(coin)),
      ]),
    ),
  );
}

/** Where every fee is booked in the coin it was really charged in. */
function ledger(floor: Floor, account: string): Answer {
  const rowsOf: [string, unknown][] = floor.shownFills(account).map((fill) => [
    `L${fill.id.slice(1)}`,
    {
      refid: fill.id,
      time: fill.atMs / 1_000,
      type: 'trade',
      subtype: '',
      aclass: 'currency',
      asset: coinId(fill.feeCoin),
      amount: amountText(ZERO),
      fee: amountText(fill.fee),
      balance: amountText(floor.accounts.get(account).total(fill.feeCoin)),
    },
  ]);
  return ok({
    ledger: Object.fromEntries(rowsOf) as Record<string, unknown>,
    count: rowsOf.length,
  });
}

function keyInfo(floor: Floor, key: ApiKey): Record<string, unknown> {
  const { read, trade, withdraw, transfer, ipRestricted } = key.permissions;
  const permissions = [
    ...(read ? ['query-funds', 'query-open-trades', 'query-closed-trades', 'query-ledger'] : []),
    ...(trade ? ['modify-trades', 'close-trades'] : []),
    ...(withdraw ? ['withdraw-funds'] : []),
    ...(transfer ? ['transfer-funds'] : []),
  ];
  const now = String(Math.floor(floor.clock.now() / 1_000));
  return {
    apiKeyName: key.account,
    apiKey: key.apiKey,
    nonce: String(key.lastNonce),
    nonceWindow: 0,
    permissions,
    iban: floor.accounts.get(key.account).subAccountId,
    validUntil: '0',
    queryFrom: '0',
    queryTo: '0',
    createdTime: now,
    modifiedTime: now,
    ipAllowlist: ipRestricted ? ['127.0.0.1'] : [],
    lastUsed: now,
  };
}
