/** The callables about push: register a device, unregister it, read and change preferences. */
import { randomUUID } from 'node:crypto';
import { and, asc, count, eq, inArray } from 'drizzle-orm';
import { PUSH_DEVICES_MAX } from '../../contract/push.ts';
import type { CallableReply } from '../../contract/callables.ts';
import type { WallClock } from '../clock.ts';
import type { Database, Tx } from '../db/database.ts';
import { pushMessages, pushSubscriptions, users } from '../db/schema.ts';
import { callablesFor } from '../http/callables.ts';
import { publicEndpoint } from './endpoint.ts';
import { removeDevices, removeSubscriptions, storedAddress } from './push-devices.ts';
import { readPreferences, writePreferences } from './push-preferences.ts';

export interface PushCallDeps {
  database: Database;
  clock: WallClock;
  publicKey: string;
  allowLocal: boolean;
}

type State = CallableReply<'pushSettings'>;

/**
 * The newest devices stay: an address that the browser has given up would otherwise hold a place
 * for ever.
 */
async function keepNewest(tx: Tx, uid: string): Promise<void> {
  const rows = await tx.db
    .select({ id: pushSubscriptions.id })
    .from(pushSubscriptions)
    .where(eq(pushSubscriptions.uid, uid))
    .orderBy(asc(pushSubscriptions.createdAt));
  await removeSubscriptions(
    tx,
    rows.slice(0, Math.max(0, rows.length - PUSH_DEVICES_MAX)).map(({ id }) => id),
  );
}

async function stateOf(tx: Tx, uid: string, publicKey: string): Promise<State> {
  const [devices] = await tx.db
    .select({ count: count() })
    .from(pushSubscriptions)
    .where(eq(pushSubscriptions.uid, uid));
  return { settings: await readPreferences(tx.db, uid), publicKey, devices: devices?.count ?? 0 };
}

interface Device {
  endpoint: string;
  p256dh: string;
  auth: string;
  tokenIssuedAt: number | undefined;
}

async function register(tx: Tx, uid: string, device: Device, clock: WallClock): Promise<void> {
  const { endpoint, ...renewed } = device;
  // The person's row is the lock: what happens from here on is told, what happened before is not.
  const [person] = await tx.db
    .select({ sequence: users.sequence })
    .from(users)
    .where(eq(users.uid, uid))
    .for('update');
  const sequence = person?.sequence ?? 0;
  // A browser has one address: who registers it now is who it belongs to now.
  const [other] = await tx.db
    .select()
    .from(pushSubscriptions)
    .where(eq(pushSubscriptions.endpoint, endpoint))
    .for('update');
  if (other !== undefined && other.uid !== uid) await removeSubscriptions(tx, [other.id]);
  await tx.db
    .insert(pushSubscriptions)
    .values({ id: randomUUID(), uid, endpoint, ...renewed, sequence, createdAt: clock.now() })
    .onConflictDoUpdate({ target: pushSubscriptions.endpoint, set: renewed });
  await keepNewest(tx, uid);
}

async function unregister(tx: Tx, uid: string, endpoint: string): Promise<void> {
  const rows = await tx.db
    .select({ id: pushSubscriptions.id })
    .from(pushSubscriptions)
    .where(
      and(eq(pushSubscriptions.uid, uid), eq(pushSubscriptions.endpoint, storedAddress(endpoint))),
    );
  await removeSubscriptions(
    tx,
    rows.map(({ id }) => id),
  );
}

/** The device that is left has changed the password, and with that got a login of its own. */
async function keepLogin(tx: Tx, uid: string, tokenIssuedAt: number): Promise<void> {
  await tx.db
    .update(pushSubscriptions)
    .set({ tokenIssuedAt })
    .where(eq(pushSubscriptions.uid, uid));
}

/** Drops messages that still wait and are no longer wanted. */
async function dropWaiting(tx: Tx, uid: string, kinds: readonly string[]): Promise<void> {
  if (kinds.length === 0) return;
  const mine = tx.db
    .select({ id: pushSubscriptions.id })
    .from(pushSubscriptions)
    .where(eq(pushSubscriptions.uid, uid));
  await tx.db
    .update(pushMessages)
    .set({ state: 'dropped' })
    .where(
      and(
        inArray(pushMessages.subscriptionId, mine),
        eq(pushMessages.state, 'waiting'),
        inArray(pushMessages.kind, [...kinds]),
      ),
    );
}

export function pushCallables({ database, clock, publicKey, allowLocal }: PushCallDeps) {
  return callablesFor({
    registerPush: ({ uid, issuedAtMs: tokenIssuedAt }, { subscription }) => {
      const endpoint = publicEndpoint(subscription.endpoint, allowLocal);
      const { p256dh, auth } = subscription.keys;
      return database.transaction(async (tx) => {
        await register(tx, uid, { endpoint, p256dh, auth, tokenIssuedAt }, clock);
        return stateOf(tx, uid, publicKey);
      });
    },
    unregisterPush: ({ uid }, { endpoint }) =>
      database.transaction(async (tx) => {
        await unregister(tx, uid, endpoint);
        return stateOf(tx, uid, publicKey);
      }),
    unregisterOtherPush: ({ uid, issuedAtMs }, { endpoint }) =>
      database.transaction(async (tx) => {
        await removeDevices(tx, uid, endpoint);
        if (issuedAtMs !== undefined) await keepLogin(tx, uid, issuedAtMs);
        return stateOf(tx, uid, publicKey);
      }),
    pushSettings: ({ uid }, { settings }) =>
      database.transaction(async (tx) => {
        if (settings !== undefined) {
          await writePreferences(tx, uid, settings);
          const off = Object.entries(settings.kinds)
            .filter(([, on]) => !on)
            .map(([kind]) => kind);
          await dropWaiting(tx, uid, off);
        }
        return stateOf(tx, uid, publicKey);
      }),
  });
}
