// @vitest-environment happy-dom
/** Answers that overtake each other: a list asked for before a reply was heard takes nothing back. */
import 'fake-indexeddb/auto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Agent, AgentList } from '../../../contract/agents.ts';
import type { Alert, AlertList } from '../../../contract/alerts.ts';
import { api } from '../../../src/api/api.ts';
import { recordAgent } from '../../../src/api/recorded-replies.ts';
import { resetSession, session } from '../../../src/identity/session.ts';
import {
  agentsStore,
  applyAgent,
  applyAgents,
  clearAgents,
  loadAgents,
  removeAgent,
} from '../../../src/stores/agents-store.ts';
import {
  alertsStore,
  applyAlert,
  applyAlerts,
  clearAlerts,
  loadAlerts,
  removeAlert,
} from '../../../src/stores/alerts-store.ts';

const AT = 1_790_000_000_000;
const running = (id: string, change: Partial<Agent> = {}): Agent => ({
  ...recordAgent(id, id, AT),
  status: 'running',
  ...change,
});
const stopped = (id: string, generation = 2): Agent =>
  running(id, { status: 'stopped', generation });
const list = (agents: Agent[], sequence = 7): AgentList => ({ agents, sequence, asOf: AT });
const alert = (id: string, price: string, version = 1): Alert => ({
  id,
  symbol: 'BTC/USDT',
  condition: { kind: 'above', price },
  repeatMinutes: null,
  note: '',
  active: true,
  phase: 'watching',
  version,
  restsUntil: null,
  lastFiredAt: null,
  createdAt: AT,
});
const alerts = (all: Alert[], sequence = 7): AlertList => ({
  alerts: all,
  firings: [],
  sequence,
  servedAt: AT,
});

let answers: ((value: unknown) => void)[] = [];
beforeEach(() => {
  resetSession();
  session.user = { uid: 'ann', email: null, displayName: null, metadata: { lastSignInTime: null } };
  session.status = 'signed-in';
  answers = [];
  vi.spyOn(api, 'call').mockImplementation(
    () =>
      new Promise((resolve) => {
        answers.push(resolve);
      }) as never,
  );
});
afterEach(() => {
  vi.restoreAllMocks();
  clearAgents();
  clearAlerts();
});

const statuses = (): string[] =>
  (agentsStore.data?.agents ?? []).map(({ id, status }) => `${id} ${status}`);
const prices = (): string[] =>
  (alertsStore.data?.alerts ?? []).map(({ id, condition }) =>
    condition.kind === 'move' ? id : `${id} ${condition.price}`,
  );

describe('a list of agents that comes after the reply to a command', () => {
  it.each([7, 8])(
    'and was asked for before it calls no stopped agent running, at sequence %i (F81)',
    async (sequence) => {
      applyAgents(list([running('x'), running('y')]), 'network');
      const asked = loadAgents(true);
      applyAgent(stopped('x'), null);
      expect(statuses()).toEqual(['x stopped', 'y running']);
      answers[0]?.(list([running('x'), running('y', { name: 'renamed' })], sequence));
      await asked;
      expect(statuses()).toEqual(['x stopped', 'y running']);
      // What it does know counts.
      expect(agentsStore.data?.agents[1]?.name).toBe('renamed');
    },
  );

  it('and was asked for after it is believed, even where the server has gone back to a backup', async () => {
    applyAgents(list([running('x')]), 'network');
    applyAgent(stopped('x', 5), null);
    const asked = loadAgents(true);
    answers[0]?.(list([running('x')], 1_000_007));
    await asked;
    expect(statuses()).toEqual(['x running']);
  });

  it('brings no deleted agent back, and takes none away that was just made', async () => {
    applyAgents(list([running('x'), running('y')]), 'network');
    const asked = loadAgents(true);
    removeAgent('x', null);
    applyAgent(running('z'), null);
    answers[0]?.(list([running('x'), running('y')]));
    await asked;
    expect(statuses()).toEqual(['y running', 'z running']);
  });

  it('takes an agent away that was known, and has been deleted since the command', async () => {
    applyAgents(list([running('x'), running('y')]), 'network');
    const asked = loadAgents(true);
    // Its stop is answered again as it was then.
    applyAgent(stopped('x'), null);
    answers[0]?.(list([running('y')], 9));
    await asked;
    expect(statuses()).toEqual(['y running']);
  });

  it('keeps its figures against a reply of the same generation', () => {
    applyAgents(list([{ ...stopped('x'), openPositions: 0 }]), 'network');
    applyAgent({ ...stopped('x'), openPositions: 2 }, null);
    expect(agentsStore.data?.agents[0]?.openPositions).toBe(0);
    applyAgent({ ...stopped('x'), openPositions: 1 }, 8);
    expect(agentsStore.data?.agents[0]?.openPositions).toBe(1);
  });

  it('wins over a reply that was heard again and is older than it', async () => {
    applyAgents(list([running('x')]), 'network');
    const asked = loadAgents(true);
    applyAgent(stopped('x', 2), null);
    answers[0]?.(list([running('x', { generation: 3 })], 9));
    await asked;
    expect(statuses()).toEqual(['x running']);
  });

  it('is held against what was heard once: the next list is believed', async () => {
    applyAgents(list([running('x')]), 'network');
    const first = loadAgents(true);
    applyAgent(stopped('x', 5), null);
    answers[0]?.(list([running('x')]));
    await first;
    const second = loadAgents(true);
    answers[1]?.(list([running('x')], 1_000_007));
    await second;
    expect(statuses()).toEqual(['x running']);
  });
});

describe('a list of alerts that was asked for before the reply to a command', () => {
  it('takes back no new alert, no change and no deletion (F81)', async () => {
    applyAlerts(alerts([alert('a', '100'), alert('b', '200')]), 'network');
    const asked = loadAlerts(true);
    applyAlert(alert('a', '110', 2), null);
    removeAlert('b', null);
    applyAlert(alert('c', '300'), null);
    answers[0]?.(alerts([alert('a', '100'), alert('b', '200')]));
    await asked;
    expect(prices()).toEqual(['a 110', 'c 300']);
  });
});
