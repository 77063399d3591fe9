/** The browser's promise to keep what lies here: given, refused, not known, and asked for once. */
import { describe, expect, it } from 'vitest';
import {
  requestPersistence,
  persistence,
  checkPersistence,
} from '../../../src/stores/storage-persistence.ts';

const browser = (grants: boolean) => {
  let promised = false;
  const asked: string[] = [];
  return {
    asked,
    persisted: () => Promise.resolve(promised),
    persist: () => {
      asked.push('persist');
      promised = grants;
      return Promise.resolve(grants);
    },
    estimate: () => Promise.resolve({ usage: 2_500_000, quota: 1e9 }),
  };
};

describe('the promise to keep what lies here', () => {
  it('is looked at without being asked for', async () => {
    const storage = browser(true);
    await checkPersistence(storage);
    expect(storage.asked).toEqual([]);
    expect(persistence).toEqual({ promise: 'may-be-cleared', usedBytes: 2_500_000 });
  });

  it('is asked for until it is given, and shown as the browser answers', async () => {
    const [yes, no] = [browser(true), browser(false)];
    await requestPersistence(yes);
    await requestPersistence(yes);
    expect(yes.asked).toHaveLength(1);
    expect(persistence.promise).toBe('kept');
    await requestPersistence(no);
    expect(persistence.promise).toBe('may-be-cleared');
  });

  it('is unknown where the browser does not say, or refuses to', async () => {
    await requestPersistence({});
    expect(persistence).toEqual({ promise: 'unknown', usedBytes: null });
    const refuse = (): Promise<never> => Promise.reject(new TypeError('not here'));
    await requestPersistence({ persist: refuse, persisted: refuse, estimate: refuse });
    expect(persistence).toEqual({ promise: 'unknown', usedBytes: null });
  });
});
