/**
 * A small exchange in memory that knows what really happened, and tells it late, twice, out of
 * order, wrongly or not at all.
 */
import {
  add,
  basisPoints,
  floorToStep,
  minimum,
  multiply,
  subtract,
  ZERO,
} from '../../../contract/money.ts';
import type { Fixed } from '../../../contract/money.ts';
import type {
  CancelOutcome,
  Lookup,
  PlaceOutcome,
  VenueBalance,
  VenueFee,
  VenueFill,
  VenueOrder,
} from '../../../contract/venue.ts';
import type { OrderIntent } from '../../../engine/orders/live-order.ts';
import { baseOf, quoteOf } from '../../../engine/pair-coins.ts';
import { money, SEARCHED } from './order-samples.ts';

export interface Dialect {
  name: string;
  /** A repeated id returns the original order, also after its end. */
  replaysIds: boolean;
  /** A sale's fee comes out of the coin sold. */
  saleFeeInBase: boolean;
  /** The longest that a list may lag. */
  lagMaxMs: number;
}

/** How far the two clocks are apart at most. */
const SKEW_MAX_MS = 30_000;
export const FEE_BPS = money('26');
const STEP = money('0.0001');

export interface TruthOrder extends VenueOrder {
  clientOrderId: string | null;
  hiddenUntilMs: number;
}

export interface Told {
  atMs: number;
  /** In the exchange's time. */
  fill?: VenueFill;
  order?: VenueOrder;
}

interface Arriving {
  atMs: number;
  intent: OrderIntent;
}

export class TruthExchange {
  readonly orders: TruthOrder[] = [];
  readonly trades: (VenueFill & { visibleAtMs: number })[] = [];
  readonly balances = new Map<string, Fixed>();
  /** Messages of the stream, in no order. */
  readonly stream: Told[] = [];
  nowMs = 1_000_000;
  quiet = false;
  faults = 0;
  readonly skewMs: number;
  private readonly arriving: Arriving[] = [];
  private readonly prices = new Map([
    ['BTC/USD', money('100')],
    ['BNB/USD', money('10')],
  ]);
  private ids = 0;

  constructor(
    readonly dialect: Dialect,
    readonly draw: () => number,
  ) {
    this.skewMs = Math.floor((draw() * 2 - 1) * SKEW_MAX_MS);
    for (const [asset, amount] of [
      ['USD', '100000'],
      ['BTC', '50'],
      ['BNB', '500'],
    ] as const)
      this.balances.set(asset, money(amount));
  }

  chance(share: number): boolean {
    return this.draw() < share;
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.draw() * items.length)];
    if (item === undefined) throw new Error('Nothing to pick from');
    return item;
  }

  price(symbol: string): Fixed {
    return this.prices.get(symbol) ?? ZERO;
  }

  get venueMs(): number {
    return this.nowMs + this.skewMs;
  }

  /** Takes a request, or seems to. The answer says what the caller gets to know. */
  place(intent: OrderIntent): PlaceOutcome {
    const fate = this.quiet ? 0 : this.draw();
    if (fate < 0.55) return this.take(intent);
    this.faults += 1;
    if (fate < 0.62) return { kind: 'rejected', code: 'EOrder:Rate', message: 'limit' };
    if (fate < 0.65) return { kind: 'refused', by: 'signer', code: 'limit', detail: '' };
    if (fate < 0.82) {
      this.take(intent);
      return { kind: 'unknown', cause: this.pick(['timeout', 'unreadable', 'server_error']) };
    }
    if (fate < 0.9) {
      this.arriving.push({ atMs: this.nowMs + Math.floor(this.draw() * 60_000), intent });
      return { kind: 'unknown', cause: 'timeout' };
    }
    return { kind: 'unknown', cause: this.pick(['connection', 'unlisted:-1007']) };
  }

  private take(intent: OrderIntent): PlaceOutcome {
    const before = this.orders.filter((one) => one.clientOrderId === intent.clientOrderId);
    const original = before[0];
    if (original !== undefined && this.dialect.replaysIds)
      return { kind: 'confirmed', exchangeOrderId: original.exchangeOrderId, replay: true };
    // Ids are unique among open orders alone, and a duplicate's code says nothing: look it up.
    if (before.some((one) => one.status === 'open'))
      return { kind: 'unknown', cause: 'unlisted:duplicate' };
    if (this.venueMs > intent.deadlineMs)
      return { kind: 'rejected', code: 'EOrder:Deadline elapsed', message: '' };
    const order: TruthOrder = {
      exchangeOrderId: `O${(this.ids += 1)}`,
      clientOrderId: intent.clientOrderId,
      symbol: intent.symbol,
      side: intent.side,
      type: intent.type,
      quantity: intent.quantity,
      limitPrice: intent.limitPrice,
      stopPrice: intent.stopPrice,
      filled: ZERO,
      status: 'open',
      updatedAtMs: this.venueMs,
      hiddenUntilMs: this.nowMs + this.lag(0.3),
    };
    this.orders.push(order);
    this.tell(order);
    if (order.type === 'market') this.match(order, true);
    return { kind: 'confirmed', exchangeOrderId: order.exchangeOrderId, replay: false };
  }

  private lag(share: number): number {
    if (this.quiet || !this.chance(share)) return 0;
    this.faults += 1;
    return Math.floor(this.draw() * this.dialect.lagMaxMs);
  }

  /** Puts a message on the stream: now, late, twice or never. */
  private tell(order: TruthOrder, fill?: VenueFill): void {
    if (this.quiet) return;
    const copies = this.pick([0, 1, 1, 1, 2]);
    if (copies !== 1) this.faults += 1;
    for (let copy = 0; copy < copies; copy += 1) {
      const atMs = this.nowMs + (this.chance(0.5) ? 0 : Math.floor(this.draw() * 300_000));
      this.stream.push(fill === undefined ? { atMs, order: { ...order } } : { atMs, fill });
    }
  }

  /** Fills some of an order, or the rest of a market order, or ends it early. */
  private match(order: TruthOrder, now: boolean): void {
    const left = subtract(order.quantity, order.filled);
    const isStop = order.type === 'stop';
    if (!now && !this.chance(isStop ? 0.04 : 0.35)) return;
    if (isStop || now) {
      // A market order goes in one or several trades; now and then its rest is cancelled.
      let rest = left;
      while (rest > 0n) {
        const part = this.chance(0.5) ? rest : this.part(rest);
        this.fill(order, part);
        rest = subtract(rest, part);
        if (rest > 0n && this.chance(0.1)) break;
      }
      this.endAt(order, rest > 0n ? 'cancelled' : 'closed');
      return;
    }
    this.fill(order, this.chance(0.4) ? left : this.part(left));
    if (order.filled === order.quantity) this.endAt(order, 'closed');
  }

  private part(left: Fixed): Fixed {
    const half = floorToStep((left / 2n) as Fixed, STEP);
    return half > 0n ? half : left;
  }

  private endAt(order: TruthOrder, status: VenueOrder['status']): void {
    order.status = status;
    order.updatedAtMs = this.venueMs;
    this.tell(order);
  }

  private fill(order: TruthOrder, quantity: Fixed): VenueFill {
    const price = minimum(this.price(order.symbol), order.limitPrice ?? this.price(order.symbol));
    const quoteAmount = multiply(quantity, price, 'half-even');
    const fill: VenueFill = {
      tradeId: `T${(this.ids += 1)}`,
      exchangeOrderId: order.exchangeOrderId,
      clientOrderId: this.chance(0.5) ? order.clientOrderId : null,
      symbol: order.symbol,
      side: order.side,
      quantity,
      price,
      quoteAmount,
      fees: this.fees(order, quantity, quoteAmount),
      atMs: this.venueMs,
    };
    this.trades.push({ ...fill, visibleAtMs: this.nowMs + this.lag(0.3) });
    order.filled = add(order.filled, quantity);
    order.updatedAtMs = this.venueMs;
    const isBuy = order.side === 'buy';
    this.move(baseOf(order.symbol), isBuy ? quantity : ((0n - quantity) as Fixed));
    this.move(quoteOf(order.symbol), isBuy ? ((0n - quoteAmount) as Fixed) : quoteAmount);
    for (const fee of fill.fees) this.move(fee.asset, (0n - fee.amount) as Fixed);
    this.tell(order, fill);
    return fill;
  }

  private fees(order: VenueOrder, quantity: Fixed, quoteAmount: Fixed): VenueFee[] {
    const fee = (asset: string, of: Fixed): VenueFee => ({
      asset,
      amount: basisPoints(of, FEE_BPS, 'up'),
    });
    if (order.side === 'sell' && this.dialect.saleFeeInBase)
      return [fee(baseOf(order.symbol), quantity)];
    const inQuote = fee(quoteOf(order.symbol), quoteAmount);
    const kind = this.draw();
    if (kind < 0.4) return [inQuote];
    if (kind < 0.7 && order.side === 'buy') return [fee(baseOf(order.symbol), quantity)];
    if (kind < 0.9 && order.symbol !== 'BNB/USD')
      return [{ asset: 'BNB', amount: multiply(inQuote.amount, money('0.1'), 'up') }];
    return kind < 0.95 ? [] : [inQuote];
  }

  private move(asset: string, amount: Fixed): void {
    this.balances.set(asset, add(this.balances.get(asset) ?? ZERO, amount));
  }

  cancel(exchangeOrderId: string): CancelOutcome {
    const order = this.orders.find((one) => one.exchangeOrderId === exchangeOrderId);
    const fate = this.quiet ? 1 : this.draw();
    if (fate < 0.15) {
      this.faults += 1;
      return { kind: 'unknown', cause: 'connection' };
    }
    // It may be filled, wholly or partly, while the request is on its way.
    if (order?.status === 'open' && fate < 0.35) this.match(order, order.type !== 'limit');
    if (order?.status !== 'open')
      return { kind: 'rejected', code: 'EOrder:Unknown order', message: '' };
    this.endAt(order, 'cancelled');
    if (fate < 0.5) this.faults += 1;
    return fate < 0.5 ? { kind: 'unknown', cause: 'timeout' } : { kind: 'confirmed' };
  }

  lookUp(clientOrderId: string): Lookup {
    if (!this.quiet && this.chance(0.1)) return { kind: 'unknown', cause: 'server_error' };
    const order = this.orders.find((one) => one.clientOrderId === clientOrderId);
    if (order === undefined || order.hiddenUntilMs > this.nowMs)
      return { kind: 'not_found', searched: SEARCHED };
    const fills = this.visibleTrades().filter(
      (one) => one.exchangeOrderId === order.exchangeOrderId,
    );
    return { kind: 'found', order: { ...order }, fills };
  }

  /** Null where the exchange did not answer. */
  list(which: 'open' | 'closed'): VenueOrder[] | null {
    if (!this.quiet && this.chance(0.05)) return null;
    return this.orders
      .filter((one) => one.hiddenUntilMs <= this.nowMs)
      .filter((one) => (one.status === 'open') === (which === 'open'))
      .map((one) => ({ ...one }));
  }

  visibleTrades(): VenueFill[] {
    return this.trades.filter((one) => one.visibleAtMs <= this.nowMs).map((one) => ({ ...one }));
  }

  balanceList(): VenueBalance[] {
    return [...this.balances].map(([asset, total]) => ({ asset, total, available: total }));
  }

  /** Lets time pass: requests arrive, prices move, orders fill. */
  advance(ms: number): void {
    this.nowMs += ms;
    for (const late of this.arriving.filter(({ atMs }) => atMs <= this.nowMs)) {
      this.arriving.splice(this.arriving.indexOf(late), 1);
      this.take(late.intent);
    }
    if (this.quiet) return;
    for (const [symbol, price] of this.prices) {
      const moved = multiply(price, money((0.97 + this.draw() * 0.06).toFixed(6)), 'down');
      this.prices.set(symbol, floorToStep(moved, money('0.01')));
    }
    for (const order of this.orders)
      if (order.status === 'open' && order.type !== 'market') this.match(order, false);
  }

  /** What the person does beside us in the same account. */
  byHand(): void {
    const deed = this.draw();
    if (deed < 0.3) this.move('USD', money('500'));
    else if (deed < 0.5) this.move('USD', money('-300'));
    else if (deed < 0.6) this.move('DOGE', money('1000'));
    else if (deed < 0.8) {
      const symbol = this.pick(['BTC/USD', 'BNB/USD']);
      const order: TruthOrder = {
        exchangeOrderId: `H${(this.ids += 1)}`,
        clientOrderId: this.chance(0.5) ? 'web-1' : null,
        symbol,
        side: this.pick(['buy', 'sell']),
        type: 'market',
        quantity: money('0.5'),
        limitPrice: null,
        stopPrice: null,
        filled: ZERO,
        status: 'open',
        updatedAtMs: this.venueMs,
        hiddenUntilMs: this.nowMs,
      };
      this.orders.push(order);
      this.fill(order, order.quantity);
      this.endAt(order, 'closed');
    } else {
      const ours = this.orders.filter((one) => one.status === 'open' && one.clientOrderId !== null);
      if (ours.length > 0) this.endAt(this.pick(ours), 'cancelled');
    }
  }
}
