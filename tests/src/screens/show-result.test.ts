// @vitest-environment happy-dom
/** What is said of a call that is not queued, and to whom. */
import '../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { beforeEach, describe, expect, it } from 'vitest';

const { session } = await import('../../../src/identity/session.ts');
const { removeToast, toastStore } = await import('../../../src/stores/toast-store.ts');
const { showFailure } = await import('../../../src/screens/show-result.ts');

const logIn = (uid: string): void => {
  session.user = { uid, email: null, displayName: null } as never;
};
const said = (): string[] => toastStore.toasts.map(({ message }) => message);

beforeEach(() => {
  removeToast();
  logIn('ann');
});

describe('a call that is not queued', () => {
  it('is said to be done, or why not', async () => {
    await expect(showFailure(Promise.resolve(), 'Windward deleted.')).resolves.toBe(true);
    await expect(showFailure(Promise.reject(new Error('Not done.')))).resolves.toBe(false);
    expect(said()).toEqual(['Not done.', 'Windward deleted.']);
  });

  it.each([
    ['is done', () => Promise.resolve(), true],
    ['fails', () => Promise.reject(new Error('Not done.')), false],
  ])('says nothing to somebody who has logged in before it %s', async (_how, ends, result) => {
    const work = showFailure(Promise.resolve().then(ends), 'Windward deleted.');
    logIn('bob');
    await expect(work).resolves.toBe(result);
    expect(said()).toEqual([]);
  });
});
