/**
 * The simulated market's prices: a pure function of seed, pair and time. Its only state is a cache.
 *
 * The logarithm of a price is a Brownian path built by bisection: fixed at an anchor every 2,048
 * days, halved eleven times down to days, then days into hours and hours into minutes as bridges.
 * Every step is drawn from a hash of (seed, series, level, index), so any moment takes a handful of
 * draws and none of the moments before it. A share of the path belongs to the market and is common
 * to all pairs. A pegged coin moves a few basis points around 1 and, on about one day in seven,
 * leaves its peg for some hours.
 */
import type { Candle } from '../../engine/market-types.ts';
import { SIMULATED_QUOTE, type SimulatedPair } from './simulated-universe.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const FIVE_MINUTES = 5 * MINUTE;
const BLOCK_DAYS = 2_048;
const CACHED_DAYS = 600;
const CACHED_HOURS = 6_000;
/** Hours of one-minute candles kept a pair: a chart of 400 and what is dragged into sight. */
const CACHED_MINUTE_HOURS = 26;

/** A well-mixed 32-bit hash of four integers (murmur3's finaliser over a running state). */
export function hash(seed: number, series: number, level: number, index: number): number {
  let h = seed | 0;
  for (const part of [series, level, index]) {
    h = Math.imul(h ^ Math.imul(part | 0, 0xcc9e2d51), 0x1b873593);
    h = (h << 13) | (h >>> 19);
    h = (Math.imul(h, 5) + 0xe6546b64) | 0;
  }
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

const uniform = (seed: number, series: number, level: number, index: number): number =>
  (hash(seed, series, level, index) + 0.5) / 4_294_967_296;

/** A standard normal draw (Box–Muller). */
function normal(seed: number, series: number, level: number, index: number): number {
  const radius = Math.sqrt(-2 * Math.log(uniform(seed, series, level, index)));
  return radius * Math.cos(2 * Math.PI * uniform(seed ^ 0x5bd1e995, series, level, index));
}

/** Text to a series number. */
function seriesOf(name: string): number {
  let h = 0x811c9dc5;
  for (let index = 0; index < name.length; index += 1)
    h = Math.imul(h ^ name.charCodeAt(index), 0x01000193);
  return h | 0;
}

/** Keeps the newest results; the oldest go first. */
class Cache<V> {
  private readonly values = new Map<number, V>();
  constructor(private readonly limit: number) {}
  get(key: number, make: () => V): V {
    const known = this.values.get(key);
    if (known !== undefined) return known;
    const value = make();
    this.values.set(key, value);
    if (this.values.size > this.limit) {
      const oldest = this.values.keys().next();
      if (oldest.done !== true) this.values.delete(oldest.value);
    }
    return value;
  }
}

/** A standard Brownian path, one unit of variance a year, known at every minute. */
class Wanderer {
  private readonly series: number;
  private readonly days = new Cache<number>(CACHED_DAYS * 4);
  private readonly hours = new Cache<Float64Array>(CACHED_DAYS);
  private readonly minutes: Cache<Float64Array>;

  constructor(
    private readonly seed: number,
    name: string,
    cachedHours: number,
  ) {
    this.series = seriesOf(name);
    this.minutes = new Cache(cachedHours);
  }

  /** The value at the start of a day, by halving the block of 2,048 days. Times are in years. */
  private atDay(day: number): number {
    return this.days.get(day, () => {
      let left = Math.floor(day / BLOCK_DAYS) * BLOCK_DAYS;
      let right = left + BLOCK_DAYS;
      let [leftValue, rightValue] = [0, 0];
      for (let level = 1; day !== left && day !== right; level += 1) {
        const middle = (left + right) / 2;
        const deviation = Math.sqrt((right - left) / 365 / 4);
        const value =
          (leftValue + rightValue) / 2 + deviation * normal(this.seed, this.series, level, middle);
        if (day < middle) [right, rightValue] = [middle, value];
        else [left, leftValue] = [middle, value];
      }
      return day === left ? leftValue : rightValue;
    });
  }

  /**
   * How lively a day is: 1 on average in square, so that quiet and wild days alternate without
   * changing the year.
   */
  private livelinessOf(day: number): number {
    return Math.exp(0.4 * normal(this.seed, this.series, 90, day) - 0.16);
  }

  private hoursOf(day: number): Float64Array {
    return this.hours.get(day, () =>
      this.bridge(
        this.atDay(day),
        this.atDay(day + 1),
        24,
        Math.sqrt(1 / 365) * this.livelinessOf(day),
        91,
        day * 24,
      ),
    );
  }

  /** Sixty-one values: the start of each minute of the hour, and the hour's end. */
  minutesOf(hour: number): Float64Array {
    return this.minutes.get(hour, () => {
      const day = Math.floor(hour / 24);
      const hours = this.hoursOf(day);
      const slot = hour - day * 24;
      return this.bridge(
        hours[slot] ?? 0,
        hours[slot + 1] ?? 0,
        60,
        Math.sqrt(1 / 365 / 24) * this.livelinessOf(day),
        92,
        hour * 60,
      );
    });
  }

  /**
   * A random walk of `steps` from one value to another: `deviation` is that of the whole stretch,
   * were it free.
   */
  private bridge(
    from: number,
    to: number,
    steps: number,
    deviation: number,
    level: number,
    firstIndex: number,
  ): Float64Array {
    const values = new Float64Array(steps + 1);
    const step = deviation / Math.sqrt(steps);
    let walked = 0;
    for (let index = 1; index <= steps; index += 1) {
      walked += step * normal(this.seed, this.series, level, firstIndex + index);
      values[index] = walked;
    }
    for (let index = 0; index <= steps; index += 1) {
      values[index] = from + (values[index] ?? 0) + ((to - from - walked) * index) / steps;
    }
    return values;
  }
}

/** Smooth noise in [-1, 1] that changes about once in `period`. */
function smooth(seed: number, series: number, level: number, at: number, period: number): number {
  const position = at / period;
  const index = Math.floor(position);
  const share = position - index;
  const eased = share * share * (3 - 2 * share);
  const left = uniform(seed, series, level, index) * 2 - 1;
  const right = uniform(seed, series, level, index + 1) * 2 - 1;
  return left + (right - left) * eased;
}

/**
 * The log price of a pegged coin: noise of a few basis points, and the odd stray of up to 70 that
 * decays in hours.
 */
function pegged(seed: number, series: number, at: number): number {
  const calm =
    0.000_25 * smooth(seed, series, 1, at, 6 * HOUR) +
    0.000_2 * smooth(seed, series, 2, at, HOUR) +
    0.000_1 * smooth(seed, series, 3, at, 4 * MINUTE);
  let stray = 0;
  const today = Math.floor(at / DAY);
  for (const day of [today - 1, today]) {
    if (uniform(seed, series, 4, day) > 0.15) continue;
    const begun = day * DAY + uniform(seed, series, 5, day) * DAY;
    const age = at - begun;
    if (age <= 0 || age > 18 * HOUR) continue;
    const size = (uniform(seed, series, 6, day) - 0.6) * 0.011;
    stray +=
      size *
      Math.min(1, age / (20 * MINUTE)) *
      Math.exp(-age / (3 * HOUR)) *
      (1 - age / (18 * HOUR));
  }
  return calm + stray;
}

/** All prices of one simulated market. */
export class SimulatedPaths {
  private readonly market: Wanderer;
  private readonly own = new Map<string, Wanderer>();
  private readonly candles = new Map<string, Cache<Candle[]>>();
  private readonly minuteCandles = new Map<string, Cache<Candle[]>>();

  constructor(private readonly seed: number) {
    this.market = new Wanderer(seed, 'market', CACHED_HOURS);
  }

  /** Log prices at the start of each minute of an hour (hours since the epoch), and at its end. */
  private minutesOf(pair: SimulatedPair, hour: number): Float64Array {
    const values = new Float64Array(61);
    const anchor = Math.log(pair.anchor);
    if (pair.volatility === 0) {
      const series = seriesOf(pair.base);
      for (let minute = 0; minute <= 60; minute += 1)
        values[minute] = anchor + pegged(this.seed, series, hour * HOUR + minute * MINUTE);
      return values;
    }
    const own = this.own.get(pair.base) ?? new Wanderer(this.seed, pair.base, 4);
    this.own.set(pair.base, own);
    const [shared, alone] = [this.market.minutesOf(hour), own.minutesOf(hour)];
    const [sharedWeight, aloneWeight] = [
      Math.sqrt(pair.common) * pair.volatility,
      Math.sqrt(1 - pair.common) * pair.volatility,
    ];
    for (let minute = 0; minute <= 60; minute += 1) {
      values[minute] =
        anchor + sharedWeight * (shared[minute] ?? 0) + aloneWeight * (alone[minute] ?? 0);
    }
    return values;
  }

  /**
   * The twelve 5-minute candles of an hour (hours since the epoch). The caller must not change
   * them.
   */
  candlesOf(pair: SimulatedPair, hour: number): readonly Candle[] {
    const cache = this.candles.get(pair.base) ?? new Cache<Candle[]>(72);
    this.candles.set(pair.base, cache);
    return cache.get(hour, () => {
      const minutes = this.minutesOf(pair, hour);
      return Array.from({ length: 12 }, (_, slot) => this.candle(pair, minutes, hour, slot));
    });
  }

  private candle(pair: SimulatedPair, minutes: Float64Array, hour: number, slot: number): Candle {
    const points = minutes.subarray(slot * 5, slot * 5 + 6);
    const price = (log: number): number => rounded(Math.exp(log), pair.decimals);
    const [open, close] = [price(points[0] ?? 0), price(points[5] ?? 0)];
    const [high, low] = [price(Math.max(...points)), price(Math.min(...points))];
    const index = hour * 12 + slot;
    const series = seriesOf(pair.base);
    const moved = Math.abs((points[5] ?? 0) - (points[0] ?? 0));
    const mood = Math.exp(0.7 * normal(this.seed, series, 93, index) - 0.245) * (1 + 120 * moved);
    const volume = rounded(((pair.turnover / 288) * mood) / close, Math.max(0, 8 - pair.decimals));
    return { time: hour * HOUR + slot * FIVE_MINUTES, open, high, low, close, volume };
  }

  /** When in each second a pair's price is told, ms. */
  phaseOf(pair: SimulatedPair): number {
    const name = `${pair.base}/`;
    const length = pair.base.length + SIMULATED_QUOTE.length + 1;
    return hash(this.seed, length, name.charCodeAt(0), name.charCodeAt(1)) % 1_000;
  }

  /**
   * The sixty one-minute candles of an hour: ends on the path, extremes of every price told within.
   * Five of them are exactly the 5-minute candle. The caller must not change them.
   */
  minuteCandlesOf(pair: SimulatedPair, hour: number): readonly Candle[] {
    const cache = this.minuteCandles.get(pair.base) ?? new Cache<Candle[]>(CACHED_MINUTE_HOURS);
    this.minuteCandles.set(pair.base, cache);
    return cache.get(hour, () =>
      this.candlesOf(pair, hour).flatMap((five) => {
        const volumes = this.minuteVolumes(pair, five);
        return volumes.map((volume, slot) =>
          this.minute(pair, five, five.time + slot * MINUTE, volume),
        );
      }),
    );
  }

  private minute(pair: SimulatedPair, five: Candle, time: number, volume: number): Candle {
    const minutes = this.minutesAround(pair, Math.floor(time / HOUR));
    const place = Math.floor((time % HOUR) / MINUTE);
    const ends = [minutes[place] ?? 0, minutes[place + 1] ?? 0];
    const [open = 0, close = 0] = ends.map((log) => rounded(Math.exp(log), pair.decimals));
    let [high, low] = [Math.max(open, close), Math.min(open, close)];
    for (let at = time + this.phaseOf(pair); at < time + MINUTE; at += 1_000) {
      const price = this.priceWithin(pair, five, minutes, at);
      if (price > high) high = price;
      else if (price < low) low = price;
    }
    return { time, open, high, low, close, volume };
  }

  /** The volume of five minutes, shared out; the parts add up to it. */
  private minuteVolumes(pair: SimulatedPair, five: Candle): number[] {
    const [series, decimals] = [seriesOf(pair.base), Math.max(0, 8 - pair.decimals)];
    const first = five.time / MINUTE;
    const weights = [0, 1, 2, 3, 4].map(
      (slot) => 0.4 + uniform(this.seed, series, 95, first + slot),
    );
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    const parts = weights.slice(1).map((weight) => rounded((five.volume * weight) / all, decimals));
    return [rounded(five.volume - parts.reduce((sum, part) => sum + part, 0), decimals), ...parts];
  }

  /**
   * The price shown at `at` (ms). Exact at the candle's ends, between minutes a line with a small
   * tremble, and never outside the candle's low and high.
   */
  priceAt(pair: SimulatedPair, at: number): number {
    const hour = Math.floor(at / HOUR);
    const candle = this.candlesOf(pair, hour)[Math.floor((at - hour * HOUR) / FIVE_MINUTES)];
    if (candle === undefined) throw new RangeError(`No candle at ${at}`);
    return this.priceWithin(pair, candle, this.minutesAround(pair, hour), at);
  }

  private priceWithin(
    pair: SimulatedPair,
    candle: Candle,
    minutes: Float64Array,
    at: number,
  ): number {
    const position = (at % HOUR) / MINUTE;
    const minute = Math.floor(position);
    const share = position - minute;
    const [left, right] = [minutes[minute] ?? 0, minutes[minute + 1] ?? 0];
    const size =
      (pair.volatility === 0 ? 0.000_02 : 0.000_06 * pair.volatility) *
      Math.min(1, 4 * share * (1 - share) * 2);
    const tremble =
      size * (uniform(this.seed, seriesOf(pair.base), 94, Math.floor(at / 1_000)) * 2 - 1);
    const price = rounded(Math.exp(left + (right - left) * share + tremble), pair.decimals);
    return Math.min(candle.high, Math.max(candle.low, price));
  }

  private readonly recent = new Map<string, { hour: number; minutes: Float64Array }>();

  /** Live prices ask for the same hour over and over. */
  private minutesAround(pair: SimulatedPair, hour: number): Float64Array {
    const known = this.recent.get(pair.base);
    if (known?.hour === hour) return known.minutes;
    const minutes = this.minutesOf(pair, hour);
    this.recent.set(pair.base, { hour, minutes });
    return minutes;
  }
}

function rounded(value: number, decimals: number): number {
  const scale = 10 ** decimals;
  return Math.round(value * scale) / scale;
}
