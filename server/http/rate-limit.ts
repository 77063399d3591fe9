/** Token buckets per user and per address, with a separate one for Stop. */
import { createHash } from 'node:crypto';
import { Refusal } from '../../contract/errors.ts';
import type { WallClock } from '../clock.ts';
import { networkOf } from './network-of.ts';

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

  get capacity(): number {
    return Math.max(1, this.perSecond * BURST_SECONDS);
  }

  /** Takes one token for `key`. Throws 429 with the time after which there is one again. */
  take(key: string): void {
    const tokens = this.tokensOf(key);
    const allowed = tokens >= 1;
    this.keep(key, allowed ? tokens - 1 : tokens);
    if (!allowed) {
      throw new Refusal('rate_limited', 'Too many requests', {
        retryAfterMs: Math.ceil(((1 - tokens) / this.perSecond) * 1_000),
      });
    }
  }

  /**
   * Takes what was spent at another server, though nothing is left: the debt is worked off before
   * there is a token again.
   */
  spend(key: string, count: number): void {
    this.keep(key, Math.max(-this.capacity, this.tokensOf(key) - count));
  }

  private tokensOf(key: string): number {
    const bucket = this.buckets.get(key);
    if (bucket === undefined) return this.capacity;
    const elapsed = Math.max(0, this.clock.now() - bucket.at);
    return Math.min(this.capacity, bucket.tokens + (elapsed / 1_000) * this.perSecond);
  }

  private keep(key: string, tokens: number): void {
    // Taken out and put back, the map stays in order of last use, and the oldest are the first to
    // be forgotten.
    this.buckets.delete(key);
    this.buckets.set(key, { tokens, at: this.clock.now() });
    if (this.buckets.size > KEEP_MAX) this.forgetOldest();
  }

  private forgetOldest(): void {
    const oldest = this.buckets.keys().next();
    if (oldest.done !== true) this.buckets.delete(oldest.value);
  }
}

const BUCKETS = ['address', 'addressStop', 'user', 'userStop'] as const;
export type BucketName = (typeof BUCKETS)[number];

export const isBucketName = (name: string): name is BucketName =>
  (BUCKETS as readonly string[]).includes(name);

/** Told of each token that was taken. `key` contains no space, and is nobody's address. */
export type Spent = (name: BucketName, key: string) => void;

/** The four buckets of a request: address and user, each for stop and for everything else. */
export class RateLimits {
  private readonly buckets: Readonly<Record<BucketName, RateLimit>>;
  private spent: Spent = () => undefined;

  constructor(rates: { userPerSecond: number; ipPerSecond: number }, clock: WallClock) {
    this.buckets = {
      address: new RateLimit(rates.ipPerSecond, clock),
      addressStop: new RateLimit(rates.ipPerSecond, clock),
      user: new RateLimit(rates.userPerSecond, clock),
      userStop: new RateLimit(rates.userPerSecond, clock),
    };
  }

  onSpent(listener: Spent): void {
    this.spent = listener;
  }

  takeAddress(ip: string, isStop: boolean): void {
    this.take(isStop ? 'addressStop' : 'address', nameOf(ip));
  }

  takeUser(uid: string, isStop: boolean): void {
    this.take(isStop ? 'userStop' : 'user', uid);
  }

  capacityOf(name: BucketName): number {
    return this.buckets[name].capacity;
  }

  spentElsewhere(name: BucketName, key: string, count: number): void {
    this.buckets[name].spend(key, count);
  }

  private take(name: BucketName, key: string): void {
    this.buckets[name].take(key);
    this.spent(name, key);
  }
}

/** An address goes to other servers, and so through the database, under a name of its own. */
const nameOf = (ip: string): string =>
  createHash('sha256').update(networkOf(ip)).digest('base64url').slice(0, 16);
