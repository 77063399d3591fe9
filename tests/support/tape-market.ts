/** A market on a made tape whose clock stands still until it is moved. */
import type { CandleInterval, MarketSource, SymbolQuote } from '../../contract/market.ts';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import { fixedFromNumber, formatFixed, parseFixed } from '../../contract/money.ts';
import { quoteAround } from '../../engine/execution/fills.ts';
import type { Candle, PairRules, Quote } from '../../engine/market-types.ts';
import type { Market } from '../../server/market/market-source.ts';
import type { TickBar } from '../../server/market/tick-bars.ts';
import { random } from './tape.ts';
import { refuseInTransaction } from './transaction-watch.ts';

export const STEP_MS = INTERVAL_MS['5m'];
export const TAPE_START = Date.UTC(2024, 0, 1);
const DAY_CANDLES = 288;

export const ruleFor = (pair: string): PairRules => {
  const [base = '', quote = ''] = pair.split('/');
  return {
    pair,
    base,
    quote,
    lot: parseFixed('0.000001'),
    minNotional: parseFixed('1'),
    halfSpreadBps: 2,
    feeBps: 10,
  };
};

export interface TapeOptions {
  pairs?: readonly string[];
  /**
   * Days before the first tick, 36 unless told: a month and some; the list of the year needs over
   * 90.
   */
  warmUpDays?: number;
  /** Candles after the warm-up. */
  candles?: number;
  /** Coins near one that dip now and then, instead of waves. */
  pegged?: boolean;
  seed?: number;
  /** Sideways with noise; a day before the first tick every pair begins to rise. */
  drift?: number;
  sourceId?: string;
  /** Of the first pair at the start; the second costs twice as much. 100 unless told. */
  price?: number;
  kind?: MarketSource['kind'];
  /** What the account counts in. */
  quote?: string;
}

/**
 * Noise around a level for 35 days, then a rise on growing volume: momentum finds a reason,
 * quickly.
 */
function madeCandles(
  index: number,
  {
    warmUp,
    count,
    seed,
    drift,
    start,
  }: { warmUp: number; count: number; seed: number; drift: number; start: number },
): Candle[] {
  const next = random(seed + index * 977);
  let price = start * (index + 1);
  return Array.from({ length: count }, (_, n) => {
    const rising = n >= warmUp - DAY_CANDLES;
    const open = price;
    const phase = (n - warmUp + DAY_CANDLES) % 700;
    const wave = rising ? drift * (phase < 430 ? 1 : -1.3) : 0;
    const close = Math.max(1, open * Math.exp(wave + 0.0012 * (next() - 0.5)));
    price = close;
    return {
      time: TAPE_START + n * STEP_MS,
      open,
      high: Math.max(open, close) * 1.0003,
      low: Math.min(open, close) * 0.9997,
      close,
      volume: (rising ? 90_000 : 40_000) / (index + 1),
    };
  });
}

/**
 * A coin that strays a little around one, and dips for an hour twice a day: far enough to pay for
 * the way back.
 */
function peggedCandles(index: number, count: number, seed: number): Candle[] {
  const next = random(seed + index * 977);
  let price = 1;
  return Array.from({ length: count }, (_, n) => {
    const open = price;
    const phase = (n + index * 40) % 144;
    price = (phase >= 100 && phase < 112 ? 0.9925 : 1) + 0.0002 * (next() - 0.5);
    return {
      time: TAPE_START + n * STEP_MS,
      open,
      high: Math.max(open, price),
      low: Math.min(open, price),
      close: price,
      volume: 2_000_000,
    };
  });
}

export class TapeMarket implements Market {
  readonly baseInterval: CandleInterval = '5m';
  readonly finestInterval: CandleInterval = '5m';
  readonly source: MarketSource;
  readonly tape = new Map<string, Candle[]>();
  /** How many of the newest candles of a length there are, as at Kraken; without it, all. */
  candlesKept: number | null = null;
  /** False: as an exchange that has not answered since the start of the server. */
  private isNamed = true;
  private readonly listeners = new Set<(quote: Quote) => void>();
  private readonly quotes = new Map<string, Quote>();
  private readonly stale = new Set<string>();
  private readonly told = new Map<string, Candle[]>();
  private readonly rulesOf = new Map<string, PairRules>();
  private at: number;

  constructor({
    pairs = ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'],
    warmUpDays = 36,
    candles = 2_000,
    seed = 5,
    drift = 0.0004,
    sourceId = 'tape',
    pegged = false,
    price = 100,
    kind = 'simulated',
    quote = 'USDT',
  }: TapeOptions = {}) {
    this.source = { id: sourceId, kind, label: 'Made tape', quote };
    const warmUp = warmUpDays * DAY_CANDLES;
    this.at = TAPE_START + warmUp * STEP_MS + 1;
    pairs.forEach((pair, index) => {
      this.rulesOf.set(pair, ruleFor(pair));
      this.tape.set(
        pair,
        pegged
          ? peggedCandles(index, warmUp + candles, seed)
          : madeCandles(index, { warmUp, count: warmUp + candles, seed, drift, start: price }),
      );
    });
    this.sayOpens();
  }

  now(): number {
    return this.at;
  }
  rules(pair: string): PairRules | null {
    return this.isNamed ? (this.rulesOf.get(pair) ?? null) : null;
  }
  pairs(): readonly PairRules[] {
    return this.isNamed ? [...this.rulesOf.values()] : [];
  }
  quote(pair: string): Quote | null {
    return this.quotes.get(pair) ?? null;
  }
  isStale(pair: string): boolean {
    return this.stale.has(pair) || !this.quotes.has(pair);
  }
  refused(): Readonly<Record<string, number>> {
    return {};
  }
  dayLine(): null {
    return null;
  }
  async forming(): Promise<null> {
    refuseInTransaction('An open candle');
    return null;
  }
  bars(): readonly TickBar[] {
    return [];
  }

  symbol(pair: string): SymbolQuote | null {
    const quote = this.quote(pair);
    return (
      quote && {
        symbol: pair,
        price: formatFixed(quote.last),
        bid: formatFixed(quote.bid),
        ask: formatFixed(quote.ask),
        volume_24h: null,
        high_24h: null,
        low_24h: null,
        price_change_24h: null,
        timestamp: quote.at,
        stale: this.isStale(pair),
      }
    );
  }

  onQuote(listener: (quote: Quote) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  oldest(interval: CandleInterval): number {
    const length = INTERVAL_MS[interval];
    return this.candlesKept === null
      ? 0
      : (Math.floor(this.at / length) - this.candlesKept + 1) * length;
  }

  async candles(
    pair: string,
    interval: CandleInterval,
    since: number,
    to: number,
  ): Promise<Candle[]> {
    refuseInTransaction(`A candle of ${pair}`);
    if (!this.isNamed) return [];
    const from = Math.max(since, this.oldest(interval));
    const end = Math.min(to, this.at);
    const fine = this.tape.get(pair) ?? [];
    const length = INTERVAL_MS[interval];
    if (length === STEP_MS)
      return fine.filter((candle) => candle.time >= from && candle.time + STEP_MS <= end);
    return fine.flatMap((last): Candle[] => {
      const open = fine[(last.time - TAPE_START - length) / STEP_MS + 1];
      if (
        (last.time + STEP_MS) % length !== 0 ||
        open === undefined ||
        open.time < from ||
        last.time + STEP_MS > end
      )
        return [];
      const parts = fine.slice(
        (open.time - TAPE_START) / STEP_MS,
        (last.time - TAPE_START) / STEP_MS + 1,
      );
      return [
        {
          time: open.time,
          open: open.open,
          high: Math.max(...parts.map((part) => part.high)),
          low: Math.min(...parts.map((part) => part.low)),
          close: last.close,
          volume: parts.reduce((all, part) => all + part.volume, 0),
        },
      ];
    });
  }

  async history(pair: string, lookbackMs: number, to: number): Promise<Candle[]> {
    refuseInTransaction(`A candle of ${pair}`);
    if (!this.isNamed) return [];
    const key = `${pair} ${lookbackMs} ${Math.floor(to / STEP_MS)}`;
    const known = this.told.get(key);
    if (known !== undefined) return known;
    const candles = await this.candles(pair, '5m', to - lookbackMs, to);
    this.told.clear();
    this.told.set(key, candles);
    return candles;
  }

  /**
   * Moves the clock over `count` closes; after each, every pair is quoted at the open of the next
   * candle unless silent.
   */
  step(count = 1, silent: readonly string[] = []): void {
    for (let i = 0; i < count; i += 1) {
      this.at = (Math.floor(this.at / STEP_MS) + 1) * STEP_MS + 1;
      this.sayOpens(silent);
    }
  }

  /** Moves the clock without a word: the server was down. */
  sleep(ms: number): void {
    this.at += ms;
  }

  /** The server starts and the exchange does not answer: no pairs, no prices and no candles. */
  unname(): void {
    this.isNamed = false;
    this.quotes.clear();
  }

  /** The exchange has named its pairs; prices come as they are said. */
  name(): void {
    this.isNamed = true;
  }

  /** As after a start: the pair has had no price yet. */
  unquote(pair: string): void {
    this.quotes.delete(pair);
  }

  /** A price of one pair now. */
  say(pair: string, price: number): Quote {
    const rules = this.rulesOf.get(pair);
    if (rules === undefined) throw new Error(`No such pair ${pair}`);
    const quote = quoteAround(rules, this.at, fixedFromNumber(price, 8));
    this.quotes.set(pair, quote);
    for (const listener of this.listeners) listener(quote);
    return quote;
  }

  silence(pair: string): void {
    this.stale.add(pair);
  }

  /** Rewrites a candle of the tape that has not closed yet. */
  bend(pair: string, time: number, candle: Partial<Candle>): void {
    const list = this.tape.get(pair);
    const index = list?.findIndex((one) => one.time === time) ?? -1;
    const before = list?.[index];
    if (list === undefined || before === undefined) throw new Error('No such candle');
    list[index] = { ...before, ...candle };
  }

  private sayOpens(silent: readonly string[] = []): void {
    if (!this.isNamed) return;
    const tick = Math.floor(this.at / STEP_MS) * STEP_MS;
    for (const pair of this.rulesOf.keys()) {
      if (silent.includes(pair)) continue;
      const candle = this.tape.get(pair)?.[(tick - TAPE_START) / STEP_MS];
      if (candle !== undefined) this.say(pair, candle.open);
    }
  }
}

/** An exchange's market of which a test says each price. */
export const spokenMarket = (pairs: readonly string[], quote: string): TapeMarket =>
  new TapeMarket({ pairs: [...pairs], warmUpDays: 0, candles: 2, quote, kind: 'exchange' });
