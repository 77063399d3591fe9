/**
 * Sends an operator's command to the running server's socket, or runs it on the database where no
 * server runs.
 */
import { request } from 'node:http';
import { existsSync } from 'node:fs';
import { systemClock } from '../server/clock.ts';
import { FolderInUse } from '../server/db/folder-lock.ts';
import { operate, operatorSocket, type OperatorAsk } from '../server/support/operator-socket.ts';
import { dataSettings, openDataPlace } from './data-place.ts';

/** Through the running server's socket; null where none answers. */
function overSocket(path: string, ask: OperatorAsk): Promise<unknown> {
  return new Promise((done, fail) => {
    const call = request({ socketPath: path, method: 'POST', path: '/' }, (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (piece: string) => {
          text += piece;
        })
        .on('end', () => {
          const { reply, error } = JSON.parse(text) as { reply?: unknown; error?: string };
          if (reply === undefined) fail(new Error(error ?? 'The server sent no reply'));
          else done(reply);
        });
    });
    call.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') done(null);
      else fail(error);
    });
    call.end(JSON.stringify(ask));
  });
}

async function directly(ask: OperatorAsk): Promise<unknown> {
  try {
    const place = await openDataPlace();
    try {
      return await operate(place.database, systemClock, ask);
    } finally {
      await place.close();
    }
  } catch (error) {
    // It has no socket, so it does not know the command.
    if (error instanceof FolderInUse)
      throw new Error(
        `${error.message} The server is an older version without this command. Restart it.`,
        { cause: error },
      );
    throw error;
  }
}

export async function askOperator(what: OperatorAsk): Promise<unknown> {
  const socket = operatorSocket(dataSettings().dataDir);
  return (existsSync(socket) ? await overSocket(socket, what) : null) ?? directly(what);
}

export const moment = (ms: number): string =>
  new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
// oxlint-disable-next-line no-control-regex -- control characters are what is removed
const CONTROL_CHARACTERS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g;
/** Whatever a person wrote must not command the terminal it is read in. */
export const plain = (text: string): string => text.replace(CONTROL_CHARACTERS, ' ');

/** Writes what a command answers; what went wrong as one sentence, with exit code 1. */
export function printAnswer(answer: Promise<string>): void {
  answer.then(
    (text) => {
      process.stdout.write(`${text}\n`);
    },
    (error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      process.stderr.write(`${why}\n`);
      process.exitCode = 1;
    },
  );
}
