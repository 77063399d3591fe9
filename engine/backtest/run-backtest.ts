/**
 * Runs one agent over recorded candles with the functions that run it live. A decision is never
 * filled in the candle it was made on.
 */
import { toNumber } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import type { Metrics } from '../../contract/trading.ts';
import { stepAgent } from '../execution/step-agent.ts';
import { noteEquity, priceAt, runStops, settle, settleHeights } from './backtest-account.ts';
import type { BacktestAccount } from './backtest-account.ts';
import { correlationAt } from '../signals/correlation.ts';
import { EquityCurve, marksAtOpen, quotesAtOpen } from './equity-curve.ts';
import type { Tape } from './equity-curve.ts';
import { approximate } from '../execution/fills.ts';
import { markToMarket } from '../accounting/ledger.ts';
import { noteOwed, readMemory } from '../execution/agent-memory.ts';
import { metricsOf } from '../accounting/performance-metrics.ts';
import { pegReader } from '../signals/pegs.ts';
import type { PegBreaks } from '../signals/pegs.ts';
import { agentBlockCode, makeEvalContext, makeWatch, mayHalt, noOpReason } from './fast-path.ts';
import type { Watch } from './fast-path.ts';
import { sizeBlockCode } from './fast-path-size.ts';
import type { HeldValue } from '../guards/guard.ts';
import { executionIntervalMs, lastClose, mayRebalance, nextDue } from '../execution/schedule.ts';
import { indexAt, makeSeries, NO_VOLUME, volumesAt } from '../signals/candle-series.ts';
import type { Series } from '../signals/candle-series.ts';
import { computeSignals, horizonOf } from '../signals/compute-signals.ts';
import type { StrategyInput, Sweep } from '../strategies/strategy.ts';
import { makeTimeline } from './timeline.ts';
import type { AgentInput, DecisionDraft, FillDraft, TickInput } from '../execution/agent-types.ts';
import type { Candle, PairRules } from '../market-types.ts';
import type { Signal } from '../signals/signal.ts';

export interface BacktestInput {
  agent: Omit<AgentInput, 'memory' | 'id'>;
  /** Candles of the finest length there is, oldest first; those before `from` are history. */
  candles: ReadonlyMap<string, readonly Candle[]>;
  rules: ReadonlyMap<string, PairRules>;
  /**
   * Candles of stablecoin pairs that are not traded, which show whether the quote is on its peg.
   */
  witnesses?: ReadonlyMap<string, readonly Candle[]>;
  deposit: Fixed;
  maxTradeAmount: Fixed;
  /** Another strategy than the pool's, for research. */
  strategy?: (input: StrategyInput) => Map<string, Signal>;
  /** The same strategy over a whole tape at once, where it has such a form. */
  sweep?: Sweep;
  /**
   * Market time, ms. The first evaluation is at the first close at or after `from`, the last before
   * `to`.
   */
  from: number;
  to: number;
}

export interface BacktestResult {
  trades: FillDraft[];
  /** Decisions that traded, by close (ms). */
  acted: { at: number; decision: DecisionDraft }[];
  /** How often each reason was given, also by decisions that did nothing. */
  reasons: ReadonlyMap<string, number>;
  /** Equity at the bid after every candle. */
  curve: EquityCurve;
  cash: Fixed;
  finalEquity: Fixed;
  metrics: Metrics;
  /**
   * Buying an equal share of every pair at the start and holding it, as a plain return; null
   * without prices.
   */
  buyAndHold: number | null;
  /** Number of candles, for the benchmark. */
  candles: number;
}

/** Candles between two reports of progress. */
const PROGRESS_EVERY = 1_000;

/** State of a running backtest. Between two trades it works on floats only. */
interface Run extends BacktestAccount {
  input: BacktestInput;
  agent: AgentInput;
  signalAt: (close: number, pair: string) => Signal | null;
  pegsAt: (close: number) => PegBreaks;
  agentSeries: ReadonlyMap<string, Series>;
  acted: BacktestResult['acted'];
  reasons: Map<string, number>;
  exposedMs: number;
}

/**
 * Decides on the close of candle N and fills at the open of N + 1 with half-spread, impact and fee;
 * then runs the stops over candle N + 1, the gap first. It never decides on the last candle of the
 * tape, which has no next open to fill at. An evaluation that provably changes nothing (see `fast-
 * path.ts`) is counted and skipped. `onProgress` receives the share of the period that is done.
 */
export function backtest(
  input: BacktestInput,
  onProgress: (share: number) => void = () => undefined,
): BacktestResult {
  const run = begin(input);
  const { opens, spans } = run.tape.timeline;
  const { interval } = input.agent;
  const everyMs = executionIntervalMs(interval);
  let due =
    lastClose(interval, input.from) === input.from ? input.from : nextDue(interval, input.from);
  for (let k = 0; k < opens.length; k += 1) {
    const open = opens[k] ?? 0;
    if (k % PROGRESS_EVERY === 0) onProgress((open - input.from) / (input.to - input.from));
    if (open >= due) {
      const close = Math.floor(open / everyMs) * everyMs;
      evaluate(run, k, open, close);
      due = close + everyMs;
    }
    if (run.positions.size === 0) continue;
    runStops(run, k, open);
    if (run.positions.size > 0) run.exposedMs += spans[k] ?? 0;
  }
  return summary(run);
}

function begin(input: BacktestInput): Run {
  // Sorted by name: the last digit of sums over pairs depends on the order.
  const byPair = new Map(
    [...input.candles]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([pair, candles]) => [pair, makeSeries(pair, candles)]),
  );
  const series = [...byPair.values()];
  const tape = {
    series,
    places: new Map(series.map((one, place) => [one.pair, place])),
    timeline: makeTimeline(series, input.from, input.to),
    rules: input.rules,
  };
  const pairs = [...new Set(input.agent.pairs)];
  const agent = { ...input.agent, id: 'backtest', memory: {} };
  const context = makeEvalContext(agent, readMemory({}));
  const agentSeries = new Map([...byPair].filter(([pair]) => pairs.includes(pair)));
  return {
    input,
    agent,
    tape,
    context,
    watches: pairs.map((pair) =>
      makeWatch(
        pair,
        byPair.get(pair) ?? null,
        tape.timeline.bars[tape.places.get(pair) ?? -1] ?? null,
        input.rules.get(pair) ?? null,
        context,
      ),
    ),
    agentSeries,
    signalAt: signalsOf(input, agentSeries),
    pegsAt: pegReader([
      ...series,
      ...[...(input.witnesses ?? [])].flatMap(([pair, candles]) =>
        byPair.has(pair) ? [] : [makeSeries(pair, candles)],
      ),
    ]),
    cash: input.deposit,
    cashNear: approximate(input.deposit),
    positions: new Map(),
    trades: [],
    acted: [],
    reasons: new Map(),
    eras: [{ from: 0, cash: input.deposit, positions: [] }],
    heights: [],
    exposedMs: 0,
  };
}

function signalsOf(
  { agent, strategy, sweep }: BacktestInput,
  agentSeries: ReadonlyMap<string, Series>,
): Run['signalAt'] {
  const horizon = horizonOf(agent.frequency);
  if (sweep) return sweep(agentSeries, horizon);
  let last = Number.NaN;
  let signals: ReadonlyMap<string, Signal> = new Map();
  return (at, pair) => {
    if (at !== last)
      signals =
        strategy?.({ pairs: agentSeries, at, horizon }) ??
        computeSignals(agent.pool, agentSeries, at, horizon);
    last = at;
    return signals.get(pair) ?? null;
  };
}

/** Evaluates every pair on the fast path, and decides those that may have something to do. */
function evaluate(run: Run, k: number, open: number, close: number): void {
  const { context } = run;
  noteEquity(run, k, open, close);
  context.at = close;
  if (!context.always)
    context.rebalance = mayRebalance(
      run.agent.frequency,
      close,
      Number.isNaN(context.lastEvaluation) ? undefined : context.lastEvaluation,
    );
  context.pegBreaks = run.pegsAt(close);
  if (mayHalt(context)) decide(run, k, close, run.watches);
  else evaluatePairs(run, k, open, close);
  context.lastEvaluation = close;
}

/** As `evaluate`, where no guard may halt the agent. */
function evaluatePairs(run: Run, k: number, open: number, close: number): void {
  const { context } = run;
  context.block = agentBlockCode(context);
  let toDecide: Watch[] | null = null;
  let refused: { watch: Watch; code: string }[] | null = null;
  let held: HeldValue[] | null = null;
  for (const watch of run.watches) {
    const price = priceAt(watch, k, open);
    const signal = run.signalAt(close, watch.pair);
    watch.rebalance = context.rebalance || context.memory.owed.includes(watch.pair);
    const reason = noOpReason(watch, signal, price, open, context);
    if (reason !== null) {
      settled(run, watch, reason);
      continue;
    }
    // With nothing held a purchase is seldom refused for its size: stepAgent may as well decide.
    let code: string | null = null;
    if (run.positions.size > 0) {
      held ??= heldNow(run, k, open);
      const correlation = correlationAt(run.agentSeries, close);
      code = sizeBlockCode(watch, signal, price, context, held, correlation);
    }
    if (code === null) (toDecide ??= []).push(watch);
    else (refused ??= []).push({ watch, code });
  }
  if (toDecide === null) for (const { watch, code } of refused ?? []) settled(run, watch, code);
  else if (refused === null) decide(run, k, close, toDecide);
  else {
    // A trade may change what a size guard leaves to others: then the refused pairs are decided
    // too, in the agent's order.
    const decided = new Set([...toDecide, ...refused.map(({ watch }) => watch)]);
    decide(
      run,
      k,
      close,
      run.watches.filter((watch) => decided.has(watch)),
    );
  }
}

/** The value of each position at the bid, as a float. */
function heldNow(run: Run, k: number, open: number): HeldValue[] {
  return run.watches.flatMap((watch) => {
    if (watch.position === null) return [];
    const price = priceAt(watch, k, open);
    return [
      {
        pair: watch.pair,
        value: Number.isNaN(price)
          ? approximate(watch.position.cost)
          : watch.quantity * watch.bidShare * price,
      },
    ];
  });
}

/** A pair that provably does nothing: counted, and remembered where it is owed a rebalance. */
function settled(run: Run, watch: Watch, reason: string): void {
  const { always, memory } = run.context;
  if (!always) noteOwed(memory, watch.pair, watch.rebalance && reason === 'no_price');
  count(run, watch, reason);
}

function count(run: Run, watch: Watch, reason: string): void {
  if (reason === watch.reason) {
    watch.times += 1;
    return;
  }
  writeDown(run, watch);
  watch.reason = reason;
  watch.times = 1;
  if (!run.reasons.has(reason)) run.reasons.set(reason, 0);
}

function writeDown({ reasons }: Run, watch: Watch): void {
  if (watch.times > 0) reasons.set(watch.reason, (reasons.get(watch.reason) ?? 0) + watch.times);
  watch.times = 0;
}

function decide(run: Run, k: number, close: number, toDecide: readonly Watch[]): void {
  const {
    agent,
    input,
    positions,
    context: { lastEvaluation, memory },
    tape,
  } = run;
  settleHeights(run);
  if (!Number.isNaN(lastEvaluation)) memory.lastEvaluation = lastEvaluation;
  const pairs = toDecide.map((watch) => watch.pair);
  const tick: TickInput = {
    id: `backtest:${agent.interval}:${close}`,
    close,
    rules: input.rules,
    pegBreaks: run.context.pegBreaks,
    correlation: correlationAt(run.agentSeries, close),
    signals: new Map(
      pairs.flatMap((pair) => {
        const signal = run.signalAt(close, pair);
        return signal ? [[pair, signal] as const] : [];
      }),
    ),
    quotes: quotesAtOpen(tape, new Set([...positions.keys(), ...pairs]), k),
    volumes: new Map(
      toDecide.map(({ pair, series }) => [
        pair,
        series ? volumesAt(series, close, executionIntervalMs(agent.interval)) : NO_VOLUME,
      ]),
    ),
  };
  const held = [...positions.values()];
  const { equity } = markToMarket(run.cash, held, marksAtOpen(tape, positions.keys(), k));
  const account = {
    freeCash: run.cash,
    equity,
    maxTradeAmount: input.maxTradeAmount,
    entriesAllowed: { allowed: true } as const,
  };
  const outcome = stepAgent({ ...agent, pairs }, tick, account, held, memory);
  for (const decision of outcome.decisions) {
    run.reasons.set(decision.reason, (run.reasons.get(decision.reason) ?? 0) + 1);
    if (decision.action === 'enter' || decision.action === 'exit')
      run.acted.push({ at: close, decision });
  }
  for (const trade of outcome.trades) settle(run, k, trade);
}

function summary(run: Run): BacktestResult {
  const { input, tape } = run;
  for (const watch of run.watches) writeDown(run, watch);
  const curve = new EquityCurve(tape, run.eras, input.from, input.deposit);
  return {
    trades: run.trades,
    acted: run.acted,
    reasons: run.reasons,
    curve,
    cash: run.cash,
    finalEquity: curve.worthAt(curve.length - 1),
    candles: tape.timeline.candles,
    metrics: metricsOf({
      equity: curve.daily(),
      results: run.trades.flatMap((fill) =>
        fill.realized === null ? [] : [toNumber(fill.realized)],
      ),
      exposedMs: run.exposedMs,
      totalMs: curve.timeAt(curve.length - 1) - input.from,
      traded: run.trades.reduce((total, fill) => total + toNumber(fill.notional), 0),
    }),
    buyAndHold: buyAndHold(input, tape),
  };
}

function buyAndHold(input: BacktestInput, { places, series }: Tape): number | null {
  const growth = input.agent.pairs.flatMap((pair) => {
    const one = series[places.get(pair) ?? -1];
    if (!one) return [];
    const first = one.open[indexAt(one, input.from) + 1];
    const last = one.close[indexAt(one, input.to)];
    return first === undefined || last === undefined ? [] : [last / first - 1];
  });
  // Sorted by size, so that the last digit does not depend on the order of the pairs.
  return growth.length === 0
    ? null
    : growth.sort((a, b) => a - b).reduce((sum, value) => sum + value, 0) / growth.length;
}
