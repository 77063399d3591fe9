/** Values that are read again when they are too old. Those who ask meanwhile wait for the same read. */

export class Kept<T> {
  private value: { at: number; promise: Promise<T> } | null = null;

  constructor(
    private readonly read: () => Promise<T>,
    private readonly keepMs: number,
    private readonly now: () => number = Date.now,
  ) {}

  /** Read again at the next question: it is known to have changed. */
  forget(): void {
    this.value = null;
  }

  get(): Promise<T> {
    const { value } = this;
    const ageMs = value === null ? 0 : this.now() - value.at;
    // Noted later than now: the clock was set back, and how old it is nobody knows.
    if (value !== null && ageMs >= 0 && ageMs < this.keepMs) return value.promise;
    const promise = this.read();
    const next = { at: this.now(), promise };
    this.value = next;
    // A failed read is not kept.
    promise.catch(() => {
      if (this.value === next) this.value = null;
    });
    return promise;
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
