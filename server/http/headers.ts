/** Security headers, and the check that a change comes from our own pages. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { EXCHANGES } from '../../contract/exchanges.ts';
import { Refusal } from '../../contract/errors.ts';
import { isLoopback, type Config } from '../config.ts';

const YEAR_SECONDS = 31_536_000;
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Who is spoken to, and why. */
const IDENTITY = ['https://identitytoolkit.googleapis.com', 'https://securetoken.googleapis.com'];
const EXCHANGE_ORIGINS = Object.values(EXCHANGES).map(({ priceOrigin }) => priceOrigin);

/**
 * One policy for every screen: the shell is one document, kept by the service worker with the
 * headers it came with, and moving between screens loads no other. So it is the union of what the
 * screens need, and of what this deployment uses.
 */
export function contentSecurityPolicy(
  config: Pick<Config, 'authDomain' | 'apiOrigin' | 'payments' | 'wallet'>,
): string {
  const stripe = config.payments.publishableKey !== null;
  const authFrame = config.authDomain === null ? [] : [`https://${config.authDomain}`];
  const directives: Record<string, string[]> = {
    'default-src': ["'self'"],
    // Google's sign-in pop-up is opened through this one script of theirs, and only when a person
    // asks for it.
    'script-src': [
      "'self'",
      'https://apis.google.com',
      ...(stripe ? ['https://js.stripe.com'] : []),
    ],
    // Charts and toasts bring style elements of their own; no style can run code.
    'style-src': ["'self'", "'unsafe-inline'"],
    'img-src': ["'self'", 'data:', 'blob:', 'https:'],
    'font-src': ["'self'", 'data:'],
    'connect-src': [
      "'self'",
      ...IDENTITY,
      ...EXCHANGE_ORIGINS,
      ...config.wallet.pageOrigins,
      ...(config.apiOrigin === null ? [] : [config.apiOrigin]),
      ...(stripe ? ['https://api.stripe.com'] : []),
    ],
    // The wallet's and the onramp's pages are windows of their own, never frames.
    'frame-src': [
      "'self'",
      ...authFrame,
      ...(stripe ? ['https://js.stripe.com', 'https://hooks.stripe.com'] : []),
    ],
    'worker-src': ["'self'"],
    'manifest-src': ["'self'"],
    'object-src': ["'none'"],
    'base-uri': ["'none'"],
    'form-action': ["'self'"],
    'frame-ancestors': ["'none'"],
  };
  return Object.entries(directives)
    .map(([name, values]) => `${name} ${values.join(' ')}`)
    .join('; ');
}

/** The policy for a page that brings these scripts with it. */
export const allowScripts = (policy: string, digests: readonly string[]): string =>
  digests.length === 0
    ? policy
    : policy.replace("script-src 'self'", `script-src 'self' ${digests.join(' ')}`);

/**
 * A change must come from our own origin where the browser says where it comes from. Programs send
 * neither header; they hold a token that no foreign page can have.
 */
function refuseForeign(request: FastifyRequest, publicOrigin: string): void {
  if (SAFE_METHODS.has(request.method)) return;
  const { origin, host } = request.headers;
  const site = request.headers['sec-fetch-site'];
  const own =
    origin === undefined ||
    origin === publicOrigin ||
    (URL.canParse(origin) && new URL(origin).host === host);
  if (!own || site === 'cross-site' || (site === 'same-site' && origin === undefined)) {
    throw new Refusal('forbidden_origin', 'Requests from other sites are not allowed');
  }
}

/**
 * With the emulator whoever reaches the server can be anyone, and only this machine may reach it. A
 * foreign page can have its own name lead here, and would then count as our own origin: such names
 * are not answered.
 */
function refuseStrangeHost(
  request: FastifyRequest,
  config: Pick<Config, 'host' | 'identity' | 'publicOrigin'>,
): void {
  if (config.identity.kind !== 'emulator' || !isLoopback(config.host)) return;
  const { host } = request.headers;
  if (host === undefined || host === new URL(config.publicOrigin).host) return;
  if (!URL.canParse(`http://${host}`) || !isLoopback(new URL(`http://${host}`).hostname)) {
    throw new Refusal('forbidden_origin', 'This server only accepts requests from this machine');
  }
}

/** `bare`: paths whose answers bring their own policy (the emulator's sign-in pages). */
export function registerHeaders(
  app: FastifyInstance,
  config: Config,
  bare: readonly string[],
): void {
  const policy = config.csp ? contentSecurityPolicy(config) : null;
  app.addHook('onRequest', async (request, reply) => {
    void reply
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'strict-origin-when-cross-origin');
    if (config.mode === 'production')
      void reply.header('strict-transport-security', `max-age=${YEAR_SECONDS}; includeSubDomains`);
    if (!bare.some((prefix) => request.url.startsWith(prefix))) {
      // Pop-ups (Google, wallets) report back to their opener, which plain same-origin would cut
      // off.
      void reply
        .header('cross-origin-opener-policy', 'same-origin-allow-popups')
        .header('cross-origin-resource-policy', 'same-origin')
        .header('x-frame-options', 'DENY')
        .header(
          'permissions-policy',
          'camera=(), microphone=(), geolocation=(), browsing-topics=()',
        );
      if (policy !== null) void reply.header('content-security-policy', policy);
    }
    refuseStrangeHost(request, config);
    refuseForeign(request, config.publicOrigin);
  });
}
