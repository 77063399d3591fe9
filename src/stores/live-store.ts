/**
 * Exchange accounts as the server last reported them: loaded, kept on the device and brought up to
 * date by the stream. Its code comes after the first picture.
 */
import * as z from 'zod/mini';
import { LiveAccount, type LiveConnections } from '../../contract/live.ts';
import { LiveConnection, type LiveOrderWire } from '../../contract/live-state.ts';
import type { StreamEvent } from '../../contract/stream.ts';
import { api } from '../api/api.ts';
import { session } from '../identity/session.ts';
import { readSnapshot, writeSnapshot } from '../offline/snapshots.ts';
import { log } from '../platform/page-log.ts';
import { accountChoice, chooseAccount, noteLiveAccounts } from './account-choice.ts';
import { liveSlots } from './live-slots.ts';
import { load } from './load-slot.ts';
import { emptySlot, fill, type Origin, type Slot } from './slot.ts';

type LiveEvent = Extract<StreamEvent, { type: 'live_order' | 'live_connection' }>;

/** Changes come in bursts; the device is written once for each. */
const KEEP_AFTER_MS = 500;
/** An order that changed moves cash, positions and fees: they are read once for each burst. */
const REREAD_AFTER_MS = 300;

const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

let keeping: ReturnType<typeof setTimeout> | undefined;

async function keepNow(uid: string): Promise<void> {
  const { connections, accounts } = liveSlots;
  if (connections.data === null || connections.savedAt === null) return;
  const kept = Object.values(accounts).flatMap(({ data, savedAt }) =>
    data === null || savedAt === null ? [] : [{ savedAt, account: plain(data) as unknown }],
  );
  await writeSnapshot(uid, 'exchanges', {
    savedAt: connections.savedAt,
    connections: plain(connections.data) as unknown[],
    accounts: kept,
  });
}

/** Saves what is here a moment later, for its user alone. */
function keep(): void {
  const uid = session.user?.uid;
  clearTimeout(keeping);
  if (uid === undefined) return;
  keeping = setTimeout(() => {
    if (session.user?.uid !== uid) return;
    keepNow(uid).catch((error: unknown) => {
      log.warn('Could not save exchange accounts', error);
    });
  }, KEEP_AFTER_MS);
}

function applyConnections(list: LiveConnection[], origin: Origin, savedAt = Date.now()): void {
  fill(liveSlots.connections, list, origin, savedAt);
  const open = list.filter(({ state }) => state !== 'ended');
  noteLiveAccounts(open).catch((error: unknown) => {
    log.warn('Could not save which accounts there are', error);
  });
}

function slotOf(id: string): Slot<LiveAccount> {
  liveSlots.accounts[id] ??= emptySlot();
  return liveSlots.accounts[id];
}

/** Fills what is still empty from the device. */
export async function restoreLive(uid: string, present: () => boolean): Promise<void> {
  const kept = (await readSnapshot(uid, 'exchanges'))?.value;
  if (kept === undefined || !present()) return;
  const list = z.array(LiveConnection).safeParse(kept.connections);
  if (list.success && liveSlots.connections.data === null)
    fill(liveSlots.connections, list.data, 'snapshot', kept.savedAt);
  for (const { savedAt, account } of kept.accounts) {
    const parsed = LiveAccount.safeParse(account);
    if (!parsed.success) continue;
    const slot = slotOf(parsed.data.connection.id);
    if (slot.data === null) fill(slot, parsed.data, 'snapshot', savedAt);
  }
}

export function loadConnections(force = false): Promise<void> {
  return load(
    liveSlots.connections,
    force,
    () => api.call('liveConnections', {}),
    (reply: z.infer<typeof LiveConnections>) => {
      applyConnections(reply.connections, 'network');
      keep();
    },
  );
}

/** Every open account as well, so that it can be read offline without having been looked at. */
export async function loadLive(): Promise<void> {
  await loadConnections();
  const open = (liveSlots.connections.data ?? []).filter(({ state }) => state === 'open');
  await Promise.all(open.map(({ id }) => loadLiveAccount(id)));
}

export function loadLiveAccount(id: string, force = false): Promise<void> {
  const slot = slotOf(id);
  return load(
    slot,
    force,
    () => api.call('liveAccount', { params: { id } }),
    (reply) => {
      applyLiveAccount(reply, 'network');
      if (liveSlots.connections.data === null) void loadConnections();
    },
  );
}

/** Replaces the account unless a newer one is here. */
export function applyLiveAccount(next: LiveAccount, origin: Origin, savedAt = Date.now()): void {
  const slot = slotOf(next.connection.id);
  if (slot.data !== null && (next.sequence < slot.data.sequence || next.asOf < slot.data.asOf))
    return;
  fill(slot, next, origin, savedAt);
  noteConnection(next.connection);
  keep();
}

/** In a list that is here. One connection is not the list of all: the others would count as gone. */
function noteInList(next: LiveConnection): void {
  const { data: list, origin, savedAt } = liveSlots.connections;
  if (list === null) return;
  const isListed = list.some(({ id }) => id === next.id);
  const all = isListed ? list.map((one) => (one.id === next.id ? next : one)) : [...list, next];
  applyConnections(all.map(plain), origin ?? 'stream', savedAt ?? Date.now());
}

function noteConnection(next: LiveConnection): void {
  noteInList(next);
  const account = liveSlots.accounts[next.id]?.data;
  if (account != null)
    account.connection =
      // What was read before the first comparison does not come of it: it is read again.
      account.connection.reconciledAt === null ? { ...next, reconciledAt: null } : next;
}

/** A connection by a reply or by the stream, in the list and in its account. */
export function applyConnection(next: LiveConnection): void {
  noteConnection(next);
  // A list that is under way may be older than this.
  if (liveSlots.connections.data === null) void loadConnections(true);
  keep();
}

/**
 * A connection that was just made is shown from now on: once the list has it, as an older one that
 * is under way would give the choice back to paper.
 */
export async function takeNewConnection(next: LiveConnection): Promise<void> {
  const uid = session.user?.uid;
  const { chosen } = accountChoice;
  applyConnection(next);
  await loadConnections(true);
  // Whoever has chosen another account meanwhile keeps that.
  if (session.user?.uid === uid && accountChoice.chosen === chosen) await chooseAccount(next.id);
}

function applyOrder(connectionId: string, order: LiveOrderWire): void {
  const account = liveSlots.accounts[connectionId]?.data;
  if (account == null) return;
  const index = account.orders.findIndex(
    ({ clientOrderId }) => clientOrderId === order.clientOrderId,
  );
  if (index < 0) account.orders.unshift(order);
  else if ((account.orders[index]?.changedAt ?? 0) <= order.changedAt)
    account.orders[index] = order;
}

const rereading = new Map<string, ReturnType<typeof setTimeout>>();

/** Reads an account again that a screen of this page has asked for. */
function rereadSoon(id: string): void {
  const uid = session.user?.uid;
  if (liveSlots.accounts[id] === undefined) return;
  clearTimeout(rereading.get(id));
  rereading.set(
    id,
    setTimeout(() => {
      rereading.delete(id);
      if (session.status === 'signed-in' && session.user?.uid === uid)
        void loadLiveAccount(id, true);
    }, REREAD_AFTER_MS),
  );
}

/** One event of the stream. */
export function applyLiveEvent(event: LiveEvent): void {
  if (event.type === 'live_order') {
    applyOrder(event.connectionId, event.order);
    rereadSoon(event.connectionId);
    return;
  }
  const { connection, raised } = event;
  const account = liveSlots.accounts[connection.id]?.data;
  if (account != null) account.alarms.unshift(...raised);
  applyConnection(connection);
  rereadSoon(connection.id);
}

/** After a gap in the stream: what is shown is read again. */
export async function rereadLive(): Promise<void> {
  await Promise.all([
    loadConnections(true),
    ...Object.keys(liveSlots.accounts).map((id) => loadLiveAccount(id, true)),
  ]);
}
