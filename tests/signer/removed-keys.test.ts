/** A key that is removed is off the disk, whatever came in between, and signs nothing any more. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openDeskWorld } from '../support/signer/desk-world.ts';
import { KRAKEN_KEY, krakenAnswers } from '../support/signer/kraken-answers.ts';

let world: Awaited<ReturnType<typeof openDeskWorld>> | null = null;
afterEach(async () => {
  await world?.remove();
  world = null;
});

async function openWorld() {
  world = await openDeskWorld({
    key: KRAKEN_KEY,
    answers: (clock) => krakenAnswers({}, () => clock.now()),
  });
  return world;
}

describe('a key that is removed', () => {
  it('is off the disk where its connecting broke off before it was written down', async () => {
    const one = await openWorld();
    const { journal } = one.store;
    const write = journal.write.bind(journal);
    journal.write = (record) => {
      if (record.kind === 'connected') throw new Error('no space left on device');
      write(record);
    };
    await expect(one.connect()).rejects.toThrow('no space');
    journal.write = write;
    const keys = (): string[] => readdirSync(join(one.folder, 'keys'));
    expect(keys()).toHaveLength(1);
    const { connectionId } = one;
    expect(await one.desk.answer({ act: 'disconnect', connectionId })).toMatchObject({
      code: 'no_connection',
    });
    expect(keys()).toEqual([]);
  });

  it('is not called removed while its file cannot be', async () => {
    const one = await openWorld();
    expect(await one.connect()).toMatchObject({ kind: 'read' });
    const { connectionId } = one;
    const path = join(one.folder, 'keys', `${connectionId}.json`);
    rmSync(path);
    // Stands for a file that the disk does not let go.
    mkdirSync(path);
    await expect(one.desk.answer({ act: 'disconnect', connectionId })).rejects.toThrow();
    await expect(one.desk.answer({ act: 'disconnect', connectionId })).rejects.toThrow();
    rmSync(path, { recursive: true });
    expect(await one.desk.answer({ act: 'disconnect', connectionId })).toEqual({ kind: 'done' });
  });
});
