/** Tells whether the build matches these sources and settings. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
export const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.stamp');
const SOURCES = [
  'src',
  'sw',
  'contract',
  'engine',
  'public',
  'index.html',
  'manifest.webmanifest',
  'vite.config.ts',
  'scripts/precompress.ts',
  'scripts/public-pages.ts',
  'scripts/used-styles.ts',
  'scripts/start-chunks.ts',
  'scripts/wallet-kit.ts',
  'package.json',
  'package-lock.json',
];

function filesOf(path: string): string[] {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Sources by content, and every setting that is built in. */
export function presentStamp(environment: Readonly<Record<string, string | undefined>>): string {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap((source) => filesOf(join(ROOT, source))).sort()) {
    hash.update(file.slice(ROOT.length)).update('\0').update(readFileSync(file)).update('\0');
  }
  for (const [name, value] of Object.entries(environment).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (name.startsWith('VITE_')) hash.update(`${name}=${value ?? ''}\0`);
  }
  return hash.digest('hex');
}

export const builtStamp = (): string | null =>
  existsSync(STAMP) && existsSync(join(DIST, 'index.html')) ? readFileSync(STAMP, 'utf8') : null;
export const writeStamp = (stamp: string): void => {
  writeFileSync(STAMP, stamp);
};

/** `.env.local` first: a name that is set already is never overwritten. */
export function loadEnvironmentFiles(folder = ROOT): void {
  for (const name of ['.env.local', '.env']) {
    const file = join(folder, name);
    if (existsSync(file)) process.loadEnvFile(file);
  }
}
