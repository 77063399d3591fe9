/** Kraken's public data: names, rules, books, volumes and its clock. */
import { multiply, type Fixed } from '../../../contract/money.ts';
import { exactAmount } from '../amounts.ts';
import type { Book, BookUse, PublicData } from '../adapter.ts';
import { ReadFailed } from '../adapter.ts';
import type { Door } from '../door.ts';
import { KRAKEN_ENDPOINTS as AT } from '../endpoints.ts';
import { Kept } from '../kept.ts';
import { mapped, read } from '../verdict.ts';
import { krakenJudge } from './adapter.ts';
import { KrakenNow } from './now.ts';
import { AssetsReply, krakenNames, PairsReply, type KrakenNames } from './pairs.ts';
import { BookReply, TickerReply, TimeReply } from './replies.ts';

const NAMES_KEEP_MS = 10 * 60_000;
const LEVELS = 50;
const BOOK_AT = { order: AT.book, mark: AT.mark } as const;

export class KrakenPublic implements PublicData {
  private readonly kept: Kept<KrakenNames>;
  private readonly now: KrakenNow;

  constructor(private readonly door: Door) {
    this.kept = new Kept(
      () => this.readNames(),
      NAMES_KEEP_MS,
      () => door.now(),
    );
    this.now = new KrakenNow(door, this);
  }

  names(): Promise<KrakenNames> {
    return this.kept.get();
  }

  forgetRules(): void {
    this.kept.forget();
  }

  async rules() {
    return (await this.names()).rules;
  }

  rulesNow(symbol: string) {
    return this.now.of(symbol);
  }

  forgetNow(symbol: string): void {
    this.now.forget(symbol);
  }

  async time(): Promise<number> {
    const { result } = await read(this.door, krakenJudge(this.door), TimeReply, AT.time);
    // Whole seconds: the middle of the second is the best guess.
    return result.unixtime * 1_000 + 500;
  }

  async book(symbol: string, use: BookUse = 'order'): Promise<Book> {
    const { result } = await read(this.door, krakenJudge(this.door), BookReply, BOOK_AT[use], {
      pair: await this.pairOf(symbol),
      count: String(LEVELS),
    });
    const [book] = Object.values(result);
    if (book === undefined) throw new ReadFailed('unreadable');
    const levels = (side: typeof book.asks) =>
      side.map(([price, quantity]) => ({
        price: exactAmount(price),
        quantity: exactAmount(quantity),
      }));
    return mapped(() => ({ bids: levels(book.bids), asks: levels(book.asks) }));
  }

  async dayVolume(symbol: string): Promise<Fixed> {
    const { result } = await read(this.door, krakenJudge(this.door), TickerReply, AT.ticker, {
      pair: await this.pairOf(symbol),
    });
    const [ticker] = Object.values(result);
    return mapped(() =>
      multiply(exactAmount(ticker?.v[1] ?? ''), exactAmount(ticker?.p[1] ?? ''), 'down'),
    );
  }

  private async pairOf(symbol: string): Promise<string> {
    const pair = (await this.names()).pairOf(symbol);
    if (pair === null) throw new ReadFailed('unlisted:unknown_pair');
    return pair;
  }

  private async readNames(): Promise<KrakenNames> {
    const judge = krakenJudge(this.door);
    const assets = await read(this.door, judge, AssetsReply, AT.assets);
    const pairs = await read(this.door, judge, PairsReply, AT.pairs);
    return mapped(() => krakenNames(assets.result, pairs.result));
  }
}
