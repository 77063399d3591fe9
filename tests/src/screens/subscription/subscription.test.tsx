// @vitest-environment happy-dom
/**
 * The subscription screen: what it says of plan, trial, usage and invoices in every standing, and
 * where its buttons lead.
 */
import '../../../support/page-world.ts';
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChangePreview, Invoices } from '../../../../contract/plan-change.ts';
import type { SubscriptionState } from '../../../../contract/subscription-state.ts';
import type { Plan, Plans, Subscription } from '../../../../contract/subscription.ts';
import type { Tier } from '../../../../contract/permission.ts';

const { call, went } = vi.hoisted(() => ({ call: vi.fn(), went: vi.fn() }));
vi.mock('../../../../src/billing/leave.ts', () => ({ leaveFor: went }));
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));

const { fromReply } = await import('../../../../src/api/reply-error.ts');
const { ApiError } = await import('../../../../src/api/api-error.ts');
const { session } = await import('../../../../src/identity/session.ts');
const { writeLastUser } = await import('../../../../src/identity/last-user.ts');
const { readCheckout, rememberCheckout } =
  await import('../../../../src/billing/pending-checkout.ts');
const { checkoutReturn } = await import('../../../../src/billing/checkout-return.ts');
const { checkoutProgress, takePlan } = await import('../../../../src/billing/take-plan.ts');
const { formatDate } = await import('../../../../src/format/times.ts');
const { default: SubscriptionScreen } =
  await import('../../../../src/screens/subscription/SubscriptionScreen.tsx');
const { forgetCancelling } =
  await import('../../../../src/screens/subscription/cancel-progress.ts');
const { applyAgents, clearAgents } = await import('../../../../src/stores/agents-store.ts');
const { connection } = await import('../../../../src/stores/connection.ts');
const { checkSubscription, clearSubscription, subscriptionStore } =
  await import('../../../../src/stores/subscription-store.ts');
const { removeToast, toastStore } = await import('../../../../src/stores/toast-store.ts');
const { environment } = await import('../../../../src/environment.ts');

const NOW = Date.now();
const DAY = 86_400_000;
const plan = (id: string, tier: Tier, amount: string, agents: number): Plan => ({
  id,
  name: id.toUpperCase(),
  tier,
  priceId: tier === 'free' ? null : `price_${id}`,
  amount,
  currency: 'USD',
  interval: 'month',
  agents,
});
const PLANS = [
  plan('free', 'free', '0', 0),
  plan('starter', 'starter', '19', 2),
  plan('standard', 'standard', '49', 5),
  plan('pro', 'pro', '99', 10),
];
const agent = (id: string, part: object) => ({
  id,
  name: id,
  trading_pairs: ['BTC/USDT'],
  risk_profile: 'Moderate' as const,
  max_position_size: 1_000,
  execution_interval: '5-minute' as const,
  enabled: true,
  pool: 'all_pools' as const,
  tradingFrequency: 'optimized' as const,
  status: 'running' as const,
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
  startedAt: NOW,
  stoppedAt: null,
  lastRunAt: null,
  nextRunAt: null,
  ...part,
});

/** The server's side. */
let subscription: Subscription | null;
let standing: SubscriptionState | undefined;
let entitledTier: Tier;
let trial: { isActive: boolean; endDate: string | null; hasUsed: boolean };
let provider: Plans['provider'];
let coupon: Plans['coupon'];
let invoices: Invoices['invoices'];
let preview: Partial<ChangePreview>;
let answers: Partial<Record<string, () => Promise<unknown>>>;

beforeEach(() => {
  subscription = null;
  standing = undefined;
  entitledTier = 'free';
  provider = 'test';
  coupon = null;
  invoices = [];
  answers = {};
  trial = { isActive: false, endDate: null, hasUsed: false };
  preview = {};
  connection.online = 'online';
  writeLastUser({ uid: 'uid-1', email: null, lastSignInTime: null });
  session.status = 'signed-in';
  session.user = {
    uid: 'uid-1',
    email: null,
    displayName: null,
    metadata: { lastSignInTime: null },
  };
  call.mockReset();
  call.mockImplementation((name: string) => {
    const given = answers[name];
    if (given !== undefined) return given();
    switch (name) {
      case 'plans':
        return Promise.resolve({ plans: PLANS, provider, coupon });
      case 'usage':
        return Promise.resolve({
          tier: entitledTier,
          agents: { used: 1, limit: 10 },
          fillsThisMonth: 7,
          periodStart: NOW,
        });
      case 'subscriptionStatus':
        return Promise.resolve({
          subscription,
          entitledTier,
          servedAt: Date.now(),
          ...(standing === undefined ? {} : { standing }),
        });
      case 'trialStatus':
        return Promise.resolve({ ...trial, servedAt: Date.now() });
      case 'invoices':
        return Promise.resolve({ invoices, more: false, servedAt: NOW });
      case 'changePreview':
        return Promise.resolve({
          to: 'starter',
          places: 2,
          agents: [],
          gained: [],
          lost: [],
          planId: 'starter',
          kind: 'downgrade',
          from: 'pro',
          effectiveAt: NOW,
          charge: null,
          servedAt: NOW,
          standing: {
            state: 'active',
            tier: 'pro',
            until: NOW,
            next: { state: 'active', tier: 'pro' },
          },
          ...preview,
        });
      case 'subscribe':
        return Promise.resolve({ commandId: '1', subscription });
      case 'agents':
        return new Promise(() => undefined);
      default:
        return Promise.reject(
          new ApiError('Backend service unavailable', {
            code: 'subscription_unavailable',
            status: 503,
            text: '',
          }),
        );
    }
  });
  went.mockReset();
});
afterEach(() => {
  cleanup();
  forgetCancelling();
  clearSubscription();
  clearAgents();
  removeToast();
  localStorage.clear();
  history.replaceState(null, '', '/subscription');
});

const END = NOW + 9 * DAY;
const pro = (
  change: Partial<Subscription> = {},
  state: SubscriptionState['state'] = 'active',
): void => {
  entitledTier = 'pro';
  subscription = {
    status: 'active',
    tier: 'pro',
    planId: 'pro',
    currentPeriodEnd: END,
    cancelAtPeriodEnd: false,
    ...change,
  };
  standing = {
    state,
    tier: 'pro',
    until: END,
    next: state === 'active' ? { state: 'active', tier: 'pro' } : { state: 'lapsed', tier: 'free' },
  };
};
const card = async (name: string) => within(await screen.findByRole('listitem', { name }));
const asked = (name: string): unknown[] =>
  call.mock.calls.filter(([one]) => one === name).map(([, input]) => input as unknown);

describe('the plans', () => {
  it('are compared by what the server permits, the free one included, and say that payments are a test (R2-14, R7-02, R6-02, R6-05)', async () => {
    render(<SubscriptionScreen />);
    expect((await card('PRO')).getByText('10')).toBeTruthy();
    expect((await card('PRO')).getByText('PRO Dashboard').textContent).toBe('PRO Dashboard');
    expect((await card('STARTER')).getByText('PRO Dashboard').textContent).toBe(
      'Not in this plan: PRO Dashboard',
    );
    expect((await card('FREE')).getByText('Your plan')).toBeTruthy();
    expect((await card('PRO')).getByText('99.00')).toBeTruthy();
    expect(screen.getByText('Test payments')).toBeTruthy();
  });

  it('name the coupon with what the provider takes off, only behind its flag (R3-25)', async () => {
    coupon = { id: 'LAUNCH', percentOff: 25, amountOff: null, duration: 'repeating', months: 3 };
    const { unmount } = render(<SubscriptionScreen />);
    await card('PRO');
    expect(screen.queryByText(/LAUNCH/)).toBeNull();
    unmount();
    Object.assign(environment, { couponEnabled: true, couponId: 'LAUNCH' });
    render(<SubscriptionScreen />);
    expect(await screen.findByText(/^Coupon LAUNCH: 25 % off the first 3 months\./)).toBeTruthy();
    Object.assign(environment, { couponEnabled: false, couponId: '' });
  });
});

describe('where one stands', () => {
  const line = async (text: RegExp): Promise<HTMLElement> => screen.findByText(text);

  it('free: the trial is offered once, and not to someone who has used it (R4-08, R4-05)', async () => {
    const { unmount } = render(<SubscriptionScreen />);
    expect(await screen.findByRole('button', { name: 'Start free trial' })).toBeTruthy();
    expect(await line(/^Free\.$/)).toBeTruthy();
    unmount();
    clearSubscription();
    trial = { isActive: false, endDate: new Date(NOW - DAY).toISOString(), hasUsed: true };
    render(<SubscriptionScreen />);
    expect(await line(/^Free\. You have used your free trial\.$/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Start free trial' })).toBeNull();
    expect(screen.getByText(/Stop always works/)).toBeTruthy();
  });

  it.each([
    ['leads back once the trial has started', '/subscription?from=%2Fagents%3Fnew', '/agents?new'],
    ['takes nobody back who has gone on meanwhile', '/market', '/market'],
  ])('free: %s (R2-30)', async (_title, place, end) => {
    let start: () => void = () => undefined;
    answers.trialStart = () =>
      new Promise((resolve) => {
        start = () => {
          trial = {
            isActive: true,
            endDate: new Date(NOW + 14 * DAY).toISOString(),
            hasUsed: true,
          };
          resolve({ commandId: '1', trial: { ...trial, servedAt: NOW } });
        };
      });
    history.replaceState(null, '', '/subscription?from=%2Fagents%3Fnew');
    render(<SubscriptionScreen />);
    fireEvent.click(await screen.findByRole('button', { name: 'Start free trial' }));
    await waitFor(() => {
      expect(asked('trialStart')).toHaveLength(1);
    });
    const usage = asked('usage').length;
    history.replaceState(null, '', place);
    start();
    await waitFor(() => {
      expect(asked('usage').length).toBeGreaterThan(usage);
    });
    await act(async () => {
      await new Promise((resolve) => {
        setTimeout(resolve, 0);
      });
    });
    expect(location.pathname + location.search).toBe(end);
    expect(toastStore.toasts[0]?.message).toBe('Trial started successfully!');
  });

  it.each([
    [14 * DAY, '14 days remaining'],
    [DAY + 60_000, '2 days remaining'],
    [60_000, '1 day remaining'],
  ] as const)('on trial: the days left, rounded up (R4-03, R4-12) %#', async (left, text) => {
    entitledTier = 'trial';
    trial = { isActive: true, endDate: new Date(Date.now() + left).toISOString(), hasUsed: true };
    render(<SubscriptionScreen />);
    expect(await line(new RegExp(`^Free trial\\. ${text}\\.$`))).toBeTruthy();
    expect((await card('STANDARD')).getByText('Your trial')).toBeTruthy();
    expect((await card('STANDARD')).getByRole('button', { name: 'Choose STANDARD' })).toBeTruthy();
  });

  it('active: when it renews, and that payments are a test only where they are (R4-02)', async () => {
    pro();
    provider = 'stripe';
    render(<SubscriptionScreen />);
    expect(await line(new RegExp(`^PRO\\. Renews on ${formatDate(END)}\\.$`))).toBeTruthy();
    expect(screen.queryByText('Test payments')).toBeNull();
  });

  it('cancelled: ends on a day, until then nothing changes, and is not offered to be ended twice', async () => {
    pro({ cancelAtPeriodEnd: true }, 'ending');
    applyAgents(
      { agents: [agent('Harbour', { openPositions: 2 })], sequence: 1, asOf: NOW },
      'network',
    );
    render(<SubscriptionScreen />);
    expect(await line(new RegExp(`^PRO\\. Ends on ${formatDate(END)}\\.$`))).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Cancel plan' })).toBeNull();
    const then = within(
      screen.getByRole('region', { name: `From ${formatDate(END)}, without action` }),
    );
    expect(
      then.getByText(
        'No new positions: agents need a plan. 2 positions keep their stop losses and exits.',
      ),
    ).toBeTruthy();
    expect(
      then.getByText('Your agent opens no new positions. It is kept, and Stop always works.'),
    ).toBeTruthy();
  });

  it('in grace: the payment has not come through, until when all goes on, and where to mend it', async () => {
    pro({ status: 'past_due' }, 'grace');
    render(<SubscriptionScreen />);
    expect(await line(/^PRO\. Payment failed\.$/)).toBeTruthy();
    expect(
      screen.getByText(
        new RegExp(
          `Your plan stays active until ${formatDate(END)}. Update your card in the billing portal`,
        ),
      ),
    ).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Billing portal' })).toBeTruthy();
  });

  it('lapsed: what has ended, what is kept, and the plans to come back to', async () => {
    subscription = {
      status: 'canceled',
      tier: 'pro',
      planId: 'pro',
      currentPeriodEnd: NOW - DAY,
      cancelAtPeriodEnd: true,
    };
    standing = {
      state: 'lapsed',
      tier: 'free',
      until: null,
      next: { state: 'lapsed', tier: 'free' },
    };
    applyAgents({ agents: [agent('Harbour', {})], sequence: 1, asOf: NOW }, 'network');
    render(<SubscriptionScreen />);
    expect(await line(/^Free\. PRO has ended, paid until /)).toBeTruthy();
    expect(
      within(await screen.findByRole('region', { name: 'Now, without a plan' })).getByText(
        'No new positions: agents need a plan.',
      ),
    ).toBeTruthy();
    expect((await card('PRO')).getByRole('button', { name: 'Upgrade to PRO' })).toBeTruthy();
  });

  it('unknown: a failed status call opens what is free and marks no plan, with the reason and a way to try again (R4-06)', async () => {
    answers.subscriptionStatus = () =>
      Promise.reject(
        new ApiError('API Error: 500 - broken', { code: 'internal', status: 500, text: 'broken' }),
      );
    render(<SubscriptionScreen />);
    expect(await screen.findByText(/The server had an error/)).toBeTruthy();
    expect(subscriptionStore.entitlement).toMatchObject({
      subscriptionTier: 'free',
      isSubscribed: false,
    });
    expect(screen.getByText(/only what is free is open here/)).toBeTruthy();
    expect((await card('FREE')).queryByText('Your plan')).toBeNull();
    answers = {};
    pro();
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await line(/^PRO\. Renews on/)).toBeTruthy();
  });

  const broken = () =>
    Promise.reject(
      new ApiError('API Error: 500 - broken', { code: 'internal', status: 500, text: 'broken' }),
    );

  it('unknown: says so, and offers neither the trial nor a plan until it is known (R4-06, R4-08)', async () => {
    answers.subscriptionStatus = broken;
    render(<SubscriptionScreen />);
    expect(await line(/^Plan unknown\.$/)).toBeTruthy();
    expect(await screen.findByText(/The server had an error/)).toBeTruthy();
    expect(document.body.textContent).not.toContain('Showing the last loaded data.');
    expect(screen.queryByText('Free.')).toBeNull();
    expect((await card('FREE')).queryByText('Your plan')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Start free trial' })).toBeNull();
    expect((await card('PRO')).getByRole('button')).toHaveProperty('disabled', true);
    expect(screen.getByText('Your plan could not be checked.')).toBeTruthy();
    answers = {};
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('button', { name: 'Start free trial' })).toBeTruthy();
    expect((await card('PRO')).getByRole('button')).toHaveProperty('disabled', false);
  });

  it('unknown on a device that never knew it: marks no plan as the present one, and waits for nothing', async () => {
    const gateway = fromReply(502, null, 'Bad Gateway', undefined);
    answers.subscriptionStatus = () => Promise.reject(gateway);
    answers.trialStatus = () => Promise.reject(gateway);
    render(<SubscriptionScreen />);
    expect(await line(/^Plan unknown\.$/)).toBeTruthy();
    expect((await card('FREE')).queryByText('Your plan')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Start free trial' })).toBeNull();
  });

  it('offers no trial where the server told the plan and not whether the trial was used (R4-08)', async () => {
    answers.trialStatus = broken;
    render(<SubscriptionScreen />);
    expect(await line(/^Free\.$/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Start free trial' })).toBeNull();
  });
});

describe('usage and invoices', () => {
  it('shows what is used of the limit as a bar and in words (R7-07, R9-04)', async () => {
    pro();
    render(<SubscriptionScreen />);
    const meter = await screen.findByRole('meter', { name: 'Agents' });
    expect(meter.getAttribute('aria-valuetext')).toBe('1 of 10. 9 left.');
    answers.usage = () =>
      Promise.resolve({
        tier: 'starter',
        agents: { used: 3, limit: 2 },
        fillsThisMonth: 7,
        periodStart: NOW,
      });
    cleanup();
    clearSubscription();
    render(<SubscriptionScreen />);
    expect(
      await screen.findByText('1 over the limit. The newest open no new positions.'),
    ).toBeTruthy();
  });

  it("lists invoices with amount, state and the provider's page, and opens no script for one", async () => {
    pro();
    const invoice = (id: string, url: string | null, status: 'paid' | 'open') => ({
      id,
      number: `TW-${id}`,
      createdAt: NOW,
      amount: '99',
      currency: 'USD',
      status,
      text: 'Pro',
      url,
    });
    invoices = [
      invoice('2', 'https://pay.example/2', 'open'),
      invoice('1', 'javascript:alert(1)', 'paid'),
    ];
    render(<SubscriptionScreen />);
    const list = within(await screen.findByRole('region', { name: 'Invoices' }));
    expect(await list.findByText('TW-2')).toBeTruthy();
    expect(list.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
      'https://pay.example/2',
    ]);
    expect(list.getByText('Paid')).toBeTruthy();
    expect(list.getByText('Due')).toBeTruthy();
  });
});

describe('taking a plan', () => {
  const checkout = (reply: object) => {
    answers.createCheckout = () =>
      Promise.resolve({ commandId: '1', url: null, clientSecret: null, ...reply });
  };

  it("asks for a checkout of the plan's own price that ends at the dashboard, and says when it fails (R7-05, R2-30, R8-02)", async () => {
    render(<SubscriptionScreen />);
    fireEvent.click((await card('STARTER')).getByRole('button', { name: 'Upgrade to STARTER' }));
    expect((await screen.findByRole('alert')).textContent).toBe('Backend service unavailable');
    expect(asked('createCheckout')).toEqual([
      {
        body: {
          priceId: 'price_starter',
          successUrl: '/dashboard?subscription=success',
          cancelUrl: '/dashboard?subscription=canceled',
          embedded: false,
        },
      },
    ]);
    expect(readCheckout('uid-1')).toBeNull();
  });

  it('makes one session of a double click, leaves for it, and remembers the plan (F49)', async () => {
    checkout({ url: '/test-checkout/1' });
    render(<SubscriptionScreen />);
    const button = (await card('STARTER')).getByRole('button', { name: 'Upgrade to STARTER' });
    fireEvent.click(button);
    fireEvent.click(button);
    await waitFor(() => {
      expect(went).toHaveBeenCalledWith(new URL('/test-checkout/1', location.origin).href);
    });
    fireEvent.click(button);
    expect(asked('createCheckout')).toHaveLength(1);
    expect(went).toHaveBeenCalledTimes(1);
    expect(readCheckout('uid-1')).toMatchObject({
      planId: 'starter',
      planName: 'STARTER',
      from: null,
      by: 'checkout',
      returned: false,
    });
  });

  it("can be taken again when the browser's back button shows the screen as it was left", async () => {
    checkout({ url: '/test-checkout/1' });
    render(<SubscriptionScreen />);
    const button = (await card('STARTER')).getByRole('button', { name: 'Upgrade to STARTER' });
    fireEvent.click(button);
    await waitFor(() => {
      expect(went).toHaveBeenCalledTimes(1);
    });
    expect(button.getAttribute('aria-busy')).toBe('true');
    act(() => {
      dispatchEvent(new Event('pageshow'));
    });
    await waitFor(() => {
      expect(button.getAttribute('aria-busy')).toBeNull();
    });
    fireEvent.click(button);
    await waitFor(() => {
      expect(went).toHaveBeenCalledTimes(2);
    });
  });

  it('says a plan that has vanished or has no price here, and asks for nothing (R8-07)', async () => {
    answers.plans = () =>
      Promise.resolve({
        plans: [...PLANS, { ...plan('gone', 'pro-max', '199', 25), priceId: 'price_gone' }],
        provider: 'test',
        coupon: null,
      });
    answers.createCheckout = () =>
      Promise.reject(
        new ApiError('API Error: 400', {
          code: 'no_price_id',
          status: 400,
          text: 'No price ID found for plan: price_gone',
        }),
      );
    render(<SubscriptionScreen />);
    fireEvent.click((await card('GONE')).getByRole('button', { name: 'Upgrade to GONE' }));
    expect((await screen.findByRole('alert')).textContent).toBe(
      'No price ID found for plan: price_gone',
    );
  });

  it.each([
    ['invalid_subscription_parameters', 400, 'Invalid subscription parameters'],
    ['invalid_user_id', 403, 'Invalid user ID'],
    [
      'reauth_required',
      401,
      'Your session has ended after 4 hours. Log in again to continue. Unsent commands are kept.',
    ],
    ['rate_limited', 429, 'Too many requests. Wait a moment and try again.'],
  ] as const)('says what refused it: %s (R8-04, R8-05)', async (code, status, text) => {
    answers.createCheckout = () =>
      Promise.reject(new ApiError(`API Error: ${status}`, { code, status, text: code }));
    render(<SubscriptionScreen />);
    fireEvent.click((await card('STARTER')).getByRole('button', { name: 'Upgrade to STARTER' }));
    expect((await screen.findByRole('alert')).textContent).toBe(text);
    expect(asked('createCheckout')).toHaveLength(1);
  });

  it('says in the words of the server that there is a plan already, and reads what it is', async () => {
    const text = 'You already have a plan. Change or end it in the billing portal.';
    render(<SubscriptionScreen />);
    const button = (await card('STARTER')).getByRole('button', { name: 'Upgrade to STARTER' });
    const before = asked('subscriptionStatus').length;
    answers.createCheckout = () =>
      Promise.reject(
        new ApiError('API Error: 409', { code: 'already_subscribed', status: 409, text }),
      );
    fireEvent.click(button);
    expect((await screen.findByRole('alert')).textContent).toBe(text);
    await waitFor(() => {
      expect(asked('subscriptionStatus').length).toBe(before + 1);
    });
  });

  it('needs a connection, says so, and takes nothing', async () => {
    render(<SubscriptionScreen />);
    const button = (await card('STARTER')).getByRole('button', { name: 'Upgrade to STARTER' });
    act(() => {
      connection.online = 'offline';
    });
    expect(
      await screen.findByText(/^You're offline\. You need a connection to choose a plan\./),
    ).toBeTruthy();
    expect((button as HTMLButtonElement).disabled).toBe(true);
    expect(checkoutProgress.busy).toBeNull();
  });

  it.each(['waiting', 'late'] as const)(
    'is not offered while the payment of another is %s, and says so',
    async (state) => {
      checkout({ url: '/test-checkout/1' });
      checkoutReturn.state = state;
      render(<SubscriptionScreen />);
      const button = (await card('STARTER')).getByRole('button', { name: 'Upgrade to STARTER' });
      expect((button as HTMLButtonElement).disabled).toBe(true);
      expect(
        screen.getByText(
          'Your payment is not confirmed yet. You can choose a plan once it is. Do not pay again.',
        ),
      ).toBeTruthy();
      expect(await takePlan({ id: 'starter', name: 'STARTER' }, null)).toBe(false);
      expect(asked('createCheckout')).toEqual([]);
      checkoutReturn.state = 'none';
      await waitFor(() => {
        expect((button as HTMLButtonElement).disabled).toBe(false);
      });
    },
  );

  it.each(['waiting', 'late'] as const)(
    'says nothing of no charge to somebody who has paid and loses the network: %s',
    async (state) => {
      checkoutReturn.state = state;
      render(<SubscriptionScreen />);
      await card('STARTER');
      await act(async () => {
        connection.online = 'offline';
        await Promise.resolve();
      });
      expect(
        screen.getByText(/^Your payment is not confirmed yet\..* Do not pay again\.$/),
      ).toBeTruthy();
      expect(screen.queryByText(/Nothing was charged/)).toBeNull();
      checkoutReturn.state = 'none';
      expect(await screen.findByText(/Nothing was charged/)).toBeTruthy();
    },
  );

  it('is not offered after a reload either while the device knows of a finished checkout', async () => {
    checkout({ url: '/test-checkout/1' });
    rememberCheckout({
      uid: 'uid-1',
      planId: 'pro',
      planName: 'PRO',
      from: null,
      openedAt: NOW,
      by: 'checkout',
      returned: true,
    });
    render(<SubscriptionScreen />);
    const button = (await card('STARTER')).getByRole('button', { name: 'Upgrade to STARTER' });
    expect((button as HTMLButtonElement).disabled).toBe(true);
    expect(screen.getByText(/^Your payment is not confirmed yet\./)).toBeTruthy();
    expect(await takePlan({ id: 'starter', name: 'STARTER' }, null)).toBe(false);
    expect(asked('createCheckout')).toEqual([]);
  });

  it('knows where the person came from, and offers the way back, but to no other site', async () => {
    history.replaceState(null, '', '/subscription?from=%2Fagents%3Fnew');
    checkout({ url: '/test-checkout/1' });
    const { unmount } = render(<SubscriptionScreen />);
    expect(screen.getByRole('link', { name: 'Back' }).getAttribute('href')).toBe('/agents?new');
    fireEvent.click((await card('STARTER')).getByRole('button', { name: 'Upgrade to STARTER' }));
    await waitFor(() => {
      expect(readCheckout('uid-1')).toMatchObject({ from: '/agents?new' });
    });
    unmount();
    for (const from of [
      '//evil.example',
      'https://evil.example',
      '/nowhere',
      '/subscription?from=x',
    ]) {
      history.replaceState(null, '', `/subscription?from=${encodeURIComponent(from)}`);
      const { unmount: leave } = render(<SubscriptionScreen />);
      expect(screen.queryByRole('link', { name: 'Back' })).toBeNull();
      leave();
    }
  });
});

describe('changing a plan', () => {
  const CHARGE = {
    dueNow: '0',
    credit: '53.34',
    currency: 'USD',
    renewal: { amount: '19', interval: 'month' as const, at: END },
    lines: [
      { text: 'Unused Pro', amount: '-66' },
      { text: 'Starter', amount: '12.66' },
    ],
  };
  const lot = (id: string, effect: 'opens' | 'exits_only', openPositions: number) => ({
    id,
    name: id,
    status: 'running' as const,
    openPositions,
    effect,
    reason: effect === 'opens' ? null : ('over_cap' as const),
    mayStart: effect === 'opens',
  });

  it('shows beforehand which agents stop opening, what is charged and what is lost, then goes to the portal at that change (R7-04)', async () => {
    pro();
    preview = {
      charge: CHARGE,
      agents: [lot('Ebb', 'opens', 1), lot('Harbour', 'exits_only', 1)],
      lost: [
        { resource: 'pro-features', action: 'read' },
        { resource: 'agents', action: 'create', conditions: { maxCount: 10 } },
      ],
      gained: [{ resource: 'agents', action: 'create', conditions: { maxCount: 2 } }],
    };
    answers.customerPortal = () =>
      Promise.resolve({ commandId: '1', url: 'https://billing.example/p' });
    render(<SubscriptionScreen />);
    fireEvent.click((await card('STARTER')).getByRole('button', { name: 'Change to STARTER' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Change to STARTER' }));
    expect(
      await dialog.findByText(
        'No new positions: over the limit of the plan. 1 position keeps its stop loss and exits.',
      ),
    ).toBeTruthy();
    expect(
      dialog.getByText(
        '1 of 2 agents opens no new positions. All are kept, and Stop always works.',
      ),
    ).toBeTruthy();
    expect(dialog.getByText('Credit for later invoices').parentElement?.textContent).toContain(
      '53.34 USD',
    );
    expect(
      dialog.getByText(`Each month from ${formatDate(END)}`).parentElement?.textContent,
    ).toContain('19.00 USD');
    expect(dialog.getByText('You lose:').parentElement?.textContent).toBe(
      'You lose: 2 agents instead of 10; PRO Dashboard.',
    );
    expect(dialog.queryByText('You get:')).toBeNull();
    expect(asked('customerPortal')).toEqual([]);
    fireEvent.click(dialog.getByRole('button', { name: 'Confirm in the billing portal' }));
    await waitFor(() => {
      expect(went).toHaveBeenCalledWith('https://billing.example/p');
    });
    expect(asked('customerPortal')).toEqual([
      { body: { returnUrl: '/dashboard?billing=portal', planId: 'starter' } },
    ]);
    expect(readCheckout('uid-1')).toMatchObject({ planId: 'starter', by: 'portal' });
  });

  it('ends a plan only after it said when, and says the day again afterwards (R7-03)', async () => {
    pro();
    preview = {
      kind: 'end',
      planId: 'free',
      to: 'free',
      effectiveAt: END,
      agents: [{ ...lot('Harbour', 'exits_only', 0), reason: 'no_plan' }],
    };
    render(<SubscriptionScreen />);
    fireEvent.click((await card('FREE')).getByRole('button', { name: 'Cancel plan' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Cancel plan' }));
    expect(
      await dialog.findByText(
        new RegExp(`^Your plan stays active until ${formatDate(END)}, the end of the paid period`),
      ),
    ).toBeTruthy();
    expect(asked('subscribe')).toEqual([]);
    pro({ cancelAtPeriodEnd: true }, 'ending');
    fireEvent.click(dialog.getByRole('button', { name: 'Cancel plan' }));
    await waitFor(() => {
      expect(asked('subscribe')).toEqual([{ body: { userId: 'uid-1', planId: 'free' } }]);
    });
    await waitFor(() => {
      expect(toastStore.toasts[0]?.message).toBe(
        `Your plan ends on ${formatDate(END)}. Until then, nothing changes.`,
      );
    });
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it('ends a plan in the grace at once, and says so before and afterwards (R2-14, R7-03)', async () => {
    pro({ status: 'past_due', currentPeriodEnd: NOW - DAY }, 'grace');
    preview = { kind: 'end', planId: 'free', to: 'free', effectiveAt: NOW, servedAt: NOW };
    render(<SubscriptionScreen />);
    fireEvent.click((await card('FREE')).getByRole('button', { name: 'Cancel plan' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Cancel plan' }));
    expect(
      await dialog.findByText(
        'Your plan ends as soon as you confirm. The unpaid invoice is canceled.',
      ),
    ).toBeTruthy();
    pro({ status: 'canceled', currentPeriodEnd: NOW - DAY }, 'lapsed');
    fireEvent.click(dialog.getByRole('button', { name: 'Cancel plan' }));
    await waitFor(() => {
      expect(toastStore.toasts.map(({ message }) => message)).toContain('Your plan has ended.');
    });
  });

  describe('whose cancellation gets no answer', () => {
    const lost = () =>
      new ApiError('Backend service unavailable', {
        code: 'subscription_unavailable',
        status: 503,
        text: '',
      });
    const goes = (online: 'online' | 'offline'): Promise<void> =>
      act(async () => {
        connection.online = online;
        await Promise.resolve();
      });
    /** Confirmed and under way; returns how its answer is lost, as the network goes. */
    const confirmed = async () => {
      pro();
      preview = { kind: 'end', planId: 'free', to: 'free', effectiveAt: END };
      let lose: (error: unknown) => void = () => undefined;
      let take: (reply: unknown) => void = () => undefined;
      answers.subscribe = () =>
        new Promise((resolve, reject) => {
          lose = reject;
          take = resolve;
        });
      render(<SubscriptionScreen />);
      fireEvent.click((await card('FREE')).getByRole('button', { name: 'Cancel plan' }));
      const dialog = within(await screen.findByRole('dialog', { name: 'Cancel plan' }));
      await dialog.findByText(/^Your plan stays active until/);
      fireEvent.click(dialog.getByRole('button', { name: 'Cancel plan' }));
      await waitFor(() => {
        expect(asked('subscribe')).toHaveLength(1);
      });
      return {
        dialog,
        loses: () =>
          act(async () => {
            lose(lost());
            await Promise.resolve();
          }),
        succeeds: () =>
          act(async () => {
            pro({ cancelAtPeriodEnd: true }, 'ending');
            take({ commandId: '1', subscription });
            await Promise.resolve();
          }),
      };
    };
    const openedAgain = async () => {
      fireEvent.click(screen.getAllByRole('button', { name: 'Close' })[0]!);
      expect(screen.queryByRole('dialog')).toBeNull();
      fireEvent.click((await card('FREE')).getByRole('button', { name: 'Cancel plan' }));
      const dialog = within(await screen.findByRole('dialog', { name: 'Cancel plan' }));
      await dialog.findByText(/^Your plan stays active until/);
      return dialog;
    };
    /** The server cannot be reached for what became of it either. */
    const away = (): void => {
      answers.subscriptionStatus = () => Promise.reject(lost());
      answers.trialStatus = () => Promise.reject(lost());
    };
    /** It answers again, and the cancellation had arrived. */
    const isCancelled = (): void => {
      pro({ cancelAtPeriodEnd: true }, 'ending');
      delete answers.subscriptionStatus;
      delete answers.trialStatus;
    };
    const isTold = async (): Promise<void> => {
      await waitFor(() => {
        expect(toastStore.toasts.map(({ message }) => message)).toEqual([
          `Your plan ends on ${formatDate(END)}. Until then, nothing changes.`,
        ]);
      });
      expect(screen.queryByRole('dialog')).toBeNull();
    };

    it('claims nothing while it is sent or unknown, and tells what the server says of it once it is back', async () => {
      const { dialog, loses } = await confirmed();
      away();
      await goes('offline');
      expect(
        dialog.getByText("You're offline. This was already sent and may take effect."),
      ).toBeTruthy();
      expect(dialog.queryByText(/Nothing was changed/)).toBeNull();
      await loses();
      expect((await dialog.findByRole('alert')).textContent).toBe(
        'Backend service unavailableYour plan may have been cancelled.',
      );
      expect(dialog.queryByText(/Nothing was changed/)).toBeNull();
      expect(dialog.queryByRole('button', { name: 'Keep my plan' })).toBeNull();
      isCancelled();
      await goes('online');
      await isTold();
    });

    it('is read again at once where only the answer was lost, and can be sent again', async () => {
      const { dialog, loses } = await confirmed();
      const before = asked('subscriptionStatus').length;
      await loses();
      expect(await dialog.findByText('Your plan may have been cancelled.')).toBeTruthy();
      await waitFor(() => {
        expect(asked('subscriptionStatus').length).toBe(before + 1);
      });
      expect(dialog.getByRole<HTMLButtonElement>('button', { name: 'Cancel plan' }).disabled).toBe(
        false,
      );
    });

    it('says so in a message where the dialog was closed meanwhile, and reads it once it is back', async () => {
      const { dialog, loses } = await confirmed();
      away();
      await goes('offline');
      fireEvent.click(dialog.getAllByRole('button', { name: 'Close' })[0]!);
      await loses();
      await waitFor(() => {
        expect(toastStore.toasts.map(({ message }) => message)).toEqual([
          'Your plan may have been cancelled.',
        ]);
      });
      isCancelled();
      await goes('online');
      expect(await screen.findByText(`PRO. Ends on ${formatDate(END)}.`)).toBeTruthy();
    });

    it('is read once more where the server was back before the first reading failed', async () => {
      const { loses } = await confirmed();
      away();
      await loses();
      await screen.findByText('Your plan may have been cancelled.');
      await waitFor(() => {
        expect(subscriptionStore.status).toBe('error');
      });
      isCancelled();
      expect(await screen.findByText(`PRO. Ends on ${formatDate(END)}.`)).toBeTruthy();
    });

    it('claims nothing either in a dialog that is opened anew, and tells there what became of it (R7-03)', async () => {
      const { loses } = await confirmed();
      const dialog = await openedAgain();
      away();
      await goes('offline');
      expect(
        dialog.getByText("You're offline. This was already sent and may take effect."),
      ).toBeTruthy();
      expect(dialog.queryByText(/Nothing was changed/)).toBeNull();
      expect(dialog.queryByRole('button', { name: 'Keep my plan' })).toBeNull();
      await loses();
      expect((await dialog.findByRole('alert')).textContent).toBe(
        'Backend service unavailableYour plan may have been cancelled.',
      );
      expect(toastStore.toasts).toEqual([]);
      isCancelled();
      await goes('online');
      await isTold();
    });

    it('closes a dialog that was opened anew once it has succeeded after all (R7-03)', async () => {
      const { succeeds } = await confirmed();
      const dialog = await openedAgain();
      expect(dialog.queryByRole('button', { name: 'Keep my plan' })).toBeNull();
      await succeeds();
      await waitFor(() => {
        expect(toastStore.toasts).toHaveLength(1);
      });
      expect(screen.queryByRole('dialog')).toBeNull();
    });

    it('is open no longer where the server says minutes later that the plan goes on', async () => {
      const { loses } = await confirmed();
      await loses();
      await screen.findByText('Your plan may have been cancelled.');
      const served = Date.now() + 3 * 60_000;
      answers.subscriptionStatus = () =>
        Promise.resolve({ subscription, entitledTier, servedAt: served, standing });
      await act(() => checkSubscription());
      expect(screen.queryByText('Your plan may have been cancelled.')).toBeNull();
      expect(screen.getByRole('button', { name: 'Keep my plan' })).toBeTruthy();
    });

    it('is not told of to whoever comes next', async () => {
      const { loses } = await confirmed();
      await act(async () => {
        session.user = { ...session.user!, uid: 'uid-2' };
        await Promise.resolve();
      });
      const dialog = await openedAgain();
      await loses();
      await goes('offline');
      expect(dialog.getByText(/Nothing was changed/)).toBeTruthy();
      expect(toastStore.toasts).toEqual([]);
    });

    it('says that nothing was changed where nothing was sent', async () => {
      pro();
      preview = { kind: 'end', planId: 'free', to: 'free', effectiveAt: END };
      render(<SubscriptionScreen />);
      fireEvent.click((await card('FREE')).getByRole('button', { name: 'Cancel plan' }));
      const dialog = within(await screen.findByRole('dialog', { name: 'Cancel plan' }));
      await goes('offline');
      expect(
        dialog.getByText(
          "You're offline. You need a connection to change plans. Nothing was changed.",
        ),
      ).toBeTruthy();
    });
  });

  it('is not confirmed before its meaning could be read; the reading can be tried again', async () => {
    pro();
    answers.changePreview = () =>
      Promise.reject(
        new ApiError('Backend service unavailable', {
          code: 'subscription_unavailable',
          status: 503,
          text: '',
        }),
      );
    render(<SubscriptionScreen />);
    fireEvent.click((await card('STARTER')).getByRole('button', { name: 'Change to STARTER' }));
    const dialog = within(await screen.findByRole('dialog'));
    expect(await dialog.findByText('Backend service unavailable')).toBeTruthy();
    expect(
      dialog.getByRole<HTMLButtonElement>('button', { name: 'Confirm in the billing portal' })
        .disabled,
    ).toBe(true);
    delete answers.changePreview;
    fireEvent.click(dialog.getByRole('button', { name: 'Try again' }));
    expect(await dialog.findByText('You have no agents.')).toBeTruthy();
  });

  it("sends the portal's own visitors back to the dashboard (R7-04, R2-30)", async () => {
    pro();
    answers.customerPortal = () => Promise.resolve({ commandId: '1', url: '/test-portal/1' });
    render(<SubscriptionScreen />);
    fireEvent.click(await screen.findByRole('button', { name: 'Billing portal' }));
    await waitFor(() => {
      expect(went).toHaveBeenCalledTimes(1);
    });
    expect(asked('customerPortal')).toEqual([{ body: { returnUrl: '/dashboard' } }]);
  });
});
