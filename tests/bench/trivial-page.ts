/**
 * The floor of a cold start: a page of one number, served from a cache by a worker that does
 * nothing else.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const PAGE = `<!doctype html><html lang="en"><title>Floor</title><p id="figure">1,234.56</p>
<script>navigator.serviceWorker.register('/sw.js')</script></html>`;
const WORKER = `
self.addEventListener('install', (event) => {
  event.waitUntil(caches.open('page').then((cache) => cache.add('/')).then(() => self.skipWaiting()));
});
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  if (event.request.mode === 'navigate') event.respondWith(caches.match('/'));
});`;

export interface TrivialPage {
  readonly url: string;
  close(): Promise<void>;
}

export async function serveTrivialPage(): Promise<TrivialPage> {
  const server = createServer((request, reply) => {
    const isWorker = request.url === '/sw.js';
    reply.setHeader('content-type', isWorker ? 'text/javascript' : 'text/html');
    reply.end(isWorker ? WORKER : PAGE);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
