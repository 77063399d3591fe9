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
import { dirname } from 'node:path';
import { DISK, writeAll, type Disk } from './disk.ts';

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

const nextOf = (path: string): string => `${path}.next`;

/**
 * The old file or the new one, never half of it.
 * @throws Error when the new one is not on disk. Nothing is left of it then.
 */
export function writeWhole(path: string, text: string, disk: Disk = DISK): void {
  stage(path, text, disk);
  putStaged(path);
}

/**
 * On disk beside the file, which takes no more room when it takes its place.
 * @throws Error when it is not on disk. Nothing is left of it then.
 */
export function stage(path: string, text: string, disk: Disk = DISK): void {
  const next = nextOf(path);
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
}

export function putStaged(path: string): void {
  renameSync(nextOf(path), path);
  syncFolder(dirname(path));
}

export function dropStaged(path: string): void {
  removeFile(nextOf(path));
}

/** What a crash left beside this file; null where that is nothing. */
export function readStaged(path: string): string | null {
  try {
    return readFileSync(nextOf(path), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
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
