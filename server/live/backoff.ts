/** How often the same is asked of an exchange: at once, then each time after twice as long. */

interface Tried {
  tries: number;
  nextMs: number;
}

export class Backoff {
  private readonly tried = new Map<string, Tried>();

  constructor(
    private readonly firstMs: number,
    private readonly mostMs: number,
  ) {}

  /** Whether its turn has come. */
  isDue(key: string, now: number): boolean {
    const known = this.tried.get(key);
    return known === undefined || now >= known.nextMs;
  }

  /** Whether its turn has come, which this takes. */
  take(key: string, now: number): boolean {
    if (!this.isDue(key, now)) return false;
    const tries = (this.tried.get(key)?.tries ?? 0) + 1;
    const waitMs = Math.min(this.mostMs, this.firstMs * 2 ** (tries - 1));
    this.tried.set(key, { tries, nextMs: now + waitMs });
    return true;
  }

  /** Whether it was ever its turn. */
  has(key: string): boolean {
    return this.tried.has(key);
  }

  /** The next time is the first again. */
  forget(key: string): void {
    this.tried.delete(key);
  }

  clear(): void {
    this.tried.clear();
  }
}
