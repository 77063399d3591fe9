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

  it('makes of storage that hangs storage that refuses, also to a deletion, which is then not taken for done (F15)', () => {
    const realm = { indexedDB: { open: () => new EventTarget() } as unknown as IDBFactory };
    refuseStorage(realm);
    expect(() => realm.indexedDB.open('x')).toThrow('does not answer');
    expect(() => realm.indexedDB.deleteDatabase('x')).toThrow('does not answer');
  });
});
