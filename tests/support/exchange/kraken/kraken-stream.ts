/** Kraken's websockets, version 2: executions (orders and trades) and balances of one account. */
import { ZERO, divide, formatFixed, type Fixed } from '../../../../contract/money.ts';
import type { Floor } from '../dialect.ts';
import type { CoreEvent } from '../matching-core.ts';
import type { Fill, StandInOrder } from '../orders.ts';
import type { Line, Subscriber } from '../stream-hub.ts';
import type { ServerSocket } from '../web-socket.ts';

interface Request {
  method?: string;
  req_id?: number;
  params?: { channel?: string; token?: string; snap_orders?: boolean; snap_trades?: boolean };
}

/** A JSON number with the digits of exact money: a `number` would be rounded on the way. */
type Digits = { digits: string };
const digits = (value: Fixed): Digits => ({ digits: formatFixed(value) });

/** JSON in which exact amounts stand as numbers, digit by digit. */
export function json(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'object' && one !== null && 'digits' in one
      ? `#${String((one as Digits).digits)}#`
      : one,
  ).replace(/"#(-?[\d.]+)#"/g, '$1');
}

export class KrakenStreams {
  private readonly tokens = new Map<string, string>();
  private sequence = 0;

  constructor(private readonly floor: Floor) {}

  issue(account: string): string {
    const token = this.floor.ids.uuid();
    this.tokens.set(token, account);
    return token;
  }

  open(socket: ServerSocket): void {
    const say = (message: Record<string, unknown>): void => {
      socket.send(json(message));
    };
    say({
      channel: 'status',
      type: 'update',
      data: [{ api_version: 'v2', system: 'online', version: '2.0.10' }],
    });
    socket.listen((text) => {
      const request = JSON.parse(text) as Request;
      if (request.method === 'ping') say({ method: 'pong', req_id: request.req_id });
      if (request.method === 'subscribe') this.subscribe(socket, request);
    });
  }

  private subscribe(socket: ServerSocket, { req_id, params = {} }: Request): void {
    const { channel = '', token = '' } = params;
    const account = this.tokens.get(token);
    const isKnown = channel === 'executions' || channel === 'balances';
    if (account === undefined || !isKnown) {
      const error = account === undefined ? 'EAuth:Invalid token' : 'Unsupported channel';
      socket.send(json({ error, method: 'subscribe', req_id, success: false }));
      return;
    }
    socket.send(json({ method: 'subscribe', req_id, result: { channel }, success: true }));
    const subscriber: Subscriber = {
      account,
      write: (event) => (channel === 'balances' ? this.balances(event) : this.execution(event)),
      send: (text) => {
        socket.send(text);
      },
      close: () => {
        socket.cut();
      },
    };
    socket.whenClosed(this.floor.hub.join(subscriber));
    if (channel === 'balances') socket.send(this.balanceSnapshot(account));
    else this.executionSnapshots(socket, account, params);
  }

  /** ccxt reads a whole message as orders or as trades by its first row: they are never mixed. */
  private executionSnapshots(
    socket: ServerSocket,
    account: string,
    { snap_orders, snap_trades }: NonNullable<Request['params']>,
  ): void {
    const orders = this.floor.shownOrders(account).filter(({ state }) => state === 'open');
    if (snap_orders === true && orders.length > 0)
      socket.send(
        this.message(
          'executions',
          'snapshot',
          orders.map((one) => orderRow(one, 'new')),
        ),
      );
    const fills = this.floor.shownFills(account).slice(-50);
    if (snap_trades === true && fills.length > 0)
      socket.send(
        this.message(
          'executions',
          'snapshot',
          fills.map((one) => this.tradeRow(one)),
        ),
      );
  }

  private execution(event: CoreEvent): Line[] {
    if (event.type === 'fill')
      return [
        { topic: 'fills', text: this.message('executions', 'update', [this.tradeRow(event.fill)]) },
      ];
    if (event.type !== 'order') return [];
    const row = orderRow(event.order, event.what);
    return [{ topic: 'orders', text: this.message('executions', 'update', [row]) }];
  }

  private balances(event: CoreEvent): Line[] {
    if (event.type === 'order') return [];
    const account = event.type === 'fill' ? event.fill.account : event.account;
    const coins =
      event.type === 'fill' ? [...event.fill.symbol.split('/'), event.fill.feeCoin] : [event.coin];
    const rows = [...new Set(coins)].map((coin) => this.balanceRow(account, coin));
    return [{ topic: 'balances', text: this.message('balances', 'update', rows) }];
  }

  private balanceSnapshot(account: string): string {
    const { coins } = this.floor.accounts.get(account);
    return this.message(
      'balances',
      'snapshot',
      coins.map((coin) => this.balanceRow(account, coin)),
    );
  }

  private balanceRow(account: string, coin: string): Record<string, unknown> {
    const balance = digits(this.floor.accounts.get(account).total(coin));
    return {
      asset: coin,
      asset_class: 'currency',
      balance,
      wallets: [{ type: 'spot', id: 'main', balance }],
    };
  }

  private tradeRow(fill: Fill): Record<string, unknown> {
    const order = this.floor.core.orders.get(fill.orderId);
    return {
      order_id: fill.orderId,
      ...(fill.clientOrderId === null ? {} : { cl_ord_id: fill.clientOrderId }),
      exec_id: fill.id,
      exec_type: 'trade',
      trade_id: fill.number,
      symbol: fill.symbol,
      side: fill.side,
      last_qty: digits(fill.quantity),
      last_price: digits(fill.price),
      liquidity_ind: fill.maker ? 'm' : 't',
      cost: digits(fill.cost),
      order_userref: 0,
      order_status: order?.state === 'filled' ? 'filled' : 'partially_filled',
      order_type: order?.type === 'limit' ? 'limit' : 'market',
      fee_usd_equiv: digits(fill.fee),
      fees: [{ asset: fill.feeCoin, qty: digits(fill.fee) }],
      timestamp: new Date(fill.atMs).toISOString(),
    };
  }

  private message(channel: string, type: string, data: unknown[]): string {
    this.sequence += 1;
    return json({ channel, type, data, sequence: this.sequence });
  }
}

const STATES: Record<string, string> = {
  new: 'new',
  triggered: 'new',
  filled: 'filled',
  cancelled: 'canceled',
  expired: 'expired',
};

function orderRow(order: StandInOrder, what: string): Record<string, unknown> {
  const average = order.filled === ZERO ? ZERO : divide(order.cost, order.filled, 'half-even');
  return {
    order_id: order.id,
    ...(order.clientOrderId === null ? {} : { cl_ord_id: order.clientOrderId }),
    order_userref: 0,
    symbol: order.symbol,
    order_qty: digits(order.quantity),
    cum_qty: digits(order.filled),
    cum_cost: digits(order.cost),
    avg_price: digits(average),
    time_in_force: order.timeInForce.toUpperCase(),
    exec_type: what === 'triggered' ? 'status' : STATES[what],
    side: order.side,
    order_type: order.type === 'limit' ? 'limit' : order.type,
    limit_price_type: 'static',
    limit_price: digits(order.limit ?? ZERO),
    stop_price: digits(order.stop ?? ZERO),
    order_status: order.state === 'open' && order.filled > ZERO ? 'partially_filled' : STATES[what],
    fee_usd_equiv: digits(ZERO),
    fee_ccy_pref: order.feeCoin === 'base' ? 'fcib' : 'fciq',
    timestamp: new Date(order.changedAtMs).toISOString(),
    ...(order.reason === null ? {} : { reason: order.reason, cancel_reason: order.reason }),
  };
}
