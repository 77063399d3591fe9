/** A key that is removed is off the disk, whatever came in between, and signs nothing any more. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sealKey } from '../../server/live/seal-key.ts';
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
  it('is off the disk where an older signer kept it and did not write it down', async () => {
    const one = await openWorld();
    const { connectionId, ownerId, exchange, key, store } = one;
    const own = { connectionId, ownerId, exchange };
    store.keys.keep(await sealKey(key, own, store.box.current), own);
    const keys = (): string[] => readdirSync(join(one.folder, 'keys'));
    expect(keys()).toHaveLength(1);
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
