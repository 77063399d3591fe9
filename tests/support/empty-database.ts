/** An empty database of the newest schema, made once a machine and copied. */
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import type { Database } from '../../server/db/database.ts';
import { MIGRATIONS, openPglite } from '../../server/db/pglite.ts';
import { lend } from './lent-database.ts';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/tradewind', import.meta.url));

/** Changes with whatever the empty database is made of. */
function stamp(): string {
  const hash = createHash('sha256').update(
    readFileSync(createRequire(import.meta.url).resolve('@electric-sql/pglite')),
  );
  for (const entry of readdirSync(MIGRATIONS, { withFileTypes: true, recursive: true })
    .filter((one) => one.isFile())
    .sort((a, b) => (a.name < b.name ? -1 : 1))) {
    hash.update(entry.name).update(readFileSync(join(entry.parentPath, entry.name)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** Put in place by a rename: two that make it at once leave one whole one. */
async function makeOnce(name: string, make: (draft: string) => Promise<void>): Promise<string> {
  const place = join(CACHE, name);
  if (existsSync(place)) return place;
  mkdirSync(CACHE, { recursive: true });
  const draft = `${place}.${process.pid}.${Date.now()}`;
  await make(draft);
  try {
    renameSync(draft, place);
  } catch (error) {
    // Another was first.
    if (!existsSync(place)) throw error;
    rmSync(draft, { recursive: true, force: true });
  }
  return place;
}

/**
 * A folder and a dump of it. Both are made before they are put in place: PGlite has no lock on its
 * folder, so nothing may open the one that others copy.
 */
const emptyDatabase = (): Promise<string> =>
  makeOnce(`empty-database-${stamp()}`, async (draft) => {
    await (await openPglite(draft)).close();
    const client = await PGlite.create(join(draft, 'pglite'));
    const dump = await client.dumpDataDir('none');
    await client.close();
    writeFileSync(join(draft, 'pglite.tar'), Buffer.from(await dump.arrayBuffer()));
  });

let dump: Promise<Blob> | null = null;

/** In memory, migrated, with no rows. */
export async function openEmptyDatabase(): Promise<Database> {
  dump ??= emptyDatabase().then((folder) => new Blob([readFileSync(join(folder, 'pglite.tar'))]));
  return lend(await dump);
}

/**
 * Lays an empty database into a server's folder that has none, as its first start would make it.
 */
export async function layEmptyDatabase(dataDir: string): Promise<void> {
  if (existsSync(join(dataDir, 'pglite'))) return;
  cpSync(join(await emptyDatabase(), 'pglite'), join(dataDir, 'pglite'), { recursive: true });
}
