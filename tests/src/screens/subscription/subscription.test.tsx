// @vitest-environment jsdom
/** The subscription screen: what it shows of plan, trial and usage, and where its buttons lead. */
import '../../../support/page-world.ts';
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Plan, Subscription } from '../../../../contract/subscription.ts';
import type { Tier } from '../../../../contract/tiers.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
vi.mock('../../../../src/api/api.ts', async (original) => ({ ...await original<object>(), api: { call } }));

const { ApiError } = await import('../../../../src/api/api-error.ts');
const { session } = await import('../../../../src/identity/session.ts');
const { default: SubscriptionScreen } = await import('../../../../src/screens/subscription/subscription.tsx');
const { clearSubscription } = await import('../../../../src/stores/subscription.ts');
const { removeToast, toastStore } = await import('../../../../src/stores/toasts.ts');

const NOW = Date.now();
const plan = (id: string, tier: Tier, amount: string, agents: number): Plan =>
  ({ id, name: id.toUpperCase(), tier, priceId: tier === 'free' ? null : `price_${id}`, amount, currency: 'USD', interval: 'month', agents });
const PLANS = [plan('free', 'free', '0', 0), plan('starter', 'starter', '19', 2), plan('pro', 'pro', '99', 10)];

let subscription: Subscription | null;
let entitledTier: Tier;
let trialUsed: boolean;
beforeEach(() => {
  subscription = null;
  entitledTier = 'free';
  trialUsed = false;
  session.status = 'signed-in';
  session.user = { uid: 'uid-1', email: null, displayName: null, metadata: { lastSignInTime: null } };
  call.mockReset();
  call.mockImplementation((name: string) => {
    switch (name) {
      case 'plans': return Promise.resolve({ plans: PLANS, provider: 'test' });
      case 'usage': return Promise.resolve({ tier: entitledTier, agents: { used: 1, limit: 10 }, fillsThisMonth: 7, periodStart: NOW });
      case 'subscriptionStatus': return Promise.resolve({ subscription, entitledTier, servedAt: NOW });
      case 'trialStatus': return Promise.resolve({ isActive: false, endDate: null, hasUsed: trialUsed, servedAt: NOW });
      case 'subscribe': return Promise.resolve({ commandId: '1', subscription });
      default: return Promise.reject(new ApiError('Backend service unavailable', { code: 'subscription_unavailable', status: 503, text: '' }));
    }
  });
});
afterEach(() => { cleanup(); clearSubscription(); removeToast(); });

const pro = (change: Partial<Subscription> = {}): void => {
  entitledTier = 'pro';
  subscription = { status: 'active', tier: 'pro', planId: 'pro', currentPeriodEnd: NOW + 86_400_000 * 9, cancelAtPeriodEnd: false, ...change };
};
const card = async (name: string) => within(await screen.findByRole('listitem', { name }));

describe('the subscription screen', () => {
  it('compares the plans and says that payments are a test (R2-14, R7-02)', async () => {
    render(<SubscriptionScreen />);
    expect((await card('PRO')).getByText('Up to 10 agents')).toBeTruthy();
    expect((await card('FREE')).getByText('Your plan')).toBeTruthy();
    expect(screen.getByText('Test payments')).toBeTruthy();
    expect(screen.getByText('1 of 10')).toBeTruthy();
  });

  it('offers the trial once, and not to someone who has used it (R4-08)', async () => {
    const { unmount } = render(<SubscriptionScreen />);
    expect(await screen.findByRole('button', { name: 'Start free trial' })).toBeTruthy();
    unmount();
    clearSubscription();
    trialUsed = true;
    render(<SubscriptionScreen />);
    expect(await screen.findByText(/^Your free trial has been used/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Start free trial' })).toBeNull();
  });

  it('asks for a checkout of the plan\'s own price that ends at the dashboard, and says when it fails (R7-05, R2-30)', async () => {
    render(<SubscriptionScreen />);
    fireEvent.click((await card('STARTER')).getByRole('button', { name: 'Upgrade to STARTER' }));
    await waitFor(() => { expect(toastStore.toasts[0]?.message).toBe('Backend service unavailable'); });
    expect(call).toHaveBeenCalledWith('createCheckout', { body: {
      priceId: 'price_starter', successUrl: '/dashboard?subscription=success', cancelUrl: '/dashboard?subscription=canceled', embedded: false,
    } });
  });

  it('sends someone with a plan to the portal, which leads back to the dashboard (R7-04, R2-30)', async () => {
    pro();
    render(<SubscriptionScreen />);
    fireEvent.click((await card('STARTER')).getByRole('button', { name: 'Change to STARTER' }));
    await waitFor(() => { expect(call).toHaveBeenCalledWith('customerPortal', { body: { returnUrl: '/dashboard' } }); });
  });

  it('ends a plan by taking the free one, and does not offer to end it twice (R7-03)', async () => {
    pro();
    const { unmount } = render(<SubscriptionScreen />);
    fireEvent.click((await card('FREE')).getByRole('button', { name: 'End my plan' }));
    await waitFor(() => { expect(call).toHaveBeenCalledWith('subscribe', { body: { userId: 'uid-1', planId: 'free' } }); });
    unmount();
    clearSubscription();
    pro({ cancelAtPeriodEnd: true });
    render(<SubscriptionScreen />);
    expect(await screen.findByText(/^PRO\. Ends on/)).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'End my plan' })).toBeNull();
  });
});
