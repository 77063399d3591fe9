/** What each exchange lets pass, by address and by key. Of these, at most 80 % is used. */
import type { LiveExchange } from '../../contract/signer.ts';
import type { Allowance } from './budget.ts';

interface Allowances {
  /** Of all requests of this process. */
  byAddress: Allowance;
  /** Of the requests with one key. */
  byKey: Allowance;
}

export const ALLOWANCES: Record<LiveExchange, Allowances> = {
  // A key's counter: 15 at the lowest tier, a third of a call given back a second. Public calls: one
  // a second by address.
  kraken: {
    byAddress: { burst: 15, perSecond: 5 },
    byKey: { burst: 15, perSecond: 0.33 },
  },
  // 10 public requests a second by address, 30 private ones by user.
  coinbase: {
    byAddress: { burst: 10, perSecond: 10 },
    byKey: { burst: 30, perSecond: 30 },
  },
  // A weight of 6,000 a minute by address; orders are 50 in 10 seconds.
  binance: {
    byAddress: { burst: 6_000, perSecond: 100 },
    byKey: { burst: 6_000, perSecond: 100 },
  },
};
