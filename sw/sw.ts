/** The service worker: listeners only. It never takes over a page that has not asked for it. */
/// <reference lib="webworker" />
import { cacheNames } from 'workbox-core';
import {
  cleanupOutdatedCaches,
  PrecacheController,
  PrecacheRoute,
  type PrecacheEntry,
} from 'workbox-precaching';
import { registerRoute } from 'workbox-routing';
import { PUBLIC_PAGES, publicPageOf } from '../contract/public-pages.ts';
import { sendsAreOver } from '../src/offline/sends-over.ts';
import { databaseOf, deliver, forget } from './deliver.ts';
import { keep, split, watched } from './observe.ts';
import { listenForPush, tellStops } from './push.ts';
import { mustSyncAgain, waitOf } from './sync-again.ts';
import {
  isAppRoute,
  partsOf,
  shellCache,
  staticRoutes,
  SHELL_PREFIX,
  START_PATHS,
  type StaticRoute,
} from './routing.ts';

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: (PrecacheEntry | string)[] };

interface SyncEvent extends ExtendableEvent {
  tag: string;
  lastChance: boolean;
}

const setting: unknown = (import.meta.env as Record<string, unknown>).VITE_API_URL;
const baseUrl = typeof setting === 'string' ? setting.replace(/\/+$/, '') : '';
const apiOrigin = baseUrl === '' ? self.location.origin : new URL(baseUrl).origin;

// The shell is one version or the other, never a mixture: the new one waits until every file of it
// is there and the person has agreed to it.
const manifest = self.__WB_MANIFEST;
const precache = new PrecacheController();
precache.addToCacheList(manifest);
// A public page is complete in its own file; a build without it has the app draw it.
for (const file of Object.values(PUBLIC_PAGES))
  if (precache.getCacheKeyForURL(file) !== undefined)
    registerRoute(
      ({ request, sameOrigin, url }) =>
        sameOrigin && request.mode === 'navigate' && publicPageOf(url.pathname) === file,
      precache.createHandlerBoundToURL(file),
    );
// After them: it would take the landing page's address for the app's own page.
registerRoute(new PrecacheRoute(precache));
registerRoute(
  ({ request, sameOrigin, url }) =>
    sameOrigin && request.mode === 'navigate' && isAppRoute(url.pathname),
  precache.createHandlerBoundToURL('index.html'),
);

interface RoutingInstallEvent extends ExtendableEvent {
  addRoutes?(rules: readonly StaticRoute[]): Promise<void>;
}

const shell = shellCache(manifest);

const PAGES = ['index.html', ...Object.values(PUBLIC_PAGES)].filter(
  (file) => precache.getCacheKeyForURL(file) !== undefined,
);

/**
 * A deployment between the worker and its pages: a page of one build with the parts of another
 * would be blank offline. It is thrown away, so that the next try fetches it anew.
 */
async function refuseForeignParts(file: string): Promise<Response> {
  const page = await precache.matchPrecache(file);
  if (page === undefined) throw new Error(`${file} is missing`);
  const body = await page.text();
  const foreign = partsOf(body).filter((part) => precache.getCacheKeyForURL(part) === undefined);
  if (foreign.length > 0) {
    await (await caches.open(cacheNames.precache)).delete(precache.getCacheKeyForURL(file) ?? '');
    throw new Error(`${file} is another build's: ${foreign.join(', ')}`);
  }
  // A page made anew has no address of its own: it takes the one that was asked for.
  return new Response(body, { headers: page.headers });
}

/**
 * The page of this build under the addresses a start goes to. A page that names parts of another
 * build is refused.
 */
async function keepShell(): Promise<void> {
  const [page] = await Promise.all(PAGES.map(refuseForeignParts));
  if (page === undefined) throw new Error('The page is missing');
  const cache = await caches.open(shell);
  for (const path of START_PATHS) await cache.put(path, page.clone());
}

// Where the browser can look into a cache by itself, neither the page of a start nor the parts of
// the shell wait for this worker to run: at a cold start that is much of the way to the first
// picture. What is not there it fetches, and asks this worker no more: so nothing of it may be
// missing once the worker is installed.
self.addEventListener('install', (event) => {
  event.waitUntil(precache.install(event).then(keepShell));
  const routes = (event as RoutingInstallEvent).addRoutes?.(
    staticRoutes(cacheNames.precache, shell),
  );
  if (routes !== undefined) event.waitUntil(routes.catch(() => undefined));
});

/**
 * What other builds left goes; but not while one of them is being laid down, which would lose what
 * it has so far.
 */
async function sweep(event: ExtendableEvent): Promise<void> {
  if (self.registration.installing !== null) return;
  await precache.activate(event);
  for (const name of await caches.keys())
    if (name.startsWith(SHELL_PREFIX) && name !== shell) await caches.delete(name);
}

// The first worker of all has no page to disturb: it serves the one that brought it.
cleanupOutdatedCaches();
self.addEventListener('activate', (event) => {
  event.waitUntil(self.clients.claim());
  event.waitUntil(sweep(event).catch(() => undefined));
});

// A person, or a browser under pressure, may have thrown the page away. (Not every browser tells a
// worker of itself.)
if ((self as { serviceWorker?: ServiceWorker }).serviceWorker?.state === 'activated')
  void caches
    .has(shell)
    .then((there) => (there ? undefined : keepShell()))
    .catch(() => undefined);

self.addEventListener('fetch', (event) => {
  const mine = watched(event.request, apiOrigin);
  if (mine === null) return;
  const database = databaseOf(mine.uid);
  const askedAt = Date.now();
  const { page, copy } = split(fetch(event.request));
  event.respondWith(page);
  event.waitUntil(
    copy.then(
      (response) => keep(response, mine, database, Date.now(), askedAt),
      () => undefined,
    ),
  );
});

listenForPush(baseUrl);

async function afterSync({ lastChance }: SyncEvent): Promise<void> {
  const drained = await deliver(baseUrl).catch(() => null);
  const isAgain = mustSyncAgain(drained);
  await tellStops(baseUrl, waitOf(drained?.end ?? null, isAgain && !lastChance));
  // The browser tries again only if it is told that it did not work.
  if (isAgain) throw new Error('Commands are still queued');
}

self.addEventListener('sync', ((event: SyncEvent) => {
  event.waitUntil(afterSync(event));
}) as EventListener);

self.addEventListener('message', (event) => {
  const message = event.data as { type?: unknown; uid?: unknown } | null;
  // Taking over reloads the pages: a request on its way would end without anyone to hear its
  // answer.
  if (message?.type === 'SKIP_WAITING')
    event.waitUntil(sendsAreOver().then(() => self.skipWaiting()));
  if (message?.type === 'drain') event.waitUntil(deliver(baseUrl));
  if (message?.type === 'purge' && typeof message.uid === 'string')
    event.waitUntil(forget(message.uid));
});
