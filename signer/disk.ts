/** How bytes get on the disk: all of them, or an error. A full disk takes a part without a word. */
import { fdatasyncSync, ftruncateSync, writeSync } from 'node:fs';

/** What a write needs of the system; tests give one that fills up. */
export interface Disk {
  /** How many of the bytes were taken. */
  write(handle: number, bytes: Uint8Array): number;
  truncate(handle: number, length: number): void;
  sync(handle: number): void;
}

export const DISK: Disk = {
  write: (handle, bytes) => writeSync(handle, bytes),
  truncate: ftruncateSync,
  sync: fdatasyncSync,
};

/** @throws Error of the system when not all of it could be written. */
export function writeAll(handle: number, bytes: Uint8Array, disk: Disk): void {
  let left = bytes;
  while (left.byteLength > 0) {
    const taken = disk.write(handle, left);
    // It would be asked for ever.
    if (taken === 0) throw new Error('the disk takes nothing');
    left = left.subarray(taken);
  }
}

/** The disk, or what this user may have of it, is full. */
export const isFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');

/** False where the disk is full: then what was to follow is not done. */
export function isWritten(write: () => void): boolean {
  try {
    write();
    return true;
  } catch (error) {
    if (!isFull(error)) throw error;
    return false;
  }
}
