/** The service worker: listeners only; refuses to take over a page that has not asked for it. */
/// <reference lib="webworker" />
import { cacheNames } from 'workbox-core';
import { cleanupOutdatedCaches, createHandlerBoundToURL, matchPrecache, precacheAndRoute, type PrecacheEntry } from 'workbox-precaching';
import { registerRoute } from 'workbox-routing';
import { databaseOf, deliver, forget } from './deliver.ts';
import { keep, watched } from './observe.ts';
import { listenForPush } from './push.ts';
import { isAppRoute, shellCache, staticRoutes, SHELL_PREFIX, START_PATHS, type StaticRoute } from './routing.ts';

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: (PrecacheEntry | string)[] };

interface SyncEvent extends ExtendableEvent { tag: string; lastChance: boolean }

const setting: unknown = (import.meta.env as Record<string, unknown>).VITE_API_URL;
const baseUrl = typeof setting === 'string' ? setting.replace(/\/+$/, '') : '';
const apiOrigin = baseUrl === '' ? self.location.origin : new URL(baseUrl).origin;

// The shell is one version or the other, never a mixture: the new one waits until every file of it is there and the
// person has agreed to it.
cleanupOutdatedCaches();
const manifest = self.__WB_MANIFEST;
precacheAndRoute(manifest);
registerRoute(({ request, sameOrigin, url }) => sameOrigin && request.mode === 'navigate' && isAppRoute(url.pathname), createHandlerBoundToURL('index.html'));

interface RoutingInstallEvent extends ExtendableEvent { addRoutes?(rules: readonly StaticRoute[]): Promise<void> }

// Where the browser can look into a cache by itself, neither the page of a start nor the parts of the shell wait for this
// worker to run: at a cold start that is much of the way to the first picture. What is not there is fetched.
const shell = shellCache(manifest);
self.addEventListener('install', (event) => {
  const routes = (event as RoutingInstallEvent).addRoutes?.(staticRoutes(cacheNames.precache, shell));
  if (routes !== undefined) event.waitUntil(routes.catch(() => undefined));
});

/** The page of this build under the addresses a start goes to; the pages of other builds go. By now the precache is whole. */
async function keepShell(): Promise<void> {
  const page = await matchPrecache('index.html');
  for (const name of await caches.keys()) if (name.startsWith(SHELL_PREFIX) && name !== shell) await caches.delete(name);
  if (page === undefined) return;
  const cache = await caches.open(shell);
  const body = await page.text();
  // A page made anew has no address of its own: it takes the one that was asked for.
  for (const path of START_PATHS) await cache.put(path, new Response(body, { headers: page.headers }));
}

/** Taking over reloads the pages. A request on its way would then end without anyone to hear its answer. */
async function sendsAreOver(): Promise<void> {
  const { held = [] } = await navigator.locks.query();
  await Promise.all(held.flatMap(({ name }) => (name?.startsWith('outbox:') === true ? [navigator.locks.request(name, () => undefined)] : [])));
}

// The first worker of all has no page to disturb: it serves the one that brought it.
self.addEventListener('activate', (event) => {
  event.waitUntil(self.clients.claim());
  event.waitUntil(keepShell().catch(() => undefined));
});

self.addEventListener('fetch', (event) => {
  const mine = watched(event.request, apiOrigin);
  if (mine === null) return;
  const database = databaseOf(mine.uid);
  const answer = fetch(event.request);
  event.respondWith(answer);
  event.waitUntil(answer.then((response) => keep(response.clone(), mine, database, Date.now()), () => undefined));
});

listenForPush(baseUrl);

self.addEventListener('sync', ((event: SyncEvent) => {
  event.waitUntil(deliver(baseUrl).then((drained) => {
    // The browser tries again only if it is told that it did not work.
    if (drained?.end === 'offline' || drained?.end === 'waiting') throw new Error('Commands are still waiting');
  }));
}) as EventListener);

self.addEventListener('message', (event) => {
  const message = event.data as { type?: unknown; uid?: unknown } | null;
  if (message?.type === 'SKIP_WAITING') event.waitUntil(sendsAreOver().then(() => self.skipWaiting()));
  if (message?.type === 'drain') event.waitUntil(deliver(baseUrl));
  if (message?.type === 'purge' && typeof message.uid === 'string') event.waitUntil(forget(message.uid));
});
