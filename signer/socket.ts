/**
 * Where the server reaches the signer: a Unix socket in a folder that only this user can open, or
 * TLS with certificates on both sides.
 */
import { chmodSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import * as z from 'zod/mini';
import { ASK_BYTES_MAX, FrameReader, frameOf, REPLY_BYTES_MAX } from '../contract/signer-frames.ts';
import { AskFrame, NOT_A_REQUEST, SIGNER_REPLIES, SignerAsk } from '../contract/signer.ts';
import { openFolder } from './folder.ts';
import type { Log } from './log.ts';

export type Listen =
  | { kind: 'unix'; path: string }
  /** The peer must show a certificate that `ca` signed. */
  | { kind: 'tls'; host: string; port: number; cert: string; key: string; ca: string };

type Answer = (ask: SignerAsk) => Promise<unknown>;

/** Each request is answered as it is done; a slow one holds up no other. */
function serve(socket: Socket, answer: Answer, log: Log, bytesMax: number): void {
  const reader = new FrameReader(ASK_BYTES_MAX);
  const reply = (id: number, rest: Record<string, unknown>): void => {
    if (socket.destroyed) return;
    const frame = frameOf({ id, ...rest });
    // The server would close the connection that everybody's requests are on.
    const isTooLong = frame.byteLength > bytesMax;
    if (isTooLong) log.warn({ id }, 'an answer is too long for the server');
    socket.write(isTooLong ? frameOf({ id, fault: 'too_long' }) : frame);
  };
  const handle = async (value: unknown): Promise<void> => {
    const frame = AskFrame.parse(value);
    const ask = z.safeDecode(SignerAsk, frame.ask as z.input<typeof SignerAsk>);
    if (!ask.success) {
      reply(frame.id, { fault: NOT_A_REQUEST });
      return;
    }
    try {
      const { act } = ask.data;
      const schema: z.ZodMiniType = SIGNER_REPLIES[act];
      reply(frame.id, { reply: z.encode(schema, await answer(ask.data)) });
    } catch (error) {
      // Its text may hold anything; its name is enough to find it.
      log.error(
        { act: ask.data.act, error: error instanceof Error ? error.name : 'unknown' },
        'a request failed',
      );
      reply(frame.id, { fault: 'failed' });
    }
  };
  socket.on('data', (piece: Buffer) => {
    try {
      for (const value of reader.take(piece))
        handle(value).catch(() => {
          socket.destroy();
        });
    } catch {
      // Too long, or no JSON: whoever sends this is not the server.
      log.warn({}, 'a message that cannot be read; the connection is closed');
      socket.destroy();
    }
  });
  socket.on('error', () => {
    socket.destroy();
  });
}

function bind(listen: Listen, onSocket: (socket: Socket) => void): Server {
  if (listen.kind === 'unix') return createServer(onSocket);
  return createTlsServer(
    {
      cert: readFileSync(listen.cert),
      key: readFileSync(listen.key),
      ca: readFileSync(listen.ca),
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: 'TLSv1.3',
    },
    onSocket,
  );
}

export async function openSocket(
  listen: Listen,
  answer: Answer,
  log: Log,
  replyBytesMax = REPLY_BYTES_MAX,
): Promise<{ port: number | null; close: () => Promise<void> }> {
  const open = new Set<Socket>();
  const server = bind(listen, (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    serve(socket, answer, log, replyBytesMax);
  });
  if (listen.kind === 'unix') {
    openFolder(dirname(listen.path));
    chmodSync(dirname(listen.path), 0o700);
    // Left behind by a signer that was killed: the folder's lock says that no other one runs.
    rmSync(listen.path, { force: true });
  }
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if (listen.kind === 'unix') server.listen(listen.path, resolve);
    else server.listen(listen.port, listen.host, resolve);
  });
  if (listen.kind === 'unix') chmodSync(listen.path, 0o600);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : null,
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  };
}
