/** Metrics of the account and results of single agents, as the server computed them; refuses to compute its own. */
import { proxy } from 'valtio';
import type { AgentSummary } from '../../contract/agents.ts';
import type { AgentInsight } from '../../contract/insight.ts';
import type { AgentPerformance, Analytics } from '../../contract/trading.ts';
import { api } from '../api/api.ts';
import { load } from './load.ts';
import { clear, emptySlot, fill, type Origin, type Slot } from './slot.ts';

export const analyticsStore = proxy<Slot<Analytics>>(emptySlot());
export const summaryStore = proxy<Slot<AgentSummary>>(emptySlot());
/** Results over time of all agents; with Pro their limits and decisions. */
export const insightStore = proxy<Slot<AgentInsight>>(emptySlot());
/** By agent id; an entry appears when its screen first asks for it. */
export const performanceStore = proxy<{ byAgent: Record<string, Slot<AgentPerformance>> }>({ byAgent: {} });

export function applyAnalytics(next: Analytics, origin: Origin, savedAt = Date.now()): void {
  if (analyticsStore.data !== null && next.asOf < analyticsStore.data.asOf) return;
  fill(analyticsStore, next, origin, savedAt);
}

export function loadAnalytics(force = false): Promise<void> {
  return load(analyticsStore, force, () => api.call('analytics', {}), (reply) => { applyAnalytics(reply, 'network'); });
}

export function loadSummary(force = false): Promise<void> {
  return load(summaryStore, force, () => api.call('agentSummary', {}), (reply) => { fill(summaryStore, reply, 'network', Date.now()); });
}

export function applyInsight(next: AgentInsight, origin: Origin, savedAt = Date.now()): void {
  fill(insightStore, next, origin, savedAt);
}

export function loadInsight(force = false): Promise<void> {
  return load(insightStore, force, () => api.call('agentInsight', {}), (reply) => { applyInsight(reply, 'network'); });
}

export function loadPerformance(agentId: string, force = false): Promise<void> {
  performanceStore.byAgent[agentId] ??= emptySlot();
  const slot = performanceStore.byAgent[agentId];
  return load(slot, force, () => api.call('agentPerformance', { params: { id: agentId } }), (reply) => { fill(slot, reply, 'network', Date.now()); });
}

export function clearAnalytics(): void {
  clear(analyticsStore);
  clear(summaryStore);
  clear(insightStore);
  performanceStore.byAgent = {};
}
