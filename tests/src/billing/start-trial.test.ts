// @vitest-environment happy-dom
/** Starting the trial from the page: what is asked, what is refreshed and what the person reads. */
import '../../support/page-world.ts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CallName } from '../../../contract/calls.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
vi.mock('../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));

const { ApiError } = await import('../../../src/api/api-error.ts');
const { startTrial } = await import('../../../src/billing/start-trial.ts');
const { session } = await import('../../../src/identity/session.ts');
const { checkSubscription, clearSubscription, subscriptionStore } =
  await import('../../../src/stores/subscription-store.ts');
const { removeToast, toastStore } = await import('../../../src/stores/toast-store.ts');

const NOW = Date.now();
const refusal = (
  code: 'trial_used' | 'already_subscribed' | 'invalid_token' | 'subscription_unavailable',
  status: number,
  text: string = code,
) => new ApiError(code, { code, status, text });
const shown = () =>
  toastStore.toasts.map(({ message, type, durationMs }) => ({ message, type, durationMs }));

/** The server's side: whether a trial has begun, and what it answers a start with. */
let trial: { active: boolean; used: boolean };
let failure: Error | null;
beforeEach(() => {
  trial = { active: false, used: false };
  failure = null;
  call.mockReset();
  call.mockImplementation((name: CallName) => {
    const endDate = trial.active ? new Date(NOW + 14 * 86_400_000).toISOString() : null;
    if (name === 'subscriptionStatus')
      return Promise.resolve({
        subscription: null,
        entitledTier: trial.active ? 'trial' : 'free',
        servedAt: NOW,
      });
    if (name === 'trialStatus')
      return Promise.resolve({
        isActive: trial.active,
        endDate,
        hasUsed: trial.used,
        servedAt: NOW,
      });
    if (failure !== null) return Promise.reject(failure);
    trial = { active: true, used: true };
    return Promise.resolve({
      commandId: '1',
      trial: { isActive: true, endDate, hasUsed: true, servedAt: NOW },
    });
  });
  session.status = 'signed-in';
  session.user = {
    uid: 'uid-1',
    email: null,
    displayName: null,
    metadata: { lastSignInTime: null },
  };
});
afterEach(() => {
  clearSubscription();
  removeToast();
});

describe('starting the trial', () => {
  it('asks for the signed-in person, refreshes what they have and says so for 4 seconds (R4-09, R4-08)', async () => {
    expect(await startTrial()).toBe(true);
    expect(call).toHaveBeenCalledWith('trialStart', { body: { userId: 'uid-1' } });
    expect(subscriptionStore.entitlement).toMatchObject({
      isTrialActive: true,
      subscriptionTier: 'trial',
      trialDaysRemaining: 14,
      hasUsedTrial: true,
    });
    expect(shown()).toEqual([
      { message: 'Trial started successfully!', type: 'success', durationMs: 4_000 },
    ]);
  });

  it('asks nobody where no one is signed in (R8-19)', async () => {
    session.user = null;
    session.status = 'signed-out';
    expect(await startTrial()).toBe(false);
    expect(call).not.toHaveBeenCalled();
    expect(shown()[0]).toMatchObject({
      message: 'You must be logged in to start a trial.',
      type: 'error',
    });
  });

  it('says a trial is used up whether the page or the server knew it (R8-20, R4-08)', async () => {
    trial.used = true;
    failure = refusal('trial_used', 409);
    expect(await startTrial()).toBe(false);
    expect(shown()[0]).toMatchObject({
      message: 'You have already used your free trial.',
      type: 'error',
    });
    expect(subscriptionStore.entitlement.hasUsedTrial).toBe(true);
    call.mockClear();
    expect(await startTrial()).toBe(false);
    expect(call).not.toHaveBeenCalled();
    expect(shown()[0]).toMatchObject({ message: 'You have already used your free trial.' });
  });

  it('says that there is a plan already in the words of the server, and reads what it is', async () => {
    const text = 'You already have a plan. You can still use the trial later.';
    failure = refusal('already_subscribed', 409, text);
    expect(await startTrial()).toBe(false);
    expect(shown()[0]).toMatchObject({ message: text, type: 'error' });
    expect(call).toHaveBeenCalledWith('subscriptionStatus', expect.anything());
  });

  it('offers to try again after any other failure (R8-21)', async () => {
    failure = refusal('subscription_unavailable', 503);
    expect(await startTrial()).toBe(false);
    expect(shown()[0]).toMatchObject({
      message: 'Failed to start trial. Please try again.',
      type: 'error',
    });
    failure = null;
    expect(await startTrial()).toBe(true);
  });

  it('says that it started where the answer was lost and the server knows of it (R4-09)', async () => {
    const lost = refusal('subscription_unavailable', 503);
    const answers = call.getMockImplementation();
    call.mockImplementation(async (name: CallName) => {
      await answers?.(name);
      if (name === 'trialStart') throw lost;
      return answers?.(name) as unknown;
    });
    expect(await startTrial()).toBe(true);
    expect(shown()).toEqual([
      { message: 'Trial started successfully!', type: 'success', durationMs: 4_000 },
    ]);
    expect(subscriptionStore.entitlement.isTrialActive).toBe(true);
  });

  it('reads what it started after it, not with a check that was under way before', async () => {
    const before = trial;
    let release = (): void => undefined;
    const answers = call.getMockImplementation();
    call.mockImplementationOnce(
      (name: CallName) =>
        new Promise((resolve) => {
          trial = before;
          const old = answers?.(name) as unknown;
          release = () => {
            resolve(old);
          };
        }),
    );
    const earlier = checkSubscription();
    const starting = startTrial();
    await vi.waitFor(() => {
      expect(trial.active).toBe(true);
    });
    release();
    await Promise.all([earlier, starting]);
    expect(subscriptionStore.entitlement.isTrialActive).toBe(true);
  });

  it('says nothing of it to somebody who has logged in meanwhile', async () => {
    failure = refusal('invalid_token', 401);
    const starting = startTrial();
    session.user = { ...session.user!, uid: 'uid-2' };
    expect(await starting).toBe(false);
    expect(shown()).toEqual([]);
  });

  it('words a refused sign-in as what it is (R8-22)', async () => {
    failure = refusal('invalid_token', 401);
    await startTrial();
    expect(shown()[0]).toMatchObject({
      message: 'Authentication error. Please try refreshing the page.',
      type: 'error',
    });
  });
});
