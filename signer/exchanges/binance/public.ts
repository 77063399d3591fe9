/** Binance's public data: pairs, books, volumes and its clock. */
import type { Fixed } from '../../../contract/money.ts';
import type { PairRules } from '../../../contract/venue.ts';
import {
  ReadFailed,
  RULES_NOW_KEEP_MS,
  type Book,
  type BookUse,
  type PublicData,
} from '../adapter.ts';
import { exactAmount } from '../amounts.ts';
import type { Door } from '../door.ts';
import { BINANCE_ENDPOINTS as AT } from '../endpoints.ts';
import { Kept, KeptBySymbol } from '../kept.ts';
import { mapped, read } from '../verdict.ts';
import { judgeBinance } from './classify.ts';
import {
  binanceNames,
  BookReply,
  RulesReply,
  TickerReply,
  TimeReply,
  type BinanceNames,
} from './replies.ts';

const NAMES_KEEP_MS = 10 * 60_000;
const LEVELS = '50';
const BOOK_AT = { order: AT.book, mark: AT.mark } as const;

export class BinancePublic implements PublicData {
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

  constructor(private readonly door: Door) {}

  names(): Promise<BinanceNames> {
    return this.kept.get();
  }

  forgetRules(): void {
    this.kept.forget();
  }

  async rules() {
    return (await this.names()).rules;
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
    return mapped(() => binanceNames(reply)).rules.get(symbol) ?? null;
  }

  async time(): Promise<number> {
    return (await read(this.door, judgeBinance, TimeReply, AT.time)).serverTime;
  }

  async book(symbol: string, use: BookUse = 'order'): Promise<Book> {
    const reply = await read(this.door, judgeBinance, BookReply, BOOK_AT[use], {
      symbol: await this.pairOf(symbol),
      limit: LEVELS,
    });
    const levels = (side: typeof reply.bids) =>
      side.map(([price, quantity]) => ({
        price: exactAmount(price),
        quantity: exactAmount(quantity),
      }));
    return mapped(() => ({ bids: levels(reply.bids), asks: levels(reply.asks) }));
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
    return mapped(() => binanceNames(reply));
  }
}
