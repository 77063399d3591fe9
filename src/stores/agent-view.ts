/** An agent as a person sees it: the server's word, with what waits to be sent laid over it; refuses to call a wish a fact. */
import type { Agent } from '../../contract/agents.ts';
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
}

/** "Running", "Stopped, protecting 2 positions", "Halted: …": only ever what the server said. */
export function statusText(agent: Pick<Agent, 'status' | 'openPositions' | 'hold'>): string {
  const protecting = agent.openPositions === 0 ? '' : `, protecting ${agent.openPositions} ${agent.openPositions === 1 ? 'position' : 'positions'}`;
  switch (agent.status) {
    case 'running': return 'Running';
    case 'stopped': return `Stopped${protecting}`;
    case 'halted': return `Halted${agent.hold === null ? '' : `: ${agent.hold.text}`}`;
    case 'faulted': return `Faulted${agent.hold === null ? '' : `: ${agent.hold.text}`}${protecting}`;
  }
}

const WORD = { start: 'Start', stop: 'Stop', 'start-all': 'Start all', 'stop-all': 'Stop all' } as const;

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
    case 'failed': return `${name} failed${why}`;
    case 'lapsed': return `${name} lapsed${why}`;
    case 'cancelled': return `${name} cancelled.`;
  }
}

const concernsAgent = (entry: OutboxEntry, agentId: string): boolean => concerns(entry)?.includes(agentId) ?? true;
const isOpen = (entry: OutboxEntry): boolean => entry.state === 'saved' || entry.state === 'sending' || entry.state === 'needs-you' || entry.state === 'accepted';

/** Lays the queue over one agent. Nothing here changes the agent: `status` stays the server's. */
export function agentView(agent: Agent, entries: readonly OutboxEntry[]): AgentView {
  const mine = entries.filter((entry) => concernsAgent(entry, agent.id)).sort((a, b) => b.sequence - a.sequence);
  const open = mine.find(isOpen) ?? null;
  const entry = open ?? mine.find((other) => other.state === 'failed' || other.state === 'lapsed') ?? null;
  const wish = open === null ? null : isStop(open) ? 'stop' : 'start';
  return {
    agent, entry, wish,
    statusText: statusText(agent),
    commandText: entry === null ? null : commandText(entry),
    alert: entry !== null && isStop(entry) && (entry.state === 'failed' || entry.state === 'lapsed'),
    canStart: (agent.status === 'stopped' || agent.status === 'faulted') && wish !== 'start',
    // Stop is never hidden: a start on its way may still arrive.
    canStop: wish !== 'stop' && (agent.status !== 'stopped' || wish === 'start'),
  };
}
