/** An HTTP proxy between browser and server that does harm on request. */
import {
  createServer,
  request as forward,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * `drop-request`: the server never sees it. `drop-reply`: the server has answered, the browser
 * never hears it. `stall`: the server has answered, and nothing reaches the browser until it gives
 * up. `portal-page`, `portal-redirect`: a captive portal answers. `truncate`: half of the answer,
 * as if it were whole. `404`, `500`: a gateway
 * knows no such path, or fails, after the server has acted. `hold`: the request
 * waits here, unseen by the server, until the browser gives up.
 */
export type Fault =
  | 'hold'
  | 'drop-request'
  | 'drop-reply'
  | 'stall'
  | 'portal-page'
  | 'portal-redirect'
  | 'truncate'
  | '404'
  | '500';

export interface Passing {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
}

export interface FaultProxy {
  url: string;
  port: number;
  /** Asked for every request; null lets it pass, and until it answers the request waits here. */
  harm(decide: (passing: Passing) => Fault | null | Promise<null>): void;
  /**
   * Goes dead without a word: what flows to the browser now never goes on, and its connections stay
   * open. What is asked later passes.
   */
  freeze(): void;
  /** Called when a request has come in and before it is passed on. */
  watch(listener: (passing: Passing) => void): void;
  close(): Promise<void>;
}

const PAGE = '<!doctype html><title>Wi-Fi</title><p>Please log in to the network.</p>';

async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

export async function startFaultProxy(target: { port: number }, port = 0): Promise<FaultProxy> {
  let decide: (passing: Passing) => Fault | null | Promise<null> = () => null;
  const flowing = new Map<ServerResponse, IncomingMessage>();
  let listener: (passing: Passing) => void = () => undefined;

  const ask = (
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
  ): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const out = forward(
        {
          host: '127.0.0.1',
          port: target.port,
          method: request.method,
          path: request.url,
          headers: request.headers,
        },
        resolve,
      );
      out.on('error', reject);
      response.once('close', () => {
        out.destroy();
      });
      out.end(body);
    });

  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const passing: Passing = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
    };
    const body = await bytesOf(request as AsyncIterable<Buffer>);
    listener(passing);
    const fault = await decide(passing);
    if (fault === 'hold') return;
    if (fault === 'drop-request') {
      request.socket.destroy();
      return;
    }
    if (fault === 'portal-page') {
      response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
      return;
    }
    if (fault === 'portal-redirect') {
      response.writeHead(302, { location: 'http://127.0.0.1:9/login' }).end();
      return;
    }
    const answer = await ask(request, response, body);
    if (fault === null) {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
      flowing.set(response, answer);
      response.once('close', () => {
        flowing.delete(response);
      });
      return;
    }
    const whole = await bytesOf(answer as AsyncIterable<Buffer>);
    if (fault === 'drop-reply') {
      request.socket.destroy();
      return;
    }
    if (fault === 'stall') return;
    if (fault === '404' || fault === '500') {
      response.writeHead(Number(fault), { 'content-type': 'text/html' }).end('<h1>Gateway</h1>');
      return;
    }
    const half = whole.subarray(0, Math.floor(whole.length / 2));
    response
      .writeHead(answer.statusCode ?? 200, {
        'content-type': 'application/json',
        'content-length': half.length,
      })
      .end(half);
  };

  const server = createServer((request, response) => {
    take(request, response).catch(() => {
      request.socket.destroy();
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://localhost:${bound}`,
    port: bound,
    harm(next) {
      decide = next;
    },
    freeze() {
      // Read on, so that the server notices nothing either.
      for (const [response, answer] of flowing) answer.unpipe(response).resume();
      flowing.clear();
    },
    watch(next) {
      listener = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
