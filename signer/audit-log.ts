/**
 * Who asked for what and when, without secrets. Each entry carries the hash of the one before, so
 * that a changed or removed one is seen.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { LineFile, type LineFileOptions } from './line-file.ts';

const START = '0'.repeat(64);

const AuditEntry = z.object({
  seq: z.number(),
  atMs: z.number(),
  /** `server`, `operator`, or `signer` for what it does by itself. */
  who: z.string(),
  what: z.string(),
  about: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
  before: z.string(),
  hash: z.string(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

function hashOf({ seq, atMs, who, what, about, before }: Omit<AuditEntry, 'hash'>): string {
  const facts = Object.entries(about).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([before, seq, atMs, who, what, facts]))
    .digest('hex');
}

/** Follows the entries from the first one on, and notes the first that does not fit. */
export class AuditChain {
  /** How many entries there were. */
  seq = 0;
  /** The hash of the last one. */
  head = START;
  /** The number of the first entry that does not follow from the one before; null when all do. */
  brokenAt: number | null = null;

  take(line: unknown): void {
    const entry = AuditEntry.safeParse(line);
    if (this.brokenAt === null && !this.follows(entry.data)) this.brokenAt = this.seq;
    this.seq += 1;
    this.head = entry.data?.hash ?? START;
  }

  private follows(entry: AuditEntry | undefined): boolean {
    if (entry === undefined || entry.seq !== this.seq || entry.before !== this.head) return false;
    return hashOf(entry) === entry.hash;
  }
}

export class AuditLog {
  private seq: number;
  private before: string;

  private constructor(
    private readonly file: LineFile,
    chain: AuditChain,
    private readonly now: () => number,
  ) {
    this.seq = chain.seq;
    this.before = chain.head;
  }

  /** @throws Error when the log was changed. */
  static open(path: string, now: () => number, options: LineFileOptions = {}): AuditLog {
    const chain = new AuditChain();
    const take = (line: unknown): void => {
      chain.take(line);
    };
    const file = LineFile.open(path, take, options);
    if (chain.brokenAt !== null)
      throw new Error(`The audit log was changed at entry ${chain.brokenAt}`);
    return new AuditLog(file, chain, now);
  }

  /** The last entry's hash: written elsewhere, it shows whether entries were cut off the end. */
  get head(): string {
    return this.before;
  }

  /** Whether so many bytes could be written now. */
  takes(bytes: number): boolean {
    return this.file.takes(bytes);
  }

  /** `spares`: leaves the reserve of the disk to others. */
  write(who: string, what: string, about: AuditEntry['about'], spares = false): void {
    const entry = { seq: this.seq, atMs: this.now(), who, what, about, before: this.before };
    const hash = hashOf(entry);
    this.file.append({ ...entry, hash }, spares);
    this.seq += 1;
    this.before = hash;
  }

  close(): void {
    this.file.close();
  }
}
