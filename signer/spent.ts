/**
 * What was used of each allowance, one small file each: a signer that starts again goes on from
 * there. Nothing is synced: this has to outlive the process, and is used up long before a machine
 * is up again.
 */
import { closeSync, constants, openSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DISK, isWritten, writeAll, type Disk } from './disk.ts';
import { filesOf, openFolder } from './folder.ts';

/** Whatever was used so long ago has been given back. */
const KEEP_MS = 24 * 60 * 60_000;

const ENDING = '.txt';
/** Of every file, whatever the numbers: one is written over the other. */
const BYTES = 64;

/** How full an allowance was, and when. */
export interface Level {
  level: number;
  atMs: number;
}

/** Where the level of one allowance outlives the process. */
export interface SpentRecord {
  /** Null where nothing was ever used of it; `unreadable` where that cannot be told. */
  last: Level | 'unreadable' | null;
  note(now: Level): void;
}

export class SpentStore {
  constructor(
    private readonly folder: string,
    private readonly disk: Pick<Disk, 'write'> = DISK,
  ) {
    openFolder(folder);
    for (const scope of filesOf(folder, ENDING))
      if (Date.now() - statSync(this.path(scope)).mtimeMs > KEEP_MS) rmSync(this.path(scope));
  }

  /** `scope`: names one allowance; a part of a file's name. */
  record(scope: string): SpentRecord {
    const path = this.path(scope);
    return {
      last: lastOf(path),
      /**
       * Where a full disk does not take it, what was there stays; a file that it left empty when it was
       * made cannot be read, and counts as used up. No sale waits for it. The reserve is for those.
       */
      note: ({ level, atMs }) => {
        isWritten(() => {
          write(path, `${`${level} ${atMs}`.padEnd(BYTES - 1)}\n`, this.disk);
        });
      },
    };
  }

  private path(scope: string): string {
    return join(this.folder, `${scope}${ENDING}`);
  }
}

/** In place: a file that is cut off before it is written would be empty on a full disk. */
function write(path: string, text: string, disk: Pick<Disk, 'write'>): void {
  const handle = openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  try {
    writeAll(handle, Buffer.from(text), { ...DISK, ...disk });
  } finally {
    closeSync(handle);
  }
}

function lastOf(path: string): SpentRecord['last'] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : 'unreadable';
  }
  // A line that was cut short could read as another number.
  const [, level = '', atMs = ''] = /^(-?[\d.e+-]+) ([\d.e+-]+) *\n$/.exec(text) ?? [];
  const last = { level: Number(level), atMs: Number(atMs) };
  const isWhole = level !== '' && Number.isFinite(last.level) && Number.isFinite(last.atMs);
  return isWhole ? last : 'unreadable';
}
