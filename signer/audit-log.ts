/**
 * Who asked for what and when, without secrets. Each entry carries the hash of the one before, so
 * that a changed or removed one is seen.
 */
import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { LineFile } from './line-file.ts';

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

/** The number of the first entry that does not follow from the one before; null when all do. */
export function brokenAt(lines: readonly unknown[]): number | null {
  let before = START;
  for (const [index, line] of lines.entries()) {
    const entry = AuditEntry.safeParse(line);
    if (!entry.success) return index;
    const { hash, ...rest } = entry.data;
    if (rest.seq !== index || rest.before !== before || hashOf(rest) !== hash) return index;
    before = hash;
  }
  return null;
}

export class AuditLog {
  private seq: number;
  private before: string;

  private constructor(
    private readonly file: LineFile,
    private readonly now: () => number,
  ) {
    const last = AuditEntry.safeParse(file.lines.at(-1));
    this.seq = file.lines.length;
    this.before = last.success ? last.data.hash : START;
  }

  /** @throws Error when the log was changed. */
  static open(path: string, now: () => number): AuditLog {
    const file = LineFile.open(path);
    const broken = brokenAt(file.lines);
    if (broken !== null) throw new Error(`The audit log was changed at entry ${broken}`);
    return new AuditLog(file, now);
  }

  /** The last entry's hash: written elsewhere, it shows whether entries were cut off the end. */
  get head(): string {
    return this.before;
  }

  write(who: string, what: string, about: AuditEntry['about']): void {
    const entry = { seq: this.seq, atMs: this.now(), who, what, about, before: this.before };
    const hash = hashOf(entry);
    this.file.append({ ...entry, hash });
    this.seq += 1;
    this.before = hash;
  }

  close(): void {
    this.file.close();
  }
}
