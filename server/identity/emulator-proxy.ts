/** The emulator under the app's own origin, limited to what logging in needs. */
import { createHash } from 'node:crypto';
import { request as ask, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../contract/errors.ts';
import { isLoopback } from '../config.ts';
import { ProviderLine } from './provider-line.ts';

export const EMULATOR_PATHS = [
  '/identitytoolkit.googleapis.com',
  '/securetoken.googleapis.com',
  '/emulator',
  '/__/auth',
] as const;
const BODY_MAX_BYTES = 64 * 1024;
const ANSWER_MAX_BYTES = 4 * 1024 * 1024;
/**
 * Longer than for the server's own questions: the first call of each kind compiles its checks,
 * seconds on a busy machine.
 */
const PROXY_LIMIT_MS = 8_000;
/**
 * The emulator is one thread: more at once would only wait there, and the server's own questions
 * behind them.
 */
const LIMITS = { atOnce: 8, waiting: 64, limitMs: PROXY_LIMIT_MS };

const PAGE = /^\/emulator\/(action|auth\/(handler|iframe))$/;
/**
 * What the app's own sign-in asks. A custom token is not among it: unsigned, it would open any
 * account by its id.
 */
const ALLOWED: readonly RegExp[] = [
  PAGE,
  /^\/identitytoolkit\.googleapis\.com\/v1\/accounts:(signUp|signInWithPassword|signInWithIdp|createAuthUri|lookup|update|delete|sendOobCode|resetPassword)$/,
  /^\/identitytoolkit\.googleapis\.com\/v1\/(projects|recaptchaParams)$/,
  /^\/identitytoolkit\.googleapis\.com\/v2\/(recaptchaConfig|passwordPolicy)$/,
  /^\/securetoken\.googleapis\.com\/v1\/token$/,
];
/**
 * `Bearer owner` is an administrator to the emulator; a cookie or an origin of ours is none of its
 * business.
 */
const KEPT_BACK = new Set([
  'authorization',
  'cookie',
  'origin',
  'referer',
  'host',
  'connection',
  'keep-alive',
  'upgrade',
  'expect',
  'accept-encoding',
]);
/** Of one connection, not of the answer. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'upgrade',
]);

const without = (
  headers: IncomingHttpHeaders,
  refused: (name: string) => boolean,
): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !refused(name.toLowerCase())));

/** Addresses that its pages send a browser to: back into this app, or nowhere. */
function refuseForeignReturn(url: URL, host: string | undefined): void {
  for (const name of ['redirectUrl', 'continueUrl']) {
    for (const value of url.searchParams.getAll(name)) {
      const target = URL.canParse(value) ? new URL(value) : null;
      const own =
        target !== null &&
        /^https?:$/.test(target.protocol) &&
        (target.host === host || isLoopback(target.hostname));
      if (!own)
        throw new Refusal(
          'invalid_parameter',
          'Invalid parameter: only addresses of this app are allowed.',
          { field: name },
        );
    }
  }
}

async function refuseAdministration(request: FastifyRequest): Promise<void> {
  const path = request.url.split('?', 1)[0] ?? '';
  if (!ALLOWED.some((allowed) => allowed.test(path))) throw new Refusal('not_found', 'Not found');
  const length = request.headers['content-length'];
  const sends = length !== undefined || request.headers['transfer-encoding'] !== undefined;
  // The emulator takes a gigabyte; and a body whose length is not said could be one.
  if (sends && !(Number(length) <= BODY_MAX_BYTES))
    throw new Refusal('payload_too_large', 'The request is too large');
  refuseForeignReturn(new URL(request.url, 'http://localhost'), request.headers.host);
}

const scriptsOf = (html: string): string[] =>
  [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );

/**
 * A policy for the emulator's pages, which write names that people chose into their markup
 * unescaped: their own inline scripts, known by hash, and no other. Read once from pages that name
 * nobody.
 */
class PagePolicy {
  private asked: Promise<string> | null = null;

  constructor(private readonly baseUrl: string) {}

  read(): Promise<string> {
    this.asked ??= this.ask().catch((error: unknown) => {
      this.asked = null;
      throw error;
    });
    return this.asked;
  }

  private async ask(): Promise<string> {
    const pages = await Promise.all(
      ['iframe', 'handler?apiKey=none&providerId=none'].map(async (page) =>
        (
          await fetch(`${this.baseUrl}/emulator/auth/${page}`, {
            signal: AbortSignal.timeout(PROXY_LIMIT_MS),
            redirect: 'error',
          })
        ).text(),
      ),
    );
    return (
      `script-src ${['https://apis.google.com', 'https://unpkg.com', ...pages.flatMap(scriptsOf)].join(' ')}; ` +
      "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'self'"
    );
  }
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

async function wholeBody(answer: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > ANSWER_MAX_BYTES) throw new Error('The reply is too large');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** What the emulator says is JSON or one of its pages. Anything else is not its word. */
function isItsOwn({ headers, body }: Answer): boolean {
  const type = headers['content-type'] ?? '';
  if (body.length === 0 || type.startsWith('text/')) return true;
  try {
    JSON.parse(body.toString('utf8'));
    return type.startsWith('application/json');
  } catch {
    return false;
  }
}

/** One request passed on and its whole answer; fails when `signal` does, however far it came. */
function passOn(
  baseUrl: string,
  { method, url, headers, body }: FastifyRequest,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = {
      method,
      signal,
      headers: without(headers, (name) => KEPT_BACK.has(name) || name.startsWith('sec-fetch-')),
    };
    const request = ask(new URL(url, baseUrl), options, (answer) => {
      wholeBody(answer).then((whole) => {
        resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: whole });
      }, reject);
    });
    request.on('error', reject);
    request.end(Buffer.isBuffer(body) ? body : undefined);
  });
}

export function registerEmulatorProxy(baseUrl: string) {
  const policy = new PagePolicy(baseUrl);
  const line = new ProviderLine(LIMITS);
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const isPage = PAGE.test(request.url.split('?', 1)[0] ?? '');
    const { status, headers, body } = await line.run(async (signal) => {
      if (isPage) void reply.header('content-security-policy', await policy.read());
      const passed = await passOn(baseUrl, request, signal);
      if (!isItsOwn(passed)) throw new Error('Invalid reply');
      return passed;
    });
    const kept = without(
      headers,
      (name) => HOP_BY_HOP.has(name) || name.startsWith('access-control-'),
    );
    return reply.code(status).headers(kept).header('cache-control', 'no-store').send(body);
  };
  return async (app: FastifyInstance): Promise<void> => {
    for (const prefix of EMULATOR_PATHS) {
      await app.register(async (scope) => {
        // Bodies pass through as they come.
        scope.removeAllContentTypeParsers();
        scope.addContentTypeParser(
          '*',
          { parseAs: 'buffer', bodyLimit: BODY_MAX_BYTES },
          (_request, body, done) => {
            done(null, body);
          },
        );
        // Before the body is taken in.
        scope.addHook('onRequest', refuseAdministration);
        scope.all(`${prefix}/*`, answer);
      });
    }
  };
}
