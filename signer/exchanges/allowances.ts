/**
 * What each exchange lets pass, by address and by key. Of these, at most 80 % is used. Where an
 * exchange counts what came within a span, what is let pass at once and what comes back within the
 * span make up its limit together.
 */
import type { LiveExchange } from '../../contract/signer.ts';
import type { Allowance } from './budget.ts';

interface Allowances {
  /** Of this process's address: public requests only, or all. */
  byAddress: Allowance & {
    counts: 'public' | 'all';
    /** What a ban of the address holds back. */
    bans: 'public' | 'all';
  };
  /** Of one key: everything private, or orders only. */
  byKey: Allowance & { counts: 'private' | 'orders' };
}

export const ALLOWANCES: Record<LiveExchange, Allowances> = {
  // A key's counter: 15 at the lowest tier, one given back in three seconds. Public calls: one a
  // second. Orders have limits of their own, by pair, which nobody reaches here.
  kraken: {
    byAddress: { burst: 10, perSecond: 1, counts: 'public', bans: 'all' },
    byKey: { burst: 15, perSecond: 0.33, counts: 'private' },
  },
  // Within a second 10 public requests by address, and 30 private ones by user.
  coinbase: {
    byAddress: { burst: 5, perSecond: 5, counts: 'public', bans: 'public' },
    byKey: { burst: 12, perSecond: 18, counts: 'private' },
  },
  // A weight of 6,000 a minute by address, of which each answer tells what was used, and within 10
  // seconds 50 orders by account.
  binance: {
    byAddress: { burst: 6_000, perSecond: 100, counts: 'all', bans: 'all' },
    byKey: { burst: 20, perSecond: 3, counts: 'orders' },
  },
};
