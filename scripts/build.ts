/** Builds the app, and packs its files beside themselves for browsers that take them packed; refuses half a build. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';
import { DIST, loadEnvironmentFiles, presentStamp, ROOT, writeStamp } from './build-stamp.ts';

const PACKED = /\.(js|css|html|svg|json|webmanifest|wasm|txt)$/;
const SMALLEST_BYTES = 1_024;
/** Quality 11 saves two per cent more and takes ten times as long. */
const BROTLI_QUALITY = 9;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

async function pack(file: string): Promise<void> {
  const plain = readFileSync(file);
  if (plain.length < SMALLEST_BYTES) return;
  const brotli = await toBrotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length } });
  const zipped = await toGzip(plain, { level: 9 });
  writeFileSync(`${file}.br`, brotli);
  writeFileSync(`${file}.gz`, zipped);
}

loadEnvironmentFiles();
process.chdir(ROOT);
const stamp = presentStamp(process.env);
await build({ root: ROOT, logLevel: 'warn' });
if (process.env.VITE_ENABLE_COMPRESSION !== 'false') {
  const files = readdirSync(DIST, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && PACKED.test(entry.name));
  await Promise.all(files.map((entry) => pack(join(entry.parentPath, entry.name))));
}
writeStamp(stamp);
