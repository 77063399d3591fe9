/**
 * The queue of heavy reads: a few at once, each person in turn, and a limit to how many wait. What
 * finds no place is refused at once, and what waits too long in the end, so that nobody waits for an
 * answer that will not come in time.
 */
import { Refusal } from '../../contract/errors.ts';

const RETRY_AFTER_MS = 1_000;

export interface ReadQueueLimits {
  atOnce: number;
  /** Reads that wait, of everybody together and of one person. */
  waiting: number;
  waitingEach: number;
  /** Who has waited for so long is refused. Without it nobody is. */
  waitMostMs?: number;
}

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

export class ReadQueue {
  /** Who waits, in the order in which they are served; each with their own reads, oldest first. */
  private readonly lines = new Map<string, (() => void)[]>();
  private running = 0;
  private waitingNow = 0;
  private refusedEver = 0;

  constructor(private readonly limits: ReadQueueLimits) {}

  get waiting(): number {
    return this.waitingNow;
  }

  get refused(): number {
    return this.refusedEver;
  }

  /** @throws Refusal `server_busy` where the queue is full. */
  async run<T>(uid: string, work: () => Promise<T>): Promise<T> {
    if (this.running >= this.limits.atOnce) await this.wait(uid);
    else this.running += 1;
    try {
      // Others get their turn between two reads, whatever each of them computes.
      await nextTurn();
      return await work();
    } finally {
      this.next();
    }
  }

  private wait(uid: string): Promise<void> {
    const line = this.lines.get(uid) ?? [];
    if (this.waitingNow >= this.limits.waiting || line.length >= this.limits.waitingEach)
      throw this.refuse();
    this.waitingNow += 1;
    return new Promise((resolve, reject) => {
      let late: NodeJS.Timeout | undefined;
      const go = (): void => {
        clearTimeout(late);
        resolve();
      };
      if (this.limits.waitMostMs !== undefined)
        late = setTimeout(() => {
          this.leave(uid, go);
          reject(this.refuse());
        }, this.limits.waitMostMs);
      line.push(go);
      this.lines.set(uid, line);
    });
  }

  private refuse(): Refusal {
    this.refusedEver += 1;
    return new Refusal('server_busy', 'The server is busy. Try again in a moment.', {
      retryAfterMs: RETRY_AFTER_MS * (1 + Math.random()),
    });
  }

  private leave(uid: string, go: () => void): void {
    const line = this.lines.get(uid) ?? [];
    line.splice(line.indexOf(go), 1);
    if (line.length === 0) this.lines.delete(uid);
    this.waitingNow -= 1;
  }

  /** The place goes to the oldest read of whoever was served longest ago. */
  private next(): void {
    const first = this.lines.entries().next();
    if (first.done === true) {
      this.running -= 1;
      return;
    }
    const [uid, line] = first.value;
    this.lines.delete(uid);
    const go = line.shift();
    if (line.length > 0) this.lines.set(uid, line);
    this.waitingNow -= 1;
    go?.();
  }
}
