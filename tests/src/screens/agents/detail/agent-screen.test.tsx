// @vitest-environment happy-dom
/**
 * An agent's page and the dashboards: their parts in order, figures of one moment, words without
 * the server.
 */
import '../../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AgentPerformance, Portfolio } from '../../../../../contract/trading.ts';
import { recordedReplies, recordState } from '../../../../../src/api/recorded-replies.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
const never = () => new Promise<never>(() => undefined);
vi.mock('../../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call, marketData: never, marketOverview: never, marketPools: never },
}));

const { ApiError } = await import('../../../../../src/api/api-error.ts');
const { navigate } = await import('wouter/use-browser-location');
const { Routes } = await import('../../../../../src/App.tsx');
const { session } = await import('../../../../../src/identity/session.ts');
const { agentsStore, applyAgents, applyRuns, clearAgents } =
  await import('../../../../../src/stores/agents-store.ts');
const { applyInsight, clearAnalytics, performanceStore } =
  await import('../../../../../src/stores/analytics-store.ts');
const { connection } = await import('../../../../../src/stores/connection.ts');
const { applyHistory, clearHistory } = await import('../../../../../src/stores/fills-store.ts');
const { applyPortfolio, clearPortfolio, portfolioStore } =
  await import('../../../../../src/stores/portfolio-store.ts');
const { applySettings, clearSettings } =
  await import('../../../../../src/stores/settings-store.ts');
const { applySubscription, clearSubscription } =
  await import('../../../../../src/stores/subscription-store.ts');
const { visits } = await import('../../../../../src/stores/last-visit.ts');
const { formatWhen } = await import('../../../../../src/format/times.ts');
const { rangesOf } = await import('../../../../../src/screens/agents/detail/AgentResult.tsx');

const NOW = Date.now();
const replies = recordedReplies(recordState(NOW), NOW);
const PORTFOLIO = replies.portfolio as Portfolio;
const PERFORMANCE = replies.agentPerformance as AgentPerformance;
const ID = PERFORMANCE.agent.id;
let reads = 0;

beforeEach(() => {
  reads = 0;
  call.mockReset();
  call.mockImplementation((name: string) => {
    if (name !== 'agentPerformance') return never();
    reads += 1;
    return Promise.resolve(structuredClone(PERFORMANCE));
  });
  Object.assign(connection, { online: 'online', stream: 'closed', backAt: null, gapAt: null });
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
  applyAgents(structuredClone(replies.agents!), 'network');
  applyHistory(structuredClone(replies.history!), 'network');
  applyPortfolio(structuredClone(PORTFOLIO), 'network');
  applyInsight(structuredClone(replies.agentInsight!), 'network');
});
afterEach(() => {
  cleanup();
  clearAgents();
  clearAnalytics();
  clearHistory();
  clearPortfolio();
  clearSettings();
  clearSubscription();
  visits.since = null;
});

async function open(path: string): Promise<void> {
  history.replaceState(null, '', path);
  render(<Routes />);
  await screen.findByRole('heading', { level: 1 }, { timeout: 20_000 });
}
const later = (change: () => void): Promise<void> =>
  act(async () => {
    change();
    await Promise.resolve();
  });
const result = (): string => screen.getByRole('region', { name: 'Result' }).textContent ?? '';
/** The account after a round trip that lost 13.47: what the stream brings, in one word. */
const closed = (): Portfolio => ({
  ...structuredClone(PORTFOLIO),
  sequence: 2,
  servedAt: NOW + 1,
  positions: [],
  results: [
    {
      agentId: ID,
      agentName: 'Harbour',
      pairs: [
        {
          pair: 'ETH/USDT',
          trades: 2,
          sells: 1,
          realized: '-13.47',
          fees: '5.2',
          wins: 0,
          won: '0',
        },
      ],
    },
  ],
});

describe('an agent’s page', () => {
  it('begins with its result and its line, then what it holds, prices, decisions, trades and terms', async () => {
    await open(`/agents/${ID}`);
    await screen.findByRole('button', { name: 'Stop' });
    const parts = screen.getAllByRole('region').map((one) => one.getAttribute('aria-label'));
    const order = ['Result', 'Positions', 'Price and trades', 'Decisions', 'Trades', 'Settings'];
    expect(parts.filter((name) => order.includes(name ?? ''))).toEqual(order);
    expect(
      within(screen.getByRole('region', { name: 'Result' })).getByRole('slider', {
        name: /^Result of Harbour in USDT/,
      }),
    ).toBeTruthy();
  }, 30_000);

  it('counts a round trip in trades and win rate in the frame in which it shows what that realised', async () => {
    await open(`/agents/${ID}`);
    expect(result()).toMatch(/Trades1, 0 closed/);
    expect(result()).toMatch(/Win rate— no closed trade yet/);
    expect(result()).toMatch(/Profit factor— no closed trade yet/);
    expect(result()).toMatch(/Expectancy per trade— no closed trade yet/);
    await later(() => {
      applyPortfolio(closed(), 'stream');
    });
    // Performance has not been read again: its own reply still knows one trade.
    expect(result()).toMatch(/Realised, net of fees.*−13\.47/);
    expect(result()).toMatch(/Trades2, 1 closed/);
    expect(result()).toMatch(/Win rate0\.00.%, 0 of 1/);
    expect(result()).toMatch(/Expectancy per trade▼?−13\.47/);
  }, 30_000);

  it('reads its decisions again when it has evaluated, and not when another has', async () => {
    await open(`/agents/${ID}`);
    await vi.waitFor(() => {
      expect(reads).toBe(1);
    });
    await later(() => {
      applyRuns([{ id: 'recorded-drift', lastRunAt: NOW, nextRunAt: NOW + 300_000 }]);
    });
    expect(reads).toBe(1);
    await later(() => {
      applyRuns([{ id: ID, lastRunAt: NOW + 300_000, nextRunAt: NOW + 600_000 }]);
    });
    await vi.waitFor(
      () => {
        expect(reads).toBe(2);
      },
      { timeout: 5_000 },
    );
  }, 30_000);

  it('names no limit by a preset while the person’s own risk values are not read (R7-22)', async () => {
    await open(`/agents/${ID}`);
    const limits = screen.getByRole('region', { name: 'Limits' });
    const line = (term: string): string =>
      within(limits).getByText(term).closest('div')?.textContent ?? '';
    for (const term of ['Signal needed to enter', 'Stop loss of each position']) {
      expect(line(term)).toContain('Your risk values are not loaded yet');
      expect(line(term)).not.toMatch(/\d/);
    }
    const own = {
      profile: 'Moderate' as const,
      max_position_percentage: 10,
      confidence_threshold: 0.6,
      stop_loss_percentage: 12.5,
    };
    await later(() => {
      applySettings({ ...replies.tradingSettings!, riskProfiles: [own] }, 'network');
    });
    expect(line('Signal needed to enter')).toContain('0.60 or more');
    expect(line('Stop loss of each position')).toContain('12.5\u202f% below entry');
  }, 30_000);

  it('says without the server what the agent was, with a ring for a dot, and says what it is once there is a new word', async () => {
    await open(`/agents/${ID}`);
    expect(screen.getByText('Running')).toBeTruthy();
    await later(() => {
      connection.online = 'offline';
    });
    expect(screen.getByText('Running when last seen')).toBeTruthy();
    expect(document.querySelectorAll('main [data-dot="ring"]').length).toBe(1);
    expect(document.body.textContent).not.toMatch(/next in/);
    // The server is there again and has not yet spoken of agents.
    await later(() => {
      Object.assign(connection, { online: 'online', backAt: Date.now() + 1 });
    });
    expect(screen.getByText('Running when last seen')).toBeTruthy();
    await later(() => {
      applyAgents({ ...structuredClone(replies.agents!), sequence: 2 }, 'network', Date.now() + 10);
    });
    expect(screen.getByText('Running')).toBeTruthy();
    expect(document.querySelectorAll('main [data-dot="full"]').length).toBe(1);
  }, 30_000);
});

describe('an agent’s page without what it reads', () => {
  it('says that positions and trades are not loaded instead of waiting for ever, and reads them again (R7-19)', async () => {
    clearPortfolio();
    clearHistory();
    const failed = new ApiError('', { code: 'internal', status: 500, text: '' });
    call.mockImplementation(() => Promise.reject(failed));
    await open(`/agents/${ID}`);
    const again = await screen.findByRole('button', { name: 'Try again' });
    await waitFor(() => {
      for (const name of ['Positions', 'Trades'])
        expect(screen.getByRole('region', { name }).textContent).toContain('Not loaded yet.');
    });
    call.mockImplementation((name: string) => {
      if (name === 'agentPerformance') return Promise.resolve(structuredClone(PERFORMANCE));
      return name === 'portfolio' ? Promise.resolve(structuredClone(PORTFOLIO)) : never();
    });
    fireEvent.click(again);
    await waitFor(() => {
      for (const name of ['Positions', 'Trades'])
        expect(screen.getByRole('region', { name }).textContent).not.toContain('Not loaded yet.');
    });
  }, 30_000);

  it('says nothing of a paper account that could not be read where the agent is at an exchange (R7-19)', async () => {
    const account = {
      kind: 'live' as const,
      connectionId: 'recorded-connection',
      exchange: 'kraken' as const,
      label: 'Kraken',
      quote: 'USD',
    };
    const list = structuredClone(replies.agents!);
    const agents = list.agents.map((one) => (one.id === ID ? { ...one, account } : one));
    applyAgents({ ...list, agents, sequence: 9 }, 'network', Date.now() + 10);
    clearPortfolio();
    call.mockImplementation((name: string) => {
      if (name === 'agentPerformance') return Promise.resolve(structuredClone(PERFORMANCE));
      return name === 'liveAccount'
        ? Promise.resolve(structuredClone(replies.liveAccount))
        : never();
    });
    await open(`/agents/${ID}`);
    await screen.findByText(/with real money/, undefined, { timeout: 20_000 });
    const notRead = 'The paper account could not be read.';
    await later(() => {
      Object.assign(portfolioStore, { status: 'error', error: notRead });
    });
    expect(screen.queryByText(notRead)).toBeNull();
    // To an agent on paper it is said.
    await later(() => {
      applyAgents(
        { ...structuredClone(replies.agents!), sequence: 10 },
        'network',
        Date.now() + 20,
      );
    });
    expect(screen.getByText(notRead)).toBeTruthy();
  }, 30_000);
});

describe('an agent that is deleted while its page is open', () => {
  it('is not found, and offers no Start, though its performance is still at hand (R7-19)', async () => {
    await open(`/agents/${ID}`);
    await screen.findByRole('heading', { level: 1, name: 'Harbour' });
    await vi.waitFor(() => {
      expect(performanceStore.byAgent[ID]?.data).toBeTruthy();
    });
    const list = structuredClone(replies.agents!);
    await later(() => {
      applyAgents(
        { ...list, agents: list.agents.filter(({ id }) => id !== ID), sequence: 9 },
        'network',
        Date.now() + 10,
      );
    });
    expect(await screen.findByText('Agent not found')).toBeTruthy();
    expect(screen.queryByRole('button', { name: /^(?:Start|Stop)$/ })).toBeNull();
    expect(screen.queryByText('Harbour')).toBeNull();
  }, 30_000);
});

describe('an agent that the saved list does not have', () => {
  beforeEach(() => {
    call.mockImplementation(never);
    clearAgents();
    const list = structuredClone(replies.agents!);
    applyAgents(
      { ...list, agents: list.agents.filter(({ id }) => id !== ID) },
      'snapshot',
      NOW - 60_000,
    );
  });
  const show = (): void => {
    history.replaceState(null, '', `/agents/${ID}`);
    render(<Routes />);
  };
  const isCalledGone = (): boolean => screen.queryByText('Agent not found') !== null;

  it('is waited for while the server has not said that it is gone (R7-19)', async () => {
    show();
    expect(await screen.findByRole('status', { name: 'Agent' })).toBeTruthy();
    expect(isCalledGone()).toBe(false);
    await later(() => {
      Object.assign(agentsStore, { status: 'error', error: 'Could not reach the server.' });
    });
    expect(await screen.findByText('Could not load this agent')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy();
    const list = structuredClone(replies.agents!);
    await later(() => {
      applyAgents(
        { ...list, agents: list.agents.filter(({ id }) => id !== ID), sequence: 9 },
        'network',
        Date.now(),
      );
    });
    expect(isCalledGone()).toBe(true);
  });

  it('is not waited for once the server has answered with a list that is older than the saved one', async () => {
    let answer: (list: unknown) => void = () => undefined;
    call.mockImplementation((name: string) =>
      name === 'agents'
        ? new Promise((resolve) => {
            answer = resolve;
          })
        : never(),
    );
    const older = { ...structuredClone(replies.agents!), agents: [], sequence: -1 };
    // Of another person: no answer to a test before is waited for.
    session.user!.uid = 'uid-2';
    show();
    await waitFor(() => {
      expect(call.mock.calls.filter(([name]) => name === 'agents')).toHaveLength(1);
    });
    expect(await screen.findByRole('status', { name: 'Agent' })).toBeTruthy();
    await later(() => {
      answer(older);
    });
    expect(await screen.findByText('Could not load this agent')).toBeTruthy();
    expect(isCalledGone()).toBe(false);
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await waitFor(() => {
      expect(call.mock.calls.filter(([name]) => name === 'agents')).toHaveLength(2);
    });
    const list = structuredClone(replies.agents!);
    await later(() => {
      answer({ ...list, sequence: 9 });
    });
    expect(await screen.findByRole('heading', { level: 1, name: 'Harbour' })).toBeTruthy();
  }, 30_000);

  it('is offline not on this device, and no more is said of it', async () => {
    connection.online = 'offline';
    show();
    expect(
      await screen.findByText('Agent: not saved on this device. Available when you’re online.'),
    ).toBeTruthy();
    expect(isCalledGone()).toBe(false);
    await later(() => {
      Object.assign(agentsStore, { status: 'error', error: 'Could not reach the server.' });
    });
    expect(screen.getByText(/^Agent: not saved on this device/)).toBeTruthy();
  });
});

describe('another agent on the same screen', () => {
  const OTHER = 'recorded-drift';
  const button = (name: string) => screen.findByRole('button', { name }, { timeout: 20_000 });
  /** As a press of a notification or the browser's back button does, under an open dialog. */
  async function goToOther(): Promise<void> {
    act(() => {
      navigate(`/agents/${OTHER}`);
    });
    await screen.findByRole('heading', { level: 1, name: 'Drift', hidden: true });
  }

  it('takes over neither the edit nor what was typed into it (R7-16)', async () => {
    await open(`/agents/${ID}`);
    fireEvent.click(await button('Edit'));
    const size = () => screen.findByLabelText<HTMLInputElement>('Largest position');
    const own = (await size()).value;
    fireEvent.change(await size(), { target: { value: '300' } });
    await goToOther();
    await waitFor(() => {
      expect(screen.queryByRole('dialog')).toBeNull();
    });
    fireEvent.click(await button('Edit'));
    await screen.findByRole('dialog', { name: 'Edit Drift' });
    expect((await size()).value).toBe(own);
    fireEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => {
      expect(call).toHaveBeenCalledWith(
        'updateAgent',
        expect.objectContaining({
          params: { id: OTHER },
          body: expect.objectContaining({ max_position_size: Number(own) }) as object,
        }),
      );
    });
  }, 60_000);

  it('leaves no dialog of the first one open', async () => {
    await open(`/agents/${ID}`);
    fireEvent.click(await button('Duplicate'));
    await screen.findByRole('dialog', { name: 'Duplicate Harbour' });
    await goToOther();
    await waitFor(() => {
      expect(screen.queryByRole('dialog')).toBeNull();
    });
  }, 60_000);
});

describe('the box of what happened since', () => {
  const box = (): HTMLElement | null => document.querySelector('[aria-label="Since you left"]');
  it('says nothing offline, and does not come where the app was opened offline', async () => {
    visits.since = { marketAt: NOW - 3_700_000, seenAt: NOW - 3_700_000, held: [] };
    await open('/dashboard');
    expect(box()?.textContent).toMatch(/Since you left1 h ago.*no trades, nothing halted/);
    await later(() => {
      connection.online = 'offline';
    });
    expect(box()?.className).toContain('invisible');
    expect(box()?.getAttribute('aria-hidden')).toBe('true');
    cleanup();
    await open('/dashboard');
    expect(box()).toBeNull();
  }, 30_000);

  it('names the valuation that its change counts from, where that is older than the visit (R2-07)', async () => {
    const mark = PORTFOLIO.equityCurve.at(-1)![0];
    visits.since = { marketAt: mark, seenAt: NOW - 3_700_000, held: [] };
    await open('/dashboard');
    expect(box()?.textContent).not.toContain(`Since ${formatWhen(mark, PORTFOLIO.asOf)}`);
    await later(() => {
      visits.since = { marketAt: mark + 5 * 3_600_000, seenAt: NOW - 3_700_000, held: [] };
    });
    expect(box()?.textContent).toContain(`Since ${formatWhen(mark, PORTFOLIO.asOf)}: `);
  }, 30_000);

  it('waits for fresh data before it calls anything quiet', async () => {
    visits.since = { marketAt: NOW - 3_700_000, seenAt: NOW - 3_700_000, held: [] };
    connection.backAt = Date.now() + 1_000;
    await open('/dashboard');
    expect(box()?.textContent).toContain('Loading.');
  }, 30_000);
});

describe('the PRO dashboard', () => {
  it('begins with what Pro adds, from what is known, in places that wait for the rest', async () => {
    await open('/pro-dashboard');
    const parts = screen.getAllByRole('region').map((one) => one.getAttribute('aria-label'));
    const order = ['Limits', 'Drawdown', 'Correlated agents', 'Decisions', 'Agents', 'Positions'];
    expect(parts.filter((name) => order.includes(name ?? ''))).toEqual(order);
    expect(
      await screen.findByRole('region', { name: 'Exposure by pool' }, { timeout: 10_000 }),
    ).toBeTruthy();
  }, 30_000);

  it('says of its agents offline what they were, and how old its distances are', async () => {
    connection.online = 'offline';
    await open('/pro-dashboard');
    expect(screen.getByText('Running when last seen')).toBeTruthy();
    expect(screen.getByText('1 of 2 running when last seen')).toBeTruthy();
    expect(screen.getByRole('region', { name: 'Limits' }).textContent).toMatch(
      /Data (now|\d+ s ago)/,
    );
    expect(document.querySelectorAll('main [data-dot="full"]').length).toBe(0);
  }, 30_000);
});

describe('the ranges of a result', () => {
  const HOUR = 3_600_000;
  const line = (hours: number) =>
    Array.from({ length: hours }, (_, hour) => [hour * HOUR, String(hour)] as const);
  it('are those that its line is long and fine enough for', () => {
    expect(rangesOf(line(5))).toEqual([]);
    expect(rangesOf(line(60))).toEqual(['1D', 'ALL']);
    expect(rangesOf(line(24 * 10))).toEqual(['1D', '1W', 'ALL']);
  });
});
