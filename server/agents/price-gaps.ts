/**
 * Stretches in which nobody here watched a pair's price: it was silent, or this server or its
 * database was away. Stops are run over the candles of each.
 */
import { INTERVAL_MS } from '../../contract/intervals.ts';
import type { Quote } from '../../engine/market-types.ts';
import type { TradingDeps } from '../trading-deps.ts';
import type { StopWatch } from './stop-watch.ts';

/** The pause before candles that could not be read, or have not come, are asked for again. */
const AGAIN_MS = 5_000;

/** Ms on the market clock. */
interface Gap {
  since: number;
  /** Close of the candle in which prices came back: until then not all of the gap can be seen. */
  until: number;
  checked: boolean;
  /** Not looked at before, by `performance.now`. */
  restsUntil: number;
  /** Whether it was said that its candles could not be read. */
  told: boolean;
}

export class PriceGaps {
  private readonly heardAt = new Map<string, number>();
  private readonly gaps = new Map<string, Gap>();
  /** By pair, while its candles are read and its stops are sold. */
  private readonly looks = new Map<string, Promise<void>>();
  private readonly stepMs: number;

  constructor(
    private readonly deps: Pick<TradingDeps, 'market' | 'log'>,
    private readonly stops: Pick<StopWatch, 'runMissed'>,
  ) {
    this.stepMs = INTERVAL_MS[deps.market.baseInterval];
  }

  /**
   * Silence for longer than a quarter of a candle: what happened meanwhile is known from the
   * candles alone.
   */
  hear({ pair, at }: Quote): void {
    const before = this.heardAt.get(pair);
    this.heardAt.set(pair, Math.max(at, before ?? at));
    if (before === undefined || at - before <= this.stepMs / 4) return;
    this.add(pair, this.openOf(before), at);
  }

  /**
   * Nobody watched these pairs from `since` (market ms) until now, nor does anybody until their
   * next price.
   */
  missed(pairs: Iterable<string>, since: number): void {
    const now = this.deps.market.now();
    for (const pair of pairs) {
      if (!this.heardAt.has(pair)) this.heardAt.set(pair, now);
      this.add(pair, since, now);
    }
  }

  /**
   * Runs the stops over the candles of every gap: as soon as prices are back, and again when the
   * last of them has closed. What cannot be read now is read later; this never rejects. Ends with
   * what it has begun itself: a pair that is still looked at is not looked at twice.
   */
  async makeUp(): Promise<void> {
    const now = this.deps.market.now();
    const due = [...this.gaps].filter(
      ([pair, gap]) =>
        (!gap.checked || now >= gap.until) &&
        performance.now() >= gap.restsUntil &&
        !this.looks.has(pair),
    );
    const begun = due.map(([pair, gap]) => {
      const look = this.look(pair, gap, now).finally(() => this.looks.delete(pair));
      this.looks.set(pair, look);
      return look;
    });
    await Promise.all(begun);
  }

  /** Once nothing is looked at any more. */
  async settled(): Promise<void> {
    await Promise.all(this.looks.values());
  }

  private async look(pair: string, gap: Gap, now: number): Promise<void> {
    const { log } = this.deps;
    try {
      const { sold, unsold, seenTo } = await this.stops.runMissed(pair, gap.since);
      if (sold > 0) log.info({ pair, sold }, 'Stop losses were hit while no prices were watched');
      gap.checked = unsold === 0;
      if (gap.checked && now < gap.until) return;
      // The last candle may be late. Where nobody traded there is none, and it is not waited for
      // longer than its own length.
      const late = seenTo < gap.until && now < gap.until + this.stepMs;
      if (!gap.checked || late) this.rest(gap);
      else if (this.gaps.get(pair) === gap) this.gaps.delete(pair);
    } catch (error) {
      if (!gap.told)
        log.warn(
          { pair, reason: String(error) },
          'The candles of a gap could not be read and will be requested again',
        );
      gap.told = true;
      this.rest(gap);
    }
  }

  private rest(gap: Gap): void {
    gap.restsUntil = performance.now() + AGAIN_MS;
  }

  private openOf(at: number): number {
    return Math.floor(at / this.stepMs) * this.stepMs;
  }

  /** A pair has one gap: a newer one begins where an older one did that is not made up yet. */
  private add(pair: string, since: number, back: number): void {
    const known = this.gaps.get(pair);
    this.gaps.set(pair, {
      since: Math.min(since, known?.since ?? since),
      until: this.openOf(back) + this.stepMs,
      checked: false,
      restsUntil: known?.restsUntil ?? 0,
      told: known?.told ?? false,
    });
  }
}
