/** Rejects, and counts, prices that cannot be a market's. */
import { parseFixed, type Fixed } from '../../contract/money.ts';
import type { PairRules, Quote } from '../../engine/market-types.ts';
import type { RawTick } from './feed.ts';
import { shifted } from './price-text.ts';

export type RefusalReason =
  | 'zero'
  | 'negative'
  | 'not_a_number'
  | 'crossed'
  | 'stale'
  | 'jump'
  | 'far_from_last'
  | 'out_of_order'
  | 'unknown_pair';

/**
 * A move to ten times or a tenth of the last price is held until this many ticks in a row, near
 * each other, repeat it.
 */
const JUMP_FACTOR = 10n;
export const JUMP_CONFIRMATIONS = 5;
/** "Near": within a tenth of the held price. */
const NEAR = 10n;
/**
 * A bid more than a tenth from the last price is held in the same way. Stops sell at it and positions
 * are valued at it: one broken bid would sell them all. A thin pair that really has such a spread
 * confirms it. A far ask holds up nothing: whoever sells needs the bid alone, and nobody buys at a
 * wide spread.
 */
const FAR = 10n;

interface Seen {
  sequence: number;
  at: number;
  last: Fixed | null;
  held: { last: Fixed; times: number } | null;
  /** The newest bid that is far from the last price, and how often it was repeated. */
  far: { bid: Fixed; times: number } | null;
}

export class PriceGate {
  private readonly seen = new Map<string, Seen>();
  private readonly counts = new Map<RefusalReason, number>();

  /** `maxAgeMs`: a tick older than this on the market clock is stale on arrival. */
  constructor(private readonly maxAgeMs: number) {}

  /**
   * The last believable price from elsewhere (a closed candle), against which a first tick is
   * judged.
   */
  expect(pair: string, last: Fixed): void {
    const seen = this.of(pair);
    seen.last ??= last;
  }

  refused(): Record<string, number> {
    return Object.fromEntries(this.counts);
  }

  /** The tick as a quote, or null when it is refused. `now` is the market clock. */
  admit(tick: RawTick, rules: PairRules | null, now: number): Quote | null {
    if (rules === null) return this.refuse('unknown_pair');
    const seen = this.of(tick.pair);
    if (!Number.isFinite(tick.sequence) || !Number.isFinite(tick.at))
      return this.refuse('not_a_number');
    if (tick.sequence <= seen.sequence || tick.at < seen.at) return this.refuse('out_of_order');
    const last = priceOf(tick.last);
    const bid = tick.bid === null ? null : priceOf(tick.bid);
    const ask = tick.ask === null ? null : priceOf(tick.ask);
    for (const value of [last, bid, ask]) {
      if (value === undefined) return this.refuse('not_a_number');
      if (value !== null && value <= 0n) return this.refuse(value === 0n ? 'zero' : 'negative');
    }
    if (last === undefined || bid === undefined || ask === undefined)
      return this.refuse('not_a_number');
    if (bid !== null && ask !== null && bid > ask) return this.refuse('crossed');
    if (now - tick.at > this.maxAgeMs) return this.refuse('stale');
    // From here on the tick is the newest word, believed or not: what comes after is measured
    // against its place in line.
    seen.sequence = tick.sequence;
    seen.at = tick.at;
    if (this.isHeld(seen, last)) return this.refuse('jump');
    seen.last = last;
    seen.held = null;
    const sold = bid ?? least(shifted(last, -rules.halfSpreadBps), ask);
    if (isFarHeld(seen, last, sold)) return this.refuse('far_from_last');
    return {
      pair: tick.pair,
      at: tick.at,
      last,
      bid: sold,
      ask: ask ?? most(shifted(last, rules.halfSpreadBps), bid),
    };
  }

  private isHeld(seen: Seen, last: Fixed): boolean {
    if (seen.last === null || (last < seen.last * JUMP_FACTOR && last * JUMP_FACTOR > seen.last))
      return false;
    const near = seen.held !== null && isNear(last, seen.held.last);
    seen.held =
      near && seen.held !== null
        ? { last: seen.held.last, times: seen.held.times + 1 }
        : { last, times: 1 };
    return seen.held.times < JUMP_CONFIRMATIONS;
  }

  private of(pair: string): Seen {
    const known = this.seen.get(pair);
    if (known !== undefined) return known;
    const fresh: Seen = { sequence: -Infinity, at: -Infinity, last: null, held: null, far: null };
    this.seen.set(pair, fresh);
    return fresh;
  }

  private refuse(reason: RefusalReason): null {
    this.counts.set(reason, (this.counts.get(reason) ?? 0) + 1);
    return null;
  }
}

/** Once it is confirmed it may move on, for as long as each is near the one before. */
function isFarHeld(seen: Seen, last: Fixed, bid: Fixed): boolean {
  if (gapOf(bid, last) * FAR <= last) {
    seen.far = null;
    return false;
  }
  const { far } = seen;
  const times = far !== null && isNear(bid, far.bid) ? far.times + 1 : 1;
  seen.far = { bid, times };
  return times < JUMP_CONFIRMATIONS;
}

const isNear = (value: Fixed, held: Fixed): boolean => gapOf(value, held) * NEAR <= held;

const gapOf = (a: Fixed, b: Fixed): bigint => (a > b ? a - b : b - a);

/** Undefined where the text is no plain decimal (`NaN`, `Infinity`, `1e400`, empty). */
function priceOf(text: string): Fixed | undefined {
  try {
    return parseFixed(text);
  } catch {
    return undefined;
  }
}

const least = (value: Fixed, limit: Fixed | null): Fixed =>
  limit !== null && limit < value ? limit : value;
const most = (value: Fixed, limit: Fixed | null): Fixed =>
  limit !== null && limit > value ? limit : value;
