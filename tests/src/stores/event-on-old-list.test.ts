// @vitest-environment happy-dom
/**
 * An event that meets a list with holes: it is laid onto it, and neither dates nor numbers the whole,
 * so that the list which is on its way still counts.
 */
import '../../support/page-world.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AgentList } from '../../../contract/agents.ts';
import type { Alert, AlertFiring, AlertList } from '../../../contract/alerts.ts';
import { recordedReplies, recordState } from '../../../src/api/recorded-replies.ts';
import {
  agentsStore,
  applyAgent,
  applyAgents,
  applyEntriesOff,
  clearAgents,
  removeAgent,
} from '../../../src/stores/agents-store.ts';
import {
  alertsStore,
  applyAlerts,
  applyFiring,
  clearAlerts,
} from '../../../src/stores/alerts-store.ts';
import { connection } from '../../../src/stores/connection.ts';
import {
  applyFill,
  applyHistory,
  clearHistory,
  historyStore,
} from '../../../src/stores/fills-store.ts';

const NOW = Date.now();
const replies = recordedReplies(recordState(NOW), NOW);
const [agent] = replies.agents!.agents;
const [fill] = replies.history!.fills;
const x = { ...agent!, id: 'x', generation: 1, status: 'running' as const };
const y = { ...agent!, id: 'y', generation: 1, status: 'running' as const };
const stopped = (one: typeof x) => ({ ...one, generation: 2, status: 'stopped' as const });
const list = (sequence: number, ...agents: AgentList['agents']): AgentList => ({
  agents: structuredClone(agents),
  sequence,
  asOf: NOW,
});
const shown = (): Record<string, string> =>
  Object.fromEntries(agentsStore.data?.agents.map(({ id, status }) => [id, status]) ?? []);

beforeEach(() => {
  connection.gapAt = null;
  clearAgents();
  clearAlerts();
  clearHistory();
});

describe('an event that overtakes the list', () => {
  it('changes its agent at once, and does not make a list from the device the newest (F81)', () => {
    applyAgents(list(3, x, y), 'snapshot', NOW - 3_600_000);
    applyAgent({ ...x, generation: 1, openPositions: 4 }, 6);
    expect(agentsStore.data?.agents[0]?.openPositions).toBe(4);
    expect(agentsStore).toMatchObject({ origin: 'snapshot', savedAt: NOW - 3_600_000 });
    // Asked for before the trade; it knows that another device has stopped y.
    applyAgents(list(5, x, stopped(y)), 'network');
    expect(shown()).toEqual({ x: 'running', y: 'stopped' });
    expect(agentsStore.data).toMatchObject({ sequence: 6 });
    expect(agentsStore.data?.agents[0]?.openPositions).toBe(4);
    expect(agentsStore.origin).toBe('stream');
  });

  it('does not vouch for a list that may have missed events (F66)', () => {
    applyAgents(list(3, x, y), 'network', NOW - 3_600_000);
    connection.gapAt = NOW - 60_000;
    applyAgent(stopped(x), 6);
    expect(shown()).toEqual({ x: 'stopped', y: 'running' });
    expect(agentsStore).toMatchObject({ savedAt: NOW - 3_600_000, data: { sequence: 3 } });
    applyAgents(list(5, x), 'network');
    expect(shown()).toEqual({ x: 'stopped' });
    expect(agentsStore.data?.sequence).toBe(6);
  });

  it('deletes its agent, also from the list that comes after it', () => {
    applyAgents(list(3, x, y), 'snapshot', NOW - 1_000);
    removeAgent('y', 6);
    expect(shown()).toEqual({ x: 'running' });
    applyAgents(list(5, x, y), 'network');
    expect(shown()).toEqual({ x: 'running' });
  });

  it('dates a whole list, as ever', () => {
    applyAgents(list(3, x, y), 'network', NOW - 1_000);
    applyAgent(stopped(x), 4, NOW);
    expect(agentsStore).toMatchObject({ origin: 'stream', savedAt: NOW, data: { sequence: 4 } });
  });

  it('leaves no hole among trades', () => {
    const history = (sequence: number, ...ids: string[]) => ({
      fills: ids.map((id) => ({ ...fill!, id })),
      sequence,
      asOf: NOW,
      total: ids.length,
    });
    applyHistory(history(3, 'c'), 'snapshot', NOW - 3_600_000);
    applyFill({ ...fill!, id: 'f' }, 6);
    expect(historyStore.data?.fills.map(({ id }) => id)).toEqual(['f', 'c']);
    expect(historyStore).toMatchObject({ origin: 'snapshot', savedAt: NOW - 3_600_000 });
    applyHistory(history(5, 'e', 'd', 'c'), 'network');
    expect(historyStore.data?.fills.map(({ id }) => id)).toEqual(['f', 'e', 'd', 'c']);
    expect(historyStore.data).toMatchObject({ sequence: 6, total: 4 });
  });

  it('leaves no hole among alerts and what they told', () => {
    const condition = { kind: 'above', price: '70000' } as const;
    const alert: Alert = {
      ...{ id: 'a', symbol: 'BTC/USDT', condition, repeatMinutes: null, note: '', active: true },
      ...{ phase: 'watching', version: 1, restsUntil: null, lastFiredAt: null, createdAt: NOW },
    };
    const firing: AlertFiring = {
      ...{ id: 'told', alertId: 'a', symbol: 'BTC/USDT', condition, note: '', price: '70001' },
      ...{ movedBps: null, at: NOW, late: false, simulated: true, recordedAt: NOW },
    };
    const alerts = (sequence: number, ...ids: string[]): AlertList => ({
      alerts: ids.map((id) => ({ ...alert, id })),
      firings: [],
      sequence,
      servedAt: NOW,
    });
    applyAlerts(alerts(3, 'a'), 'snapshot', NOW - 3_600_000);
    applyFiring({ ...alert, version: 2, phase: 'fired' }, firing, 6);
    expect(alertsStore.data?.firings).toHaveLength(1);
    expect(alertsStore).toMatchObject({ origin: 'snapshot', savedAt: NOW - 3_600_000 });
    applyAlerts(alerts(5, 'a', 'b'), 'network');
    expect(alertsStore.data?.alerts.map(({ id, phase }) => [id, phase])).toEqual([
      ['a', 'fired'],
      ['b', 'watching'],
    ]);
    expect(alertsStore.data?.firings).toHaveLength(1);
    expect(alertsStore.data?.sequence).toBe(6);
  });
});

describe('a trading halt', () => {
  const halt = {
    ...{ scope: 'platform', by: 'operator', reason: 'maintenance', agentId: null },
    ...{ since: NOW, until: null },
  } as unknown as Parameters<typeof applyEntriesOff>[0][number];

  it('stays over a list that was asked for before it', () => {
    applyAgents(list(3, x), 'network', NOW, 1);
    applyEntriesOff([halt]);
    applyAgents(list(4, x), 'network', NOW, 1);
    expect(agentsStore.data?.entriesOff).toEqual([halt]);
    // Asked for after it, the list knows.
    applyAgents(list(5, x), 'network');
    expect(agentsStore.data?.entriesOff).toEqual([]);
  });

  it('that comes before any list is shown with the first', () => {
    applyEntriesOff([halt]);
    applyAgents(list(4, x), 'network', NOW, 1);
    expect(agentsStore.data?.entriesOff).toEqual([halt]);
  });
});
