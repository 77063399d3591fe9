/** Showing and listing notifications: never both at once, and never held up for long. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { onScreen, putOnScreen } from '../../../src/offline/notification-screen.ts';

/** Gives the lock to one after the other, as the browser does across tabs and the worker. */
function oneLock(): Pick<LockManager, 'request'> {
  let last: Promise<unknown> = Promise.resolve();
  const request = async (
    _name: string,
    { signal }: LockOptions,
    work: () => Promise<unknown>,
  ): Promise<unknown> => {
    const turn = last;
    const given = new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
      void turn.then(resolve);
    });
    const done = given.then(work);
    last = turn.then(() => done).catch(() => undefined);
    return done;
  };
  return { request } as Pick<LockManager, 'request'>;
}

/** Loses what is listed while it is being shown, as Chromium does. */
function screenThatForgets(): ServiceWorkerRegistration {
  const records = new Set<string>();
  let showing: string | null = null;
  return {
    async showNotification(title: string) {
      showing = title;
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (showing !== null) records.add(title);
      showing = null;
    },
    getNotifications() {
      showing = null;
      return Promise.resolve([...records].map((title) => ({ title })));
    },
  } as unknown as ServiceWorkerRegistration;
}
const titles = async (registration: ServiceWorkerRegistration): Promise<string[]> =>
  (await onScreen(registration)).map(({ title }) => title);

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('notifications', () => {
  it('are all found again that were shown while others listed them', async () => {
    vi.stubGlobal('navigator', { locks: oneLock() });
    const registration = screenThatForgets();
    const names = ['a', 'b', 'c', 'd'];
    await Promise.all(
      names.flatMap((name) => [putOnScreen(registration, name, {}), onScreen(registration)]),
    );
    expect((await titles(registration)).sort()).toEqual(names);
  });

  it('are shown without the lock where another holds it for seconds, or the browser has none', async () => {
    const held = vi.fn(
      (_name: string, { signal }: LockOptions) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => {
            reject(signal.reason as Error);
          });
        }),
    );
    const registration = screenThatForgets();
    vi.stubGlobal('navigator', { locks: { request: held } });
    await putOnScreen(registration, 'late', {});
    expect(held).toHaveBeenCalledOnce();
    vi.stubGlobal('navigator', {});
    await putOnScreen(registration, 'bare', {});
    expect(await titles(registration)).toEqual(['late', 'bare']);
  });

  it('that the browser refuses are asked for once, and the refusal is told', async () => {
    vi.stubGlobal('navigator', { locks: oneLock() });
    const showNotification = vi.fn(() => Promise.reject(new TypeError('No permission')));
    const registration = { showNotification } as unknown as ServiceWorkerRegistration;
    await expect(putOnScreen(registration, 'x', {})).rejects.toThrow('No permission');
    expect(showNotification).toHaveBeenCalledOnce();
  });
});
