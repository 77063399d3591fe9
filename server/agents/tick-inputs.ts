/**
 * The shared inputs of all agents due at one tick, each computed once and without candles that
 * close later. Candles are read first, all of them; after that nothing waits for the market.
 */
import type { ExecutionInterval } from '../../contract/agents.ts';
import { correlationAt } from '../../engine/signals/correlation.ts';
import {
  isPegPair,
  PEG_BACK_MS,
  pegReader,
  withUnread,
  type PegBreaks,
} from '../../engine/signals/pegs.ts';
import { DAY_MS, executionIntervalMs, tickId } from '../../engine/execution/schedule.ts';
import { makeSeries, volumesAt, type Series } from '../../engine/signals/candle-series.ts';
import {
  computeSignals,
  horizonOf,
  lookbackMs,
  signalKey,
} from '../../engine/signals/compute-signals.ts';
import type { Candle, PairRules, Quote, Volumes } from '../../engine/market-types.ts';
import type { Signal } from '../../engine/signals/signal.ts';
import type { TickInput } from '../../engine/execution/agent-types.ts';
import { inTime } from '../market/candles-in-time.ts';
import type { Market } from '../market/market-source.ts';
import { termsKey, type CandleTerms } from './due-agents.ts';
import { pairsOf, type AgentTerms } from './read-agents.ts';
import { evaluationIntervalMs } from './transitions.ts';
import { noteRead, noteUnread, unreadSince } from './unread-pairs.ts';

export interface ComputedSignals {
  signals: ReadonlyMap<string, Signal>;
  series: ReadonlyMap<string, Series>;
}

/**
 * A day off the peg, and the day before it that an agent which is evaluated once a day decides on.
 */
const PEG_HISTORY_MS = 2 * DAY_MS;
const PEGS_WAIT_MS = 5_000;
/** A pair that agents can do without must not hold up the others. */
const DISPENSABLE_WAIT_MS = 2_000;

/**
 * Agents with the same pool and pairs share a computation. Where hardly any do, no more than this
 * is kept.
 */
const KEPT_MAX = 1_000;

/** A series is built again only when the market's list of candles is another one. */
const BUILT = new WeakMap<readonly Candle[], Series>();

/** Readings begun before others have their turn. */
const BEGUN_AT_ONCE = 50;

/** Candles made into series before others have their turn: a few milliseconds of work. */
const CANDLES_AT_ONCE = 50_000;
let madeThisTurn = 0;
let nextTurn: Promise<void> | null = null;

/** At a close every pair's series is new. A stop that comes then does not wait for all of them. */
async function makeInTurn(pair: string, candles: readonly Candle[]): Promise<Series> {
  while (madeThisTurn >= CANDLES_AT_ONCE)
    await (nextTurn ??= new Promise((resolve) => {
      setImmediate(() => {
        nextTurn = null;
        madeThisTurn = 0;
        resolve();
      });
    }));
  madeThisTurn += candles.length;
  return makeSeries(pair, candles);
}

/** What could not be read of a pair. */
export interface Unread {
  pair: string;
  error: unknown;
}

/** The candles that agents of the same terms decide on. */
interface Stretch {
  pairs: readonly string[];
  close: number;
  /** How far before the close, ms. */
  back: number;
}

const stretchKey = (pair: string, back: number): string => `${back} ${pair}`;

function keep<T>(map: Map<string, T>, key: string, value: T): T {
  if (map.size >= KEPT_MAX) map.clear();
  map.set(key, value);
  return value;
}

export class TickInputs {
  /** Terms of agents that stay due, because candles of theirs were not read. */
  readonly leftOut = new Set<string>();
  private readonly inputs = new Map<string, TickInput>();
  /** Pairs that their venue does not trade now: nothing is decided on them. */
  private readonly idle: ReadonlySet<string>;
  /** Pairs whose candles were not read, and without which their agents are run. */
  private readonly missed = new Set<string>();
  private pegs: ((at: number) => PegBreaks) | null = null;
  /**
   * By how far back and to when, then by pair: each is asked of the market once a tick, so that all
   * agents see the same candles.
   */
  private readonly read = new Map<string, Map<string, Series>>();
  private readonly volumes = new Map<string, Map<string, Volumes>>();

  /**
   * `tick` is the close of the base candle, ms; `quotes` the first sane quote of each pair after
   * it. `computed` may be shared by several of one tick: signals know nothing of quotes.
   */
  constructor(
    private readonly market: Market,
    readonly tick: number,
    readonly quotes: ReadonlyMap<string, Quote>,
    private readonly computed = new Map<string, ComputedSignals>(),
  ) {
    const idle = market.pairs().filter(({ notTraded }) => notTraded !== undefined);
    this.idle = new Set(idle.map(({ pair }) => pair));
  }

  /** Close of the newest candle of the agent's own interval, ms. */
  closeFor(interval: ExecutionInterval): number {
    const every = evaluationIntervalMs(this.market, interval);
    return Math.floor(this.tick / every) * every;
  }

  /**
   * Reads the candles that agents of these terms decide on, and answers what could not be read.
   * `held`: pairs that some of them may hold without listing them. Never within a transaction: an
   * exchange may take its time.
   */
  async load(list: readonly CandleTerms[], held: readonly string[] = []): Promise<Unread[]> {
    const unread: Unread[] = [];
    const begun = new Map<string, Promise<void>>([['pegs', this.loadPegs()]]);
    for (const terms of list) {
      const stretch = this.stretchOf(terms, pairsOf(this.market, terms));
      const { pairs, close, back } = stretch;
      const known = this.readBy(back, close);
      this.loadUnlisted(held, stretch, begun);
      if (this.computed.has(this.signalsKey(terms, stretch))) continue;
      for (const pair of pairs) {
        const key = `${back} ${close} ${pair}`;
        if (known.has(pair) || begun.has(key)) continue;
        const reading = this.loadListed(pair, back, close);
        begun.set(
          key,
          reading.catch((error: unknown) => {
            unread.push({ pair, error });
          }),
        );
        if (begun.size % BEGUN_AT_ONCE === 0)
          await new Promise((resolve) => {
            setImmediate(resolve);
          });
      }
    }
    await Promise.all(begun.values());
    return unread.filter(({ pair }) => !this.isDoneWithout(pair));
  }

  /**
   * One that is not traded, or whose candles were not read at the tick before either, is not waited
   * for like the others.
   */
  private async loadListed(pair: string, back: number, close: number): Promise<void> {
    const reading = this.series(pair, back, close);
    const known = unreadSince(this.market, stretchKey(pair, back)) < this.tick;
    if (!known && !this.idle.has(pair)) {
      await reading;
      return;
    }
    try {
      await inTime(reading, DISPENSABLE_WAIT_MS);
    } catch (error) {
      this.missed.add(pair);
      throw error;
    }
  }

  /**
   * Its agents are run as though it had no signal. Where more is missing than came, it is the
   * exchange that is missing, and everybody stays due.
   */
  private isDoneWithout(pair: string): boolean {
    if (!this.missed.has(pair)) return false;
    const came = [...this.read.values()].reduce((all, known) => all + known.size, 0);
    return this.idle.has(pair) || came > this.missed.size;
  }

  /** What is not there in time has no signal at this tick. */
  private loadUnlisted(
    held: readonly string[],
    { pairs, close, back }: Stretch,
    begun: Map<string, Promise<void>>,
  ): void {
    for (const pair of held) {
      const key = `unlisted ${back} ${close} ${pair}`;
      if (pairs.includes(pair) || begun.has(key)) continue;
      const reading = inTime(this.series(pair, back, close), DISPENSABLE_WAIT_MS);
      begun.set(
        key,
        reading.then(
          () => undefined,
          () => undefined,
        ),
      );
    }
  }

  /** Null where candles were not read. Throws where the strategy fails. */
  of(row: AgentTerms): TickInput | null {
    const pairs = pairsOf(this.market, row);
    const key = `${row.executionInterval}|${signalKey(row.pool, pairs, row.tradingFrequency)}`;
    const known = this.inputs.get(key);
    if (known !== undefined) return known;
    const made = this.make(row, this.stretchOf(row, pairs));
    return made === null ? null : keep(this.inputs, key, made);
  }

  /**
   * The same with pairs that the agent holds and does not list, because they left the pool's list.
   * Each is judged as though it were still listed; the ranks of the others stay as they are. One
   * whose candles were not read has no signal, and is held on.
   */
  withHeld(input: TickInput, row: CandleTerms, held: readonly string[]): TickInput {
    const listed = pairsOf(this.market, row);
    const extra = held.filter((pair) => !listed.includes(pair)).sort();
    if (extra.length === 0) return input;
    const stretch = this.stretchOf(row, listed);
    const key = `${termsKey(row)}|${extra.join(',')}`;
    return (
      this.inputs.get(key) ?? keep(this.inputs, key, this.extended(input, row, stretch, extra))
    );
  }

  private extended(
    input: TickInput,
    row: CandleTerms,
    { pairs, close, back }: Stretch,
    extra: readonly string[],
  ): TickInput {
    const listed = this.signalsOf(row, { pairs, close, back })?.series;
    const known = this.readBy(back, close);
    const of = (list: readonly string[]): Map<string, Series> =>
      new Map(
        [...list].sort().flatMap((pair) => {
          const one = listed?.get(pair) ?? known.get(pair);
          return one === undefined ? [] : [[pair, one] as const];
        }),
      );
    const signals = new Map(input.signals);
    const horizon = horizonOf(row.tradingFrequency);
    for (const pair of extra) {
      if (this.idle.has(pair)) continue;
      const signal = computeSignals(row.pool, of([...pairs, pair]), close, horizon).get(pair);
      if (signal !== undefined) signals.set(pair, signal);
    }
    const rules = new Map([...input.rules, ...this.rulesOf(extra)]);
    const volumes = this.volumesOf(row.executionInterval, close, of(extra));
    const correlation = correlationAt(of([...pairs, ...extra]), close);
    return { ...input, signals, rules, volumes, correlation };
  }

  /** Agents of these terms are not run at this look. */
  leaveOut(terms: CandleTerms): void {
    this.leftOut.add(termsKey(terms));
  }

  private make(row: CandleTerms, stretch: Stretch): TickInput | null {
    const { pairs, close } = stretch;
    const computed = this.signalsOf(row, stretch);
    if (computed === null || this.pegs === null) return null;
    const { series } = computed;
    const signals = new Map([...computed.signals].filter(([pair]) => !this.idle.has(pair)));
    const volumes = this.volumesOf(row.executionInterval, close, series);
    return {
      id: tickId(this.market.source.id, row.executionInterval, close),
      close,
      signals,
      quotes: this.quotes,
      rules: this.rulesOf(pairs),
      volumes,
      pegBreaks: this.pegs(close),
      correlation: correlationAt(series, close),
    };
  }

  private rulesOf(pairs: readonly string[]): Map<string, PairRules> {
    const rules = new Map<string, PairRules>();
    for (const pair of pairs) {
      const rule = this.market.rules(pair);
      if (rule !== null) rules.set(pair, rule);
    }
    return rules;
  }

  private stretchOf(terms: CandleTerms, pairs: readonly string[]): Stretch {
    const close = this.closeFor(terms.executionInterval);
    const lookback = lookbackMs(terms.pool, close, horizonOf(terms.tradingFrequency));
    return {
      pairs,
      close,
      // Whole days, so that neighbouring ticks ask for the same stretch and the market can keep it
      // at hand.
      back: Math.ceil(lookback / DAY_MS) * DAY_MS,
    };
  }

  private signalsKey(terms: CandleTerms, { pairs, close }: Stretch): string {
    return `${close}|${signalKey(terms.pool, pairs, terms.tradingFrequency)}`;
  }

  /**
   * The market's stablecoin pairs tell the pegs, whether the agent trades them or not. One that
   * cannot be read, or is late, is unknown, which holds back purchases: it must not hold up the
   * sales of every agent.
   */
  private async loadPegs(): Promise<void> {
    if (this.pegs !== null) return;
    const unread: string[] = [];
    const pairs = this.market.pairs().filter(({ pair }) => isPegPair(pair));
    const read = await Promise.all(
      pairs.map(({ pair }) =>
        inTime(this.series(pair, PEG_HISTORY_MS, this.tick), PEGS_WAIT_MS).catch(() => {
          unread.push(pair);
          return null;
        }),
      ),
    );
    const witnesses = pairs.filter((rules) => !this.isNoWitness(rules)).map(({ pair }) => pair);
    const breaksAt = pegReader(read.filter((one) => one !== null));
    const unknown = unread.filter((pair) => witnesses.includes(pair));
    this.pegs = (at) => withUnread(breaksAt(at), witnesses, unknown);
  }

  /**
   * What it could tell of its coins counts for a day. After that a pair which its exchange has no
   * more, and tells nothing of, would hold back purchases for ever.
   */
  private isNoWitness({ pair, notTraded }: PairRules): boolean {
    const since = unreadSince(this.market, stretchKey(pair, PEG_HISTORY_MS));
    return notTraded === 'gone' && this.tick - since >= PEG_BACK_MS;
  }

  private readBy(back: number, close: number): Map<string, Series> {
    const known = this.read.get(`${back} ${close}`) ?? new Map<string, Series>();
    this.read.set(`${back} ${close}`, known);
    return known;
  }

  private async series(pair: string, back: number, close: number): Promise<Series> {
    const known = this.readBy(back, close);
    const key = stretchKey(pair, back);
    const candles = await this.market.history(pair, back, close).catch((error: unknown) => {
      noteUnread(this.market, key, this.tick);
      throw error;
    });
    noteRead(this.market, key);
    const built = known.get(pair) ?? BUILT.get(candles) ?? (await makeInTurn(pair, candles));
    BUILT.set(candles, built);
    known.set(pair, built);
    return built;
  }

  private signalsOf(terms: CandleTerms, stretch: Stretch): ComputedSignals | null {
    const key = this.signalsKey(terms, stretch);
    const known = this.computed.get(key);
    if (known !== undefined) return known;
    const made = this.compute(terms, stretch);
    return made === null ? null : keep(this.computed, key, made);
  }

  private compute(terms: CandleTerms, { pairs, close, back }: Stretch): ComputedSignals | null {
    const known = this.readBy(back, close);
    const series = new Map<string, Series>();
    // By name, as in a backtest: whoever asks first, the sums over pairs are the same to the last
    // digit.
    for (const pair of [...pairs].sort()) {
      const one = known.get(pair);
      if (one !== undefined) series.set(pair, one);
      else if (!this.isDoneWithout(pair)) return null;
    }
    const horizon = horizonOf(terms.tradingFrequency);
    return { signals: computeSignals(terms.pool, series, close, horizon), series };
  }

  /** Grows with what is asked for; the same for all agents of an interval. */
  private volumesOf(
    interval: ExecutionInterval,
    close: number,
    series: ReadonlyMap<string, Series>,
  ): ReadonlyMap<string, Volumes> {
    const volumes = this.volumes.get(`${interval} ${close}`) ?? new Map<string, Volumes>();
    this.volumes.set(`${interval} ${close}`, volumes);
    for (const [pair, one] of series)
      if (!volumes.has(pair))
        volumes.set(pair, volumesAt(one, close, executionIntervalMs(interval)));
    return volumes;
  }
}
