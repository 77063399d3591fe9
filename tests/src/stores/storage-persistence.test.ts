/** The browser's promise to keep what lies here: given, refused, not known, and asked for once. */
import { describe, expect, it } from 'vitest';
import { askToKeep, kept, lookAtStorage } from '../../../src/stores/storage-persistence.ts';

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
    await lookAtStorage(storage);
    expect(storage.asked).toEqual([]);
    expect(kept).toEqual({ promise: 'may-be-cleared', usedBytes: 2_500_000 });
  });

  it('is asked for until it is given, and shown as the browser answers', async () => {
    const [yes, no] = [browser(true), browser(false)];
    await askToKeep(yes);
    await askToKeep(yes);
    expect(yes.asked).toHaveLength(1);
    expect(kept.promise).toBe('kept');
    await askToKeep(no);
    expect(kept.promise).toBe('may-be-cleared');
  });

  it('is unknown where the browser does not say, or refuses to', async () => {
    await askToKeep({});
    expect(kept).toEqual({ promise: 'unknown', usedBytes: null });
    const refuse = (): Promise<never> => Promise.reject(new TypeError('not here'));
    await askToKeep({ persist: refuse, persisted: refuse, estimate: refuse });
    expect(kept).toEqual({ promise: 'unknown', usedBytes: null });
  });
});
