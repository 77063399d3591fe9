/** Reloads data when its inputs change, with a minimum interval and one request at a time. */
import { subscribe } from 'valtio';
import type { AgentsData } from './agents-store.ts';
import { agentsStore } from './agents-store.ts';
import { connection } from './connection.ts';
import { historyStore } from './fills-store.ts';

/** Reading results over time costs the server more than one agent's decisions. */
export const INSIGHT_REST_MS = 10_000;
/** Just under the rhythm in which the stream tells of evaluations. */
export const PERFORMANCE_REST_MS = 1_500;
export const ANALYTICS_REST_MS = 10_000;
export const SPREAD_MS = 3_000;
export const PERFORMANCE_SPREAD_MS = 500;

type LoadedSlots = AgentsData['agents'][number] | undefined;
const markOf = (agent: LoadedSlots): string =>
  agent === undefined
    ? ''
    : `${agent.lastRunAt} ${agent.generation} ${agent.version} ${agent.openPositions}`;

/** Changes with each evaluation of an agent and each trade of the account. */
export function evaluationMark(agentId: string): string {
  const agent = agentsStore.data?.agents.find(({ id }) => id === agentId);
  return `${markOf(agent)} ${tradeMark()}`;
}

/** Changes with each evaluation of any agent and each trade. */
export function accountMark(): string {
  return `${(agentsStore.data?.agents ?? []).map(markOf).join()} ${tradeMark()}`;
}

/** Changes with each trade. */
export const tradeMark = (): string => historyStore.data?.fills[0]?.id ?? '';

export interface KeptFresh {
  /** What the reading depends on, as text. */
  mark: () => string;
  read: () => Promise<void>;
  /**
   * The mark that the last reading was made at, where one is known: a later one leads to a reading
   * at once.
   */
  since?: string | null;
  /**
   * From the beginning of one reading to that of the next at least, however often the mark changes,
   * ms.
   */
  restMs: number;
  /**
   * All agents evaluate at the same close: who reads of that waits up to this long first, by
   * chance, so that not all read in one breath, ms.
   */
  spreadMs?: number;
}

/**
 * Begins to keep a reading of the same moment as what the stream tells of agents and trades. Many
 * changes while a reading is on its way, or soon after one, are one more reading. A page that is
 * hidden, or has no server, asks nothing and makes up for it on return. Returns what ends it.
 */
export function keepFresh({
  mark,
  read,
  restMs,
  spreadMs = 0,
  since = null,
}: KeptFresh): () => void {
  let known = since ?? mark();
  let beganAt = -Infinity;
  let busy = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ended = false;
  const isDue = (): boolean => {
    const rests = document.visibilityState === 'hidden' || connection.online === 'offline';
    return !ended && !busy && !rests && mark() !== known;
  };
  const begin = (): void => {
    busy = true;
    beganAt = Date.now();
    known = mark();
    void read().finally(() => {
      busy = false;
      readIfDue();
    });
  };
  const readIfDue = (): void => {
    if (timer !== undefined || !isDue()) return;
    const wait = Math.max(beganAt + restMs - Date.now(), Math.random() * spreadMs);
    if (wait <= 0) begin();
    else
      timer = setTimeout(
        () => {
          timer = undefined;
          if (isDue()) begin();
        },
        Math.min(wait, restMs + spreadMs),
      );
  };
  const forget = [
    subscribe(agentsStore, readIfDue),
    subscribe(historyStore, readIfDue),
    subscribe(connection, readIfDue),
  ];
  document.addEventListener('visibilitychange', readIfDue);
  readIfDue();
  return () => {
    ended = true;
    clearTimeout(timer);
    for (const one of forget) one();
    document.removeEventListener('visibilitychange', readIfDue);
  };
}

/** The same for several screens and parts at once: one of them or ten are one reading. */
export function sharedFresh(kept: KeptFresh): () => () => void {
  let users = 0;
  let known: string | null = null;
  let end: () => void = () => undefined;
  return () => {
    users += 1;
    known ??= kept.mark();
    if (users === 1)
      end = keepFresh({
        ...kept,
        since: known,
        read: () => {
          known = kept.mark();
          return kept.read();
        },
      });
    let left = false;
    return () => {
      if (left) return;
      left = true;
      users -= 1;
      if (users === 0) end();
    };
  };
}
