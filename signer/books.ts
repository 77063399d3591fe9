/** The books of pairs as orders are judged by them: one request answers all who ask at the same moment. */
import type { Book, Waiting } from './exchanges/adapter.ts';
import { NotSent } from './exchanges/budget.ts';

/** How long one counts, from when its request left. */
const KEEP_MS = 2_000;

interface Reading {
  /** Null while it waits for the exchange's limit. */
  leftAtMs: number | null;
  /** How often an order of ours had changed the book by then. */
  changes: number;
  isAnswered: boolean;
  book: Promise<Book>;
}

interface Pair {
  /** How often an order of ours has changed the book. */
  changes: number;
  /** Oldest first: at most one that was answered, and those that are under way. */
  readings: Reading[];
}

export interface SaleAsk {
  /** How long it may wait. */
  untilMs: number;
  /** It is judged by an answer that is yet to come. */
  isNew: boolean;
}

export class Books {
  private readonly pairs = new Map<string, Pair>();

  constructor(
    private readonly read: (symbol: string, waiting: Waiting) => Promise<Book>,
    private readonly now: () => number,
  ) {}

  /** An order on the pair leaves, or has been answered. */
  changed(symbol: string): void {
    const pair = this.pairOf(symbol);
    pair.changes += 1;
    pair.readings = pair.readings.filter(({ isAnswered }) => !isAnswered);
  }

  /** As it is after every order of ours that has left: what one has taken is there for no other. */
  async ofPurchase(symbol: string): Promise<Book> {
    const pair = this.pairOf(symbol);
    for (;;) {
      const reading = this.usable(pair, false) ?? this.begin(pair, symbol, null);
      const book = await reading.book;
      if (reading.changes === pair.changes) return book;
    }
  }

  /**
   * All sales that wait for one answer are judged by it. What one takes the next does not find: it leaves
   * with a limit, and the rest is sold anew. A book each would let only a few of them out in time.
   */
  async ofSale(symbol: string, { untilMs, isNew }: SaleAsk): Promise<Book> {
    const pair = this.pairOf(symbol);
    for (;;) {
      const joined = this.usable(pair, isNew);
      try {
        return await (joined ?? this.begin(pair, symbol, untilMs)).book;
      } catch (error) {
        // Whoever asked for it had less patience.
        if (joined === undefined || !(error instanceof NotSent)) throw error;
      }
    }
  }

  private usable({ changes, readings }: Pair, isNew: boolean): Reading | undefined {
    return readings.find((one) => {
      // It shows whatever happens until it leaves.
      if (one.leftAtMs === null) return true;
      const ageMs = this.now() - one.leftAtMs;
      const isRecent = ageMs >= 0 && ageMs < KEEP_MS;
      return one.changes === changes && isRecent && !(isNew && one.isAnswered);
    });
  }

  private begin(pair: Pair, symbol: string, untilMs: number | null): Reading {
    const leaves = (): void => {
      reading.leftAtMs = this.now();
      reading.changes = pair.changes;
    };
    const book = this.read(symbol, { untilMs, leaves });
    const reading: Reading = { leftAtMs: null, changes: pair.changes, isAnswered: false, book };
    pair.readings.push(reading);
    book.then(
      () => {
        reading.isAnswered = true;
        const isLast = (one: Reading): boolean =>
          !pair.readings.some(
            (other) => other.isAnswered && (other.leftAtMs ?? 0) > (one.leftAtMs ?? 0),
          );
        pair.readings = pair.readings.filter((one) => !one.isAnswered || isLast(one));
      },
      // Those that left before it may still be answered.
      () => {
        pair.readings = pair.readings.filter((one) => one !== reading);
      },
    );
    return reading;
  }

  private pairOf(symbol: string): Pair {
    const pair = this.pairs.get(symbol) ?? { changes: 0, readings: [] };
    this.pairs.set(symbol, pair);
    return pair;
  }
}
