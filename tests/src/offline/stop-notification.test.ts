/** What the notification of a stop pressed outside a page says became of it, and when. */
import { describe, expect, it } from 'vitest';
import type { PushTarget } from '../../../src/offline/notification.ts';
import {
  sayOfStop,
  sayOfStops,
  showStop,
  type StopOutcome,
} from '../../../src/offline/stop-notification.ts';

interface Shown {
  title: string;
  data: unknown;
  close(): void;
}

/** Shows as a browser does: a notification takes the place of the one with its tag. */
function lockScreen(): { registration: ServiceWorkerRegistration; titles: () => string[] } {
  const shown = new Map<string, Shown>();
  const registration = {
    getNotifications: () => Promise.resolve([...shown.values()]),
    showNotification(title: string, { tag = '', data }: NotificationOptions) {
      shown.set(tag, { title, data, close: () => shown.delete(tag) });
      return Promise.resolve();
    },
  };
  return {
    registration: registration as unknown as ServiceWorkerRegistration,
    titles: () => [...shown.values()].map(({ title }) => title),
  };
}
const target = (tag: string): PushTarget => ({
  uid: 'ada',
  path: '/agents/a',
  tag,
  stop: { id: 'a', name: 'A', generation: 1 },
});

describe('the notification of a saved stop', () => {
  it('is replaced once its own command was delivered or rejected, and leaves others alone', async () => {
    const { registration, titles } = lockScreen();
    await showStop(registration, 'waiting', target('one'), 'c1');
    await showStop(registration, 'waiting', target('two'), 'c2');
    await showStop(registration, 'delivered', target('three'));
    await sayOfStop(registration, 'c1', 'delivered');
    expect(titles()).toEqual(['Stop delivered', 'Stop saved', 'Stop delivered']);
    await sayOfStop(registration, 'c2', 'failed');
    expect(titles()).toEqual(['Stop delivered', 'Stop not delivered', 'Stop delivered']);
    // What has been said is said once.
    await sayOfStop(registration, 'c2', 'delivered');
    expect(titles()[1]).toBe('Stop not delivered');
  });

  it('goes when the person takes the stop back', async () => {
    const { registration, titles } = lockScreen();
    await showStop(registration, 'waiting', target('one'), 'c1');
    await sayOfStop(registration, 'c1', 'undone');
    expect(titles()).toEqual([]);
  });

  it('never calls delivered what has only left the queue, nor anything while it cannot be read', async () => {
    const { registration, titles } = lockScreen();
    const became: Record<string, StopOutcome> = { c1: 'gone', c2: 'waiting', c3: 'delivered' };
    for (const id of ['c1', 'c2', 'c3', 'c4'])
      await showStop(registration, 'waiting', target(id), id);
    const left = await sayOfStops(registration, (_uid, id) => {
      const said = became[id];
      return said === undefined ? Promise.reject(new Error('not readable')) : Promise.resolve(said);
    });
    expect([left, titles()]).toEqual([
      2,
      ['Stop no longer waiting', 'Stop saved', 'Stop delivered', 'Stop saved'],
    ]);
  });
});
