// @vitest-environment jsdom
/**
 * What a person is told while the server is away or a stop has failed: on every screen, by name,
 * and no more than is known.
 */
import '../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Agent } from '../../../contract/agents.ts';
import type { OutboxEntry } from '../../../src/offline/outbox-entry.ts';
import { savedStop } from '../../support/saved-stop.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
const never = () => new Promise<never>(() => undefined);
vi.mock('../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call, marketData: never, marketOverview: never, marketPools: never },
}));

const { Routes } = await import('../../../src/App.tsx');
const { queue } = await import('../../../src/commands.ts');
const { writeLastUser } = await import('../../../src/identity/last-user.ts');
const { note } = await import('../../../src/screens/getting-started/step-notes.ts');
const { session } = await import('../../../src/identity/session.ts');
const { install } = await import('../../../src/platform/install.ts');
const { ROUTES } = await import('../../../src/shell/routes.ts');
const { applyAgents, clearAgents } = await import('../../../src/stores/agents-store.ts');
const { pushLag } = await import('../../../src/stores/push-lag.ts');
const { connection } = await import('../../../src/stores/connection.ts');
const { applySubscription, clearSubscription } =
  await import('../../../src/stores/subscription-store.ts');

const NOW = Date.now();
const agent = (id: string, name: string, part: Partial<Agent> = {}): Agent => ({
  id,
  name,
  trading_pairs: ['BTC/USDT'],
  risk_profile: 'Moderate',
  max_position_size: 1_000,
  execution_interval: '5-minute',
  enabled: true,
  pool: 'all_pools',
  tradingFrequency: 'optimized',
  status: 'running',
  hold: null,
  generation: 1,
  version: 1,
  quote: 'USDT',
  openPositions: 0,
  realized: '0',
  unrealized: '0',
  fees: '0',
  total: '41.2',
  createdAt: NOW,
  startedAt: NOW,
  stoppedAt: null,
  lastRunAt: NOW - 120_000,
  nextRunAt: NOW + 180_000,
  ...part,
});
const command = (part: Partial<OutboxEntry> = {}): OutboxEntry =>
  savedStop({ commandId: crypto.randomUUID(), createdAt: NOW, clockOffsetMs: 0, ...part });
const refused = command({
  state: 'failed',
  attempts: 1,
  reason: { code: 'internal', message: 'Internal server error', at: NOW },
});
const agentsAre = (agents: Agent[], sequence = 3): void => {
  applyAgents({ agents, sequence, asOf: NOW }, 'network');
};

beforeEach(() => {
  call.mockReset();
  call.mockImplementation(never);
  Object.assign(connection, { online: 'online', marketStoppedAt: null });
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
  agentsAre([
    agent('a1', 'Harbour', { openPositions: 1 }),
    agent('a2', 'Ebb', { openPositions: 2 }),
    agent('a3', 'Drift', { status: 'stopped' }),
  ]);
});
afterEach(() => {
  cleanup();
  clearAgents();
  clearSubscription();
  queue.entries = [];
  pushLag.pushedSequence = null;
  Object.assign(install, { event: null, declined: false });
});

async function open(path: string): Promise<void> {
  history.replaceState(null, '', path);
  render(<Routes />);
  await screen.findByRole('heading', { level: 1 }, { timeout: 20_000 });
}

/** A change of what is known, and the screen after it. */
const later = (change: () => void): Promise<void> =>
  act(async () => {
    change();
    await Promise.resolve();
  });

describe('a stop that failed', () => {
  const PROTECTED = ROUTES.filter((route) => route.access === 'protected').map(({ path }) =>
    path.replace(':id', 'a1').replace(':symbol', 'BTC-USDT'),
  );

  it.each(PROTECTED)(
    'stands in red on %s, with its reason and the ways out',
    async (path) => {
      queue.entries = [refused];
      await open(path);
      const alert = screen
        .getAllByRole('alert')
        .find((one) => one.textContent.includes('Stop of Harbour failed.'));
      expect(alert?.textContent).toContain('Internal server error. It may still be running.');
      expect(alert?.className).toContain('text-danger');
      expect(
        within(alert as HTMLElement)
          .getAllByRole('button')
          .map((button) => button.textContent),
      ).toEqual(['Stop again', 'Dismiss']);
    },
    30_000,
  );

  it('says that its agent is stopped meanwhile only by the server’s word, and goes when it is dealt with', async () => {
    queue.entries = [
      refused,
      command({ intent: 'stop-all', agentId: null, agentName: '', state: 'lapsed', sequence: 2 }),
    ];
    await open('/library');
    const lines = (): string[] => screen.queryAllByRole('alert').map((one) => one.textContent);
    expect(lines().join()).toMatch(
      /Stop of Harbour failed\..*It may still be running\..*Stop of all agents failed\..*They may still be running\./,
    );
    await later(() => {
      agentsAre([agent('a1', 'Harbour', { status: 'stopped' })], 4);
    });
    expect(lines().join()).toMatch(/It is stopped now\..*All are stopped now\./);
    await later(() => {
      connection.online = 'offline';
    });
    expect(lines().join()).toMatch(
      /It was stopped when last seen\..*All were stopped when last seen\./,
    );
    await later(() => {
      connection.online = 'online';
    });
    await later(() => {
      queue.entries = [];
    });
    expect(lines()).toEqual([]);
  });
});

describe('stop all', () => {
  it('names who runs, and says how many positions stay open and that nothing is sold', async () => {
    await open('/stop-all');
    expect(
      screen.getByText(
        'Stops Harbour, Ebb and any agents started on other devices. 3 open positions keep their stop losses. Nothing is sold.',
      ),
    ).toBeTruthy();
    const rows = within(screen.getByRole('region', { name: 'Not stopped' }))
      .getAllByRole('listitem')
      .map((row) => row.textContent);
    expect(rows).toEqual(['HarbourRunning', 'EbbRunning']);
    expect(
      within(screen.getByRole('region', { name: 'Stopped' })).getByRole('listitem').textContent,
    ).toContain('Drift');
  });

  it('offline says where the stop lies, offers to take it back, and calls nobody stopped', async () => {
    connection.online = 'offline';
    queue.entries = [command({ intent: 'stop-all', agentId: null, agentName: '' })];
    await open('/stop-all');
    const main = within(screen.getByRole('main'));
    expect(
      main.getByText(
        'Stop all saved on this device. Not yet received by the server. Your agents keep trading until then.',
      ),
    ).toBeTruthy();
    expect(main.getByRole('button', { name: 'Undo' })).toBeTruthy();
    // Its button keeps its place, so that nothing else is where it was.
    expect(main.getByRole('button', { name: 'Stop all saved' }).getAttribute('aria-disabled')).toBe(
      'true',
    );
    expect(main.queryByText(/The server confirms/)).toBeNull();
    expect(
      main.getByText(
        /When last seen, 3 positions were open\. Open positions keep their stop losses/,
      ),
    ).toBeTruthy();
    expect(
      within(screen.getByRole('region', { name: 'Not stopped when last seen' })).getAllByRole(
        'listitem',
      ),
    ).toHaveLength(2);
  });

  it('that went in part names each agent that did not stop, with its reason, and can be tried for those', async () => {
    queue.entries = [
      command({
        intent: 'stop-all',
        agentId: null,
        agentName: '',
        state: 'failed',
        attempts: 1,
        reason: { code: 'partly_refused', message: '1 of 2 stopped', at: NOW },
        results: [
          { agentId: 'a1', name: 'Harbour', went: true, message: '' },
          { agentId: 'a2', name: 'Ebb', went: false, message: 'Internal server error' },
        ],
      }),
    ];
    await open('/stop-all');
    expect(
      within(screen.getByRole('main')).getByText('Stop all partly failed: 1 of 2 stopped'),
    ).toBeTruthy();
    const tray = within(screen.getByRole('region', { name: 'Commands on this device' }));
    fireEvent.click(tray.getByRole('button', { name: '1 command failedShow' }));
    expect(tray.getByText('Done: Harbour.')).toBeTruthy();
    expect(tray.getByText('Ebb').parentElement?.textContent).toBe(
      'Ebb failed: Internal server error',
    );
    expect(tray.getByRole('button', { name: 'Try the 1 again' })).toBeTruthy();
  });

  it('with no agents on this device says so and can still be pressed', async () => {
    clearAgents();
    await open('/stop-all');
    expect(
      screen.getByText(
        /Your agents are not loaded on this device\. Stop all reaches every agent\./,
      ),
    ).toBeTruthy();
    expect(within(screen.getByRole('main')).getByRole('button', { name: 'Stop all' })).toBeTruthy();
  });
});

describe('what is known', () => {
  it('may be behind, once a notification has told of more than the list of agents holds, until a fresh reading', async () => {
    pushLag.pushedSequence = 7;
    await open('/agents');
    expect(screen.getByText('Updates pending. Data may be out of date.')).toBeTruthy();
    await later(() => {
      agentsAre([agent('a1', 'Harbour')], 7);
    });
    expect(screen.queryByText(/Data may be out of date/)).toBeNull();
  });

  it('is, where no prices come, that a running agent has nothing to look at; and without the server, when it last looked', async () => {
    const row = (): string =>
      screen.getAllByRole('listitem').find((one) => one.textContent.includes('Harbour'))
        ?.textContent ?? '';
    connection.marketStoppedAt = NOW;
    await open('/agents');
    expect(row()).toContain('no checks: prices have stopped');
    expect(
      screen.getAllByRole('listitem').find((one) => one.textContent.includes('Drift'))?.textContent,
    ).not.toContain('prices have stopped');
    await later(() => {
      connection.online = 'offline';
    });
    // The day is said too where it was another one, as shortly after midnight.
    expect(row()).toMatch(/last known check (?:\w+ \d+, \d+ )?\d/);
  });

  it('is not whether a plan has a page, where no plan was kept: the screen says that, not that the plan lacks it', async () => {
    clearSubscription();
    connection.online = 'offline';
    await open('/pro-dashboard');
    expect(screen.getByRole('heading', { name: 'Plan not saved on this device' })).toBeTruthy();
    expect(screen.getByText(/It opens when you're back online\./)).toBeTruthy();
    expect(screen.queryByText(/upgrade/i)).toBeNull();
    cleanup();
    await open('/stop-all');
    expect(within(screen.getByRole('main')).getByRole('button', { name: 'Stop all' })).toBeTruthy();
  });
});

describe('what is docked over a screen', () => {
  it('is never the offer to install, which stands in the flow of the dashboard once a trade was seen, and not offline', async () => {
    Object.assign(install, { event: { prompt: never } });
    queue.entries = [command()];
    await open('/dashboard');
    expect(screen.getByRole('region', { name: 'Commands on this device' })).toBeTruthy();
    expect(screen.queryByRole('region', { name: 'Install' })).toBeNull();
    writeLastUser({ uid: 'uid-1', email: null, lastSignInTime: null });
    note('uid-1', 'trade');
    // The screen on which the trade is seen stays as it is.
    await later(() => {
      queue.entries = [];
    });
    expect(screen.queryByRole('region', { name: 'Install' })).toBeNull();
    cleanup();
    await open('/agents');
    expect(screen.queryByRole('region', { name: 'Install' })).toBeNull();
    cleanup();
    await open('/dashboard');
    const offer = screen.getByRole('region', { name: 'Install' });
    for (let part: Element | null = offer; part !== null; part = part.parentElement)
      expect(part.className).not.toMatch(/\b(fixed|sticky|absolute)\b/);
    expect(
      screen.getByRole('main').compareDocumentPosition(offer) & Node.DOCUMENT_POSITION_FOLLOWING,
    ).toBeTruthy();
    await later(() => {
      connection.online = 'offline';
    });
    expect(screen.queryByRole('region', { name: 'Install' })).toBeNull();
    await later(() => {
      Object.assign(connection, { online: 'online' });
      session.endingSoon = true;
    });
    expect(screen.getByRole('region', { name: 'Session' })).toBeTruthy();
  });
});
