/** One hash of source files, the same in every build and process, whatever the line ends. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Of all TypeScript files of `folder` and of the files `beside` it, by their paths in the project. */
export function sourceHash(folder: string, beside: readonly string[]): string {
  const files = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'));
  const hash = createHash('sha256');
  for (const file of [...files, ...beside].sort())
    hash.update(`${file}\0${readFileSync(join(ROOT, file), 'utf8').replaceAll('\r\n', '\n')}\0`);
  return hash.digest('hex');
}
