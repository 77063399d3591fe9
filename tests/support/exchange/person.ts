/** The person at the exchange's own site: trades by hand, cancels, deposits, withdraws, and takes keys away. */
import {
  ZERO,
  floorToStep,
  multiply,
  negate,
  parseFixed,
  type Fixed,
} from '../../../contract/money.ts';
import type { Accounts } from './accounts.ts';
import type { ExchangeClock } from './exchange-clock.ts';
import type { Instrument } from './instruments.ts';
import type { MatchingCore } from './matching-core.ts';
import type { OrderIntent, Placed, Side } from './orders.ts';

export interface HandOrder {
  account: string;
  symbol: string;
  side: Side;
  quantity: string;
  /** A market order where it is absent. */
  limit?: string;
}

/** No exchange lets out less than that of any coin. */
const SMALLEST = parseFixed('0.00000001');

function byHand(symbol: string, side: Side, quantity: Fixed, limit: Fixed | null): OrderIntent {
  return {
    clientOrderId: null,
    symbol,
    side,
    type: limit === null ? 'market' : 'limit',
    quantity,
    spend: null,
    limit,
    stop: null,
    timeInForce: 'gtc',
    expiresAtMs: null,
    postOnly: false,
    deadlineMs: null,
    feeCoin: null,
  };
}

export class Person {
  private transfers = 0;

  constructor(
    private readonly core: MatchingCore,
    private readonly accounts: Accounts,
    private readonly clock: ExchangeClock,
    private readonly instrumentOf: (symbol: string) => Instrument,
  ) {}

  trade(order: HandOrder): Placed {
    const limit = order.limit === undefined ? null : parseFixed(order.limit);
    const intent = byHand(order.symbol, order.side, parseFixed(order.quantity), limit);
    const arrivedMs = this.clock.now();
    return this.core.place(order.account, intent, { by: 'hand', request: null, arrivedMs });
  }

  /** Buys at market for so much money, as the site's simple form does. */
  buyFor(account: string, symbol: string, spend: string): Placed {
    const intent = {
      ...byHand(symbol, 'buy', ZERO, null),
      quantity: null,
      spend: parseFixed(spend),
    };
    const arrivedMs = this.clock.now();
    return this.core.place(account, intent, { by: 'hand', request: null, arrivedMs });
  }

  /** Sells a share of what is free of the pair's base coin; null where that is too little. */
  sellShare(account: string, symbol: string, share: Fixed): Placed | null {
    const { base, step, minQuantity } = this.instrumentOf(symbol);
    const free = this.accounts.get(account).free(base);
    const quantity = floorToStep(multiply(free, share, 'down'), step);
    if (quantity < minQuantity || quantity <= ZERO) return null;
    return this.core.place(account, byHand(symbol, 'sell', quantity, null), {
      by: 'hand',
      request: null,
      arrivedMs: this.clock.now(),
    });
  }

  /** Cancels every resting stop that a key placed; how many there were. */
  cancelStops(account: string): number {
    const stops = this.core
      .ordersOf(account)
      .filter(({ state, stop, by }) => state === 'open' && stop !== null && by === 'api');
    for (const { id } of stops) this.core.cancel(account, id, 'hand', 'User requested');
    return stops.length;
  }

  cancel(account: string, orderId: string): boolean {
    return this.core.cancel(account, orderId, 'hand', 'User requested').kind === 'cancelled';
  }

  deposit(account: string, coin: string, amount: string): void {
    this.core.transfer(account, coin, parseFixed(amount), this.reference());
  }

  /** @throws Error when it is more than is free: no exchange lets that out. */
  withdraw(account: string, coin: string, amount: string): void {
    const wanted = parseFixed(amount);
    if (wanted > this.accounts.get(account).free(coin))
      throw new Error(`${account} has not that much free ${coin}`);
    this.core.transfer(account, coin, negate(wanted), this.reference());
  }

  /** Withdraws a share of what is free; the amount. */
  withdrawShare(account: string, coin: string, share: Fixed): Fixed {
    const free = this.accounts.get(account).free(coin);
    const amount = floorToStep(multiply(free, share, 'down'), SMALLEST);
    if (amount > ZERO) this.core.transfer(account, coin, negate(amount), this.reference());
    return amount;
  }

  revokeKey(apiKey: string): void {
    this.accounts.revoke(apiKey);
  }

  moveKey(apiKey: string, account: string): void {
    this.accounts.moveKey(apiKey, account);
  }

  private reference(): string {
    this.transfers += 1;
    return `transfer-${this.transfers}`;
  }
}
