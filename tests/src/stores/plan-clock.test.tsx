// @vitest-environment happy-dom
/**
 * A plan and a trial along a clock that the test moves: when the server is asked, what the banner
 * says, what a change told meanwhile does.
 */
import '../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
vi.mock('../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call, marketData: () => new Promise(() => undefined) },
}));
vi.mock('../../../src/api/shared-stream.ts', () => ({
  joinStream: () => ({ wake: () => undefined, close: () => undefined }),
}));

const { ApiError } = await import('../../../src/api/api-error.ts');
const { session } = await import('../../../src/identity/session.ts');
const { TrialBanner } = await import('../../../src/shell/TrialBanner.tsx');
const { connection } = await import('../../../src/stores/connection.ts');
const { startSync } = await import('../../../src/stores/sync.ts');
const {
  checkSubscription,
  clearSubscription,
  loadUsage,
  subscriptionChanged,
  subscriptionStore,
  usageStore,
} = await import('../../../src/stores/subscription-store.ts');

const NOW = Date.parse('2026-01-10T12:00:00Z');
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** The server's side. */
let end: number | null;
let plan: 'pro' | null;
let broken: boolean;
const asked = (name = 'subscriptionStatus'): number =>
  call.mock.calls.filter(([one]) => one === name).length;
/** Promises already answered are taken, real time does not pass. */
const settle = async (): Promise<void> => {
  await act(async () => {
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  });
};
const pass = async (ms: number): Promise<void> => {
  await act(async () => {
    await vi.advanceTimersByTimeAsync(ms);
  });
};

beforeEach(() => {
  vi.useFakeTimers({ now: NOW, toFake: ['Date', 'setInterval', 'clearInterval'] });
  end = null;
  plan = null;
  broken = false;
  connection.online = 'online';
  connection.serverClockOffset = 0;
  call.mockReset();
  call.mockImplementation((name: string) => {
    const now = Date.now();
    const trial = end !== null && now < end;
    switch (name) {
      case 'subscriptionStatus':
        return broken
          ? Promise.reject(
              new ApiError('API Error: 500 - x', { code: 'internal', status: 500, text: 'x' }),
            )
          : Promise.resolve({
              subscription:
                plan === null
                  ? null
                  : {
                      status: 'active',
                      tier: plan,
                      planId: plan,
                      currentPeriodEnd: now + DAY,
                      cancelAtPeriodEnd: false,
                    },
              entitledTier: plan ?? (trial ? 'trial' : 'free'),
              servedAt: now,
            });
      case 'trialStatus':
        return Promise.resolve({
          isActive: trial,
          endDate: end === null ? null : new Date(end).toISOString(),
          hasUsed: end !== null,
          servedAt: now,
        });
      case 'usage':
        return Promise.resolve({
          tier: plan ?? 'free',
          agents: { used: 1, limit: plan === null ? 0 : 10 },
          fillsThisMonth: 0,
          periodStart: now,
        });
      default:
        return new Promise(() => undefined);
    }
  });
  session.user = { uid: 'ann', email: null, displayName: null, metadata: { lastSignInTime: null } };
  session.status = 'signed-in';
});
afterEach(() => {
  cleanup();
  clearSubscription();
  session.user = null;
  session.status = 'signed-out';
});
afterAll(() => {
  vi.useRealTimers();
});

describe('a trial along the clock', () => {
  it("counts down 3, 2, 1 by days rounded up, warns from 2 on, says today past its end, and is gone with the server's next word (R4-03, R4-04, R4-10 to R4-12)", async () => {
    end = NOW + 2 * DAY + 1;
    await checkSubscription();
    render(<TrialBanner shown />);
    const banner = (): { text: string; warning: string | null } => {
      const box = screen.getByText('Free Trial Active').closest('[data-warning]');
      return { text: box?.textContent ?? '', warning: box?.getAttribute('data-warning') ?? null };
    };
    const told = async (): Promise<string> => {
      await pass(MINUTE);
      const { text, warning } = banner();
      return `${text.replace(/^Free Trial Active·/, '')} ${warning ?? ''}`;
    };
    expect(banner()).toMatchObject({ warning: 'false' });
    expect(banner().text).toContain('3 days remaining');
    expect(await told()).toBe('2 days remainingUpgrade to Continue true');
    vi.setSystemTime(NOW + DAY + 1);
    expect(await told()).toBe('1 day remainingUpgrade to Continue true');
    vi.setSystemTime(end);
    expect(await told()).toBe('Trial expires todayUpgrade to Continue true');
    await act(async () => {
      await checkSubscription();
    });
    expect(screen.queryByText('Free Trial Active')).toBeNull();
    expect(subscriptionStore.entitlement).toMatchObject({
      isSubscribed: false,
      subscriptionTier: 'free',
      isTrialActive: false,
      trialDaysRemaining: 0,
      hasUsedTrial: true,
    });
  });
});

describe('a change told while an answer is on its way', () => {
  it('is asked for after that answer, which may be older, and the new limit comes with it', async () => {
    await checkSubscription();
    await loadUsage();
    const before = asked();
    const onItsWay = checkSubscription();
    plan = 'pro';
    const changed = subscriptionChanged();
    await onItsWay;
    await changed;
    expect(asked()).toBe(before + 2);
    expect(subscriptionStore.entitlement.subscriptionTier).toBe('pro');
    expect(usageStore.data?.agents.limit).toBe(10);
  });
});

describe('the page as it stands open', () => {
  it('asks again a minute after a check that failed, and five minutes after one that did not (R4-01)', async () => {
    plan = 'pro';
    broken = true;
    void startSync();
    await vi.waitUntil(() => asked() === 1, { timeout: 10_000 });
    await settle();
    expect(subscriptionStore.entitlement.subscriptionTier).toBe('free');
    broken = false;
    await pass(MINUTE / 2);
    expect(asked()).toBe(1);
    await pass(MINUTE);
    expect(asked()).toBe(2);
    expect(subscriptionStore.entitlement.subscriptionTier).toBe('pro');
    await pass(4 * MINUTE);
    expect(asked()).toBe(2);
  });

  it('asks at sign-in and each five minutes, falls to free where the answer is a failure, and forgets all at sign-out (R4-01, R4-06, R4-07, R9-01)', async () => {
    plan = 'pro';
    void startSync();
    await vi.waitUntil(() => asked() === 1, { timeout: 10_000 });
    await settle();
    expect(subscriptionStore.entitlement.subscriptionTier).toBe('pro');
    await pass(5 * MINUTE - 1_000);
    expect(asked()).toBe(1);
    broken = true;
    await pass(MINUTE);
    expect(asked()).toBe(2);
    expect(subscriptionStore.entitlement).toMatchObject({
      isSubscribed: false,
      subscriptionTier: 'free',
    });
    expect(subscriptionStore.data?.status).toBeNull();
    broken = false;
    await pass(5 * MINUTE);
    expect(asked()).toBe(3);
    expect(subscriptionStore.entitlement.subscriptionTier).toBe('pro');
    session.user = null;
    session.status = 'signed-out';
    await settle();
    expect(subscriptionStore).toMatchObject({
      data: null,
      loading: true,
      entitlement: {
        isSubscribed: false,
        subscriptionTier: 'free',
        isTrialActive: false,
        trialDaysRemaining: 0,
        hasUsedTrial: false,
      },
    });
    await pass(20 * MINUTE);
    expect(asked()).toBe(3);
  });
});
