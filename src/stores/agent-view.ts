/** An agent as shown: the server's state with unsent commands on top. */
import type { Agent } from '../../contract/agents.ts';
import { localSentence } from '../format/sentences.ts';
import { concerns, isStop, type OutboxEntry } from '../offline/outbox-entry.ts';

export interface AgentView {
  agent: Agent;
  /**
   * The command of this device that matters now: the newest that is not over, else a failure not
   * yet dismissed.
   */
  entry: OutboxEntry | null;
  /** What that command asks for; null where nothing waits. */
  pendingIntent: 'start' | 'stop' | null;
  /** The server's word on the agent, then the command's state: two facts, two lines. */
  statusText: string;
  /** Whether that word still stands: the server is there and has spoken lately. */
  current: boolean;
  commandText: string | null;
  /** A stop that failed stands as an alert until it is dealt with. */
  alert: boolean;
  canStart: boolean;
  canStop: boolean;
  /**
   * The command was never sent and concerns this agent alone: it can be taken back as if never
   * pressed.
   */
  canUndo: boolean;
  /** A start waits for the person, who is shown what has changed before it is confirmed. */
  canReview: boolean;
}

const STATUS_WORD = {
  running: 'Running',
  stopped: 'Stopped',
  halted: 'Halted',
  faulted: 'Faulted',
} as const;

/** "Running", "Stopped when last seen": the server's word, and whether it still stands. */
export const statusWord = (status: Agent['status'], current: boolean): string =>
  `${STATUS_WORD[status]}${current ? '' : ' when last seen'}`;

/** ", protecting 2 positions" of an agent that opens nothing more; empty for one that runs. */
export function protectingText({
  status,
  openPositions,
}: Pick<Agent, 'status' | 'openPositions'>): string {
  if (openPositions === 0 || status === 'running' || status === 'halted') return '';
  return `, protecting ${openPositions} ${openPositions === 1 ? 'position' : 'positions'}`;
}

/**
 * "Running", "Stopped, protecting 2 positions", "Halted: …": only ever what the server said. Once
 * the server is away nobody here knows what has happened since: then it is "Running when last
 * seen".
 */
export function statusText(
  agent: Pick<Agent, 'status' | 'openPositions' | 'hold'>,
  current = true,
): string {
  const why =
    agent.hold === null || agent.status === 'running' || agent.status === 'stopped'
      ? ''
      : `: ${localSentence(agent.hold.text)}`;
  return `${statusWord(agent.status, current)}${why}${protectingText(agent)}`;
}

/** "2 of 5 running", and of an earlier moment where the server's word no longer stands. */
export function runningText(agents: readonly Pick<Agent, 'status'>[], current: boolean): string {
  const running = agents.filter(({ status }) => status === 'running').length;
  return `${running} of ${agents.length} running${current ? '' : ' when last seen'}`;
}

const WORD = {
  start: 'Start',
  stop: 'Stop',
  'start-all': 'Start all',
  'stop-all': 'Stop all',
  'set-alert': 'Alert',
  'delete-alert': 'Deletion of alert',
} as const;

/** A command by what it does and to whom: "Stop Harbour", "Stop all". */
export function commandName(entry: Pick<OutboxEntry, 'intent' | 'agentName'>): string {
  return entry.agentName === '' ? WORD[entry.intent] : `${WORD[entry.intent]} ${entry.agentName}`;
}

/** Whom or what a command is about. */
export const commandTarget = (entry: Pick<OutboxEntry, 'agentName'>): string =>
  entry.agentName === '' ? 'All agents' : entry.agentName;

/** The same of a record that was set aside; null where it cannot be read even so far. */
export function setAsideName(
  record: { readonly intent: OutboxEntry['intent']; readonly agentName: string } | null,
): string | null {
  return record === null ? null : commandName(record);
}

/** Where a command is on its way, in words. */
export function commandText(
  entry: Pick<OutboxEntry, 'intent' | 'state' | 'reason' | 'attempts'>,
): string {
  const name = WORD[entry.intent];
  const why = entry.reason === null ? '' : `: ${entry.reason.message}`;
  switch (entry.state) {
    // Once it has been on its way, nobody here knows whether it arrived: only that no answer came.
    case 'saved':
      return `${name} saved on this device. ${entry.attempts === 0 ? 'Not yet received' : 'Sent, but not confirmed'} by the server.`;
    case 'sending':
      return `${name} is being sent.`;
    case 'accepted':
      return `${name} accepted by the server.`;
    case 'needs-you':
      return `${name} needs you${why}`;
    case 'failed':
      return entry.reason?.code === 'partly_refused'
        ? `${name} partly failed${why}`
        : `${name} failed${why}`;
    case 'lapsed':
      return `${name} expired${why}`;
    case 'cancelled':
      return `${name} cancelled.`;
  }
}

/** What a stop that was never sent leaves going on; nothing of what does not run. */
export function untilThen(
  entry: Pick<OutboxEntry, 'intent' | 'state' | 'attempts' | 'agentId'>,
  agents: readonly Pick<Agent, 'id' | 'status'>[],
): string {
  if (!isStop(entry) || entry.state !== 'saved' || entry.attempts > 0) return '';
  const running = agents.filter(
    ({ id, status }) => status === 'running' && (entry.agentId === null || entry.agentId === id),
  );
  return running.length === 0
    ? ''
    : running.length === 1
      ? ' The agent keeps trading until then.'
      : ' Your agents keep trading until then.';
}

/**
 * The command's words on the screen of one agent: of a command for many, what became of this one.
 */
function textFor(entry: OutboxEntry, agentId: string): string {
  const mine = entry.results?.find((result) => result.agentId === agentId);
  return mine === undefined
    ? commandText(entry)
    : `${isStop(entry) ? 'Stop' : 'Start'} failed: ${mine.message === '' ? 'no reason given' : mine.message}`;
}

/** Whom a command is about. One that went in part is about those for whom it did not. */
function concernsAgent(entry: OutboxEntry, agentId: string): boolean {
  if (entry.results !== undefined)
    return entry.results.some((result) => result.agentId === agentId && !result.went);
  return concerns(entry)?.includes(agentId) ?? true;
}
const isOpen = (entry: OutboxEntry): boolean =>
  entry.state === 'saved' ||
  entry.state === 'sending' ||
  entry.state === 'needs-you' ||
  entry.state === 'accepted';

/**
 * A stop that was not carried out and is not being tried any more: it stands on every screen until
 * it is dealt with.
 */
export const failedStops = <E extends Pick<OutboxEntry, 'intent' | 'state'>>(
  entries: readonly E[],
): E[] =>
  entries.filter(
    (entry) => isStop(entry) && (entry.state === 'failed' || entry.state === 'lapsed'),
  );

/** Lays the queue over one agent. Nothing here changes the agent: `status` stays the server's. */
export function agentView(
  agent: Agent,
  entries: readonly OutboxEntry[],
  current = true,
): AgentView {
  const mine = entries
    .filter((entry) => concernsAgent(entry, agent.id))
    .sort((a, b) => b.sequence - a.sequence);
  const open = mine.find(isOpen) ?? null;
  const entry =
    open ?? mine.find((other) => other.state === 'failed' || other.state === 'lapsed') ?? null;
  const pendingIntent = open === null ? null : isStop(open) ? 'stop' : 'start';
  const unsent = open !== null && open.attempts === 0 && open.agentId !== null;
  return {
    agent,
    entry,
    pendingIntent,
    current,
    statusText: statusText(agent, current),
    commandText: entry === null ? null : `${textFor(entry, agent.id)}${untilThen(entry, [agent])}`,
    alert: entry !== null && failedStops([entry]).length > 0,
    canStart:
      (agent.status === 'stopped' || agent.status === 'faulted') && pendingIntent !== 'start',
    // Stop is never hidden: a start on its way may still arrive. One that waits to be confirmed and
    // was never sent cannot.
    canStop:
      pendingIntent !== 'stop' &&
      (agent.status !== 'stopped' ||
        (pendingIntent === 'start' && !(open?.state === 'needs-you' && open.attempts === 0))),
    canUndo: unsent && open.state === 'saved',
    canReview: open?.state === 'needs-you',
  };
}
