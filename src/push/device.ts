/**
 * Notifications in this browser: what it supports, and how it subscribes and unsubscribes. Asks for
 * permission only on a press.
 */
import type { CallableReply } from '../../contract/callables.ts';
import { PushSubscriptionBody, type PushSettings } from '../../contract/push.ts';
import { callFunction } from '../callables/call-function.ts';
import { onScreen } from '../offline/notification-screen.ts';
import { subscribe } from '../offline/push-subscribe.ts';
import { isAppleMobile, isStandalone } from '../platform/install.ts';
import { JOINED_KEY } from './open-push.ts';

/**
 * `install`: this iPhone or iPad notifies only apps on its home screen. `denied`: the user has
 * declined, and only the browser's own settings can undo that. `off`: supported but not subscribed.
 * `on`: this device gets notifications.
 */
export type DeviceState = 'unsupported' | 'install' | 'denied' | 'off' | 'on';

export type PushState = CallableReply<'pushSettings'>;

/** The user whose notifications this browser is subscribed to, by its own record. */
function joinedUid(): string | null {
  return localStorage.getItem(JOINED_KEY);
}

export function deviceState(uid: string): DeviceState {
  const able =
    'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;
  if (!able) return isAppleMobile() && !isStandalone() ? 'install' : 'unsupported';
  if (Notification.permission === 'denied') return 'denied';
  return Notification.permission === 'granted' && joinedUid() === uid ? 'on' : 'off';
}

/** The user's preferences, for all devices, and the key to subscribe with. */
export function readPush(): Promise<PushState> {
  return callFunction('pushSettings', {});
}

export function writePush(settings: PushSettings): Promise<PushState> {
  return callFunction('pushSettings', { settings });
}

/** How long a worker may take to be ready: it never is where its file could not be fetched. */
const WORKER_WAIT_MS = 8_000;

async function registration(): Promise<ServiceWorkerRegistration> {
  const late = new Promise<never>((_resolve, reject) => {
    setTimeout(() => {
      reject(new Error('Notifications are not ready yet. Reload the page and try again.'));
    }, WORKER_WAIT_MS);
  });
  return Promise.race([navigator.serviceWorker.ready, late]);
}

/** Subscribes this browser and tells the server. Permission must have been given. */
async function join(uid: string): Promise<PushState> {
  const { publicKey } = await readPush();
  const subscription = await subscribe(await registration(), publicKey);
  const state = await callFunction('registerPush', {
    subscription: PushSubscriptionBody.parse(subscription.toJSON()),
  });
  localStorage.setItem(JOINED_KEY, uid);
  return state;
}

/** Asks for permission, on a press, and subscribes. Null where the user declined. */
export async function joinPush(uid: string): Promise<PushState | null> {
  if ((await Notification.requestPermission()) !== 'granted') return null;
  return join(uid);
}

/**
 * Renews the subscription at a start: the browser may have changed the address, or the server lost
 * it.
 */
export async function renewPush(uid: string): Promise<void> {
  if (deviceState(uid) === 'on') await join(uid);
}

/** Unsubscribes the browser, also offline; the push service tells a server that still sends. */
export async function dropPush(): Promise<string | null> {
  if (joinedUid() === null) return null;
  localStorage.removeItem(JOINED_KEY);
  const worker = await navigator.serviceWorker.getRegistration();
  const subscription = (await worker?.pushManager.getSubscription()) ?? null;
  if (worker !== undefined) for (const shown of await onScreen(worker)) shown.close();
  await subscription?.unsubscribe();
  return subscription?.endpoint ?? null;
}

/** Leaves, and tells the server at once. */
export async function leavePush(): Promise<PushState> {
  const endpoint = await dropPush();
  return endpoint === null ? readPush() : callFunction('unregisterPush', { endpoint });
}

/** Ends the notifications of every other device of the user. */
export async function leaveOthers(): Promise<PushState> {
  const worker = await navigator.serviceWorker?.getRegistration();
  const subscription = (await worker?.pushManager.getSubscription()) ?? null;
  return callFunction('unregisterOtherPush', { endpoint: subscription?.endpoint ?? null });
}
