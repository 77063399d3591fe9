/** Token buckets per user and per address, with a separate one for Stop. */
import { Refusal } from '../../contract/errors.ts';
import type { WallClock } from '../clock.ts';

const BURST_SECONDS = 15;
const KEEP_MAX = 20_000;

interface Bucket {
  tokens: number;
  at: number;
}

/** `perSecond` tokens flow in; fifteen seconds of them may be spent at once. */
export class RateLimit {
  private readonly buckets = new Map<string, Bucket>();

  constructor(
    private readonly perSecond: number,
    private readonly clock: WallClock,
  ) {}

  /** Takes one token for `key`. Throws 429 with the time after which there is one again. */
  take(key: string): void {
    const now = this.clock.now();
    const capacity = Math.max(1, this.perSecond * BURST_SECONDS);
    const bucket = this.buckets.get(key) ?? { tokens: capacity, at: now };
    const elapsed = Math.max(0, now - bucket.at);
    const tokens = Math.min(capacity, bucket.tokens + (elapsed / 1_000) * this.perSecond);
    // Taken out and put back, the map stays in order of last use, and the oldest are the first to
    // be forgotten.
    this.buckets.delete(key);
    const allowed = tokens >= 1;
    this.buckets.set(key, { tokens: allowed ? tokens - 1 : tokens, at: now });
    if (this.buckets.size > KEEP_MAX) this.forgetOldest();
    if (!allowed) {
      throw new Refusal('rate_limited', 'Too many requests', {
        retryAfterMs: Math.ceil(((1 - tokens) / this.perSecond) * 1_000),
      });
    }
  }

  private forgetOldest(): void {
    const oldest = this.buckets.keys().next();
    if (oldest.done !== true) this.buckets.delete(oldest.value);
  }
}

/** The four buckets of a request: address and user, each for stop and for everything else. */
export class RateLimits {
  private readonly address: RateLimit;
  private readonly addressStop: RateLimit;
  private readonly user: RateLimit;
  private readonly userStop: RateLimit;

  constructor(rates: { userPerSecond: number; ipPerSecond: number }, clock: WallClock) {
    this.address = new RateLimit(rates.ipPerSecond, clock);
    this.addressStop = new RateLimit(rates.ipPerSecond, clock);
    this.user = new RateLimit(rates.userPerSecond, clock);
    this.userStop = new RateLimit(rates.userPerSecond, clock);
  }

  takeAddress(ip: string, isStop: boolean): void {
    (isStop ? this.addressStop : this.address).take(ip);
  }

  takeUser(uid: string, isStop: boolean): void {
    (isStop ? this.userStop : this.user).take(uid);
  }
}
