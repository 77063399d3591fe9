/**
 * The shared inputs of all agents due at one tick, each computed once and without candles that
 * close later.
 */
import type { ExecutionInterval } from '../../contract/agents.ts';
import { correlationAt } from '../../engine/signals/correlation.ts';
import { isPegPair, pegReader, type PegBreaks } from '../../engine/signals/pegs.ts';
import { DAY_MS, executionIntervalMs, tickId } from '../../engine/execution/schedule.ts';
import { makeSeries, volumeOf, type Series } from '../../engine/signals/candle-series.ts';
import {
  computeSignals,
  horizonOf,
  lookbackMs,
  signalKey,
} from '../../engine/signals/compute-signals.ts';
import type { Candle, PairRules, Quote } from '../../engine/market-types.ts';
import type { Signal } from '../../engine/signals/signal.ts';
import type { TickInput } from '../../engine/execution/agent-types.ts';
import type { Market } from '../market/market-source.ts';
import { pairsOf, type AgentTerms } from './read-agents.ts';
import { evaluationIntervalMs } from './transitions.ts';

export interface ComputedSignals {
  signals: ReadonlyMap<string, Signal>;
  series: ReadonlyMap<string, Series>;
}

/**
 * A day off the peg, and the day before it that an agent which is evaluated once a day decides on.
 */
const PEG_HISTORY_MS = 2 * DAY_MS;

/**
 * Agents with the same pool and pairs share a computation. Where hardly any do, no more than this
 * is kept.
 */
const KEPT_MAX = 1_000;

/** A series is built again only when the market's list of candles is another one. */
const BUILT = new WeakMap<readonly Candle[], Series>();

function keep<T>(map: Map<string, T>, key: string, value: T): T {
  if (map.size >= KEPT_MAX) map.clear();
  map.set(key, value);
  return value;
}

export class TickInputs {
  private readonly inputs = new Map<string, Promise<TickInput>>();
  private pegsRead: Promise<(at: number) => PegBreaks> | null = null;
  /**
   * By how far back and to when, then by pair: each is asked of the market once a tick, so that all
   * agents see the same candles.
   */
  private readonly read = new Map<string, Map<string, Series>>();
  private readonly volumes = new Map<string, Map<string, number>>();

  /**
   * `tick` is the close of the base candle, ms; `quotes` the first sane quote of each pair after
   * it. `computed` may be shared by several of one tick: signals know nothing of quotes.
   */
  constructor(
    private readonly market: Market,
    readonly tick: number,
    readonly quotes: ReadonlyMap<string, Quote>,
    private readonly computed = new Map<string, Promise<ComputedSignals>>(),
  ) {}

  /** Close of the newest candle of the agent's own interval, ms. */
  closeFor(interval: ExecutionInterval): number {
    const every = evaluationIntervalMs(this.market, interval);
    return Math.floor(this.tick / every) * every;
  }

  of(row: AgentTerms): Promise<TickInput> {
    const pairs = pairsOf(this.market, row);
    const key = `${row.executionInterval}|${signalKey(row.pool, pairs, row.tradingFrequency)}`;
    const known = this.inputs.get(key);
    if (known !== undefined) return known;
    return keep(this.inputs, key, this.make(row, pairs));
  }

  private async make(row: AgentTerms, pairs: readonly string[]): Promise<TickInput> {
    const close = this.closeFor(row.executionInterval);
    const { signals, series } = await this.signalsOf(row, pairs, close);
    const candleVolume = this.volumesOf(row.executionInterval, close, series);
    const rules = new Map<string, PairRules>();
    for (const pair of pairs) {
      const rule = this.market.rules(pair);
      if (rule !== null) rules.set(pair, rule);
    }
    return {
      id: tickId(this.market.source.id, row.executionInterval, close),
      close,
      signals,
      quotes: this.quotes,
      rules,
      candleVolume,
      pegBreaks: (await this.pegs())(close),
      correlation: correlationAt(series, close),
    };
  }

  /**
   * The market's stablecoin pairs tell the pegs, whether the agent trades them or not. One that
   * cannot be read tells nothing.
   */
  private pegs(): Promise<(at: number) => PegBreaks> {
    this.pegsRead ??= (async () => {
      const pairs = this.market
        .pairs()
        .map(({ pair }) => pair)
        .filter(isPegPair);
      const read = await Promise.all(
        pairs.map((pair) => this.series(pair, PEG_HISTORY_MS, this.tick).catch(() => null)),
      );
      return pegReader(read.filter((one) => one !== null));
    })();
    return this.pegsRead;
  }

  private readBy(back: number, close: number): Map<string, Series> {
    const known = this.read.get(`${back} ${close}`) ?? new Map<string, Series>();
    this.read.set(`${back} ${close}`, known);
    return known;
  }

  private async series(pair: string, back: number, close: number): Promise<Series> {
    const known = this.readBy(back, close);
    const candles = await this.market.history(pair, back, close);
    const built = known.get(pair) ?? BUILT.get(candles) ?? makeSeries(pair, candles);
    BUILT.set(candles, built);
    known.set(pair, built);
    return built;
  }

  private signalsOf(
    row: AgentTerms,
    pairs: readonly string[],
    close: number,
  ): Promise<ComputedSignals> {
    const key = `${close}|${signalKey(row.pool, pairs, row.tradingFrequency)}`;
    const known = this.computed.get(key);
    if (known !== undefined) return known;
    return keep(this.computed, key, this.compute(row, pairs, close));
  }

  private async compute(
    row: AgentTerms,
    pairs: readonly string[],
    close: number,
  ): Promise<ComputedSignals> {
    const horizon = horizonOf(row.tradingFrequency);
    // Whole days, so that neighbouring ticks ask for the same stretch and the market can keep it at
    // hand.
    const back = Math.ceil(lookbackMs(row.pool, close, horizon) / DAY_MS) * DAY_MS;
    const known = this.readBy(back, close);
    const series = new Map<string, Series>();
    // By name, as in a backtest: whoever asks first, the sums over pairs are the same to the last
    // digit.
    for (const pair of [...pairs].sort())
      series.set(pair, known.get(pair) ?? (await this.series(pair, back, close)));
    return { signals: computeSignals(row.pool, series, close, horizon), series };
  }

  /** Grows with what is asked for; the same for all agents of an interval. */
  private volumesOf(
    interval: ExecutionInterval,
    close: number,
    series: ReadonlyMap<string, Series>,
  ): ReadonlyMap<string, number> {
    const volumes = this.volumes.get(`${interval} ${close}`) ?? new Map<string, number>();
    this.volumes.set(`${interval} ${close}`, volumes);
    for (const [pair, one] of series)
      if (!volumes.has(pair))
        volumes.set(pair, volumeOf(one, close, executionIntervalMs(interval)));
    return volumes;
  }
}
