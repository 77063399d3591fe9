/** Values that are read again when they are too old. Those who ask meanwhile wait for the same read. */
import { NotSent } from './budget.ts';
import { ReadFailed } from './adapter.ts';

/** How long whoever is content with the last value waits for no other after a read that failed. */
const RETRY_MS = 30_000;

export class Kept<T> {
  /** What counts, and since when. */
  private known: { atMs: number; value: T } | null = null;
  private reading: Promise<T> | null = null;
  /** The last that could be read, however old. */
  private lastGood: { value: T } | null = null;
  private failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly read: () => Promise<T>,
    private readonly keepMs: number,
    private readonly now: () => number = Date.now,
  ) {}

  /** Read again at the next question: it is known to have changed. */
  forget(): void {
    this.known = null;
    this.reading = null;
  }

  get(): Promise<T> {
    const { known } = this;
    if (known !== null && this.isWithin(known.atMs, this.keepMs))
      return Promise.resolve(known.value);
    return this.reading ?? this.readAgain();
  }

  /** The last that could be read where it cannot be read now, or could not a moment ago. */
  async getOrLast(): Promise<T> {
    if (this.lastGood !== null && this.isWithin(this.failedAtMs, RETRY_MS))
      return this.lastGood.value;
    try {
      return await this.get();
    } catch (error) {
      const isUnread = error instanceof ReadFailed || error instanceof NotSent;
      if (!isUnread || this.lastGood === null) throw error;
      return this.lastGood.value;
    }
  }

  get last(): T | null {
    return this.lastGood?.value ?? null;
  }

  /** Not where it was noted later than now: the clock was set back, and nobody knows how old it is. */
  private isWithin(atMs: number, ms: number): boolean {
    const ageMs = this.now() - atMs;
    return ageMs >= 0 && ageMs < ms;
  }

  private readAgain(): Promise<T> {
    const reading = this.read();
    this.reading = reading;
    reading.then(
      (value) => {
        this.lastGood = { value };
        this.failedAtMs = Number.NEGATIVE_INFINITY;
        if (this.reading !== reading) return;
        this.known = { atMs: this.now(), value };
        this.reading = null;
      },
      () => {
        this.failedAtMs = this.now();
        if (this.reading === reading) this.reading = null;
      },
    );
    return reading;
  }
}

export class KeptBySymbol<T> {
  private readonly kept = new Map<string, Kept<T>>();

  constructor(
    private readonly read: (symbol: string) => Promise<T>,
    private readonly keepMs: number,
    private readonly now: () => number,
  ) {}

  get(symbol: string): Promise<T> {
    const kept = this.kept.get(symbol) ?? new Kept(() => this.read(symbol), this.keepMs, this.now);
    this.kept.set(symbol, kept);
    return kept.get();
  }

  forget(symbol: string): void {
    this.kept.get(symbol)?.forget();
  }
}
