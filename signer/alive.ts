/**
 * A socket in the signer's folder that is there to be answered. A process id says nothing of a
 * signer in another container; a socket on the same volume does.
 */
import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

/** No longer than the name of the server's socket: the system limits the length of the path. */
const ALIVE = 'alive.sock';
/** By which a signer answers that is older than `ALIVE`, or that the server reaches by it. */
const ANSWERING = [ALIVE, 'signer.sock'];

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => {
      // Somebody is there, and has not come round to answer.
      resolve(codeOf(error) === 'EAGAIN');
    });
  });
}

/** @throws Error of the system. */
async function listen(path: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  server.unref();
  // A path that is too long was cut short: nobody would find it there.
  try {
    chmodSync(path, 0o600);
  } catch (error) {
    server.close();
    throw error;
  }
  return server;
}

/** A name that is taken, and by which nobody answers, was left behind by one that was killed. */
async function bind(path: string): Promise<Server> {
  try {
    return await listen(path);
  } catch (error) {
    if (codeOf(error) !== 'EADDRINUSE' || (await answers(path))) throw error;
    rmSync(path, { force: true });
    return listen(path);
  }
}

export interface Answering {
  /** False where the folder takes no socket: then nobody can be asked whether another signer runs. */
  isAnswering: boolean;
  fallSilent: () => void;
}

/**
 * Answers in this folder from now on, until it falls silent.
 * @throws Error where another signer answers.
 */
export async function answerIn(folder: string): Promise<Answering> {
  for (const name of ANSWERING)
    if (await answers(join(folder, name)))
      throw new Error(
        'Another signer answers in this folder, perhaps from another container: give each a folder of its own',
      );
  try {
    const server = await bind(join(folder, ALIVE));
    return {
      isAnswering: true,
      fallSilent: () => {
        server.close();
      },
    };
  } catch (error) {
    // Bound since it was looked for.
    if (codeOf(error) === 'EADDRINUSE') throw new Error('Another signer uses this folder');
    // Not every volume takes sockets; the lock with the process id is what there was before.
    return { isAnswering: false, fallSilent: () => undefined };
  }
}
