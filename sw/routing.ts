/** Which requests the worker answers, which it only watches, and which it leaves alone. */
import type { PrecacheEntry } from 'workbox-precaching';
import { copiedKind } from '../src/offline/copied-kind.ts';
import type { SnapshotKind } from '../src/offline/snapshot-registry.ts';

/**
 * Addresses of the server and of the emulator that it passes through: never the app's own screens.
 */
const SERVER_PATHS = [
  /^\/api(\/|$)/,
  /^\/subscriptions(\/|$)/,
  /^\/market\/(data|overview|pools|candles|sparklines)$/,
  /^\/(healthz|readyz|openapi\.json|metrics)$/,
  /^\/webhooks(\/|$)/,
  /^\/test-(checkout|portal)(\/|$)/,
  /^\/__\//,
  /^\/emulator(\/|$)/,
  /^\/(identitytoolkit|securetoken)\.googleapis\.com(\/|$)/,
  /^\/[^/]+\/us-central1(\/|$)/,
];
/** Files have a dot in their last part; a screen's path never has. */
const FILE = /\.[^/]+$/;

/** Navigation inside the app: answered with the shell, so that it opens offline. */
export function isAppRoute(pathname: string): boolean {
  return !FILE.test(pathname) && !SERVER_PATHS.some((path) => path.test(pathname));
}

/** Addresses at which the app is opened: by its icon, shortcuts and notifications. */
export const START_PATHS = ['/dashboard', '/portfolio', '/market', '/agents', '/stop-all'] as const;
export const SHELL_PREFIX = 'tradewind-shell-';

/**
 * The cache with the page of one build: another build's page is in another cache, so that no worker
 * serves it.
 */
export function shellCache(manifest: readonly (PrecacheEntry | string)[]): string {
  const page = manifest.find((entry) => typeof entry !== 'string' && entry.url === 'index.html');
  return `${SHELL_PREFIX}${typeof page === 'object' ? (page.revision ?? '') : ''}`;
}

/** The files that a page references. */
export const partsOf = (html: string): string[] => [
  ...new Set(html.match(/\/assets\/[\w.-]+/g) ?? []),
];

interface CachedRoute {
  condition: { urlPattern: { pathname: string; search?: string }; requestMode?: 'navigate' };
  source: { cacheName: string };
}
export type StaticRoute = CachedRoute | { condition: { requestMethod: 'POST' }; source: 'network' };

/**
 * What the browser does without this worker. From the caches it answers public files alone, each by
 * its exact address. A command that is a POST goes to the server at once: it neither waits for this worker to
 * start nor keeps it from giving way to a newer one.
 */
export function staticRoutes(precache: string, shell: string): StaticRoute[] {
  return [
    { condition: { requestMethod: 'POST' }, source: 'network' },
    ...START_PATHS.map((pathname): CachedRoute => ({
      condition: { urlPattern: { pathname, search: '' }, requestMode: 'navigate' },
      source: { cacheName: shell },
    })),
    { condition: { urlPattern: { pathname: '/assets/*' } }, source: { cacheName: precache } },
  ];
}

/** The snapshot that a successful answer to this request is, or null. */
export function watchedKind(method: string, url: URL, apiOrigin: string): SnapshotKind | null {
  return method === 'GET' && url.origin === apiOrigin ? copiedKind(url) : null;
}

/**
 * A stream has no end: the worker that answered it would be killed with it, or kept alive by it.
 */
export function isStream(headers: Headers, url: URL): boolean {
  return (
    url.pathname === CALLS_STREAM || (headers.get('accept') ?? '').includes('text/event-stream')
  );
}
const CALLS_STREAM = '/api/stream';
