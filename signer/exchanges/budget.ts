/** Holds requests under an exchange's limits, and sends none while it has banned us. */
import type { SpentRecord } from '../spent.ts';
import { Turns } from './turns.ts';

/** Of each limit, so that a neighbour on the same address or key still has room. */
const SHARE = 0.8;

export interface Allowance {
  /** What the exchange lets pass at once. */
  burst: number;
  /** What it gives back. */
  perSecond: number;
}

/** Why a request was not sent. Nothing left the process. */
export class NotSent extends Error {
  override readonly name = 'NotSent';
  constructor(
    readonly code:
      | 'exchange_ban'
      | 'busy'
      | 'deadline_passed'
      | 'signing_failed'
      | 'closed_endpoint',
    readonly retryAtMs: number | null = null,
  ) {
    super(code);
  }
}

export interface Clock {
  now(): number;
  /** Time that nobody sets, from any moment on, ms; where it is left out, `now` counts. */
  running?(): number;
  sleep(ms: number): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  running: () => performance.now(),
  sleep: (ms) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms);
    }),
};

/** Where the end of a ban outlives the process. */
export interface BanRecord {
  untilMs: number;
  /** How long it was when it was given; null where that is not known. */
  lengthMs: number | null;
  note(untilMs: number): void;
}

/** A bucket of weight that fills by the second. What is taken ahead of time is waited for. */
export class Budget {
  private level: number;
  private filledAtMs: number;
  private bannedUntilMs: number;
  private banLengthMs: number;
  /** Those who leave as much to spare, one after the other. */
  private readonly turns = new Map<number, Turns>();

  constructor(
    private readonly allowance: Allowance,
    private readonly clock: Clock,
    private readonly record: BanRecord | null = null,
    private readonly spent: SpentRecord | null = null,
  ) {
    this.bannedUntilMs = record?.untilMs ?? 0;
    this.banLengthMs = record?.lengthMs ?? Number.POSITIVE_INFINITY;
    const last = spent?.last ?? null;
    // What cannot be told may have been used just now.
    if (last === 'unreadable') this.level = 0;
    else this.level = Math.min(last?.level ?? Number.POSITIVE_INFINITY, allowance.burst * SHARE);
    const isKnown = last !== null && last !== 'unreadable';
    this.filledAtMs = isKnown ? Math.min(last.atMs, clock.now()) : clock.now();
  }

  get bannedUntil(): number {
    return this.bannedUntilMs;
  }

  /** No request leaves before `untilMs`. A ban only ever grows. */
  ban(untilMs: number): void {
    if (untilMs <= this.bannedUntilMs) return;
    this.bannedUntilMs = untilMs;
    this.banLengthMs = untilMs - this.clock.now();
    this.record?.note(untilMs);
  }

  /** The same allowance as another, of which this much is left. */
  takeOver(other: Budget): void {
    this.fill();
    other.fill();
    this.level = Math.min(this.level, other.level);
    this.ban(other.bannedUntilMs);
    this.noteLevel();
  }

  /** The exchange's own count of what was used, where it tells. */
  used(weight: number): void {
    this.fill();
    this.level = Math.min(this.level, this.allowance.burst * SHARE - weight);
    this.noteLevel();
  }

  /**
   * Takes `weight`, waiting up to `patienceMs` for it. Who leaves others something to `spare` waits
   * behind all who leave less, and in turn with those who leave as much: what costs more would
   * never find its weight there otherwise.
   * @throws NotSent during a ban, or when the wait would be longer.
   */
  async take(weight: number, patienceMs: number, spare = 0): Promise<void> {
    const endMs = this.clock.now() + patienceMs;
    const waitMs = this.waitFor(weight + spare, endMs);
    if (spare > 0) {
      await this.turnsOf(spare).take(() => this.takeSparing(weight, spare, endMs), false);
      return;
    }
    this.spend(weight);
    if (waitMs > 0) await this.clock.sleep(waitMs);
    // It may have come while we waited.
    this.refuseBanned();
  }

  /** Waits until it is there, so that nothing is taken ahead of those who are more urgent. */
  private async takeSparing(weight: number, spare: number, endMs: number): Promise<void> {
    for (;;) {
      const waitMs = this.waitFor(weight + spare, endMs);
      if (waitMs === 0) break;
      await this.clock.sleep(waitMs);
    }
    this.spend(weight);
  }

  private turnsOf(spare: number): Turns {
    const turns = this.turns.get(spare) ?? new Turns();
    this.turns.set(spare, turns);
    return turns;
  }

  private spend(weight: number): void {
    this.level -= weight;
    this.noteLevel();
  }

  /** How long until so much is there, ms. */
  private waitFor(wanted: number, endMs: number): number {
    this.refuseBanned();
    this.fill();
    const missing = Math.min(wanted, this.allowance.burst * SHARE) - this.level;
    const waitMs = Math.ceil((Math.max(0, missing) / (this.allowance.perSecond * SHARE)) * 1_000);
    const atMs = this.clock.now() + waitMs;
    if (atMs > endMs) throw new NotSent('busy', atMs);
    return waitMs;
  }

  /** @throws NotSent during a ban. */
  refuseBanned(): void {
    const now = this.clock.now();
    // More is left of it than it ever was: the clock was set back since.
    this.bannedUntilMs = Math.min(this.bannedUntilMs, now + this.banLengthMs);
    if (now < this.bannedUntilMs) throw new NotSent('exchange_ban', this.bannedUntilMs);
  }

  /** Before a request leaves that uses it. */
  private noteLevel(): void {
    this.spent?.note({ level: this.level, atMs: this.filledAtMs });
  }

  private fill(): void {
    const now = this.clock.now();
    const gained = ((now - this.filledAtMs) / 1_000) * this.allowance.perSecond * SHARE;
    this.level = Math.min(this.allowance.burst * SHARE, this.level + Math.max(0, gained));
    this.filledAtMs = now;
  }
}
