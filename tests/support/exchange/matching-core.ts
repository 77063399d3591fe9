/**
 * The exchange itself, in no exchange's words: takes orders, fills them against the shown market,
 * triggers stops, cancels, and writes everything down.
 */
import {
  ZERO,
  UNIT,
  add,
  divide,
  floorToStep,
  minimum,
  multiply,
  subtract,
  type Fixed,
} from '../../../contract/money.ts';
import type { Account, Accounts } from './accounts.ts';
import { rounded } from './decimal-text.ts';
import type { ExchangeClock } from './exchange-clock.ts';
import type { Ids } from './ids.ts';
import type { Instrument, RuleChange } from './instruments.ts';
import type { Journal, OrderEnd } from './journal.ts';
import type { Conventions } from './market-conventions.ts';
import { deadlineProblem, instrumentProblem, ruleProblem } from './order-checks.ts';
import type {
  Actor,
  Cancelled,
  Fill,
  FillScript,
  OrderIntent,
  Placed,
  RejectReason,
  StandInOrder,
} from './orders.ts';
import type { Level, Prices } from './prices.ts';
import { canPay, chargeOf, holdFor, settle } from './settlement.ts';

export interface Origin {
  by: Actor;
  request: number | null;
  /** When the request arrived, exchange time; a deadline is judged by when it takes effect. */
  arrivedMs: number;
}

export type CoreEvent =
  | { type: 'order'; order: StandInOrder; what: 'new' | 'triggered' | OrderEnd }
  | { type: 'fill'; order: StandInOrder; fill: Fill }
  | { type: 'transfer'; account: string; coin: string; amount: Fixed };

export interface Parts {
  clock: ExchangeClock;
  journal: Journal;
  prices: Prices;
  accounts: Accounts;
  instruments: Map<string, Instrument>;
  conventions: Conventions;
  ids: Ids;
}

const PLAIN: FillScript = { fillThenCancel: null, leavesDust: false, parts: 1 };

export class MatchingCore {
  readonly orders = new Map<string, StandInOrder>();
  private readonly listeners: ((event: CoreEvent) => void)[] = [];
  private orderNumber = 0;
  private fillNumber = 0;
  /** What a fault makes of the next order a key places. */
  nextScript: FillScript = PLAIN;
  /** Where fees are charged from now on, for orders that do not say it themselves. */
  feeCoin: OrderIntent['feeCoin'] = null;
  /** How long the next order a key places stays hidden from look-ups, ms. */
  nextHiddenMs = 0;
  /** No pair takes a new order. */
  isCancelOnly = false;

  constructor(private readonly parts: Parts) {}

  listen(listener: (event: CoreEvent) => void): void {
    this.listeners.push(listener);
  }

  place(accountName: string, intent: OrderIntent, origin: Origin): Placed {
    const account = this.parts.accounts.get(accountName);
    const named = this.named(accountName, intent.clientOrderId);
    if (named !== null && this.parts.conventions.reusedId === 'original-order') {
      this.parts.journal.write({
        kind: 'replayed',
        account: accountName,
        orderId: named.id,
        request: origin.request,
      });
      return { kind: 'original', order: named };
    }
    const reason =
      named?.state === 'open' ? 'duplicate-client-id' : this.problem(account, intent, origin);
    const order = reason === null ? this.admit(account, intent, origin) : null;
    if (order === null || typeof order === 'string')
      return this.reject(accountName, intent, origin, order ?? reason ?? 'bad-arguments');
    this.emit({ type: 'order', order, what: 'new' });
    if (!order.waiting) this.execute(order);
    return { kind: 'accepted', order };
  }

  cancel(accountName: string, id: string, by: Actor, reason: string): Cancelled {
    const order = this.orders.get(id);
    if (order?.account !== accountName || order.state !== 'open') return { kind: 'unknown' };
    this.end(order, 'cancelled', by, reason);
    return { kind: 'cancelled', order };
  }

  /** Ends every resting stop by the exchange's own rules; how many there were. */
  expireStops(accountName: string): number {
    const resting = this.ordersOf(accountName).filter(
      ({ state, stop }) => state === 'open' && stop !== null,
    );
    for (const order of resting) this.end(order, 'expired', 'exchange', 'Good till date');
    return resting.length;
  }

  /** The newest order of this account under this id. */
  named(accountName: string, clientOrderId: string | null): StandInOrder | null {
    if (clientOrderId === null) return null;
    let found: StandInOrder | null = null;
    for (const order of this.orders.values())
      if (order.account === accountName && order.clientOrderId === clientOrderId) found = order;
    return found;
  }

  ordersOf(accountName: string): StandInOrder[] {
    return [...this.orders.values()].filter((order) => order.account === accountName);
  }

  isHidden(order: StandInOrder): boolean {
    return order.hiddenUntilMs > this.parts.clock.trueNow();
  }

  /** The price is now this: stops trigger and resting orders fill as it crosses them. */
  setPrice(symbol: string, mid: Fixed): void {
    this.parts.prices.set(symbol, mid);
    for (const order of [...this.orders.values()]) {
      if (order.symbol !== symbol || order.state !== 'open') continue;
      if (order.waiting) this.trigger(order, mid);
      else this.cross(order);
    }
  }

  /** Fills a share of an open order at its own price, whatever the market says. */
  fillShare(order: StandInOrder, share: Fixed): void {
    const instrument = this.instrument(order.symbol);
    const left = subtract(order.quantity, order.filled);
    const quantity =
      share >= UNIT ? left : floorToStep(multiply(left, share, 'down'), instrument.step);
    if (order.state !== 'open' || quantity <= 0n) return;
    order.waiting = false;
    const price = order.limit ?? order.stop ?? this.parts.prices.mid(order.symbol);
    this.fill(order, floorToStep(price, instrument.tick), quantity, true);
  }

  changeRules(symbol: string, change: RuleChange): void {
    const instrument = this.instrument(symbol);
    this.parts.instruments.set(symbol, { ...instrument, ...change });
    this.parts.journal.write({ kind: 'rules', symbol, change: Object.keys(change).join(',') });
    if (change.status !== 'delisted') return;
    for (const order of this.orders.values())
      if (order.symbol === symbol && order.state === 'open')
        this.end(order, 'cancelled', 'exchange', 'Pair delisted');
  }

  transfer(accountName: string, coin: string, amount: Fixed, ref: string): void {
    const account = this.parts.accounts.get(accountName);
    account.move(coin, amount, amount < 0n ? 'withdrawal' : 'deposit', ref);
    this.emit({ type: 'transfer', account: accountName, coin, amount });
  }

  private instrument(symbol: string): Instrument {
    const instrument = this.parts.instruments.get(symbol);
    if (instrument === undefined) throw new RangeError(`No pair ${symbol}`);
    return instrument;
  }

  private emit(event: CoreEvent): void {
    for (const listener of this.listeners) listener(event);
  }

  private reject(
    account: string,
    { clientOrderId }: OrderIntent,
    { request }: Origin,
    reason: RejectReason,
  ): Placed {
    this.parts.journal.write({ kind: 'rejected', account, clientOrderId, reason, request });
    return { kind: 'rejected', reason };
  }

  private problem(account: Account, intent: OrderIntent, origin: Origin): RejectReason | null {
    const { instruments, prices, clock, conventions } = this.parts;
    const instrument = instruments.get(intent.symbol);
    const early =
      instrumentProblem(instrument) ??
      deadlineProblem(intent.deadlineMs, origin.arrivedMs, clock.now());
    if (early !== null || instrument === undefined) return early ?? 'unknown-symbol';
    if (this.isCancelOnly) return 'market-closed';
    const book = prices.book(instrument);
    const broken = ruleProblem(intent, instrument, book);
    if (broken !== null) return broken;
    if (
      conventions.rejectsTriggeredStops &&
      intent.stop !== null &&
      isTriggered(intent.side, intent.stop, prices.mid(intent.symbol))
    )
      return 'stop-would-trigger';
    if (intent.postOnly && intent.limit !== null) {
      const against = intent.side === 'buy' ? book.asks[0]?.price : book.bids[0]?.price;
      if (against !== undefined && reaches(intent.side, intent.limit, against))
        return 'would-cross';
    }
    if (intent.spend !== null && account.free(instrument.quote) < intent.spend)
      return 'insufficient-funds';
    return null;
  }

  /** Writes the order into the books with its hold, or says why there is no money for it. */
  private admit(
    account: Account,
    intent: OrderIntent,
    origin: Origin,
  ): StandInOrder | RejectReason {
    const instrument = this.instrument(intent.symbol);
    const feeCoin = intent.feeCoin ?? this.feeCoin;
    const priced = { side: intent.side, feeCoin };
    const levels = this.levels(intent.symbol, intent.side);
    const quantity = intent.quantity ?? this.affordable(intent.spend ?? ZERO, levels, instrument);
    if (quantity < instrument.minQuantity || quantity <= 0n) return 'below-min-quantity';
    const worst = intent.limit ?? intent.stop ?? reached(levels, quantity);
    if (worst === null) return 'no-liquidity';
    const hold = holdFor(priced, quantity, worst, instrument, this.parts.conventions);
    // Who states what to spend holds just that: the quantity was worked out from it.
    if (intent.spend !== null) hold.amount = minimum(hold.amount, intent.spend);
    if (account.free(hold.coin) < hold.amount) return 'insufficient-funds';
    account.hold(hold.coin, hold.amount);
    const isApi = origin.by === 'api';
    const now = this.parts.clock.now();
    const order: StandInOrder = {
      ...intent,
      feeCoin,
      id: this.parts.ids.order((this.orderNumber += 1)),
      number: this.orderNumber,
      account: account.name,
      by: origin.by,
      quantity,
      state: 'open',
      waiting: intent.stop !== null,
      placedAtMs: now,
      changedAtMs: now,
      closedAtMs: null,
      filled: ZERO,
      cost: ZERO,
      fills: [],
      fees: new Map(),
      hold,
      reason: null,
      script: isApi ? this.nextScript : PLAIN,
      hiddenUntilMs: isApi ? this.parts.clock.trueNow() + this.nextHiddenMs : 0,
    };
    if (isApi) [this.nextScript, this.nextHiddenMs] = [PLAIN, 0];
    this.orders.set(order.id, order);
    this.record(order, origin);
    this.scheduleExpiry(order);
    return order;
  }

  private record(order: StandInOrder, origin: Origin): void {
    const { id, account, clientOrderId, symbol, side, type, quantity, limit, stop } = order;
    this.parts.journal.write({
      kind: 'accepted',
      account,
      orderId: id,
      clientOrderId,
      symbol,
      side,
      type,
      quantity,
      limit,
      stop,
      by: origin.by,
      request: origin.request,
    });
  }

  private scheduleExpiry(order: StandInOrder): void {
    if (order.expiresAtMs === null) return;
    this.parts.clock.after(Math.max(0, order.expiresAtMs - this.parts.clock.now()), () => {
      if (order.state === 'open') this.end(order, 'expired', 'exchange', 'Good till date');
    });
  }

  private levels(symbol: string, side: 'buy' | 'sell'): Level[] {
    const book = this.parts.prices.book(this.instrument(symbol));
    return side === 'buy' ? book.asks : book.bids;
  }

  /** How much of the base coin this much money buys, fees included where they are in the quote coin. */
  private affordable(spend: Fixed, levels: Level[], instrument: Instrument): Fixed {
    const { conventions } = this.parts;
    const inQuote = (this.feeCoin ?? conventions.feeCoin) === 'quote';
    const rate = inQuote ? add(UNIT, conventions.takerRate) : UNIT;
    let [left, quantity] = [spend, ZERO];
    for (const level of levels) {
      const each = multiply(level.price, rate, 'up');
      const most = floorToStep(divide(left, each, 'down'), instrument.step);
      const taken = minimum(most, level.quantity);
      quantity = add(quantity, taken);
      left = subtract(left, multiply(taken, each, 'up'));
      if (taken < level.quantity) break;
    }
    return quantity;
  }

  /** Takes what the market offers at once; what is left rests, or ends with the order. */
  private execute(order: StandInOrder): void {
    if (order.timeInForce === 'fok' && !this.canFill(order)) {
      this.end(order, 'expired', 'exchange', 'Fill or kill');
      return;
    }
    for (const level of this.levels(order.symbol, order.side)) {
      if (order.state !== 'open') return;
      if (order.limit !== null && !reaches(order.side, order.limit, level.price)) break;
      this.take(order, level.price, level.quantity, false);
    }
    if (order.state !== 'open') return;
    const rests = order.limit !== null && order.timeInForce !== 'ioc';
    if (!rests) this.end(order, 'expired', 'exchange', 'No more to take');
  }

  private canFill(order: StandInOrder): boolean {
    const levels = this.levels(order.symbol, order.side).filter(
      ({ price }) => order.limit === null || reaches(order.side, order.limit, price),
    );
    return levels.reduce((sum, { quantity }) => add(sum, quantity), ZERO) >= order.quantity;
  }

  private trigger(order: StandInOrder, mid: Fixed): void {
    if (order.stop === null || !isTriggered(order.side, order.stop, mid)) return;
    order.waiting = false;
    order.changedAtMs = this.parts.clock.now();
    this.parts.journal.write({ kind: 'triggered', account: order.account, orderId: order.id });
    this.emit({ type: 'order', order, what: 'triggered' });
    this.execute(order);
  }

  /** A resting order meets the market: it fills at its own price, one part at a time. */
  private cross(order: StandInOrder): void {
    const best = this.levels(order.symbol, order.side)[0];
    if (order.limit === null || best === undefined) return;
    if (!reaches(order.side, order.limit, best.price)) return;
    const instrument = this.instrument(order.symbol);
    const { parts } = order.script;
    const left = subtract(order.quantity, order.filled);
    const share = floorToStep((order.quantity / BigInt(parts)) as Fixed, instrument.step);
    const isLast = parts === 1 || left < share * 2n || share === 0n;
    this.take(order, order.limit, isLast ? left : share, true);
  }

  /** Fills up to so much at a price, as the order's script allows. */
  private take(order: StandInOrder, price: Fixed, most: Fixed, maker: boolean): void {
    const { step } = this.instrument(order.symbol);
    const cap = scriptCap(order, step);
    const quantity = minimum(most, subtract(cap, order.filled));
    const pieces = maker ? 1n : BigInt(order.script.parts);
    const piece = floorToStep((quantity / pieces) as Fixed, step);
    for (let index = 1n; index < pieces && piece > 0n; index += 1n)
      this.fill(order, price, piece, maker);
    const rest = minimum(
      subtract(quantity, piece > 0n ? ((piece * (pieces - 1n)) as Fixed) : ZERO),
      subtract(cap, order.filled),
    );
    if (rest > 0n) this.fill(order, price, rest, maker);
    if (order.state === 'open' && order.filled >= cap)
      if (order.script.leavesDust) this.end(order, 'expired', 'exchange', 'Dust left');
      else this.end(order, 'cancelled', 'exchange', 'Cancelled by the exchange');
  }

  private fill(order: StandInOrder, price: Fixed, quantity: Fixed, maker: boolean): void {
    const { accounts, conventions, clock, ids, journal } = this.parts;
    const instrument = this.instrument(order.symbol);
    const account = accounts.get(order.account);
    const cost = rounded(multiply(price, quantity, 'half-even'), instrument.costDecimals);
    this.release(order);
    const charge = chargeOf(order, { quantity, cost, maker }, instrument, account, conventions);
    if (!canPay(order.side, quantity, cost, charge, instrument, account)) {
      this.end(order, 'cancelled', 'exchange', 'Insufficient funds');
      return;
    }
    this.fillNumber += 1;
    const fill: Fill = {
      id: ids.fill(this.fillNumber),
      number: this.fillNumber,
      orderId: order.id,
      clientOrderId: order.clientOrderId,
      account: order.account,
      symbol: order.symbol,
      side: order.side,
      price,
      quantity,
      cost,
      fee: charge.amount,
      feeCoin: charge.coin,
      maker,
      atMs: clock.now(),
      by: order.by,
    };
    journal.write({ kind: 'fill', fill });
    settle(account, fill, charge, instrument);
    order.fills.push(fill);
    order.filled = add(order.filled, quantity);
    order.cost = add(order.cost, cost);
    order.fees.set(charge.coin, add(order.fees.get(charge.coin) ?? ZERO, charge.amount));
    order.changedAtMs = fill.atMs;
    const left = subtract(order.quantity, order.filled);
    if (left === ZERO) this.close(order, 'filled', 'exchange', null);
    else this.holdAgain(order, left, price, account, instrument);
    this.emit({ type: 'fill', order, fill });
    if (order.state === 'filled') this.emit({ type: 'order', order, what: 'filled' });
  }

  private holdAgain(
    order: StandInOrder,
    left: Fixed,
    price: Fixed,
    account: Account,
    instrument: Instrument,
  ): void {
    const at = order.limit ?? price;
    const hold = holdFor(order, left, at, instrument, this.parts.conventions);
    hold.amount = minimum(hold.amount, account.free(hold.coin));
    account.hold(hold.coin, hold.amount);
    order.hold = hold;
  }

  private release(order: StandInOrder): void {
    this.parts.accounts.get(order.account).release(order.hold.coin, order.hold.amount);
    order.hold = { ...order.hold, amount: ZERO };
  }

  private close(order: StandInOrder, end: OrderEnd, by: Actor, reason: string | null): void {
    order.state = end;
    order.waiting = false;
    order.reason = reason;
    order.closedAtMs = this.parts.clock.now();
    order.changedAtMs = order.closedAtMs;
    const { account, id } = order;
    this.parts.journal.write({ kind: 'ended', account, orderId: id, end, by, reason });
  }

  private end(order: StandInOrder, end: OrderEnd, by: Actor, reason: string): void {
    this.release(order);
    this.close(order, end, by, reason);
    this.emit({ type: 'order', order, what: end });
  }
}

/** Whether an order at this limit trades against this price. */
function reaches(side: 'buy' | 'sell', limit: Fixed, price: Fixed): boolean {
  return side === 'buy' ? price <= limit : price >= limit;
}

function isTriggered(side: 'buy' | 'sell', stop: Fixed, mid: Fixed): boolean {
  return side === 'buy' ? mid >= stop : mid <= stop;
}

/** The price of the last level this much reaches; the last of all where the depth does not last. */
function reached(levels: Level[], quantity: Fixed): Fixed | null {
  let left = quantity;
  for (const level of levels) {
    left = subtract(left, level.quantity);
    if (left <= 0n) return level.price;
  }
  return levels.at(-1)?.price ?? null;
}

/** How much of an order its script lets be filled. */
function scriptCap(order: StandInOrder, step: Fixed): Fixed {
  const { fillThenCancel, leavesDust } = order.script;
  if (leavesDust) return subtract(order.quantity, minimum(step, order.quantity));
  if (fillThenCancel === null) return order.quantity;
  return floorToStep(multiply(order.quantity, fillThenCancel, 'down'), step);
}
