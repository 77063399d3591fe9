/** What a unit of each pair that is held would bring, known for half a minute. */
import type { Fixed } from '../contract/money.ts';
import type { PairRules } from '../contract/venue.ts';
import type { BestPrices, PublicData } from './exchanges/adapter.ts';

/** Old enough to ask seldom, new enough for a day's loss. */
const KEEP_MS = 30_000;
/** How long a pair is asked for together with others: each account is looked at once a minute. */
const WANTED_MS = 150_000;

export interface Mark {
  bid: Fixed;
  middle: Fixed;
}

/** Null for a pair without a book. */
interface Known {
  atMs: number;
  mark: Mark | null;
}

interface Reading {
  symbols: ReadonlySet<string>;
  done: Promise<void>;
}

const markOf = ({ bid, ask }: BestPrices): Mark => ({ bid, middle: ((bid + ask) / 2n) as Fixed });

export class Marks {
  private readonly known = new Map<string, Known>();
  private readonly wantedAtMs = new Map<string, number>();
  private readonly readings = new Set<Reading>();

  constructor(
    private readonly data: Pick<PublicData, 'bestPrices' | 'readsPricesTogether'>,
    private readonly now: () => number,
  ) {}

  /** Of pairs that are `listed`. One without a book is left out. */
  async of(
    symbols: readonly string[],
    listed: ReadonlyMap<string, PairRules>,
  ): Promise<Map<string, Mark>> {
    for (const symbol of symbols) this.wantedAtMs.set(symbol, this.now());
    for (;;) {
      const missing = symbols.filter((symbol) => !this.isKnown(symbol));
      if (missing.length === 0) break;
      const reading = [...this.readings].find((one) => missing.some((two) => one.symbols.has(two)));
      await (reading ?? this.begin(missing, listed)).done;
    }
    return new Map(
      symbols.flatMap((symbol): [string, Mark][] => {
        const mark = this.known.get(symbol)?.mark ?? null;
        return mark === null ? [] : [[symbol, mark]];
      }),
    );
  }

  private begin(missing: readonly string[], listed: ReadonlyMap<string, PairRules>): Reading {
    const symbols = new Set([...missing, ...this.others(listed)]);
    // Where each is a request of its own, those that came are kept when one does not.
    const parts = this.data.readsPricesTogether ? [[...symbols]] : [...symbols].map((one) => [one]);
    const done = Promise.all(parts.map((part) => this.readPart(part)))
      .then(() => undefined)
      .finally(() => this.readings.delete(reading));
    const reading: Reading = { symbols, done };
    this.readings.add(reading);
    return reading;
  }

  private async readPart(symbols: readonly string[]): Promise<void> {
    const prices = await this.data.bestPrices(symbols);
    const atMs = this.now();
    for (const symbol of symbols) {
      const best = prices.get(symbol);
      this.known.set(symbol, { atMs, mark: best === undefined ? null : markOf(best) });
    }
  }

  /** What is asked for with it, where that costs nothing. */
  private others(listed: ReadonlyMap<string, PairRules>): string[] {
    for (const [symbol, atMs] of this.wantedAtMs)
      if (!this.isWithin(atMs, WANTED_MS)) {
        this.wantedAtMs.delete(symbol);
        this.known.delete(symbol);
      }
    if (!this.data.readsPricesTogether) return [];
    return [...this.wantedAtMs.keys()].filter((symbol) => listed.has(symbol));
  }

  private isKnown(symbol: string): boolean {
    const known = this.known.get(symbol);
    return known !== undefined && this.isWithin(known.atMs, KEEP_MS);
  }

  /** Not where it was noted later than now: the clock was set back since. */
  private isWithin(atMs: number, ms: number): boolean {
    const ageMs = this.now() - atMs;
    return ageMs >= 0 && ageMs < ms;
  }
}
