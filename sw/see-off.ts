/** A saved stop after its press: what its notification says, and the tries while the worker lives. */
import type { Drained } from '../src/offline/drain.ts';
import type { PushTarget } from '../src/offline/notification.ts';
import { showStop, type StopWait } from '../src/offline/stop-notification.ts';
import { waitOf } from './sync-again.ts';

const SYNC_TAG = 'outbox';
/** Browsers let a worker live for half a minute after a press. */
const FOLLOWS_MS = 20_000;
const FOLLOWS_EVERY_MS = 2_000;

export interface SeeOffPorts {
  registration: ServiceWorkerRegistration;
  /** Sends what waits. */
  deliver(): Promise<Drained>;
  /** Says of every stop called saved what became of it. Resolves to how many still wait. */
  tell(waits: StopWait): Promise<number>;
}

type End = Drained['end'] | null;

/**
 * Whether the browser wakes this worker once there is a network. Not every browser can, and Chromium
 * refuses where no page is open; then the app sends when it is next opened.
 */
async function wakeWithNetwork(registration: ServiceWorkerRegistration): Promise<boolean> {
  const { sync } = registration as { sync?: { register(tag: string): Promise<void> } };
  if (sync === undefined) return false;
  return sync.register(SYNC_TAG).then(
    () => true,
    () => false,
  );
}

const needsPerson = (end: End): boolean => end === 'sign-in' || end === 'update';

/** `end`: how the delivery at the press ended; null where it failed. */
export async function seeOff(
  { commandId, end }: { commandId: string; end: End },
  target: PushTarget,
  ports: SeeOffPorts,
): Promise<void> {
  const isWoken = await wakeWithNetwork(ports.registration);
  // A server that is only slow or busy has it in a moment.
  const isFollowed = end !== null && end !== 'offline' && !needsPerson(end);
  await showStop(ports.registration, waitOf(end, isWoken || isFollowed), target, commandId);
  if (isFollowed) await follow(isWoken, ports);
}

/** `isWoken`: the browser wakes this worker for what is left after this. */
async function follow(isWoken: boolean, ports: SeeOffPorts): Promise<void> {
  const until = Date.now() + FOLLOWS_MS;
  for (;;) {
    await new Promise((resolve) => {
      setTimeout(resolve, FOLLOWS_EVERY_MS);
    });
    const end = await ports.deliver().then(
      (drained) => drained.end,
      () => null,
    );
    const isLast = Date.now() >= until || needsPerson(end);
    const left = await ports.tell(waitOf(end, isWoken || !isLast));
    if (left === 0 || isLast) return;
  }
}
