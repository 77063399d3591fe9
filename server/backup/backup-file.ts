/** What a backup is made of: a head, the rows of each table, and an end that vouches for them. */
import * as z from 'zod';

/** Raised by a change that an older `npm run restore` could not read. */
export const BACKUP_FORMAT = 1;

/**
 * First line. `migrations`: the hashes of those the database had. `files`: small files beside the
 * database, by name.
 */
export const BackupHead = z.tuple([
  z.literal('tradewind-backup'),
  z.object({
    format: z.literal(BACKUP_FORMAT),
    madeAt: z.number(),
    from: z.enum(['pglite', 'postgres']),
    migrations: z.array(z.string()),
    files: z.record(z.string().regex(/^[\w-]+\.json$/), z.string()),
  }),
]);
export type BackupFacts = z.infer<typeof BackupHead>[1];

/** Before the rows of a table, each of them an object on a line of its own. */
export const BackupTable = z.tuple([z.literal('table'), z.string()]);

/** Last line. `sha256`: of every line before it, each with its line end. */
export const BackupEnd = z.tuple([
  z.literal('end'),
  z.object({
    tables: z.record(z.string(), z.number()),
    sequences: z.record(z.string(), z.string().nullable()),
    sha256: z.string(),
  }),
]);
export type BackupCounts = z.infer<typeof BackupEnd>[1];

/** Nothing was restored; `message` says why in a sentence. */
export class BackupRefused extends Error {
  override readonly name = 'BackupRefused';
}
