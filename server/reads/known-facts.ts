/**
 * What was read of a person's accounts and agents, kept until something of it changes: prices are
 * put on it at each reading, the database is not asked twice for the same.
 */
import { serialize } from 'node:v8';
import type { WallClock } from '../clock.ts';
import type { PersonVersion } from '../db/person-versions.ts';
import { KeptByUse } from './kept-by-use.ts';

/**
 * What has no version (old rows that are thinned out) is read anew behind the reply after so long;
 * before the reply, where nobody asked for far longer.
 */
const RENEW_MS = 60_000;
const KEEP_MS = 300_000;
const BYTES_MAX = 48_000_000;

/** What facts can change with beside the person's books: so little is read again when it does. */
export type Part = 'marks' | 'runs' | 'day';

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

/** Which facts, and how they are read. */
export interface Wanted<T> {
  /** Of one person there is one of each name. */
  name: string;
  on: readonly Part[];
  /** Not kept: nobody is likely to ask for the same again. */
  once?: boolean;
  turn: Turn;
  load: () => Promise<T>;
}

export interface KnownFactsDeps {
  versions: { of(uid: string): Promise<PersonVersion | null> };
  clock: WallClock;
  /** The day on the market's clock, as a number. */
  day(): number;
  /** For what is read anew with nobody waiting: the turn of who asked may be one without an end. */
  turn: Turn;
}

export class KnownFacts {
  private readonly kept = new KeptByUse<Known>(BYTES_MAX);
  private readonly underWay = new Map<string, Promise<unknown>>();
  private renewing = false;

  constructor(private readonly deps: KnownFactsDeps) {}

  get bytes(): number {
    return this.kept.bytes;
  }

  /**
   * The facts as they are at a moment after this call, by `load` where none are known. Callers who
   * ask for the same at once share one reading; it began after the version that it is kept under
   * was read, so it is never older than that.
   */
  async read<T>(uid: string, wanted: Wanted<T>): Promise<Facts<T>> {
    const of = await this.deps.versions.of(uid);
    // Nobody's facts are kept where there is no row to tell when they change.
    if (of === null) return { version: '', facts: await wanted.turn(uid, wanted.load) };
    const version = this.versionOf(of, wanted.on);
    const known = this.kept.get(`${uid} ${wanted.name}`);
    const age = known === undefined ? 0 : this.deps.clock.now() - known.readAt;
    if (known?.version !== version || age < 0 || age >= KEEP_MS)
      return { version, facts: await this.load(uid, version, wanted) };
    if (age >= RENEW_MS) this.renew(uid, version, wanted);
    return { version, facts: known.facts as T };
  }

  private versionOf(of: PersonVersion, on: readonly Part[]): string {
    const parts = { marks: of.marks, runs: of.runs, day: String(this.deps.day()) };
    return [of.books, ...on.map((part) => parts[part])].join(' ');
  }

  /** One at a time: what people wait for is not held up by what nobody waits for. */
  private renew<T>(uid: string, version: string, wanted: Wanted<T>): void {
    if (this.renewing) return;
    this.renewing = true;
    // Refused or failed, the next who asks tries again.
    void this.load(uid, version, { ...wanted, turn: this.deps.turn })
      .catch(() => undefined)
      .finally(() => {
        this.renewing = false;
      });
  }

  private async load<T>(
    uid: string,
    version: string,
    { name, once = false, turn, load }: Wanted<T>,
  ): Promise<T> {
    const key = `${uid} ${name}`;
    const flight = `${key} ${version}`;
    const shared = this.underWay.get(flight) as Promise<T> | undefined;
    if (shared !== undefined) return shared;
    const reading = turn(uid, load).then((facts) => {
      const readAt = this.deps.clock.now();
      if (!once) this.kept.set(key, { version, readAt, facts }, serialize(facts).byteLength);
      return facts;
    });
    this.underWay.set(flight, reading);
    try {
      return await reading;
    } finally {
      this.underWay.delete(flight);
    }
  }
}
