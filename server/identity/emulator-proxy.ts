/**
 * The emulator under the app's own origin, so that page, worker and tests need one address; refuses everything of it
 * that signing in does not need: its administration, its lists of people, its open CORS.
 */
import { createHash } from 'node:crypto';
import httpProxy from '@fastify/http-proxy';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../contract/errors.ts';
import { isLoopback } from '../config.ts';

export const EMULATOR_PATHS = ['/identitytoolkit.googleapis.com', '/securetoken.googleapis.com', '/emulator', '/__/auth'] as const;
const TIMEOUT_MS = 20_000;
const BODY_MAX_BYTES = 64 * 1024;

const PAGE = /^\/emulator\/(action|auth\/(handler|iframe))$/;
/** What the app's own sign-in asks. A custom token is not among it: unsigned, it would open any account by its id. */
const ALLOWED: readonly RegExp[] = [
  PAGE,
  /^\/identitytoolkit\.googleapis\.com\/v1\/accounts:(signUp|signInWithPassword|signInWithIdp|createAuthUri|lookup|update|delete|sendOobCode|resetPassword)$/,
  /^\/identitytoolkit\.googleapis\.com\/v1\/(projects|recaptchaParams)$/,
  /^\/identitytoolkit\.googleapis\.com\/v2\/(recaptchaConfig|passwordPolicy)$/,
  /^\/securetoken\.googleapis\.com\/v1\/token$/,
];
/** `Bearer owner` is an administrator to the emulator; a cookie or an origin of ours is none of its business. */
const KEPT_BACK = new Set(['authorization', 'cookie', 'origin', 'referer']);

const without = (headers: Record<string, unknown>, refused: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !refused(name.toLowerCase())));

/** Addresses that its pages send a browser to: back into this app, or nowhere. */
function refuseForeignReturn(url: URL, host: string | undefined): void {
  for (const name of ['redirectUrl', 'continueUrl']) {
    for (const value of url.searchParams.getAll(name)) {
      const target = URL.canParse(value) ? new URL(value) : null;
      const own = target !== null && /^https?:$/.test(target.protocol) && (target.host === host || isLoopback(target.hostname));
      if (!own) throw new Refusal('invalid_parameter', 'Invalid parameter: only addresses of this app are allowed.', { field: name });
    }
  }
}

async function refuseAdministration(request: FastifyRequest): Promise<void> {
  const path = request.url.split('?', 1)[0] ?? '';
  if (!ALLOWED.some((allowed) => allowed.test(path))) throw new Refusal('not_found', 'Not found');
  const length = request.headers['content-length'];
  const sends = length !== undefined || request.headers['transfer-encoding'] !== undefined;
  // The emulator takes a gigabyte; and a body whose length is not said could be one.
  if (sends && !(Number(length) <= BODY_MAX_BYTES)) throw new Refusal('payload_too_large', 'The request is too large');
  refuseForeignReturn(new URL(request.url, 'http://localhost'), request.headers.host);
}

const scriptsOf = (html: string): string[] => [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)]
  .map(([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);

/**
 * A policy for the emulator's pages, which write names that people chose into their markup unescaped: their own inline
 * scripts, known by hash, and no other. Read once from pages that name nobody.
 */
class PagePolicy {
  private asked: Promise<string> | null = null;

  constructor(private readonly baseUrl: string) {}

  read(): Promise<string> {
    this.asked ??= this.ask().catch((error: unknown) => { this.asked = null; throw error; });
    return this.asked;
  }

  private async ask(): Promise<string> {
    const pages = await Promise.all(['iframe', 'handler?apiKey=none&providerId=none'].map(async (page) =>
      (await fetch(`${this.baseUrl}/emulator/auth/${page}`, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' })).text()));
    return `script-src ${['https://apis.google.com', 'https://unpkg.com', ...pages.flatMap(scriptsOf)].join(' ')}; `
      + "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'";
  }
}

export function registerEmulatorProxy(baseUrl: string) {
  const policy = new PagePolicy(baseUrl);
  const guard = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    await refuseAdministration(request);
    if (PAGE.test(request.url.split('?', 1)[0] ?? '')) void reply.header('content-security-policy', await policy.read());
  };
  return async (app: FastifyInstance): Promise<void> => {
    for (const prefix of EMULATOR_PATHS) {
      await app.register(async (scope) => {
        // Bodies pass through as they come; the proxy brings parsers that do not parse.
        scope.removeAllContentTypeParsers();
        // Before the body is taken in.
        scope.addHook('onRequest', guard);
        await scope.register(httpProxy, {
          upstream: baseUrl, prefix, rewritePrefix: prefix, http2: false, http: { requestOptions: { timeout: TIMEOUT_MS } },
          replyOptions: {
            rewriteRequestHeaders: (_request, headers) => without(headers, (name) => KEPT_BACK.has(name) || name.startsWith('sec-fetch-')) as typeof headers,
            rewriteHeaders: (headers) => ({ ...without(headers, (name) => name.startsWith('access-control-')), 'cache-control': 'no-store' }),
          },
        });
      });
    }
  };
}
