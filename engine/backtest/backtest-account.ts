/**
 * The account of a backtest from candle to candle: exact where something happens, floats between.
 */
import { add, maximum, subtract, ZERO } from '../../contract/money.ts';
import type { Fixed } from '../../contract/money.ts';
import { knownPrice, marksAtOpen } from './equity-curve.ts';
import type { Era, Tape } from './equity-curve.ts';
import { approximate } from '../execution/fills.ts';
import { markToMarket } from '../accounting/ledger.ts';
import { noteExit } from '../execution/agent-memory.ts';
import { refresh } from './fast-path.ts';
import type { EvalContext, Watch } from './fast-path.ts';
import { DAY_MS } from '../execution/schedule.ts';
import { FLOAT_MARGIN } from '../guards/guard.ts';
import { volatilityAt, volumeInDay, type Series } from '../signals/candle-series.ts';
import { exitTrade, stopQuoteInCandle } from '../execution/stops.ts';
import type { Candle } from '../market-types.ts';
import type { FillDraft, OpenPosition, TradeDraft } from '../execution/agent-types.ts';

export interface BacktestAccount {
  tape: Tape;
  /** The agent's pairs, in its order. */
  watches: readonly Watch[];
  /** What the fast path judges by. */
  context: EvalContext;
  cash: Fixed;
  /** Cash as a number. */
  cashNear: number;
  positions: Map<string, OpenPosition>;
  trades: FillDraft[];
  eras: Era[];
  /** The evaluations since the last trade at which the highest equity may have been reached. */
  heights: number[];
}

/** The open of a pair's candle, NaN where none opens there. */
export function priceAt({ bars, series }: Watch, k: number, open: number): number {
  const bar = bars?.[k] ?? -1;
  return series !== null && bar >= 0 && series.opensAt[bar] === open
    ? (series.open[bar] ?? Number.NaN)
    : Number.NaN;
}

function equityNear(
  { cashNear, positions, watches }: BacktestAccount,
  k: number,
  open: number,
): number {
  let equity = cashNear;
  if (positions.size === 0) return equity;
  for (const watch of watches) {
    if (watch.position === null) continue;
    const price = knownPrice(watch.series, watch.bars?.[k] ?? -1, open);
    equity += Number.isNaN(price)
      ? approximate(watch.position.cost)
      : watch.quantity * watch.bidShare * price;
  }
  return equity;
}

/**
 * Keeps the day's first equity, exactly, and the evaluations at which the highest may have been
 * reached.
 */
export function noteEquity(account: BacktestAccount, k: number, open: number, close: number): void {
  const { context } = account;
  const { memory } = context;
  const equity = equityNear(account, k, open);
  context.equity = equity;
  if (close >= context.dayEnds) {
    const today = Math.floor(close / DAY_MS) * DAY_MS;
    memory.day = { start: today, equity: equityAt(account, k) };
    context.dayEquity = approximate(memory.day.equity);
    context.dayEnds = today + DAY_MS;
  }
  if (equity < context.highestEquity * (1 - FLOAT_MARGIN)) return;
  if (equity > context.highestEquity * (1 + FLOAT_MARGIN)) account.heights.length = 0;
  if (equity > context.highestEquity) context.highestEquity = equity;
  if (account.positions.size > 0) account.heights.push(k);
  else memory.highWater = maximum(memory.highWater ?? account.cash, account.cash);
}

/** Computes the highest equity exactly, before positions change. */
export function settleHeights(account: BacktestAccount): void {
  const { memory } = account.context;
  for (const k of account.heights) {
    const equity = equityAt(account, k);
    memory.highWater = maximum(memory.highWater ?? equity, equity);
  }
  account.heights.length = 0;
}

function equityAt({ cash, positions, tape }: BacktestAccount, k: number): Fixed {
  return positions.size === 0
    ? cash
    : markToMarket(cash, [...positions.values()], marksAtOpen(tape, positions.keys(), k)).equity;
}

/** Books a trade: cash moves, and the position becomes what the trade says. */
export function settle(account: BacktestAccount, k: number, { fill, after }: TradeDraft): void {
  account.trades.push(fill);
  account.cash =
    fill.side === 'buy'
      ? subtract(account.cash, add(fill.notional, fill.fee))
      : add(account.cash, subtract(fill.notional, fill.fee));
  account.cashNear = approximate(account.cash);
  const held = account.positions.get(fill.pair);
  const position =
    after.quantity === ZERO
      ? null
      : { ...after, id: fill.pair, openedAt: held?.openedAt ?? fill.filledAt };
  if (position === null) account.positions.delete(fill.pair);
  else account.positions.set(fill.pair, position);
  for (const watch of account.watches)
    if (watch.pair === fill.pair) refresh(watch, position, account.context);
  if (account.eras.at(-1)?.from === k) account.eras.pop();
  account.eras.push({ from: k, cash: account.cash, positions: [...account.positions.values()] });
}

/** Sells positions whose stop was hit inside the candles that open here. */
export function runStops(account: BacktestAccount, k: number, open: number): void {
  for (const { bars, position, series, stopNear } of account.watches) {
    const bar = bars?.[k] ?? -1;
    if (
      position === null ||
      series === null ||
      bar < 0 ||
      series.opensAt[bar] !== open ||
      !((series.low[bar] ?? 0) <= stopNear)
    )
      continue;
    // In the order in which they were bought, whichever came near its stop first.
    for (const one of [...account.positions.values()]) stopInCandle(account, k, open, one);
    return;
  }
}

function stopInCandle(
  account: BacktestAccount,
  k: number,
  open: number,
  position: OpenPosition,
): void {
  const { places, rules, series, timeline } = account.tape;
  const place = places.get(position.pair) ?? -1;
  const bar = timeline.bars[place]?.[k] ?? -1;
  const one = series[place];
  const rule = rules.get(position.pair);
  if (!one || !rule || one.opensAt[bar] !== open) return;
  const candle = candleAt(one, bar);
  const quote = stopQuoteInCandle(position, candle, rule);
  if (!quote) return;
  settleHeights(account);
  const trade = exitTrade(
    position,
    quote,
    rule,
    {
      candleVolume: candle.volume,
      dayVolume: volumeInDay(one, open),
      dailyVolatility: volatilityAt(one, open)?.daily ?? null,
    },
    'stop_loss',
  );
  // Where in the candle it was hit is not known: by its end it was, for pauses and for lists.
  const endsAt = (one.closesAt[bar] ?? open + 1) - 1;
  noteExit(account.context.memory, { pair: position.pair, at: endsAt, stop: true });
  settle(account, k, trade);
}

function candleAt(series: Series, i: number): Candle {
  return {
    time: series.opensAt[i] ?? 0,
    open: series.open[i] ?? 0,
    high: series.high[i] ?? 0,
    low: series.low[i] ?? 0,
    close: series.close[i] ?? 0,
    volume: (series.volumeBefore[i + 1] ?? 0) - (series.volumeBefore[i] ?? 0),
  };
}
