// @vitest-environment happy-dom
/** What is read before the app is there: the last user's data, once, and nothing is made. */
import { IDBFactory } from 'fake-indexeddb';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { deviceUser } from '../../../src/identity/device-record.ts';
import {
  readDevice,
  takePreloadedSnapshots,
  type KeptFrame,
} from '../../../src/first-frame/read-device.ts';
import { PRESSES_KEY } from '../../../src/offline/frame-record.ts';

const FRAME = { html: '<p>10,000.00</p>', styles: 's', layout: 'l', mark: 'm', agents: [] };
const PRESS = {
  commandId: 'c',
  agentId: 'a',
  agentName: 'Harbour',
  seenGeneration: 1,
  pressedAt: 5,
};

/** A user's database with a few records, and nobody at it. */
function kept(uid: string): Promise<void> {
  return new Promise((resolve) => {
    const request = indexedDB.open(`tradewind-${uid}`, 1);
    request.onupgradeneeded = () => {
      const db = request.result;
      const snapshots = db.createObjectStore('snapshots');
      snapshots.put({ version: 1, savedAt: 5, value: 'as it lies' }, 'portfolio');
      snapshots.put({ version: 1, savedAt: 5, value: { agents: [] } }, 'agents');
      snapshots.put(FRAME, 'frame /dashboard');
      db.createObjectStore('outbox').put({ any: 'command' }, 'command-1');
      db.createObjectStore('meta').put([PRESS], PRESSES_KEY);
      db.createObjectStore('quarantine');
    };
    request.onsuccess = () => {
      request.result.close();
      resolve();
    };
  });
}

const read = (uid: string, path = '/dashboard'): Promise<KeptFrame | null> =>
  new Promise((resolve) => {
    readDevice(uid, path, resolve);
  });

beforeEach(() => {
  vi.stubGlobal('indexedDB', new IDBFactory());
  localStorage.clear();
});

describe('the user of this device', () => {
  const sign = (record: unknown): void => {
    localStorage.setItem('tradewind.lastUser', JSON.stringify(record));
  };

  it('is authenticated for four hours by the server’s clock as last learnt (R5-18)', () => {
    const signedInAt = Date.now() - 3.5 * 3_600_000;
    sign({ uid: 'ada', lastSignInTime: new Date(signedInAt).toUTCString() });
    expect(deviceUser()).toEqual({ uid: 'ada', isAuthenticated: true });
    // The device's clock is an hour behind the server's.
    localStorage.setItem('tradewind.clockOffset', String(3_600_000));
    expect(deviceUser()).toEqual({ uid: 'ada', isAuthenticated: false });
  });

  it('is nobody where none is named, or the name does not read', () => {
    expect(deviceUser()).toBeNull();
    sign({ uid: '' });
    expect(deviceUser()).toBeNull();
    localStorage.setItem('tradewind.lastUser', 'litter');
    expect(deviceUser()).toBeNull();
    sign({ uid: 'ada', lastSignInTime: null });
    expect(deviceUser()?.isAuthenticated).toBe(false);
  });
});

describe('what is kept on this device', () => {
  it('brings the frame of the screen, what it must agree with, and presses made before', async () => {
    await kept('ada');
    expect(await read('ada')).toEqual({
      frame: FRAME,
      agents: { version: 1, savedAt: 5, value: { agents: [] } },
      commandIds: ['command-1'],
      presses: [PRESS],
    });
    expect((await read('ada', '/settings'))?.frame).toBeNull();
  });

  it('hands the snapshots to the app once, without the frames', async () => {
    await kept('ada');
    await read('ada');
    const snapshots = await takePreloadedSnapshots('ada');
    expect([...(snapshots?.keys() ?? [])]).toEqual(['agents', 'portfolio']);
    expect(snapshots?.get('portfolio')).toEqual({ version: 1, savedAt: 5, value: 'as it lies' });
    expect(takePreloadedSnapshots('ada')).toBeNull();
  });

  it('is for nobody but the one it was read for', async () => {
    await kept('ada');
    await read('ada');
    expect(takePreloadedSnapshots('ben')).toBeNull();
    expect(takePreloadedSnapshots('ada')).toBeNull();
  });

  it('makes no database where there is none', async () => {
    expect(await read('new')).toBeNull();
    expect(await takePreloadedSnapshots('new')).toBeNull();
    expect(await indexedDB.databases()).toEqual([]);
  });

  it('lets go of the database, so that a sign-out can delete it', async () => {
    await kept('ada');
    await read('ada');
    await takePreloadedSnapshots('ada');
    await new Promise<void>((resolve) => {
      const request = indexedDB.deleteDatabase('tradewind-ada');
      request.onsuccess = () => {
        resolve();
      };
    });
    expect(await indexedDB.databases()).toEqual([]);
  });

  it('is given up where the browser never answers', async () => {
    vi.useFakeTimers();
    vi.stubGlobal('indexedDB', { open: () => ({}) });
    const frame = read('ada');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await frame).toBeNull();
    expect(await takePreloadedSnapshots('ada')).toBeNull();
    vi.useRealTimers();
  });
});
