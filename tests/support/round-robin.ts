/**
 * A proxy in front of several servers, in turn: it passes on what a server that is there says, and
 * breaks off where one dies.
 */
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';

export interface RoundRobin {
  readonly url: string;
  /** Requests that each server was given, by its place. */
  readonly given: readonly number[];
  close(): Promise<void>;
}

/**
 * As a proxy in production does: the client's address is added, an answer is passed on as it comes,
 * and a request that no server took in is given to the next. One that a server took in is not given
 * to another.
 */
export async function startRoundRobin(ports: readonly number[]): Promise<RoundRobin> {
  const given = ports.map(() => 0);
  let turn = 0;

  const pass = (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    body: Buffer,
    tries: number,
  ): void => {
    const place = turn % ports.length;
    turn += 1;
    const onward = request(
      {
        host: '127.0.0.1',
        port: ports[place],
        method: incoming.method,
        path: incoming.url,
        headers: {
          ...incoming.headers,
          'x-forwarded-for': incoming.socket.remoteAddress,
          'content-length': String(body.length),
        },
        agent: false,
      },
      (answer) => {
        given[place] = (given[place] ?? 0) + 1;
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
        answer.on('error', () => {
          outgoing.destroy();
        });
        answer.on('aborted', () => {
          outgoing.destroy();
        });
      },
    );
    onward.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' && tries < ports.length)
        pass(incoming, outgoing, body, tries + 1);
      else outgoing.destroy();
    });
    outgoing.on('close', () => {
      onward.destroy();
    });
    onward.end(body);
  };

  const server = createServer((incoming, outgoing) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      pass(incoming, outgoing, Buffer.concat(parts), 1);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    given,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
