// @vitest-environment happy-dom
/**
 * New trades switched off, as a person sees it: on the agent, the list, the dashboard and before a
 * start, by the stream, and from what is kept.
 */
import '../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Agent } from '../../../../contract/agents.ts';
import type { EntriesOff } from '../../../../contract/halts.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
const never = () => new Promise<never>(() => undefined);
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call, marketData: never, marketOverview: never, marketPools: never },
}));

const { Routes } = await import('../../../../src/App.tsx');
const { session } = await import('../../../../src/identity/session.ts');
const { agentsStore, applyAgents, clearAgents } =
  await import('../../../../src/stores/agents-store.ts');
const { connection } = await import('../../../../src/stores/connection.ts');
const { applyEvent } = await import('../../../../src/stores/follow-stream.ts');
const { applyHistory, clearHistory } = await import('../../../../src/stores/fills-store.ts');
const { applySubscription, clearSubscription } =
  await import('../../../../src/stores/subscription-store.ts');
const { formatWhen } = await import('../../../../src/format/times.ts');
const { seriousFaults } = await import('../../../support/serious-faults.ts');
const { openUserDatabase } = await import('../../../../src/offline/user-database.ts');
const { readSnapshot, writeSnapshot } = await import('../../../../src/offline/snapshots.ts');

const NOW = Date.now();
const agent = (id: string, status: Agent['status'] = 'stopped'): Agent => ({
  id,
  name: `Agent ${id}`,
  trading_pairs: ['BTC/USDT'],
  risk_profile: 'Moderate',
  max_position_size: 1_000,
  execution_interval: '5-minute',
  enabled: false,
  pool: 'all_pools',
  tradingFrequency: 'optimized',
  status,
  hold: null,
  generation: 1,
  version: 1,
  quote: 'USDT',
  openPositions: 0,
  realized: '0',
  unrealized: '0',
  fees: '0',
  total: '0',
  createdAt: NOW,
  startedAt: null,
  stoppedAt: null,
  lastRunAt: null,
  nextRunAt: null,
});
const off = (more: Partial<EntriesOff> = {}): EntriesOff => ({
  scope: 'platform',
  by: 'operator',
  agentId: null,
  reason: 'Checking prices',
  since: NOW - 60_000,
  until: NOW + 3_600_000,
  ...more,
});
const notice = () => screen.queryByRole('status', { name: 'Trading paused' })?.textContent ?? null;

beforeEach(() => {
  call.mockReset();
  call.mockImplementation(never);
  connection.online = 'online';
  Object.assign(session, {
    status: 'signed-in',
    provisional: false,
    expiresAt: NOW + 4 * 3_600_000,
    endingSoon: false,
    user: {
      uid: 'uid-1',
      email: 'a@example.com',
      displayName: null,
      metadata: { lastSignInTime: new Date().toUTCString() },
    },
  });
  applySubscription(
    {
      status: {
        subscription: {
          status: 'active',
          tier: 'pro',
          planId: 'pro',
          currentPeriodEnd: null,
          cancelAtPeriodEnd: false,
        },
        entitledTier: 'pro',
        servedAt: NOW,
      },
      trial: null,
    },
    'network',
  );
  applyHistory({ fills: [], sequence: 3, asOf: NOW }, 'network');
  applyAgents({ agents: [agent('a', 'running'), agent('b')], sequence: 3, asOf: NOW }, 'network');
});
afterEach(() => {
  cleanup();
  clearAgents();
  clearHistory();
  clearSubscription();
});

async function open(path: string): Promise<void> {
  history.replaceState(null, '', path);
  render(<Routes />);
  await screen.findByRole('heading', { level: 1 });
}

describe('new trades switched off', () => {
  it.each(['/agents/a', '/agents', '/standard-dashboard'])(
    'is said on %s by the stream, without a reload, and goes with it',
    async (path) => {
      await open(path);
      await screen.findAllByText('Agent a');
      expect(notice()).toBeNull();
      act(() => {
        applyEvent({ type: 'entries.off', off: [off()] });
      });
      expect(await screen.findByRole('status', { name: 'Trading paused' })).toBeTruthy();
      expect(notice()).toBe(
        `Trading is paused for everyoneBy the operator since ${formatWhen(NOW - 60_000)}: Checking prices. Until ${formatWhen(NOW + 3_600_000)}. No new positions. Stop losses and exits stay active. You can still stop agents and sell.`,
      );
      expect(await seriousFaults()).toEqual([]);
      act(() => {
        applyEvent({ type: 'entries.off', off: [] });
      });
      await waitFor(() => {
        expect(notice()).toBeNull();
      });
    },
  );

  it('is said before a start, and Start stays: it may run, it opens nothing', async () => {
    applyAgents(
      {
        agents: [agent('b')],
        sequence: 4,
        asOf: NOW,
        entriesOff: [off({ scope: 'venue', until: null })],
      },
      'network',
    );
    await open('/agents/b');
    fireEvent.click(await screen.findByRole('button', { name: 'Start' }));
    const dialog = await screen.findByRole('dialog');
    expect(dialog.textContent).toContain('Trading is paused at this exchange');
    expect(dialog.textContent).toContain('No end is set.');
  });

  it("of one agent is said on it and in its row alone; a person's own says where to switch it on", async () => {
    applyAgents(
      {
        agents: [agent('a', 'running'), agent('b')],
        sequence: 4,
        asOf: NOW,
        entriesOff: [off({ scope: 'agent', agentId: 'a' })],
      },
      'network',
    );
    await open('/agents');
    expect(screen.getAllByText('Trading paused by the operator')).toHaveLength(1);
    expect(notice()).toBeNull();
    act(() => {
      applyEvent({
        type: 'entries.off',
        off: [
          off({ scope: 'user', by: 'you', reason: 'paused', since: null, until: null }),
          off({ scope: 'agent', agentId: 'a' }),
        ],
      });
    });
    await waitFor(() => {
      expect(notice()).toContain('You have paused trading');
    });
    expect(screen.getByRole('link', { name: 'Trading settings' }).getAttribute('href')).toBe(
      '/trading',
    );
  });

  it('is kept with the list, shown offline from there, and dropped once its end has passed', async () => {
    const list = {
      agents: [agent('a')],
      sequence: 4,
      asOf: NOW,
      entriesOff: [off({ since: NOW - 600_000, until: NOW - 300_000 }), off({ scope: 'venue' })],
    };
    const database = openUserDatabase('kept-off', { mayCreate: () => true });
    await writeSnapshot(database.uid, 'agents', list, NOW, database);
    const kept = await readSnapshot(database.uid, 'agents', database);
    clearAgents();
    connection.online = 'offline';
    if (kept !== null) applyAgents(kept.value, 'snapshot', kept.savedAt);
    expect(agentsStore.data?.entriesOff).toHaveLength(2);
    await open('/agents/a');
    expect(notice()).toContain('Trading is paused at this exchange');
  });
});
