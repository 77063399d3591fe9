/**
 * A server process that trades live and can be killed: at the n-th of its commits and questions to
 * the signer. After that it changes nothing, sends nothing and hears nothing.
 */
import type { Database } from '../../../server/db/database.ts';
import type { BookDeps, LiveDeps, SignerPort } from '../../../server/live/live-deps.ts';
import { LiveDesk } from '../../../server/live/live-desk.ts';

/** A process that is gone never hears the answer. */
const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

class Killed extends Error {
  override readonly name = 'Killed';
}

/** Takes the place of how a transaction ends; for planted faults. */
export type Around = <T>(work: () => Promise<T>) => Promise<{ value: T; keeps: boolean }>;

class RolledBack<T> extends Error {
  constructor(readonly value: T) {
    super('rolled back');
  }
}

export interface ServerLifeOptions {
  /** Commits and questions it lives for. */
  points?: number;
  around?: Around;
}

export class ServerLife {
  readonly desk: LiveDesk;
  readonly deps: LiveDeps;
  readonly whenDead: Promise<void>;
  private readonly killed: Promise<never>;
  private died: () => void = () => undefined;
  private dead = false;
  private left: number;

  constructor(parts: BookDeps, signer: SignerPort, options: ServerLifeOptions = {}) {
    this.left = options.points ?? Number.POSITIVE_INFINITY;
    this.whenDead = new Promise((resolve) => {
      this.died = resolve;
    });
    this.killed = this.whenDead.then(() => {
      throw new Killed();
    });
    this.killed.catch(() => undefined);
    this.deps = {
      ...parts,
      database: this.mortal(parts.database, options.around),
      signer: { ask: (ask) => this.asking(() => signer.ask(ask)) },
    };
    this.desk = new LiveDesk(this.deps);
  }

  get isDead(): boolean {
    return this.dead;
  }

  /** From now on it lives for so many commits and questions. */
  killIn(points: number): void {
    this.left = points;
  }

  kill(): void {
    this.dead = true;
    this.died();
  }

  /** Looks after every connection once, and after what that set off, or dies in it. */
  async look(): Promise<void> {
    const looked = this.desk.runAll().then(() => this.desk.settled());
    await Promise.race([looked, this.whenDead]);
  }

  /** True where it is dead by now. */
  private passes(): boolean {
    if (this.dead) return true;
    this.left -= 1;
    if (this.left <= 0) this.kill();
    return this.dead;
  }

  private async asking<T>(ask: () => Promise<T>): Promise<T> {
    if (this.passes()) return never();
    try {
      const reply = await ask();
      return this.passes() ? await never<T>() : reply;
    } catch (error) {
      if (this.passes()) return never();
      throw error;
    }
  }

  private mortal(inner: Database, around: Around | undefined): Database {
    const transaction: Database['transaction'] = async (work) => {
      if (this.passes()) return never();
      try {
        const done = await inner.transaction(async (tx) => {
          // One that dies in the middle, as while it asks the signer, leaves the database to others.
          const run = (): ReturnType<typeof work> => Promise.race([work(tx), this.killed]);
          const { value, keeps } =
            around === undefined ? { value: await run(), keeps: true } : await around(run);
          // Killed before the commit: nothing of it is there.
          if (this.dead) throw new Killed();
          if (!keeps) throw new RolledBack(value);
          return value;
        });
        return this.passes() ? await never() : done;
      } catch (error) {
        if (this.dead) return never();
        if (error instanceof RolledBack) return error.value as never;
        throw error;
      }
    };
    const database: Database = { ...inner, transaction, on: () => database };
    return database;
  }
}
