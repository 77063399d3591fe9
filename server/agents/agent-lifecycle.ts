/** The life of an agent as a table: which event leads from which state to which. */
import type { AgentStatus } from '../../contract/agents.ts';

/**
 * `start` and `stop` are a person's, `halt` and `resume` a guard's, `fault` a strategy's failure.
 */
export type LifeEvent = 'start' | 'stop' | 'halt' | 'fault' | 'resume';

/**
 * A state that an event leaves as it is does not appear: `stop` on a stopped agent changes nothing.
 */
const TABLE: Record<AgentStatus, Partial<Record<LifeEvent, AgentStatus>>> = {
  stopped: { start: 'running' },
  running: { stop: 'stopped', halt: 'halted', fault: 'faulted' },
  halted: { start: 'running', stop: 'stopped', fault: 'faulted', resume: 'running' },
  faulted: { start: 'running', stop: 'stopped' },
};

/** The next state, or null where the event changes nothing. */
export function transition(status: AgentStatus, event: LifeEvent): AgentStatus | null {
  return TABLE[status][event] ?? null;
}

/** Statuses in which an agent is evaluated. A halted one opens nothing, but its exits go on. */
export const EVALUATED_STATUSES: readonly AgentStatus[] = ['running', 'halted'];
