/** Budgets in bytes: of the pages that the build completes, and of the start of the app. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { PUBLIC_PAGES } from '../../contract/public-pages.ts';
import { DIST } from '../../scripts/build-stamp.ts';
import { schemaHash } from '../../scripts/schema-hash.ts';

const KIB = 1_024;
/** All script of a page, unpacked: a tenth of what the app's start has packed. */
const SCRIPT_MAX = 10 * KIB;
/** A page with its styles, packed: about what a server sends before it waits for an answer. */
const PAGE_MAX = 15 * KIB;

/**
 * What the app runs before the dashboard is drawn, packed; React alone is 57 KiB of it. Parts that
 * let a finger through between them pack 3 KiB worse than one, and the curve, which is in the first
 * picture, is 2 KiB of it. That a press has one id on every way it may go, also past a disk that does
 * not answer, is 0.2 KiB. The names of files differ from build to build, which makes up to 0.1 KiB.
 */
const START_MAX = 136.7 * KIB;
/** Sources that come with their first use, or right after the first picture. */
const LATE =
  /node_modules\/zod\/|@radix-ui|firebase|workbox|lightweight-charts|contract\/(?:calls|onramp|tax|plan-change)\.ts|src\/billing\/(?:take-plan|checkout-return)|src\/api\/client|src\/format\/error-text|src\/offline\/(?:after-delivery|deliver|delivery-changes|drain|drain-lock|page-delivery|review|send|send-order|unsaved)\.ts|src\/platform\/worker-updates|src\/stores\/(?:failed-reads|follow-stream)|src\/shell\/(?:Menu|RailLinks|CommandTray|SignInAgain|InstallCard)\.tsx|StartDialog/;

const dist = process.env.DIST_DIR ?? DIST;
const read = (file: string): string => readFileSync(join(dist, file), 'utf8');
const packed = (text: string): number =>
  brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;

describe.each(Object.entries(PUBLIC_PAGES))('the page of %s', (_path, file) => {
  const html = read(file);
  const sources = [...html.matchAll(/<script[^>]*\ssrc="\/([^"]+)"/g)].map(([, src = '']) => src);

  it('has a script of a few KiB, and no part of the app', () => {
    expect(sources).toHaveLength(1);
    expect(sources[0]).toMatch(/^assets\/public-page-[\w-]{8}\.js$/);
    const inline = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, text = '']) => text);
    const bytes = [...inline, ...sources.map(read)].reduce((sum, text) => sum + text.length, 0);
    expect(bytes).toBeGreaterThan(KIB);
    expect(bytes).toBeLessThan(SCRIPT_MAX);
    expect(html).not.toContain('modulepreload');
  });

  it('is small with all its styles, and waits for no other file', () => {
    expect(html).not.toMatch(/rel="stylesheet"/);
    expect(html).toMatch(/<style>[^<]{1000,}<\/style>/);
    expect(packed(html)).toBeLessThan(PAGE_MAX);
  });

  it('names only parts of this build, and none twice', () => {
    const parts = JSON.parse(
      /<script type="application\/json" id="app-parts">(.*?)<\/script>/.exec(html)?.[1] ?? '{}',
    ) as Record<'styles' | 'chunks' | 'later' | 'scripts', string[]>;
    expect(parts.scripts.length).toBeGreaterThan(0);
    expect(parts.styles.length).toBeGreaterThan(0);
    const all = [...parts.scripts, ...parts.chunks, ...parts.later];
    expect(all.filter((part) => !existsSync(join(dist, part)))).toEqual([]);
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('the start of the app', () => {
  const html = read('index.html');
  const files = [...html.matchAll(/(?:src|href)="\/(assets\/[\w.-]+\.js)"/g)].map(
    ([, file = '']) => file,
  );

  it('keeps to its budget with the entry and the dashboard', () => {
    expect(files.map((file) => file.replace(/^assets\/(.*)-[\w-]{8}\.js$/, '$1')).sort()).toEqual(
      expect.arrayContaining(['dashboard', 'react', 'state', 'start']),
    );
    const bytes = [...new Set(files)].reduce((sum, file) => sum + packed(read(file)), 0);
    expect(bytes).toBeLessThan(START_MAX);
  });

  it('has its entry and its styles fetched before the first frame, and nothing else', () => {
    const [, ahead = ''] = /<template id="start-parts">(.*?)<\/template>/s.exec(html) ?? [];
    expect(ahead.match(/rel="preload"/g)).toHaveLength(4);
    const before = [...html.replace(ahead, '').matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(
      ([, file = '']) => file.replace(/-[\w-]{8}\./, '.'),
    );
    expect(before.sort()).toEqual([
      'assets/first-frame.css',
      'assets/first-frame.js',
      'assets/rolldown-runtime.js',
    ]);
  });

  it('waits for no file that the page does not name', () => {
    const imported = files.flatMap((file) =>
      [...read(file).matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g)].map(
        ([, name = '']) => `assets/${name}`,
      ),
    );
    const known = [
      ...files,
      ...imported.filter((file) => /rolldown-runtime|first-frame/.test(file)),
    ];
    expect(imported.length).toBeGreaterThan(0);
    expect(imported.filter((file) => !known.includes(file))).toEqual([]);
  });

  it('leaves the schemas to a file that waits for no screen', () => {
    const schemas = readdirSync(join(dist, 'assets')).filter((name) =>
      /^schemas-[\w-]{8}\.js$/.test(name),
    );
    // Those of the builds before may lie there too.
    const present = schemas.filter((name) => files.some((file) => read(file).includes(name)));
    expect(present).toHaveLength(1);
    const imported = [...read(`assets/${present[0]}`).matchAll(/from"\.\/([\w-]+)-[\w-]{8}\.js"/g)];
    expect(imported.map(([, name = '']) => name).sort()).toEqual([
      'first-frame',
      'rolldown-runtime',
      'state',
    ]);
  });

  it('knows what it has parsed by the mark that its worker has', () => {
    expect(read('sw.js')).toContain(schemaHash());
    expect(files.filter((file) => read(file).includes(schemaHash()))).toHaveLength(1);
  });

  it('has nothing in it that its first picture does not show', () => {
    const sources = files
      .filter((file) => existsSync(join(dist, `${file}.map`)))
      .flatMap((file) => (JSON.parse(read(`${file}.map`)) as { sources: string[] }).sources);
    expect(sources.some((source) => source.endsWith('src/start.tsx'))).toBe(true);
    expect(sources.filter((source) => LATE.test(source))).toEqual([]);
  });
});
