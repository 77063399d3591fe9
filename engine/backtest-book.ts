/**
 * What an agent under test owns from candle to candle, exactly where something happens and as
 * numbers between; refuses to decide anything.
 */
import { add, maximum, subtract, ZERO } from '../contract/money.ts';
import type { Fixed } from '../contract/money.ts';
import { knownPrice, marksAtOpen } from './equity-curve.ts';
import type { Era, Tape } from './equity-curve.ts';
import { approximate } from './fills.ts';
import { markToMarket } from './ledger.ts';
import { noteExit } from './memory.ts';
import { refresh, ROOM } from './quiet.ts';
import type { Standing, Watch } from './quiet.ts';
import { DAY_MS } from './schedule.ts';
import { volatilityAt, type Series } from './series.ts';
import { exitTrade, stopQuoteInCandle } from './stops.ts';
import type { Candle, FillDraft, OpenPosition, TradeDraft } from './types.ts';

export interface Book {
  tape: Tape;
  /** The agent's pairs, in its order. */
  watches: readonly Watch[];
  /** What the looks that change nothing are judged by. */
  standing: Standing;
  cash: Fixed;
  /** Cash as a number. */
  cashNear: number;
  positions: Map<string, OpenPosition>;
  trades: FillDraft[];
  eras: Era[];
  /**
   * The looks at which the highest equity may have been reached, since what is held last changed.
   */
  heights: number[];
}

/** The open of a pair's candle, NaN where none opens there. */
export function priceAt({ bars, series }: Watch, k: number, open: number): number {
  const bar = bars?.[k] ?? -1;
  return series !== null && bar >= 0 && series.opensAt[bar] === open
    ? (series.open[bar] ?? Number.NaN)
    : Number.NaN;
}

function equityNear({ cashNear, positions, watches }: Book, k: number, open: number): number {
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
 * Keeps the day's first equity, exactly, and the looks at which the highest may have been reached.
 */
export function noteEquity(book: Book, k: number, open: number, close: number): void {
  const { standing } = book;
  const { memory } = standing;
  const equity = equityNear(book, k, open);
  standing.equity = equity;
  if (close >= standing.dayEnds) {
    const today = Math.floor(close / DAY_MS) * DAY_MS;
    memory.day = { start: today, equity: equityAt(book, k) };
    standing.began = approximate(memory.day.equity);
    standing.dayEnds = today + DAY_MS;
  }
  if (equity < standing.highest * (1 - ROOM)) return;
  if (equity > standing.highest * (1 + ROOM)) book.heights.length = 0;
  if (equity > standing.highest) standing.highest = equity;
  if (book.positions.size > 0) book.heights.push(k);
  else memory.highWater = maximum(memory.highWater ?? book.cash, book.cash);
}

/** The highest equity exactly, before what is held changes. */
export function settleHeights(book: Book): void {
  const { memory } = book.standing;
  for (const k of book.heights) {
    const equity = equityAt(book, k);
    memory.highWater = maximum(memory.highWater ?? equity, equity);
  }
  book.heights.length = 0;
}

function equityAt({ cash, positions, tape }: Book, k: number): Fixed {
  return positions.size === 0
    ? cash
    : markToMarket(cash, [...positions.values()], marksAtOpen(tape, positions.keys(), k)).equity;
}

/**
 * What the venue and the ledger do with a trade: cash moves, the position becomes what the trade
 * says.
 */
export function settle(book: Book, k: number, { fill, after }: TradeDraft): void {
  book.trades.push(fill);
  book.cash =
    fill.side === 'buy'
      ? subtract(book.cash, add(fill.notional, fill.fee))
      : add(book.cash, subtract(fill.notional, fill.fee));
  book.cashNear = approximate(book.cash);
  const held = book.positions.get(fill.pair);
  const position =
    after.quantity === ZERO
      ? null
      : { ...after, id: fill.pair, openedAt: held?.openedAt ?? fill.filledAt };
  if (position === null) book.positions.delete(fill.pair);
  else book.positions.set(fill.pair, position);
  for (const watch of book.watches)
    if (watch.pair === fill.pair) refresh(watch, position, book.standing);
  if (book.eras.at(-1)?.from === k) book.eras.pop();
  book.eras.push({ from: k, cash: book.cash, positions: [...book.positions.values()] });
}

/** Sells what came down to its stop inside the candles that open here. */
export function runStops(book: Book, k: number, open: number): void {
  for (const { bars, position, series, stopNear } of book.watches) {
    const bar = bars?.[k] ?? -1;
    if (
      position === null ||
      series === null ||
      bar < 0 ||
      series.opensAt[bar] !== open ||
      !((series.low[bar] ?? 0) <= stopNear)
    )
      continue;
    // In the order in which they were bought, whoever came near first.
    for (const one of [...book.positions.values()]) stopInCandle(book, k, open, one);
    return;
  }
}

function stopInCandle(book: Book, k: number, open: number, position: OpenPosition): void {
  const { places, rules, series, timeline } = book.tape;
  const place = places.get(position.pair) ?? -1;
  const bar = timeline.bars[place]?.[k] ?? -1;
  const one = series[place];
  const rule = rules.get(position.pair);
  if (!one || !rule || one.opensAt[bar] !== open) return;
  const candle = candleAt(one, bar);
  const quote = stopQuoteInCandle(position, candle, rule);
  if (!quote) return;
  settleHeights(book);
  const trade = exitTrade(
    position,
    quote,
    rule,
    {
      volume: candle.volume,
      intervalMs: (one.closesAt[bar] ?? open) - open,
      dailyVolatility: volatilityAt(one, open)?.daily ?? null,
    },
    'stop_loss',
  );
  noteExit(book.standing.memory, { pair: position.pair, at: quote.at, stop: true });
  settle(book, k, trade);
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
