/** Coinbase Advanced's public data: products, books, volumes and its clock. */
import { multiply, ZERO, type Fixed } from '../../../contract/money.ts';
import type { PairRules } from '../../../contract/venue.ts';
import {
  bestPricesOf,
  RULES_NOW_KEEP_MS,
  type BestPrices,
  type Book,
  type PublicData,
  type Waiting,
} from '../adapter.ts';
import { exactAmount, levelsOf } from '../amounts.ts';
import type { Door } from '../door.ts';
import { COINBASE_ENDPOINTS as AT, type Endpoint } from '../endpoints.ts';
import { Kept, KeptBySymbol } from '../kept.ts';
import { NO_PAIRS_BEFORE, type OnUnread } from '../rows.ts';
import { mapped, read } from '../verdict.ts';
import { judgeCoinbase } from './classify.ts';
import {
  BookReply,
  coinbasePairs,
  coinbaseRules,
  Product,
  productOf,
  ProductsReply,
  TimeReply,
} from './replies.ts';

const LEVELS = 50;

const RULES_KEEP_MS = 10 * 60_000;

export class CoinbasePublic implements PublicData {
  /** Each book is a request of its own. */
  readonly readsPricesTogether = false;
  private readonly kept = new Kept(
    () => this.readRules(),
    RULES_KEEP_MS,
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

  async time(waiting?: Waiting): Promise<number> {
    const reply = await read(this.door, judgeCoinbase, TimeReply, AT.time, {}, waiting);
    return Number(reply.epochMillis);
  }

  forgetRules(): void {
    this.kept.forget();
  }

  rules(): Promise<Map<string, PairRules>> {
    return this.kept.get();
  }

  /** The last that could be read. */
  knownRules(): Promise<Map<string, PairRules>> {
    return this.kept.getOrLast();
  }

  rulesNow(symbol: string): Promise<PairRules | null> {
    return this.now.get(symbol);
  }

  forgetNow(symbol: string): void {
    this.now.forget(symbol);
  }

  private async readNow(symbol: string): Promise<PairRules | null> {
    const product = await read(this.door, judgeCoinbase, Product, AT.product, {
      product_id: productOf(symbol),
    });
    return mapped(() => coinbaseRules(product));
  }

  private async readRules(): Promise<Map<string, PairRules>> {
    const { products } = await read(this.door, judgeCoinbase, ProductsReply, AT.products, {
      product_type: 'SPOT',
    });
    const before = this.kept.last ?? NO_PAIRS_BEFORE;
    return mapped(() => coinbasePairs(products, { before, onUnread: this.onUnread }));
  }

  book(symbol: string, waiting?: Waiting): Promise<Book> {
    return this.readBook(symbol, AT.book, LEVELS, waiting);
  }

  async bestPrices(symbols: readonly string[]): Promise<Map<string, BestPrices>> {
    const found = await Promise.all(
      symbols.map(async (symbol): Promise<[string, BestPrices][]> => {
        const { bids, asks } = await this.readBook(symbol, AT.mark, 1);
        const best = bestPricesOf(bids[0]?.price ?? ZERO, asks[0]?.price ?? ZERO);
        return best === null ? [] : [[symbol, best]];
      }),
    );
    return new Map(found.flat());
  }

  private async readBook(
    symbol: string,
    endpoint: Endpoint,
    levels: number,
    waiting?: Waiting,
  ): Promise<Book> {
    const params = { product_id: productOf(symbol), limit: String(levels) };
    const { pricebook } = await read(
      this.door,
      judgeCoinbase,
      BookReply,
      endpoint,
      params,
      waiting,
    );
    const side = (name: 'bids' | 'asks') =>
      levelsOf(
        name,
        pricebook[name].map(({ price, size }) => [price, size]),
      );
    return mapped(() => ({ bids: side('bids'), asks: side('asks') }));
  }

  async dayVolume(symbol: string): Promise<Fixed> {
    const product = await read(this.door, judgeCoinbase, Product, AT.product, {
      product_id: productOf(symbol),
    });
    return mapped(() =>
      multiply(exactAmount(product.volume_24h ?? ''), exactAmount(product.price ?? ''), 'down'),
    );
  }
}
