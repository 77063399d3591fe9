/**
 * The operator's access to a running server: a socket in a folder that only the server's user can
 * open.
 */
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { Refusal } from '../../contract/errors.ts';
import { HaltScope } from '../../contract/halts.ts';
import type { WallClock } from '../clock.ts';
import type { Database } from '../db/database.ts';
import { liftSwitch, listSwitches, throwSwitch } from '../agents/trading-halts.ts';
import type { Log } from '../log.ts';
import { answerRequest, closeRequest, requestsForOperator } from './requests.ts';

export const operatorSocket = (dataDir: string): string => join(dataDir, 'operator.sock');

/**
 * What the command asks; the same whether a server runs or the command opens the database itself.
 */
export const OperatorAsk = z.discriminatedUnion('act', [
  z.object({ act: z.literal('list'), all: z.boolean() }),
  z.object({ act: z.literal('answer'), id: z.string(), text: z.string() }),
  z.object({ act: z.literal('close'), id: z.string() }),
  z.object({ act: z.literal('halts'), all: z.boolean() }),
  z.object({
    act: z.literal('halt'),
    scope: HaltScope,
    target: z.string(),
    reason: z.string(),
    until: z.nullable(z.number()),
    by: z.string(),
  }),
  z.object({
    act: z.literal('lift'),
    scope: HaltScope,
    target: z.string(),
    reason: z.string(),
    by: z.string(),
  }),
]);
export type OperatorAsk = z.infer<typeof OperatorAsk>;

/** Answers the requests, or the switches, as they are after the act. */
export async function operate(
  database: Database,
  clock: WallClock,
  ask: OperatorAsk,
): Promise<unknown> {
  if (ask.act === 'halts') return listSwitches(database.db, ask.all, clock.now());
  if (ask.act === 'halt' || ask.act === 'lift') {
    return database.transaction(async (tx) => [
      ask.act === 'halt'
        ? await throwSwitch(tx, ask, clock.now())
        : await liftSwitch(tx, ask, clock.now()),
    ]);
  }
  if (ask.act === 'list') return requestsForOperator(database.db, ask.all);
  await database.transaction((tx) =>
    ask.act === 'answer'
      ? answerRequest(tx, ask.id, ask.text, clock.now())
      : closeRequest(tx, ask.id, clock.now()),
  );
  return requestsForOperator(database.db, true);
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  // Put together first: a letter of several bytes may come in two pieces.
  return JSON.parse(Buffer.concat(pieces).toString('utf8'));
}

/**
 * Opens it, and says in the log where that is not possible: the product does not need it. Returns
 * the close.
 */
export async function openOperatorSocket(
  dataDir: string,
  database: Database,
  clock: WallClock,
  log: Log,
): Promise<() => Promise<void>> {
  const path = operatorSocket(dataDir);
  const server: Server = createServer((request, response) => {
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    bodyOf(request)
      .then((body) => operate(database, clock, OperatorAsk.parse(body)))
      .then(
        (reply) => {
          send(200, { reply });
        },
        (error: unknown) => {
          send(error instanceof Refusal ? error.status : 500, {
            error: error instanceof Error ? error.message : String(error),
          });
        },
      );
  });
  // Left behind by a server that was killed: the folder's lock says that no other one runs.
  rmSync(path, { force: true });
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
    chmodSync(path, 0o600);
  } catch (error) {
    log.warn(
      { reason: String(error) },
      'the operator socket could not be opened; stop the server to answer support or to set trading halts',
    );
    return () => Promise.resolve();
  }
  return () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => {
        resolve();
      });
    });
}
