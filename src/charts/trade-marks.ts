/** Assigns a user's entries and exits to the candles in whose interval they were made. */
import type { Fill } from '../../contract/trading.ts';

export type TradeSide = 'buy' | 'sell';

/** `at`: market clock, ms. */
export interface Trade {
  at: number;
  side: TradeSide;
}

/** The trades of one side within one candle, which opened at `time`. */
export interface TradeMark {
  time: number;
  side: TradeSide;
  count: number;
}

/** The letter of a side on charts; arrows are reserved for the direction of a price. */
export const MARK_LETTER: Readonly<Record<TradeSide, string>> = { buy: 'B', sell: 'S' };

/** Trades of one pair. */
export function tradesOf(fills: readonly Fill[], pair: string): Trade[] {
  return fills
    .filter((fill) => fill.pair === pair)
    .map(({ filledAt, side }) => ({ at: filledAt, side }));
}

/** One mark per side and candle, oldest first; none for a trade whose candle is not loaded. */
export function marksOnCandles(
  trades: readonly Trade[],
  opens: ReadonlySet<number>,
  intervalMs: number,
): TradeMark[] {
  const marks = new Map<string, TradeMark>();
  for (const { at, side } of trades) {
    const time = Math.floor(at / intervalMs) * intervalMs;
    if (!opens.has(time)) continue;
    const key = `${time} ${side}`;
    marks.set(key, { time, side, count: (marks.get(key)?.count ?? 0) + 1 });
  }
  const order = ({ time, side }: TradeMark): number => time + (side === 'buy' ? 0 : 0.5);
  return [...marks.values()].sort((a, b) => order(a) - order(b));
}

/** `B`, `B 2, S 1`: the marks of one candle in a table. */
export function marksText(marks: readonly TradeMark[]): string {
  return marks
    .map(({ side, count }) => (count > 1 ? `${MARK_LETTER[side]} ${count}` : MARK_LETTER[side]))
    .join(', ');
}

/** `bought, sold twice`: the same for screen readers. */
export function marksSpoken(marks: readonly TradeMark[]): string {
  const times = (count: number): string =>
    count === 1 ? '' : count === 2 ? ' twice' : ` ${count} times`;
  return marks
    .map(({ side, count }) => `${side === 'buy' ? 'bought' : 'sold'}${times(count)}`)
    .join(', ');
}
