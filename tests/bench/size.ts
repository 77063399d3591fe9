/** Bytes of JavaScript that a first visit must load before the first screen, in brotli; refuses to count lazy chunks. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Measurement } from './measurement.ts';

const brotli = (bytes: Buffer): number => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;

export async function measure(): Promise<Measurement[]> {
  if (!existsSync('dist/index.html')) execFileSync('node_modules/.bin/vite', ['build'], { stdio: 'ignore' });
  const html = readFileSync('dist/index.html', 'utf8');
  const files = [...html.matchAll(/(?:src|href)="\/?([^"]+\.js)"/g)].map((match) => match[1] ?? '').filter(Boolean);
  const bytes = [...new Set(files)].map((file) => readFileSync(join('dist', file)));
  const css = [...html.matchAll(/href="\/?([^"]+\.css)"/g)].map((match) => readFileSync(join('dist', match[1] ?? '')));
  const all = readdirSync('dist/assets').filter((file) => file.endsWith('.js')).map((file) => readFileSync(join('dist/assets', file)));
  const total = (list: Buffer[], size: (b: Buffer) => number): number => list.reduce((sum, b) => sum + size(b), 0);
  return [
    { section: 'size', what: 'initial JavaScript, brotli', value: total(bytes, brotli) / 1024, unit: 'KiB' },
    { section: 'size', what: 'initial JavaScript, gzip', value: total(bytes, (b) => gzipSync(b).length) / 1024, unit: 'KiB' },
    { section: 'size', what: 'initial CSS, brotli', value: total(css, brotli) / 1024, unit: 'KiB' },
    { section: 'size', what: 'all chunks, brotli', value: total(all, brotli) / 1024, unit: 'KiB' },
    { section: 'size', what: 'service worker, brotli', value: existsSync('dist/sw.js') ? brotli(readFileSync('dist/sw.js')) / 1024 : null, unit: 'KiB' },
  ];
}
