/** The built app: hashed assets for ever, the shell always asked again; refuses to answer data paths with a page. */
import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CALLS } from '../../contract/calls.ts';
import { Refusal } from '../../contract/errors.ts';
import { sendRefusal } from './errors.ts';

/** First path segments that belong to programs; a page is never their answer. */
const DATA = /^\/(api|subscriptions|callable|webhooks|emulator|__|identitytoolkit\.googleapis\.com|securetoken\.googleapis\.com)(\/|$)/;
const HASHED = /^assets\/.*-[\w-]{8,}\.\w+$/;

function filesUnder(root: string): Set<string> {
  if (!existsSync(root)) return new Set();
  return new Set(readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/')).filter((file) => !/(^|\/)\./.test(file)));
}

const knownPaths = Object.values(CALLS).map(({ path }) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`));

function pathOf(request: FastifyRequest): string {
  try {
    return decodeURIComponent(request.url.split('?', 1)[0] ?? '/');
  } catch {
    throw new Refusal('invalid_parameter', 'Invalid parameter');
  }
}

function refusePath(path: string, reply: FastifyReply): FastifyReply {
  // Nothing was found under this method, and yet the path is one of ours.
  if (knownPaths.some((known) => known.test(path))) return sendRefusal(reply, new Refusal('method_not_allowed', 'Method not allowed'));
  return sendRefusal(reply, new Refusal('not_found', 'Not found'));
}

/**
 * The way out of a worker that breaks the app: in its place comes one that deletes the shell's caches, takes itself away
 * and has its pages load from the server. The queue and the snapshots are not its to touch.
 */
export const SELF_REMOVING_WORKER = `/* Removes the worker before it. */
self.addEventListener('install', () => { self.skipWaiting(); });
self.addEventListener('activate', (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) await caches.delete(name);
    await self.registration.unregister();
    for (const client of await self.clients.matchAll({ type: 'window' })) client.navigate(client.url).catch(() => undefined);
  })());
});
`;
/** A file of this name in the build's folder does the same as the setting, without a restart. */
const KILL_MARK = 'sw-kill';

/** `root` holds the build. With `compression`, a `.br` or `.gz` beside a file is sent to whoever accepts it. */
export async function registerStatic(app: FastifyInstance, root: string, compression: boolean, killWorker = false): Promise<void> {
  const files = filesUnder(root);
  const built = files.has('index.html');
  if (built) await app.register(fastifyStatic, { root, serve: false, preCompressed: compression, cacheControl: false, etag: true });

  const send = (reply: FastifyReply, file: string): FastifyReply => {
    // `vary` is set by hand: the answer depends on what is accepted even when the plain file is sent.
    void reply.header('cache-control', HASHED.test(file) ? 'public, max-age=31536000, immutable' : 'no-cache').header('vary', 'Accept-Encoding');
    return reply.sendFile(file);
  };

  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || DATA.test(path) || knownPaths.some((known) => known.test(path))) return refusePath(path, reply);
    if (!built) return reply.code(503).type('text/plain; charset=utf-8').send('The app is not built yet. Run npm run build, or npm start.\n');
    const file = path.slice(1);
    if (file === 'sw.js' && (killWorker || existsSync(join(root, KILL_MARK)))) {
      return reply.type('text/javascript; charset=utf-8').header('cache-control', 'no-cache').send(SELF_REMOVING_WORKER);
    }
    if (file === KILL_MARK) return refusePath(path, reply);
    if (file !== '' && files.has(file)) return send(reply, file);
    // A missing asset must fail as such: a page in place of a script would be cached and run.
    if (/\.[^/]+$/.test(path)) return refusePath(path, reply);
    return send(reply, 'index.html');
  });
}
