/**
 * The numbers of one key's private requests at Kraken, which refuses one that is not above all that
 * came before, from whichever door or process.
 */
import type { SpentRecord } from '../spent.ts';
import { Turns } from './turns.ts';

/** Within this of the exchange's clock ours counts: read again after a restart, it goes on. */
const APART_MS = 2_000;

export class Nonces {
  /** They have to arrive in their order too. */
  readonly turns = new Turns();
  private last = 0;
  private record: SpentRecord | null = null;

  /** From now on the last one outlives the process. */
  keepIn(record: SpentRecord | null): void {
    if (record === null || this.record !== null) return;
    this.record = record;
    const { last } = record;
    if (last !== null && last !== 'unreadable') this.last = Math.max(this.last, last.level);
  }

  /** Microseconds. `oursMs`, `thereMs`: the time by our clock, and by the exchange's. */
  next(oursMs: number, thereMs: number): number {
    // A clock that was far ahead once would keep every process after this one from asking.
    const near = Math.min(Math.max(oursMs, thereMs - APART_MS), thereMs + APART_MS);
    this.last = Math.max(this.last + 1, Math.round(near * 1_000));
    this.record?.note({ level: this.last, atMs: oursMs });
    return this.last;
  }
}
