/**
 * A PGlite that is opened again in this process after it broke, as where it cannot write its log.
 */
import { statfsSync } from 'node:fs';
import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import type { Log } from '../log.ts';

/** Opening recovers from the log, which needs a new segment of 16 MB and a little more. */
const ROOM_BYTES = 24_000_000;
const AGAIN_MS = 500;
/** With less room it may work all the same, but each try holds up the process for a second. */
const WITHOUT_ROOM_MS = 15_000;

/** Code of PostgreSQL's own for a server that crashed: `isUnavailable` knows it. */
export class PgliteBroke extends Error {
  override readonly name = 'PgliteBroke';
  readonly code = '57P02';
}

/** The parts of its module that a broken one must not reach any more. */
interface Inner {
  _PostgresMainLoopOnce(): void;
  _PostgresSendReadyForQueryIfNecessary(): void;
  _pgl_pq_flush(): void;
  stackRestore(pointer: number): void;
  FS: { quit(): void };
}

const innerOf = (client: PGlite): Inner => (client as unknown as { Module: Inner }).Module;
/** The status of PostgreSQL's ordinary errors; every other exception is the end of the instance. */
const ordinaryOf = (client: PGlite): unknown =>
  (client as unknown as { POSTGRES_MAIN_LONGJMP: unknown }).POSTGRES_MAIN_LONGJMP;

/**
 * PGlite swallows the abort of its own code and goes on with what is left, which spins for ever on
 * a lock that nobody gives back. From the first abort on every call throws instead, and `broke` is
 * told once.
 */
function watch(client: PGlite, broke: (error: PgliteBroke) => void): void {
  const inner = innerOf(client);
  let dead: PgliteBroke | null = null;
  const once = inner._PostgresMainLoopOnce.bind(inner);
  const restore = inner.stackRestore.bind(inner);
  const ready = inner._PostgresSendReadyForQueryIfNecessary.bind(inner);
  const flush = inner._pgl_pq_flush.bind(inner);
  const throwIfDead = (): void => {
    if (dead !== null) throw dead;
  };
  inner._PostgresMainLoopOnce = () => {
    throwIfDead();
    try {
      once();
    } catch (error) {
      const { status, message } = error as { status?: unknown; message?: string };
      if (status !== ordinaryOf(client)) {
        dead = new PgliteBroke(`PGlite broke: ${message ?? String(error)}`);
        broke(dead);
      }
      throw error;
    }
  };
  // Called in PGlite's own `catch`: what is thrown here leaves its loop.
  inner.stackRestore = (pointer) => {
    throwIfDead();
    restore(pointer);
  };
  inner._PostgresSendReadyForQueryIfNecessary = () => {
    if (dead === null) ready();
  };
  inner._pgl_pq_flush = () => {
    if (dead === null) flush();
  };
}

/** Gives back its open files. It is not closed: that would write. */
function abandon(client: PGlite): void {
  try {
    innerOf(client).FS.quit();
  } catch {
    // A file that cannot be closed is left to the end of the process.
  }
}

async function open(options: PGliteOptions): Promise<PGlite> {
  const client = new PGlite(options);
  try {
    await client.waitReady;
    return client;
  } catch (error) {
    abandon(client);
    throw error;
  }
}

const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

export class RevivingPglite {
  private client: PGlite | null = null;
  private closed = false;
  private timer: NodeJS.Timeout | null = null;
  private reviving: Promise<void> = Promise.resolve();
  private readonly listeners = new Set<() => void>();

  private constructor(
    private readonly options: PGliteOptions,
    private readonly folder: string | undefined,
    private readonly log: Log,
  ) {}

  static async open(
    options: PGliteOptions,
    folder: string | undefined,
    log: Log,
  ): Promise<RevivingPglite> {
    const made = new RevivingPglite(options, folder, log);
    made.use(await open(options));
    return made;
  }

  /** Told after each return. */
  onReturn(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  // The two methods that drizzle calls.
  query: PGlite['query'] = async (...args) => this.present().query(...args) as never;
  transaction: PGlite['transaction'] = async (work) => this.present().transaction(work);

  async close(): Promise<void> {
    this.closed = true;
    if (this.timer !== null) clearTimeout(this.timer);
    await this.reviving;
    await this.client?.close();
  }

  private present(): PGlite {
    if (this.client === null) throw new PgliteBroke('PGlite is being reopened');
    return this.client;
  }

  private use(client: PGlite): void {
    this.client = client;
    watch(client, ({ message }) => {
      this.client = null;
      const free = this.folder === undefined ? null : freeBytes(this.folder);
      this.log.error(
        { reason: message, free },
        'the database broke; it is reopened as soon as there is disk space',
      );
      // Not within its own call.
      setImmediate(() => {
        abandon(client);
        if (this.folder !== undefined) this.reviveSoon(performance.now(), performance.now());
      });
    });
  }

  private reviveSoon(brokeAt: number, triedAt: number): void {
    if (this.closed) return;
    this.timer = setTimeout(() => {
      const late = performance.now() - triedAt >= WITHOUT_ROOM_MS;
      if (!late && freeBytes(this.folder ?? '') < ROOM_BYTES) this.reviveSoon(brokeAt, triedAt);
      else this.reviving = this.revive(brokeAt);
    }, AGAIN_MS);
  }

  private async revive(brokeAt: number): Promise<void> {
    const began = performance.now();
    try {
      this.use(await open(this.options));
    } catch (error) {
      this.log.warn({ reason: String(error) }, 'the database could not be reopened yet');
      this.reviveSoon(brokeAt, performance.now());
      return;
    }
    const now = performance.now();
    const took = { outMs: Math.round(now - brokeAt), openingMs: Math.round(now - began) };
    this.log.warn(took, 'the database was reopened');
    for (const listener of this.listeners) listener();
  }
}
