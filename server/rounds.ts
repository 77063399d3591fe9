/**
 * Work that comes round again: at once, then at an interval, one round at a time; refuses to let a
 * failed one end the next.
 */
import type { Log } from './log.ts';

export class Rounds {
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> | null = null;

  /** `complaint` is what the log says of a round that failed. */
  constructor(
    private readonly round: () => Promise<void>,
    private readonly everyMs: number,
    private readonly log: Log,
    private readonly complaint: string,
  ) {}

  /** A round that is still under way when the next is due takes its place. */
  start(): void {
    const run = (): void => {
      this.running ??= this.round()
        .catch((error: unknown) => {
          this.log.warn({ reason: String(error) }, this.complaint);
        })
        .finally(() => {
          this.running = null;
        });
    };
    if (this.timer !== null) return;
    this.timer = setInterval(run, this.everyMs);
    this.timer.unref();
    run();
  }

  /** Resolves when the round that is under way is done. */
  async stop(): Promise<void> {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
    await this.running;
  }
}
