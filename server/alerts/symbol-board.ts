/** All active alerts of one symbol: which fire and which re-arm at each price. */
import { negate, parseFixed, type Fixed } from '../../contract/money.ts';
import type { AlertCondition } from '../../contract/alerts.ts';
import { Extremes, movesOf } from './extremes.ts';
import { Ladder } from './ladder.ts';

/** An alert as it is watched. Times are on the market clock, ms. */
export interface Watched {
  id: string;
  uid: string;
  symbol: string;
  condition: AlertCondition;
  repeatMinutes: number | null;
  phase: 'watching' | 'waiting';
  arming: number;
  since: number;
  restsUntil: number | null;
  version: number;
}

/** What became of an alert at a price. `fired` ends its arming; `rearmed` begins to watch. */
export interface Transition {
  what: 'fired' | 'rearmed';
  id: string;
  uid: string;
  symbol: string;
  /** The one that was watched: the person may have set another since. */
  condition: AlertCondition;
  arming: number;
  at: number;
  /** From when it is what it is afterwards: candles that closed by then tell nothing more of it. */
  since: number;
  price: Fixed;
  /** Up is positive, down negative; null for a price alert. */
  movedBps: number | null;
  late: boolean;
  /** What it is afterwards; null where it is done. */
  next: { phase: 'watching' | 'waiting'; restsUntil: number | null } | null;
}

interface Entry {
  id: string;
  /** The condition holds where this is at most the gauge's value. */
  key: bigint;
  alert: Watched;
}

interface Gauge {
  read(price: Fixed, at: number): bigint | null;
  watching: Ladder<Entry>;
  waiting: Ladder<Entry>;
  resting: Entry[];
  restsUntil: number;
}

const MINUTE_MS = 60_000;

function gaugeName(condition: AlertCondition): string {
  return condition.kind === 'move'
    ? `${condition.direction}:${condition.windowMinutes}`
    : condition.kind;
}

/** Below is measured downwards, so that every condition reads "key at most value". */
function keyOf(condition: AlertCondition): bigint {
  if (condition.kind === 'move') return BigInt(condition.bps);
  return condition.kind === 'above'
    ? parseFixed(condition.price)
    : negate(parseFixed(condition.price));
}

export class SymbolBoard {
  readonly extremes = new Extremes();
  private readonly gauges = new Map<string, Gauge>();
  private readonly entries = new Map<string, Entry>();

  get size(): number {
    return this.entries.size;
  }

  get alerts(): Watched[] {
    return [...this.entries.values()].map(({ alert }) => alert);
  }

  get watchesMoves(): boolean {
    return this.alerts.some(({ condition }) => condition.kind === 'move');
  }

  get(id: string): Watched | undefined {
    return this.entries.get(id)?.alert;
  }

  /** Puts an alert in, in the place of what was known of it. */
  put(alert: Watched): void {
    this.remove(alert.id);
    const entry: Entry = { id: alert.id, key: keyOf(alert.condition), alert };
    this.entries.set(alert.id, entry);
    const gauge = this.gaugeOf(alert.condition);
    if (alert.phase === 'watching') gauge.watching.add(entry);
    else this.rest(gauge, entry);
  }

  remove(id: string): void {
    const entry = this.entries.get(id);
    if (entry === undefined) return;
    this.entries.delete(id);
    const gauge = this.gaugeOf(entry.alert.condition);
    gauge.watching.remove(entry);
    gauge.waiting.remove(entry);
    gauge.resting = gauge.resting.filter((other) => other !== entry);
  }

  /** A sane price. Alerts that are reached and repeat wait from here on; the others are gone. */
  see(price: Fixed, at: number): Transition[] {
    this.extremes.see(price, at);
    const found: Transition[] = [];
    for (const gauge of this.gauges.values()) {
      if (gauge.watching.size + gauge.waiting.size + gauge.resting.length === 0) continue;
      const value = gauge.read(price, at);
      if (value === null) continue;
      this.wake(gauge, at);
      for (const entry of gauge.waiting.takeAbove(value))
        found.push(this.rearm(gauge, entry, price, at));
      for (const entry of gauge.watching.takeUpTo(value))
        found.push(this.fire(gauge, entry, price, at));
    }
    return found;
  }

  private rearm(gauge: Gauge, entry: Entry, price: Fixed, at: number): Transition {
    const { id, uid, symbol, condition, arming } = entry.alert;
    const next = { phase: 'watching', restsUntil: null } as const;
    entry.alert = { ...entry.alert, ...next, since: at };
    gauge.watching.add(entry);
    const moved = { movedBps: null, late: false } as const;
    const about = { id, uid, symbol, condition, arming } as const;
    return { what: 'rearmed', ...about, at, since: at, price, ...moved, next };
  }

  private fire(gauge: Gauge, entry: Entry, price: Fixed, at: number): Transition {
    const { id, uid, symbol, arming, repeatMinutes, condition } = entry.alert;
    const next = afterFiring(repeatMinutes, at);
    if (next === null) this.entries.delete(id);
    else {
      entry.alert = { ...entry.alert, ...next, arming: arming + 1, since: at };
      this.rest(gauge, entry);
    }
    return {
      what: 'fired',
      id,
      uid,
      symbol,
      condition,
      arming,
      at,
      since: at,
      price,
      movedBps: this.moved(condition, price, at),
      late: false,
      next,
    };
  }

  /** How far the price has come, by the way that reached further. */
  private moved(condition: AlertCondition, price: Fixed, at: number): number | null {
    if (condition.kind !== 'move') return null;
    const range = this.extremes.within(condition.windowMinutes, at);
    if (range === null) return null;
    const { up, down } = movesOf(price, range);
    const upwards =
      condition.direction === 'up' || (condition.direction === 'either' && up >= down);
    return upwards ? Number(up) : -Number(down);
  }

  private rest(gauge: Gauge, entry: Entry): void {
    const { restsUntil } = entry.alert;
    if (restsUntil === null) {
      gauge.waiting.add(entry);
      return;
    }
    gauge.resting.push(entry);
    gauge.restsUntil = Math.min(gauge.restsUntil, restsUntil);
  }

  private wake(gauge: Gauge, at: number): void {
    if (at < gauge.restsUntil) return;
    const asleep: Entry[] = [];
    gauge.restsUntil = Infinity;
    for (const entry of gauge.resting) {
      const until = entry.alert.restsUntil ?? 0;
      if (until <= at) gauge.waiting.add(entry);
      else {
        asleep.push(entry);
        gauge.restsUntil = Math.min(gauge.restsUntil, until);
      }
    }
    gauge.resting = asleep;
  }

  private gaugeOf(condition: AlertCondition): Gauge {
    const name = gaugeName(condition);
    const known = this.gauges.get(name);
    if (known !== undefined) return known;
    const gauge: Gauge = {
      read: this.readerOf(condition),
      watching: new Ladder<Entry>(),
      waiting: new Ladder<Entry>(),
      resting: [],
      restsUntil: Infinity,
    };
    this.gauges.set(name, gauge);
    return gauge;
  }

  private readerOf(condition: AlertCondition): Gauge['read'] {
    if (condition.kind === 'above') return (price) => price;
    if (condition.kind === 'below') return (price) => negate(price);
    const { direction, windowMinutes } = condition;
    return (price, at) => {
      const range = this.extremes.within(windowMinutes, at);
      if (range === null) return null;
      const { up, down } = movesOf(price, range);
      if (direction === 'either') return up > down ? up : down;
      return direction === 'up' ? up : down;
    };
  }
}

/** What an alert is after it has fired at a moment of the market clock. */
export function afterFiring(repeatMinutes: number | null, at: number): Transition['next'] {
  return repeatMinutes === null
    ? null
    : { phase: 'waiting', restsUntil: at + repeatMinutes * MINUTE_MS };
}
