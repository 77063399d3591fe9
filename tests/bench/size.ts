/**
 * Bytes of JavaScript: what a first visit loads before the first screen, and the wallet's parts;
 * refuses a build in which any other screen has code of the wallet.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { readBundle } from '../support/bundle.ts';
import type { Measurement } from './measurement.ts';

const brotli = (bytes: Buffer): number =>
  brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;

/** The wallet costs only who shows it: anything else is a fault of the build, not a figure. */
function walletSizes(): Measurement[] {
  const bundle = readBundle();
  const strays = bundle.walletModules(bundle.beforeTheWallet);
  if (strays.length > 0)
    throw new Error(
      `Code of the wallet in what other screens load: ${strays.slice(0, 3).join(', ')}`,
    );
  const kept = [
    ...bundle.panel,
    ...[...bundle.parts.values()].flatMap((files) => [...files]),
  ].filter((file) => readFileSync('dist/sw.js', 'utf8').includes(file));
  if (kept.length > 0)
    throw new Error(`Code of the wallet in what every device keeps: ${kept.join(', ')}`);
  const figure = (what: string, files: Iterable<string>): Measurement => ({
    section: 'size',
    what: `wallet, ${what}, brotli`,
    value: bundle.size(files),
    unit: 'KiB',
  });
  return [
    {
      section: 'size',
      what: 'chunks of other screens with code of the wallet',
      value: strays.length,
      unit: `of ${bundle.beforeTheWallet.size}`,
    },
    figure('shown at all', bundle.panel),
    ...[...bundle.parts]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([name, files]) => figure(`more for ${name}`, files)),
  ];
}

export async function measure(): Promise<Measurement[]> {
  if (!existsSync('dist/index.html'))
    execFileSync(process.execPath, ['--import', 'tsx', 'scripts/build.ts'], { stdio: 'ignore' });
  const html = readFileSync('dist/index.html', 'utf8');
  const files = [...html.matchAll(/(?:src|href)="\/?([^"]+\.js)"/g)]
    .map((match) => match[1] ?? '')
    .filter(Boolean);
  const bytes = [...new Set(files)].map((file) => readFileSync(join('dist', file)));
  const css = [...html.matchAll(/href="\/?([^"]+\.css)"/g)].map((match) =>
    readFileSync(join('dist', match[1] ?? '')),
  );
  const all = readdirSync('dist/assets')
    .filter((file) => file.endsWith('.js'))
    .map((file) => readFileSync(join('dist/assets', file)));
  const total = (list: Buffer[], size: (b: Buffer) => number): number =>
    list.reduce((sum, b) => sum + size(b), 0);
  return [
    {
      section: 'size',
      what: 'initial JavaScript, brotli',
      value: total(bytes, brotli) / 1024,
      unit: 'KiB',
    },
    {
      section: 'size',
      what: 'initial JavaScript, gzip',
      value: total(bytes, (b) => gzipSync(b).length) / 1024,
      unit: 'KiB',
    },
    { section: 'size', what: 'initial CSS, brotli', value: total(css, brotli) / 1024, unit: 'KiB' },
    { section: 'size', what: 'all chunks, brotli', value: total(all, brotli) / 1024, unit: 'KiB' },
    {
      section: 'size',
      what: 'service worker, brotli',
      value: existsSync('dist/sw.js') ? brotli(readFileSync('dist/sw.js')) / 1024 : null,
      unit: 'KiB',
    },
    ...walletSizes(),
  ];
}
