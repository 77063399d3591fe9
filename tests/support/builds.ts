/**
 * Builds that share no file name, made from the one that is there, and a folder that leads to one
 * of them.
 */
import { createHash } from 'node:crypto';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import type { Page } from 'playwright-core';
import { PUBLIC_PAGES } from '../../contract/public-pages.ts';
import { CONTRACT_HEADER } from '../../contract/version.ts';
import { DIST } from '../../scripts/build-stamp.ts';
import { keepingAssets, readBuilds } from '../../scripts/keep-assets.ts';

const LEFT_OUT = /\.(map|br|gz)$|^(assets|splash|pictures|\.stamp|\.builds\.json)/;
const CODE = /[\w.-]+\.(?:js|css)\b/g;
const digest = (kind: 'md5' | 'sha256', text: string): string =>
  createHash(kind).update(text).digest('hex');

/** The header by which a build is told from the others on its way to the server. */
export const headerOf = (build: string): string => `${CONTRACT_HEADER}-${build}`.toLowerCase();

/**
 * Another build of the same sources, as if anything in them had changed: every part has another
 * hash, every reference follows, the worker lists the new parts and the new page, and what it
 * queues bears `contract`. Each script notes in `globalThis.builds` whose it is.
 */
function writeBuild(from: string, into: string, name: string, contract: number): void {
  const parts = (readBuilds(from)[0] ?? readdirSync(join(from, 'assets'))).filter((file) =>
    /-[\w-]{8}\.(js|css)$/.test(file),
  );
  const names = new Map(
    parts.map((file) => [
      file,
      file.replace(/[\w-]{8}(\.\w+)$/, `${digest('sha256', name + file).slice(0, 8)}$1`),
    ]),
  );
  const renamed = (text: string): string =>
    text
      .replace(CODE, (file) => names.get(file) ?? file)
      .replaceAll(CONTRACT_HEADER, headerOf(name))
      .replace(/(contractVersion(?::|===))\d+/g, `$1${contract}`);
  const read = (file: string): string => readFileSync(join(from, file), 'utf8');

  cpSync(from, into, { recursive: true, filter: (path) => !LEFT_OUT.test(relative(from, path)) });
  mkdirSync(join(into, 'assets'));
  for (const [file, newName] of names) {
    const text = renamed(read(join('assets', file))).replace(
      /\n?\/\/# sourceMappingURL=.*\s*$/,
      '',
    );
    writeFileSync(
      join(into, 'assets', newName),
      file.endsWith('.js')
        ? `${text}\n;(globalThis.builds ??= {})[${JSON.stringify(name)}] = true;\n`
        : text,
    );
  }
  let worker = renamed(read('sw.js')).replace(/\n\/\/# sourceMappingURL=.*\s*$/, '');
  for (const file of ['index.html', ...Object.values(PUBLIC_PAGES)]) {
    const page = renamed(read(file));
    writeFileSync(join(into, file), page);
    worker = worker.replace(digest('md5', read(file)), digest('md5', page));
  }
  writeFileSync(join(into, 'sw.js'), `${worker}\n/* ${name} */\n`);
}

/** Whose scripts run in this page. */
export const buildsIn = (page: Page): Promise<string[]> =>
  page.evaluate(() => Object.keys((globalThis as { builds?: Record<string, true> }).builds ?? {}));

/**
 * Looks for a newer worker and answers what became of it. A look while the browser's own is under
 * way is answered by that one, which may have asked before the deployment: so nothing found is
 * looked for once more.
 */
export const look = (target: Page): Promise<string> =>
  target.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const before = registration.waiting;
    await registration.update().catch(() => undefined);
    if (registration.installing === null && registration.waiting === before)
      await registration.update().catch(() => undefined);
    const found = registration.installing;
    if (found === null) return registration.waiting === before ? 'none' : 'installed';
    return new Promise((resolve) => {
      const settle = (): void => {
        if (found.state !== 'installing') resolve(found.state);
      };
      found.addEventListener('statechange', settle);
      settle();
    });
  });

/**
 * The worst that can be shipped: it takes over at once, fails every request, and has the browser
 * answer a start with nothing.
 */
export const BAD_WORKER = `
self.addEventListener('install', (event) => {
  self.skipWaiting();
  event.addRoutes?.([{ condition: { urlPattern: { pathname: '/dashboard' }, requestMode: 'navigate' }, source: { cacheName: 'bad' } }]);
  event.waitUntil(caches.open('bad').then((cache) => cache.put('/dashboard', new Response('<title>Broken</title>', { headers: { 'content-type': 'text/html' } }))));
});
self.addEventListener('activate', (event) => { event.waitUntil(self.clients.claim()); });
self.addEventListener('fetch', (event) => { event.respondWith(Promise.reject(new Error('bad worker'))); });
`;

export interface Deployments {
  /** The folder that a server serves. */
  readonly dist: string;
  /** Puts a build in the place of the present one, in one step. */
  deploy(name: string): void;
  /** Where a build lies, for what is to be done to it. */
  folder(name: string): string;
  /** The addresses of its own parts, without those it keeps of others. */
  parts(name: string): string[];
  /** The address of the build's own part of that name; refuses a name that no part has. */
  part(name: string, part: string): string;
  /** Another build from one of them, the same but for what is done to it. */
  derive(name: string, from: string): string;
  close(): void;
}

/**
 * Builds of these names, one after the other, each with the parts of the two before it as a
 * deployment keeps them.
 */
export async function layBuilds(names: readonly string[]): Promise<Deployments> {
  const source = process.env.DIST_DIR ?? DIST;
  const root = mkdtempSync(join(tmpdir(), 'tradewind-builds-'));
  const [work, link] = [join(root, 'work'), join(root, 'current')];
  const folder = (name: string): string => join(root, basename(name));
  for (const [index, name] of names.entries()) {
    await keepingAssets(work, (into) => {
      writeBuild(source, into, name, index + 1);
      return Promise.resolve();
    });
    cpSync(work, folder(name), { recursive: true });
  }
  const deploy = (name: string): void => {
    symlinkSync(folder(name), `${link}.next`);
    renameSync(`${link}.next`, link);
  };
  const parts = (name: string): string[] =>
    (readBuilds(folder(name))[0] ?? []).map((file) => `/assets/${file}`);
  deploy(names[0] ?? '');
  return {
    dist: link,
    deploy,
    folder,
    parts,
    part(name, part) {
      const found = parts(name).find((path) => path.startsWith(`/assets/${part}-`));
      if (found === undefined) throw new Error(`${name} has no part ${part}`);
      return found;
    },
    derive(name, from) {
      cpSync(folder(from), folder(name), { recursive: true });
      return folder(name);
    },
    close() {
      rmSync(root, { recursive: true, force: true });
    },
  };
}
