/** What the agents due at one tick decide on, each computed once and shared; refuses candles that close after the tick. */
import type { ExecutionInterval } from '../../contract/agents.ts';
import { correlationAt } from '../../engine/correlation.ts';
import { isPegPair, pegReader, type PegBreaks } from '../../engine/pegs.ts';
import { DAY_MS, executionIntervalMs, tickId } from '../../engine/schedule.ts';
import { makeSeries, volumeOf, type Series } from '../../engine/series.ts';
import { computeSignals, horizonOf, lookbackMs, signalKey } from '../../engine/signals.ts';
import type { Candle, PairRules, Quote, Signal, TickInput } from '../../engine/types.ts';
import type { Market } from '../market/market.ts';
import { pairsOf, type AgentTerms } from './read-agents.ts';
import { lookEveryMs } from './transitions.ts';

export interface Looked {
  signals: ReadonlyMap<string, Signal>;
  series: ReadonlyMap<string, Series>;
}

/** A day off the peg, and the day before it that an agent which looks once a day decides on. */
const PEG_HISTORY_MS = 2 * DAY_MS;

/** A series is built again only when the market's list of candles is another one. */
const BUILT = new WeakMap<readonly Candle[], Series>();

export class TickInputs {
  private readonly inputs = new Map<string, Promise<TickInput>>();
  private pegsRead: Promise<(at: number) => PegBreaks> | null = null;

  /**
   * `tick` is the close of the base candle, ms; `quotes` the first sane quote of each pair after it. `looked` may be
   * shared by several of one tick: signals know nothing of quotes.
   */
  constructor(
    private readonly market: Market, readonly tick: number, readonly quotes: ReadonlyMap<string, Quote>,
    private readonly looked = new Map<string, Promise<Looked>>(),
  ) {}

  /** Close of the newest candle of the agent's own interval, ms. */
  closeFor(interval: ExecutionInterval): number {
    const every = lookEveryMs(this.market, interval);
    return Math.floor(this.tick / every) * every;
  }

  of(row: AgentTerms): Promise<TickInput> {
    const pairs = pairsOf(this.market, row);
    const key = `${row.executionInterval}|${signalKey(row.pool, pairs, row.tradingFrequency)}`;
    const known = this.inputs.get(key);
    if (known !== undefined) return known;
    const made = this.make(row, pairs);
    this.inputs.set(key, made);
    return made;
  }

  private async make(row: AgentTerms, pairs: readonly string[]): Promise<TickInput> {
    const close = this.closeFor(row.executionInterval);
    const { signals, series } = await this.look(row, pairs, close);
    const candleVolume = new Map([...series].map(([pair, one]) => [pair, volumeOf(one, close, executionIntervalMs(row.executionInterval))]));
    const rules = new Map<string, PairRules>();
    for (const pair of pairs) {
      const rule = this.market.rules(pair);
      if (rule !== null) rules.set(pair, rule);
    }
    return { id: tickId(this.market.source.id, row.executionInterval, close), close, signals, quotes: this.quotes, rules, candleVolume,
      pegBreaks: (await this.pegs())(close), correlation: correlationAt(series, close) };
  }

  /** The market's stablecoin pairs tell the pegs, whether the agent trades them or not. One that cannot be read tells nothing. */
  private pegs(): Promise<(at: number) => PegBreaks> {
    this.pegsRead ??= (async () => {
      const pairs = this.market.pairs().map(({ pair }) => pair).filter(isPegPair);
      const read = await Promise.all(pairs.map((pair) => this.series(pair, PEG_HISTORY_MS, this.tick).catch(() => null)));
      return pegReader(read.filter((one) => one !== null));
    })();
    return this.pegsRead;
  }

  private async series(pair: string, back: number, close: number): Promise<Series> {
    const candles = await this.market.history(pair, back, close);
    const built = BUILT.get(candles) ?? makeSeries(pair, candles);
    BUILT.set(candles, built);
    return built;
  }

  private look(row: AgentTerms, pairs: readonly string[], close: number): Promise<Looked> {
    const key = `${close}|${signalKey(row.pool, pairs, row.tradingFrequency)}`;
    const known = this.looked.get(key);
    if (known !== undefined) return known;
    const made = this.compute(row, pairs, close);
    this.looked.set(key, made);
    return made;
  }

  private async compute(row: AgentTerms, pairs: readonly string[], close: number): Promise<Looked> {
    const horizon = horizonOf(row.tradingFrequency);
    // Whole days, so that neighbouring ticks ask for the same stretch and the market can keep it at hand.
    const back = Math.ceil(lookbackMs(row.pool, close, horizon) / DAY_MS) * DAY_MS;
    const series = new Map<string, Series>();
    for (const pair of pairs) series.set(pair, await this.series(pair, back, close));
    return { signals: computeSignals(row.pool, series, close, horizon), series };
  }
}
