/** Sends a command that could not be saved on the device: once, or while its sender waits for it. */
import type { Agent } from '../../contract/agents.ts';
import type { Alert } from '../../contract/alerts.ts';
import { partlyRefused } from './after-delivery.ts';
import { agentsIn, alertIn, resultsIn, type Bearer } from './drain.ts';
import type { Outbox } from './outbox.ts';
import {
  isAlert,
  isPending,
  isStop,
  type CommandRequest,
  type OutboxEntry,
} from './outbox-entry.ts';
import { coalesce, overlap } from './queue-rules.ts';
import { judge } from './replies.ts';
import { send, type Line } from './send.ts';
import type { UserQueue } from './user-queue.ts';

export type Unsaved =
  /** `refused`: of a command for many, of which the server rejected some. */
  | {
      outcome: 'done';
      agents: Agent[];
      alert: Alert | null;
      said: 'sent' | 'refused';
      message: string;
    }
  | { outcome: 'refused'; message: string }
  /** It may or may not have arrived, and will not be sent again from here. */
  | { outcome: 'unknown'; message: string };

/** How long a sender stays to try again without an answer, and how often it does. */
export interface Patience {
  forMs: number;
  everyMs: number;
}

export interface UnsavedPorts {
  line: Line;
  token(force: boolean): Promise<Bearer | null>;
  /** Without it the command is sent once. */
  patience?: Patience;
  /** The disk may have taken the command after all: whoever reads it there learns what became of it. */
  outbox?: Pick<Outbox, 'unmarked' | 'changed'> | undefined;
  /** The queue as last read. */
  waiting?: readonly OutboxEntry[];
  /** The other tabs hear what the server said. */
  told?: UserQueue['told'] | undefined;
}

/** Null where nothing was sent. */
export async function sendUnsaved(
  uid: string,
  request: CommandRequest,
  ports: UnsavedPorts,
): Promise<Unsaved | null> {
  const entry = unsavedEntry(uid, request, ports);
  if (entry === null) return null;
  if (isUndoneLater(entry, ports)) return { outcome: 'unknown', message: STOP_WAITS };
  if (entry.state === 'cancelled') return doneBy([], null, null);
  const { forMs, everyMs } = ports.patience ?? { forMs: 0, everyMs: 0 };
  // Not the device's clock, which may be set meanwhile.
  const until = performance.now() + forMs;
  let unknown: Unsaved | null = null;
  for (;;) {
    const sent = await sendEntry(entry, ports);
    if (sent?.outcome === 'done') return sent;
    // What an earlier try came to is still unknown: it may have arrived.
    if (sent?.outcome === 'refused') return unknown ?? sent;
    unknown = sent ?? unknown;
    if (performance.now() + everyMs >= until) return unknown;
    await new Promise((resolve) => {
      setTimeout(resolve, everyMs);
    });
  }
}

const STOP_WAITS =
  'Not sent: an earlier stop is still waiting and would stop this again. It may not be saved on this device either. Look what is waiting before you press Start again.';

/** A start that goes past the queue would be stopped by what waits there, and nobody would be asked. */
const isUndoneLater = (entry: OutboxEntry, { waiting = [], outbox }: UnsavedPorts): boolean =>
  !isStop(entry) &&
  !isAlert(entry) &&
  waiting.some(
    (other) =>
      isStop(other) &&
      isPending(other) &&
      outbox?.unmarked.get(other.commandId) !== true &&
      overlap(entry, other),
  );

/**
 * One id and one time of the press for every try, so that the server acts on it once. The disk would
 * have merged it with the same request that waits there unsent: then it is that one.
 */
function unsavedEntry(
  uid: string,
  request: CommandRequest,
  { waiting = [], outbox }: UnsavedPorts,
): OutboxEntry | null {
  const { id, at } = request.press ?? { id: crypto.randomUUID(), at: Date.now() };
  const stamp = {
    uid,
    commandId: id,
    now: at,
    clockOffsetMs: null,
    clockMoved: false,
  };
  const joining = (present: readonly OutboxEntry[]): OutboxEntry | null =>
    coalesce(present, request, stamp, () => crypto.randomUUID()).entry;
  const alone = joining([]);
  if (isAlert(request)) return alone;
  const merged = joining(
    waiting.filter((entry) => entry.uid === uid && outbox?.unmarked.has(entry.commandId) !== true),
  );
  return merged !== null && isOfSameState(merged, request) ? merged : alone;
}

/**
 * What was last read may have been sent since, by the worker. Its receipt would answer for an agent
 * that was started after it, whose generation is another.
 */
const isOfSameState = (entry: OutboxEntry, { seenGeneration, agents }: CommandRequest): boolean =>
  entry.seenGeneration === seenGeneration &&
  entry.agents.length === agents.length &&
  agents.every((agent) =>
    entry.agents.some(
      (other) => other.id === agent.id && other.seenGeneration === agent.seenGeneration,
    ),
  );

const SENT = 'Sent to the server. It could not be saved on this device.';

/** `left`: what remains of a command of which the server rejected some agents. */
const doneBy = (agents: Agent[], alert: Alert | null, left: OutboxEntry | null): Unsaved => ({
  outcome: 'done',
  agents,
  alert,
  ...(left === null
    ? { said: 'sent', message: SENT }
    : { said: 'refused', message: `${SENT} ${partlyText(left)}` }),
});

function partlyText({ reason, results = [] }: OutboxEntry): string {
  const refused = results
    .filter(({ went }) => !went)
    .map(({ name, message }) => ` ${name}: ${(message || 'no reason given').replace(/\.$/, '')}.`);
  return `${reason?.message ?? ''}.${refused.join('')}`;
}

/** One try. Null without a token of the command's own user. */
async function sendEntry(entry: OutboxEntry, ports: UnsavedPorts): Promise<Unsaved | null> {
  for (const refreshed of [false, true]) {
    const bearer = await ports.token(refreshed);
    if (bearer === null || bearer.uid !== entry.uid) return null;
    if (ports.outbox?.unmarked.has(entry.commandId) === false) {
      ports.outbox.unmarked.set(entry.commandId, false);
      ports.outbox.changed(entry.commandId);
    }
    const answer = await send(ports.line, entry, bearer.token);
    const verdict = judge(entry, answer, { now: Date.now(), random: 0, refreshed });
    if (verdict.verdict === 'done') {
      const left = partlyRefused(entry, resultsIn(answer.json, entry), Date.now());
      // What the disk may have of a partly refused one has the same answer, and stays as a failure.
      if (left === null) ports.outbox?.unmarked.set(entry.commandId, true);
      const [agents, alert] = [agentsIn(answer.json), alertIn(answer.json)];
      ports.told?.(entry, agents, alert);
      return doneBy(agents, alert, left);
    }
    if (verdict.verdict === 'settled' || verdict.verdict === 'pause')
      return { outcome: 'refused', message: verdict.entry.reason?.message ?? 'Refused' };
    if (verdict.verdict === 'again') {
      const message =
        answer.status === 0
          ? 'Not saved on this device, and the server did not answer. Check whether it took effect before you try again.'
          : `Not saved on this device, and the server could not accept it: ${verdict.entry.reason?.message ?? 'try again'}`;
      return { outcome: 'unknown', message };
    }
  }
  return null;
}
