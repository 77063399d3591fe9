/**
 * The server and its worker as few files, made once for each state of their sources and started
 * twice as fast; refuses to be what the start itself is tested with.
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
import type { Plugin } from 'vite';

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
/** What starts, whatever file it stands in. */
const STARTS: Readonly<Record<string, string>> = {
  server: startOf('server/main.ts', 'runServer'),
  worker: startOf('server/worker.ts', 'runWorker'),
};
const virtual = (name: string): string => `virtual:${name}`;
/** The file beside the server's that its database's thread runs from. */
const THREAD = /new URL\(['"]\.\/pglite-thread\.ts['"], import\.meta\.url\)/;

function startOf(file: string, run: string): string {
  return `import { ${run} } from ${JSON.stringify(join(ROOT, file))};
import { failToStart } from ${JSON.stringify(join(ROOT, 'server/process.ts'))};
${run}().catch(failToStart);`;
}

function stamp(): string {
  // With its place: the paths of the app, the migrations and the emulator are written into it.
  const hash = createHash('sha256')
    .update(ROOT)
    .update(readFileSync(join(ROOT, 'package-lock.json')));
  for (const folder of ['contract', 'engine', 'server']) {
    for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
      .filter((one) => one.name.endsWith('.ts'))
      .sort((a, b) => (join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1))) {
      hash.update(entry.name).update(readFileSync(join(entry.parentPath, entry.name)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

/** Keeps every source's own place, from which it finds migrations, app and emulator. */
const inPlace: Plugin = {
  name: 'in-place',
  resolveId: (id) => (id.startsWith(virtual('')) ? id : null),
  load: (id) => (id.startsWith(virtual('')) ? STARTS[id.slice(virtual('').length)] : null),
  transform: (code, id) =>
    id.startsWith(join(ROOT, 'server/'))
      ? code
          .split(THREAD)
          .map((part) => part.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)))
          .join("new URL('./thread.mjs', import.meta.url)")
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
  if (existsSync(place)) return place;
  mkdirSync(CACHE, { recursive: true });
  const draft = `${place}.${process.pid}`;
  const { build } = await import('vite');
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
        input: {
          ...Object.fromEntries(Object.keys(STARTS).map((name) => [name, virtual(name)])),
          thread: join(ROOT, 'server/db/pglite-thread.ts'),
        },
        output: {
          format: 'esm',
          entryFileNames: '[name].mjs',
          chunkFileNames: '[name]-[hash].mjs',
        },
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
  return place;
}

let made: Promise<string> | null = null;

/** Where it stands. */
export const serverBundle = async (): Promise<string> =>
  join(await (made ??= make()), 'server.mjs');
export const workerBundle = async (): Promise<string> =>
  join(await (made ??= make()), 'worker.mjs');
