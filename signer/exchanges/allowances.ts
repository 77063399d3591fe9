/** What each exchange lets pass, by address and by key. Of these, at most 80 % is used. */
import type { LiveExchange } from '../../contract/signer.ts';
import type { Allowance } from './budget.ts';

interface Allowances {
  /** Of this process's address: public requests only, or all. */
  byAddress: Allowance & { counts: 'public' | 'all' };
  /** Of one key: everything private, or orders only. */
  byKey: Allowance & { counts: 'private' | 'orders' };
}

export const ALLOWANCES: Record<LiveExchange, Allowances> = {
  // A key's counter: 15 at the lowest tier, one given back in three seconds. Public calls: one a
  // second. Orders have limits of their own, by pair, which nobody reaches here.
  kraken: {
    byAddress: { burst: 10, perSecond: 1, counts: 'public' },
    byKey: { burst: 15, perSecond: 0.33, counts: 'private' },
  },
  // 10 public requests a second by address, 30 private ones by user.
  coinbase: {
    byAddress: { burst: 10, perSecond: 10, counts: 'public' },
    byKey: { burst: 30, perSecond: 30, counts: 'private' },
  },
  // A weight of 6,000 a minute by address, and 50 orders in 10 seconds by account.
  binance: {
    byAddress: { burst: 6_000, perSecond: 100, counts: 'all' },
    byKey: { burst: 50, perSecond: 5, counts: 'orders' },
  },
};
