/** Reloads data when its inputs change, with a minimum interval and one request at a time. */
import { subscribe } from 'valtio';
import type { AgentsData } from './agents-store.ts';
import { agentsStore } from './agents-store.ts';
import { connection } from './connection.ts';
import { historyStore } from './fills-store.ts';

/** Results over time are more expensive for the server than one agent's decisions. */
export const INSIGHT_REST_MS = 10_000;
/** Just below the interval in which the stream reports evaluations. */
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
  /** The inputs of the data, as text. */
  mark: () => string;
  read: () => Promise<void>;
  /** The mark of the last load, where known: if it has changed, load at once. */
  since?: string | null;
  /** Minimum time between two loads, ms. */
  restMs: number;
  /**
   * All agents are evaluated at the same close: each page waits a random time up to this, so that
   * they do not all load at once, ms.
   */
  spreadMs?: number;
}

/**
 * Keeps data as current as the stream's agents and trades. Many changes during a load, or soon
 * after one, cause one more load. A hidden or offline page loads nothing and catches up on return.
 * Returns a function that stops it.
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

/** Shares one such loop between several screens and components. */
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
