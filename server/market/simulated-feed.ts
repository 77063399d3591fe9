/**
 * Simulated prices on the real clock, about one per second and pair, always labelled as simulated.
 */
import type { CandleInterval } from '../../contract/market.ts';
import { INTERVAL_MS } from '../../contract/intervals.ts';
import type { Candle, PairRules } from '../../engine/market-types.ts';
import type { WallClock } from '../clock.ts';
import { alignDown, alignUp, coarser } from './candle-building.ts';
import { KeptCandles } from './kept-candles.ts';
import type { MarketFeed, RawTick } from './feed.ts';
import { decimalText } from './price-text.ts';
import { SimulatedPaths } from './simulated-path.ts';
import {
  rulesOf,
  SIMULATED_PAIRS,
  SIMULATED_QUOTE,
  type SimulatedPair,
} from './simulated-universe.ts';

const HOUR = 3_600_000;
/** How often the feed looks whether a pair's next tick is due. */
const BEAT_MS = 125;
/** After a pause (a sleeping machine) only the last seconds are told. */
const CATCH_UP_MS = 5_000;
/** A year of candles is half a second of work: others get their turn every few milliseconds. */
const HOURS_A_TURN = 120;
/** Candles of an hour and longer that are kept, about ten megabytes. */
const KEPT_MAX = 60_000;

export class SimulatedFeed implements MarketFeed {
  readonly id = 'simulated';
  readonly kind = 'simulated';
  readonly label = 'Simulated prices';
  readonly quote = SIMULATED_QUOTE;
  readonly baseInterval = '5m';
  readonly finestInterval = '1m';
  readonly pairs: readonly PairRules[];
  private readonly paths: SimulatedPaths;
  private readonly bySymbol = new Map<string, SimulatedPair>();
  private timer: NodeJS.Timeout | null = null;
  private told = 0;
  private readonly whole = new KeptCandles(KEPT_MAX);

  constructor(
    seed: number,
    private readonly clock: WallClock,
  ) {
    this.paths = new SimulatedPaths(seed);
    this.pairs = SIMULATED_PAIRS.map((pair) => {
      const rules = rulesOf(pair);
      this.bySymbol.set(rules.pair, pair);
      return rules;
    });
  }

  now(): number {
    this.latest = Math.max(this.latest, this.clock.now());
    return this.latest;
  }

  private latest = 0;

  async start(onTick: (tick: RawTick) => void): Promise<void> {
    this.told = this.now() - 1_000;
    const beat = (): void => {
      const now = this.now();
      for (const tick of this.ticksBetween(Math.max(this.told, now - CATCH_UP_MS), now))
        onTick(tick);
      this.told = now;
    };
    beat();
    this.timer = setInterval(beat, BEAT_MS);
  }

  async stop(): Promise<void> {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
  }

  /**
   * Every tick with `after < at <= to`, oldest first: each pair once a second, each at its own
   * moment of the second.
   */
  ticksBetween(after: number, to: number): RawTick[] {
    return [...this.bySymbol.keys()]
      .flatMap((symbol) => this.retell(symbol, after, to))
      .sort((a, b) => a.at - b.at);
  }

  retell(symbol: string, after: number, to: number): RawTick[] {
    const pair = this.bySymbol.get(symbol);
    if (pair === undefined) return [];
    const ticks: RawTick[] = [];
    for (let at = alignDown(after, 1_000) + this.paths.phaseOf(pair); at <= to; at += 1_000) {
      if (at <= after) continue;
      const last = decimalText(this.paths.priceAt(pair, at));
      ticks.push({
        pair: symbol,
        at,
        last,
        bid: null,
        ask: null,
        sequence: Math.floor(at / 1_000),
      });
    }
    return ticks;
  }

  async candles(
    symbol: string,
    interval: CandleInterval,
    from: number,
    to: number,
  ): Promise<Candle[]> {
    const pair = this.bySymbol.get(symbol);
    if (pair === undefined) return [];
    const length = INTERVAL_MS[interval];
    const first = Math.max(0, alignUp(from, length));
    const end = alignDown(Math.min(to, this.now()), length);
    if (length % HOUR === 0) return this.coarse(pair, symbol, interval, first, end);
    const part = length % INTERVAL_MS['5m'] === 0 ? '5m' : '1m';
    const fine: Candle[] = [];
    for (let hour = Math.floor(first / HOUR); hour * HOUR < end; hour += 1) {
      // An hour of minutes is sixty times the work of an hour of five-minute candles.
      if (part === '1m' || hour % HOURS_A_TURN === 0) await new Promise(setImmediate);
      const candles =
        part === '1m' ? this.paths.minuteCandlesOf(pair, hour) : this.paths.candlesOf(pair, hour);
      for (const candle of candles) {
        if (candle.time >= first && candle.time + INTERVAL_MS[part] <= end) fine.push(candle);
      }
    }
    return interval === part ? fine : coarser(fine, length);
  }

  /** Candles of whole hours, each worked out once: charts and curves ask for the same ones. */
  private async coarse(
    pair: SimulatedPair,
    symbol: string,
    interval: CandleInterval,
    first: number,
    end: number,
  ): Promise<Candle[]> {
    const length = INTERVAL_MS[interval];
    const found: Candle[] = [];
    let worked = 0;
    for (let time = first; time < end; time += length) {
      const candles = this.whole.get(`${symbol} ${interval} ${time}`, () => {
        worked += length / HOUR;
        const hours = Array.from({ length: length / HOUR }, (_none, n) => time / HOUR + n);
        return coarser(
          hours.flatMap((hour) => this.paths.candlesOf(pair, hour)),
          length,
        );
      });
      found.push(...candles);
      if (worked >= HOURS_A_TURN) {
        worked = 0;
        await new Promise(setImmediate);
      }
    }
    return found;
  }
}
