/** A disk that is full takes half a line: nothing acts on it, and the signer starts again. */
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { Desk } from '../../signer/desk.ts';
import { DISK } from '../../signer/disk.ts';
import { writeWhole } from '../../signer/folder.ts';
import { Journal } from '../../signer/journal.ts';
import { LineFile } from '../../signer/line-file.ts';
import { openLog } from '../../signer/log.ts';
import { Secrets } from '../../signer/secrets.ts';
import { full, makeDisk } from '../support/signer/small-disk.ts';
import { openDeskWorld } from '../support/signer/desk-world.ts';
import { KRAKEN_KEY, krakenAnswers } from '../support/signer/kraken-answers.ts';

const folder = mkdtempSync(join(tmpdir(), 'full-disk-'));
afterEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const ignore = (): void => undefined;
function linesOf(path: string): unknown[] {
  const lines: unknown[] = [];
  LineFile.open(path, (line) => lines.push(line)).close();
  return lines;
}

describe('a line of which the disk takes a part', () => {
  it('at a time is written whole (F87)', () => {
    const path = join(folder, 'lines.jsonl');
    const file = LineFile.open(path, ignore, {
      disk: {
        ...DISK,
        write: (handle, bytes) => writeSync(handle, bytes.subarray(0, 3)),
      },
    });
    file.append({ text: 'mäßig lang' });
    file.append(2);
    file.close();
    expect(linesOf(path)).toEqual([{ text: 'mäßig lang' }, 2]);
  });

  it('and no more is taken back, and later lines stand behind whole ones (F87)', () => {
    const path = join(folder, 'lines.jsonl');
    const disk = makeDisk();
    const file = LineFile.open(path, ignore, { disk });
    file.append({ n: 1 });
    for (const room of [0, 1, 7]) {
      disk.room = room;
      expect(() => {
        file.append({ n: 'lost' });
      }).toThrow('no space');
    }
    disk.room = null;
    file.append({ n: 2 });
    file.close();
    expect(linesOf(path)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('that cannot be taken back is the last one (F87)', () => {
    const path = join(folder, 'lines.jsonl');
    const disk = makeDisk();
    const file = LineFile.open(path, ignore, { disk });
    file.append({ n: 1 });
    Object.assign(disk, { room: 4, canShrink: false });
    expect(() => {
      file.append({ n: 'lost' });
    }).toThrow('no space');
    Object.assign(disk, { room: null, canShrink: true });
    expect(() => {
      file.append({ n: 2 });
    }).toThrow('half a line');
    file.close();
    const again = LineFile.open(path, ignore);
    again.append({ n: 3 });
    again.close();
    expect(linesOf(path)).toEqual([{ n: 1 }, { n: 3 }]);
  });

  it('that could not be synced is taken back (F87)', () => {
    const path = join(folder, 'lines.jsonl');
    let fails = true;
    const file = LineFile.open(path, ignore, {
      disk: {
        ...DISK,
        sync: (handle) => {
          if (fails) {
            fails = false;
            throw full();
          }
          DISK.sync(handle);
        },
      },
    });
    expect(() => {
      file.append({ n: 'lost' });
    }).toThrow('no space');
    file.append({ n: 1 });
    file.close();
    expect(linesOf(path)).toEqual([{ n: 1 }]);
  });
});

describe('an order whose intent the disk does not take', () => {
  it('does not leave, and the signer starts again (F87)', async () => {
    const world = await openDeskWorld({
      key: KRAKEN_KEY,
      answers: (clock) => krakenAnswers({}, () => clock.now()),
    });
    await world.connect();
    world.store.journal.close();
    const disk = makeDisk();
    const path = join(world.folder, 'journal.jsonl');
    const journal = new Journal(path, { disk });
    const secrets = new Secrets();
    const desk = new Desk({
      ...world.store,
      journal,
      secrets,
      log: openLog(secrets, () => undefined),
      clock: world.clock,
      origins: { kraken: world.server.origin },
      passkeys: { rpId: '', origins: [] },
    });
    const place = () => desk.answer({ act: 'place', intent: world.intent() });
    // The day's beginning is written down with the first purchase.
    expect(await place()).toMatchObject({ kind: 'confirmed' });
    const before = readFileSync(path, 'utf8');
    disk.room = 100;
    expect(await place()).toMatchObject({ kind: 'refused', code: 'disk_full' });
    expect(world.sent()).toHaveLength(1);
    expect(readFileSync(path, 'utf8')).toBe(before);
    disk.room = null;
    expect(await place()).toMatchObject({ kind: 'confirmed' });
    expect(world.sent()).toHaveLength(2);
    const again = new Journal(path);
    expect(again.ledger.connections.get('connection-1')?.orders.size).toBe(2);
    again.close();
    journal.close();
    world.store.audit.close();
    await world.server.close();
    rmSync(world.folder, { recursive: true, force: true });
  });
});

describe('a file that is written whole', () => {
  const path = join(folder, 'key.json');

  it('is whole where the disk takes a part at a time (F87)', () => {
    writeWhole(path, '{"sealed":"ä"}', {
      ...DISK,
      write: (handle, bytes) => writeSync(handle, bytes.subarray(0, 2)),
    });
    expect(readFileSync(path, 'utf8')).toBe('{"sealed":"ä"}');
  });

  it('stays the old one where the disk is full (F87)', () => {
    writeWhole(path, 'old');
    const disk = makeDisk();
    disk.room = 2;
    expect(() => {
      writeWhole(path, 'newer', disk);
    }).toThrow('no space');
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(folder)).toEqual(['key.json']);
  });
});
