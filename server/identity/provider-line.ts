/**
 * Limits requests to the identity provider: how many at once, how many waiting, and for how long.
 */
import { Refusal } from '../../contract/errors.ts';

/** The longest that a caller waits for the provider, its place in the line included. */
export const PROVIDER_LIMIT_MS = 4_000;
const RETRY_AFTER_MS = 5_000;

export const providerUnavailable = (): Refusal =>
  new Refusal('identity_unavailable', 'The identity provider is unavailable', {
    retryAfterMs: RETRY_AFTER_MS,
  });

export interface LineLimits {
  atOnce: number;
  /** Further callers are refused at once. */
  waiting: number;
  limitMs?: number;
}

export class ProviderLine {
  private readonly waiting: (() => void)[] = [];
  private under = 0;

  constructor(private readonly limits: LineLimits) {}

  /**
   * Runs `work` as soon as there is a place. Throws `identity_unavailable` where the line is full,
   * the time is up, or the provider failed; a Refusal of `work` passes. Work that ignores its
   * signal keeps its place until it ends.
   */
  async run<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { atOnce, waiting, limitMs = PROVIDER_LIMIT_MS } = this.limits;
    if (this.under >= atOnce && this.waiting.length >= waiting) throw providerUnavailable();
    const abort = new AbortController();
    const timer = setTimeout(() => {
      abort.abort(providerUnavailable());
    }, limitMs);
    const late = new Promise<never>((_resolve, reject) => {
      abort.signal.addEventListener('abort', () => {
        reject(providerUnavailable());
      });
    });
    try {
      await this.place(abort.signal, late);
      const running = work(abort.signal).finally(() => {
        this.release();
      });
      // After the limit nobody hears how it ended.
      running.catch(() => undefined);
      return await Promise.race([running, late]);
    } catch (error) {
      throw error instanceof Refusal ? error : providerUnavailable();
    } finally {
      clearTimeout(timer);
    }
  }

  private async place(signal: AbortSignal, late: Promise<never>): Promise<void> {
    if (this.under < this.limits.atOnce) {
      this.under += 1;
      return;
    }
    let take = (): void => undefined;
    const called = new Promise<void>((resolve) => {
      take = resolve;
    });
    this.waiting.push(take);
    signal.addEventListener('abort', () => {
      const index = this.waiting.indexOf(take);
      if (index >= 0) this.waiting.splice(index, 1);
    });
    await Promise.race([called, late]);
  }

  /** Whoever waits longest takes the place; else it is free. */
  private release(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.under -= 1;
    else next();
  }
}
