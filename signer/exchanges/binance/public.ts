/** Binance's public data: pairs, books, volumes and its clock. */
import type { Fixed } from '../../../contract/money.ts';
import type { PairRules } from '../../../contract/venue.ts';
import {
  bestPricesOf,
  ReadFailed,
  RULES_NOW_KEEP_MS,
  type BestPrices,
  type Book,
  type PublicData,
  type Waiting,
} from '../adapter.ts';
import { askAmount, bidAmount, exactAmount, levelsOf } from '../amounts.ts';
import type { Door } from '../door.ts';
import { BINANCE_ENDPOINTS as AT } from '../endpoints.ts';
import { Kept, KeptBySymbol } from '../kept.ts';
import { NO_PAIRS_BEFORE, noneUnread, type OnUnread } from '../rows.ts';
import { mapped, read } from '../verdict.ts';
import { judgeBinance } from './classify.ts';
import {
  BestPricesReply,
  binanceNames,
  BookReply,
  RulesReply,
  TickerReply,
  TimeReply,
  type BinanceNames,
} from './replies.ts';

const NAMES_KEEP_MS = 10 * 60_000;
const LEVELS = '50';

export class BinancePublic implements PublicData {
  readonly readsPricesTogether = true;
  private readonly kept = new Kept(
    () => this.readNames(),
    NAMES_KEEP_MS,
    () => this.door.now(),
  );
  private readonly now = new KeptBySymbol(
    (symbol) => this.readNow(symbol),
    RULES_NOW_KEEP_MS,
    () => this.door.now(),
  );

  constructor(
    private readonly door: Door,
    private readonly onUnread: OnUnread,
  ) {}

  /** The last that could be read: names hardly change, and orders and lists wait for them. */
  names(): Promise<BinanceNames> {
    return this.kept.getOrLast();
  }

  forgetRules(): void {
    this.kept.forget();
  }

  async rules() {
    return (await this.kept.get()).rules;
  }

  rulesNow(symbol: string): Promise<PairRules | null> {
    return this.now.get(symbol);
  }

  forgetNow(symbol: string): void {
    this.now.forget(symbol);
  }

  private async readNow(symbol: string): Promise<PairRules | null> {
    const params = { symbol: await this.pairOf(symbol) };
    const reply = await read(this.door, judgeBinance, RulesReply, AT.rulesOfPair, params);
    const alone = { before: NO_PAIRS_BEFORE, onUnread: noneUnread };
    return mapped(() => binanceNames(reply, alone)).rules.get(symbol) ?? null;
  }

  async time(waiting?: Waiting): Promise<number> {
    return (await read(this.door, judgeBinance, TimeReply, AT.time, {}, waiting)).serverTime;
  }

  async book(symbol: string, waiting?: Waiting): Promise<Book> {
    const params = { symbol: await this.pairOf(symbol), limit: LEVELS };
    const reply = await read(this.door, judgeBinance, BookReply, AT.book, params, waiting);
    return mapped(() => ({
      bids: levelsOf('bids', reply.bids),
      asks: levelsOf('asks', reply.asks),
    }));
  }

  async bestPrices(symbols: readonly string[]): Promise<Map<string, BestPrices>> {
    const pairs = await Promise.all(symbols.map((symbol) => this.pairOf(symbol)));
    const names = await this.names();
    const rows = await read(this.door, judgeBinance, BestPricesReply, AT.marks, {
      symbols: JSON.stringify(pairs),
    });
    return mapped(
      () =>
        new Map(
          rows.flatMap(({ symbol, bidPrice, askPrice }): [string, BestPrices][] => {
            const best = bestPricesOf(bidAmount(bidPrice), askAmount(askPrice));
            return best === null ? [] : [[names.symbolOf(symbol), best]];
          }),
        ),
    );
  }

  async dayVolume(symbol: string): Promise<Fixed> {
    const { quoteVolume } = await read(this.door, judgeBinance, TickerReply, AT.ticker, {
      symbol: await this.pairOf(symbol),
    });
    return mapped(() => exactAmount(quoteVolume));
  }

  private async pairOf(symbol: string): Promise<string> {
    const pair = (await this.names()).pairOf(symbol);
    if (pair === null) throw new ReadFailed('unlisted:unknown_pair');
    return pair;
  }

  private async readNames(): Promise<BinanceNames> {
    const reply = await read(this.door, judgeBinance, RulesReply, AT.rules);
    const before = this.kept.last?.rules ?? NO_PAIRS_BEFORE;
    return mapped(() => binanceNames(reply, { before, onUnread: this.onUnread }));
  }
}
