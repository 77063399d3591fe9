/** What candles prove about an alert that nobody watched at the time. */
import { fixedFromNumber, parseFixed, type Fixed } from '../../contract/money.ts';
import type { Candle } from '../../engine/market-types.ts';
import { movesOf, type Range } from './extremes.ts';
import { afterFiring, type Transition, type Watched } from './symbol-board.ts';

/** A candle in exact prices; `close` is the moment, `last` the price. */
export interface Bar {
  time: number;
  close: number;
  open: Fixed;
  high: Fixed;
  low: Fixed;
  last: Fixed;
}

/** The extremes of an alert's condition within one candle. */
interface Reading {
  /** The price at which it surely held at some time in the candle; null where it need not have. */
  reached: { price: Fixed; movedBps: number | null } | null;
  /** The same for its close alone. */
  atClose: { price: Fixed; movedBps: number | null } | null;
  /** It surely did not hold at some time in the candle. */
  left: boolean;
}

const MINUTE_MS = 60_000;

/** Later prices first look back at this much: nothing before a window matters. */
function windowOf(
  bars: readonly Bar[],
  at: number,
  end: number,
  windowMinutes: number,
): Range | null {
  let range: Range | null = null;
  for (let index = at - 1; index >= 0; index -= 1) {
    const bar = bars[index];
    // A candle counts where all of it lies within the window.
    if (bar === undefined || bar.time <= end - windowMinutes * MINUTE_MS) break;
    range =
      range === null
        ? { low: bar.low, high: bar.high }
        : {
            low: bar.low < range.low ? bar.low : range.low,
            high: bar.high > range.high ? bar.high : range.high,
          };
  }
  return range;
}

function readPrice(kind: 'above' | 'below', target: Fixed, bar: Bar): Reading {
  const holds = (price: Fixed): boolean => (kind === 'above' ? price >= target : price <= target);
  const [far, near] = kind === 'above' ? [bar.high, bar.low] : [bar.low, bar.high];
  return {
    reached: holds(far) ? { price: far, movedBps: null } : null,
    atClose: holds(bar.last) ? { price: bar.last, movedBps: null } : null,
    left: !holds(near),
  };
}

/**
 * Within a candle only the order of its open and its close is known. A rise is certain from an
 * earlier low to the high, from the open to the high, and from the low to the close.
 */
function readMove(alert: Watched, bars: readonly Bar[], index: number, bar: Bar): Reading {
  const { condition } = alert;
  if (condition.kind !== 'move') throw new Error('A price alert has no window');
  const past = windowOf(bars, index, bar.close, condition.windowMinutes);
  const earlier = past ?? { low: bar.open, high: bar.open };
  const from = {
    low: earlier.low < bar.open ? earlier.low : bar.open,
    high: earlier.high > bar.open ? earlier.high : bar.open,
  };
  const all = {
    low: from.low < bar.low ? from.low : bar.low,
    high: from.high > bar.high ? from.high : bar.high,
  };
  const close = movesOf(bar.last, all);
  const ways = [
    { price: bar.last, bps: close.up, sign: 1 },
    { price: bar.last, bps: close.down, sign: -1 },
    { price: bar.high, bps: movesOf(bar.high, { ...from, high: bar.high }).up, sign: 1 },
    { price: bar.low, bps: movesOf(bar.low, { ...from, low: bar.low }).down, sign: -1 },
  ].filter(
    ({ sign }) => condition.direction === 'either' || (condition.direction === 'up') === sign > 0,
  );
  const hits = ways.filter(({ bps }) => bps >= BigInt(condition.bps));
  const said = (hit: (typeof ways)[number] | undefined): Reading['reached'] =>
    hit === undefined ? null : { price: hit.price, movedBps: Number(hit.bps) * hit.sign };
  const atClose = said(hits.find(({ price }) => price === bar.last));
  const furthest = hits.reduce<(typeof ways)[number] | undefined>(
    (best, hit) => (best === undefined || hit.bps > best.bps ? hit : best),
    undefined,
  );
  return { reached: said(furthest), atClose, left: atClose === null };
}

/** Worked out once for all alerts of a symbol. */
export const barsOf = (candles: readonly Candle[], intervalMs: number): Bar[] =>
  candles.map((candle) => ({
    time: candle.time,
    close: candle.time + intervalMs,
    open: fixedFromNumber(candle.open),
    high: fixedFromNumber(candle.high),
    low: fixedFromNumber(candle.low),
    last: fixedFromNumber(candle.close),
  }));

/** Most alerts are far from the price: seen without looking at every candle's order. */
function staysAsItIs({ phase, condition }: Watched, target: Fixed, list: readonly Bar[]): boolean {
  const above = condition.kind === 'above';
  return phase === 'watching'
    ? list.every(({ high, low }) => (above ? high < target : low > target))
    : list.every(({ high, low }) => (above ? low >= target : high <= target));
}

export interface Passed {
  alert: Watched | null;
  transitions: Transition[];
}

/**
 * Takes an alert over the candles that closed after `from`. Candles before it are looked at for
 * windows alone. It fires once at most: after a long absence one notice is enough. Its next phase
 * therefore begins after the last of them, so that no other process goes on with the rest. A candle
 * that began before its phase did counts by its close.
 */
export function passCandles(alert: Watched, list: readonly Bar[], from: number): Passed {
  const target = alert.condition.kind === 'move' ? null : parseFixed(alert.condition.price);
  const transitions: Transition[] = [];
  if (target !== null && staysAsItIs(alert, target, list)) return { alert, transitions };
  let present = alert;
  const note = (
    what: Transition['what'],
    { at, since }: Pick<Transition, 'at' | 'since'>,
    hit: { price: Fixed; movedBps: number | null },
    next: Transition['next'],
  ): void => {
    transitions.push({
      what,
      id: present.id,
      uid: present.uid,
      symbol: present.symbol,
      condition: present.condition,
      arming: present.arming,
      at,
      since,
      ...hit,
      late: true,
      next,
    });
  };
  for (const [index, bar] of list.entries()) {
    const ready = Math.max(present.since, present.restsUntil ?? -Infinity);
    if (bar.close <= from || bar.close <= ready) continue;
    // What moved within an hour may have taken all of it: a shorter window is not surely met.
    const { condition } = present;
    if (condition.kind === 'move' && bar.close - bar.time > condition.windowMinutes * MINUTE_MS)
      continue;
    const reading =
      present.condition.kind === 'move' || target === null
        ? readMove(present, list, index, bar)
        : readPrice(present.condition.kind, target, bar);
    const whole = bar.time >= ready;
    if (present.phase === 'waiting') {
      if (whole ? !reading.left : reading.atClose !== null) continue;
      const next = { phase: 'watching', restsUntil: null } as const;
      note(
        'rearmed',
        { at: bar.close, since: bar.close },
        { price: bar.last, movedBps: null },
        next,
      );
      present = { ...present, ...next, since: bar.close };
      if (reading.atClose === null) continue;
    }
    const hit = whole && present.since < bar.close ? reading.reached : reading.atClose;
    if (hit === null) continue;
    const at = whole && present.since <= bar.time ? bar.time : bar.close;
    const next = afterFiring(present.repeatMinutes, at);
    const since = list.at(-1)?.close ?? at;
    note('fired', { at, since }, hit, next);
    return {
      alert: next === null ? null : { ...present, ...next, arming: present.arming + 1, since },
      transitions,
    };
  }
  return { alert: present, transitions };
}
