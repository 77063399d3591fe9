/** Coinbase's user channel: the account's orders as they change. It tells no fills of their own. */
import { formatFixed, subtract } from '../../../../contract/money.ts';
import type { Floor } from '../dialect.ts';
import type { CoreEvent } from '../matching-core.ts';
import type { StandInOrder } from '../orders.ts';
import type { ServerSocket } from '../web-socket.ts';
import { isoTime, productId } from './coinbase-market.ts';
import { averageOf, statusOf, totals } from './coinbase-orders.ts';
import { keyOfToken } from './coinbase-signature.ts';

interface Request {
  type?: string;
  channel?: string;
  product_ids?: string[];
  jwt?: string;
}

export function openCoinbaseStream(floor: Floor, socket: ServerSocket): void {
  let sequence = -1;
  const message = (channel: string, events: unknown[]): string => {
    sequence += 1;
    return JSON.stringify({
      channel,
      client_id: '',
      timestamp: isoTime(floor.clock.now()),
      sequence_num: sequence,
      events,
    });
  };
  socket.listen((text) => {
    const request = JSON.parse(text) as Request;
    if (request.type !== 'subscribe') return;
    if (request.channel === 'heartbeats') {
      socket.send(message('subscriptions', [{ subscriptions: { heartbeats: [''] } }]));
      return;
    }
    const key = keyOfToken(floor.accounts, request.jwt ?? '', floor.clock.now(), null);
    if (key === null || request.channel !== 'user') {
      socket.send(JSON.stringify({ type: 'error', message: 'authentication failure' }));
      return;
    }
    const products = request.product_ids ?? [];
    socket.send(message('subscriptions', [{ subscriptions: { user: [key.account] } }]));
    const open = floor.shownOrders(key.account).filter(({ state }) => state === 'open');
    socket.send(message('user', [{ type: 'snapshot', orders: open.map(orderRow) }]));
    const leave = floor.hub.join({
      account: key.account,
      write: (event) =>
        changed(event, products).map((row) => ({
          topic: event.type === 'fill' ? 'fills' : 'orders',
          text: message('user', [row]),
        })),
      send: (line) => {
        socket.send(line);
      },
      close: () => {
        socket.cut();
      },
    });
    socket.whenClosed(leave);
  });
}

function changed(event: CoreEvent, products: string[]): unknown[] {
  if (event.type === 'transfer') return [];
  const row = orderRow(event.order);
  const isWanted = products.length === 0 || products.includes(row.product_id);
  return isWanted ? [{ type: 'update', orders: [row] }] : [];
}

function orderRow(order: StandInOrder): Record<string, unknown> & { product_id: string } {
  const [base = '', quote = ''] = order.symbol.split('/');
  const { fees, percent } = totals(order);
  return {
    order_id: order.id,
    client_order_id: order.clientOrderId ?? '',
    cumulative_quantity: formatFixed(order.filled),
    leaves_quantity: formatFixed(subtract(order.quantity, order.filled)),
    avg_price: formatFixed(averageOf(order)),
    total_fees: formatFixed(fees),
    filled_value: formatFixed(order.cost),
    status: statusOf(order),
    product_id: productId({ base, quote }),
    creation_time: isoTime(order.placedAtMs),
    order_side: order.side.toUpperCase(),
    order_type: order.type === 'market' ? 'Market' : 'Limit',
    limit_price: formatFixed(order.limit ?? order.stop ?? averageOf(order)),
    stop_price: order.stop === null ? '' : formatFixed(order.stop),
    completion_percentage: formatFixed(percent),
    number_of_fills: String(order.fills.length),
    cancel_reason: order.reason ?? '',
  };
}
