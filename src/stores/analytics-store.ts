/** Metrics of the account and results of single agents, as computed by the server. */
import { proxy } from 'valtio';
import type { AgentPerformance } from '../../contract/trading.ts';
import { api } from '../api/api.ts';
import {
  accountMark,
  ANALYTICS_REST_MS,
  INSIGHT_REST_MS,
  sharedFresh,
  SPREAD_MS,
  tradeMark,
} from './keep-fresh.ts';
import { load } from './load-slot.ts';
import { replyStore } from './reply-store.ts';
import { clear, emptySlot, fill, slotsById } from './slot.ts';

export const {
  slot: analyticsStore,
  apply: applyAnalytics,
  load: loadAnalytics,
} = replyStore('analytics');
/** Results over time of all agents; with Pro their limits and decisions. */
export const { slot: insightStore, apply: applyInsight, load: loadInsight } = replyStore('insight');
/** By agent id; an entry appears when its screen first asks for it. */
export const performanceStore = proxy({ byAgent: slotsById<AgentPerformance>() });

/**
 * Reloads results over time after each evaluation and trade while a screen shows them. Returns a
 * function that stops it.
 */
export const keepInsight = sharedFresh({
  mark: accountMark,
  read: () => loadInsight(true),
  restMs: INSIGHT_REST_MS,
  spreadMs: SPREAD_MS,
});
/** The same for the account's metrics, after each trade. */
export const keepAnalytics = sharedFresh({
  mark: tradeMark,
  read: () => loadAnalytics(true),
  restMs: ANALYTICS_REST_MS,
  spreadMs: SPREAD_MS,
});

export function loadPerformance(agentId: string, force = false): Promise<void> {
  performanceStore.byAgent[agentId] ??= emptySlot();
  const slot = performanceStore.byAgent[agentId];
  return load(
    slot,
    force,
    () => api.call('agentPerformance', { params: { id: agentId } }),
    (reply) => {
      fill(slot, reply, 'network', Date.now());
    },
  );
}

export function clearAnalytics(): void {
  clear(analyticsStore);
  clear(insightStore);
  performanceStore.byAgent = slotsById();
}
