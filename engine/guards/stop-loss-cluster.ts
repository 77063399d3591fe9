/**
 * Pauses entries on every pair after several stops close together: the market has turned, not one
 * coin.
 */
import type { AgentMemory } from '../execution/agent-memory.ts';
import { HOUR_MS } from '../execution/schedule.ts';
import { momentText } from './guard.ts';
import type { AgentGuard } from './guard.ts';

export const STOPS = 3;
export const WITHIN_MS = 24 * HOUR_MS;
export const PAUSE_MS = 12 * HOUR_MS;

export const stopLossCluster = {
  stage: 'agent',
  code: 'stop_loss_cluster',

  check({ at, memory }) {
    const until = pausedUntil(memory, at);
    return at < until
      ? { text: `${STOPS} stops within a day: no new trades until ${momentText(until)}.`, until }
      : null;
  },

  bound: ({ at, lastStopAt, memory }) =>
    at < lastStopAt + PAUSE_MS && at < pausedUntil(memory, at) ? 'blocks' : 'passes',
} satisfies AgentGuard;

/** When the pause after a cluster of stops ends; `at` itself where there is no cluster. */
function pausedUntil({ exits }: AgentMemory, at: number): number {
  // Stops that were missed are dated to their candles, and recorded as each is found.
  const stops = exits
    .filter((exit) => exit.stop && exit.at <= at)
    .map((exit) => exit.at)
    .sort((one, other) => one - other);
  const newest = stops.at(-1);
  const first = stops.at(-STOPS);
  return newest !== undefined && first !== undefined && newest - first <= WITHIN_MS
    ? newest + PAUSE_MS
    : at;
}
