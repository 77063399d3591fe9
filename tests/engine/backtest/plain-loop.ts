/**
 * The backtest as a plain loop that evaluates every pair at every candle: the reference for the
 * fast path.
 */
import { add, subtract, toNumber, ZERO } from '../../../contract/money.ts';
import type { Fixed } from '../../../contract/money.ts';
import { runAgent } from '../../../engine/execution/step-agent.ts';
import type { BacktestInput, BacktestResult } from '../../../engine/backtest/run-backtest.ts';
import { correlationAt } from '../../../engine/signals/correlation.ts';
import { priceFromNumber, quoteAround } from '../../../engine/execution/fills.ts';
import { markToMarket } from '../../../engine/accounting/ledger.ts';
import { rememberExit } from '../../../engine/execution/agent-memory.ts';
import { metricsOf } from '../../../engine/accounting/performance-metrics.ts';
import type { EquityPoint } from '../../../engine/accounting/performance-metrics.ts';
import { pegReader } from '../../../engine/signals/pegs.ts';
import { executionIntervalMs, lastClose, nextDue } from '../../../engine/execution/schedule.ts';
import {
  indexAt,
  makeSeries,
  volatilityAt,
  volumeInDay,
  volumesAt,
} from '../../../engine/signals/candle-series.ts';
import type { Series } from '../../../engine/signals/candle-series.ts';
import { computeSignals, horizonOf } from '../../../engine/signals/compute-signals.ts';
import { exitTrade, stopQuoteInCandle } from '../../../engine/execution/stops.ts';
import type { Candle, PairRules, Quote } from '../../../engine/market-types.ts';
import type {
  FillDraft,
  OpenPosition,
  TickInput,
  TradeDraft,
} from '../../../engine/execution/agent-types.ts';

/** What a backtest returns, with the equity after every candle. */
export type PlainResult = Omit<BacktestResult, 'curve'> & { worth: [number, Fixed][] };

interface Book {
  cash: Fixed;
  positions: Map<string, OpenPosition>;
  memory: Record<string, unknown>;
  trades: FillDraft[];
  acted: PlainResult['acted'];
  reasons: Map<string, number>;
  worth: PlainResult['worth'];
  /** Newest candle of each pair, so that a gap in one pair's candles does not move the equity. */
  newest: Map<string, Candle & { closesAt: number }>;
  exposedMs: number;
}

/** The candles that open at one moment, by pair, and how long they last (ms). */
interface Bars {
  byPair: Map<string, Candle & { closesAt: number }>;
  lengthMs: number;
}

export function plainBacktest(input: BacktestInput): PlainResult {
  const series = new Map(
    [...input.candles]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([pair, candles]) => [pair, makeSeries(pair, candles)]),
  );
  const book: Book = {
    cash: input.deposit,
    positions: new Map(),
    memory: {},
    trades: [],
    acted: [],
    reasons: new Map(),
    worth: [[input.from, input.deposit]],
    newest: new Map(),
    exposedMs: 0,
  };
  const { interval } = input.agent;
  let due =
    lastClose(interval, input.from) === input.from ? input.from : nextDue(interval, input.from);
  let gone = 0;
  const moments = openings(series, input.from, input.to);
  for (const [k, open] of moments.entries()) {
    const bars = barsAt(series, open);
    const next = moments[k + 1] ?? open + bars.lengthMs;
    gone += bars.byPair.size;
    if (open >= due) {
      look(input, series, book, open, bars);
      due = nextDue(interval, open);
    }
    runStops(input, series, book, bars);
    if (book.positions.size > 0) book.exposedMs += next - open;
    mark(input, book, bars, Math.min(next, open + bars.lengthMs));
  }
  return summary(input, series, book, gone);
}

/** Every moment in [from, to) at which some pair's candle opens. */
function openings(series: ReadonlyMap<string, Series>, from: number, to: number): number[] {
  const moments = new Set<number>();
  for (const one of series.values()) {
    for (let i = indexAt(one, from) + 1; i < one.length; i += 1) {
      const open = one.opensAt[i] ?? to;
      if (open >= to) break;
      if (open >= from) moments.add(open);
    }
  }
  return [...moments].sort((a, b) => a - b);
}

function barsAt(series: ReadonlyMap<string, Series>, open: number): Bars {
  const byPair: Bars['byPair'] = new Map();
  let lengthMs = 0;
  for (const [pair, one] of series) {
    const i = indexAt(one, open) + 1;
    if (one.opensAt[i] !== open) continue;
    lengthMs = Math.max(lengthMs, (one.closesAt[i] ?? open) - open);
    byPair.set(pair, {
      time: open,
      closesAt: one.closesAt[i] ?? open,
      open: one.open[i] ?? 0,
      high: one.high[i] ?? 0,
      low: one.low[i] ?? 0,
      close: one.close[i] ?? 0,
      volume: (one.volumeBefore[i + 1] ?? 0) - (one.volumeBefore[i] ?? 0),
    });
  }
  return { byPair, lengthMs };
}

function look(
  input: BacktestInput,
  series: ReadonlyMap<string, Series>,
  book: Book,
  open: number,
  bars: Bars,
): void {
  const { agent, rules } = input;
  const close = lastClose(agent.interval, open);
  const quotes = quotesAt(rules, bars, (bar) => bar.open);
  const looked = new Map([...series].filter(([pair]) => agent.pairs.includes(pair)));
  const horizon = horizonOf(agent.frequency);
  const signals =
    input.strategy?.({ pairs: looked, at: close, horizon }) ??
    computeSignals(agent.pool, looked, close, horizon);
  const volumes = new Map(
    [...looked].map(([pair, one]) => [
      pair,
      volumesAt(one, close, executionIntervalMs(agent.interval)),
    ]),
  );
  const tick: TickInput = {
    id: `backtest:${agent.interval}:${close}`,
    close,
    signals,
    quotes,
    rules,
    volumes,
    correlation: correlationAt(looked, close),
    pegBreaks: pegReader([
      ...series.values(),
      ...[...(input.witnesses ?? [])].flatMap(([pair, candles]) =>
        series.has(pair) ? [] : [makeSeries(pair, candles)],
      ),
    ])(close),
  };
  const positions = [...book.positions.values()];
  // A pair without a candle here is valued at its last known price, as it is live.
  const marks = quotesAt(
    rules,
    { byPair: new Map([...book.newest, ...bars.byPair]), lengthMs: 0 },
    (bar) => known(bar, open),
  );
  const { equity } = markToMarket(book.cash, positions, marks);
  const account = {
    freeCash: book.cash,
    equity,
    maxTradeAmount: input.maxTradeAmount,
    entriesAllowed: { allowed: true } as const,
  };
  const outcome = runAgent(
    { ...agent, id: 'backtest', memory: book.memory },
    tick,
    account,
    positions,
  );
  book.memory = outcome.memory;
  for (const decision of outcome.decisions) {
    book.reasons.set(decision.reason, (book.reasons.get(decision.reason) ?? 0) + 1);
    if (decision.action === 'enter' || decision.action === 'exit')
      book.acted.push({ at: close, decision });
  }
  for (const trade of outcome.trades) settle(book, trade);
}

/** Books a trade: cash moves, and the position becomes what the trade says. */
function settle(book: Book, { fill, after }: TradeDraft): void {
  book.trades.push(fill);
  book.cash =
    fill.side === 'buy'
      ? subtract(book.cash, add(fill.notional, fill.fee))
      : add(book.cash, subtract(fill.notional, fill.fee));
  const held = book.positions.get(fill.pair);
  if (after.quantity === ZERO) book.positions.delete(fill.pair);
  else
    book.positions.set(fill.pair, {
      ...after,
      id: fill.pair,
      openedAt: held?.openedAt ?? fill.filledAt,
    });
}

function runStops(
  input: BacktestInput,
  series: ReadonlyMap<string, Series>,
  book: Book,
  bars: Bars,
): void {
  for (const position of [...book.positions.values()]) {
    const bar = bars.byPair.get(position.pair);
    const rules = input.rules.get(position.pair);
    const one = series.get(position.pair);
    const quote = bar && rules ? stopQuoteInCandle(position, bar, rules) : null;
    if (!bar || !rules || !quote) continue;
    const depth = {
      candleVolume: bar.volume,
      dayVolume: one === undefined ? 0 : volumeInDay(one, bar.time),
      dailyVolatility: one === undefined ? null : (volatilityAt(one, bar.time)?.daily ?? null),
    };
    settle(book, exitTrade(position, quote, rules, depth, 'stop_loss'));
    book.memory = rememberExit(book.memory, {
      pair: position.pair,
      at: bar.closesAt - 1,
      stop: true,
    });
  }
}

function quotesAt(
  rules: ReadonlyMap<string, PairRules>,
  bars: Bars,
  price: (bar: Candle & { closesAt: number }) => number,
): Map<string, Quote> {
  return new Map(
    [...bars.byPair].flatMap(([pair, bar]) => {
      const rule = rules.get(pair);
      return rule
        ? [[pair, quoteAround(rule, bar.time, priceFromNumber(price(bar)))] as const]
        : [];
    }),
  );
}

function mark(input: BacktestInput, book: Book, bars: Bars, at: number): void {
  for (const [pair, bar] of bars.byPair) book.newest.set(pair, bar);
  book.worth.push([at, equityNow(input, book, at)]);
}

/** Until a candle is over only its open is known. */
const known = (bar: Candle & { closesAt: number }, at: number): number =>
  bar.closesAt <= at ? bar.close : bar.open;

/** Cash plus positions at the bid of each pair's newest price. */
function equityNow(input: BacktestInput, book: Book, at: number): Fixed {
  if (book.positions.size === 0) return book.cash;
  const byPair = new Map([...book.newest].filter(([pair]) => book.positions.has(pair)));
  const quotes = quotesAt(input.rules, { byPair, lengthMs: 0 }, (bar) => known(bar, at));
  return markToMarket(book.cash, [...book.positions.values()], quotes).equity;
}

function summary(
  input: BacktestInput,
  series: ReadonlyMap<string, Series>,
  book: Book,
  candles: number,
): PlainResult {
  const equity = book.worth.map(([at, worth]): EquityPoint => [at, toNumber(worth)]);
  return {
    trades: book.trades,
    acted: book.acted,
    reasons: book.reasons,
    worth: book.worth,
    cash: book.cash,
    finalEquity: book.worth.at(-1)?.[1] ?? book.cash,
    candles,
    metrics: metricsOf({
      equity,
      results: book.trades.flatMap((fill) =>
        fill.realized === null ? [] : [toNumber(fill.realized)],
      ),
      exposedMs: book.exposedMs,
      totalMs: (book.worth.at(-1)?.[0] ?? input.from) - input.from,
      traded: book.trades.reduce((total, fill) => total + toNumber(fill.notional), 0),
    }),
    buyAndHold: buyAndHold(input, series),
  };
}

function buyAndHold(input: BacktestInput, series: ReadonlyMap<string, Series>): number | null {
  const growth = input.agent.pairs.flatMap((pair) => {
    const one = series.get(pair);
    if (!one) return [];
    const first = one.open[indexAt(one, input.from) + 1];
    const last = one.close[indexAt(one, input.to)];
    return first === undefined || last === undefined ? [] : [last / first - 1];
  });
  return growth.length === 0
    ? null
    : growth.sort((a, b) => a - b).reduce((sum, value) => sum + value, 0) / growth.length;
}
