/** The user's agents as the server last reported them. */
import { proxy } from 'valtio';
import type { Agent, AgentList, AgentRun } from '../../contract/agents.ts';
import type { EntriesOff } from '../../contract/halts.ts';
import { api } from '../api/api.ts';
import { load } from './load-slot.ts';
import { advance, clear, emptySlot, fill, isWhole, type Origin, type Slot } from './slot.ts';
import { isEarlier, isLater } from '../offline/agent-order.ts';
import { ToldNews } from './told-news.ts';

export interface AgentsData {
  agents: Agent[];
  /** The user's event sequence up to which this list is current. */
  sequence: number;
  /** Wall clock of the server, ms. */
  asOf: number;
  /** Active trading halts, widest first. */
  entriesOff: EntriesOff[];
}

export const agentsStore = proxy<Slot<AgentsData>>(emptySlot());

interface EarlyNews {
  /** Null: deleted. */
  agent: Agent | null;
  sequence: number | null;
}

/**
 * What was said of agents while no whole list was loaded, by id. A list that was asked for before,
 * and comes after, does not know of it.
 */
const early = new Map<string, EarlyNews>();

const told = new ToldNews<Agent>(isLater);

const NO_WORD = { value: [] as EntriesOff[], heard: 0 };
/** The last word on trading halts. */
let off = NO_WORD;

/** Whether the list on its way may not know of it. What a reply said is laid over that list. */
const isEarly = (sequence: number | null): boolean =>
  agentsStore.data === null || (sequence !== null && !isWhole(agentsStore));

/** Applies what the server's list is too old to know. */
function applyEarly(): void {
  const news = [...early].sort(([, a], [, b]) => (a.sequence ?? -1) - (b.sequence ?? -1));
  early.clear();
  for (const [id, { agent, sequence }] of news) {
    const known = agentsStore.data?.agents.some((one) => one.id === id) === true;
    if (agent === null) removeAgent(id, sequence);
    // A reply without a sequence may be older than the agent's deletion, which the list shows.
    else if (sequence !== null || known) applyAgent(agent, sequence);
  }
}

/** Replaces the list unless a newer one is loaded. `asked`: when the server was asked for it. */
export function applyAgents(
  next: AgentList,
  origin: Origin,
  savedAt = Date.now(),
  asked = told.asked(),
): void {
  const present = agentsStore.data;
  if (present !== null && next.sequence < present.sequence) return;
  fill(
    agentsStore,
    {
      agents: origin === 'network' ? told.over(next.agents, asked) : next.agents,
      sequence: next.sequence,
      asOf: next.asOf,
      entriesOff: asked < off.heard ? off.value : (next.entriesOff ?? []),
    },
    origin,
    savedAt,
  );
  // A list from the device may lack more than that: it waits for the server's.
  if (origin === 'network') applyEarly();
}

/**
 * One agent, from the stream (with its sequence) or from a command's reply (null). An agent never
 * goes back to an earlier generation or settings version.
 */
export function applyAgent(next: Agent, sequence: number | null, savedAt = Date.now()): void {
  const present = agentsStore.data;
  const known = present?.agents.find((agent) => agent.id === next.id);
  if (sequence === null) told.note(next.id, next, present !== null && known === undefined);
  if (isEarly(sequence)) {
    const before = early.get(next.id)?.agent;
    if (before == null || !isEarlier(next, before)) early.set(next.id, { agent: next, sequence });
  }
  if (present === null || (sequence ?? Infinity) <= present.sequence) return;
  if (known === undefined) present.agents.push(next);
  else if (sequence === null ? isLater(next, known) : !isEarlier(next, known))
    Object.assign(known, next);
  advance(agentsStore, sequence, savedAt);
}

/** Evaluations that changed nothing but their time. Older ones and unknown agents are ignored. */
export function applyRuns(runs: readonly AgentRun[]): void {
  for (const { id, lastRunAt, nextRunAt } of runs) {
    const known = agentsStore.data?.agents.find((agent) => agent.id === id);
    if (
      known === undefined ||
      known.nextRunAt === null ||
      (lastRunAt ?? 0) < (known.lastRunAt ?? 0)
    )
      continue;
    known.lastRunAt = lastRunAt;
    known.nextRunAt = nextRunAt;
  }
}

/** Active trading halts, from the stream. A list that was asked for before knows less. */
export function applyEntriesOff(value: EntriesOff[]): void {
  off = { value, heard: told.asked() };
  if (agentsStore.data !== null) agentsStore.data.entriesOff = value;
}

/** Removes a deleted agent. */
export function removeAgent(agentId: string, sequence: number | null, savedAt = Date.now()): void {
  const present = agentsStore.data;
  if (sequence === null) told.note(agentId, null, false);
  if (isEarly(sequence)) early.set(agentId, { agent: null, sequence });
  if (present === null || (sequence ?? Infinity) <= present.sequence) return;
  const index = present.agents.findIndex((agent) => agent.id === agentId);
  if (index >= 0) present.agents.splice(index, 1);
  advance(agentsStore, sequence, savedAt);
}

export function loadAgents(force = false): Promise<void> {
  let asked = 0;
  return load(
    agentsStore,
    force,
    () => {
      asked = told.asked();
      return api.call('agents', {});
    },
    (reply) => {
      applyAgents(reply, 'network', Date.now(), asked);
    },
  );
}

export function clearAgents(): void {
  off = NO_WORD;
  early.clear();
  told.clear();
  clear(agentsStore);
}
