/** Kraken's public data: names, rules, books, volumes and its clock. */
import { multiply, type Fixed } from '../../../contract/money.ts';
import { askAmount, bidAmount, exactAmount, levelsOf } from '../amounts.ts';
import {
  bestPricesOf,
  ReadFailed,
  type BestPrices,
  type Book,
  type PublicData,
  type Waiting,
} from '../adapter.ts';
import type { Door } from '../door.ts';
import { KRAKEN_ENDPOINTS as AT } from '../endpoints.ts';
import { Kept } from '../kept.ts';
import { NO_PAIRS_BEFORE, type OnUnread } from '../rows.ts';
import { mapped, read } from '../verdict.ts';
import { krakenJudge } from './adapter.ts';
import { KrakenNow } from './now.ts';
import { AssetsReply, krakenNames, PairsReply, type KrakenNames } from './pairs.ts';
import { BestPricesReply, BookReply, TickerReply, TimeReply } from './replies.ts';

const NAMES_KEEP_MS = 10 * 60_000;
const LEVELS = 50;

export class KrakenPublic implements PublicData {
  readonly readsPricesTogether = true;
  private readonly kept: Kept<KrakenNames>;
  private readonly now: KrakenNow;

  constructor(
    private readonly door: Door,
    private readonly onUnread: OnUnread,
  ) {
    this.kept = new Kept(
      () => this.readNames(),
      NAMES_KEEP_MS,
      () => door.now(),
    );
    this.now = new KrakenNow(door, this);
  }

  /** The last that could be read: names hardly change, and orders and balances wait for them. */
  names(): Promise<KrakenNames> {
    return this.kept.getOrLast();
  }

  forgetRules(): void {
    this.kept.forget();
  }

  async rules() {
    return (await this.kept.get()).rules;
  }

  rulesNow(symbol: string) {
    return this.now.of(symbol);
  }

  forgetNow(symbol: string): void {
    this.now.forget(symbol);
  }

  async time(waiting?: Waiting): Promise<number> {
    const judge = krakenJudge(this.door);
    const { result } = await read(this.door, judge, TimeReply, AT.time, {}, waiting);
    // Whole seconds: the middle of the second is the best guess.
    return result.unixtime * 1_000 + 500;
  }

  async book(symbol: string, waiting?: Waiting): Promise<Book> {
    const judge = krakenJudge(this.door);
    const params = { pair: await this.pairOf(symbol), count: String(LEVELS) };
    const { result } = await read(this.door, judge, BookReply, AT.book, params, waiting);
    const [book] = Object.values(result);
    if (book === undefined) throw new ReadFailed('unreadable');
    return mapped(() => ({
      bids: levelsOf('bids', book.bids),
      asks: levelsOf('asks', book.asks),
    }));
  }

  async bestPrices(symbols: readonly string[]): Promise<Map<string, BestPrices>> {
    const pairs = await Promise.all(symbols.map((symbol) => this.pairOf(symbol)));
    const names = await this.names();
    const { result } = await read(this.door, krakenJudge(this.door), BestPricesReply, AT.marks, {
      pair: pairs.join(','),
    });
    return mapped(
      () =>
        new Map(
          Object.entries(result).flatMap(([pair, { a, b }]): [string, BestPrices][] => {
            const best = bestPricesOf(bidAmount(b[0] ?? ''), askAmount(a[0] ?? ''));
            return best === null ? [] : [[names.symbolOf(pair), best]];
          }),
        ),
    );
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
    const before = this.kept.last?.rules ?? NO_PAIRS_BEFORE;
    return mapped(() =>
      krakenNames(assets.result, pairs.result, { before, onUnread: this.onUnread }),
    );
  }
}
