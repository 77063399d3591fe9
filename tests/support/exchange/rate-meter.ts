/** How hard a client leans on the exchange: what its requests cost, against what the real one allows. */
import type { CallName } from './calls.ts';
import type { DialectName } from './instruments.ts';

export interface RateLimit {
  /** The most that may be used up at once. */
  capacity: number;
  /** How much comes back each second; null where all of it does when a window ends. */
  perSecond: number | null;
  windowMs: number;
  /** What a call costs unless it is listed. */
  usual: number;
  costs: Partial<Record<CallName, number>>;
  /** What it costs to ask about several pairs, or about every one, at once. */
  wide?: Partial<Record<CallName, number>>;
}

export const RATE_LIMITS: Record<DialectName, RateLimit> = {
  /** The counter of an intermediate account; placing and cancelling have one of their own. */
  kraken: {
    capacity: 20,
    perSecond: 0.5,
    windowMs: 0,
    usual: 1,
    costs: { trades: 2, ledger: 2, place: 0, cancel: 0 },
  },
  coinbase: { capacity: 30, perSecond: null, windowMs: 1_000, usual: 1, costs: {} },
  binance: {
    capacity: 6_000,
    perSecond: null,
    windowMs: 60_000,
    usual: 1,
    costs: {
      markets: 20,
      ticker: 2,
      'best-prices': 2,
      book: 5,
      'public-trades': 25,
      order: 4,
      'open-orders': 6,
      'closed-orders': 20,
      trades: 20,
      balances: 20,
    },
    wide: { ticker: 80, 'best-prices': 4, 'open-orders': 80 },
  },
};

export class RateMeter {
  private used = 0;
  private atMs = 0;
  private window = -1;
  private highest = 0;

  constructor(readonly limit: RateLimit) {}

  /** What the client has used at this moment, this call included. */
  spend(call: CallName, nowMs: number, isWide: boolean): number {
    const { perSecond, windowMs, usual, costs, wide } = this.limit;
    if (perSecond === null) {
      const window = Math.floor(nowMs / windowMs);
      if (window !== this.window) this.used = 0;
      this.window = window;
    } else {
      this.used = Math.max(0, this.used - (Math.max(0, nowMs - this.atMs) / 1_000) * perSecond);
      this.atMs = nowMs;
    }
    this.used += (isWide ? wide?.[call] : undefined) ?? costs[call] ?? usual;
    this.highest = Math.max(this.highest, this.used);
    return this.used;
  }

  get isExceeded(): boolean {
    return this.used > this.limit.capacity;
  }

  /** The most that was ever used, as a share of what is allowed. */
  get peakShare(): number {
    return this.highest / this.limit.capacity;
  }
}
