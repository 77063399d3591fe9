// @vitest-environment happy-dom
/**
 * Making an agent, by the wizard and by the guided setup: what it would do now, what is kept, what
 * keeps it from being made.
 */
import '../../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Agent } from '../../../../../contract/agents.ts';
import type { AgentPreview } from '../../../../../contract/preview.ts';
import { recordedReplies, recordState } from '../../../../../src/api/recorded-replies.ts';
import { portfolio } from '../../../offline/samples.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
const never = () => new Promise<never>(() => undefined);
vi.mock('../../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call, marketData: never, marketOverview: never, marketPools: never },
}));

const { ApiError } = await import('../../../../../src/api/api-error.ts');
const { removeToast, toastStore } = await import('../../../../../src/stores/toast-store.ts');
const { Routes } = await import('../../../../../src/App.tsx');
const { session } = await import('../../../../../src/identity/session.ts');
const { forgetPerson, writeLastUser } = await import('../../../../../src/identity/last-user.ts');
const { agentsStore, applyAgents, clearAgents } =
  await import('../../../../../src/stores/agents-store.ts');
const { connection } = await import('../../../../../src/stores/connection.ts');
const { applyMarket, applyPools, clearMarket } =
  await import('../../../../../src/stores/market-store.ts');
const { applyPortfolio, clearPortfolio } =
  await import('../../../../../src/stores/portfolio-store.ts');
const { applySettings, clearSettings } =
  await import('../../../../../src/stores/settings-store.ts');
const { applySubscription, clearSubscription } =
  await import('../../../../../src/stores/subscription-store.ts');

const NOW = Date.now();
const SETTINGS = recordedReplies(recordState(NOW), NOW).tradingSettings!;
const USER = { uid: 'uid-1', email: 'a@example.com', lastSignInTime: new Date().toUTCString() };
const agent = (id: string): Agent => ({
  id,
  name: id,
  trading_pairs: ['BTC/USDT'],
  risk_profile: 'Moderate',
  max_position_size: 1_000,
  execution_interval: '5-minute',
  enabled: false,
  pool: 'all_pools',
  tradingFrequency: 'optimized',
  status: 'stopped',
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
const PREVIEW: AgentPreview = {
  commandId: 'c',
  asOf: NOW,
  close: NOW - 60_000,
  nextLookAt: NOW + 240_000,
  quote: 'USDT',
  equity: '10000',
  freeCash: '10000',
  atStop: '-13.02',
  hold: null,
  pairs: [
    {
      pair: 'BTC/USDT',
      action: 'enter',
      reason: 'entered',
      strength: 0.74,
      threshold: 0.55,
      text: 'Bought 0.004 BTC: signal 0.74, needs 0.55.',
      order: { side: 'buy', quantity: '0.004', price: '62640', notional: '250.56', fee: '0.25' },
      stopPrice: '59508',
      atStop: '-13.02',
    },
    {
      pair: 'ETH/USDT',
      action: 'skip',
      reason: 'weak_signal',
      strength: 0.41,
      threshold: 0.55,
      text: 'No trade: signal 0.41, needs 0.55.',
      order: null,
      stopPrice: null,
      atStop: null,
    },
  ],
};
const quote = (symbol: string) => ({
  symbol,
  price: '100',
  bid: '100',
  ask: '100',
  volume_24h: '1',
  high_24h: '1',
  low_24h: '1',
  price_change_24h: 1,
  timestamp: NOW,
  stale: false,
});
const plan = (tier: 'starter' | 'pro' | 'free') => ({
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
    servedAt: NOW,
  },
  trial: null,
});

beforeEach(() => {
  localStorage.clear();
  call.mockReset();
  call.mockImplementation((name: string) =>
    name === 'previewAgent'
      ? Promise.resolve(PREVIEW)
      : name === 'createAgent'
        ? Promise.resolve({ commandId: 'c', agent: agent('made') })
        : never(),
  );
  connection.online = 'online';
  Object.assign(session, {
    status: 'signed-in',
    provisional: false,
    expiresAt: NOW + 4 * 3_600_000,
    endingSoon: false,
    user: {
      uid: USER.uid,
      email: USER.email,
      displayName: null,
      metadata: { lastSignInTime: USER.lastSignInTime },
    },
  });
  writeLastUser(USER);
  applySubscription(plan('starter'), 'network');
  applyAgents({ agents: [agent('one')], sequence: 3, asOf: NOW }, 'network');
  applyMarket(
    {
      source: { id: 'replay', kind: 'replay', label: 'Replayed prices', quote: 'USDT' },
      now: NOW,
      symbols: [quote('BTC/USDT'), quote('ETH/USDT')],
    },
    'network',
  );
  applyPools(
    {
      pools: [
        {
          id: 'all_pools',
          name: 'All Pools',
          description: '',
          risk: 'Medium',
          pairs: ['BTC/USDT', 'ETH/USDT'],
        },
      ],
    },
    'network',
  );
});
afterEach(() => {
  cleanup();
  clearAgents();
  clearMarket();
  clearPortfolio();
  clearSettings();
  clearSubscription();
});

async function open(path: string): Promise<void> {
  history.replaceState(null, '', path);
  render(<Routes />);
  await screen.findByRole('heading', { level: 1 }, { timeout: 10_000 });
}
const press = async (name: string | RegExp): Promise<void> => {
  fireEvent.click(await screen.findByRole('button', { name }, { timeout: 10_000 }));
};
const bodies = (name: string): unknown[] =>
  call.mock.calls
    .filter(([one]) => one === name)
    .map(([, input]) => (input as { body: unknown }).body);

/** A server that cannot tell the person's own risk values. */
const failsSettings = (): void => {
  call.mockImplementation((name: string) =>
    name === 'tradingSettings'
      ? Promise.reject(new ApiError('', { code: 'internal', status: 500, text: '' }))
      : never(),
  );
};
const UNREAD = 'Your risk values are not loaded yet';

/** A server that keeps receipts, whose first answer is lost. */
const losesFirstAnswer = (): { made: Agent[] } => {
  const made: Agent[] = [];
  const receipts = new Map<string, { body: string; made: Agent }>();
  const lost = new ApiError('Failed to fetch', { code: 'network', status: 0, text: '' });
  call.mockImplementation((name: string, input: { body: unknown; commandId: string }) => {
    if (name === 'previewAgent') return Promise.resolve(PREVIEW);
    if (name === 'agents')
      return Promise.resolve({ agents: [agent('one'), ...made], sequence: 9, asOf: NOW });
    if (name !== 'createAgent') return never();
    const isFirst = receipts.size === 0;
    const body = input.body as { name: string; enabled: boolean };
    const receipt = receipts.get(input.commandId) ?? {
      body: JSON.stringify(body),
      made: {
        ...agent(`made-${receipts.size + 1}`),
        name: body.name,
        enabled: body.enabled,
        status: body.enabled ? ('running' as const) : ('stopped' as const),
      },
    };
    if (receipt.body !== JSON.stringify(body))
      return Promise.reject(
        new ApiError('', { code: 'idempotency_mismatch', status: 422, text: '' }),
      );
    if (!receipts.has(input.commandId)) made.push(receipt.made);
    receipts.set(input.commandId, receipt);
    return isFirst
      ? Promise.reject(lost)
      : Promise.resolve({ commandId: 'c', agent: receipt.made });
  });
  return { made };
};

describe('the wizard', () => {
  const toTerms = async (): Promise<void> => {
    await open('/agents');
    await press('New agent');
    await press('Next: name and pairs');
  };

  it.each([
    [['BTC/USDT', 'ETH/USDT'], 'Leave empty to trade all 2 pairs. At most 20.'],
    [['ETH/USDT'], 'Leave empty to trade the only pair of the pool. At most 20.'],
    [[], 'The pool has no pairs here. Choose pairs for it, or another pool. At most 20.'],
  ])(
    'says what an agent without a choice trades: %j (R2-12)',
    async (pairs, hint) => {
      applyPools(
        {
          pools: [
            {
              id: 'all_pools',
              name: 'All Pools',
              description: '',
              risk: 'Medium',
              pairs: ['BTC/USDT', 'ETH/USDT'],
            },
            { id: 'momentum_24h', name: 'M', description: '', risk: 'High', pairs },
          ],
        },
        'network',
      );
      applySubscription(plan('pro'), 'network');
      await toTerms();
      fireEvent.change(await screen.findByLabelText('Pool'), { target: { value: 'momentum_24h' } });
      expect(screen.getByText(hint)).toBeTruthy();
    },
    30_000,
  );

  it('names no loss, stop or signal of a profile by its preset while the person’s own values are not read (R7-22)', async () => {
    failsSettings();
    applyPortfolio(portfolio(NOW), 'network');
    await open('/agents');
    await press('New agent');
    const profiles = await screen.findByRole('group', { name: 'Risk profile' });
    expect(profiles.textContent.split(UNREAD)).toHaveLength(7);
    expect(profiles.textContent).not.toContain('\u2212');
    expect(profiles.textContent.match(/Stop loss — /g)).toHaveLength(3);
    expect(profiles.textContent.match(/signal of — or more/g)).toHaveLength(3);
    applySettings(SETTINGS, 'network');
    await waitFor(() => {
      expect(profiles.textContent).toContain('\u221250.00');
    });
    expect(profiles.textContent).not.toContain(UNREAD);
    expect(profiles.textContent).toContain('Stop loss 5 ');
  }, 30_000);

  it('takes the focus to the first field that is wrong, at every press of Next (R2-12)', async () => {
    await toTerms();
    fireEvent.change(await screen.findByLabelText('Largest position'), { target: { value: '' } });
    const next = screen.getByRole('button', { name: 'Next: preview' });
    next.focus();
    await press('Next: preview');
    const name = screen.getByLabelText('Name');
    expect(document.activeElement).toBe(name);
    fireEvent.change(name, { target: { value: 'Harbour' } });
    await press('Next: preview');
    expect(document.activeElement).toBe(screen.getByLabelText('Largest position'));
    next.focus();
    await press('Next: preview');
    expect(document.activeElement).toBe(screen.getByLabelText('Largest position'));
  }, 30_000);

  it('takes the focus to what the server has refused, back in the step where it is changed', async () => {
    await toTerms();
    fireEvent.change(await screen.findByLabelText('Name'), { target: { value: 'Harbour' } });
    await press('Next: preview');
    call.mockImplementation((name: string) =>
      name === 'createAgent'
        ? Promise.reject(
            new ApiError('', {
              code: 'wrong_quote',
              status: 400,
              text: 'Not offered here.',
              field: 'trading_pairs.0',
            }),
          )
        : never(),
    );
    await press('Create agent');
    await screen.findByText('Not offered here.');
    await waitFor(() => {
      expect(document.activeElement).toBe(screen.getByRole('group', { name: 'Pairs' }));
    });
  }, 30_000);

  it('shows what the agent would do now, pair by pair, before it is made, and starts it in the same call (R7-15)', async () => {
    await toTerms();
    fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'Windward' } });
    await press('BTC/USDT');
    await press('Next: preview');
    const look = await screen.findByRole('region', { name: 'Preview' });
    await waitFor(() => {
      expect(look.textContent).toContain('Now it would buy BTC for 250.56 USDT.');
    });
    expect(look.textContent).toContain('0.74, needs 0.55');
    expect(look.textContent).toContain('0.41, needs 0.55');
    expect(look.textContent).toContain('\u221213.02');
    expect(bodies('previewAgent')).toEqual([
      {
        terms: {
          trading_pairs: ['BTC/USDT'],
          risk_profile: 'Moderate',
          max_position_size: 1_000,
          execution_interval: '5-minute',
          pool: 'all_pools',
        },
      },
    ]);
    expect(bodies('createAgent')).toEqual([]);
    call.mockImplementation((name: string) =>
      name === 'createAgent'
        ? Promise.resolve({ commandId: 'c', agent: agent('made') })
        : name === 'agents'
          ? Promise.resolve({ agents: [agent('made')], sequence: 4, asOf: NOW })
          : never(),
    );
    await press('Create and start');
    await waitFor(() => {
      expect(location.pathname).toBe('/agents/made');
    });
    expect(bodies('createAgent')).toMatchObject([
      { name: 'Windward', enabled: true, pool: 'all_pools' },
    ]);
    expect(localStorage.getItem('tradewind.draft.agent')).toBeNull();
  }, 30_000);

  it('begins each step with its heading focused, forwards and back', async () => {
    const focused = (): string => document.activeElement?.textContent ?? '';
    await toTerms();
    expect(focused()).toBe('2 of 3. Name and pairs');
    fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'Windward' } });
    await press('Next: preview');
    expect(focused()).toBe('3 of 3. Windward, Moderate');
    await press('Back to name and pairs');
    expect(focused()).toBe('2 of 3. Name and pairs');
  }, 30_000);

  it('keeps what was typed over a reload, for its person alone, until they sign out', async () => {
    await toTerms();
    fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'Half done' } });
    cleanup();
    await open('/agents');
    await press('New agent');
    expect((await screen.findByLabelText<HTMLInputElement>('Name')).value).toBe('Half done');
    cleanup();
    session.user = { uid: 'uid-2', email: null, displayName: null, metadata: {} } as never;
    await open('/agents');
    await press('New agent');
    expect(await screen.findByRole('button', { name: 'Next: name and pairs' })).toBeTruthy();
    forgetPerson('uid-1');
    expect(localStorage.getItem('tradewind.draft.agent')).toBeNull();
  }, 30_000);

  it('says Required, and a number where none was typed, beside the field and sends nothing (R5-01, R5-04, R8-32)', async () => {
    await toTerms();
    fireEvent.change(screen.getByLabelText(/Largest position/), { target: { value: '' } });
    await press('Next: preview');
    expect(screen.getAllByText('Required')).toHaveLength(2);
    fireEvent.change(screen.getByLabelText(/Largest position/), { target: { value: 'much' } });
    await press('Next: preview');
    expect(screen.getByText('A number from 1 to 1,000,000')).toBeTruthy();
    expect(bodies('createAgent')).toEqual([]);
  }, 30_000);

  it('says offline that a look and a new agent need the server', async () => {
    await toTerms();
    fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'Later' } });
    connection.online = 'offline';
    await press('Next: preview');
    expect(await screen.findByText(/The preview uses live candles and your account/)).toBeTruthy();
    expect(screen.getByText(/Your choices are saved on this device/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Create and start' })).toBeNull();
  }, 30_000);

  const toPreview = async (): Promise<void> => {
    await toTerms();
    fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'Windward' } });
    await press('Next: preview');
  };

  it('makes one agent where the answer was lost and the app reloaded, and says that it may exist (R7-15)', async () => {
    const { made } = losesFirstAnswer();
    await toPreview();
    await press('Create and start');
    expect(
      await screen.findByText(/The agent may have been created\. Pressing again does not create/),
    ).toBeTruthy();
    await waitFor(() => {
      expect(call.mock.calls.some(([name]) => name === 'agents')).toBe(true);
    });
    cleanup();
    await open('/agents');
    await press('New agent');
    expect(await screen.findByText(/An earlier request has no answer yet/)).toBeTruthy();
    await press('Create and start');
    await waitFor(() => {
      expect(location.pathname).toBe('/agents/made-1');
    });
    expect(made).toHaveLength(1);
  }, 30_000);

  it('takes nobody from where they went while the answer was on its way', async () => {
    let answer: (() => void) | undefined;
    const before = call.getMockImplementation()!;
    call.mockImplementation(async (name: string, input: unknown) => {
      if (name === 'agents')
        return { agents: [agent('one'), agent('made')], sequence: 9, asOf: NOW };
      if (name === 'createAgent')
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
      return before(name, input) as unknown;
    });
    await toPreview();
    await press('Create and start');
    await press('Close');
    await waitFor(() => {
      expect(answer).toBeDefined();
    });
    answer?.();
    await waitFor(() => {
      expect(toastStore.toasts.map(({ message }) => message)).toContain('made was created.');
    });
    expect(location.pathname).toBe('/agents');
  }, 30_000);

  it('makes no second agent of the other button, and says that the first one runs', async () => {
    const { made } = losesFirstAnswer();
    await toPreview();
    await press('Create and start');
    await screen.findByText(/The agent may have been created/);
    await press('Create agent');
    await waitFor(() => {
      expect(location.pathname).toBe('/agents/made-1');
    });
    expect(made).toHaveLength(1);
    expect(toastStore.toasts.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('already created and started by an earlier press'),
    );
  }, 30_000);

  it('names an agent that was made of earlier entries before it makes another', async () => {
    const { made } = losesFirstAnswer();
    await toPreview();
    await press('Create agent');
    await screen.findByText(/The agent may have been created/);
    await press('Back to name and pairs');
    fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'Leeward' } });
    await press('Next: preview');
    await press('Create agent');
    expect(
      await screen.findByText(/Windward was already created by an earlier press/),
    ).toBeTruthy();
    expect(made).toHaveLength(1);
    applySubscription(plan('pro'), 'network');
    await press('Create agent');
    await waitFor(() => {
      expect(location.pathname).toBe('/agents/made-2');
    });
  }, 30_000);

  /** The server's answer to the next creation, to be given later. */
  const heldAnswer = () => {
    let [resolve, reject] = [
      (_reply: unknown): void => undefined,
      (_error: Error): void => undefined,
    ];
    call.mockImplementation((name: string) =>
      name === 'createAgent'
        ? new Promise((resolved, rejected) => {
            [resolve, reject] = [resolved, rejected];
          })
        : name === 'agents'
          ? Promise.resolve({ agents: [agent('one'), agent('made')], sequence: 9, asOf: NOW })
          : never(),
    );
    return {
      resolve: () => {
        resolve({ commandId: 'c', agent: agent('made') });
      },
      reject: (error: Error) => {
        reject(error);
      },
    };
  };
  const nameField = () => screen.findByLabelText<HTMLInputElement>('Name');
  const keptName = (): unknown =>
    (
      JSON.parse(localStorage.getItem('tradewind.draft.agent') ?? '{}') as {
        value?: { draft: { name: string } };
      }
    ).value?.draft.name;
  /** Opens the form again while its request is under way, and changes the name in it. */
  const changeMeanwhile = async (): Promise<void> => {
    await press('Close');
    await press('New agent');
    await press('Back to name and pairs');
    fireEvent.change(await nameField(), { target: { value: 'Leeward' } });
  };

  it('stays with what is typed when the plan cannot be checked meanwhile (R2-12, R4-06)', async () => {
    localStorage.setItem('tradewind.keepSnapshots', 'false');
    await toTerms();
    fireEvent.change(await nameField(), { target: { value: 'Windward' } });
    clearSubscription();
    applySubscription(plan('free'), 'network');
    await press('Next: preview');
    await press('Back to name and pairs');
    expect((await nameField()).value).toBe('Windward');
    await press('Close');
    await press('New agent');
    expect(await screen.findByText(/You need a plan or the free trial/)).toBeTruthy();
  }, 30_000);

  it('leads back to no field while the agent is being created', async () => {
    const { resolve } = heldAnswer();
    await toPreview();
    await press('Create agent');
    const back = screen.getByRole<HTMLButtonElement>('button', { name: 'Back to name and pairs' });
    expect(back.disabled).toBe(true);
    resolve();
    await waitFor(() => {
      expect(location.pathname).toBe('/agents/made');
    });
  }, 30_000);

  it('keeps what is typed in a form opened again, whatever comes of the request of the first (R2-12)', async () => {
    applySubscription(plan('pro'), 'network');
    const { reject } = heldAnswer();
    await toPreview();
    await press('Create agent');
    await changeMeanwhile();
    reject(
      new ApiError('', { code: 'wrong_quote', status: 400, text: 'No.', field: 'trading_pairs.0' }),
    );
    await waitFor(() => {
      expect(toastStore.toasts.map(({ message }) => message)).toContain('Windward: No.');
    });
    expect([(await nameField()).value, keptName()]).toEqual(['Leeward', 'Leeward']);
    cleanup();
    localStorage.removeItem('tradewind.draft.agent');
    const { resolve } = heldAnswer();
    await toPreview();
    await press('Create agent');
    await changeMeanwhile();
    resolve();
    await waitFor(() => {
      expect(toastStore.toasts.map(({ message }) => message)).toContain(
        'made was created. Your entries since then are kept.',
      );
    });
    expect(location.pathname).toBe('/agents');
    expect([(await nameField()).value, keptName()]).toEqual(['Leeward', 'Leeward']);
  }, 30_000);

  it('makes no second agent in a form opened again, though the first form has had the answer meanwhile', async () => {
    const { resolve } = heldAnswer();
    await toPreview();
    await press('Create and start');
    await press('Close');
    await press('New agent');
    expect(await screen.findByText(/Pressing again does not create a second one/)).toBeTruthy();
    resolve();
    await waitFor(() => {
      expect(toastStore.toasts.map(({ message }) => message)).toContain('made was created.');
    });
    await press('Create and start');
    await waitFor(() => {
      expect(bodies('createAgent')).toHaveLength(2);
    });
    const keys = call.mock.calls.flatMap(([name, input]) =>
      name === 'createAgent' ? [(input as { commandId: string }).commandId] : [],
    );
    expect(new Set(keys).size).toBe(1);
    resolve();
    await waitFor(() => {
      expect(location.pathname).toBe('/agents/made');
    });
  }, 30_000);

  /** From now on the list is not read before it is let go. */
  const holdList = (): (() => void) => {
    const before = call.getMockImplementation()!;
    let letGo: () => void = () => undefined;
    const until = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    call.mockImplementation(async (name: string, input: unknown) => {
      if (name === 'agents') await until;
      return before(name, input) as unknown;
    });
    return letGo;
  };
  const kept = (): string[] =>
    Object.keys(localStorage)
      .filter((key) => key.includes('draft.agent'))
      .sort();

  it('opens the agent and gives up the draft with the answer, though the list cannot be read then', async () => {
    await toPreview();
    const { resolve } = heldAnswer();
    const letGo = holdList();
    await press('Create and start');
    await waitFor(() => {
      expect(bodies('createAgent')).toHaveLength(1);
    });
    resolve();
    await waitFor(() => {
      expect(location.pathname).toBe('/agents/made');
    });
    expect(kept()).toEqual([]);
    expect(agentsStore.data?.agents.map(({ id }) => id)).toEqual(['one', 'made']);
    letGo();
    await waitFor(() => {
      expect(agentsStore.status).toBe('ready');
    });
  }, 30_000);

  it('keeps draft and key of a request sent before until the list says whether its agent is still there', async () => {
    const { made } = losesFirstAnswer();
    await toPreview();
    await press('Create and start');
    await screen.findByText(/The agent may have been created/);
    await waitFor(() => {
      expect(agentsStore.status).toBe('ready');
    });
    const letGo = holdList();
    await press('Create and start');
    await waitFor(() => {
      expect(agentsStore.status).toBe('loading');
    });
    expect(kept()).toEqual(['tradewind.draft.agent', 'tradewind.draft.agent.sent']);
    letGo();
    await waitFor(() => {
      expect(location.pathname).toBe('/agents/made-1');
    });
    expect(kept()).toEqual([]);
    expect(made).toHaveLength(1);
  }, 30_000);

  it('opens the agent of a request sent before, though the list cannot be read after the answer', async () => {
    losesFirstAnswer();
    const answers = call.getMockImplementation()!;
    call.mockImplementation((name: string, input: unknown) =>
      name === 'agents'
        ? Promise.reject(new ApiError('', { code: 'network', status: 0, text: '' }))
        : (answers(name, input) as unknown),
    );
    await toPreview();
    await press('Create and start');
    await screen.findByText(/The agent may have been created/);
    await press('Create and start');
    await waitFor(() => {
      expect(location.pathname).toBe('/agents/made-1');
    });
    expect(agentsStore.status).toBe('error');
    expect(agentsStore.data?.agents.map(({ id }) => id)).toEqual(['one', 'made-1']);
  }, 30_000);

  it('says that an agent of an earlier press was stopped since, and does not start it', async () => {
    const { made } = losesFirstAnswer();
    await toPreview();
    await press('Create and start');
    await screen.findByText(/The agent may have been created/);
    const answers = call.getMockImplementation()!;
    const stopped = { enabled: false, status: 'stopped' as const, generation: 2 };
    call.mockImplementation((name: string, input: unknown) =>
      name === 'agents'
        ? Promise.resolve({
            agents: [agent('one'), ...made.map((one) => ({ ...one, ...stopped }))],
            sequence: 10,
            asOf: NOW,
          })
        : (answers(name, input) as unknown),
    );
    await press('Create and start');
    await waitFor(() => {
      expect(location.pathname).toBe('/agents/made-1');
    });
    expect(toastStore.toasts.map(({ message }) => message)).toContain(
      'Windward was created by an earlier press and stopped since. Press Start to run it.',
    );
    expect(agentsStore.data?.agents.at(-1)?.status).toBe('stopped');
  }, 30_000);

  it('says nothing of it to somebody who has logged in while the answer was on its way', async () => {
    const { reject } = heldAnswer();
    await toPreview();
    await press('Create and start');
    await waitFor(() => {
      expect(bodies('createAgent')).toHaveLength(1);
    });
    removeToast();
    session.user = { ...session.user!, uid: 'uid-2' };
    await press('Close');
    reject(new ApiError('', { code: 'not_authenticated', status: 401, text: '' }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(toastStore.toasts).toEqual([]);
  }, 30_000);

  it('shows the limit and the way to more where every place is taken (R9-04)', async () => {
    applyAgents({ agents: [agent('one'), agent('two')], sequence: 5, asOf: NOW }, 'network');
    await open('/agents');
    await press('New agent');
    expect(await screen.findByText(/You have reached your plan's limit of 2 agents/)).toBeTruthy();
    expect(screen.getByRole('link', { name: 'View Plans' })).toBeTruthy();
  }, 30_000);
});

describe('a new agent from a pair', () => {
  it('takes the place that a twin on paper leaves free (R9-04)', async () => {
    const twin = { ...agent('twin'), shadowOf: 'one' };
    applyAgents({ agents: [agent('one'), twin], sequence: 50, asOf: NOW }, 'network');
    await open('/market/BTC-USDT');
    await press('Create agent for this pair');
    expect(await screen.findByLabelText('Name', {}, { timeout: 10_000 })).toBeTruthy();
    expect(screen.queryByText(/You have reached your plan's limit/)).toBeNull();
  }, 30_000);
});

describe('a copy of an agent', () => {
  const duplicate = async (): Promise<HTMLInputElement> => {
    await open('/agents/one');
    await press('Duplicate');
    return screen.findByLabelText<HTMLInputElement>('Name', {}, { timeout: 10_000 });
  };

  it('is kept over a reload under a name of its own, until it is started over (R2-12)', async () => {
    fireEvent.change(await duplicate(), { target: { value: 'Leeward' } });
    expect(screen.getByText(/Your entries are saved\./)).toBeTruthy();
    cleanup();
    expect((await duplicate()).value).toBe('Leeward');
    expect(screen.getByText('Your unfinished entries are restored.')).toBeTruthy();
    await press('Start over');
    expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('one copy');
    expect(screen.queryByText('Your unfinished entries are restored.')).toBeNull();
    expect(localStorage.getItem('tradewind.draft.agent-copy.one')).toBeNull();
    cleanup();
    await open('/agents');
    await press('New agent');
    expect(await screen.findByText('1 of 3. Risk')).toBeTruthy();
  }, 30_000);

  it('is not called saved where the device keeps nothing', async () => {
    localStorage.setItem('tradewind.keepSnapshots', 'false');
    fireEvent.change(await duplicate(), { target: { value: 'Leeward' } });
    expect(screen.queryByText(/entries are saved/)).toBeNull();
    connection.online = 'offline';
    await press('Next: preview');
    expect(await screen.findByText(/Create the agent when you're back online\./)).toBeTruthy();
    expect(screen.queryByText(/choices are saved/)).toBeNull();
    cleanup();
    connection.online = 'online';
    expect((await duplicate()).value).toBe('one copy');
  }, 30_000);

  it('has its frequency of rebalancing, also as it is previewed', async () => {
    applyAgents(
      {
        agents: [{ ...agent('one'), tradingFrequency: 'monthly', ownPairs: [] }],
        sequence: 5,
        asOf: NOW,
      },
      'network',
    );
    losesFirstAnswer();
    await duplicate();
    await press('Next: preview');
    await waitFor(() => {
      expect(bodies('previewAgent')).toMatchObject([
        { terms: { trading_frequency: 'monthly', trading_pairs: [] } },
      ]);
    });
    await press('Create agent');
    await waitFor(() => {
      expect(bodies('createAgent')).toMatchObject([
        { trading_frequency: 'monthly', trading_pairs: [] },
      ]);
    });
  }, 30_000);
});

describe('a draft with a pool of a larger plan', () => {
  it('can give the pool up for the one that every plan has (R6-05)', async () => {
    const of = { ...agent('one'), pool: 'weekly_leaders' as const };
    applyAgents({ agents: [of], sequence: 50, asOf: NOW }, 'network');
    await open('/agents/one');
    await press('Duplicate');
    const pool = await screen.findByLabelText<HTMLSelectElement>('Pool', {}, { timeout: 10_000 });
    expect([pool.value, pool.disabled]).toEqual(['weekly_leaders', false]);
    expect([...pool.options].filter(({ disabled }) => !disabled).map(({ value }) => value)).toEqual(
      ['weekly_leaders', 'all_pools'],
    );
    expect(
      screen.getByText(
        'Single strategies need a larger plan. Choose All pools to stay on your plan.',
      ),
    ).toBeTruthy();
    fireEvent.change(pool, { target: { value: 'all_pools' } });
    await press('Next: preview');
    await press('Create agent');
    await waitFor(() => {
      expect(bodies('createAgent')).toMatchObject([{ pool: 'all_pools' }]);
    });
  }, 30_000);
});

describe('while an exchange tells prices in the server’s place', () => {
  const direct = (): void => {
    clearMarket();
    applyMarket(
      {
        source: {
          id: 'coinbaseexchange',
          kind: 'exchange',
          label: 'Coinbase Exchange',
          quote: 'USD',
        },
        now: NOW,
        symbols: [quote('BTC/USD'), quote('ETH/USD')],
      },
      'exchange',
    );
    applyPools(
      {
        pools: [
          {
            id: 'all_pools',
            name: 'All Pools',
            description: '',
            risk: 'unknown',
            pairs: ['BTC/USD'],
          },
          { id: 'momentum_24h', name: 'M', description: '', risk: 'unknown', pairs: [] },
        ],
      },
      'exchange',
    );
  };

  it('offers none of its pairs, calls no pool empty, and names amounts in the currency of the account (R7-13)', async () => {
    applySubscription(plan('pro'), 'network');
    applyPortfolio({ ...portfolio(NOW), quote: 'USDT' }, 'network');
    direct();
    await open('/agents');
    await press('New agent');
    await press('Next: name and pairs');
    expect(
      screen.getByText('Pairs are not available while the server is not responding.'),
    ).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'BTC/USD' })).toBeNull();
    expect(screen.queryByText(/no pairs here/)).toBeNull();
    const size = screen.getByLabelText(/Largest position/).parentElement;
    expect(size?.textContent).toBe('USDT');
  }, 30_000);

  it('plans a first agent with none of its pairs (R2-16, R7-13)', async () => {
    direct();
    await open('/guided-setup');
    for (const number of [1, 2, 3, 4])
      fireEvent.keyDown(await screen.findByRole('region', { name: `Question ${number} of 4` }), {
        key: '2',
      });
    expect(await screen.findByRole('heading', { name: /^Your profile/ })).toBeTruthy();
    expect(document.body.textContent).not.toContain('BTC/USD');
  }, 30_000);
});

describe('an edit', () => {
  const size = () =>
    screen.findByLabelText<HTMLInputElement>(/Largest position/, {}, { timeout: 10_000 });

  it('is kept over a reload until it is saved or put away, and says that it is not the present terms', async () => {
    await open('/agents/one');
    await press('Edit');
    fireEvent.change(await size(), { target: { value: '750' } });
    cleanup();
    await open('/agents/one');
    await press('Edit');
    expect((await size()).value).toBe('750');
    expect(screen.getByText('Unsaved edits restored.')).toBeTruthy();
    await press('Discard edits');
    expect((await size()).value).toBe('1000');
    expect(localStorage.getItem('tradewind.draft.agent-edit.one')).toBeNull();
    fireEvent.change(await size(), { target: { value: '800' } });
    call.mockImplementation((name: string) =>
      name === 'updateAgent'
        ? Promise.resolve({ commandId: 'c', agent: agent('one') })
        : name === 'agents'
          ? Promise.resolve({ agents: [agent('one')], sequence: 4, asOf: NOW })
          : never(),
    );
    await press('Save');
    await waitFor(() => {
      expect(bodies('updateAgent')).toMatchObject([{ max_position_size: 800, version: 1 }]);
    });
    await waitFor(() => {
      expect(localStorage.getItem('tradewind.draft.agent-edit.one')).toBeNull();
    });
  }, 30_000);
});

describe('start all', () => {
  it('states in money what all may lose together at their stops, and what each would do now when asked', async () => {
    applyAgents({ agents: [agent('one'), agent('two')], sequence: 4, asOf: NOW }, 'network');
    applyPortfolio(
      {
        accountId: 'a',
        book: 1,
        paper: true,
        sourceId: 'replay',
        quote: 'USDT',
        sequence: 4,
        asOf: NOW,
        servedAt: NOW,
        cash: '10000',
        positionsValue: '0',
        equity: '10000',
        deposits: '10000',
        realized: '0',
        unrealized: '0',
        fees: '0',
        dayChange: null,
        dayChangePercent: null,
        unpriced: [],
        positions: [],
        equityCurve: [],
      },
      'network',
    );
    failsSettings();
    await open('/agents');
    await press('Start all');
    const dialog = await screen.findByRole('dialog', {}, { timeout: 10_000 });
    // A preset does not stand in for the person's own values.
    expect(dialog.textContent).not.toContain('\u2212');
    expect(dialog.textContent).not.toContain('Maximum loss at the stops, with one position each:');
    expect(dialog.textContent.split(UNREAD)).toHaveLength(4);
    applySettings(SETTINGS, 'network');
    // Moderate: at most 1 000 in a pair, 5 % under its entry, twice.
    await waitFor(() => {
      expect(dialog.textContent).toContain(
        'Maximum loss at the stops, with one position each: 100.00 USDT.',
      );
    });
    expect(dialog.textContent).toContain('\u2212100.00');
    expect(bodies('previewAgent')).toEqual([]);
    call.mockImplementation(() => Promise.resolve(PREVIEW));
    await press('Preview two');
    await waitFor(() => {
      expect(dialog.textContent).toContain('Now it would buy BTC for 250.56 USDT.');
    });
    expect(bodies('previewAgent')).toEqual([{ agentId: 'two' }]);
  }, 30_000);
});

describe('the guided setup', () => {
  const answer = async (number: number, key: string): Promise<void> => {
    fireEvent.keyDown(await screen.findByRole('region', { name: `Question ${number} of 4` }), {
      key,
    });
  };
  const answerAll = async (keys: string): Promise<void> => {
    for (const [index, key] of [...keys].entries()) await answer(index + 1, key);
  };
  const focused = (): string => document.activeElement?.textContent ?? '';

  it('leads by keys from four answers over the plan to what the agent would do now, each step with its heading focused (R2-16)', async () => {
    await open('/guided-setup');
    await answer(1, '2');
    expect(focused()).toBe('What share of your savings is this?');
    for (const [index, key] of ['3', '2', '2'].entries()) await answer(index + 2, key);
    expect(await screen.findByRole('heading', { name: 'Your profile: Moderate' })).toBeTruthy();
    expect(focused()).toBe('Your profile: Moderate');
    expect(screen.getByText('Your risk capacity and comfort match.')).toBeTruthy();
    fireEvent.click(screen.getByLabelText(/^Aggressive/));
    expect(screen.getByText(/takes more risk than your answers suggest/)).toBeTruthy();
    fireEvent.click(screen.getByLabelText(/^Moderate/));
    expect(screen.getByText('BTC/USDT', { selector: 'button' }).getAttribute('aria-pressed')).toBe(
      'true',
    );
    await press('Continue to preview');
    expect(focused()).toBe('First agent, Moderate');
    expect(await screen.findByText('Now it would buy BTC for 250.56 USDT.')).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Create and start' })).toBeTruthy();
  }, 30_000);

  it('names the worst loss with or before fees, by whether their rate is known (R2-16)', async () => {
    await open('/guided-setup');
    await answerAll('2222');
    expect(await screen.findByText('at the stop, before fees')).toBeTruthy();
    applyMarket(
      {
        source: {
          id: 'replay',
          kind: 'replay',
          label: 'Replayed prices',
          quote: 'USDT',
          feeBps: 10,
        },
        now: NOW,
        symbols: [quote('BTC/USDT'), quote('ETH/USDT')],
      },
      'network',
    );
    expect(await screen.findByText('at the stop, incl. fees')).toBeTruthy();
  }, 30_000);

  it('names no loss by a preset while the person’s own values are not read (R2-16)', async () => {
    failsSettings();
    applyPortfolio(portfolio(NOW), 'network');
    await open('/guided-setup');
    await answerAll('2222');
    const loss = (): string =>
      screen.getByText('Worst loss in one pair').closest('div')?.textContent ?? '';
    await screen.findByText('Worst loss in one pair');
    expect(loss()).toContain(UNREAD);
    expect(loss()).not.toMatch(/\d/);
    applySettings(SETTINGS, 'network');
    await waitFor(() => {
      expect(loss()).toContain('\u221250.00');
    });
  }, 30_000);

  it('opens what it trades and takes the focus to the first field that is wrong there', async () => {
    await open('/guided-setup');
    await answerAll('2222');
    fireEvent.change(await screen.findByLabelText('Name'), { target: { value: '' } });
    await press('Continue to preview');
    const name = screen.getByLabelText('Name');
    expect(name.closest('details')?.open).toBe(true);
    expect(document.activeElement).toBe(name);
  }, 30_000);

  it('starts nothing before the person says that they understand the risks, and asks for it where it is missing', async () => {
    await open('/guided-setup');
    await answerAll('2222');
    await press('Continue to preview');
    await press('Create and start');
    expect(bodies('createAgent')).toEqual([]);
    expect(
      screen.getByText('Confirm that you understand the risks to start the agent.'),
    ).toBeTruthy();
    const box = screen.getByRole('checkbox', { name: /I understand the risks/ });
    expect(document.activeElement).toBe(box);
    fireEvent.click(box);
    call.mockImplementation((name: string) =>
      name === 'createAgent'
        ? Promise.resolve({ commandId: 'c', agent: agent('made') })
        : name === 'agents'
          ? Promise.resolve({ agents: [agent('made')], sequence: 4, asOf: NOW })
          : never(),
    );
    await press('Create and start');
    await waitFor(() => {
      expect(location.pathname).toBe('/agents/made');
    });
    expect(bodies('createAgent')).toMatchObject([{ name: 'First agent', enabled: true }]);
    expect(localStorage.getItem('tradewind.draft.guided-setup')).toBeNull();
  }, 30_000);

  it('goes on where it was left, and back to an answer that is marked, by its own button and by the browser’s', async () => {
    await open('/guided-setup');
    await answer(1, '2');
    cleanup();
    await open('/guided-setup');
    expect(await screen.findByRole('region', { name: 'Question 2 of 4' })).toBeTruthy();
    await press('Previous question');
    await screen.findByRole('region', { name: 'Question 1 of 4' });
    expect(
      screen.getByRole('button', { name: 'In one to five years' }).getAttribute('aria-pressed'),
    ).toBe('true');
    await answer(1, '3');
    await screen.findByRole('region', { name: 'Question 2 of 4' });
    history.back();
    expect(await screen.findByRole('region', { name: 'Question 1 of 4' })).toBeTruthy();
  }, 30_000);

  it('begins anew where what was kept is of an earlier form, and never shows a step that is not reached', async () => {
    localStorage.setItem(
      'tradewind.draft.guided-setup',
      JSON.stringify({
        uid: 'uid-1',
        value: { answers: [1, 1, 1, 1, 1, 1], at: 5, step: 'terms', draft: {} },
      }),
    );
    await open('/guided-setup?step=6');
    expect(await screen.findByRole('region', { name: 'Question 1 of 4' })).toBeTruthy();
  }, 30_000);

  it('shows its limit to a full plan, below the answers, which stay in place when it loads (R9-04)', async () => {
    applyAgents({ agents: [agent('one'), agent('two')], sequence: 5, asOf: NOW }, 'network');
    await open('/guided-setup');
    const limit = await screen.findByText(/Your plan includes 2 agents, and all are in use/);
    const answers = screen.getByRole('group', { name: 'Answers' });
    expect(answers.compareDocumentPosition(limit)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  }, 30_000);

  it.each([
    [30, 'The Standard plan, with up to 5 agents, for 30 days.'],
    [1, 'The Standard plan, with up to 5 agents, for 1 day.'],
    [undefined, 'The Standard plan, with up to 5 agents.'],
  ])(
    'states the length of the trial that the server names: %s',
    async (trialDays, text) => {
      clearSubscription();
      const trial = { isActive: false, hasUsed: false, endDate: null, servedAt: NOW, trialDays };
      applySubscription({ ...plan('free'), trial }, 'network');
      await open('/guided-setup');
      await answerAll('1111');
      const consent = await screen.findByRole('region', { name: 'Free trial' });
      expect(within(consent).getAllByRole('listitem')[0]?.textContent).toBe(text);
    },
    30_000,
  );

  it('has the trial inside: said in plain words, started by the press that goes on, and offline kept for later (R4-08, R4-09)', async () => {
    clearSubscription();
    applySubscription(plan('free'), 'network');
    connection.online = 'offline';
    await open('/guided-setup');
    await answerAll('1111');
    const trial = await screen.findByRole('region', { name: 'Free trial' });
    expect(trial.textContent).toContain('No card, no payment.');
    const begin = () =>
      screen.getByRole<HTMLButtonElement>('button', { name: 'Start free trial and continue' });
    expect(begin().disabled).toBe(true);
    expect(screen.getByText(/Your setup is saved on this device/)).toBeTruthy();
    cleanup();
    connection.online = 'online';
    await open('/guided-setup');
    call.mockImplementation((name: string) => {
      if (name === 'trialStart') return Promise.resolve({});
      if (name === 'subscriptionStatus')
        return Promise.resolve({ subscription: null, entitledTier: 'trial', servedAt: NOW });
      if (name === 'trialStatus')
        return Promise.resolve({
          isActive: true,
          hasUsed: true,
          endDate: new Date(NOW + 86_400_000).toISOString(),
          servedAt: NOW,
        });
      return name === 'previewAgent' ? Promise.resolve(PREVIEW) : never();
    });
    fireEvent.click(begin());
    expect(await screen.findByRole('checkbox', { name: /I understand the risks/ })).toBeTruthy();
    expect(bodies('trialStart')).toEqual([{ userId: 'uid-1' }]);
  }, 30_000);
});
