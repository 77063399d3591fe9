// @vitest-environment happy-dom
/**
 * The main screens with real-looking data: each opens under its path, reads its stores, and has no
 * serious accessibility fault.
 */
import '../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { savedStop } from '../../../support/saved-stop.ts';
import { seriousFaults } from '../../../support/serious-faults.ts';
import type { Agent } from '../../../../contract/agents.ts';
import type { Fill, Portfolio } from '../../../../contract/trading.ts';
import type { UserSettings } from '../../../../contract/user.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
const never = () => new Promise<never>(() => undefined);
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call, marketData: never, marketOverview: never, marketPools: never },
}));

const { Routes } = await import('../../../../src/App.tsx');
const { Toasts } = await import('../../../../src/shell/Toasts.tsx');
const { session } = await import('../../../../src/identity/session.ts');
const { queue } = await import('../../../../src/commands.ts');
const { applyAgents, clearAgents } = await import('../../../../src/stores/agents-store.ts');
const { connection } = await import('../../../../src/stores/connection.ts');
const { applyHistory, clearHistory } = await import('../../../../src/stores/fills-store.ts');
const { visits } = await import('../../../../src/stores/last-visit.ts');
const { applyMarket, clearMarket } = await import('../../../../src/stores/market-store.ts');
const { applyPortfolio, clearPortfolio } =
  await import('../../../../src/stores/portfolio-store.ts');
const { offerUndo, stopOffer } = await import('../../../../src/stores/stop-offer.ts');
const { applySettings, clearSettings } = await import('../../../../src/stores/settings-store.ts');
const { applySubscription, clearSubscription } =
  await import('../../../../src/stores/subscription-store.ts');
const { pageToast, removeToast, toastStore } =
  await import('../../../../src/stores/toast-store.ts');
const { unexplained } = await import('../../../../src/screens/portfolio/EquityFigure.tsx');
const { csvCell, fillsCsv } = await import('../../../../src/screens/portfolio/csv.ts');
const { sortQuotes } = await import('../../../../src/screens/market/market-order.ts');
const { nextPath, checkCredentials } = await import('../../../../src/screens/login/credentials.ts');

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
const PORTFOLIO: Portfolio = {
  accountId: 'account',
  book: 1,
  paper: true,
  sourceId: 'replay',
  quote: 'USDT',
  sequence: 3,
  asOf: NOW,
  servedAt: NOW,
  cash: '7889.59',
  positionsValue: '2110.41',
  equity: '10000',
  deposits: '10000',
  realized: '-12.05',
  unrealized: '12.05',
  fees: '4.1',
  dayChange: '128.4',
  dayChangePercent: 1.24,
  unpriced: [],
  positions: [
    {
      id: 'p1',
      agentId: 'a1',
      agentName: 'Harbour',
      pair: 'ETH/USDT',
      quantity: '0.84',
      averageCost: '2498.05',
      cost: '2098.36',
      price: '2512.4',
      priceAt: NOW,
      value: '2110.41',
      unrealized: '12.05',
      stopPrice: '2373.15',
      openedAt: NOW,
    },
  ],
  equityCurve: [
    [NOW - 60_000, '9990'],
    [NOW, '10000'],
  ],
};
const FILL: Fill = {
  id: 'f1',
  orderId: 'o1',
  agentId: 'a1',
  agentName: 'Harbour',
  pair: 'ETH/USDT',
  side: 'buy',
  quantity: '0.84',
  price: '2498.05',
  notional: '2098.36',
  fee: '2.1',
  feeBps: '10',
  slippageBps: '1.2',
  realized: null,
  reason: 'signal',
  decidedAt: NOW,
  filledAt: NOW,
  tickId: 't',
};
const SETTINGS: UserSettings = {
  displayName: 'a',
  tradingEnabled: true,
  tradingMode: 'automatic',
  tradingFrequency: 'optimized',
  riskProfile: 'moderate',
  maxTradeAmount: 10_000,
  notificationsEnabled: true,
};
const quote = (symbol: string, price: string, change: number | null, volume: string) => ({
  symbol,
  price,
  bid: price,
  ask: price,
  volume_24h: volume,
  high_24h: price,
  low_24h: price,
  price_change_24h: change,
  timestamp: NOW,
  stale: false,
});

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
  applyAgents(
    {
      agents: [
        agent('a1', 'Harbour', { openPositions: 1 }),
        agent('a2', 'Drift', { status: 'stopped', openPositions: 2 }),
      ],
      sequence: 3,
      asOf: NOW,
    },
    'network',
  );
  applyPortfolio(PORTFOLIO, 'network');
  applyHistory({ fills: [FILL], sequence: 3, asOf: NOW }, 'network');
  applyMarket(
    {
      source: { id: 'replay', kind: 'replay', label: 'Replayed prices', quote: 'USDT' },
      now: NOW,
      symbols: [
        quote('BTC/USDT', '64210.5', 1.2, '900'),
        quote('ETH/USDT', '2512.4', -0.4, '9000'),
      ],
    },
    'network',
  );
});
afterEach(() => {
  cleanup();
  clearAgents();
  clearHistory();
  clearMarket();
  clearPortfolio();
  clearSettings();
  clearSubscription();
  queue.entries = [];
  removeToast();
});

async function open(path: string): Promise<void> {
  history.replaceState(null, '', path);
  render(<Routes />);
  await screen.findByRole('heading', { level: 1 }, { timeout: 10_000 });
}

describe('protected screens', () => {
  /** The screen under its path, by its own heading, with no serious accessibility fault. */
  const opens = (path: string, heading: string | RegExp) => async (): Promise<void> => {
    await open(path);
    expect(
      await screen.findByRole('heading', { level: 1, name: heading }, { timeout: 10_000 }),
    ).toBeTruthy();
    expect(location.pathname).toBe(path);
    expect(await seriousFaults()).toEqual([]);
  };
  it('opens the dashboard by its router (R2-06)', opens('/dashboard', 'Dashboard'), 30_000);
  it('picks the dashboard by the plan, also by the last-known one without a network (R2-06, R2-08)', async () => {
    const status = (tier: 'pro' | 'standard') => ({
      status: {
        subscription: {
          status: 'active' as const,
          tier,
          planId: tier,
          currentPeriodEnd: null,
          cancelAtPeriodEnd: false,
        },
        entitledTier: tier,
        servedAt: NOW,
      },
      trial: null,
    });
    connection.online = 'offline';
    clearSubscription();
    applySubscription(status('pro'), 'snapshot');
    await open('/dashboard');
    expect(
      await screen.findByRole('region', { name: 'Exposure by pool' }, { timeout: 10_000 }),
    ).toBeTruthy();
    cleanup();
    clearSubscription();
    applySubscription(status('standard'), 'snapshot');
    await open('/dashboard');
    expect(screen.queryByRole('region', { name: 'Exposure by pool' })).toBeNull();
  }, 30_000);
  it('opens the standard dashboard (R2-07)', opens('/standard-dashboard', 'Dashboard'), 30_000);
  it('opens the PRO dashboard for pro (R2-08)', opens('/pro-dashboard', 'PRO Dashboard'), 30_000);
  it('opens getting started (R2-09)', opens('/getting-started', 'Getting started'), 30_000);
  it('opens the trading settings (R2-10)', opens('/trading', 'Trading'), 30_000);
  it('opens analytics (R2-11)', opens('/analytics', 'Analytics'), 30_000);
  it('opens the agents (R2-12)', opens('/agents', 'Agents'), 30_000);
  it('calls no agent late while the stream is away: what it did since is not heard here', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    connection.stream = 'stale';
    applyAgents(
      {
        agents: [
          agent('a1', 'Harbour', {
            status: 'running',
            lastRunAt: NOW - 3_600_000,
            nextRunAt: NOW - 3_300_000,
          }),
        ],
        sequence: 4,
        asOf: NOW,
      },
      'network',
    );
    await open('/agents');
    await act(() => vi.advanceTimersByTimeAsync(40_000));
    expect(document.body.textContent).toContain('last known check');
    expect(document.body.textContent).not.toMatch(/checks missed/);
    // Back, with the heartbeat that each stream has.
    act(() => {
      Object.assign(connection, { stream: 'open', gapAt: null, verifiedAt: Date.now() });
    });
    await act(() => vi.advanceTimersByTimeAsync(40_000));
    expect(document.body.textContent).toMatch(/late: \d+ checks missed/);
    connection.stream = 'closed';
    vi.useRealTimers();
  }, 30_000);
  it('opens referrals (R2-13)', opens('/referrals', 'Referrals'), 30_000);
  it('opens the subscription (R2-14)', opens('/subscription', 'Subscription'), 30_000);
  it('opens the markets (R2-15)', opens('/market', 'Markets'), 30_000);
  it('opens the guided setup (R2-16)', opens('/guided-setup', /./), 30_000);
  it('opens the library (R2-17)', opens('/library', 'Library'), 30_000);
  it('opens support (R2-18)', opens('/support', 'Support'), 30_000);
  it('opens security (R2-19)', opens('/security', 'Security'), 30_000);
  it('opens alerts', opens('/alerts', 'Alerts'), 30_000);
  it('opens performance (R2-20)', opens('/performance', 'Performance'), 30_000);

  it.each(['/portfolio', '/stop-all', '/agents/a1', '/market/ETH-USDT', '/', '/login'])(
    'has no serious accessibility fault on %s',
    async (path) => {
      if (path === '/login') Object.assign(session, { status: 'signed-out', user: null });
      await open(path);
      expect(await seriousFaults()).toEqual([]);
    },
    30_000,
  );
});

describe('truth on the screen', () => {
  it('calls a stopped agent with positions stopped and protecting them', async () => {
    await open('/agents');
    expect(screen.getByText('Stopped, protecting 2 positions')).toBeTruthy();
  });

  it('lays a saved stop over the agent without calling it stopped', async () => {
    queue.entries = [
      savedStop({ commandId: crypto.randomUUID(), createdAt: NOW, clockOffsetMs: 0 }),
    ];
    await open('/agents');
    const row = screen
      .getAllByRole('listitem')
      .find(
        (item) =>
          item.textContent?.includes('Harbour') === true &&
          item.textContent.includes('Running') === true,
      );
    expect(row?.textContent).toContain(
      'Stop saved on this device. Not yet received by the server. The agent keeps trading until then.',
    );
    // Nothing takes Stop's place, least of all what would take it back.
    expect(
      within(row as HTMLElement)
        .getByRole('button', { name: 'Stop saved: Harbour' })
        .getAttribute('aria-disabled'),
    ).toBe('true');
    expect(within(row as HTMLElement).queryByRole('button', { name: /Take back|Undo/ })).toBeNull();
    const tray = screen.getByRole('region', { name: 'Commands on this device' });
    expect(
      within(tray)
        .getAllByRole('button')
        .map((button) => button.textContent),
    ).toEqual(['1 stop waits to be receivedShow']);
    fireEvent.click(within(tray).getByRole('button', { name: /Show$/ }));
    expect(tray.textContent).toContain('The agent keeps trading until then.');
    expect(within(tray).getByRole('button', { name: 'Undo' })).toBeTruthy();
  });

  it('opens the equity into an equation whose rows add up', async () => {
    expect(unexplained(PORTFOLIO)).toBe('0');
    expect(unexplained({ ...PORTFOLIO, realized: '-12.06' })).toBe('0.01');
    await open('/portfolio');
    fireEvent.click(screen.getByRole('button', { name: /^Explain the equity/ }));
    const dialog = await screen.findByRole('dialog', { name: 'Equity' }, { timeout: 10_000 });
    const made = within(dialog).getByRole('region', { name: 'Assets' });
    expect(
      within(made)
        .getAllByRole('listitem')
        .map((row) => row.textContent),
    ).toEqual(['Cash7,889.59', 'ETH 0.84Harbour2,110.41']);
    expect(within(dialog).queryByText('Other')).toBeNull();
  });

  it('keeps the last data and says why it is not newer when a reading fails', async () => {
    connection.online = 'offline';
    await open('/dashboard');
    expect(screen.getByText(/^Offline\. Showing/)).toBeTruthy();
    expect(screen.getAllByText(/10.000\.00/).length).toBeGreaterThan(0);
  });

  it('says nothing of trades since the person left before it has heard of them', async () => {
    visits.since = { marketAt: NOW - 8 * 3_600_000, seenAt: NOW - 8 * 3_600_000, held: [] };
    const night = { fills: [], sequence: 1, asOf: NOW - 8 * 3_600_000, total: 0 };
    clearHistory();
    applyHistory(night, 'snapshot', NOW - 8 * 3_600_000);
    await open('/dashboard');
    const since = screen.getByRole('region', { name: 'Since you left' });
    expect(since.textContent).toContain('Loading.');
    expect(screen.getByText('No trades when last seen.')).toBeTruthy();
    act(() => {
      applyHistory({ ...night, sequence: 3, asOf: NOW }, 'network');
    });
    await waitFor(() => {
      expect(since.textContent).toContain('no trades');
    });
    expect(screen.getByText('No trades yet.')).toBeTruthy();
    visits.since = null;
  });

  it('takes the offer to undo a stop back with a logout: the next person is not its agent’s (F34)', async () => {
    await open('/agents');
    act(() => {
      offerUndo({ agent: agent('a1', 'Harbour', {}), commandId: null, atTop: false }, 60_000);
    });
    act(() => {
      Object.assign(session, { status: 'signed-out', user: null });
    });
    await waitFor(() => {
      expect(stopOffer.offer).toBeNull();
    });
  });

  it('counts no alerts before it knows of any', async () => {
    await open('/alerts');
    expect(screen.getByText(/^— of \d+/)).toBeTruthy();
    expect(screen.queryByText(/^0 of/)).toBeNull();
  });

  it('says whose prices these are', async () => {
    await open('/market');
    expect(screen.getByText('Replayed prices')).toBeTruthy();
  });
});

describe('before a start', () => {
  const preview = async (): Promise<HTMLElement> => {
    await open('/agents/a2');
    fireEvent.click(screen.getByRole('button', { name: 'Start' }));
    return screen.findByRole('dialog', { name: 'Start Drift' });
  };

  it('shows the worst loss of a pair in money, at the preset stop', async () => {
    applySettings({ settings: SETTINGS, version: 1, riskProfiles: [] }, 'network');
    const dialog = await preview();
    expect(within(dialog).getByText('Moderate, preset')).toBeTruthy();
    // 10 % of 10,000 is the cap of 1,000; 5 % of that is 50.
    expect(
      within(dialog)
        .getByText(/Maximum loss per pair at the stop/)
        .closest('div')?.textContent,
    ).toContain('\u221250.00');
    expect(within(dialog).getByText(/If the price gaps, you can lose more/)).toBeTruthy();
  });

  it('names no loss by a preset while the person’s own values are not loaded', async () => {
    clearSettings();
    const dialog = await preview();
    expect(within(dialog).getByText(/your values not loaded yet$/)).toBeTruthy();
    const loss = within(dialog)
      .getByText(/Maximum loss per pair at the stop/)
      .closest('div')?.textContent;
    expect(loss).toContain('Your risk values are not loaded yet');
    expect(loss).not.toMatch(/\d/);
    expect(within(dialog).queryByText(/% below entry/)).toBeNull();
  });

  it('shows the person’s own risk values where they have set them', async () => {
    applySettings(
      {
        settings: SETTINGS,
        version: 1,
        riskProfiles: [
          {
            profile: 'Moderate',
            max_position_percentage: 4,
            confidence_threshold: 0.6,
            stop_loss_percentage: 12.5,
          },
        ],
      },
      'network',
    );
    const dialog = await preview();
    expect(within(dialog).getByText('Moderate, your own values')).toBeTruthy();
    expect(within(dialog).getByText('12.5 % below entry')).toBeTruthy();
    expect(
      within(dialog)
        .getByText(/Maximum loss per pair at the stop/)
        .closest('div')?.textContent,
    ).toContain('\u221250.00');
    expect(within(dialog).getByText('0.60 or more')).toBeTruthy();
  });
});

describe('creating an agent', () => {
  const toTerms = async (): Promise<void> => {
    fireEvent.click(screen.getByRole('button', { name: 'New agent' }));
    fireEvent.click(await screen.findByRole('button', { name: 'Next: name and pairs' }));
  };

  it('states the worst loss of each preset in money, and takes the chosen one into the form', async () => {
    applySettings({ settings: SETTINGS, version: 1, riskProfiles: [] }, 'network');
    await open('/agents');
    fireEvent.click(screen.getByRole('button', { name: 'New agent' }));
    const worst = async (name: string) =>
      (await screen.findByRole('radio', { name: new RegExp(`^${name}`) })).closest('label')
        ?.textContent;
    expect(await worst('Conservative')).toContain('\u221215.00');
    expect(await worst('Moderate')).toContain('\u221250.00');
    // 1 % of equity is what one trade may lose, before the cap of 2,000 is reached.
    expect(await worst('Aggressive')).toContain('\u2212100.00');
    expect(await seriousFaults()).toEqual([]);
    fireEvent.click(screen.getByRole('radio', { name: /^Aggressive/ }));
    fireEvent.click(screen.getByRole('button', { name: 'Next: name and pairs' }));
    expect(screen.getByRole('button', { name: 'Back to risk: Aggressive' })).toBeTruthy();
    // Chosen once: the second step does not ask for it again.
    expect(screen.queryByLabelText('Risk profile')).toBeNull();
    expect(screen.getByLabelText<HTMLInputElement>(/Largest position/).value).toBe('2000');
  });

  it('keeps what was typed over a look back at the risk', async () => {
    await open('/agents');
    await toTerms();
    fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'Harbour two' } });
    fireEvent.click(screen.getByRole('button', { name: /^Back to risk/ }));
    fireEvent.click(screen.getByRole('button', { name: 'Next: name and pairs' }));
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('Harbour two');
  });

  it('copies an agent under a name of its own, with its terms', async () => {
    await open('/agents/a2');
    fireEvent.click(await screen.findByRole('button', { name: 'Duplicate' }));
    expect((await screen.findByLabelText<HTMLInputElement>('Name')).value).toBe('Drift copy');
    expect(screen.getByLabelText<HTMLInputElement>(/Largest position/).value).toBe('1000');
  });
  it('shows the pool choice locked with what the plan adds, to a plan that has none', async () => {
    applySubscription(
      {
        status: {
          subscription: {
            status: 'active',
            tier: 'standard',
            planId: 'standard',
            currentPeriodEnd: null,
            cancelAtPeriodEnd: false,
          },
          entitledTier: 'standard',
          servedAt: NOW,
        },
        trial: null,
      },
      'network',
    );
    await open('/agents');
    await toTerms();
    const pool = await screen.findByLabelText<HTMLSelectElement>('Pool');
    expect([pool.disabled, pool.value]).toEqual([true, 'all_pools']);
    expect(screen.getByText(/Single strategies need a larger plan/)).toBeTruthy();
  });

  it('lets pro choose its pool', async () => {
    await open('/agents');
    await toTerms();
    const pool = await screen.findByLabelText<HTMLSelectElement>('Pool');
    fireEvent.change(pool, { target: { value: 'weekly_leaders' } });
    expect([pool.disabled, pool.value]).toEqual([false, 'weekly_leaders']);
  });

  it('names who starts and with how much, and starts nobody by a tap', async () => {
    await open('/agents');
    applyAgents(
      {
        agents: [
          agent('a1', 'Harbour', { status: 'stopped' }),
          agent('a2', 'Drift', { status: 'stopped', risk_profile: 'Aggressive' }),
        ],
        sequence: 4,
        asOf: NOW,
      },
      'network',
    );
    fireEvent.click(await screen.findByRole('button', { name: 'Start all' }));
    const dialog = await screen.findByRole('dialog');
    expect(dialog.textContent).toContain('Starts 2 agents: Harbour, Drift.');
    expect(dialog.textContent).toContain('Aggressive: 1');
    fireEvent.pointerDown(within(dialog).getByRole('button', { name: /^Hold to start 2/ }));
    fireEvent.pointerUp(within(dialog).getByRole('button', { name: /^Hold to start 2/ }));
    expect(queue.entries).toEqual([]);
  });

  it('says for each agent that a command for all did not reach why not (R7-18)', async () => {
    queue.entries = [
      {
        version: 1,
        commandId: crypto.randomUUID(),
        uid: 'uid-1',
        intent: 'start-all',
        agentId: null,
        agentName: '',
        agents: [
          { id: 'a1', name: 'Harbour', seenGeneration: 1 },
          { id: 'a2', name: 'Drift', seenGeneration: 1 },
        ] as never,
        seenGeneration: null,
        sequence: 1,
        createdAt: NOW,
        clockOffsetMs: 0,
        clockMoved: false,
        contractVersion: 1,
        attempts: 1,
        failures: 0,
        nextAttemptAt: null,
        state: 'failed',
        reason: { code: 'partly_refused', message: '1 of 2 started' },
        confirmed: false,
        results: [
          { agentId: 'a1', name: 'Harbour', went: true, message: '' },
          { agentId: 'a2', name: 'Drift', went: false, message: 'Your plan has ended.' },
          { agentId: 'a9', name: 'Elsewhere', went: false, message: 'Your plan has ended.' },
        ],
      } as never,
    ];
    await open('/agents');
    const report = await screen.findByRole('status', { name: 'Not started' });
    expect(report.textContent).toBe(
      '2 of 3 not startedDrift Your plan has ended.Elsewhere Your plan has ended.',
    );
  });

  it('shows the contract’s own words beside each field, keeps the values, and sends nothing (R5-01, R5-04)', async () => {
    await open('/agents');
    await toTerms();
    fireEvent.change(await screen.findByLabelText('Name'), { target: { value: 'bad<name' } });
    fireEvent.change(screen.getByLabelText(/Largest position/), { target: { value: '0' } });
    fireEvent.click(screen.getByRole('button', { name: 'Next: preview' }));
    expect(
      await screen.findByText('Only letters, digits, spaces, hyphens and underscores'),
    ).toBeTruthy();
    expect(screen.getByText('At least 1')).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('bad<name');
    expect(call.mock.calls.filter(([name]) => name === 'createAgent')).toEqual([]);
  });
});

describe('small rules of screens', () => {
  it('says how a checkout ended, once, on the dashboard (R2-30)', async () => {
    const status = (tier: 'pro' | 'free') => ({
      status: {
        subscription:
          tier === 'free'
            ? null
            : {
                status: 'active' as const,
                tier,
                planId: tier,
                currentPeriodEnd: null,
                cancelAtPeriodEnd: false,
              },
        entitledTier: tier,
        servedAt: Date.now(),
      },
      trial: null,
    });
    applySubscription(status('free'), 'network');
    await open('/dashboard?subscription=success');
    expect(
      await screen.findByText(
        'Checkout finished. Setting up your plan. Waiting for payment confirmation.',
      ),
    ).toBeTruthy();
    expect(toastStore.toasts).toEqual([]);
    expect(location.search).toBe('');
    applySubscription(status('pro'), 'network');
    expect(await screen.findByText('Pro is active: up to 10 agents.')).toBeTruthy();
    expect(toastStore.toasts[0]?.message).toBe('Pro is active: up to 10 agents.');
    fireEvent.click(screen.getByRole('button', { name: 'Hide' }));
    cleanup();
    removeToast();
    await open('/dashboard?subscription=canceled');
    await waitFor(() => {
      expect(toastStore.toasts[0]?.message).toBe(
        'Checkout closed. Your current plan is under Subscription.',
      );
    });
  });

  it('shows toasts top-right (R2-29)', async () => {
    render(<Toasts />);
    pageToast('success', 'Saved there');
    const toast = await screen.findByText('Saved there');
    const list = toast.closest('[data-sonner-toaster]');
    expect([list?.getAttribute('data-y-position'), list?.getAttribute('data-x-position')]).toEqual([
      'top',
      'right',
    ]);
    expect(toastStore.toasts[0]?.durationMs).toBe(4_000);
  });

  it('writes a history that no spreadsheet runs', () => {
    expect(csvCell('=HYPERLINK("x")')).toBe(`"'=HYPERLINK(""x"")"`);
    expect(csvCell('-12.05')).toBe('-12.05');
    expect(csvCell('-cmd|x')).toBe("'-cmd|x");
    expect(fillsCsv([FILL], { number: null, quote: 'USDT' }).split('\r\n')[1]).toContain(
      'ETH/USDT,buy,0.84,2498.05',
    );
  });

  it('sorts the market by what is asked, unknown last, ties by name', () => {
    const rows = [
      quote('B/USDT', '1', null, '1'),
      quote('A/USDT', '1', 2, '1'),
      quote('C/USDT', '3', -1, '1'),
    ];
    expect(sortQuotes(rows, { key: 'change', down: true }).map((row) => row.symbol)).toEqual([
      'A/USDT',
      'C/USDT',
      'B/USDT',
    ]);
    expect(sortQuotes(rows, { key: 'price', down: true }).map((row) => row.symbol)).toEqual([
      'C/USDT',
      'A/USDT',
      'B/USDT',
    ]);
    expect(sortQuotes(rows, { key: 'symbol', down: false }).map((row) => row.symbol)).toEqual([
      'A/USDT',
      'B/USDT',
      'C/USDT',
    ]);
  });

  it('goes on after a sign-in to a path of this app only', () => {
    expect(nextPath('?next=%2Fagents%2Fa1', '/dashboard')).toBe('/agents/a1');
    expect(
      nextPath(`?next=${encodeURIComponent('/library?article=fees&q=a%26b#top')}`, '/dashboard'),
    ).toBe('/library?article=fees&q=a%26b#top');
    for (const bad of [
      '//evil.example',
      'https://evil.example',
      '/\\evil.example',
      '/\t/evil.example',
      '/./\\evil.example',
      'javascript:alert(1)',
      'agents',
      '/login?next=/x',
      '/register',
    ])
      expect(nextPath(`?next=${encodeURIComponent(bad)}`, '/dashboard')).toBe('/dashboard');
  });

  it('names what is missing in a sign-up beside its field', () => {
    expect(checkCredentials('', '', true)).toEqual({ email: 'Required', password: 'Required' });
    expect(checkCredentials('not-an-address', '12345', true)).toEqual({
      email: 'That is not an email address.',
      password: 'At least 6 characters.',
    });
    expect(checkCredentials('a@example.com', '12345', false)).toEqual({});
  });
});
