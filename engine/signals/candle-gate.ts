/** Rejects candles that no market can have traded, judging each by the candles before it alone. */
import type { Candle } from '../market-types.ts';

export type CandleFault =
  | 'out_of_order'
  | 'not_a_number'
  | 'not_positive'
  | 'high_under_low'
  | 'jump'
  | 'volume';

/**
 * As with quotes: a close at ten times or a tenth of the last is held back until this many in a row
 * say so. Closes are hours or days apart, and a coin that has collapsed goes on falling: no two of
 * the row need be close to each other, only none another such jump.
 */
const JUMP_FACTOR = 10;
const JUMP_CONFIRMATIONS = 5;

const isJump = (from: number, to: number): boolean =>
  to >= from * JUMP_FACTOR || to * JUMP_FACTOR <= from;

/**
 * A volume above this many times the mean so far is an error. Sums after it would lose every digit.
 */
const VOLUME_FACTOR = 1e6;
const VOLUME_CANDLES_MIN = 50;
/** Sources round each of the four by itself. */
const ROUNDING = 1e-6;

/** What is wrong with a candle by itself; null where nothing is. */
export function faultOf({ close, high, low, open, time, volume }: Candle): CandleFault | null {
  if (!Number.isFinite(time + open + high + low + close + volume)) return 'not_a_number';
  if (low <= 0 || open <= 0 || close <= 0 || volume < 0) return 'not_positive';
  const [bottom, top] = [low * (1 - ROUNDING), high * (1 + ROUNDING)];
  return top < bottom || open < bottom || open > top || close < bottom || close > top
    ? 'high_under_low'
    : null;
}

/** Judges the candles of one pair, each once and in their order. */
export class CandleGate {
  private newest = Number.NEGATIVE_INFINITY;
  private last = 0;
  private held = 0;
  private heldTimes = 0;
  private traded = 0;
  private tradedTimes = 0;

  /** What is wrong with it; null where it may be used. */
  judge(candle: Candle): CandleFault | null {
    const fault = faultOf(candle);
    if (fault !== null) return fault;
    const { close, time, volume } = candle;
    if (time <= this.newest) return 'out_of_order';
    if (this.last > 0 && isJump(this.last, close) && this.isHeld(close)) return 'jump';
    if (volume > 0) {
      if (
        this.tradedTimes >= VOLUME_CANDLES_MIN &&
        volume > VOLUME_FACTOR * (this.traded / this.tradedTimes)
      )
        return 'volume';
      this.traded += volume;
      this.tradedTimes += 1;
    }
    this.newest = time;
    this.last = close;
    this.heldTimes = 0;
    return null;
  }

  private isHeld(close: number): boolean {
    const goesOn = this.heldTimes > 0 && !isJump(this.held, close);
    if (!goesOn) this.held = close;
    this.heldTimes = goesOn ? this.heldTimes + 1 : 1;
    return this.heldTimes < JUMP_CONFIRMATIONS;
  }
}

const WORDS: Record<CandleFault, string> = {
  out_of_order: 'doubled or out of order',
  not_a_number: 'not a number',
  not_positive: 'zero or negative',
  high_under_low: 'high under low, or open or close outside them',
  jump: 'ten times or a tenth of the price before, and back',
  volume: 'a volume that nobody trades',
};

/** `3 doubled or out of order, 1 not a number`, the commonest first; empty for none. */
export function faultsText(counts: ReadonlyMap<CandleFault, number>): string {
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([fault, count]) => `${count} ${WORDS[fault]}`)
    .join(', ');
}
