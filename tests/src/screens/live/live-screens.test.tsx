// @vitest-environment happy-dom
/** Connecting an exchange, and an account there: as a person reads and presses them. */
import '../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Agent } from '../../../../contract/agents.ts';
import type { Portfolio } from '../../../../contract/trading.ts';
import { recordedReplies, recordState } from '../../../../src/api/recorded-replies.ts';
import {
  AGENT_ID,
  CONNECTION_ID,
  IN_LIVE_ACCOUNT,
  liveAccount,
  liveConnection,
  liveOrder,
} from '../../../support/live/live-replies.ts';
import { seriousFaults } from '../../../support/serious-faults.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
const never = () => new Promise<never>(() => undefined);
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call, marketData: never, marketOverview: never, marketPools: never },
}));

const { navigate } = await import('wouter/use-browser-location');
const { Routes } = await import('../../../../src/App.tsx');
const { ApiError } = await import('../../../../src/api/api-error.ts');
const { session } = await import('../../../../src/identity/session.ts');
const { accountChoice, clearAccountChoice } =
  await import('../../../../src/stores/account-choice.ts');
const { applyAgents, clearAgents } = await import('../../../../src/stores/agents-store.ts');
const { applyInsight, clearAnalytics } = await import('../../../../src/stores/analytics-store.ts');
const { connection } = await import('../../../../src/stores/connection.ts');
const { formatDate, formatWhen } = await import('../../../../src/format/times.ts');
const { clearLive } = await import('../../../../src/stores/live-slots.ts');
const { applyLiveAccount } = await import('../../../../src/stores/live-store.ts');
const { applyMarket, clearMarket } = await import('../../../../src/stores/market-store.ts');
const { applyPortfolio, clearPortfolio } =
  await import('../../../../src/stores/portfolio-store.ts');
const { clearSettings } = await import('../../../../src/stores/settings-store.ts');
const { applySubscription, clearSubscription } =
  await import('../../../../src/stores/subscription-store.ts');
const { toastStore } = await import('../../../../src/stores/toast-store.ts');

const NOW = Date.now();
const replies = recordedReplies(recordState(NOW), NOW);
const SECRET = 'canary-secret-7f3a';
let account = liveAccount(NOW);
let answers: Record<string, (input: never) => unknown> = {};

const agent: Agent = {
  ...(replies.agents!.agents[0] as Agent),
  id: AGENT_ID,
  name: 'Ebb',
  status: 'stopped',
  trading_pairs: ['BTC/USD'],
  max_position_size: 90,
  quote: 'USD',
  ...IN_LIVE_ACCOUNT,
};

beforeEach(() => {
  account = liveAccount(NOW);
  answers = {
    liveAccount: () => account,
    liveConnections: () => ({ connections: [account.connection], sequence: 5, asOf: NOW }),
    passkeys: () => ({ passkeys: [] }),
    tradingSettings: () => replies.tradingSettings,
  };
  call.mockReset();
  call.mockImplementation((name: string, input: unknown) => {
    const answer = answers[name];
    return answer === undefined
      ? never()
      : Promise.resolve(structuredClone(answer(input as never)));
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
  const market = structuredClone(replies.marketData!);
  Object.assign(market.source, { kind: 'exchange', label: 'Kraken' });
  applyMarket(market, 'network');
  const list = structuredClone(replies.agents!);
  applyAgents({ ...list, agents: [...list.agents, agent] }, 'network');
  applyPortfolio(structuredClone(replies.portfolio as Portfolio), 'network');
});
afterEach(() => {
  cleanup();
  clearAccountChoice();
  clearAgents();
  clearAnalytics();
  clearLive();
  clearMarket();
  clearPortfolio();
  clearSubscription();
});

function show(path: string): void {
  history.replaceState(null, '', path);
  render(<Routes />);
}
async function open(path: string): Promise<void> {
  show(path);
  await screen.findByRole('heading', { level: 1 }, { timeout: 20_000 });
}
const press = (name: string | RegExp): void => {
  fireEvent.click(screen.getByRole('button', { name }));
};
const part = (name: string): HTMLElement => screen.getByRole('region', { name });

async function pasteKey(): Promise<void> {
  press('Next: create a key');
  fireEvent.change(await screen.findByLabelText('API key'), { target: { value: 'public-part' } });
  fireEvent.change(screen.getByLabelText('Private key'), { target: { value: SECRET } });
  press('Check this key');
}
const report = (own: object) => ({
  commandId: 'c',
  report: {
    accepted: true,
    faults: [],
    permissions: account.connection.permissions,
    balances: [{ asset: 'USD', total: '1000', available: '900' }],
    advice: { page: 'Settings → API', allow: ['Query Funds'], forbid: ['Withdraw Funds'] },
    ...own,
  },
  firstWeek: { maxOrder: '100', maxExposure: '500', maxDailyLoss: '25' },
  pairs: ['BTC/USD'],
});
/** Everything a browser keeps of this page. */
const keptHere = (): string =>
  `${document.documentElement.outerHTML}${location.href}${JSON.stringify({ ...localStorage })}${JSON.stringify({ ...sessionStorage })}`;

describe('connecting an exchange', () => {
  it('names the rights of a key in the exchange’s words before anything is pasted', async () => {
    await open('/live/connect');
    press('Next: create a key');
    await screen.findByText('Create & Modify Orders');
    expect(screen.getByText('Withdraw Funds')).toBeDefined();
    expect(await seriousFaults()).toEqual([]);
  });

  it('says why a key is not taken and drops what was pasted', async () => {
    answers.checkExchangeKey = () => report({ accepted: false, faults: ['can_withdraw'] });
    await open('/live/connect');
    await pasteKey();
    expect((await screen.findByRole('alert')).textContent).toContain(
      'This key can withdraw money, so Tradewind does not take it.',
    );
    expect(keptHere()).not.toContain(SECRET);
    press('Try another key');
    expect((await screen.findByLabelText<HTMLInputElement>('Private key')).value).toBe('');
  });

  it('shows what was found, keeps limits under the first week’s, and asks how to confirm', async () => {
    answers.checkExchangeKey = () => report({});
    await open('/live/connect');
    await pasteKey();
    const balances = await screen.findByLabelText('Balances');
    expect(balances.textContent).toContain('1,000.00');
    expect(keptHere()).not.toContain(SECRET);
    press('Next: limits');
    fireEvent.change(screen.getByLabelText('Largest order'), { target: { value: '101' } });
    press('Next: confirmation');
    await screen.findByText('At most 100 in the first week.');
    fireEvent.change(screen.getByLabelText('Largest order'), { target: { value: '50' } });
    fireEvent.change(screen.getByLabelText('Name of this account'), { target: { value: 'Main' } });
    press('Next: confirmation');
    await screen.findByRole('button', { name: 'Make a passkey and connect' });
    expect(call.mock.calls.some(([name]) => name === 'connectExchange')).toBe(false);
  });

  it('is not offered on made prices', async () => {
    const market = structuredClone(replies.marketData!);
    clearMarket();
    applyMarket(market, 'network');
    await open('/live/connect');
    expect(document.body.textContent).toContain('Live trading needs prices of an exchange');
    expect(screen.queryByRole('button', { name: 'Next: create a key' })).toBeNull();
  });
});

describe('an exchange account', () => {
  it('shows cash, fees and quantities to the last digit, marked as real money', async () => {
    await open(`/live/${CONNECTION_ID}`);
    await screen.findByText('909.12345678');
    expect(screen.getByText('0.23110963')).toBeDefined();
    expect(part('Positions').textContent).toContain('0.00123456');
    expect(document.querySelector('[data-account="live"]')).not.toBeNull();
    for (const figure of document.querySelectorAll('main .amount'))
      expect(figure.closest('[data-account="live"], [data-money="live"]')).not.toBeNull();
    expect(document.querySelector('header')?.getAttribute('data-account')).toBe('live');
    expect(await seriousFaults()).toEqual([]);
  });

  it.each([
    ['0.0004', 'Selling 0.0004 BTC. Tried again until Kraken confirms it.'],
    [null, 'Selling. Done when Kraken confirms it.'],
  ])(
    'says of a sale that waits to be tried again that it is wanted: %s',
    async (quantity, text) => {
      const exit = { agentId: AGENT_ID, symbol: 'BTC/USD', reason: 'signal_down', askedAt: NOW };
      const refused = liveOrder(NOW, { side: 'sell', state: 'rejected', code: 'price_collar' });
      account = liveAccount(NOW, { orders: [refused], exits: [{ ...exit, quantity }] });
      await open(`/live/${CONNECTION_ID}`);
      await screen.findByText('909.12345678');
      expect(part('Positions').textContent).toContain(text);
    },
  );

  it('has no value before it was compared with the exchange: nothing read is not nothing there', async () => {
    account = liveAccount(NOW, {
      connection: liveConnection(NOW, { reconciledAt: null, waitsFor: ['not_reconciled'] }),
      cash: [],
      positions: [],
      value: '0',
      equityCurve: [],
    });
    await open(`/live/${CONNECTION_ID}`);
    const value = await waitFor(() => {
      const found = document.querySelector('[data-figure="value"]');
      if (found === null) throw new Error('not drawn');
      return found;
    });
    expect(value.textContent).toContain('—');
    expect(value.textContent).toContain('Not compared with Kraken yet');
    expect(value.textContent).not.toContain('0.00');
    expect(part('Cash and coins').textContent).toContain('Not read yet');
  });

  it('says what of its cash the person’s own orders hold at the exchange', async () => {
    const own = { asset: 'USD', amount: '50000', reserved: '0', heldElsewhere: '48000' };
    account = liveAccount(NOW, { cash: [own] });
    await open(`/live/${CONNECTION_ID}`);
    await screen.findByText('50,000.00');
    const cash = part('Cash and coins').textContent;
    expect(cash).toContain('48,000 held by your own orders at Kraken');
    expect(cash).not.toContain('held back for open orders');
  });

  it('calls no deposit a gain: its chart leaves out what was paid in and out', async () => {
    account = liveAccount(NOW, {
      value: '10010',
      equityCurve: [
        [NOW - 7_200_000, '5000'],
        [NOW - 3_600_000, '10000'],
        [NOW - 60_000, '10010'],
      ],
      flows: [[NOW - 3_600_000, '5000']],
    });
    await open(`/live/${CONNECTION_ID}`);
    const chart = await screen.findByRole('figure');
    expect(chart.textContent).toContain('+10.00');
    expect(chart.textContent).toContain('deposits and withdrawals left out');
    expect(chart.textContent).not.toMatch(/100\.00|\+5,0/);
  });

  it.each([
    ['a coin came whose worth then is not known', { flows: [[NOW - 3_600_000, null]] }],
    ['the reply was kept from before', {}],
  ] as const)('draws its value and names no change where %s', async (_why, own) => {
    account = liveAccount(NOW, { ...structuredClone(own) } as Partial<typeof account>);
    account.equityCurve.unshift([NOW - 7_200_000, '500']);
    await open(`/live/${CONNECTION_ID}`);
    const chart = await screen.findByRole('figure');
    expect(chart.textContent).toContain('Value, deposits and withdrawals included');
    expect(chart.textContent).not.toMatch(/[%+▲▼]/);
  });

  it('ends its line at the last full valuation while a coin has no price', async () => {
    account = liveAccount(NOW, { value: '409.24', unpriced: ['ODD'], flows: [] });
    account.equityCurve = [
      [NOW - 7_200_000, '1000'],
      [NOW - 3_600_000, '1000'],
    ];
    await open(`/live/${CONNECTION_ID}`);
    const chart = await screen.findByRole('figure');
    expect(chart.textContent).toMatch(/^0\.00\s% 0\.00 /);
    expect(chart.textContent).not.toContain('▼');
    expect(document.body.textContent).toContain('Without ODD: no price here.');
  });

  it('goes on with its line without a coin that never has a price here, and says so', async () => {
    account = liveAccount(NOW, { value: '1010', unpriced: ['BNB'], flows: [] });
    account.curveWithout = ['BNB'];
    account.equityCurve = [
      [NOW - 7_200_000, '1000'],
      [NOW - 3_600_000, '1000'],
    ];
    await open(`/live/${CONNECTION_ID}`);
    const chart = await screen.findByRole('figure');
    expect(chart.textContent).toContain('+10.00');
    expect(document.body.textContent).toContain('The line leaves out BNB');
  });

  it('says of agents that are not loaded neither that there are none nor that none runs', async () => {
    clearAgents();
    await open(`/live/${CONNECTION_ID}`);
    await screen.findByText('909.12345678');
    expect(part('Agents').textContent).not.toContain('None yet');
    expect(within(part('Agents')).getByRole('status')).toBeDefined();
    const end = part('End and disconnect');
    expect(end.textContent).toContain('Stops every agent of this account.');
    expect(end.textContent).toContain('The agents of this account are not loaded yet.');
    const remove = within(end).getByRole('button', { name: /^Delete key/ });
    expect(remove.getAttribute('aria-disabled')).toBe('true');
  });

  it('calls the agent of an order deleted only where the server’s list lacks it', async () => {
    clearAgents();
    account = liveAccount(NOW, { orders: [liveOrder(NOW)] });
    await open(`/live/${CONNECTION_ID}`);
    await screen.findByText('909.12345678');
    expect(part('Open orders').textContent).toContain('BTC/USD · — agent not loaded · ');
    const list = structuredClone(replies.agents!);
    act(() => {
      applyAgents(list, 'snapshot');
    });
    expect(part('Open orders').textContent).toContain('— agent not loaded');
    act(() => {
      applyAgents({ ...list, sequence: 98 }, 'network');
    });
    await waitFor(() => {
      expect(part('Open orders').textContent).toContain('BTC/USD · Deleted agent · ');
    });
  });

  it('says of an unknown order what is done, and lets it be given up after its time', async () => {
    const doubt = {
      since: NOW - 6 * 60_000,
      cause: 'timeout',
      doing: 'ask_person',
      mayGiveUpAt: NOW - 60_000,
    } as const;
    account = liveAccount(NOW, {
      connection: liveConnection(NOW, { unknownOrders: 1 }),
      orders: [liveOrder(NOW, { state: 'unknown', doubt })],
    });
    await open(`/live/${CONNECTION_ID}`);
    const needs = await screen.findByRole('region', { name: 'Needs you' });
    expect(needs.textContent).toContain(
      'Outcome unknown for 6 min: the exchange did not answer in time.',
    );
    expect(within(needs).getByRole('button', { name: /^Give this order up/ })).toBeDefined();
    expect(needs.textContent).not.toMatch(/Filled|Cancelled/);
  });

  it('lowers limits at once, and asks for a confirmation before it raises one', async () => {
    const sent: unknown[] = [];
    answers.setLiveLimits = (input: { body: unknown }) => {
      sent.push(input.body);
      return { commandId: 'c', connection: account.connection };
    };
    await open(`/live/${CONNECTION_ID}`);
    await screen.findByText('909.12345678');
    press('Change limits');
    const field = await screen.findByLabelText('Largest order');
    fireEvent.change(field, { target: { value: '40' } });
    press('Save');
    await waitFor(() => {
      expect(sent).toHaveLength(1);
    });
    expect(sent[0]).toMatchObject({ limits: { maxOrder: '40' } });
    await waitFor(() => {
      expect(screen.queryByRole('dialog')).toBeNull();
    });
    press('Change limits');
    fireEvent.change(await screen.findByLabelText('Most in the market'), {
      target: { value: '900' },
    });
    press('Save');
    await screen.findByRole('button', { name: 'Raise limits with password' });
    expect(sent).toHaveLength(1);
  });

  describe('whose limits were raised in the first week', () => {
    const chosen = { maxOrder: '5000', maxExposure: '20000', maxDailyLoss: '25' };
    let sent: { body: Record<string, unknown> }[] = [];
    beforeEach(async () => {
      sent = [];
      account = liveAccount(NOW, { connection: liveConnection(NOW, { limitsChosen: chosen }) });
      answers.setLiveLimits = (input: { body: Record<string, unknown> }) => {
        sent.push(input);
        return { commandId: 'c', connection: account.connection };
      };
      await open(`/live/${CONNECTION_ID}`);
      await screen.findByText('909.12345678');
    });

    it('names what comes beside what holds, and when', () => {
      const text = part('Limits and brakes').textContent;
      const day = formatDate(account.connection.firstWeekUntil ?? NaN);
      expect(text).toContain(`100.00 USD5,000.00 USD from ${day}`);
      expect(text).toContain(`500.00 USD20,000.00 USD from ${day}`);
      expect(text).toContain('25.00 USDOrders in an hour');
    });

    it('keeps the raise where only the orders in an hour are changed', async () => {
      press('Change limits');
      fireEvent.change(await screen.findByLabelText('Orders in an hour'), {
        target: { value: '60' },
      });
      press('Save');
      await waitFor(() => {
        expect(sent.map(({ body }) => body)).toEqual([{ maxOrdersPerHour: 60 }]);
      });
    });

    it('keeps the rest of the raise where one limit is lowered, without a confirmation', async () => {
      press('Change limits');
      const field = await screen.findByLabelText<HTMLInputElement>('Largest order');
      expect(field.value).toBe('5000');
      fireEvent.change(field, { target: { value: '40' } });
      press('Save');
      await waitFor(() => {
        expect(sent.map(({ body }) => body)).toEqual([{ limits: { ...chosen, maxOrder: '40' } }]);
      });
    });
  });

  it('stays readable offline with its age, and offers nothing that needs the server', async () => {
    await open(`/live/${CONNECTION_ID}`);
    await screen.findByText('909.12345678');
    act(() => {
      connection.online = 'offline';
    });
    await waitFor(() => {
      const change = screen.getByRole<HTMLButtonElement>('button', { name: 'Change limits' });
      expect(change.disabled).toBe(true);
    });
    expect(screen.getByText('909.12345678')).toBeDefined();
    expect(document.body.textContent).toContain('Stop all works offline and is sent first.');
    expect(document.querySelector('main [data-age-since]')).not.toBeNull();
  });

  it('leads to a new agent of its own, whichever account was chosen before', async () => {
    accountChoice.known = [{ id: CONNECTION_ID, exchange: 'kraken', label: 'Main' }];
    await open(`/live/${CONNECTION_ID}`);
    await screen.findByText('909.12345678');
    fireEvent.click(within(part('Agents')).getByRole('link', { name: 'New agent' }));
    expect(accountChoice.chosen).toBe(CONNECTION_ID);
    expect(`${location.pathname}${location.search}`).toBe('/agents?new');
  });

  it('stands in place of the paper dashboard once it is chosen, and paper is not added', async () => {
    accountChoice.known = [{ id: CONNECTION_ID, exchange: 'kraken', label: 'Main' }];
    accountChoice.chosen = CONNECTION_ID;
    await open('/dashboard');
    await screen.findByText('909.12345678');
    expect(document.body.textContent).not.toContain('10,012.40');
    act(() => {
      accountChoice.chosen = null;
    });
    await screen.findByText(/10,012\.40/);
    expect(screen.queryByText('909.12345678')).toBeNull();
  });
});

describe('an address made of a name that every object has', () => {
  const NAMES = ['__proto__', 'constructor', 'toString'];
  const ABSENT = /not found/;

  it('is no exchange account, and nothing is written into what all objects share', async () => {
    answers.liveAccount = () => {
      throw new ApiError('Not found', { code: 'not_found', status: 404, text: 'Not found' });
    };
    for (const name of NAMES) {
      await open(`/live/${name}`);
      await screen.findByText(ABSENT, undefined, { timeout: 20_000 });
      cleanup();
    }
    expect(({} as { status?: unknown }).status).toBeUndefined();
    expect((Object as { status?: unknown }).status).toBeUndefined();
  });

  it('is no agent, and nothing is written into what all objects share', async () => {
    answers.agentPerformance = () => {
      throw new ApiError('Not found', { code: 'not_found', status: 404, text: 'Not found' });
    };
    for (const name of NAMES) {
      clearAgents();
      call.mockClear();
      show(`/agents/${name}`);
      await waitFor(() => {
        expect(call).toHaveBeenCalledWith('agentPerformance', expect.anything());
      });
      cleanup();
    }
    expect(({} as { status?: unknown }).status).toBeUndefined();
    expect((Object as { status?: unknown }).status).toBeUndefined();
  });

  it('and one that cannot be decoded is not found either', async () => {
    for (const path of ['/live/%', '/agents/%E0%A4%A']) {
      await open(path);
      await screen.findByText(ABSENT, undefined, { timeout: 20_000 });
      cleanup();
    }
  });
});

describe('an account that was last read three hours ago', () => {
  const READ_AT = NOW - 3 * 3_600_000;
  const YOUNG = /^(now|\d+ s ago)$/;
  const stop = { type: 'stop', side: 'sell', stopPrice: '66240' } as const;

  beforeEach(() => {
    account = liveAccount(READ_AT, {
      orders: [
        liveOrder(READ_AT),
        liveOrder(READ_AT, { ...stop, clientOrderId: 'f'.repeat(32) }),
        liveOrder(READ_AT, { clientOrderId: 'e'.repeat(32), state: 'filled' }),
      ],
      results: [{ agentId: AGENT_ID, realized: '2', fees: '0.2' }],
      sequence: replies.agents!.sequence,
    });
    applyLiveAccount(structuredClone(account), 'snapshot', READ_AT);
    connection.online = 'offline';
  });

  const ages = (within: Element = document.body): (string | null)[] =>
    [...within.querySelectorAll('[data-age-since]')].map(({ textContent }) => textContent);
  const allAreOld = (least: number): void => {
    expect(ages().length).toBeGreaterThanOrEqual(least);
    expect(new Set(ages())).toEqual(new Set(['3 h ago']));
    expect(ages(document.querySelector('header')!)).toEqual(['3 h ago']);
    expect(document.body.textContent).toContain(`Showing ${formatWhen(READ_AT, NOW)}.`);
  };
  const ordersAreOld = (): void => {
    const orders = part('Open orders').textContent;
    expect(orders).toContain('Open when last seen');
    expect(orders).toContain('Resting at the exchange when last seen');
    expect(part('Positions').textContent).toContain('resting at Kraken when last seen');
    expect(part('Ended orders').textContent).not.toContain('last seen');
  };

  it('gives its agent’s page its own age, however young the list of agents is', async () => {
    await open(`/agents/${AGENT_ID}`);
    await screen.findByRole('region', { name: 'Open orders' }, { timeout: 20_000 });
    for (const name of ['Result', 'Positions', 'Open orders'])
      expect(ages(part(name))).toEqual(['3 h ago']);
    allAreOld(4);
    ordersAreOld();
    expect(await seriousFaults()).toEqual([]);
  });

  it.each([`/live/${CONNECTION_ID}`, '/dashboard', '/portfolio'])(
    'says so on %s: in the header, in the line below it and beside its figures',
    async (path) => {
      accountChoice.chosen = CONNECTION_ID;
      await open(path);
      await screen.findByText('909.12345678');
      allAreOld(4);
      ordersAreOld();
      const text = document.body.textContent;
      expect(text).toContain('Connected when last seen.');
      expect(text).toContain('As last seen: No agent is running. Cancels 2 open orders');
      expect(text).toContain('On when last seen.');
      expect(text).not.toContain('Orders may go out');
    },
  );

  it('calls nothing empty now that was empty then', async () => {
    account = { ...account, orders: [], positions: [], sequence: account.sequence + 1 };
    applyLiveAccount(structuredClone(account), 'snapshot', READ_AT);
    await open(`/live/${CONNECTION_ID}`);
    await screen.findByText('909.12345678');
    expect(part('Positions').textContent).toContain('None open when last seen.');
    expect(part('Open orders').textContent).toContain('None when last seen.');
  });

  it('stands with its age over the list of its agents, and is read there once the server is back', async () => {
    accountChoice.chosen = CONNECTION_ID;
    await open('/agents');
    await waitFor(() => {
      expect(ages(screen.getByRole('main'))).toEqual(['3 h ago']);
    });
    allAreOld(2);
    act(() => {
      connection.online = 'online';
    });
    await waitFor(() => {
      expect(ages().join()).toMatch(YOUNG);
    });
    expect(ages(screen.getByRole('main'))).toEqual([]);
  });

  it('is in the present again once it was read anew', async () => {
    await open(`/live/${CONNECTION_ID}`);
    await screen.findByText('Connected when last seen.');
    account = { ...account, asOf: NOW };
    act(() => {
      connection.online = 'online';
    });
    await screen.findByText('Connected. Orders may go out.');
    expect(part('Open orders').textContent).toContain('Resting at the exchange');
    expect(screen.getByRole('main').textContent).not.toContain('last seen');
    expect(ages().join()).toMatch(YOUNG);
  });
});

describe('the result of an agent with real money', () => {
  const withFees = (asset: string, amount: string, inResult: boolean): void => {
    const results = [
      { agentId: AGENT_ID, realized: '2', fees: '0', otherFees: [{ asset, amount, inResult }] },
    ];
    account = liveAccount(NOW, { results, sequence: replies.agents!.sequence });
    applyLiveAccount(structuredClone(account), 'network');
  };

  it('is before fees in a third coin, which stand beside those in its currency', async () => {
    withFees('BNB', '0.0026', false);
    await open(`/agents/${AGENT_ID}`);
    const result = part('Result').textContent;
    expect(result).toContain('before fees in BNB');
    expect(result).toContain('Realised, before fees in BNB');
    expect(result).toMatch(/0\.00USD \+ 0\.0026 BNB/);
    expect(result).not.toMatch(/after fees|net of fees/);
  });

  it('is after fees in the coin traded, which are shown too', async () => {
    withFees('BTC', '0.0000026', true);
    await open(`/agents/${AGENT_ID}`);
    const result = part('Result').textContent;
    expect(result).toContain('after fees');
    expect(result).toContain('Realised, net of fees');
    expect(result).toMatch(/0\.00USD \+ 0\.0000026 BTC/);
  });

  it('is before fees in a third coin at the account too', async () => {
    withFees('BNB', '0.0026', false);
    await open(`/live/${CONNECTION_ID}`);
    await screen.findByText('909.12345678');
    expect(document.body.textContent).toContain('Realised, of agents, before fees in BNB');
  });

  it('has a line, which ends at the figure above it', async () => {
    withFees('BTC', '0.0000026', true);
    const points = [3, 2, 1].map((hours, value): [number, number] => [
      NOW - hours * 3_600_000,
      value,
    ]);
    const series = [{ agentId: AGENT_ID, points }];
    applyInsight({ ...structuredClone(replies.agentInsight!), series }, 'network');
    await open(`/agents/${AGENT_ID}`);
    const line = await screen.findByRole('slider', { name: /^Result of Ebb in USD/ });
    expect(part('Result').textContent).toContain('+3.23');
    fireEvent.keyDown(line, { key: 'End' });
    expect(line.getAttribute('aria-valuetext')).toMatch(/: 3\.2346 USD$/);
    expect(part('Result').textContent).not.toContain('Starts with the first valuation');
  });
});

describe('the dashboard', () => {
  const lapsed = (): void => {
    applySubscription(
      {
        status: {
          subscription: null,
          entitledTier: 'free',
          servedAt: NOW + 1,
          standing: {
            state: 'lapsed',
            tier: 'free',
            until: null,
            next: { state: 'lapsed', tier: 'free' },
          },
        },
        trial: null,
      },
      'network',
    );
  };
  const applyLiveAgent = (own: Partial<Agent>): void => {
    const list = structuredClone(replies.agents!);
    const paper = list.agents.map((one) => ({
      ...one,
      status: 'stopped' as const,
      openPositions: 0,
    }));
    applyAgents(
      { ...list, sequence: list.sequence + 1, agents: [...paper, { ...agent, ...own }] },
      'network',
    );
  };

  it('says above a chosen exchange account that the plan has ended or a payment failed (R2-07)', async () => {
    accountChoice.known = [{ id: CONNECTION_ID, exchange: 'kraken', label: 'Main' }];
    accountChoice.chosen = CONNECTION_ID;
    account = liveAccount(NOW, { connection: liveConnection(NOW, { unknownOrders: 1 }) });
    applyLiveAgent({ status: 'running' });
    lapsed();
    await open('/dashboard');
    const needs = await screen.findByRole('region', { name: 'Needs you' });
    expect(within(needs).getByRole('link', { name: /^Your plan has ended/ })).toBeDefined();
    // What needs the person in the account itself stands in it.
    expect(needs.textContent).not.toContain('Kraken');
  });

  it('names a halted live agent on the dashboard of paper, marked as real money (R2-07)', async () => {
    const hold = { code: 'day_loss', text: 'Down 4 % today.', until: null };
    applyLiveAgent({ status: 'halted', hold });
    await open('/dashboard');
    const [needs] = await screen.findAllByRole('region', { name: 'Needs you' });
    expect(within(needs!).getByRole('link', { name: /^LIVE · Ebb/ }).textContent).toContain(
      'Down 4 % today.',
    );
  });

  it('says on the dashboard of paper that the plan has ended where only live agents run (R2-07)', async () => {
    applyLiveAgent({ status: 'running' });
    lapsed();
    await open('/dashboard');
    const [needs] = await screen.findAllByRole('region', { name: 'Needs you' });
    expect(needs?.textContent).toContain('Your plan has ended');
  });
});

describe('an agent that is to trade real money', () => {
  it('has profiles with the largest loss in its exchange account, not in the paper one', async () => {
    accountChoice.known = [{ id: CONNECTION_ID, exchange: 'kraken', label: 'Main' }];
    accountChoice.chosen = CONNECTION_ID;
    // Its dialog hides the screen's own heading.
    show('/agents?new');
    const profiles = await screen.findByRole(
      'group',
      { name: 'Risk profile' },
      { timeout: 20_000 },
    );
    await waitFor(() => {
      // A fifth of 999.25 would be more than the position that 1 % may be lost of at a stop of 8 %.
      expect(profiles.textContent).toContain('At most 124.91');
    });
    // The market of this page names no fee.
    expect(document.body.textContent).toContain(
      'Loss at the stop price, before fees. If the price gaps, you can lose more. Real money, within the limits of the exchange',
    );
    expect(document.body.textContent).not.toContain('Paper money.');
  });

  it('includes no fees of another exchange in the loss of its profiles', async () => {
    const market = structuredClone(replies.marketData!);
    Object.assign(market.source, { id: 'binance', kind: 'exchange', feeBps: 100 });
    clearMarket();
    applyMarket(market, 'network');
    accountChoice.known = [{ id: CONNECTION_ID, exchange: 'kraken', label: 'Main' }];
    accountChoice.chosen = CONNECTION_ID;
    show('/agents?new');
    await screen.findByRole('group', { name: 'Risk profile' }, { timeout: 20_000 });
    await waitFor(() => {
      expect(document.body.textContent).toContain('Real money, within the limits');
    });
    expect(document.body.textContent).toContain('Loss at the stop price, before fees.');
  });

  it('has a backtest that is marked as sized by the paper account', async () => {
    await open(`/agents/${AGENT_ID}`);
    const backtest = await screen.findByRole('region', { name: 'Backtest' }, { timeout: 20_000 });
    const paper = backtest.closest('[data-account="paper"]');
    expect(paper?.textContent).toContain('PAPER');
    expect(paper?.textContent).toContain('Sized by your paper account');
  });
});

describe('a start with real money', () => {
  it('names no loss and takes no confirmation before the person’s own risk values are loaded', async () => {
    clearSettings();
    answers.tradingSettings = () => {
      throw new Error('away');
    };
    await open(`/agents/${AGENT_ID}`);
    press('Start');
    const dialog = await screen.findByRole('dialog', { name: 'Start Ebb with real money' });
    await within(dialog).findByRole('status', { name: 'What can be lost' });
    expect(within(dialog).queryByText('Lost if all stops fill at their price')).toBeNull();
    expect(within(dialog).queryByRole('button', { name: /^Start with/ })).toBeNull();
    answers.tradingSettings = () => replies.tradingSettings;
    fireEvent.click(await within(dialog).findByRole('button', { name: 'Try again' }));
    await within(dialog).findByText('Lost if all stops fill at their price');
    expect(within(dialog).getByRole('button', { name: /^Start with/ })).toBeDefined();
  });

  it('says in money what can be lost, and sends nothing before it is confirmed', async () => {
    applyMarket(replies.marketData!, 'network');
    await open(`/agents/${AGENT_ID}`);
    press('Start');
    const dialog = await screen.findByRole('dialog', { name: 'Start Ebb with real money' });
    await within(dialog).findByText('Lost if all stops fill at their price');
    expect(dialog.querySelector('[data-figure="at-stops"]')?.textContent).toMatch(/−\d/);
    expect(within(dialog).getByRole('button', { name: 'Start with password' })).toBeDefined();
    expect(call.mock.calls.map(([name]) => name as string)).not.toContain('startLiveAgent');
    expect(call.mock.calls.map(([name]) => name as string)).not.toContain('confirmLive');
  });

  it('includes fees only at the rate of its own exchange', async () => {
    const seen: Record<string, string | undefined> = {};
    for (const id of ['kraken', 'binance']) {
      const market = structuredClone(replies.marketData!);
      Object.assign(market.source, { id, kind: 'exchange', feeBps: 200 });
      clearMarket();
      applyMarket(market, 'network');
      await open(`/agents/${AGENT_ID}`);
      press('Start');
      const dialog = await screen.findByRole('dialog', { name: 'Start Ebb with real money' });
      await within(dialog).findByText('Lost if all stops fill at their price');
      seen[id] = dialog.querySelector('[data-figure="at-stops"]')?.textContent ?? '';
      const words = id === 'kraken' ? 'Fees included. ' : 'Before fees. ';
      expect(dialog.textContent).toContain(`${words}Stop losses are`);
      cleanup();
    }
    // 90 at a stop of 5 %, and 2 % of 90 and of 85.50 where the rate is that of the account's exchange.
    expect(seen.binance).toContain('4.50');
    expect(seen.kraken).toContain('8.01');
  });

  it('names no loss while something that agents hold has no price, and says so', async () => {
    applyMarket(replies.marketData!, 'network');
    const [held] = liveAccount(NOW).positions;
    const positions = [{ ...held!, price: null, priceAt: null, value: null, unrealized: null }];
    account = liveAccount(NOW, { positions, unpriced: ['BTC'], value: '909.12345678' });
    await open(`/agents/${AGENT_ID}`);
    press('Start');
    const dialog = await screen.findByRole('dialog', { name: 'Start Ebb with real money' });
    const loss = await waitFor(() => {
      const found = dialog.querySelector('[data-figure="at-stops"]');
      if (found === null) throw new Error('not drawn');
      return found.textContent;
    });
    expect(loss).toContain('—');
    expect(loss).toContain('No price for BTC/USD');
    expect(loss).not.toMatch(/\d/);
    expect(dialog.textContent).toContain('so what can be lost is not known');
  });

  it('names no loss of an account that the exchange has not been asked about yet', async () => {
    applyMarket(replies.marketData!, 'network');
    account = liveAccount(NOW, {
      value: '0',
      connection: liveConnection(NOW, { reconciledAt: null }),
    });
    await open(`/agents/${AGENT_ID}`);
    press('Start');
    const dialog = await screen.findByRole('dialog', { name: 'Start Ebb with real money' });
    await within(dialog).findByText(/Kraken has not been read yet/);
    expect(within(dialog).queryByText('Lost if all stops fill at their price')).toBeNull();
    expect(within(dialog).queryByRole('button', { name: /^Start with/ })).toBeNull();
  });

  it('offline is only saved, and says that it will ask', async () => {
    await open(`/agents/${AGENT_ID}`);
    act(() => {
      connection.online = 'offline';
    });
    press('Start');
    const dialog = await screen.findByRole('dialog', { name: 'Start Ebb with real money' });
    await within(dialog).findByRole('button', { name: 'Save start' });
    expect(dialog.textContent).toContain('never made without you');
  });
});

describe('a twin on paper', () => {
  it('that the server refuses is named with its reason', async () => {
    const text = 'Your plan allows 2 agents, and you have 2.';
    const others = call.getMockImplementation();
    call.mockImplementation((name: string, input: unknown) =>
      name === 'updateAgent'
        ? Promise.reject(new ApiError(text, { code: 'agent_cap_reached', status: 403, text }))
        : (others?.(name, input) as unknown),
    );
    await open(`/agents/${AGENT_ID}`);
    fireEvent.click(await screen.findByRole('button', { name: 'Run a twin on paper' }));
    // The table of sentences is loaded first.
    await waitFor(
      () => {
        expect(toastStore.toasts).toMatchObject([{ type: 'error', message: text }]);
      },
      { timeout: 20_000 },
    );
  });

  it('is added without starting or stopping the agent, whatever was last seen of it (R7-16)', async () => {
    await open(`/agents/${AGENT_ID}`);
    fireEvent.click(await screen.findByRole('button', { name: 'Run a twin on paper' }));
    await waitFor(() => {
      expect(call).toHaveBeenCalledWith(
        'updateAgent',
        expect.objectContaining({ params: { id: AGENT_ID }, query: { enabled: 'keep' } }),
      );
    });
  });

  it('is compared with its age, once the figures are old and at once without the server', async () => {
    const side = { agentId: AGENT_ID, name: 'Ebb', status: 'running', quote: 'USD', trades: 2 };
    const sums = { realized: '2', unrealized: '0', fees: '0.2' };
    const shadow = { agentId: 'agent-2', status: 'running' };
    const list = structuredClone(replies.agents!);
    applyAgents(
      { ...list, agents: [...list.agents, { ...agent, shadow }], sequence: 99 },
      'network',
    );
    answers.liveShadow = () => ({
      since: NOW,
      live: { ...side, ...sums },
      paper: { ...side, ...sums, agentId: 'agent-2', quote: 'USDT' },
      rows: [],
      asOf: NOW,
    });
    await open(`/agents/${AGENT_ID}`);
    await screen.findByText(/No decision of both yet/, undefined, { timeout: 20_000 });
    const age = () => part('Live and paper').querySelector('[data-age-since]');
    expect(age(), 'while it is fresh').toBeNull();
    act(() => {
      connection.online = 'offline';
    });
    await waitFor(() => {
      expect(Number(age()?.getAttribute('data-age-since'))).toBeGreaterThanOrEqual(NOW);
    });
    expect(part('Live and paper').textContent).toContain('No decision of both when last seen');
    expect(part('Live and paper').textContent).not.toContain('No decision of both yet');
  });

  it('shows fees charged in a coin, and calls a difference before them', async () => {
    const side = { agentId: AGENT_ID, name: 'Ebb', status: 'running', quote: 'USD', trades: 1 };
    const sums = { realized: '0', unrealized: '0', fees: '0' };
    const list = structuredClone(replies.agents!);
    const shadow = { agentId: 'agent-2', status: 'running' };
    applyAgents(
      { ...list, agents: [...list.agents, { ...agent, shadow }], sequence: 101 },
      'network',
    );
    const paper = {
      quantity: '0.001',
      price: '70000',
      fee: '0.28',
      otherFees: [],
      filledAt: NOW,
      text: null,
      state: null,
    };
    const inCoins = [
      { asset: 'BTC', amount: '0.0000026' },
      { asset: 'BNB', amount: '0.0004' },
    ];
    const live = { ...paper, fee: '0', otherFees: inCoins, state: 'filled' };
    const row = { pair: 'BTC/USD', side: 'buy', cause: 'entered', reasons: ['fee'] };
    answers.liveShadow = () => ({
      since: NOW,
      live: { ...side, ...sums },
      paper: { ...side, ...sums, agentId: 'agent-2' },
      rows: [
        { ...row, at: NOW, live, paper, difference: '0.28' },
        { ...row, at: NOW - 1, live: { ...live, fee: '0.1' }, paper, difference: '0.18' },
        { ...row, at: NOW - 2, live: paper, paper, difference: '0' },
      ],
      asOf: NOW,
    });
    await open(`/agents/${AGENT_ID}`);
    const [coins, both, quoteOnly] = await waitFor(
      () => {
        const found = within(part('Live and paper')).getAllByRole('listitem');
        return found.map(({ textContent }) => textContent);
      },
      { timeout: 20_000 },
    );
    expect(coins).toMatch(/LIVE0\.001 at 70,000\.00, fee 0\.0000026 BTC \+ 0\.0004 BNB/);
    expect(coins).toContain('before fees in BTC, BNB');
    expect(both).toMatch(/LIVE0\.001 at 70,000\.00, fee 0\.1 \+ 0\.0000026 BTC \+ 0\.0004 BNB/);
    expect(both).toContain('before fees in BTC, BNB');
    expect(quoteOnly).not.toContain('before fees');
  });

  it('is compared with its own figures alone, also where those of the agent before are known', async () => {
    const other = '7d0a8a5e-1111-4222-8333-444455556666';
    const side = { name: 'Ebb', status: 'running', quote: 'USD', trades: 2, realized: '2' };
    const sums = { unrealized: '0', fees: '0.2' };
    const list = structuredClone(replies.agents!);
    const shadow = { agentId: 'agent-2', status: 'running' };
    applyAgents(
      {
        ...list,
        agents: [...list.agents, { ...agent, shadow }, { ...agent, id: other, shadow }],
        sequence: 100,
      },
      'network',
    );
    const live = { ...side, ...sums, agentId: AGENT_ID };
    const paper = { ...live, quote: 'USDT' };
    answers.liveShadow = () => ({ since: NOW, live, paper, rows: [], asOf: NOW });
    let asked = 0;
    const others = call.getMockImplementation();
    call.mockImplementation((name: string, input: unknown) => {
      if (name === 'liveShadow') asked += 1;
      return name === 'liveShadow' && asked > 1
        ? new Promise(() => undefined)
        : (others?.(name, input) as unknown);
    });
    await open(`/agents/${AGENT_ID}`);
    await screen.findByText(/No decision of both yet/, undefined, { timeout: 20_000 });
    act(() => {
      navigate(`/agents/${other}`);
    });
    await waitFor(() => {
      expect(asked).toBe(2);
    });
    expect(screen.queryByText(/No decision of both yet/)).toBeNull();
  });
});
