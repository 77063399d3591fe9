/** Handles pushes and presses on notifications, with or without a page. */
/// <reference lib="webworker" />
import { PushPayload } from '../contract/push.ts';
import { keepPushed } from '../src/offline/pushed-state.ts';
import { PushTarget, showNotification, type FullOptions } from '../src/offline/notification.ts';
import { onScreen } from '../src/offline/notification-screen.ts';
import { sayOfStops, showStop, type StopWait } from '../src/offline/stop-notification.ts';
import { badge, currentToken, databaseOf, deliver, outcomeOf, stopOutside } from './deliver.ts';
import { inTurn, keptInTime } from './kept-in-time.ts';
import { notificationOf } from './notification-text.ts';
import { renewAddress } from './push-address.ts';
import { seeOff } from './see-off.ts';

declare const self: ServiceWorkerGlobalScope;

const show = (title: string, options: FullOptions): Promise<void> =>
  showNotification(self.registration, title, options);

function parse(data: PushMessageData | null): PushPayload | null {
  try {
    const parsed = PushPayload.safeParse(data?.json());
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/**
 * A push for a user who is logged out here. Browsers require a notification for every push; the
 * subscription is then cancelled, so that there is no next one. What is still shown of the user
 * goes too: the page that logged out may have been closed before it got to that.
 */
async function forStranger(uid: string): Promise<void> {
  for (const shown of await onScreen(self.registration)) {
    const target = PushTarget.safeParse(shown.data);
    if (target.success && target.data.uid === uid) shown.close();
  }
  await show('Tradewind', {
    body: 'There is news for an account that is logged out on this device.',
    tag: 'signed-out',
    silent: true,
    data: { uid: '', path: '/login', tag: 'signed-out', stop: null } satisfies PushTarget,
  });
  const subscription = await self.registration.pushManager.getSubscription().catch(() => null);
  await subscription?.unsubscribe().catch(() => false);
}

async function take(data: PushMessageData | null, baseUrl: string): Promise<void> {
  const payload = parse(data);
  if (payload === null) {
    // Perhaps from a newer server: guess nothing.
    await show('Tradewind', {
      body: 'There is news in your account. Open the app for details.',
      tag: 'unread',
      data: { uid: '', path: '/dashboard', tag: 'unread', stop: null } satisfies PushTarget,
    });
    return;
  }
  const kept = await keptInTime(
    inTurn(() => keepPushed(payload, databaseOf(payload.uid), Date.now())),
  );
  if (kept === 'signed-out') return forStranger(payload.uid);
  const { title, target, ...options } = notificationOf(payload, kept);
  await show(title, { ...options, timestamp: payload.sentAt, data: target } as FullOptions);
  await badge(payload.uid, baseUrl, payload.state.agents);
}

/** Shows the path in an open page without a reload, or else in a new window. */
async function open(path: string): Promise<void> {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page =
    pages.find((one) => one.focused) ??
    pages.find((one) => one.visibilityState === 'visible') ??
    pages[0];
  if (page === undefined) {
    await self.clients.openWindow(path);
    return;
  }
  const focused = await page.focus().catch(() => page);
  focused.postMessage({ type: 'open', path });
}

/**
 * A notification that calls a stop saved says what became of it, or what it waits for. Returns how
 * many still wait.
 */
export const tellStops = (baseUrl: string, waits: StopWait): Promise<number> =>
  sayOfStops(self.registration, (uid, commandId) => outcomeOf(uid, commandId, baseUrl), waits);

async function stop(target: PushTarget, baseUrl: string): Promise<void> {
  if (target.stop === null) return open(target.path);
  const { id, name, generation } = target.stop;
  const request = {
    intent: 'stop' as const,
    agentId: id,
    agentName: name,
    agents: [],
    seenGeneration: generation,
    confirmed: false,
  };
  const stopped = await stopOutside(target.uid, request, baseUrl, () =>
    // What is shown must be true should the browser end this worker before it hears more.
    showStop(self.registration, 'unconfirmed', target).catch(() => undefined),
  );
  if (stopped.said === 'signed-out') return open('/login');
  if (stopped.said !== 'waiting') return showStop(self.registration, stopped.said, target);
  await seeOff(stopped, target, {
    registration: self.registration,
    deliver: () => deliver(baseUrl),
    tell: (waits) => tellStops(baseUrl, waits),
  });
}

/** Listens for pushes and presses. `baseUrl` is the back end's. */
export function listenForPush(baseUrl: string): void {
  self.addEventListener('push', (event) => {
    event.waitUntil(take(event.data, baseUrl));
  });
  self.addEventListener('pushsubscriptionchange', (event) => {
    const changed = event as ExtendableEvent & Parameters<typeof renewAddress>[0];
    // What fails here is made good by the page, which renews at its next start.
    changed.waitUntil(
      renewAddress(changed, {
        registration: self.registration,
        baseUrl,
        token: currentToken,
        fetch: (input, init) => fetch(input, init),
      }).catch(() => 'left'),
    );
  });
  self.addEventListener('notificationclick', (event) => {
    event.notification.close();
    const target = PushTarget.safeParse(event.notification.data);
    if (!target.success) event.waitUntil(open('/dashboard'));
    else
      event.waitUntil(
        event.action === 'stop' ? stop(target.data, baseUrl) : open(target.data.path),
      );
  });
}
