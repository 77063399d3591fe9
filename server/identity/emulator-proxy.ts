/** The emulator under the app's own origin, so that page, worker and tests need one address; refuses its open CORS. */
import httpProxy from '@fastify/http-proxy';
import type { FastifyInstance } from 'fastify';

export const EMULATOR_PATHS = ['/identitytoolkit.googleapis.com', '/securetoken.googleapis.com', '/emulator', '/__/auth'] as const;
const TIMEOUT_MS = 20_000;

export function registerEmulatorProxy(baseUrl: string) {
  return async (app: FastifyInstance): Promise<void> => {
    for (const prefix of EMULATOR_PATHS) {
      await app.register(async (scope) => {
        // Bodies pass through as they come; the proxy brings parsers that do not parse.
        scope.removeAllContentTypeParsers();
        await scope.register(httpProxy, {
          upstream: baseUrl, prefix, rewritePrefix: prefix, http2: false, http: { requestOptions: { timeout: TIMEOUT_MS } },
          replyOptions: {
            rewriteHeaders: (headers) => Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('access-control-'))),
          },
        });
      });
    }
  };
}
