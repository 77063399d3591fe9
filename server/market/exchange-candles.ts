/** An exchange's closed candles by whole pages, each asked for once. */
import pLimit, { type LimitFunction } from 'p-limit';
import type { CandleInterval } from '../../contract/market.ts';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import type { Candle } from '../../engine/market-types.ts';
import type { WallClock } from '../clock.ts';
import { alignDown, alignUp, coarser, isSaneCandle } from './candle-building.ts';
import { ExchangeCandle, type ExchangeClient } from './exchange-client.ts';
import type { ExchangeVenue } from './exchange-venues.ts';
import type { CandleReader } from './feed.ts';

/** The page that still grows is asked for again at most this often. */
const REASK_MS = 3_000;
/** A candle that has just closed may be a moment late: this many more looks, this far apart. */
const LATE_LOOKS = 3;
const LATE_MS = 1_000;
const PAGES_KEPT = 4_000;

/** What not every exchange has by itself: Coinbase knows no 4h. */
const BUILT_FROM: Partial<Record<CandleInterval, CandleInterval>> = { '20m': '5m', '4h': '1h' };

type Limited = (work: () => Promise<Page>) => Promise<Page>;

/** Of the requests in flight, so many are never for a screen where there are more. */
const ENGINE_PLACES = 2;

/** However many look at charts, prices and the engine keep places of their own in `all`. */
export function candleLimits(
  all: LimitFunction,
  concurrency: number,
): Readonly<Record<CandleReader, Limited>> {
  const screens = pLimit(Math.max(1, concurrency - ENGINE_PLACES));
  return { engine: (work) => all(work), screen: (work) => screens(() => all(work)) };
}

interface Page {
  candles: Candle[];
  askedAt: number;
  /** Nothing more of it will come. */
  complete: boolean;
}

export class ExchangeCandles {
  private readonly pages = new Map<string, Page>();
  private readonly asking = new Map<string, Promise<Page>>();

  constructor(
    private readonly client: () => Promise<ExchangeClient>,
    private readonly limited: Readonly<Record<CandleReader, Limited>>,
    private readonly venue: Pick<ExchangeVenue, 'candlesAtOnce' | 'candlesKept'>,
    private readonly clock: WallClock,
  ) {}

  /**
   * When the oldest candle of this length opens that the exchange gives now; 0 where it gives all
   * there are. What was read earlier is kept, and `read` may know older ones.
   */
  oldest(interval: CandleInterval): number {
    const { candlesKept } = this.venue;
    if (candlesKept === null) return 0;
    const length = INTERVAL_MS[BUILT_FROM[interval] ?? interval];
    const first = alignDown(this.clock.now(), length) - (candlesKept - 1) * length;
    return alignUp(Math.max(0, first), INTERVAL_MS[interval]);
  }

  /** Closed candles with `from <= time` and close `<= to`, oldest first. */
  async read(
    pair: string,
    interval: CandleInterval,
    from: number,
    to: number,
    reader: CandleReader = 'engine',
  ): Promise<Candle[]> {
    const asked = BUILT_FROM[interval] ?? interval;
    const [length, wanted] = [INTERVAL_MS[asked], INTERVAL_MS[interval]];
    const first = alignUp(Math.max(0, from), wanted);
    const end = alignDown(Math.min(to, this.clock.now()), wanted);
    if (first >= end) return [];
    const pageMs = this.venue.candlesAtOnce * length;
    const starts: number[] = [];
    for (let start = alignDown(first, pageMs); start < end; start += pageMs) starts.push(start);
    const pages = await Promise.all(
      starts.map((start) => this.page(pair, asked, start, Math.min(end, start + pageMs), reader)),
    );
    const found = pages
      .flat()
      .filter((candle) => candle.time >= first && candle.time + length <= end);
    if (asked === interval) return found;
    // Where the exchange begins in the middle of a candle, the rest of it would look like a whole one.
    const [oldest] = found;
    const cut =
      oldest !== undefined &&
      oldest.time % wanted !== 0 &&
      alignDown(oldest.time, wanted) < this.oldest(asked);
    const whole = cut ? alignUp(oldest.time, wanted) : first;
    return coarser(
      found.filter(({ time }) => time >= whole),
      wanted,
    );
  }

  /** The candles of the page at `start` whose close is at or before `end`. */
  private async page(
    pair: string,
    interval: CandleInterval,
    start: number,
    end: number,
    reader: CandleReader,
  ): Promise<Candle[]> {
    const length = INTERVAL_MS[interval];
    const key = `${interval} ${start} ${pair}`;
    for (let poll = 0; ; poll += 1) {
      const known = this.pages.get(key);
      // Whatever is asked for, such an exchange answers with its newest candles.
      if (end <= this.oldest(interval)) return known?.candles ?? [];
      const newest = known?.candles.at(-1);
      const reaches = newest !== undefined && newest.time + length >= end;
      if (known !== undefined && (known.complete || reaches)) return known.candles;
      const justClosed = this.clock.now() - end < LATE_LOOKS * LATE_MS;
      if (known !== undefined && poll > 0 && (!justClosed || poll > LATE_LOOKS))
        return known.candles;
      if (
        known !== undefined &&
        poll === 0 &&
        !justClosed &&
        this.clock.now() - known.askedAt < REASK_MS
      )
        return known.candles;
      if (poll > 0) await new Promise((resolve) => setTimeout(resolve, LATE_MS));
      await this.ask(key, pair, interval, start, reader);
    }
  }

  private ask(
    key: string,
    pair: string,
    interval: CandleInterval,
    start: number,
    reader: CandleReader,
  ): Promise<Page> {
    // The engine does not wait for what a screen has in its own, longer queue.
    const asked = `${reader} ${key}`;
    const running = this.asking.get(asked);
    if (running !== undefined) return running;
    const request = this.limited[reader](() => this.fetch(pair, interval, start))
      .then((answer) => {
        const page = this.withEarlier(answer, this.pages.get(key), interval);
        this.pages.delete(key);
        this.pages.set(key, page);
        const oldest = this.pages.keys().next();
        if (this.pages.size > PAGES_KEPT && oldest.done !== true) this.pages.delete(oldest.value);
        return page;
      })
      .finally(() => {
        this.asking.delete(asked);
      });
    this.asking.set(asked, request);
    return request;
  }

  /** What was read of a page while the exchange still gave it stays. */
  private withEarlier(page: Page, known: Page | undefined, interval: CandleInterval): Page {
    const oldest = this.oldest(interval);
    const earlier = known?.candles.filter(({ time }) => time < oldest) ?? [];
    if (earlier.length === 0) return page;
    const last = earlier.at(-1)?.time ?? -Infinity;
    return { ...page, candles: [...earlier, ...page.candles.filter(({ time }) => time > last)] };
  }

  private async fetch(pair: string, interval: CandleInterval, start: number): Promise<Page> {
    const length = INTERVAL_MS[interval];
    const { candlesAtOnce } = this.venue;
    const end = start + candlesAtOnce * length;
    const askedAt = this.clock.now();
    const rows = await (await this.client()).fetchOHLCV(pair, interval, start, candlesAtOnce);
    const byTime = new Map<number, Candle>();
    for (const row of rows) {
      const parsed = ExchangeCandle.safeParse(row);
      if (!parsed.success) continue;
      const [time, open, high, low, close, volume] = parsed.data;
      const candle = { time, open, high, low, close, volume };
      if (
        isSaneCandle(candle) &&
        time % length === 0 &&
        time >= start &&
        time + length <= Math.min(end, askedAt)
      )
        byTime.set(time, candle);
    }
    const candles = [...byTime.values()].sort((a, b) => a.time - b.time);
    return { candles, askedAt, complete: askedAt >= end + LATE_LOOKS * LATE_MS };
  }
}
