// @vitest-environment happy-dom
/**
 * The way past a limit from where it was met: what is offered to whom, what is kept, and where it
 * leads back to.
 */
import '../../../support/page-world.ts';
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Plan } from '../../../../contract/subscription.ts';
import { agentCap, PAID_TIERS, tierPermits } from '../../../../contract/tiers.ts';
import type { Tier } from '../../../../contract/permission.ts';
import type { Need } from '../../../../src/billing/offers.ts';

const { call, went } = vi.hoisted(() => ({ call: vi.fn(), went: vi.fn() }));
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));
vi.mock('../../../../src/billing/leave.ts', () => ({ leaveFor: went }));

const { ApiError } = await import('../../../../src/api/api-error.ts');
const { addedOver, cheapestFor, FEATURES } = await import('../../../../src/billing/offers.ts');
const { readCheckout } = await import('../../../../src/billing/pending-checkout.ts');
const { checkoutReturn } = await import('../../../../src/billing/checkout-return.ts');
const { AWAITED_PAYMENT, closeTill, checkoutProgress } =
  await import('../../../../src/billing/take-plan.ts');
const { environment } = await import('../../../../src/environment.ts');
const { writeLastUser } = await import('../../../../src/identity/last-user.ts');
const { session } = await import('../../../../src/identity/session.ts');
const { UpgradeHere } = await import('../../../../src/screens/subscription/UpgradeHere.tsx');
const { connection } = await import('../../../../src/stores/connection.ts');
const { applySubscription, clearSubscription } =
  await import('../../../../src/stores/subscription-store.ts');
const { removeToast, toastStore } = await import('../../../../src/stores/toast-store.ts');

const NOW = Date.now();
const PLANS: Plan[] = [
  {
    id: 'free',
    name: 'Free',
    tier: 'free',
    priceId: null,
    amount: '0',
    currency: 'USD',
    interval: 'month',
    agents: 0,
  },
  ...PAID_TIERS.map((tier, index): Plan => ({
    id: tier,
    name: tier,
    tier,
    priceId: `price_${tier}`,
    amount: String(index * 10 + 9),
    currency: 'USD',
    interval: 'month',
    agents: agentCap(tier),
  })),
];
const seventh: Need = { resource: 'agents', action: 'create', agents: 7 };

let trialStarts: number;
beforeEach(() => {
  trialStarts = 0;
  connection.online = 'online';
  writeLastUser({ uid: 'uid-1', email: null, lastSignInTime: null });
  session.status = 'signed-in';
  session.user = {
    uid: 'uid-1',
    email: null,
    displayName: null,
    metadata: { lastSignInTime: null },
  };
  history.replaceState(null, '', '/analytics');
  went.mockReset();
  call.mockReset();
  call.mockImplementation((name: string) => {
    switch (name) {
      case 'plans':
        return Promise.resolve({ plans: PLANS, provider: 'test' });
      case 'createCheckout':
        return Promise.resolve({ commandId: '1', url: '/test-checkout/1', clientSecret: null });
      case 'trialStart':
        trialStarts += 1;
        return Promise.resolve({
          commandId: '1',
          trial: {
            isActive: true,
            endDate: new Date(NOW + 14 * 86_400_000).toISOString(),
            hasUsed: true,
            servedAt: NOW,
          },
        });
      case 'subscriptionStatus':
        return Promise.resolve({
          subscription: null,
          entitledTier: trialStarts > 0 ? 'trial' : 'free',
          servedAt: Date.now(),
        });
      case 'trialStatus':
        return Promise.resolve({
          isActive: trialStarts > 0,
          endDate: new Date(NOW + 14 * 86_400_000).toISOString(),
          hasUsed: trialStarts > 0,
          servedAt: Date.now(),
        });
      case 'changePreview':
        return new Promise(() => undefined);
      default:
        return Promise.reject(new ApiError(name, { code: 'internal', status: 500, text: name }));
    }
  });
});
afterEach(() => {
  cleanup();
  closeTill();
  checkoutReturn.state = 'none';
  clearSubscription();
  removeToast();
  localStorage.clear();
});

const have = (tier: Tier, used = true): void => {
  applySubscription(
    {
      status: {
        subscription:
          tier === 'free' || tier === 'trial'
            ? null
            : {
                status: 'active',
                tier,
                planId: tier,
                currentPeriodEnd: null,
                cancelAtPeriodEnd: false,
              },
        entitledTier: tier,
        servedAt: NOW,
      },
      trial: {
        isActive: tier === 'trial',
        endDate: tier === 'trial' ? new Date(Date.now() + 5 * 86_400_000).toISOString() : null,
        hasUsed: used,
        servedAt: NOW,
      },
    },
    'network',
  );
};

describe('which plan has it', () => {
  it('is the smallest that does, above the present one; none where no plan has more (R9-04, R6-03 to R6-06)', () => {
    expect(
      cheapestFor(PLANS, { resource: 'agents', action: 'create', agents: 1 }, 'free')?.id,
    ).toBe('starter');
    expect(
      cheapestFor(PLANS, { resource: 'agents', action: 'create', agents: 3 }, 'starter')?.id,
    ).toBe('standard');
    expect(cheapestFor(PLANS, seventh, 'trial')?.id).toBe('pro');
    expect(cheapestFor(PLANS, { resource: 'analytics', action: 'read' }, 'free')?.id).toBe(
      'standard',
    );
    expect(cheapestFor(PLANS, { resource: 'trading', action: 'advanced' }, 'standard')?.id).toBe(
      'pro',
    );
    expect(
      cheapestFor(PLANS, { resource: 'agents', action: 'create', agents: 26 }, 'pro-max'),
    ).toBeNull();
  });

  it('says of each plan what the table gives it and no more', () => {
    for (const tier of PAID_TIERS)
      for (const { has, resource, action } of FEATURES)
        expect(has(tier)).toBe(tierPermits(tier, resource, action));
    expect(addedOver('pro', 'standard')).toEqual([
      'Choice of strategy, all agents at once',
      'PRO Dashboard',
    ]);
    expect(addedOver('trial', 'standard')).toEqual([]);
  });
});

describe('at a limit', () => {
  it('starts the trial at once where that is enough, without leaving (R4-08, R4-09)', async () => {
    have('free', false);
    render(<UpgradeHere need={{ resource: 'agents', action: 'create', agents: 1 }} />);
    fireEvent.click(screen.getByRole('button', { name: 'Start free trial' }));
    await waitFor(() => {
      expect(screen.queryByRole('button', { name: 'Start free trial' })).toBeNull();
    });
    expect([trialStarts, went.mock.calls]).toEqual([1, []]);
  });

  it('offers the plan and not the trial where the trial would not do', async () => {
    have('free', false);
    render(<UpgradeHere need={seventh} />);
    expect(await screen.findByRole('button', { name: 'Upgrade to pro' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Start free trial' })).toBeNull();
  });

  it('offers nothing where the plan could not be checked, and checks it again at a press (R4-06, R4-08)', async () => {
    applySubscription({ status: null, trial: null }, 'network');
    render(<UpgradeHere need={{ resource: 'agents', action: 'create', agents: 1 }} />);
    expect(await screen.findByText(/Your plan could not be checked\./)).toBeTruthy();
    await waitFor(() => {
      expect(call).toHaveBeenCalledWith('plans', {});
    });
    expect(screen.queryByRole('button', { name: /trial|Upgrade/ })).toBeNull();
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('button', { name: 'Start free trial' })).toBeTruthy();
  });

  it('opens the checkout in one tap, keeps what was typed first, and remembers the way back', async () => {
    have('trial');
    const kept = vi.fn(() => {
      expect(went).not.toHaveBeenCalled();
    });
    render(<UpgradeHere need={seventh} from="/agents?new" typed onLeave={kept} />);
    const button = await screen.findByRole('button', { name: 'Upgrade to pro' });
    expect(
      screen.getByText(
        "29.00 USD per month, up to 10 agents. You'll return here. Your entries are saved.",
      ),
    ).toBeTruthy();
    fireEvent.click(button);
    fireEvent.click(button);
    await waitFor(() => {
      expect(went).toHaveBeenCalledTimes(1);
    });
    expect(kept).toHaveBeenCalled();
    expect(call.mock.calls.filter(([name]) => name === 'createCheckout')).toHaveLength(1);
    expect(readCheckout('uid-1')).toMatchObject({ planId: 'pro', from: '/agents?new' });
  });

  it("leads back to this very screen by default, and the plans' own link does too", async () => {
    have('free');
    history.replaceState(null, '', '/market?view=pools');
    render(<UpgradeHere need={{ resource: 'trading', action: 'advanced' }} />);
    expect(screen.getByRole('link', { name: 'View Plans' }).getAttribute('href')).toBe(
      `/subscription?from=${encodeURIComponent('/market?view=pools')}`,
    );
    fireEvent.click(await screen.findByRole('button', { name: 'Upgrade to pro' }));
    await waitFor(() => {
      expect(readCheckout('uid-1')?.from).toBe('/market?view=pools');
    });
  });

  it('shows what a change means first to somebody who pays for a plan already', async () => {
    have('starter');
    render(<UpgradeHere need={seventh} />);
    fireEvent.click(await screen.findByRole('button', { name: 'Upgrade to pro' }));
    expect(await screen.findByRole('dialog', { name: 'Change to pro' })).toBeTruthy();
    expect(
      call.mock.calls.some(([name]) => name === 'createCheckout' || name === 'customerPortal'),
    ).toBe(false);
    expect(call).toHaveBeenCalledWith('changePreview', { query: { planId: 'pro' } });
  });

  it("opens a checkout inside the app on the plans' own screen", async () => {
    have('free');
    Object.assign(environment, { stripePublishableKey: 'pk_test_1' });
    const usual = call.getMockImplementation() as
      | ((name: string, input: unknown) => Promise<unknown>)
      | undefined;
    call.mockImplementation((name: string, input: unknown) =>
      name === 'createCheckout'
        ? Promise.resolve({ commandId: '1', url: null, clientSecret: 'cs_1_secret' })
        : usual?.(name, input),
    );
    render(<UpgradeHere need={seventh} />);
    fireEvent.click(await screen.findByRole('button', { name: 'Upgrade to pro' }));
    await waitFor(() => {
      expect(location.pathname).toBe('/subscription');
    });
    expect(checkoutProgress.embedded).toEqual({ clientSecret: 'cs_1_secret', planId: 'pro' });
    Object.assign(environment, { stripePublishableKey: '' });
  });

  it.each([
    ['a page', { url: '/test-checkout/1', clientSecret: null }],
    ['a checkout inside the app', { url: null, clientSecret: 'cs_1_secret' }],
  ])(
    'opens nothing over another screen where the answer comes late, and says so: %s',
    async (_name, reply) => {
      have('free');
      let answer: (value: object) => void = () => undefined;
      const usual = call.getMockImplementation() as
        | ((name: string, input: unknown) => Promise<unknown>)
        | undefined;
      call.mockImplementation((name: string, input: unknown) =>
        name === 'createCheckout'
          ? new Promise((resolve) => {
              answer = resolve;
            })
          : usual?.(name, input),
      );
      render(<UpgradeHere need={seventh} />);
      fireEvent.click(await screen.findByRole('button', { name: 'Upgrade to pro' }));
      cleanup();
      history.pushState(null, '', '/market');
      await act(async () => {
        answer({ commandId: '1', ...reply });
        await Promise.resolve();
      });
      await waitFor(() => {
        expect(toastStore.toasts.map(({ message }) => message)).toEqual([
          'You went to another screen, so the payment page was not opened. Open it again under Subscription.',
        ]);
      });
      expect([location.pathname, went.mock.calls]).toEqual(['/market', []]);
      expect([checkoutProgress.busy, checkoutProgress.embedded, readCheckout('uid-1')]).toEqual([
        null,
        null,
        null,
      ]);
    },
  );

  it('says offline what it needs and that nothing is lost, and takes nothing', async () => {
    have('free');
    render(<UpgradeHere need={seventh} />);
    const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Upgrade to pro' });
    act(() => {
      connection.online = 'offline';
    });
    expect(
      await screen.findByText(
        /^You're offline\. You need a connection to choose a plan\. Nothing was charged, and your entries are kept\.$/,
      ),
    ).toBeTruthy();
    expect(button.disabled).toBe(true);
  });

  it('says offline nothing of entries where the device keeps none', async () => {
    have('free');
    localStorage.setItem('tradewind.keepSnapshots', 'false');
    connection.online = 'offline';
    render(<UpgradeHere need={seventh} />);
    await screen.findByText(
      "You're offline. You need a connection to choose a plan. Nothing was charged.",
    );
  });

  it('says while a payment is awaited that none is made twice, with and without a network', async () => {
    have('free');
    checkoutReturn.state = 'waiting';
    render(<UpgradeHere need={seventh} />);
    const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Upgrade to pro' });
    expect(screen.getByText(AWAITED_PAYMENT)).toBeTruthy();
    expect(button.disabled).toBe(true);
    await act(async () => {
      connection.online = 'offline';
      await Promise.resolve();
    });
    expect(screen.getByText(AWAITED_PAYMENT)).toBeTruthy();
    expect(screen.queryByText(/Nothing was charged/)).toBeNull();
    act(() => {
      Object.assign(connection, { online: 'online' });
      checkoutReturn.state = 'none';
    });
    await waitFor(() => {
      expect([button.disabled, screen.queryByText(AWAITED_PAYMENT)]).toEqual([false, null]);
    });
  });

  it('says what refused the checkout, here, and can be tried again', async () => {
    have('free');
    const usual = call.getMockImplementation() as
      | ((name: string, input: unknown) => Promise<unknown>)
      | undefined;
    call.mockImplementation((name: string, input: unknown) =>
      name === 'createCheckout'
        ? Promise.reject(
            new ApiError('Backend service unavailable', {
              code: 'subscription_unavailable',
              status: 503,
              text: '',
            }),
          )
        : usual?.(name, input),
    );
    render(<UpgradeHere need={seventh} />);
    fireEvent.click(await screen.findByRole('button', { name: 'Upgrade to pro' }));
    expect((await screen.findByRole('alert')).textContent).toBe('Backend service unavailable');
    expect(checkoutProgress.busy).toBeNull();
  });
});
