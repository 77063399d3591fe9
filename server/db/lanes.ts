/**
 * Who goes first on a connection that all share: stops before other commands, those before the
 * product's own work, and what people only look at last. And where there are many connections, how
 * many are for whom.
 */

/** `work` is everything that no person waits for: ticks, streams, background tasks. */
export type Lane = 'stop' | 'command' | 'work' | 'read';

const ORDER: readonly Lane[] = ['stop', 'command', 'work', 'read'];
/**
 * How long those behind wait while others go on coming, ms: a tick of many agents must not keep a
 * screen empty, nor a flood of commands a tick.
 */
const PATIENCE_MS: readonly (readonly [Lane, number])[] = [
  ['work', 500],
  ['read', 1_000],
];

interface Waiter {
  since: number;
  go(): void;
}

/**
 * One at a time; whoever waits is let in by lane, and within a lane by time. Whoever's patience is
 * over has every second turn, and none before a stop.
 */
export class LaneLock {
  private readonly waiting: Record<Lane, Waiter[]> = {
    stop: [],
    command: [],
    work: [],
    read: [],
  };
  private held = false;
  /** The last turn went to somebody whose patience was over. */
  private favoured = false;

  /** `now`: ms, of any clock that only goes forward. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Runs `work` alone. What is running is never interrupted. */
  async hold<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    if (this.held)
      await new Promise<void>((go) => {
        this.waiting[lane].push({ since: this.now(), go });
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
    const overdue = this.waiting.stop.length === 0 && !this.favoured ? this.overdue() : null;
    this.favoured = overdue !== null;
    const lane = overdue ?? ORDER.find((one) => this.waiting[one].length > 0);
    const next = lane === undefined ? undefined : this.waiting[lane].shift();
    if (next === undefined) this.held = false;
    else next.go();
  }

  /** The lane whose oldest is over its patience by the most. */
  private overdue(): Lane | null {
    let found: Lane | null = null;
    let most = 0;
    for (const [lane, patienceMs] of PATIENCE_MS) {
      const oldest = this.waiting[lane][0];
      if (oldest === undefined) continue;
      const over = this.now() - oldest.since - patienceMs;
      if (over <= most) continue;
      most = over;
      found = lane;
    }
    return found;
  }
}

/** From this size on a pool gives connections away to stops and to commands alone. */
const SPLIT_FROM = 4;
/** Of so many connections one is kept for stops, and one for commands. */
const STOP_SHARE = 10;
const COMMAND_SHARE = 5;

/**
 * How many connections are kept for whom, so that no reading ever holds the last one, and no
 * command the last one of a stop: commands of one person wait for each other, each with its own.
 */
export function sharesOf(poolMax: number): { stop: number; command: number } {
  const share = (of: number): number =>
    poolMax < SPLIT_FROM ? 0 : Math.max(1, Math.floor(poolMax / of));
  return { stop: share(STOP_SHARE), command: share(COMMAND_SHARE) };
}

/** How many are left for everything else: reads, ticks, streams, background tasks. */
export function sharedOf(poolMax: number): number {
  const { stop, command } = sharesOf(poolMax);
  return poolMax - stop - command;
}
