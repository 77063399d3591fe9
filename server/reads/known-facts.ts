/**
 * What was read of a person's accounts and agents, kept until something of it changes: prices are
 * put on it at each reading, the database is not asked twice for the same.
 */
import { serialize } from 'node:v8';
import type { WallClock } from '../clock.ts';
import { KeptByUse } from './kept-by-use.ts';

/**
 * What has no version (old rows that are thinned out, candles that came late) is as old as this at
 * most.
 */
const KEEP_MS = 60_000;
const BYTES_MAX = 48_000_000;

export interface Facts<T> {
  /** Changes with whatever the facts depend on. */
  version: string;
  facts: T;
}

interface Known {
  version: string;
  readAt: number;
  facts: unknown;
}

/** When a reading may begin: the queue of heavy reads, or another. */
export type Turn = <T>(uid: string, work: () => Promise<T>) => Promise<T>;

export interface KnownFactsDeps {
  versions: { of(uid: string): Promise<string | null> };
  clock: WallClock;
  /** The stretch of the market's clock within which nothing closes: days and candles begin with one. */
  period(): number;
}

export class KnownFacts {
  private readonly kept = new KeptByUse<Known>(BYTES_MAX);
  private readonly underWay = new Map<string, Promise<unknown>>();

  constructor(private readonly deps: KnownFactsDeps) {}

  get bytes(): number {
    return this.kept.bytes;
  }

  /**
   * The facts as they are at a moment after this call, by `load` where none are known. Callers who
   * ask for the same at once share one reading; it began after the version that it is kept under
   * was read, so it is never older than that.
   */
  async read<T>(uid: string, name: string, turn: Turn, load: () => Promise<T>): Promise<Facts<T>> {
    const of = await this.deps.versions.of(uid);
    // Nobody's facts are kept where there is no row to tell when they change.
    if (of === null) return { version: '', facts: await turn(uid, load) };
    const version = `${of} ${this.deps.period()}`;
    const key = `${uid} ${name}`;
    const known = this.kept.get(key);
    const age = known === undefined ? 0 : this.deps.clock.now() - known.readAt;
    if (known?.version === version && age >= 0 && age < KEEP_MS)
      return { version, facts: known.facts as T };
    const flight = `${key} ${version}`;
    const shared = this.underWay.get(flight) as Promise<T> | undefined;
    if (shared !== undefined) return { version, facts: await shared };
    const reading = turn(uid, load).then((facts) => {
      this.kept.set(
        key,
        { version, readAt: this.deps.clock.now(), facts },
        serialize(facts).byteLength,
      );
      return facts;
    });
    this.underWay.set(flight, reading);
    try {
      return { version, facts: await reading };
    } finally {
      this.underWay.delete(flight);
    }
  }
}
