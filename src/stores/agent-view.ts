/** An agent as a person sees it: the server's word, with what waits to be sent laid over it; refuses to call a wish a fact. */
import type { Agent } from '../../contract/agents.ts';
import { withLocalTimes } from '../format/times.ts';
import { concerns, isStop, type OutboxEntry } from '../offline/outbox-entry.ts';

export interface AgentView {
  agent: Agent;
  /** The command of this device that matters now: the newest that is not over, else a failure not yet dismissed. */
  entry: OutboxEntry | null;
  /** What that command asks for; null where nothing waits. */
  wish: 'start' | 'stop' | null;
  /** The server's word on the agent, then the command's state: two facts, two lines. */
  statusText: string;
  commandText: string | null;
  /** A stop that failed stands as an alert until it is dealt with. */
  alert: boolean;
  canStart: boolean;
  canStop: boolean;
  /** The command was never sent and concerns this agent alone: it can be taken back as if never pressed. */
  canUndo: boolean;
  /** A start waits for the person, who is shown what has changed before it is confirmed. */
  canReview: boolean;
}

/** "Running", "Stopped, protecting 2 positions", "Halted: …": only ever what the server said. */
export function statusText(agent: Pick<Agent, 'status' | 'openPositions' | 'hold'>): string {
  const protecting = agent.openPositions === 0 ? '' : `, protecting ${agent.openPositions} ${agent.openPositions === 1 ? 'position' : 'positions'}`;
  switch (agent.status) {
    case 'running': return 'Running';
    case 'stopped': return `Stopped${protecting}`;
    case 'halted': return `Halted${agent.hold === null ? '' : `: ${withLocalTimes(agent.hold.text)}`}`;
    case 'faulted': return `Faulted${agent.hold === null ? '' : `: ${agent.hold.text}`}${protecting}`;
  }
}

const WORD = { start: 'Start', stop: 'Stop', 'start-all': 'Start all', 'stop-all': 'Stop all' } as const;

/** A command by what it does and to whom: "Stop Harbour", "Stop all". */
export function commandName(entry: Pick<OutboxEntry, 'intent' | 'agentId' | 'agentName'>): string {
  return entry.agentId === null ? WORD[entry.intent] : `${WORD[entry.intent]} ${entry.agentName}`;
}

/** The same of a record that was set aside; null where it cannot be read even so far. */
export function setAsideName(record: { readonly intent: OutboxEntry['intent']; readonly agentName: string } | null): string | null {
  return record === null ? null : commandName({ ...record, agentId: record.agentName === '' ? null : '' });
}

/** Where a command is on its way, in words. */
export function commandText(entry: Pick<OutboxEntry, 'intent' | 'state' | 'reason' | 'attempts'>): string {
  const name = WORD[entry.intent];
  const why = entry.reason === null ? '' : `: ${entry.reason.message}`;
  switch (entry.state) {
    // Once it has been on its way, nobody here knows whether it arrived: only that no answer came.
    case 'saved': return `${name} saved on this device. ${entry.attempts === 0 ? 'Not yet received' : 'Sent, but not confirmed'} by the server.`;
    case 'sending': return `${name} is being sent.`;
    case 'accepted': return `${name} accepted by the server.`;
    case 'needs-you': return `${name} needs you${why}`;
    case 'failed': return entry.reason?.code === 'partly_refused' ? `${name} went in part${why}` : `${name} failed${why}`;
    case 'lapsed': return `${name} lapsed${why}`;
    case 'cancelled': return `${name} cancelled.`;
  }
}

/** The command's words on the screen of one agent: of a command for many, what became of this one. */
function textFor(entry: OutboxEntry, agentId: string): string {
  const mine = entry.results?.find((result) => result.agentId === agentId);
  return mine === undefined ? commandText(entry) : `${isStop(entry) ? 'Stop' : 'Start'} failed: ${mine.message === '' ? 'the server gave no reason' : mine.message}`;
}

/** Whom a command is about. One that went in part is about those for whom it did not. */
function concernsAgent(entry: OutboxEntry, agentId: string): boolean {
  if (entry.results !== undefined) return entry.results.some((result) => result.agentId === agentId && !result.went);
  return concerns(entry)?.includes(agentId) ?? true;
}
const isOpen = (entry: OutboxEntry): boolean => entry.state === 'saved' || entry.state === 'sending' || entry.state === 'needs-you' || entry.state === 'accepted';

/** A stop that was not carried out and is not being tried any more: it stands on every screen until it is dealt with. */
export const failedStops = <E extends Pick<OutboxEntry, 'intent' | 'state'>>(entries: readonly E[]): E[] =>
  entries.filter((entry) => isStop(entry) && (entry.state === 'failed' || entry.state === 'lapsed'));

/** Lays the queue over one agent. Nothing here changes the agent: `status` stays the server's. */
export function agentView(agent: Agent, entries: readonly OutboxEntry[]): AgentView {
  const mine = entries.filter((entry) => concernsAgent(entry, agent.id)).sort((a, b) => b.sequence - a.sequence);
  const open = mine.find(isOpen) ?? null;
  const entry = open ?? mine.find((other) => other.state === 'failed' || other.state === 'lapsed') ?? null;
  const wish = open === null ? null : isStop(open) ? 'stop' : 'start';
  const unsent = open !== null && open.attempts === 0 && open.agentId !== null;
  return {
    agent, entry, wish,
    statusText: statusText(agent),
    commandText: entry === null ? null : textFor(entry, agent.id),
    alert: entry !== null && failedStops([entry]).length > 0,
    canStart: (agent.status === 'stopped' || agent.status === 'faulted') && wish !== 'start',
    // Stop is never hidden: a start on its way may still arrive. One that waits to be confirmed and was never sent cannot.
    canStop: wish !== 'stop' && (agent.status !== 'stopped' || (wish === 'start' && !(open?.state === 'needs-you' && open.attempts === 0))),
    canUndo: unsent && open.state === 'saved',
    canReview: open?.state === 'needs-you',
  };
}
