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
  body: string;
  stays: boolean;
  data: unknown;
  close(): void;
}

/** Shows as a browser does: a notification takes the place of the one with its tag. */
function lockScreen(): {
  registration: ServiceWorkerRegistration;
  titles: () => string[];
  shown: Map<string, Shown>;
} {
  const shown = new Map<string, Shown>();
  const registration = {
    getNotifications: () => Promise.resolve([...shown.values()]),
    showNotification(title: string, options: NotificationOptions) {
      const { tag = '', body = '', requireInteraction: stays = false } = options;
      const data: unknown = options.data;
      shown.set(tag, { title, body, stays, data, close: () => shown.delete(tag) });
      return Promise.resolve();
    },
  };
  return {
    registration: registration as unknown as ServiceWorkerRegistration,
    titles: () => [...shown.values()].map(({ title }) => title),
    shown,
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

  it.each([
    ['needs-login', 'Log in to send it. The agent is not stopped until then.'],
    ['needs-update', 'Open the app and update it to send it. The agent is not stopped until then.'],
    [
      'needs-token',
      'Open the app to send it. You may have to log in. The agent is not stopped until then.',
    ],
    ['needs-app', 'Open the app to send it. The agent is not stopped until then.'],
  ] as const)(
    'says "%s" of a stop that only the person can get sent, and stays',
    async (waits, body) => {
      const { registration, shown } = lockScreen();
      await showStop(registration, waits, target('one'), 'c1');
      expect(shown.get('one')).toMatchObject({ title: 'Stop saved, not sent', body, stays: true });
      // Still replaced by whoever hears that it was sent after all.
      await sayOfStop(registration, 'c1', 'delivered');
      expect(shown.get('one')).toMatchObject({ title: 'Stop delivered', stays: false });
    },
  );

  it('leads to the login where that is what it waits for, and from there to what it is about', async () => {
    const { registration, shown } = lockScreen();
    await showStop(registration, 'needs-login', target('one'), 'c1');
    const login = { path: '/login?next=%2Fagents%2Fa' };
    expect(shown.get('one')?.data).toMatchObject(login);
    await showStop(registration, 'needs-login', shown.get('one')?.data as PushTarget, 'c1');
    expect(shown.get('one')?.data).toMatchObject(login);
    await showStop(registration, 'needs-app', target('two'), 'c2');
    expect(shown.get('two')?.data).toMatchObject({ path: '/agents/a' });
  });

  it('promises no moment at which a saved stop is sent by itself', async () => {
    const { registration, shown } = lockScreen();
    await showStop(registration, 'waiting', target('one'), 'c1');
    expect(shown.get('one')).toMatchObject({
      body: 'The stop is saved on this device. It is sent when you are online, at the latest when you next open the app.',
      stays: true,
    });
  });

  it('says once that only the person can get it sent, where that is heard later', async () => {
    const { registration, shown, titles } = lockScreen();
    await showStop(registration, 'waiting', target('one'), 'c1');
    let told = 0;
    const show = registration.showNotification.bind(registration);
    registration.showNotification = (...given) => {
      told += 1;
      return show(...given);
    };
    const still = () => Promise.resolve('waiting' as const);
    expect(await sayOfStops(registration, still, 'waiting')).toBe(1);
    expect([told, titles()]).toEqual([0, ['Stop saved']]);
    for (let turn = 0; turn < 2; turn += 1)
      expect(await sayOfStops(registration, still, 'needs-login')).toBe(1);
    expect([told, titles()]).toEqual([1, ['Stop saved, not sent']]);
    // A later try without a network takes nothing of that back.
    await sayOfStops(registration, still, 'waiting');
    expect(shown.get('one')?.body).toMatch(/^Log in/);
  });
});
