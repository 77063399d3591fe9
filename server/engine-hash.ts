/**
 * One hash of the engine's source, the same in the page's build, the server and scripts, whatever
 * the line ends.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The arithmetic of money is as much a part of it as the strategies are. */
const BESIDE = ['contract/money.ts'];
let known: string | null = null;

/** Read once a process: what runs does not change under it. */
export function engineHash(): string {
  if (known !== null) return known;
  const engine = readdirSync(join(ROOT, 'engine'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'));
  const hash = createHash('sha256');
  for (const file of [...engine, ...BESIDE].sort())
    hash.update(`${file}\0${readFileSync(join(ROOT, file), 'utf8').replaceAll('\r\n', '\n')}\0`);
  known = hash.digest('hex');
  return known;
}
