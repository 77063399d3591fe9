/**
 * The stand-in exchange's clock: virtual time that the test advances, or real time that a test may
 * jump ahead of.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';

export interface ClockOptions {
  /** Where it starts, ms UTC. */
  startMs: number;
  /** `still` moves only by `advance`; `flowing` also with the machine's clock. */
  mode: 'still' | 'flowing';
}

interface Task {
  atMs: number;
  order: number;
  run: () => void;
}

export class ExchangeClock {
  /** How far the exchange's own clock is ahead of true time; negative is behind. */
  skewMs = 0;
  private advancedMs = 0;
  private readonly realStartMs = Date.now();
  private tasks: Task[] = [];
  private order = 0;
  private readonly timers = new Set<NodeJS.Timeout>();

  constructor(private readonly options: ClockOptions) {}

  /** True time, which the test and the client share. */
  trueNow(): number {
    const flowed = this.options.mode === 'flowing' ? Date.now() - this.realStartMs : 0;
    return this.options.startMs + this.advancedMs + flowed;
  }

  /** What the exchange believes, stamps its orders with and compares signatures against. */
  now(): number {
    return this.trueNow() + this.skewMs;
  }

  /** Runs a task once, so many ms of true time from now. */
  after(delayMs: number, run: () => void): void {
    this.tasks.push({ atMs: this.trueNow() + delayMs, order: (this.order += 1), run });
    if (this.options.mode !== 'flowing') return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.runDue();
    }, delayMs + 1);
    timer.unref();
    this.timers.add(timer);
  }

  /** Moves virtual time on and runs what falls due, in order, each at its own time. */
  async advance(ms: number): Promise<void> {
    const end = this.trueNow() + ms;
    for (let due = this.nextDue(end); due !== null; due = this.nextDue(end)) {
      this.advancedMs += Math.max(0, due.atMs - this.trueNow());
      this.remove(due);
      due.run();
      // What was just written to a socket goes out before the next moment begins.
      await nextTurn();
    }
    this.advancedMs += Math.max(0, end - this.trueNow());
    await nextTurn();
  }

  /** Runs what is due already; a flowing clock is asked at each request. */
  runDue(): void {
    for (let due = this.nextDue(this.trueNow()); due !== null; due = this.nextDue(this.trueNow())) {
      this.remove(due);
      due.run();
    }
  }

  close(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    this.tasks = [];
  }

  private nextDue(untilMs: number): Task | null {
    let first: Task | null = null;
    for (const task of this.tasks) {
      if (task.atMs > untilMs) continue;
      if (
        first === null ||
        task.atMs < first.atMs ||
        (task.atMs === first.atMs && task.order < first.order)
      )
        first = task;
    }
    return first;
  }

  private remove(task: Task): void {
    this.tasks = this.tasks.filter((one) => one !== task);
  }
}
