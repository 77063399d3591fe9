/** How much of an allowance is used is not lost where it cannot be written down anew. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SpentStore } from '../../signer/spent.ts';
import { makeDisk } from '../support/signer/small-disk.ts';

describe('what was used of an allowance', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'spent-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const lastOf = () => new SpentStore(folder).record('kraken.key').last;

  it('stays where a full disk takes nothing (F87)', () => {
    const disk = makeDisk();
    const record = new SpentStore(folder, disk).record('kraken.key');
    record.note({ level: 12.12345678901234, atMs: 1_700_000_000_123 });
    disk.room = 0;
    record.note({ level: 13, atMs: 1_700_000_001_000 });
    expect(lastOf()).toEqual({ level: 12.12345678901234, atMs: 1_700_000_000_123 });
    disk.room = null;
    record.note({ level: 3.5, atMs: 1_700_000_002_000 });
    expect(lastOf()).toEqual({ level: 3.5, atMs: 1_700_000_002_000 });
  });

  it('needs no room of the disk once it is there', () => {
    const record = new SpentStore(folder).record('kraken.key');
    record.note({ level: 1, atMs: 1 });
    const path = join(folder, 'kraken.key.txt');
    const { ino, size } = statSync(path);
    for (const level of [0.1 + 0.2, -1e-9, 123_456.789]) {
      record.note({ level, atMs: 1_700_000_000_000.5 });
      expect(lastOf()).toEqual({ level, atMs: 1_700_000_000_000.5 });
      expect(statSync(path)).toMatchObject({ ino, size });
    }
  });

  it('is read as a signer that is older wrote it, and is written over', () => {
    writeFileSync(join(folder, 'kraken.key.txt'), '7.25 1700000000000\n');
    expect(lastOf()).toEqual({ level: 7.25, atMs: 1_700_000_000_000 });
    new SpentStore(folder).record('kraken.key').note({ level: 1, atMs: 2 });
    expect(lastOf()).toEqual({ level: 1, atMs: 2 });
  });
});
