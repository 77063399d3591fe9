/**
 * One hash of everything that decides what a kept record is parsed into: the contract, the other
 * schemas of what a device keeps, and the library that parses.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BESIDE = [
  'node_modules/zod/package.json',
  'src/offline/foreign-message.ts',
  'src/offline/kept-exchanges.ts',
  'src/offline/snapshot-schemas.ts',
];

/** The same in the builds of page and worker, whatever the line ends. */
export function schemaHash(): string {
  const contract = readdirSync(join(ROOT, 'contract'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'));
  const hash = createHash('sha256');
  for (const file of [...contract, ...BESIDE].sort())
    hash.update(`${file}\0${readFileSync(join(ROOT, file), 'utf8').replaceAll('\r\n', '\n')}\0`);
  return hash.digest('hex').slice(0, 16);
}
