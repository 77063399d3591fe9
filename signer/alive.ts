/**
 * A socket in the signer's folder that is there to be answered. A process id says nothing of a
 * signer in another container; a socket on the same volume does.
 */
import { chmodSync, renameSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

/** No longer than the name of the server's socket: the system limits the length of the path. */
const ALIVE = 'alive.sock';
/** By which a signer answers that is older than `ALIVE`, or that the server reaches by it. */
const ANSWERING = [ALIVE, 'signer.sock'];
/** A longer path is cut short by the system, and lies elsewhere. */
const PATH_BYTES_MAX = process.platform === 'linux' ? 107 : 103;

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';

const fits = (path: string): boolean => Buffer.byteLength(path) <= PATH_BYTES_MAX;

/** Whether a process listens there. */
export function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    if (!fits(path)) {
      resolve(false);
      return;
    }
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

/** Whether a signer that has taken this folder answers. */
export async function holderAnswers(folder: string): Promise<boolean> {
  for (const name of ANSWERING) if (await answers(join(folder, name))) return true;
  return false;
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
  return server;
}

export interface AliveSocket {
  /** Under the name by which the holder of the folder is found, in place of a dead one's. */
  rise: () => void;
  fallSilent: () => void;
}

/**
 * Answers under this name. It is there only when it answers: between its binding and its listening a
 * socket looks like one whose process is gone.
 * @throws Error where the folder takes no socket.
 */
export async function answerAs(folder: string, name: string): Promise<AliveSocket> {
  const waiting = join(folder, `${name.split('.', 1)[0]}.wait`);
  let path = join(folder, name);
  if (!fits(join(folder, 'signer.sock'))) throw new Error('the path is too long for a socket');
  const server = await listen(waiting);
  try {
    chmodSync(waiting, 0o600);
    renameSync(waiting, path);
  } catch (error) {
    server.close();
    throw error;
  }
  return {
    rise: () => {
      const risen = join(folder, ALIVE);
      renameSync(path, risen);
      path = risen;
    },
    fallSilent: () => {
      // While it answers: afterwards the name may be another signer's.
      rmSync(path, { force: true });
      server.close();
    },
  };
}
