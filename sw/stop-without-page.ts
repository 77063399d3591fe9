/**
 * A stop pressed outside any page: saved first, then sent. Where it cannot be saved it is sent all
 * the same, under one id, for as long as the worker may live.
 */
import type { Bearer, Drained } from '../src/offline/drain.ts';
import { QueueFull } from '../src/offline/outbox.ts';
import { isPending, type CommandRequest } from '../src/offline/outbox-entry.ts';
import type { QueueState } from '../src/offline/queue-store.ts';
import type { Line } from '../src/offline/send.ts';
import { readSnapshot } from '../src/offline/snapshots.ts';
import type { StopOutcome, UnsavedStopOutcome } from '../src/offline/stop-notification.ts';
import { sendUnsaved, type Patience } from '../src/offline/unsaved.ts';
import { StorageFault, type UserDatabase } from '../src/offline/user-database.ts';
import type { UserQueue } from '../src/offline/user-queue.ts';

export interface StopPorts {
  queue: UserQueue;
  database: UserDatabase;
  line: Line;
  token(force: boolean): Promise<Bearer | null>;
  /** Sends what waits. */
  deliver(): Promise<Drained>;
  outcomeOf(commandId: string): Promise<StopOutcome>;
  /** Called before a stop is sent that only this worker knows of. */
  beforeUnsaved(): Promise<void>;
  patience?: Patience;
}

/** `end`: how the delivery of a saved stop ended; null where it failed. */
export type StopWithoutPage =
  | { said: StopOutcome; commandId: string; end: Drained['end'] | null }
  | { said: UnsavedStopOutcome | 'signed-out'; commandId: null };

/** Browsers let a worker live for half a minute after a press. */
const PATIENCE: Patience = { forMs: 15_000, everyMs: 2_000 };

const UNSAVED_OUTCOMES = { done: 'delivered', refused: 'refused', unknown: 'unconfirmed' } as const;

const isSignedOut = (error: unknown): boolean =>
  error instanceof StorageFault && error.code === 'signed-out';

/** What the queue on the disk says became of a command, whichever tab sent it. */
export function outcomeIn({ entries, meta }: QueueState, commandId: string): StopOutcome {
  if (meta.taken?.includes(commandId) === true) return 'delivered';
  const left = entries.find((entry) => entry.commandId === commandId);
  if (left === undefined) return 'gone';
  return isPending(left) ? 'waiting' : 'failed';
}

export async function stopWithoutPage(
  asked: CommandRequest,
  ports: StopPorts,
): Promise<StopWithoutPage> {
  const request = { ...asked, press: { id: crypto.randomUUID(), at: Date.now() } };
  let commandId: string;
  try {
    ({ commandId } = await ports.queue.outbox.enqueue(await named(request, ports.database)));
  } catch (error) {
    if (isSignedOut(error)) return { said: 'signed-out', commandId: null };
    if (!(error instanceof StorageFault || error instanceof QueueFull)) throw error;
    await ports.beforeUnsaved();
    return { said: await stopUnsaved(request, ports), commandId: null };
  }
  const drained = await ports.deliver().catch(() => null);
  const end = drained?.end ?? null;
  try {
    return { said: await ports.outcomeOf(commandId), commandId, end };
  } catch (error) {
    // It was saved. That the queue does not read now says nothing of it.
    return isSignedOut(error)
      ? { said: 'signed-out', commandId: null }
      : { said: 'waiting', commandId, end };
  }
}

/** With its agent's name as it is kept: a notification that shows no names holds none either. */
async function named(request: CommandRequest, database: UserDatabase): Promise<CommandRequest> {
  if (request.agentName !== '') return request;
  const kept = await readSnapshot(database.uid, 'agents', database).catch(() => null);
  const agent = kept?.value.agents.find(({ id }) => id === request.agentId);
  return { ...request, agentName: agent?.name ?? '' };
}

async function stopUnsaved(request: CommandRequest, ports: StopPorts): Promise<UnsavedStopOutcome> {
  const { database, line, queue, patience = PATIENCE } = ports;
  const sent = await sendUnsaved(database.uid, request, {
    line,
    // Nothing more is sent for a user who has logged out meanwhile.
    token: (force) => (database.deleted ? Promise.resolve(null) : ports.token(force)),
    patience,
    outbox: queue.outbox,
    told: queue.told,
  });
  return sent === null ? 'not-saved' : UNSAVED_OUTCOMES[sent.outcome];
}
