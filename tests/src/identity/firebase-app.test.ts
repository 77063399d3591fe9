/** Storage asked before Firebase is opened on it: every answer, and none. */
import 'fake-indexeddb/auto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { refuseStorage, storageAnswers } from '../../../src/identity/firebase-app.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('asking storage before the identity provider waits for it', () => {
  it('takes an open database for an answer and leaves none behind', async () => {
    expect(await storageAnswers(1_000, indexedDB)).toBe(true);
    expect(await indexedDB.databases()).toEqual([]);
  });

  it('takes a refusal, and no storage at all, for an answer (F18)', async () => {
    expect(
      await storageAnswers(10, {
        open: () => {
          throw new DOMException('refused', 'SecurityError');
        },
      } as unknown as IDBFactory),
    ).toBe(true);
    vi.stubGlobal('indexedDB', undefined);
    expect(await storageAnswers(10)).toBe(true);
  });

  it('goes on without storage that does not answer in time (F15)', async () => {
    expect(
      await storageAnswers(10, { open: () => new EventTarget() } as unknown as IDBFactory),
    ).toBe(false);
  });

  it('waits for no page that was left while it asked: that keeps the name it asked under (F103)', async () => {
    const waiting = new Set<string>();
    const factory = {
      open: (name: string) => {
        const request = { onsuccess: (): void => undefined, result: { close: () => undefined } };
        // The first of each name never ends, as that of a page in the back/forward cache.
        if (waiting.has(name) || waiting.size === 0) waiting.add(name);
        else
          setTimeout(() => {
            request.onsuccess();
          });
        return request;
      },
    } as unknown as IDBFactory;
    vi.spyOn(Math, 'random').mockReturnValueOnce(0.1).mockReturnValueOnce(0.9);
    expect(await storageAnswers(10, factory)).toBe(false);
    expect(await storageAnswers(1_000, factory)).toBe(true);
  });

  it('gives no verdict on waking: a page that slept was not answered, and waits once more', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    try {
      const request = { onsuccess: (): void => undefined, result: { close: () => undefined } };
      const answers = storageAnswers(2_000, { open: () => request } as unknown as IDBFactory);
      vi.setSystemTime(Date.now() + 3_600_000);
      await vi.advanceTimersByTimeAsync(2_000);
      request.onsuccess();
      expect(await answers).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  it('makes of storage that hangs storage that refuses, also to a deletion, which is then not taken for done (F15)', () => {
    const realm = { indexedDB: { open: () => new EventTarget() } as unknown as IDBFactory };
    refuseStorage(realm);
    expect(() => realm.indexedDB.open('x')).toThrow('does not answer');
    expect(() => realm.indexedDB.deleteDatabase('x')).toThrow('does not answer');
  });
});
