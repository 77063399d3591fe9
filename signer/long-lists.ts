/**
 * Lists that an exchange may take longer over than whoever asked waits. One is read at a time, and
 * what was read is kept for who asks again: only what is newer is read then.
 */

/** Less than a server waits by far. A list that is read sooner is read anew each time. */
const LONG_MS = 60_000;
/** Lists lag, and clocks differ: what is newer is read from so long before. */
const OVERLAP_MS = 6 * 60_000;
/** What would save no more than this is let go. */
const SAVES_MS = 15 * 60_000;
/** Nobody asks for it any more. */
const KEPT_MS = 2 * 60 * 60_000;

/** All rows from one moment to another, of these pairs. */
interface Span {
  sinceMs: number;
  /** When the reading began: what came meanwhile it may have missed. */
  toMs: number;
  symbols: ReadonlySet<string>;
}

interface KeptRows<Row> extends Span {
  rows: ReadonlyMap<string, Row>;
  usedAtMs: number;
}

interface Reading extends Span {
  done: Promise<void>;
}

const covers = (span: Span, sinceMs: number, symbols: readonly string[]): boolean =>
  span.sinceMs <= sinceMs && symbols.every((symbol) => span.symbols.has(symbol));

const nothing = (): void => undefined;

export class LongLists<Row> {
  /** By whose list it is. */
  private readonly readings = new Map<string, Reading>();
  private readonly kept = new Map<string, KeptRows<Row>>();

  constructor(
    private readonly now: () => number,
    private readonly idOf: (row: Row) => string,
  ) {}

  /** `symbols`: those that the exchange is asked for by name; none where it gives all. */
  async read(
    owner: string,
    sinceMs: number,
    symbols: readonly string[],
    read: (sinceMs: number) => Promise<Row[]>,
  ): Promise<Row[]> {
    for (;;) {
      const reading = this.readings.get(owner);
      if (reading === undefined || !covers(reading, sinceMs, symbols)) break;
      const { toMs } = reading;
      await reading.done;
      // One that failed, or was short, has left nothing: it is read anew.
      if ((this.kept.get(owner)?.toMs ?? 0) < toMs) break;
    }
    return this.readOn(owner, sinceMs, symbols, read);
  }

  forget(owner: string): void {
    this.kept.delete(owner);
  }

  private readOn(
    owner: string,
    sinceMs: number,
    symbols: readonly string[],
    read: (sinceMs: number) => Promise<Row[]>,
  ): Promise<Row[]> {
    const known = this.keptFor(owner, sinceMs, symbols);
    const span: Span = {
      sinceMs: known?.sinceMs ?? sinceMs,
      toMs: this.now(),
      symbols: new Set(symbols),
    };
    const whole = (async () => {
      const rows = new Map(known?.rows);
      // What is read anew is the newer word.
      for (const row of await read(known === null ? sinceMs : known.toMs - OVERLAP_MS))
        rows.set(this.idOf(row), row);
      const isLong = known !== null || this.now() - span.toMs >= LONG_MS;
      if (isLong) this.kept.set(owner, { ...span, rows, usedAtMs: this.now() });
      return [...rows.values()];
    })();
    this.note(owner, { ...span, done: whole.then(nothing, nothing) });
    return whole;
  }

  private note(owner: string, reading: Reading): void {
    // A reading of more is what others may wait for.
    if (this.readings.has(owner)) return;
    this.readings.set(owner, reading);
    void reading.done.then(() => this.readings.delete(owner));
  }

  private keptFor(
    owner: string,
    sinceMs: number,
    symbols: readonly string[],
  ): KeptRows<Row> | null {
    const kept = this.kept.get(owner);
    if (kept === undefined) return null;
    const ageMs = this.now() - kept.usedAtMs;
    // Noted later than now: the clock was set back.
    const isOld = ageMs < 0 || ageMs > KEPT_MS || sinceMs > kept.toMs - SAVES_MS;
    if (isOld) this.kept.delete(owner);
    return !isOld && covers(kept, sinceMs, symbols) ? kept : null;
  }
}
