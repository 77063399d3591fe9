// @vitest-environment happy-dom
/** What is read before the app is there: the last user's store, once, and nothing is made. */
import { IDBFactory } from 'fake-indexeddb';
import { beforeEach, describe, expect, it, vi } from 'vitest';

/** The module anew: it reads as it is loaded. */
const load = () => {
  vi.resetModules();
  return import('../../../src/stores/preload-snapshots.ts');
};

/** A user's store with a portfolio in it, and nobody at it. */
function kept(uid: string, value: unknown): Promise<void> {
  return new Promise((resolve) => {
    const request = indexedDB.open(`tradewind-${uid}`, 1);
    request.onupgradeneeded = () => {
      request.result.createObjectStore('snapshots').put(value, 'portfolio');
    };
    request.onsuccess = () => {
      request.result.close();
      resolve();
    };
  });
}

beforeEach(() => {
  vi.stubGlobal('indexedDB', new IDBFactory());
  localStorage.clear();
});

describe('preloaded snapshots', () => {
  it('hands over what is kept of the last user, once', async () => {
    await kept('ada', { version: 1, savedAt: 5, value: 'as it lies' });
    localStorage.setItem(
      'tradewind.lastUser',
      JSON.stringify({ uid: 'ada', email: null, lastSignInTime: null }),
    );
    const { takePreloadedSnapshots } = await load();
    expect((await takePreloadedSnapshots('ada'))?.get('portfolio')).toEqual({
      version: 1,
      savedAt: 5,
      value: 'as it lies',
    });
    expect(takePreloadedSnapshots('ada')).toBeNull();
  });

  it('is for nobody but the one it was read for', async () => {
    await kept('ada', 'hers');
    localStorage.setItem('tradewind.lastUser', JSON.stringify({ uid: 'ada' }));
    const { takePreloadedSnapshots } = await load();
    expect(takePreloadedSnapshots('ben')).toBeNull();
    expect(takePreloadedSnapshots('ada')).toBeNull();
  });

  it('makes no database where there is none, and reads nothing where nobody is named', async () => {
    localStorage.setItem('tradewind.lastUser', JSON.stringify({ uid: 'new' }));
    const { takePreloadedSnapshots } = await load();
    expect(await takePreloadedSnapshots('new')).toBeNull();
    expect(await indexedDB.databases()).toEqual([]);
    localStorage.setItem('tradewind.lastUser', 'litter');
    expect((await load()).takePreloadedSnapshots('new')).toBeNull();
  });

  it('lets go of the database, so that a sign-out can delete it', async () => {
    await kept('ada', 'hers');
    localStorage.setItem('tradewind.lastUser', JSON.stringify({ uid: 'ada' }));
    const { takePreloadedSnapshots } = await load();
    await takePreloadedSnapshots('ada');
    await new Promise<void>((resolve) => {
      const request = indexedDB.deleteDatabase('tradewind-ada');
      request.onsuccess = () => {
        resolve();
      };
    });
    expect(await indexedDB.databases()).toEqual([]);
  });

  it('gives up on a browser that never answers', async () => {
    vi.useFakeTimers();
    vi.stubGlobal('indexedDB', { open: () => ({}) });
    localStorage.setItem('tradewind.lastUser', JSON.stringify({ uid: 'ada' }));
    const { takePreloadedSnapshots } = await load();
    const read = takePreloadedSnapshots('ada');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await read).toBeNull();
    vi.useRealTimers();
  });
});
