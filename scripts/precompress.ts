/** A build step that writes .br and .gz next to every text file large enough to gain from it. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

const TEXT = /\.(?:js|css|html|svg|json|webmanifest)$/;
/** The server writes its own address into these, and packs them itself. */
const FOR_THE_SERVER = /^(?:pages\/|sitemap\.xml|robots\.txt)/;
const WORTH_BYTES = 1_024;

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

async function compress(file: string): Promise<void> {
  const raw = await readFile(file);
  if (raw.length < WORTH_BYTES) return;
  const [br, gz] = await Promise.all([
    brotli(raw, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 11,
        [constants.BROTLI_PARAM_SIZE_HINT]: raw.length,
      },
    }),
    deflate(raw, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)]);
}

/** Runs after everything else has written, the service worker included. */
export function precompress(): Plugin {
  let folder = 'dist';
  return {
    name: 'tradewind-precompress',
    apply: 'build',
    enforce: 'post',
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir);
    },
    closeBundle: {
      order: 'post',
      sequential: true,
      async handler() {
        const entries = await readdir(folder, { recursive: true });
        for (const name of entries.filter(
          (entry) => TEXT.test(entry) && !FOR_THE_SERVER.test(entry),
        ))
          await compress(join(folder, name));
      },
    },
  };
}
