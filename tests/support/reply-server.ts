/** A local HTTP server that answers as the test says, and tells what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  /** The body, parsed where it is JSON. */
  body: unknown;
}

interface Reply {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** `hang` never answers; `reset` cuts the connection. */
export type Answering = Reply | 'hang' | 'reset';

export interface ReplyServer {
  url: string;
  asked: Asked[];
  /** Replaces how it answers from now on. */
  answer(how: (asked: Asked) => Answering | Promise<Answering>): void;
  close(): Promise<void>;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request as AsyncIterable<Buffer>) text += chunk.toString('utf8');
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export async function startReplyServer(): Promise<ReplyServer> {
  let how: (asked: Asked) => Answering | Promise<Answering> = () => ({ status: 500 });
  const asked: Asked[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const one: Asked = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: parse(await textOf(request)),
    };
    asked.push(one);
    const reply = await how(one);
    if (reply === 'hang') return;
    if (reply === 'reset') {
      request.socket.destroy();
      return;
    }
    const isText = typeof reply.body === 'string';
    response.writeHead(reply.status, {
      'content-type': isText ? 'text/html' : 'application/json',
      ...reply.headers,
    });
    response.end(isText ? reply.body : JSON.stringify(reply.body ?? {}));
  };
  const server = createServer((request, response) => {
    take(request, response).catch(() => {
      request.socket.destroy();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    answer(next) {
      how = next;
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
