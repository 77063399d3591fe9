/** The market as the signer sees it itself, so that nobody can tell it a price. */
import { UNIT, ZERO, type Fixed } from '../contract/money.ts';
import type { OrderSide, PairRules } from '../contract/venue.ts';
import { Books, type SaleAsk } from './books.ts';
import { ReadFailed, type PublicData } from './exchanges/adapter.ts';
import { Kept, KeptBySymbol } from './exchanges/kept.ts';
import { DOLLARS, type MarketFacts } from './limits.ts';
import { Marks } from './marks.ts';

const RULES_KEEP_MS = 10 * 60_000;
const VOLUME_KEEP_MS = 60 * 60_000;

/** How each exchange says that it does not know a pair. */
const PAIR_GONE = /asset pair$|^unlisted:(unknown_pair|-1121|NOT_FOUND)$/;

/** What is held would bring so much a unit. */
interface Held {
  marks: ReadonlyMap<string, Fixed>;
  /** Of the list that they were asked by. */
  rules: ReadonlyMap<string, PairRules>;
}

export class MarketView {
  private readonly rules: Kept<Awaited<ReturnType<PublicData['rules']>>>;
  /**
   * Of what holdings are valued by, which may know sooner that a pair is gone. The server's list is
   * as old as the one that orders are judged by: a stop that it places is not to be turned down.
   */
  private readonly listed: Kept<Awaited<ReturnType<PublicData['rules']>>>;
  private readonly books: Books;
  private readonly volumes: KeptBySymbol<Fixed>;
  private readonly marks: Marks;

  constructor(
    readonly data: PublicData,
    now: () => number,
  ) {
    this.rules = new Kept(() => data.rules(), RULES_KEEP_MS, now);
    this.listed = new Kept(() => data.rules(), RULES_KEEP_MS, now);
    this.books = new Books((symbol, waiting) => data.book(symbol, waiting), now);
    this.volumes = new KeptBySymbol((symbol) => data.dayVolume(symbol), VOLUME_KEEP_MS, now);
    this.marks = new Marks(data, now);
  }

  /**
   * A sale is judged without the day's volume: less must be able to hold it back. `ReadFailed` and
   * `NotSent` pass through: without facts nothing is signed.
   */
  async factsOf(symbol: string, side: OrderSide, sale: SaleAsk): Promise<MarketFacts> {
    // The exchange itself refuses a sale by rules that do not hold any more.
    const all = side === 'sell' ? await this.rules.getOrLast() : await this.rules.get();
    const rules = all.get(symbol) ?? null;
    if (rules === null) return { rules, book: { bids: [], asks: [] }, dayVolume: ZERO };
    if (side === 'sell')
      return { rules, book: await this.books.ofSale(symbol, sale), dayVolume: ZERO };
    const dayVolume = await this.volumes.get(symbol);
    return { rules, book: await this.books.ofPurchase(symbol), dayVolume };
  }

  /** An order on the pair leaves, or has been answered. */
  forgetBook(symbol: string): void {
    this.books.changed(symbol);
  }

  /** Step, least size or status may be others by now. */
  forgetRules(): void {
    this.data.forgetRules();
    this.rules.forget();
    this.listed.forget();
  }

  /** An order on the pair was rejected: what was said of it a moment ago may hold no more. */
  forgetNow(symbol: string): void {
    this.data.forgetNow(symbol);
  }

  /** `orLast`: for whoever knows none. What is bought is judged by a list that counts all the same. */
  async rulesOf(symbols: readonly string[], orLast = false) {
    const all = orLast ? await this.rules.getOrLast() : await this.rules.get();
    return symbols.length === 0
      ? [...all.values()]
      : symbols.flatMap((symbol) => all.get(symbol) ?? []);
  }

  /** As the exchange says now, or said seconds ago; a pair that it does not list is left out. */
  async rulesNowOf(symbols: readonly string[]): Promise<PairRules[]> {
    const known = await this.rules.getOrLast();
    const listed = symbols.filter((symbol) => known.has(symbol));
    const now = await Promise.all(listed.map((symbol) => this.data.rulesNow(symbol)));
    return now.flatMap((rules) => rules ?? []);
  }

  /** What a coin is worth in dollars; null where no pair tells. */
  async dollarsOf(asset: string): Promise<Fixed | null> {
    if (DOLLARS.has(asset)) return UNIT;
    const rules = await this.listed.get();
    for (const dollar of DOLLARS) {
      const symbol = `${asset}/${dollar}`;
      const marks = rules.has(symbol) ? await this.marks.of([symbol], rules) : null;
      const mark = marks?.get(symbol);
      if (mark !== undefined) return mark.middle;
    }
    return null;
  }

  /**
   * What a unit of each pair would bring now: the best bid. A pair without a book is left out, as is
   * one that is not listed any more.
   */
  async marksOf(symbols: readonly string[]): Promise<Held> {
    if (symbols.length === 0) return { marks: new Map(), rules: new Map() };
    const known = await this.listed.get();
    try {
      return await this.marksIn(known, symbols);
    } catch (error) {
      if (!(error instanceof ReadFailed) || !PAIR_GONE.test(error.cause)) throw error;
    }
    // One of them is gone since the list was read.
    this.data.forgetRules();
    this.listed.forget();
    return this.marksIn(await this.listed.get(), symbols);
  }

  private async marksIn(rules: Held['rules'], symbols: readonly string[]): Promise<Held> {
    const listed = symbols.filter((symbol) => rules.has(symbol));
    const marks = await this.marks.of(listed, rules);
    return { rules, marks: new Map([...marks].map(([symbol, { bid }]) => [symbol, bid])) };
  }
}
