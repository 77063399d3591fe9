/** Work that repeats: at once, then at an interval, one run at a time, also after a failure. */
import type { Log } from './log.ts';

export class PeriodicTask {
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> | null = null;

  /** `complaint` is what the log says of a run that failed. */
  constructor(
    private readonly work: () => Promise<void>,
    private readonly everyMs: number,
    private readonly log: Log,
    private readonly complaint: string,
  ) {}

  /** A run that is still under way when the next is due takes its place. */
  start(): void {
    const run = (): void => {
      this.running ??= this.work()
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

  /** Resolves when the run that is under way is done. */
  async stop(): Promise<void> {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
    await this.running;
  }
}
