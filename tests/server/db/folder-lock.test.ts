/** One owner per data folder. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FolderInUse, LOCK_FILE, lockFolder } from '../../../server/db/folder-lock.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tradewind-lock-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const lockPath = () => join(folder, LOCK_FILE);

describe('the lock of the data folder', () => {
  it('refuses a second owner while the first lives, and names it', () => {
    const release = lockFolder(folder);
    expect(() => lockFolder(folder)).toThrowError(FolderInUse);
    expect(() => lockFolder(folder)).toThrowError(new RegExp(`process ${process.pid}.*DATA_DIR`));
    release();
    lockFolder(folder)();
    expect(existsSync(lockPath())).toBe(false);
  });

  it('takes over from an owner that was killed', () => {
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    writeFileSync(lockPath(), JSON.stringify({ pid: dead, bornAt: '1', id: 'old' }));
    const release = lockFolder(folder);
    expect((JSON.parse(readFileSync(lockPath(), 'utf8')) as { pid: number }).pid).toBe(process.pid);
    release();
  });

  it('is not fooled by a pid that was given to another process since', () => {
    writeFileSync(
      lockPath(),
      JSON.stringify({ pid: process.pid, bornAt: '1', id: 'another life' }),
    );
    lockFolder(folder)();
  });

  it('takes over a lock file that says nothing', () => {
    writeFileSync(lockPath(), '');
    lockFolder(folder)();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('releases only its own lock', () => {
    const release = lockFolder(folder);
    const other = JSON.stringify({ pid: process.pid, bornAt: null, id: 'other' });
    writeFileSync(lockPath(), other);
    release();
    expect(readFileSync(lockPath(), 'utf8')).toBe(other);
  });
});
