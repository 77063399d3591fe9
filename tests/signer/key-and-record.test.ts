/** A key that is connected and the record of it are kept together, or neither is. */
import { copyFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sealKey } from '../../server/live/seal-key.ts';
import { Desk } from '../../signer/desk.ts';
import { Journal } from '../../signer/journal.ts';
import { openLog } from '../../signer/log.ts';
import { Secrets } from '../../signer/secrets.ts';
import { openDeskWorld, type DeskWorld } from '../support/signer/desk-world.ts';
import { KRAKEN_KEY, krakenAnswers } from '../support/signer/kraken-answers.ts';
import { makeDisk } from '../support/signer/small-disk.ts';

let world: DeskWorld | null = null;
afterEach(async () => {
  await world?.remove();
  world = null;
});

const open = (more: object = {}): Promise<DeskWorld> =>
  openDeskWorld({
    key: KRAKEN_KEY,
    answers: (clock) => krakenAnswers({}, () => clock.now()),
    ...more,
  });

const journalOf = ({ folder }: DeskWorld): string => join(folder, 'journal.jsonl');
const keyOf = ({ folder }: DeskWorld): string => join(folder, 'keys', 'connection-1.json');

describe('a key that is connected on a disk that takes the key and no record', () => {
  it.each([true, false])('leaves all as it was; one was connected before: %s', async (isBefore) => {
    const one = await open();
    world = one;
    if (isBefore) await one.connect();
    const journalPath = journalOf(one);
    const disk = makeDisk();
    const journal = new Journal(journalPath, { disk });
    const secrets = new Secrets();
    const desk = new Desk({
      ...one.store,
      journal,
      secrets,
      log: openLog(secrets, () => undefined),
      clock: one.clock,
      origins: { kraken: one.server.origin },
      passkeys: { rpId: '', origins: [] },
    });
    const { connectionId, ownerId, exchange } = one;
    const own = { connectionId, ownerId, exchange };
    const connect = async () =>
      desk.answer({
        act: 'connect',
        ...own,
        accountId: 'account-1',
        sealedKey: await sealKey(KRAKEN_KEY, own, one.store.box.current),
        limits: null,
        stepUpKeys: [],
      });
    const files = () =>
      readdirSync(join(one.folder, 'keys')).map((name) => [
        name,
        readFileSync(join(one.folder, 'keys', name), 'utf8'),
      ]);
    const before = files();
    disk.room = 20;
    expect(await connect()).toMatchObject({ kind: 'refused', code: 'disk_full' });
    expect(files()).toEqual(before);
    expect(one.store.keys.has('connection-1')).toBe(isBefore);
    disk.room = null;
    expect(await connect()).toMatchObject({ kind: 'read' });
    expect(files()).not.toEqual(before);
    journal.close();
  });
});

describe('a signer that ends while it keeps a second key', () => {
  /** Two keys of a connection, and what stood in the journal before the second. */
  async function replaced() {
    const one = await open();
    await one.connect();
    const [first, records] = [readFileSync(keyOf(one), 'utf8'), readFileSync(journalOf(one))];
    await one.connect();
    const second = readFileSync(keyOf(one), 'utf8');
    copyFileSync(keyOf(one), `${keyOf(one)}.next`);
    writeFileSync(keyOf(one), first);
    await one.close();
    return { one, first, second, records };
  }

  it('after its record was written has the second one when it starts again', async () => {
    const { one, second } = await replaced();
    world = await open({ folder: one.folder, clock: one.clock });
    expect(readFileSync(keyOf(one), 'utf8')).toBe(second);
    expect(readdirSync(join(one.folder, 'keys'))).toEqual(['connection-1.json']);
    expect(
      await world.desk.answer({ act: 'balances', connectionId: 'connection-1' }),
    ).toMatchObject({ kind: 'read' });
  });

  it('before that has the first one', async () => {
    const { one, first, records } = await replaced();
    writeFileSync(journalOf(one), records);
    world = await open({ folder: one.folder, clock: one.clock });
    expect(readFileSync(keyOf(one), 'utf8')).toBe(first);
    expect(readdirSync(join(one.folder, 'keys'))).toEqual(['connection-1.json']);
  });

  it('and has only a part of it on disk has the first one', async () => {
    const { one, first, second } = await replaced();
    writeFileSync(`${keyOf(one)}.next`, second.slice(0, 40));
    world = await open({ folder: one.folder, clock: one.clock });
    expect(readFileSync(keyOf(one), 'utf8')).toBe(first);
    expect(readdirSync(join(one.folder, 'keys'))).toEqual(['connection-1.json']);
  });
});
