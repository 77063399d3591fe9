/** An exchange on loopback whose answers a test writes: by method and path, or none at all. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  method: string;
  path: string;
  /** Where it would have gone; absent where it went to loopback. */
  origin?: string;
  /** Of the address and of a form or JSON body together. */
  params: Record<string, string>;
  body: string;
  headers: Record<string, string | string[] | undefined>;
}
export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  /** An object becomes JSON; a text goes out as it is. */
  body: unknown;
}
/** `drop` cuts the connection after the request has arrived. */
export type Answerer = (asked: Asked) => Answer | 'drop';

export interface AnswerServer {
  origin: string;
  asked: Asked[];
  close: () => Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

function paramsOf(url: URL, body: string): Record<string, string> {
  const fields = body.startsWith('{')
    ? Object.entries(JSON.parse(body) as Record<string, unknown>).map(
        ([name, value]) =>
          [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
      )
    : [...new URLSearchParams(body)];
  return Object.fromEntries([...url.searchParams, ...fields]);
}

export async function startAnswerServer(answer: Answerer): Promise<AnswerServer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = await bodyOf(request);
      const url = new URL(request.url ?? '/', 'http://exchange');
      const one: Asked = {
        method: request.method ?? 'GET',
        path: url.pathname,
        params: paramsOf(url, body),
        body,
        headers: request.headers,
      };
      asked.push(one);
      const said = answer(one);
      if (said === 'drop') {
        request.socket.destroy();
        return;
      }
      response
        .writeHead(said.status ?? 200, { 'content-type': 'application/json', ...said.headers })
        .end(typeof said.body === 'string' ? said.body : JSON.stringify(said.body));
    })();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
