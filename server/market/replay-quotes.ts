/** Plays a candle as ten prices within its time. An earlier price never gives away a later one. */
import type { Candle } from '../../engine/market-types.ts';
import { hash } from './simulated-path.ts';

export const QUOTES_A_CANDLE = 10;

/**
 * When the quote `index` (0 to 9) of a candle comes, in ms after its opening: the open one
 * millisecond after (so that it comes after the close before it), the close one millisecond before
 * the end, the others evenly between.
 */
export function quoteOffset(index: number, lengthMs: number): number {
  if (index === 0) return 1;
  if (index === QUOTES_A_CANDLE - 1) return lengthMs - 1;
  return Math.floor((lengthMs * index) / (QUOTES_A_CANDLE - 1));
}

/**
 * The ten prices: open, first extreme (4th), second extreme (7th), close (10th), and straight lines
 * between. Which extreme comes first is a coin thrown by pair and time, not read off the candle:
 * were it the close that decided, the order would foretell it.
 */
export function quotePrices(pair: string, candle: Candle): number[] {
  const lowFirst =
    (hash(pair.length, pair.charCodeAt(0) * 256 + pair.charCodeAt(1), candle.time / 60_000, 7) &
      1) ===
    0;
  const [first, second] = lowFirst ? [candle.low, candle.high] : [candle.high, candle.low];
  const decimals = Math.max(
    ...[candle.open, candle.high, candle.low, candle.close].map(decimalsOf),
  );
  const between = (from: number, to: number, share: number): number =>
    Number((from + (to - from) * share).toFixed(decimals));
  const leg = (from: number, to: number): number[] => [
    between(from, to, 1 / 3),
    between(from, to, 2 / 3),
    to,
  ];
  return [
    candle.open,
    ...leg(candle.open, first),
    ...leg(first, second),
    ...leg(second, candle.close),
  ];
}

function decimalsOf(value: number): number {
  const [mantissa = '', exponent] = String(value).split('e');
  const point = mantissa.indexOf('.');
  return Math.min(
    12,
    Math.max(0, (point === -1 ? 0 : mantissa.length - point - 1) - Number(exponent ?? 0)),
  );
}
