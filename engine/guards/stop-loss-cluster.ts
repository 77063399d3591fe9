/**
 * Pauses entries on every pair after several stops close together: the market has turned, not one
 * coin.
 */
import { HOUR_MS } from '../execution/schedule.ts';
import { momentText } from './guard.ts';
import type { AgentGuardInput, Block } from './guard.ts';

export const STOPS = 3;
export const WITHIN_MS = 24 * HOUR_MS;
export const PAUSE_MS = 12 * HOUR_MS;

export function stopLossCluster({
  at,
  memory,
}: Pick<AgentGuardInput, 'at' | 'memory'>): Block | null {
  const stops = memory.exits.filter((exit) => exit.stop && exit.at <= at);
  const newest = stops.at(-1);
  const first = stops.at(-STOPS);
  if (!newest || !first || newest.at - first.at > WITHIN_MS) return null;
  const until = newest.at + PAUSE_MS;
  if (at >= until) return null;
  return {
    code: 'stop_loss_cluster',
    text: `${STOPS} stops within a day: no new trades until ${momentText(until)}.`,
    until,
  };
}
