/** The market as the signer sees it itself, so that nobody can tell it a price. */
import { UNIT, ZERO, type Fixed } from '../contract/money.ts';
import type { OrderSide, PairRules } from '../contract/venue.ts';
import type { Book, PublicData } from './exchanges/adapter.ts';
import { Kept } from './exchanges/kept.ts';
import { DOLLARS, middleOf, type MarketFacts } from './limits.ts';

const RULES_KEEP_MS = 10 * 60_000;
/** However often the server asks. */
const RULES_NOW_KEEP_MS = 5_000;
const VOLUME_KEEP_MS = 60 * 60_000;
const BOOK_KEEP_MS = 2_000;
/** Old enough to ask seldom, new enough for a day's loss. */
const MARK_KEEP_MS = 30_000;

class BySymbol<T> {
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

  forgetAll(): void {
    this.kept.clear();
  }
}

interface Mark {
  bid: Fixed;
  middle: Fixed;
}

function markOf(book: Book): Mark | null {
  const middle = middleOf(book);
  return middle === null ? null : { bid: book.bids[0]?.price ?? ZERO, middle };
}

export class MarketView {
  private readonly rules: Kept<Awaited<ReturnType<PublicData['rules']>>>;
  private readonly rulesNow: BySymbol<PairRules | null>;
  private readonly books: BySymbol<Book>;
  private readonly volumes: BySymbol<Fixed>;
  private readonly marks: BySymbol<Mark | null>;
  /** How often an order of ours has changed the book of a pair. */
  private readonly changes = new Map<string, number>();

  constructor(
    readonly data: PublicData,
    now: () => number,
  ) {
    this.rules = new Kept(() => data.rules(), RULES_KEEP_MS, now);
    this.rulesNow = new BySymbol((symbol) => data.rulesNow(symbol), RULES_NOW_KEEP_MS, now);
    this.books = new BySymbol((symbol) => data.book(symbol), BOOK_KEEP_MS, now);
    this.volumes = new BySymbol((symbol) => data.dayVolume(symbol), VOLUME_KEEP_MS, now);
    this.marks = new BySymbol(
      async (symbol) => markOf(await data.book(symbol, 'mark')),
      MARK_KEEP_MS,
      now,
    );
  }

  /**
   * A sale is judged without the day's volume: less must be able to hold it back. `ReadFailed` and
   * `NotSent` pass through: without facts nothing is signed.
   */
  async factsOf(symbol: string, side: OrderSide): Promise<MarketFacts> {
    const rules = (await this.rules.get()).get(symbol) ?? null;
    if (rules === null) return { rules, book: { bids: [], asks: [] }, dayVolume: ZERO };
    const dayVolume = side === 'buy' ? await this.volumes.get(symbol) : ZERO;
    return { rules, book: await this.bookOf(symbol), dayVolume };
  }

  /** As it is after every order of ours that has left: what one has taken is there for no other. */
  private async bookOf(symbol: string): Promise<Book> {
    for (;;) {
      const changes = this.changes.get(symbol);
      const book = await this.books.get(symbol);
      if (this.changes.get(symbol) === changes) return book;
    }
  }

  /** An order on the pair leaves, or has been answered. */
  forgetBook(symbol: string): void {
    this.changes.set(symbol, (this.changes.get(symbol) ?? 0) + 1);
    this.books.forget(symbol);
  }

  /** An order was rejected: step, least size or status may be others by now. */
  forgetRules(): void {
    this.data.forgetRules();
    this.rules.forget();
    this.rulesNow.forgetAll();
  }

  async rulesOf(symbols: readonly string[]) {
    const all = await this.rules.get();
    return symbols.length === 0
      ? [...all.values()]
      : symbols.flatMap((symbol) => all.get(symbol) ?? []);
  }

  /** As the exchange says at this moment; a pair that it does not list is left out. */
  async rulesNowOf(symbols: readonly string[]): Promise<PairRules[]> {
    const known = await this.rules.get();
    const listed = symbols.filter((symbol) => known.has(symbol));
    const now = await Promise.all(listed.map((symbol) => this.rulesNow.get(symbol)));
    return now.flatMap((rules) => rules ?? []);
  }

  /** What a coin is worth in dollars; null where no pair tells. */
  async dollarsOf(asset: string): Promise<Fixed | null> {
    if (DOLLARS.has(asset)) return UNIT;
    const rules = await this.rules.get();
    for (const dollar of DOLLARS) {
      const symbol = `${asset}/${dollar}`;
      const mark = rules.has(symbol) ? await this.marks.get(symbol) : null;
      if (mark !== null) return mark.middle;
    }
    return null;
  }

  /** What a unit of each pair would bring now: the best bid. A pair without a book is left out. */
  async bidsOf(symbols: readonly string[]): Promise<Map<string, Fixed>> {
    const marks = await Promise.all(
      symbols.map(async (symbol) => ({ symbol, mark: await this.marks.get(symbol) })),
    );
    return new Map(
      marks.flatMap(({ symbol, mark }): [string, Fixed][] =>
        mark === null ? [] : [[symbol, mark.bid]],
      ),
    );
  }
}
