/** `npm run restore -- FILE`: puts a backup into an empty database and halts all trading. */
import {
  accessSync,
  constants,
  createReadStream,
  existsSync,
  mkdirSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { systemClock } from '../server/clock.ts';
import { BackupRefused } from '../server/backup/backup-file.ts';
import { restoreBackup } from '../server/backup/restore-backup.ts';
import { openDataPlace } from './data-place.ts';
import { moment, printAnswer } from './operator.ts';

/** By line feeds alone: `readline` ends a line at U+2028 too, which a row may contain. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const unzipped = createReadStream(path).pipe(createGunzip()).setEncoding('utf8');
  let rest = '';
  try {
    for await (const piece of unzipped as AsyncIterable<string>) {
      const lines = `${rest}${piece}`.split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (cause) {
    throw new BackupRefused('The file cannot be unpacked: it is damaged or cut off.', { cause });
  }
}

async function restore(path: string | undefined): Promise<string> {
  if (path === undefined)
    throw new Error(
      'Usage: npm run restore -- FILE\nDATA_DIR and DATABASE_URL choose an empty place, as for the server. No server may run on it.',
    );
  if (!existsSync(path)) throw new Error(`There is no file ${path}.`);
  const place = await openDataPlace({ migrates: true });
  const { dataDir, database } = place;
  try {
    // Before the rows are there for good: after them the files must not fail, nor can all be tried
    // again.
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.W_OK);
    const { facts, counts } = await restoreBackup(database, linesOf(path), systemClock.now());
    for (const [name, text] of Object.entries(facts.files))
      if (!existsSync(join(dataDir, name)))
        writeFileSync(join(dataDir, name), text, { mode: 0o600 });
    const rows = Object.values(counts.tables).reduce((all, count) => all + count, 0);
    return [
      `Restored ${rows} rows of ${Object.keys(counts.tables).length} tables as of ${moment(facts.madeAt)} UTC. The ledger balances.`,
      'Agents open nothing until you lift the halt: npm run halt -- --lift --platform',
    ].join('\n');
  } finally {
    await place.close();
  }
}

printAnswer(restore(process.argv[2]));
