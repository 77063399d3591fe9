/** The notification of a stop pressed outside any page: what it says became of the stop. */
import { PushTarget, showNotification } from './notification.ts';
import { onScreen } from './notification-screen.ts';

/**
 * `waiting`: sent at the next opportunity. `failed`: the server rejected it. `gone`: no longer in
 * the queue, and nobody here has heard the server take it.
 */
export type StopOutcome = 'delivered' | 'waiting' | 'failed' | 'gone';

/**
 * Of a stop that could not be saved. `not-saved`: nor was it sent. `refused`: the server rejected it.
 * `unconfirmed`: the server may or may not have received it.
 */
export type UnsavedStopOutcome = 'delivered' | 'not-saved' | 'refused' | 'unconfirmed';

/**
 * What a saved stop waits for. `waiting`: something sends it without the person. `needs-token`: the
 * server is there, and this device could not get a token; whether the login is over is unknown.
 */
export type StopWait = 'waiting' | 'needs-login' | 'needs-update' | 'needs-token' | 'needs-app';

const TITLES = {
  delivered: 'Stop delivered',
  waiting: 'Stop saved',
  'needs-login': 'Stop saved, not sent',
  'needs-update': 'Stop saved, not sent',
  'needs-token': 'Stop saved, not sent',
  'needs-app': 'Stop saved, not sent',
  failed: 'Stop not delivered',
  'not-saved': 'Stop not delivered',
  refused: 'Stop not delivered',
  unconfirmed: 'Stop not confirmed',
  gone: 'Stop no longer waiting',
} as const;
const BODIES = {
  delivered: 'The server has received the stop.',
  waiting:
    'The stop is saved on this device. It is sent when you are online, at the latest when you next open the app.',
  'needs-login': 'Log in to send it. The agent is not stopped until then.',
  'needs-update': 'Open the app and update it to send it. The agent is not stopped until then.',
  'needs-token':
    'Open the app to send it. You may have to log in. The agent is not stopped until then.',
  'needs-app': 'Open the app to send it. The agent is not stopped until then.',
  failed: 'The server rejected the stop. Open the app to see why.',
  'not-saved':
    'The stop could not be saved on this device and was not sent. Open the app and stop the agent there.',
  refused: 'The server rejected the stop. Open the app and stop the agent there.',
  unconfirmed:
    'The stop could not be saved on this device, and the server has not confirmed it. Open the app to see whether the agent is stopped.',
  gone: 'The stop is no longer saved on this device. Open the app to see whether the agent is stopped.',
} as const;
/**
 * Stays until it is dealt with: the agent may be running. One that only waits stays too, because
 * what becomes of it is said where it still stands.
 */
const STAYS: readonly (keyof typeof TITLES)[] = [
  'waiting',
  'needs-login',
  'needs-update',
  'needs-token',
  'needs-app',
  'failed',
  'not-saved',
  'refused',
  'unconfirmed',
];

/** The login, which leads on to what the notification is about. */
const loginFor = (path: string): string =>
  path.startsWith('/login') ? path : `/login?next=${encodeURIComponent(path)}`;

/** Takes the place of the notification that was pressed. `waitsFor`: the command still to be sent. */
export function showStop(
  registration: ServiceWorkerRegistration,
  said: keyof typeof TITLES,
  { uid, path: about, tag }: PushTarget,
  waitsFor?: string,
): Promise<void> {
  const path = said === 'needs-login' ? loginFor(about) : about;
  return showNotification(registration, TITLES[said], {
    body: BODIES[said],
    tag,
    silent: said === 'delivered',
    requireInteraction: STAYS.includes(said),
    // Whoever was told that it is sent by itself must notice that it is not.
    renotify: said.startsWith('needs-'),
    data: {
      ...{ uid, path, tag, stop: null },
      ...(waitsFor === undefined ? {} : { waitsFor }),
    } satisfies PushTarget,
    actions: [{ action: 'open', title: 'Open' }],
  });
}

/** The notifications that call a stop saved, with the command that each waits for. */
async function waitingStops(
  registration: ServiceWorkerRegistration,
): Promise<{ shown: Notification; target: PushTarget; commandId: string }[]> {
  return (await onScreen(registration)).flatMap((shown) => {
    const { data: target } = PushTarget.safeParse(shown.data);
    return target?.waitsFor === undefined ? [] : [{ shown, target, commandId: target.waitsFor }];
  });
}

/**
 * Whoever hears what became of a stop says so where a notification calls it saved: the worker or a
 * page. `undone`: the person has taken it back, and there is nothing left to say.
 */
export async function sayOfStop(
  registration: ServiceWorkerRegistration,
  about: string,
  said: 'delivered' | 'failed' | 'undone',
): Promise<void> {
  for (const { shown, target, commandId } of await waitingStops(registration))
    if (commandId !== about) continue;
    else if (said === 'undone') shown.close();
    else await showStop(registration, said, target);
}

/**
 * Says of every stop called saved what became of it. `waits`: what those still wait for that have
 * not been sent. Returns how many do.
 */
export async function sayOfStops(
  registration: ServiceWorkerRegistration,
  outcomeOf: (uid: string, commandId: string) => Promise<StopOutcome>,
  waits: StopWait = 'waiting',
): Promise<number> {
  let waiting = 0;
  for (const { shown, target, commandId } of await waitingStops(registration)) {
    const said = await outcomeOf(target.uid, commandId).catch(() => 'waiting' as const);
    if (said !== 'waiting') {
      await showStop(registration, said, target);
      continue;
    }
    waiting += 1;
    // A try that heard no more takes nothing back, and what is said is said once.
    if (waits !== 'waiting' && shown.body !== BODIES[waits])
      await showStop(registration, waits, target, commandId);
  }
  return waiting;
}
