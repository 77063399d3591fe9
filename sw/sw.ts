/** The service worker: listeners only; refuses to take over a page that has not asked for it. */
/// <reference lib="webworker" />
import { cacheNames } from 'workbox-core';
import { cleanupOutdatedCaches, createHandlerBoundToURL, precacheAndRoute, type PrecacheEntry } from 'workbox-precaching';
import { registerRoute } from 'workbox-routing';
import { databaseOf, deliver, forget } from './deliver.ts';
import { keep, watched } from './observe.ts';
import { listenForPush } from './push.ts';
import { isAppRoute } from './routing.ts';

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: (PrecacheEntry | string)[] };

interface SyncEvent extends ExtendableEvent { tag: string; lastChance: boolean }

const setting: unknown = (import.meta.env as Record<string, unknown>).VITE_API_URL;
const baseUrl = typeof setting === 'string' ? setting.replace(/\/+$/, '') : '';
const apiOrigin = baseUrl === '' ? self.location.origin : new URL(baseUrl).origin;

// The shell is one version or the other, never a mixture: the new one waits until every file of it is there and the
// person has agreed to it.
cleanupOutdatedCaches();
precacheAndRoute(self.__WB_MANIFEST);
registerRoute(({ request, sameOrigin, url }) => sameOrigin && request.mode === 'navigate' && isAppRoute(url.pathname), createHandlerBoundToURL('index.html'));

interface RoutingInstallEvent extends ExtendableEvent {
  addRoutes?(rules: { condition: { urlPattern: { pathname: string } }; source: { cacheName: string } }): Promise<void>;
}

// Where the browser can look into the precache by itself, the parts of the shell do not wait for this worker to run:
// at a cold start that is most of the way to the first picture. What is not there is fetched, as it would be here.
self.addEventListener('install', (event) => {
  const routes = (event as RoutingInstallEvent).addRoutes?.({ condition: { urlPattern: { pathname: '/assets/*' } }, source: { cacheName: cacheNames.precache } });
  if (routes !== undefined) event.waitUntil(routes.catch(() => undefined));
});

/** Taking over reloads the pages. A request on its way would then end without anyone to hear its answer. */
async function sendsAreOver(): Promise<void> {
  const { held = [] } = await navigator.locks.query();
  await Promise.all(held.flatMap(({ name }) => (name?.startsWith('outbox:') === true ? [navigator.locks.request(name, () => undefined)] : [])));
}

// The first worker of all has no page to disturb: it serves the one that brought it.
self.addEventListener('activate', (event) => { event.waitUntil(self.clients.claim()); });

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
