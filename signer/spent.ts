/**
 * What was used of each allowance, one small file each: a signer that starts again goes on from
 * there. Nothing is synced: this has to outlive the process, and is used up long before a machine
 * is up again.
 */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isWritten } from './disk.ts';
import { filesOf, openFolder } from './folder.ts';

/** Whatever was used so long ago has been given back. */
const KEEP_MS = 24 * 60 * 60_000;

const ENDING = '.txt';

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
  constructor(private readonly folder: string) {
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
       * A file that a full disk left empty cannot be read, and counts as used up: no sale waits for it.
       * The reserve is for those.
       */
      note: ({ level, atMs }) => {
        isWritten(() => {
          writeFileSync(path, `${level} ${atMs}\n`, { mode: 0o600 });
        });
      },
    };
  }

  private path(scope: string): string {
    return join(this.folder, `${scope}${ENDING}`);
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
  const [, level = '', atMs = ''] = /^(-?[\d.e+-]+) ([\d.e+-]+)\n$/.exec(text) ?? [];
  const last = { level: Number(level), atMs: Number(atMs) };
  const isWhole = level !== '' && Number.isFinite(last.level) && Number.isFinite(last.atMs);
  return isWhole ? last : 'unreadable';
}
