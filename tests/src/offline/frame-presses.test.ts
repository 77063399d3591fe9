/** Stops pressed on a first frame, on their way into the queue. */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { beforeEach, describe, expect, it } from 'vitest';
import { PRESSES_KEY, type FramePress } from '../../../src/offline/frame-record.ts';
import { readPresses, withPresses } from '../../../src/offline/frame-presses.ts';
import { createOutbox } from '../../../src/offline/outbox.ts';
import { databaseStore, EMPTY_META } from '../../../src/offline/queue-store.ts';
import {
  openUserDatabase,
  StorageFault,
  type UserDatabase,
} from '../../../src/offline/user-database.ts';
import { newId, press, said, start, stop, T0 } from './samples.ts';

const onFrame = (agentId: string, change: Partial<FramePress> = {}): FramePress => ({
  commandId: newId(),
  agentId,
  agentName: agentId,
  seenGeneration: 1,
  pressedAt: T0,
  ...change,
});
const empty = { entries: [], meta: EMPTY_META };

describe('a press on a first frame', () => {
  it('becomes a command under the id it was given, as old as the press', () => {
    const pressed = onFrame('a', { pressedAt: T0 - 5_000 });
    const { entries } = withPresses(empty, [pressed], 'ada');
    expect(entries).toMatchObject([
      {
        commandId: pressed.commandId,
        uid: 'ada',
        intent: 'stop',
        agentId: 'a',
        seenGeneration: 1,
        createdAt: T0 - 5_000,
        state: 'saved',
        attempts: 0,
      },
    ]);
  });

  it('follows the rules of any stop: it removes an unsent start, and joins a stop that waits', () => {
    const before = { entries: press([], start('a'), stop('b')), meta: EMPTY_META };
    const { entries } = withPresses(before, [onFrame('a'), onFrame('b')], 'ada');
    expect(said(entries)).toEqual(['stop a', 'stop b']);
    expect(entries[1]?.commandId).toBe(before.entries[1]?.commandId);
  });

  it('that comes to the disk after the app has sent it is no second command, and removes no start (F109)', () => {
    const pressed = onFrame('a');
    const waits = withPresses(empty, [pressed], 'ada');
    const later = press(waits.entries, start('a'));
    expect(withPresses({ ...waits, entries: later }, [pressed], 'ada').entries).toEqual(later);
    const over = {
      entries: press([], start('a')),
      meta: { ...EMPTY_META, taken: [pressed.commandId] },
    };
    expect(said(withPresses(over, [pressed], 'ada').entries)).toEqual(['start a']);
  });

  it('that does not read takes no other with it', () => {
    const good = onFrame('b');
    const { presses, unreadable } = readPresses([null, { agentId: 'a' }, good]);
    expect(presses).toEqual([good]);
    expect(unreadable).toEqual([{ intent: 'stop' }, { agentId: 'a', intent: 'stop' }]);
    expect(readPresses('litter')).toEqual({ presses: [], unreadable: ['litter'] });
    expect(readPresses(undefined)).toEqual({ presses: [], unreadable: [] });
  });
});

describe('the stored queue', () => {
  let database: UserDatabase;
  let users = 0;
  const presses = (): Promise<unknown> =>
    database.transact(
      ['meta'],
      'readonly',
      (transaction) =>
        new Promise((resolve) => {
          const read = transaction.objectStore('meta').get(PRESSES_KEY);
          read.onsuccess = () => {
            resolve(read.result);
          };
        }),
    );
  const save = (list: FramePress[]): Promise<void> =>
    database.transact(['meta'], 'readwrite', (transaction) => {
      transaction.objectStore('meta').put(list, PRESSES_KEY);
    });

  beforeEach(() => {
    Object.assign(globalThis, { indexedDB: new IDBFactory(), IDBKeyRange });
    database = openUserDatabase(`frame-${++users}`, { mayCreate: () => true });
  });

  it('takes a press over when it is first read, once, whoever reads at the same time', async () => {
    const pressed = onFrame('a');
    await save([pressed]);
    const readers = Array.from({ length: 4 }, () =>
      createOutbox(databaseStore(database), { now: () => T0 }),
    );
    const states = await Promise.all(readers.map((outbox) => outbox.state()));
    for (const { entries } of states)
      expect(entries.map(({ commandId }) => commandId)).toEqual([pressed.commandId]);
    expect(await presses()).toBeUndefined();
  });

  it('has it before what is pressed in the app, and a second Stop there is the same command', async () => {
    const pressed = onFrame('a');
    await save([pressed]);
    const outbox = createOutbox(databaseStore(database), { now: () => T0 + 1 });
    const again = await outbox.enqueue(stop('a'));
    expect(again.commandId).toBe(pressed.commandId);
    await outbox.enqueue(stop('b'));
    expect(said((await outbox.state()).entries)).toEqual(['stop a', 'stop b']);
  });

  it('is the same command where the app presses it again under its id (F109)', async () => {
    const pressed = onFrame('a', { pressedAt: T0 - 6_000 });
    const outbox = createOutbox(databaseStore(database), { now: () => T0 });
    const by = { id: pressed.commandId, at: pressed.pressedAt };
    const again = await outbox.enqueue({ ...stop('a'), press: by });
    expect(again).toMatchObject({ commandId: by.id, createdAt: by.at, clockMoved: false });
    await outbox.enqueue(start('a'));
    await save([pressed]);
    expect(said((await outbox.state()).entries)).toEqual(['stop a', 'start a']);
    await outbox.enqueue({ ...stop('a'), press: by });
    expect(said((await outbox.state()).entries)).toEqual(['stop a', 'start a']);
  });

  it('quarantines a press that does not read, with the name that it carries', async () => {
    const pressed = onFrame('a');
    const broken = { ...onFrame('b', { agentName: 'Harbour' }), pressedAt: null };
    await save([broken as unknown as FramePress, pressed]);
    const store = databaseStore(database);
    expect(said((await store.read()).entries)).toEqual(['stop a']);
    expect(await store.quarantined()).toEqual([{ intent: 'stop', agentName: 'Harbour' }]);
    expect(await presses()).toBeUndefined();
    await store.read();
    expect(await store.quarantined()).toHaveLength(1);
  });

  it('shows a press that the disk does not let the queue take over, so that it is sent (F13)', async () => {
    const pressed = onFrame('a');
    await save([pressed]);
    const real = database.transact.bind(database);
    database.transact = (stores, mode, work, durability) =>
      mode === 'readwrite'
        ? Promise.reject(new StorageFault('quota', 'This device is out of storage'))
        : real(stores, mode, work, durability);
    const { entries } = await databaseStore(database).read();
    expect(entries.map(({ commandId }) => commandId)).toEqual([pressed.commandId]);
  });

  it('keeps a press where the change that would take it over fails', async () => {
    const pressed = onFrame('a');
    await save([pressed]);
    const store = databaseStore(database);
    await expect(
      store.change(() => {
        throw new Error('cut');
      }),
    ).rejects.toThrow();
    expect(await presses()).toEqual([pressed]);
    expect(said((await store.read()).entries)).toEqual(['stop a']);
  });
});
