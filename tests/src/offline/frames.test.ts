/** Where last frames are kept, and when they go. */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { keys } from 'idb-keyval';
import { beforeEach, describe, expect, it } from 'vitest';
import { deleteFrames, writeFrame } from '../../../src/offline/frames.ts';
import { keepSnapshots, trimSnapshots, writeSnapshot } from '../../../src/offline/snapshots.ts';
import { openUserDatabase, type UserDatabase } from '../../../src/offline/user-database.ts';
import { portfolio, T0 } from './samples.ts';

const FRAME = { styles: 's', layout: 'l', mark: 'm', agents: [], html: '<p></p>' };
let users = 0;
let uid: string;
let database: UserDatabase;
const kept = (): Promise<string[]> => keys(database.store('snapshots'));

beforeEach(() => {
  Object.assign(globalThis, { indexedDB: new IDBFactory(), IDBKeyRange });
  uid = `frames-${++users}`;
  database = openUserDatabase(uid, { mayCreate: () => true });
});

describe('last frames', () => {
  it('lie among the user’s snapshots, one for each screen', async () => {
    expect(await writeFrame(uid, '/dashboard', FRAME)).toBe(true);
    expect(await writeFrame(uid, '/dashboard', FRAME)).toBe(true);
    expect(await writeFrame(uid, '/agents', FRAME)).toBe(true);
    expect(await kept()).toEqual(['frame /agents', 'frame /dashboard']);
    await deleteFrames(database);
    expect(await kept()).toEqual([]);
  });

  it('are not kept, and those there are go, where the user wants nothing kept', async () => {
    await writeFrame(uid, '/dashboard', FRAME);
    await keepSnapshots(uid, false);
    expect(await kept()).toEqual([]);
    expect(await writeFrame(uid, '/dashboard', FRAME)).toBe(false);
    expect(await kept()).toEqual([]);
  });

  it('give way to what they are drawn from when the device is full', async () => {
    await writeSnapshot(uid, 'portfolio', portfolio(T0));
    await writeFrame(uid, '/dashboard', FRAME);
    await trimSnapshots(database, 'portfolio');
    expect(await kept()).toEqual(['portfolio']);
  });

  it('fail silently where the browser keeps nothing', async () => {
    expect(await writeFrame('nobody', '/dashboard', FRAME)).toBe(false);
  });
});
