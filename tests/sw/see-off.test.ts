/** A press on Stop in a notification: what the worker shows of a stop that it could not send. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Drained } from '../../src/offline/drain.ts';
import type { PushTarget } from '../../src/offline/notification.ts';
import { sayOfStops, type StopOutcome } from '../../src/offline/stop-notification.ts';
import { seeOff } from '../../sw/see-off.ts';

interface Shown {
  title: string;
  body: string;
  stays: boolean;
  data: unknown;
  close(): void;
}
const target: PushTarget = {
  uid: 'ada',
  path: '/agents/a',
  tag: 'agentHeld:a',
  stop: { id: 'a', name: 'A', generation: 1 },
};
const deliver = vi.fn<() => Promise<Drained>>();
const outcomeOf = vi.fn<() => Promise<StopOutcome>>();
let shown: Shown | null = null;
let registerSync: (() => Promise<void>) | null = null;

beforeEach(() => {
  vi.useFakeTimers();
  vi.resetAllMocks();
  shown = null;
  registerSync = () => Promise.resolve();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Of one press; resolves when the worker may rest. `ends`: how each later delivery ends. */
async function press(end: Drained['end'] | null, ends: Drained['end'][] = []): Promise<void> {
  const registration = {
    getNotifications: () => Promise.resolve(shown === null ? [] : [shown]),
    showNotification(title: string, options: NotificationOptions) {
      const { body = '', requireInteraction: stays = false } = options;
      shown = { title, body, stays, data: options.data as unknown, close: () => undefined };
      return Promise.resolve();
    },
    ...(registerSync === null ? {} : { sync: { register: registerSync } }),
  } as unknown as ServiceWorkerRegistration;
  outcomeOf.mockResolvedValue('waiting');
  for (const one of ends) deliver.mockResolvedValueOnce({ end: one, dueAt: null });
  deliver.mockResolvedValue({ end: ends.at(-1) ?? 'waiting', dueAt: null });
  const work = seeOff({ commandId: 'c1', end }, target, {
    registration,
    deliver,
    tell: (waits) => sayOfStops(registration, outcomeOf, waits),
  });
  await vi.advanceTimersByTimeAsync(30_000);
  await work;
}

it('says at once that a login sends the stop whose session is over, and tries no more', async () => {
  await press('sign-in');
  expect(shown).toMatchObject({
    title: 'Stop saved, not sent',
    body: 'Log in to send it. The agent is not stopped until then.',
    stays: true,
    data: { path: '/login?next=%2Fagents%2Fa', waitsFor: 'c1' },
  });
  expect(deliver).not.toHaveBeenCalled();
});

it('says so too where the session turns out to be over while it tries', async () => {
  await press('waiting', ['waiting', 'sign-in']);
  expect(shown?.body).toMatch(/^Log in to send it/);
  expect(deliver).toHaveBeenCalledTimes(2);
});

it('calls a stop only saved where the browser wakes the worker with the network', async () => {
  await press('offline');
  expect(shown?.title).toBe('Stop saved');
  expect(deliver).not.toHaveBeenCalled();
  await press('waiting');
  expect(shown?.title).toBe('Stop saved');
});

it.each([
  ['has no such wake-up', null],
  ['refuses it', () => Promise.reject(new Error('No window is open'))],
])('asks for the app where the browser %s', async (_how, register) => {
  registerSync = register;
  const asks = {
    title: 'Stop saved, not sent',
    body: 'Open the app to send it. The agent is not stopped until then.',
    stays: true,
  };
  await press('offline');
  expect(shown).toMatchObject(asks);
  // A server that is only slow has it in a moment; it is tried for that long first.
  await press('waiting');
  expect(shown).toMatchObject(asks);
  expect(deliver.mock.calls.length).toBeGreaterThan(5);
});

it('says that the server has a stop that it takes while the worker tries', async () => {
  deliver.mockResolvedValueOnce({ end: 'waiting', dueAt: null }).mockImplementationOnce(() => {
    outcomeOf.mockResolvedValue('delivered');
    return Promise.resolve({ end: 'empty', dueAt: null });
  });
  await press('signed-out');
  expect(shown?.title).toBe('Stop delivered');
  expect(deliver).toHaveBeenCalledTimes(2);
});
