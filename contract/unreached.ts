/**
 * How the service worker tells its page that the network did not answer, without an error in the
 * console.
 */

const HEADER = 'x-tradewind-unreached';

/** No server sends this: the worker makes it in place of a promise that rejects. */
export const unreached = (): Response =>
  new Response(null, { status: 504, headers: { [HEADER]: 'true' } });

/** Throws as `fetch` itself does where the network gave no answer. */
export function reached(response: Response): Response {
  if (response.headers.has(HEADER)) throw new TypeError('Failed to fetch');
  return response;
}
