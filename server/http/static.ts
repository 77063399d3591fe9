/**
 * Serves the built app: hashed assets forever, the shell always revalidated. Data paths never get a
 * page.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CALLS } from '../../contract/calls.ts';
import { Refusal } from '../../contract/errors.ts';
import { allowScripts } from './headers.ts';
import { sendRefusal } from './http-errors.ts';
import { openPublicPages, type PublicPage } from './public-pages.ts';

/** First path segments that belong to programs; a page is never their answer. */
const DATA =
  /^\/(api|subscriptions|callable|webhooks|emulator|__|identitytoolkit\.googleapis\.com|securetoken\.googleapis\.com)(\/|$)/;
const HASHED = /^assets\/.*-[\w-]{8,}\.\w+$/;

/**
 * Asked each time: a build that was laid here since, or a folder that leads elsewhere now, is
 * served without a restart.
 */
async function isFile(root: string, file: string): Promise<boolean> {
  // Names that begin with a dot, and the folder above, are nobody's.
  if (file.split('/').some((part) => part === '' || part.startsWith('.'))) return false;
  return stat(join(root, file)).then(
    (found) => found.isFile(),
    () => false,
  );
}

interface Tag {
  of: string;
  tag: string;
}

/**
 * What a file is called while it stays the same: a digest. By size and time, two builds whose times
 * were levelled (in an image, an archive) would be one, and a device would keep the old page or the
 * old worker.
 */
function contentTags(root: string): (file: string) => Promise<string> {
  const known = new Map<string, Tag>();
  return async (file) => {
    const path = join(root, file);
    const { dev, ino, size, mtimeMs, ctimeMs } = await stat(path);
    const of = [dev, ino, size, mtimeMs, ctimeMs].join(':');
    const held = known.get(file);
    if (held?.of === of) return held.tag;
    const tag = `W/"${createHash('sha256')
      .update(await readFile(path))
      .digest('base64url')
      .slice(0, 27)}"`;
    known.set(file, { of, tag });
    return tag;
  };
}

/** Weak, as `If-None-Match` compares: the packed file is the same file. */
const isHeld = (header: string | undefined, tag: string): boolean =>
  header !== undefined && header.split(',').some((one) => one.trim() === tag || one.trim() === '*');

const knownPaths = Object.values(CALLS).map(
  ({ path }) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`),
);

function pathOf(request: FastifyRequest): string {
  try {
    return decodeURIComponent(request.url.split('?', 1)[0] ?? '/');
  } catch {
    throw new Refusal('invalid_parameter', 'Invalid parameter');
  }
}

function refusePath(path: string, reply: FastifyReply): FastifyReply {
  // Nothing was found under this method, and yet the path is one of ours.
  if (knownPaths.some((known) => known.test(path)))
    return sendRefusal(reply, new Refusal('method_not_allowed', 'Method not allowed'));
  return sendRefusal(reply, new Refusal('not_found', 'Not found'));
}

/**
 * The way out of a worker that breaks the app: in its place comes one that deletes the shell's
 * caches, takes itself away and has its pages load from the server. The queue and the snapshots are
 * not its to touch.
 */
const SELF_REMOVING_WORKER = `/* Removes the worker before it. */
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

/** Sends a completed page in the smallest form that the asking browser takes. */
function sendPage(request: FastifyRequest, reply: FastifyReply, page: PublicPage): FastifyReply {
  const policy = reply.getHeader('content-security-policy');
  if (typeof policy === 'string')
    void reply.header('content-security-policy', allowScripts(policy, page.scriptDigests));
  void reply
    .header('vary', 'Accept-Encoding')
    .header('cache-control', 'no-cache')
    .header('etag', page.tag);
  if (isHeld(request.headers['if-none-match'], page.tag)) return reply.code(304).send();
  const accepted = String(request.headers['accept-encoding'] ?? '')
    .split(',')
    .map((one) => one.trim().split(';', 1)[0]);
  const encoding = (['br', 'gzip'] as const).find(
    (one) => page.bodies[one] !== null && accepted.includes(one),
  );
  if (encoding !== undefined) void reply.header('content-encoding', encoding);
  return reply.type(page.type).send(page.bodies[encoding ?? 'identity']);
}

export interface StaticSettings {
  /** A `.br` or `.gz` beside a file is sent to whoever accepts it. */
  compression: boolean;
  /** The address that pages name as their own. */
  publicOrigin: string;
  /** Answers every device with a worker that removes itself. */
  killWorker: boolean;
}

/** `root` holds the build. */
export async function registerStatic(
  app: FastifyInstance,
  root: string,
  { compression, publicOrigin, killWorker }: StaticSettings,
): Promise<void> {
  const present = existsSync(root);
  if (present)
    await app.register(fastifyStatic, {
      root,
      serve: false,
      preCompressed: compression,
      cacheControl: false,
      etag: true,
    });
  const tagOf = contentTags(root);
  const pages = openPublicPages(root, publicOrigin, compression);

  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    file: string,
  ): Promise<FastifyReply> => {
    // `vary` is set by hand: the answer depends on what is accepted even when the plain file is
    // sent.
    void reply.header('vary', 'Accept-Encoding');
    if (HASHED.test(file))
      return reply.header('cache-control', 'public, max-age=31536000, immutable').sendFile(file);
    const tag = await tagOf(file);
    void reply.header('cache-control', 'no-cache').header('etag', tag);
    if (isHeld(request.headers['if-none-match'], tag)) return reply.code(304).send();
    return reply.sendFile(file, { etag: false, lastModified: false });
  };

  app.setNotFoundHandler(async (request, reply) => {
    const path = pathOf(request);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || DATA.test(path) || knownPaths.some((known) => known.test(path)))
      return refusePath(path, reply);
    if (!present || !(await isFile(root, 'index.html')))
      return reply
        .code(503)
        .type('text/plain; charset=utf-8')
        .send('The app is not built yet. Run npm run build, or npm start.\n');
    const file = path.slice(1);
    if (file === 'sw.js' && (killWorker || existsSync(join(root, KILL_MARK)))) {
      return reply
        .type('text/javascript; charset=utf-8')
        .header('cache-control', 'no-cache')
        .send(SELF_REMOVING_WORKER);
    }
    if (file === KILL_MARK) return refusePath(path, reply);
    const page = pages.fileOf(path);
    // A build without completed pages has the app draw them.
    if (page !== undefined && (await isFile(root, page)))
      return sendPage(request, reply, await pages.read(page));
    if (await isFile(root, file)) return send(request, reply, file);
    // A missing asset must fail as such: a page in place of a script would be cached and run.
    if (/\.[^/]+$/.test(path)) return refusePath(path, reply);
    return send(request, reply, 'index.html');
  });
}
