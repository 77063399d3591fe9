/**
 * The processes of kill tests in one file each: a process that is started a thousand times reads its
 * modules without a compiler, which saves a third of its time.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const FOLDER = join(ROOT, 'node_modules/.cache/tradewind/kill-processes');

/** Files are found where the sources are; only the signer asks whether it is itself what runs. */
const keepPlaces: Plugin = {
  name: 'keep-places',
  transform: (code, id) =>
    id.endsWith('/signer/main.ts') || !code.includes('import.meta.url')
      ? null
      : code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href)),
};

let made: Promise<string> | null = null;

async function make(): Promise<string> {
  const folder = join(FOLDER, String(process.pid));
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  await build({
    root: ROOT,
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    plugins: [keepPlaces],
    build: {
      outDir: folder,
      emptyOutDir: true,
      ssr: true,
      target: 'node20',
      minify: false,
      rolldownOptions: {
        input: {
          server: join(ROOT, 'tests/support/live/kill-server.ts'),
          signer: join(ROOT, 'signer/main.ts'),
        },
        output: { entryFileNames: '[name].mjs' },
      },
    },
  });
  return folder;
}

/** Paths of the processes' files, made once in this process. */
export async function killProcesses(): Promise<{ server: string; signer: string }> {
  made ??= make();
  const folder = await made;
  return { server: join(folder, 'server.mjs'), signer: join(folder, 'signer.mjs') };
}
