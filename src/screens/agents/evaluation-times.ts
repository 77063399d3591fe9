/** When an agent was and will be evaluated, and whether it is late. */
import { useEffect, useState } from 'react';
import type { BadgeTone } from '../../components/Tags.tsx';
import { useNow } from '../../components/use-now.ts';
import { formatAgo, formatUntil } from '../../format/ages.ts';
import { counted } from '../../format/counts.ts';
import { formatWhen } from '../../format/times.ts';
import type { AgentView } from '../../stores/agent-view.ts';
import type { MarketState } from '../use-store.ts';
import { intervalText } from './agent-text.ts';

export const STATUS_TONE: Record<AgentView['agent']['status'], BadgeTone> = {
  running: 'good',
  stopped: 'neutral',
  halted: 'attention',
  faulted: 'bad',
};

const INTERVAL_MS: Record<AgentView['agent']['execution_interval'], number> = {
  '5-minute': 300_000,
  '20-minute': 1_200_000,
  daily: 86_400_000,
};
type EvaluationTimes = Pick<
  AgentView['agent'],
  'status' | 'lastRunAt' | 'nextRunAt' | 'execution_interval'
>;

/** How many evaluations are overdue, on the market clock. One may be on its way. */
export function missedEvaluations(agent: EvaluationTimes, now: number): number {
  if (agent.status !== 'running' || agent.nextRunAt === null || now < agent.nextRunAt) return 0;
  return Math.floor((now - agent.nextRunAt) / INTERVAL_MS[agent.execution_interval]) + 1;
}

/**
 * On a fast tape several evaluations pass between two messages of the server. An agent counts as
 * late only after this long, wall clock.
 */
const LATE_AFTER_MS = 20_000;

/** Missed evaluations once there are at least two for a while; 0 otherwise. */
export function useLate(agent: EvaluationTimes, now: number, market: MarketState): number {
  const missed = market === 'moving' ? missedEvaluations(agent, now) : 0;
  const behind = missed >= 2;
  const [since, setSince] = useState<number | null>(null);
  const wall = useNow(5_000);
  useEffect(() => {
    setSince(behind ? Date.now() : null);
  }, [behind, agent.lastRunAt]);
  return behind && since !== null && wall - since >= LATE_AFTER_MS ? missed : 0;
}

/** A wait shorter than this in real time is not shown, ms. */
const SOON_MS = 2_000;

function lastText(lastRunAt: number | null, now: number, speed: number): string {
  if (lastRunAt === null) return 'no check yet';
  return speed === 1
    ? `last check ${formatAgo(Math.max(0, now - lastRunAt))}`
    : `last check ${formatWhen(lastRunAt, now)} (market time)`;
}

/**
 * The last and next evaluation. On a fast tape the last is in market time and the wait in real
 * time. Without prices there are no evaluations; without the server the last one is unknown.
 */
export function runText(
  agent: EvaluationTimes,
  now: number,
  market: MarketState = 'moving',
  late = 0,
  speed = 1,
): string {
  if (market === 'unknown')
    return agent.lastRunAt === null
      ? 'no check known'
      : `last known check ${formatWhen(agent.lastRunAt, now)}`;
  if (market === 'stopped' && agent.status !== 'stopped') return 'no checks: prices have stopped';
  const last = lastText(agent.lastRunAt, now, speed);
  if (agent.status !== 'running' || agent.nextRunAt === null) return last;
  if (late > 0) return `late: ${counted(late, 'check', 'checks')} missed · ${last}`;
  const wait = (agent.nextRunAt - now) / speed;
  if (speed !== 1) return wait >= SOON_MS ? `${last} · next ${formatUntil(wait)}` : last;
  return wait > 0
    ? `${last} · next ${formatUntil(wait)}`
    : `checks ${intervalText(agent.execution_interval)}`;
}
