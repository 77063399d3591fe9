/**
 * Who goes first on a connection that all share: stops before other commands, those before the
 * product's own work, and what people only look at last.
 */

/** `work` is everything that no person waits for: ticks, streams, background tasks. */
export type Lane = 'stop' | 'command' | 'work' | 'read';

const ORDER: readonly Lane[] = ['stop', 'command', 'work', 'read'];

/** One at a time; whoever waits is let in by lane, and within a lane by time. */
export class LaneLock {
  private readonly waiting: Record<Lane, (() => void)[]> = {
    stop: [],
    command: [],
    work: [],
    read: [],
  };
  private held = false;

  /** Runs `work` alone. What is running is never interrupted. */
  async hold<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    if (this.held)
      await new Promise<void>((resolve) => {
        this.waiting[lane].push(resolve);
      });
    this.held = true;
    try {
      return await work();
    } finally {
      this.pass();
    }
  }

  /** Handed on without being free in between, so that nobody who comes just now goes ahead. */
  private pass(): void {
    for (const lane of ORDER) {
      const next = this.waiting[lane].shift();
      if (next === undefined) continue;
      next();
      return;
    }
    this.held = false;
  }
}
