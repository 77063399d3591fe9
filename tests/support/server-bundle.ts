/**
 * The server in one file, made once for each state of its sources and started twice as fast;
 * refuses to be what the start itself is tested with.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = join(ROOT, 'node_modules/.cache/tradewind');
const OLD_MS = 24 * 60 * 60_000;
/** Loaded when they are needed, or with files of their own beside them. */
const APART = [
  '@electric-sql/pglite',
  'ccxt',
  'firebase-admin',
  'firebase-tools',
  'pg-native',
  'pino',
  'stripe',
];
const ENTRY = 'virtual:server';

function stamp(): string {
  const hash = createHash('sha256').update(readFileSync(join(ROOT, 'package-lock.json')));
  for (const folder of ['contract', 'engine', 'server']) {
    for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
      .filter((one) => one.name.endsWith('.ts'))
      .sort((a, b) => (join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1))) {
      hash.update(entry.name).update(readFileSync(join(entry.parentPath, entry.name)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

/**
 * Starts it whatever file it stands in, and keeps every source's own place, from which it finds
 * migrations, app and emulator.
 */
const inPlace: Plugin = {
  name: 'in-place',
  resolveId: (id) => (id === ENTRY ? ENTRY : null),
  load: (id) =>
    id === ENTRY
      ? `import { runServer } from ${JSON.stringify(join(ROOT, 'server/main.ts'))};\nimport { failToStart } from ${JSON.stringify(join(ROOT, 'server/process.ts'))};\nrunServer().catch(failToStart);`
      : null,
  transform: (code, id) =>
    id.startsWith(join(ROOT, 'server/'))
      ? code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      : null,
};

function forget(current: string): void {
  for (const name of readdirSync(CACHE).filter(
    (one) => one.startsWith('server-') && one !== current,
  )) {
    const place = join(CACHE, name);
    if (Date.now() - (statSync(place, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) > OLD_MS)
      rmSync(place, { recursive: true, force: true });
  }
}

async function make(): Promise<string> {
  const name = `server-${stamp()}`;
  const place = join(CACHE, name);
  if (existsSync(place)) return join(place, 'server.mjs');
  mkdirSync(CACHE, { recursive: true });
  const draft = `${place}.${process.pid}`;
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'error',
    envDir: false,
    publicDir: false,
    plugins: [inPlace],
    ssr: { noExternal: true, external: APART, target: 'node' },
    build: {
      ssr: true,
      outDir: draft,
      target: 'node20',
      minify: false,
      copyPublicDir: false,
      rolldownOptions: {
        input: { server: ENTRY },
        output: { format: 'esm', entryFileNames: 'server.mjs' },
      },
    },
  });
  // Put in place by a rename: two that make it at once leave one whole one.
  try {
    renameSync(draft, place);
  } catch (error) {
    if (!existsSync(place)) throw error;
    rmSync(draft, { recursive: true, force: true });
  }
  forget(name);
  return join(place, 'server.mjs');
}

let made: Promise<string> | null = null;

/** Where it stands. */
export const serverBundle = (): Promise<string> => (made ??= make());
