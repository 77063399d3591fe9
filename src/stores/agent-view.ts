/** An agent as shown: the server's state with unsent commands on top. */
import type { Agent } from '../../contract/agents.ts';
import { localSentence } from '../format/sentences.ts';
import { concerns, isStop, type OutboxEntry } from '../offline/outbox-entry.ts';
import type { AgentMoney } from './agent-money.ts';
import { unprotectedOf } from './agent-stops.ts';

export interface AgentView {
  /** As the server told of it, with newer money where its result is known. */
  agent: Agent;
  /** Its money by the newest word of it. */
  money: AgentMoney;
  /**
   * The relevant command of this device: the newest pending one, otherwise a failure that was not
   * dismissed.
   */
  entry: OutboxEntry | null;
  /** What that command asks for; null without one. */
  pendingIntent: 'start' | 'stop' | null;
  /** The server's state of the agent and the state of the command: two facts, two lines. */
  statusText: string;
  /** Whether the server's state is current. */
  current: boolean;
  /** How many of its positions have no stop loss; null where that is not known. */
  unprotected: number | null;
  commandText: string | null;
  /** A failed stop is shown as an alert until it is retried or dismissed. */
  alert: boolean;
  canStart: boolean;
  canStop: boolean;
  /** The command was never sent and concerns this agent alone: it can be undone. */
  canUndo: boolean;
  /** A start waits for confirmation after a review. */
  canReview: boolean;
}

const STATUS_WORD = {
  running: 'Running',
  stopped: 'Stopped',
  halted: 'Halted',
  faulted: 'Faulted',
} as const;

/** "Running", or "Stopped when last seen" if that may be out of date. */
export const statusWord = (status: Agent['status'], current: boolean): string =>
  `${STATUS_WORD[status]}${current ? '' : ' when last seen'}`;

/**
 * ", protecting 2 positions" for an agent that opens no positions; empty for a running one.
 * `unprotected`: how many of them have no stop loss, null where that is not known.
 */
export function protectingText(
  { status, openPositions }: Pick<Agent, 'status' | 'openPositions'>,
  unprotected: number | null,
): string {
  if (openPositions === 0 || status === 'running' || status === 'halted') return '';
  const held = `${openPositions} ${openPositions === 1 ? 'position' : 'positions'}`;
  if (unprotected === 0) return `, protecting ${held}`;
  return `, holding ${held}${unprotectedText(openPositions, unprotected)}`;
}

/** " without a stop loss" after a number of positions, or ", 1 without a stop loss". */
export const unprotectedText = (positions: number, unprotected: number | null): string =>
  unprotected === null || unprotected === 0
    ? ''
    : `${unprotected < positions ? `, ${unprotected}` : ''} without a stop loss`;

/**
 * "Running", "Stopped, protecting 2 positions", "Halted: …": the server's state, or "Running when
 * last seen" while the server is away.
 */
export function statusText(
  agent: Pick<Agent, 'status' | 'openPositions' | 'hold'>,
  current = true,
  unprotected: number | null = 0,
): string {
  const why =
    agent.hold === null || agent.status === 'running' || agent.status === 'stopped'
      ? ''
      : `: ${localSentence(agent.hold.text)}`;
  return `${statusWord(agent.status, current)}${why}${protectingText(agent, unprotected)}`;
}

/** "2 of 5 running", or "2 of 5 running when last seen". */
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

/** Intent and target of a command: "Stop Harbour", "Stop all". */
export function commandName(entry: Pick<OutboxEntry, 'intent' | 'agentName'>): string {
  return entry.agentName === '' ? WORD[entry.intent] : `${WORD[entry.intent]} ${entry.agentName}`;
}

/** The target of a command. A stop pressed on a notification may not know its agent's name. */
export const commandTarget = (entry: Pick<OutboxEntry, 'agentId' | 'agentName'>): string =>
  entry.agentName || (entry.agentId === null ? 'All agents' : 'One agent');

/** The same for a quarantined record; null where even that cannot be read. */
export function setAsideName(
  record: { readonly intent: OutboxEntry['intent']; readonly agentName: string } | null,
): string | null {
  return record === null ? null : commandName(record);
}

/** The state of a command in words. */
export function commandText(
  entry: Pick<OutboxEntry, 'intent' | 'state' | 'reason' | 'attempts'>,
): string {
  const name = WORD[entry.intent];
  const why = entry.reason === null ? '' : `: ${entry.reason.message}`;
  switch (entry.state) {
    // Once sent, it is unknown whether it arrived: only that no answer came.
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

/** What an unsent stop leaves running; empty for agents that do not run. */
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

/** The command's text on the screen of one agent: of a command for many, that agent's result. */
function textFor(entry: OutboxEntry, agentId: string): string {
  const mine = entry.results?.find((result) => result.agentId === agentId);
  return mine === undefined
    ? commandText(entry)
    : `${isStop(entry) ? 'Stop' : 'Start'} failed: ${mine.message === '' ? 'no reason given' : mine.message}`;
}

/** Agents of a command. A partly failed one concerns those that failed. */
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
 * A failed stop that is no longer retried: shown on every screen until it is retried or dismissed.
 */
export const failedStops = <E extends Pick<OutboxEntry, 'intent' | 'state'>>(
  entries: readonly E[],
): E[] =>
  entries.filter(
    (entry) => isStop(entry) && (entry.state === 'failed' || entry.state === 'lapsed'),
  );

/**
 * Combines an agent with the queue. The agent itself does not change: `status` stays the server's.
 */
export function agentView(
  told: Agent,
  entries: readonly OutboxEntry[],
  current = true,
  unprotected = unprotectedOf(told, {}, current),
  money: AgentMoney = told,
): AgentView {
  const agent = money.total === null ? told : { ...told, ...money };
  const mine = entries
    .filter((entry) => concernsAgent(entry, agent.id))
    .sort((a, b) => b.sequence - a.sequence);
  const open = mine.find(isOpen) ?? null;
  const entry =
    open ?? mine.find((other) => other.state === 'failed' || other.state === 'lapsed') ?? null;
  const pendingIntent = open === null ? null : isStop(open) ? 'stop' : 'start';
  // What is accepted is done: then the server's state says what can be pressed.
  const waits = mine.find((other) => isOpen(other) && other.state !== 'accepted');
  const unsent = open !== null && open.attempts === 0 && open.agentId !== null;
  return {
    agent,
    money,
    entry,
    pendingIntent,
    current,
    unprotected,
    statusText: statusText(agent, current, unprotected),
    commandText: entry === null ? null : `${textFor(entry, agent.id)}${untilThen(entry, [agent])}`,
    alert: entry !== null && failedStops([entry]).length > 0,
    canStart:
      (agent.status === 'stopped' || agent.status === 'faulted') &&
      (waits === undefined || isStop(waits)),
    // Stop is available even when stopped, because a start on its way may still arrive. An unsent
    // start that waits for confirmation cannot.
    canStop:
      !(waits !== undefined && isStop(waits)) &&
      (agent.status !== 'stopped' ||
        (pendingIntent === 'start' && !(open?.state === 'needs-you' && open.attempts === 0))),
    canUndo: unsent && open.state === 'saved',
    canReview: open?.state === 'needs-you',
  };
}
