/** One owner per data folder: a lock file with the owner's pid and start time. */
import { randomUUID } from 'node:crypto';
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

export const LOCK_FILE = 'server.lock';
/** The process exits with this when another server owns the data folder. */
export const FOLDER_IN_USE_EXIT = 3;

export class FolderInUse extends Error {
  override readonly name = 'FolderInUse';
  constructor(
    readonly folder: string,
    readonly pid: number,
  ) {
    super(
      `Another Tradewind server (process ${pid}) is using the data folder ${folder}. Stop it, or set DATA_DIR to another folder.`,
    );
  }
}

interface Owner {
  pid: number;
  bornAt: string | null;
  id: string;
}

/**
 * When a process was started, where the system tells; a pid alone may have been given to somebody
 * else since.
 */
function bornAt(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function isAlive(owner: Owner): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const born = bornAt(owner.pid);
  return owner.bornAt === null || born === null || born === owner.bornAt;
}

function readOwner(path: string): Owner | null {
  try {
    const value = JSON.parse(readFileSync(path, 'utf8')) as Partial<Owner>;
    return typeof value.pid === 'number' && typeof value.id === 'string'
      ? { pid: value.pid, bornAt: value.bornAt ?? null, id: value.id }
      : null;
  } catch {
    return null;
  }
}

/** Puts a dead owner's file aside; a file that turns out to be somebody's newer one is put back. */
function clearStale(path: string, stale: Owner | null): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  const moved = readOwner(aside);
  if (moved !== null && moved.id !== stale?.id && isAlive(moved)) {
    try {
      linkSync(aside, path);
    } catch {
      /* a third server was faster: it owns the folder, and the next look says so */
    }
  }
  unlinkSync(aside);
}

/** Takes the folder or throws FolderInUse. Returns the release, which is safe to call twice. */
export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, LOCK_FILE);
  const mine: Owner = { pid: process.pid, bornAt: bornAt(process.pid), id: randomUUID() };
  const draft = `${path}.${mine.id}`;
  // Written in full before it gets its name, so that nobody ever reads half an owner.
  writeFileSync(draft, JSON.stringify(mine), { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < 10; attempt += 1) {
      try {
        linkSync(draft, path);
        return () => {
          if (readOwner(path)?.id === mine.id) rmSync(path, { force: true });
        };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const owner = readOwner(path);
      if (owner !== null && isAlive(owner)) throw new FolderInUse(folder, owner.pid);
      clearStale(path, owner);
    }
    throw new Error(`The lock of ${folder} could not be taken`);
  } finally {
    rmSync(draft, { force: true });
  }
}
