/**
 * One request to a push service. Anybody can register an address, so whoever answers may be
 * hostile: only the head of the answer is read, and one limit holds for all of it.
 */
import { request, type Agent } from 'node:https';
import type { RequestDetails } from 'web-push';

export interface PushAnswer {
  status: number;
  /** The header as it came. */
  retryAfter: string | undefined;
}

/** A longer body costs the connection. Push services answer with none or a line. */
const BODY_MAX_BYTES = 4_096;

/**
 * Resolves with the head of the answer. The body is dropped as it comes, so that the connection can
 * serve the next message.
 * @throws when there is no answer within `limitMs`, the wait for a free connection included.
 */
export function postPush(
  { endpoint, headers, body }: RequestDetails & { body: Buffer | null },
  agent: Agent,
  limitMs: number,
): Promise<PushAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(endpoint), { method: 'POST', headers, agent });
    const limit = setTimeout(() => {
      sent.destroy(new Error('The push service took too long'));
    }, limitMs);
    sent.on('error', reject);
    sent.on('close', () => {
      clearTimeout(limit);
      reject(new Error('The push service closed the connection'));
    });
    sent.on('response', (response) => {
      resolve({
        status: response.statusCode ?? 0,
        retryAfter: response.headers['retry-after'],
      });
      let bytes = 0;
      response.on('error', () => undefined);
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > BODY_MAX_BYTES) sent.destroy();
      });
    });
    sent.end(body);
  });
}
