/** Sends the queue from the worker, with or without a page. */
import type { Agent } from '../contract/agents.ts';
import { needsPerson, showBadge } from '../src/offline/badge.ts';
import { openChannel } from '../src/offline/channel.ts';
import { openUserDatabase, type UserDatabase } from '../src/offline/user-database.ts';
import { deliver as byHttp } from '../src/offline/deliver.ts';
import type { Drained } from '../src/offline/drain.ts';
import type { CommandRequest } from '../src/offline/outbox-entry.ts';
import { readSnapshot } from '../src/offline/snapshots.ts';
import type { StopOutcome } from '../src/offline/stop-notification.ts';
import { openUserQueue, type UserQueue } from '../src/offline/user-queue.ts';
import { workerIdentity } from '../src/identity/worker-token.ts';
import { outcomeIn, stopWithoutPage, type StopWithoutPage } from './stop-without-page.ts';
import { withoutToken } from './sync-again.ts';

const channel = openChannel();
const identity = workerIdentity();
/** Commands that the server was heard to take, from here or from a page. */
const taken = new Set<string>();
const queues = new Map<string, { queue: UserQueue; database: UserDatabase }>();

/** A user's database as the page created it; the worker never creates one. */
export function databaseOf(uid: string): UserDatabase {
  return openUserDatabase(uid, { mayCreate: () => false });
}

function queueOf(uid: string, baseUrl: string): { queue: UserQueue; database: UserDatabase } {
  const database = databaseOf(uid);
  const present = queues.get(uid);
  if (present !== undefined && present.database === database) return present;
  present?.queue.close();
  const queue = openUserQueue(database, {
    line: { baseUrl },
    deliver: byHttp,
    channel,
    token: (force) => identity.token(force),
    onDelivered: ({ commandId }) => {
      taken.add(commandId);
    },
  });
  const made = { queue, database };
  queues.set(uid, made);
  return made;
}

/** The user logged in here, with a token; null without a user or a token. */
export const currentToken = (): Promise<{ uid: string; token: string } | null> => identity.token();

/** Drains the queue of the logged-in user. */
export async function deliver(baseUrl: string): Promise<Drained> {
  const held = await identity.token();
  if (held === null) return withoutToken({ baseUrl });
  const { queue } = queueOf(held.uid, baseUrl);
  const drained = await queue.drain();
  // With no page open nobody else tells that something was refused.
  await badge(held.uid, baseUrl);
  return drained;
}

let numbering: Promise<void> = Promise.resolve();

/**
 * The number on the icon from what is kept of this user; where nothing may be kept, from the agents
 * just heard of. One after the other: of two messages at once, the one that read earlier must not
 * write later.
 */
export function badge(
  uid: string,
  baseUrl: string,
  pushedAgents: readonly Agent[] = [],
): Promise<void> {
  numbering = numbering.then(() => number(uid, baseUrl, pushedAgents)).catch(() => undefined);
  return numbering;
}

async function number(uid: string, baseUrl: string, pushedAgents: readonly Agent[]): Promise<void> {
  const { queue, database } = queueOf(uid, baseUrl);
  const kept = await readSnapshot(uid, 'agents', database);
  const { entries } = await queue.outbox.state();
  await showBadge(needsPerson(entries, kept?.value.agents ?? pushedAgents));
}

/** What has become of a stop, whoever sent it. */
export async function outcomeOf(
  uid: string,
  commandId: string,
  baseUrl: string,
): Promise<StopOutcome> {
  try {
    const outcome = outcomeIn(await queueOf(uid, baseUrl).queue.outbox.state(), commandId);
    return taken.has(commandId) ? 'delivered' : outcome;
  } catch (error) {
    // What was heard is true, whether or not the queue reads.
    if (!taken.has(commandId)) throw error;
    return 'delivered';
  }
}

/** A stop pressed outside any page. `beforeUnsaved`: before one is sent that could not be saved. */
export function stopOutside(
  uid: string,
  request: CommandRequest,
  baseUrl: string,
  beforeUnsaved: () => Promise<void>,
): Promise<StopWithoutPage> {
  return stopWithoutPage(request, {
    ...queueOf(uid, baseUrl),
    line: { baseUrl },
    token: (force) => identity.token(force),
    deliver: () => deliver(baseUrl),
    outcomeOf: (commandId) => outcomeOf(uid, commandId, baseUrl),
    beforeUnsaved,
  });
}

/** A page has logged its user out: the worker writes and sends nothing more for them. */
export async function forget(uid: string): Promise<void> {
  queues.get(uid)?.queue.close();
  queues.delete(uid);
  await databaseOf(uid).retire();
  await showBadge(0);
}

channel.listen((message) => {
  if (message.type === 'purged') void forget(message.uid);
  if (message.type === 'delivered') taken.add(message.entry.commandId);
});
