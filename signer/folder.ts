/** Files of the signer: written whole and on disk before anything goes on, for its user only. */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { answerIn } from './alive.ts';
import { DISK, isFull, writeAll, type Disk } from './disk.ts';

export function openFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** A rename or removal is on disk when its folder is. */
function syncFolder(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/**
 * The old file or the new one, never half of it.
 * @throws Error when the new one is not on disk. Nothing is left of it then.
 */
export function writeWhole(path: string, text: string, disk: Disk = DISK): void {
  const next = `${path}.next`;
  const handle = openSync(next, 'w', 0o600);
  try {
    writeAll(handle, Buffer.from(text), disk);
    fsyncSync(handle);
  } catch (error) {
    rmSync(next, { force: true });
    throw error;
  } finally {
    closeSync(handle);
  }
  renameSync(next, path);
  syncFolder(dirname(path));
}

export function removeFile(path: string): void {
  rmSync(path, { force: true });
  syncFolder(dirname(path));
}

/** Names of the files with this ending, without it, in order. */
export const filesOf = (folder: string, ending: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .sort();

const held = new Set<string>();

/**
 * One process a folder. A lock left by a process that is gone is taken over.
 * @throws Error when another signer runs.
 */
export async function lockFolder(
  folder: string,
  /** Makes room on a full disk; false where there is none. */
  makeRoom: () => boolean = () => false,
): Promise<() => void> {
  const path = join(folder, 'signer.lock');
  if (held.has(path)) throw new Error('Another signer uses this folder');
  held.add(path);
  try {
    const { isAnswering, fallSilent } = await answerIn(folder);
    try {
      takeLock(path, isAnswering, makeRoom);
    } catch (error) {
      fallSilent();
      throw error;
    }
    return () => {
      fallSilent();
      held.delete(path);
      rmSync(path, { force: true });
    };
  } catch (error) {
    held.delete(path);
    throw error;
  }
}

/**
 * Ends the lock of a signer that answers on a socket. One that is older wrote the number alone, and
 * reads it with this.
 */
const ANSWERS = '\n';

function takeLock(path: string, isAnswering: boolean, makeRoom: () => boolean): void {
  const text = `${process.pid}${isAnswering ? ANSWERS : ''}`;
  const take = (): boolean => {
    try {
      const handle = openSync(path, 'wx', 0o600);
      // A lock that names nobody would be taken over.
      try {
        writeAll(handle, Buffer.from(text), DISK);
      } catch (error) {
        rmSync(path, { force: true });
        throw error;
      } finally {
        closeSync(handle);
      }
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      if (isFull(error) && makeRoom()) return take();
      throw error;
    }
  };
  if (take()) return;
  // Whoever wrote it would have answered. Its number may be that of another process by now.
  const isSilent = isAnswering && readText(path).endsWith(ANSWERS);
  if (!isSilent && isAlive(path)) throw new Error('Another signer uses this folder');
  rmSync(path, { force: true });
  if (!take()) throw new Error('Another signer uses this folder');
}

function isAlive(path: string): boolean {
  const pid = Number(readText(path));
  if (!Number.isInteger(pid) || pid <= 0) return false;
  // Ours: of a process before us that had the same number, as the first in a container has.
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return /signer/.test(readText(`/proc/${pid}/cmdline`) || 'signer');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
