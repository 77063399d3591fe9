// @vitest-environment happy-dom
/**
 * Back from a checkout or the portal: what is said before and after the server's word, and where
 * the person is taken.
 */
import '../../support/page-world.ts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Tier } from '../../../contract/permission.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
vi.mock('../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));

const { ApiError } = await import('../../../src/api/api-error.ts');
const {
  checkoutReturn,
  checkoutReturnText,
  returnFromCheckout,
  endCheckoutReturn,
  leaveCheckoutReturn,
} = await import('../../../src/billing/checkout-return.ts');
const { outcomeOf, PENDING_KEY } = await import('../../../src/billing/checkout-outcome.ts');
const { isAwaited } = await import('../../../src/billing/take-plan.ts');
const { readCheckout, rememberCheckout } = await import('../../../src/billing/pending-checkout.ts');
const { writeLastUser } = await import('../../../src/identity/last-user.ts');
const { resetSession, session } = await import('../../../src/identity/session.ts');
const { applySubscription, clearSubscription, plansStore, subscriptionChanged } =
  await import('../../../src/stores/subscription-store.ts');
const { fill } = await import('../../../src/stores/slot.ts');
const { removeToast, toastStore } = await import('../../../src/stores/toast-store.ts');

const NOW = Date.parse('2026-01-10T12:00:00Z');
/** What the server answers now; null for nobody there. */
let tier: Tier | null;
/** What the provider knows of the checkout. */
let checkout: 'none' | 'open' | 'complete' | 'expired';
const back = vi.fn();
const pending = (part: object = {}) => {
  rememberCheckout({
    uid: 'ann',
    planId: 'pro',
    planName: 'Pro',
    from: '/agents?new',
    openedAt: NOW,
    by: 'checkout',
    returned: false,
    ...part,
  });
};
const status = (of: Tier) => ({
  subscription:
    of === 'free' || of === 'trial'
      ? null
      : {
          status: 'active' as const,
          tier: of,
          planId: of,
          currentPeriodEnd: NOW,
          cancelAtPeriodEnd: false,
        },
  entitledTier: of,
  servedAt: Date.now(),
});
const words = (): string[] => toastStore.toasts.map(({ message }) => message);
const checks = (): number =>
  call.mock.calls.filter(([name]) => name === 'subscriptionStatus').length;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
  history.replaceState(null, '', '/dashboard');
  writeLastUser({ uid: 'ann', email: null, lastSignInTime: null });
  session.user = { uid: 'ann', email: null, displayName: null, metadata: { lastSignInTime: null } };
  session.status = 'signed-in';
  tier = 'free';
  checkout = 'complete';
  back.mockReset();
  call.mockReset();
  call.mockImplementation((name: string) => {
    if (tier === null)
      return Promise.reject(new ApiError('x', { code: 'network', status: 0, text: 'x' }));
    if (name === 'subscriptionStatus') return Promise.resolve(status(tier));
    if (name === 'trialStatus')
      return Promise.resolve({
        isActive: false,
        endDate: null,
        hasUsed: true,
        servedAt: Date.now(),
      });
    if (name === 'usage')
      return Promise.resolve({
        tier,
        agents: { used: 0, limit: 10 },
        fillsThisMonth: 0,
        periodStart: NOW,
      });
    if (name === 'checkoutState') return Promise.resolve({ state: checkout });
    return Promise.reject(new Error(name));
  });
  fill(
    plansStore,
    {
      plans: [
        {
          id: 'pro',
          name: 'Pro',
          tier: 'pro',
          priceId: 'p',
          amount: '99',
          currency: 'USD',
          interval: 'month',
          agents: 10,
        },
      ],
      provider: 'stripe',
    },
    'network',
    NOW,
  );
});
afterEach(() => {
  endCheckoutReturn();
  clearSubscription();
  removeToast();
  resetSession();
  localStorage.clear();
  vi.useRealTimers();
});

describe('after a finished checkout', () => {
  it('names the plan once the server has said it, and goes back to where the limit was met (R2-30)', async () => {
    pending();
    tier = 'pro';
    returnFromCheckout('success', back);
    expect(words()).toEqual([]);
    await vi.advanceTimersByTimeAsync(0);
    expect(words()).toEqual(['Pro is active: up to 10 agents.']);
    expect(back).toHaveBeenCalledWith('/agents?new');
    expect(readCheckout('ann')).toBeNull();
    expect(checkoutReturn.state).toBe('none');
  });

  it('stays where it is and says so there, where the person came to look at plans; gone when they leave', async () => {
    pending({ from: null });
    tier = 'pro';
    returnFromCheckout('success', back);
    await vi.advanceTimersByTimeAsync(0);
    expect(back).not.toHaveBeenCalled();
    expect(checkoutReturnText(checkoutReturn, 'online')).toBe('Pro is active: up to 10 agents.');
    leaveCheckoutReturn();
    expect(checkoutReturn.state).toBe('none');
  });

  it.each(['open', 'expired'] as const)(
    'says that it was closed where the provider calls it %s, and lets another plan be chosen (R2-30)',
    async (state) => {
      checkout = state;
      pending();
      returnFromCheckout('success', back);
      await vi.advanceTimersByTimeAsync(0);
      expect(words()).toEqual(['Checkout closed. Your current plan is under Subscription.']);
      expect(checkoutReturn.state).toBe('none');
      expect(readCheckout('ann')).toBeNull();
      expect(isAwaited(checkoutReturn.state, 'ann')).toBe(false);
      expect(back).toHaveBeenCalledWith('/agents?new');
    },
  );

  it('asks again where the provider could not be asked, and after a reload (R2-30)', async () => {
    checkout = 'expired';
    pending({ returned: true });
    const answers = call.getMockImplementation();
    let refused = 0;
    call.mockImplementation((name: string) => {
      if (name !== 'checkoutState' || refused > 0) return answers?.(name) as unknown;
      refused += 1;
      return Promise.reject(new ApiError('x', { code: 'network', status: 0, text: 'x' }));
    });
    returnFromCheckout(null, back);
    await vi.advanceTimersByTimeAsync(0);
    expect(checkoutReturn.state).toBe('waiting');
    await vi.advanceTimersByTimeAsync(2_000);
    expect(checkoutReturn.state).toBe('none');
    expect(readCheckout('ann')).toBeNull();
  });

  it('takes nobody off another screen by a late word that nothing was paid', async () => {
    checkout = 'open';
    pending();
    returnFromCheckout('success', back);
    history.replaceState(null, '', '/agents?new');
    await vi.advanceTimersByTimeAsync(0);
    expect(words()).toEqual(['Checkout closed. Your current plan is under Subscription.']);
    expect(back).not.toHaveBeenCalled();
  });

  it('goes on waiting where the provider cannot be asked', async () => {
    call.mockRejectedValue(new ApiError('x', { code: 'network', status: 0, text: 'x' }));
    pending();
    returnFromCheckout('success', back);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(checkoutReturn.state).toBe('waiting');
    expect(words()).toEqual([]);
  });

  it('claims nothing while the webhook is late, asks with growing pauses, then stops asking and waits to be told (R2-30)', async () => {
    pending();
    returnFromCheckout('success', back);
    await vi.advanceTimersByTimeAsync(0);
    expect(checkoutReturnText(checkoutReturn, 'online')).toBe(
      'Checkout finished. Setting up Pro. Waiting for payment confirmation.',
    );
    await vi.advanceTimersByTimeAsync(30_000);
    expect(checkoutReturn.state).toBe('late');
    expect(checkoutReturnText(checkoutReturn, 'online')).toMatch(
      /^Checkout finished, but the payment is not confirmed yet\..* Do not pay again\.$/,
    );
    await vi.advanceTimersByTimeAsync(4 * 60_000);
    expect(checks()).toBe(6);
    expect(words()).toEqual([]);
    // The stream's word.
    tier = 'pro';
    await subscriptionChanged();
    expect(words()).toEqual(['Pro is active: up to 10 agents.']);
    expect(back).toHaveBeenCalledWith('/agents?new');
  });

  it('does not take a plan on the device, another plan or a trial for the one that was paid for', async () => {
    pending();
    tier = null;
    applySubscription({ status: status('pro'), trial: null }, 'snapshot');
    returnFromCheckout('success', back);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(checkoutReturn.state).toBe('waiting');
    tier = 'starter';
    await vi.advanceTimersByTimeAsync(10_000);
    expect(checkoutReturn.state).toBe('waiting');
    expect(words()).toEqual([]);
  });

  it('says offline that nothing is lost, and takes it up again after a reload', async () => {
    pending();
    tier = null;
    returnFromCheckout('success', back);
    await vi.advanceTimersByTimeAsync(0);
    expect(checkoutReturnText(checkoutReturn, 'offline')).toBe(
      "Checkout finished. Pro appears here once you're online and the server has confirmed it.",
    );
    endCheckoutReturn();
    clearSubscription();
    returnFromCheckout(null, back);
    expect(checkoutReturn.state).toBe('waiting');
    tier = 'pro';
    await vi.advanceTimersByTimeAsync(2_000);
    expect(words()).toEqual(['Pro is active: up to 10 agents.']);
  });

  it('leaves a person alone who has gone on to another screen meanwhile', async () => {
    pending();
    returnFromCheckout('success', back);
    await vi.advanceTimersByTimeAsync(0);
    history.replaceState(null, '', '/market');
    tier = 'pro';
    await vi.advanceTimersByTimeAsync(2_000);
    expect(words()).toEqual(['Pro is active: up to 10 agents.']);
    expect(back).not.toHaveBeenCalled();
  });

  it('tells nobody else: a sign-out ends the waiting, and another person does not take it up', async () => {
    pending();
    returnFromCheckout('success', back);
    await vi.advanceTimersByTimeAsync(0);
    session.user = {
      uid: 'bob',
      email: null,
      displayName: null,
      metadata: { lastSignInTime: null },
    };
    clearSubscription();
    tier = 'pro';
    await vi.advanceTimersByTimeAsync(60_000);
    expect(checkoutReturn.state).toBe('none');
    returnFromCheckout(null, back);
    expect([checkoutReturn.state, words(), back.mock.calls]).toEqual(['none', [], []]);
  });
});

describe('after a checkout that was left, and after the portal', () => {
  it('says that it is closed and nothing of money, asks the server, and goes back to where the person was (R2-30)', async () => {
    pending();
    returnFromCheckout('canceled', back);
    expect(words()).toEqual(['Checkout closed. Your current plan is under Subscription.']);
    expect(back).toHaveBeenCalledWith('/agents?new');
    expect(readCheckout('ann')).toBeNull();
    await vi.advanceTimersByTimeAsync(0);
    expect(checks()).toBe(1);
    pending({ from: null });
    returnFromCheckout('canceled', back);
    expect(back).toHaveBeenLastCalledWith('/subscription');
  });

  it('goes on waiting for a payment that another tab has returned from, also after a reload (R2-30)', async () => {
    pending({ returned: true });
    returnFromCheckout('canceled', back);
    expect(words()).toEqual([
      'Checkout closed. An earlier payment is not confirmed yet. Do not pay again.',
    ]);
    expect([checkoutReturn.state, checkoutReturn.planName]).toEqual(['waiting', 'Pro']);
    expect(readCheckout('ann')?.returned).toBe(true);
    expect(back).not.toHaveBeenCalled();
    endCheckoutReturn();
    returnFromCheckout(null, back);
    expect(checkoutReturn.state).toBe('waiting');
    tier = 'pro';
    await vi.advanceTimersByTimeAsync(2_000);
    expect(words()).toEqual(['Pro is active: up to 10 agents.']);
    expect(back).toHaveBeenCalledWith('/agents?new');
  });

  it('keeps a payment that is awaited where the portal is returned from once more', () => {
    pending({ returned: true });
    returnFromCheckout('portal', back);
    expect([checkoutReturn.state, words(), back.mock.calls]).toEqual(['waiting', [], []]);
    expect(readCheckout('ann')?.returned).toBe(true);
  });

  it('says nothing of a change that was not made in the portal, and names one that was', async () => {
    pending({ by: 'portal' });
    returnFromCheckout('portal', back);
    expect(back).toHaveBeenCalledWith('/agents?new');
    await vi.advanceTimersByTimeAsync(2_000);
    expect([checkoutReturn.state, words()]).toEqual(['none', []]);
    tier = 'pro';
    await vi.advanceTimersByTimeAsync(4_000);
    expect(words()).toEqual(['Pro is active: up to 10 agents.']);
    expect(back).toHaveBeenCalledTimes(1);
  });

  it('reads three words in an address and no others', () => {
    expect(
      [
        '?subscription=success',
        '?subscription=canceled',
        '?billing=portal',
        '?subscription=pro',
        '',
      ].map(outcomeOf),
    ).toEqual(['success', 'canceled', 'portal', null, null]);
  });

  it('is followed from the day it was left for, or once an address has told of it', async () => {
    const anew = async () => {
      vi.resetModules();
      return (await import('../../../src/billing/checkout-outcome.ts')).followsCheckout;
    };
    const noted = await anew();
    expect(noted('')).toBe(false);
    pending();
    expect(noted('')).toBe(true);
    // The note goes once the plan is confirmed; what is said of that stays.
    localStorage.clear();
    expect(noted('')).toBe(true);
    const told = await anew();
    expect([told('?plan=pro'), told('?subscription=success')]).toEqual([false, true]);
    // The address is cleaned at once, and the plan may be awaited without a note on this device.
    expect(told('')).toBe(true);
  });

  it('forgets a checkout after a day', () => {
    pending();
    expect(readCheckout('ann')).not.toBeNull();
    expect(readCheckout('bob')).toBeNull();
    expect(readCheckout('ann')).not.toBeNull();
    expect(readCheckout('ann', NOW + 24 * 3_600_000 + 1)).toBeNull();
    expect(localStorage.getItem(PENDING_KEY)).toBeNull();
  });
});
