/** Binance's user data stream, subscribed by a signed request over its websocket API. */
import { ZERO, type Fixed } from '../../../../contract/money.ts';
import { placesText } from '../decimal-text.ts';
import type { Floor } from '../dialect.ts';
import type { CoreEvent } from '../matching-core.ts';
import type { Fill, StandInOrder } from '../orders.ts';
import type { Line, Topic } from '../stream-hub.ts';
import type { ServerSocket } from '../web-socket.ts';
import { pairId } from './binance-market.ts';
import { orderTypeName, statusOf } from './binance-orders.ts';
import { sameSignature, signText, timestampProblem } from './binance-signature.ts';

interface Request {
  id?: string | number;
  method?: string;
  params?: Record<string, string | number>;
}

const eight = (value: Fixed | null): string => placesText(value ?? ZERO, 8);

export function openBinanceStream(floor: Floor, socket: ServerSocket): void {
  socket.listen((text) => {
    const request = JSON.parse(text) as Request;
    if (request.method === 'userDataStream.subscribe.signature') subscribe(floor, socket, request);
    else if (request.method === 'ping') reply(socket, request, 200, { result: {} });
    else reply(socket, request, 400, { error: { code: -1000, msg: 'Unknown method.' } });
  });
}

function reply(
  socket: ServerSocket,
  { id = '' }: Request,
  status: number,
  rest: Record<string, unknown>,
): void {
  socket.send(JSON.stringify({ id, status, ...rest, rateLimits: [] }));
}

function subscribe(floor: Floor, socket: ServerSocket, request: Request): void {
  const { signature, ...params } = request.params ?? {};
  const key = floor.accounts.key(String(params.apiKey ?? ''));
  const refuse = (status: number, code: number, msg: string): void => {
    reply(socket, request, status, { error: { code, msg } });
  };
  if (key === null || key.revoked) {
    refuse(401, -2015, 'Invalid API-key, IP, or permissions for action.');
    return;
  }
  const sorted = Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1));
  const query = sorted.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  if (!sameSignature(signText(query, key.secret), String(signature ?? ''))) {
    refuse(400, -1022, 'Signature for this request is not valid.');
    return;
  }
  const late = timestampProblem(new URLSearchParams(query), floor.clock.now());
  if (late !== null) {
    reply(socket, request, 400, { error: late.body });
    return;
  }
  reply(socket, request, 200, { result: { subscriptionId: 0 } });
  const leave = floor.hub.join({
    account: key.account,
    write: (event) => write(floor, event),
    send: (text) => {
      socket.send(text);
    },
    close: () => {
      socket.cut();
    },
  });
  socket.whenClosed(leave);
}

const line = (topic: Topic, event: Record<string, unknown>): Line => ({
  topic,
  text: JSON.stringify({ subscriptionId: 0, event }),
});

const KINDS: Record<string, string> = {
  new: 'NEW',
  triggered: 'NEW',
  cancelled: 'CANCELED',
  expired: 'EXPIRED',
};

function write(floor: Floor, event: CoreEvent): Line[] {
  const now = Math.floor(floor.clock.now());
  if (event.type === 'transfer') {
    const d = eight(event.amount);
    return [line('balances', { e: 'balanceUpdate', E: now, a: event.coin, d, T: now })];
  }
  const account = line('balances', position(floor, event.order, now));
  if (event.type === 'fill')
    return [line('fills', report(floor, event.order, event.fill, 'TRADE')), account];
  // The last trade already said that the order is filled.
  const kind = KINDS[event.what];
  return kind === undefined
    ? []
    : [line('orders', report(floor, event.order, null, kind)), account];
}

function position(floor: Floor, order: StandInOrder, now: number): Record<string, unknown> {
  const account = floor.accounts.get(order.account);
  const coins = new Set([...order.symbol.split('/'), ...order.fees.keys()]);
  return {
    e: 'outboundAccountPosition',
    E: now,
    u: now,
    B: [...coins].map((coin) => ({
      a: coin,
      f: eight(account.free(coin)),
      l: eight(account.held(coin)),
    })),
  };
}

function report(
  floor: Floor,
  order: StandInOrder,
  fill: Fill | null,
  kind: string,
): Record<string, unknown> {
  const [base = '', quote = ''] = order.symbol.split('/');
  const now = Math.floor(floor.clock.now());
  return {
    e: 'executionReport',
    E: now,
    s: pairId({ base, quote }),
    c: order.clientOrderId ?? '',
    S: order.side.toUpperCase(),
    o: orderTypeName(order),
    f: order.timeInForce === 'gtd' ? 'GTC' : order.timeInForce.toUpperCase(),
    q: eight(order.quantity),
    p: eight(order.limit),
    P: eight(order.stop),
    F: eight(null),
    g: -1,
    C: '',
    x: kind,
    X: statusOf(order),
    r: 'NONE',
    i: Number(order.id),
    l: eight(fill?.quantity ?? null),
    z: eight(order.filled),
    L: eight(fill?.price ?? null),
    n: fill === null ? '0' : eight(fill.fee),
    N: fill?.feeCoin ?? null,
    T: Math.floor(fill?.atMs ?? order.changedAtMs),
    t: fill === null ? -1 : Number(fill.id),
    I: order.number,
    w: order.state === 'open' && !order.waiting,
    m: fill?.maker ?? false,
    M: fill !== null,
    O: Math.floor(order.placedAtMs),
    Z: eight(order.cost),
    Y: eight(fill?.cost ?? null),
    Q: eight(order.spend),
    W: Math.floor(order.placedAtMs),
    V: 'EXPIRE_MAKER',
  };
}
