/**
 * Carries out the sales that stops have set off: many in one transaction, and one that fails alone.
 */
import type { Depth, Quote } from '../../engine/market-types.ts';
import { isUnavailable } from '../db/faults.ts';
import type { TradingDeps } from '../trading-deps.ts';
import { inTime } from '../market/candles-in-time.ts';
import type { Venue } from '../venues/venue.ts';
import { sellStopped, type HitStop, type SaleOutcome, type Watched } from './sell-stopped.ts';

/** Positions sold in one transaction: as many as the agents of a tick's batch. */
export const STOP_BATCH = 250;
/** Batches under way on a database that many may use at once: a tick needs connections too. */
const BATCHES_AT_ONCE = 2;

/** `depth` is null where the market's present depth holds. */
export interface StopSale {
  watched: Watched;
  quote: Quote;
  depth: Depth | null;
  missed?: boolean;
}

/** Of what was not there (database, candles) all are tried again together. */
type Failure = 'refused' | 'unavailable';

/** How often a position in somebody else's hands is looked for again before it is waited for. */
const LOOKS = 10;
/** The pause before each look grows by this, ms: about a second in all. */
const LOOK_PAUSE_MS = 25;
/**
 * A pair's own stops wait so long for its depth, more than an exchange takes over the candle that
 * has just closed.
 */
const DEPTH_WAIT_MS = 15_000;

/** A sale whose depth is known. */
interface Waiting extends HitStop {
  /** How often it was found in somebody else's hands. */
  found: number;
  end(sold: boolean): void;
}

export class StopSales {
  /** Every sale that was asked for and has not ended, by position. */
  private readonly under = new Map<string, Promise<boolean>>();
  private readonly queue: Waiting[] = [];
  /** By pair, while it is read: one reading for all stops of a pair that are hit meanwhile. */
  private readonly depths = new Map<string, Promise<Depth>>();
  /**
   * Positions whose sale failed the last time, whether that was because of their own rows, and the
   * price that hit the stop: the sale is owed at it, wherever the price goes.
   */
  private readonly failing = new Map<string, { why: Failure; sale: StopSale }>();
  /**
   * What was refused is tried by itself, so that it is not looked for again among many; and what
   * somebody holds for long is waited for by itself, so that nothing waits with it.
   */
  private readonly alone: Waiting[] = [];
  private batches = 0;
  private readonly atOnce: number;

  /** `unwatch`: the position is sold or gone. */
  constructor(
    private readonly deps: TradingDeps,
    private readonly venue: Venue,
    private readonly unwatch: (watched: Watched) => void,
    private readonly batch = STOP_BATCH,
  ) {
    this.atOnce = deps.database.kind === 'postgres' ? BATCHES_AT_ONCE : 1;
  }

  isUnder(positionId: string): boolean {
    return this.under.has(positionId);
  }

  /** The sale that failed and is still to be carried out; null where none did. */
  owed(positionId: string): StopSale | null {
    return this.failing.get(positionId)?.sale ?? null;
  }

  /** The position is watched no more: should it come again, nothing is known of it. */
  forget(positionId: string): void {
    this.failing.delete(positionId);
  }

  /** Whether this sold it. Never rejects. A position that is under sale already is not sold again. */
  sell(sale: StopSale): Promise<boolean> {
    const { id } = sale.watched;
    const known = this.under.get(id);
    if (known !== undefined) return known;
    const asked = new Promise<boolean>((resolve) => {
      const end = (sold: boolean): void => {
        this.under.delete(id);
        resolve(sold);
      };
      if (sale.depth !== null) this.take({ ...sale, depth: sale.depth, found: 0, end });
      else
        this.depthOf(sale.watched.pair).then(
          (depth) => {
            this.take({ ...sale, depth, found: 0, end });
          },
          (error: unknown) => {
            this.fail(sale, error, 'unavailable');
            end(false);
          },
        );
    });
    this.under.set(id, asked);
    return asked;
  }

  private take(one: Waiting): void {
    const isRefused = this.failing.get(one.watched.id)?.why === 'refused';
    (isRefused ? this.alone : this.queue).push(one);
    this.begin();
  }

  /**
   * Each pair's by itself: the candles of one that an exchange does not send hold up no stop of
   * another.
   */
  private depthOf(pair: string): Promise<Depth> {
    const known = this.depths.get(pair);
    if (known !== undefined) return known;
    const reading = inTime(this.venue.depth(pair), DEPTH_WAIT_MS).finally(() =>
      this.depths.delete(pair),
    );
    this.depths.set(pair, reading);
    return reading;
  }

  /** Waits for every sale under way. */
  async settled(): Promise<void> {
    while (this.under.size > 0) await Promise.all(this.under.values());
  }

  private begin(): void {
    if (this.batches < this.atOnce) void this.work();
  }

  private async work(): Promise<void> {
    this.batches += 1;
    // One price hits many stops one after the other: all of them are asked for by then.
    await Promise.resolve();
    for (;;) {
      const [list, wait] = this.next();
      if (list.length === 0) break;
      await this.sellAll(list, wait);
    }
    this.batches -= 1;
  }

  private next(): [Waiting[], boolean] {
    if (this.queue.length > 0) return [this.queue.splice(0, this.batch), false];
    return [this.alone.splice(0, 1), true];
  }

  private async sellAll(list: readonly Waiting[], wait: boolean): Promise<void> {
    const sell = async (part: readonly Waiting[]): Promise<void> => {
      try {
        this.hear(part, await this.sellNow(part, wait));
      } catch (error) {
        // Whichever of them the database refuses is found by halves; the others are sold.
        if (part.length > 1 && !isUnavailable(error)) {
          const half = Math.ceil(part.length / 2);
          await sell(part.slice(0, half));
          await sell(part.slice(half));
        } else for (const one of part) this.giveBack(one, error);
      }
    };
    await sell(list);
  }

  private sellNow(list: readonly HitStop[], wait: boolean): Promise<Map<string, SaleOutcome>> {
    return this.deps.database.transaction((tx) =>
      sellStopped(tx, this.deps, this.venue, list, wait),
    );
  }

  private hear(list: readonly Waiting[], outcomes: ReadonlyMap<string, SaleOutcome>): void {
    const busy: Waiting[] = [];
    for (const one of list) {
      const { watched } = one;
      const outcome = outcomes.get(watched.id) ?? new Error('A sale without an outcome');
      if (outcome instanceof Error) {
        this.giveBack(one, outcome);
        continue;
      }
      if (outcome === 'busy') {
        busy.push({ ...one, found: one.found + 1 });
        continue;
      }
      if (outcome === 'account-gone')
        this.deps.log.warn(
          { position: watched.id },
          'A position is no longer watched: its account is gone',
        );
      this.failing.delete(watched.id);
      if (outcome !== 'kept') this.unwatch(watched);
      one.end(outcome === 'sold');
    }
    if (busy.length > 0) this.later(busy);
  }

  /** After a pause, behind whatever was hit meanwhile. */
  private later(list: readonly Waiting[]): void {
    const found = Math.max(...list.map((one) => one.found));
    setTimeout(() => {
      for (const one of list) (one.found < LOOKS ? this.queue : this.alone).push(one);
      this.begin();
    }, found * LOOK_PAUSE_MS);
  }

  /** Still watched: the next price tries again. Said once, however many prices come meanwhile. */
  private fail(
    { watched, quote, depth, missed = false }: StopSale,
    error: unknown,
    why: Failure,
  ): void {
    const { id } = watched;
    const reason = error instanceof Error ? error.message : String(error);
    if (!this.failing.has(id))
      this.deps.log.error(
        { position: id, reason },
        'A stop loss could not be carried out; every price retries',
      );
    this.failing.set(id, { why, sale: { watched, quote, depth, missed } });
  }

  private giveBack(one: Waiting, error: unknown): void {
    this.fail(one, error, isUnavailable(error) ? 'unavailable' : 'refused');
    one.end(false);
  }
}
