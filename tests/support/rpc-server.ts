/** A chain's node that does as it is told, harm included, and keeps what it was asked. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface RpcCall {
  id: number;
  method: string;
  params?: unknown[];
}
interface RpcAsked {
  path: string;
  calls: RpcCall[];
  batch: boolean;
  at: number;
}

/** What becomes of one HTTP request; `times` counts those of the same path before it. */
export type RpcAnswer =
  | { kind: 'result'; result: unknown }
  | { kind: 'error'; code: number; message?: string; data?: unknown }
  | { kind: 'status'; status: number; headers?: Record<string, string>; body?: string }
  | { kind: 'silence' }
  | { kind: 'forward'; to: string };

export interface RpcServer {
  url: string;
  asked: RpcAsked[];
  of(path: string): RpcAsked[];
  /** Called for each request; an answer without a word for it is the result 0x10. */
  answers(path: string, decide: (times: number) => RpcAnswer): void;
  /** How many requests the other side has given up. */
  abandoned(path: string): number;
  close(): Promise<void>;
}

export async function startRpcServer(): Promise<RpcServer> {
  const asked: RpcAsked[] = [];
  const deciders = new Map<string, (times: number) => RpcAnswer>();
  const left = new Map<string, number>();
  const of = (path: string): RpcAsked[] => asked.filter((one) => one.path === path);

  const forward = async (response: ServerResponse, to: string, body: unknown): Promise<void> => {
    const answer = await fetch(to, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    response
      .writeHead(answer.status, { 'content-type': 'application/json' })
      .end(await answer.text());
  };
  const reply = (
    response: ServerResponse,
    { batch, calls }: RpcAsked,
    answer: Exclude<RpcAnswer, { kind: 'forward' }>,
  ): void => {
    if (answer.kind === 'silence') return;
    if (answer.kind === 'status') {
      response.writeHead(answer.status, answer.headers ?? {}).end(answer.body ?? '');
      return;
    }
    const said = ({ id }: RpcCall) => ({
      jsonrpc: '2.0',
      id,
      ...(answer.kind === 'result'
        ? { result: answer.result }
        : {
            error: { code: answer.code, message: answer.message ?? 'told to', data: answer.data },
          }),
    });
    const [first] = calls;
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify(batch || first === undefined ? calls.map(said) : said(first)));
  };

  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    response.on('close', () => {
      if (!response.writableEnded) left.set(path, (left.get(path) ?? 0) + 1);
    });
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(parts).toString('utf8')) as RpcCall | RpcCall[];
      const one: RpcAsked = {
        path,
        batch: Array.isArray(body),
        calls: Array.isArray(body) ? body : [body],
        at: performance.now(),
      };
      const times = of(path).length;
      asked.push(one);
      const answer = deciders.get(path)?.(times) ?? { kind: 'result', result: '0x10' };
      if (answer.kind === 'forward') void forward(response, answer.to, body);
      else reply(response, one, answer);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    of,
    answers(path, decide) {
      deciders.set(path, decide);
    },
    abandoned: (path) => left.get(path) ?? 0,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
      });
    },
  };
}
