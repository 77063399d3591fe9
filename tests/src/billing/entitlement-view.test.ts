/** The entitlement of a person as the page computes it from the server's answers. */
import fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { TRIAL_WARNING_DAYS } from '../../../contract/limits.ts';
import {
  Subscription,
  type SubscriptionStatusReply,
  type TrialStatus,
} from '../../../contract/subscription.ts';
import type { Tier } from '../../../contract/permission.ts';
import {
  daysRemaining,
  entitlementView,
  NO_ENTITLEMENT,
  trialBanner,
  trialBannerText,
} from '../../../src/billing/entitlement-view.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 10, 12);

const trial = (msLeft: number, isActive = true): TrialStatus => ({
  isActive,
  endDate: new Date(NOW + msLeft).toISOString(),
  hasUsed: true,
  servedAt: NOW,
});
const noTrial: TrialStatus = { isActive: false, endDate: null, hasUsed: false, servedAt: NOW };
const status = (
  entitledTier: Tier,
  subscription: Partial<Subscription> | null = null,
): SubscriptionStatusReply => ({
  servedAt: NOW,
  entitledTier,
  subscription:
    subscription === null
      ? null
      : {
          status: 'active',
          tier: 'pro',
          planId: 'pro',
          currentPeriodEnd: NOW + 9 * DAY,
          cancelAtPeriodEnd: false,
          ...subscription,
        },
});

describe('what the answers mean', () => {
  it('counts an active plan as subscribed with its tier and not on trial, even while a trial runs (R4-02)', () => {
    expect(entitlementView(status('pro', {}), trial(3 * DAY), NOW)).toEqual({
      isSubscribed: true,
      subscriptionTier: 'pro',
      isTrialActive: false,
      trialDaysRemaining: 0,
      hasUsedTrial: true,
    });
  });

  it('does not count a plan the server no longer grants (R4-02)', () => {
    expect(entitlementView(status('free', { status: 'canceled' }), noTrial, NOW)).toEqual(
      NO_ENTITLEMENT,
    );
    expect(entitlementView(status('free', { status: 'past_due' }), noTrial, NOW).isSubscribed).toBe(
      false,
    );
  });

  it('counts a plan while it is paid, tried or waited for, and in no other state (R4-02)', () => {
    const paid = Subscription.shape.status.options.filter(
      (one) => entitlementView(status('pro', { status: one }), noTrial, NOW).isSubscribed,
    );
    expect(paid).toEqual(['active', 'trialing', 'past_due']);
  });

  it('counts no plan of another tier than the server grants, and none that is free or a trial (R4-02)', () => {
    expect(entitlementView(status('starter', { tier: 'pro' }), noTrial, NOW)).toEqual(
      NO_ENTITLEMENT,
    );
    for (const tier of ['free', 'trial'] as const)
      expect(entitlementView(status(tier, { tier }), noTrial, NOW), tier).toEqual(NO_ENTITLEMENT);
  });

  it('counts no trial that is over or was never heard of, whatever its date (R4-03)', () => {
    expect(entitlementView(status('trial'), trial(5 * DAY, false), NOW)).toEqual({
      ...NO_ENTITLEMENT,
      hasUsedTrial: true,
    });
    expect(entitlementView(status('trial'), null, NOW)).toEqual(NO_ENTITLEMENT);
  });

  it('counts a running trial as subscribed on tier trial, days rounded up (R4-03, R3-11)', () => {
    const view = entitlementView(status('trial'), trial(2 * DAY + 1), NOW);
    expect(view).toEqual({
      isSubscribed: true,
      subscriptionTier: 'trial',
      isTrialActive: true,
      trialDaysRemaining: 3,
      hasUsedTrial: true,
    });
  });

  it('never counts fewer than 0 days, and never a day too few (R4-03)', () => {
    fc.assert(
      fc.property(fc.integer({ min: -40 * DAY, max: 40 * DAY }), (left) => {
        const days = daysRemaining(new Date(NOW + left).toISOString(), NOW);
        expect(days).toBeGreaterThanOrEqual(0);
        expect(days * DAY).toBeGreaterThanOrEqual(left);
        if (days > 0) expect((days - 1) * DAY).toBeLessThan(left);
      }),
    );
    expect(daysRemaining('not a date', NOW)).toBe(0);
    expect(daysRemaining(null, NOW)).toBe(0);
  });

  it('falls to free and unsubscribed at the moment the days reach 0 (R4-04)', () => {
    expect(entitlementView(status('trial'), trial(1), NOW).subscriptionTier).toBe('trial');
    expect(entitlementView(status('trial'), trial(1), NOW + 1)).toEqual({
      ...NO_ENTITLEMENT,
      hasUsedTrial: true,
    });
  });

  it('is free without a trial, and remembers a used one (R4-05)', () => {
    expect(entitlementView(status('free'), noTrial, NOW)).toEqual(NO_ENTITLEMENT);
    expect(entitlementView(status('free'), trial(-DAY, false), NOW)).toEqual({
      ...NO_ENTITLEMENT,
      hasUsedTrial: true,
    });
  });

  it('is free and unsubscribed where the check failed, whatever the trial said (R4-06)', () => {
    expect(entitlementView(null, trial(5 * DAY), NOW)).toMatchObject({
      isSubscribed: false,
      subscriptionTier: 'free',
      isTrialActive: false,
      trialDaysRemaining: 0,
    });
  });

  it('remembers a used trial where the plan could not be checked (R4-05, R4-08)', () => {
    expect(entitlementView(null, trial(5 * DAY), NOW).hasUsedTrial).toBe(true);
    expect(entitlementView(null, noTrial, NOW)).toEqual(NO_ENTITLEMENT);
    expect(entitlementView(null, null, NOW)).toEqual(NO_ENTITLEMENT);
  });

  it('is reset to nothing where nobody is signed in (R4-07)', () => {
    expect(entitlementView(null, null, NOW)).toEqual({
      isSubscribed: false,
      subscriptionTier: 'free',
      isTrialActive: false,
      trialDaysRemaining: 0,
      hasUsedTrial: false,
    });
  });
});

describe('the trial banner', () => {
  it('shows only while the trial is active and no plan has taken its place (R4-10)', () => {
    expect(trialBanner(status('trial'), trial(9 * DAY), NOW)).toEqual({
      title: 'Free Trial Active',
      text: '9 days remaining',
      warning: false,
    });
    expect(trialBanner(status('pro', {}), trial(9 * DAY), NOW)).toBeNull();
    expect(trialBanner(status('free'), trial(-DAY, false), NOW)).toBeNull();
    expect(trialBanner(status('free'), noTrial, NOW)).toBeNull();
    expect(trialBanner(null, null, NOW)).toBeNull();
    expect(trialBanner(null, trial(9 * DAY), NOW)).toBeNull();
    expect(trialBanner(status('trial'), null, NOW)).toBeNull();
    expect(trialBanner(status('trial'), trial(9 * DAY, false), NOW)).toBeNull();
  });

  it('warns at two days or fewer (R4-11, R9-03)', () => {
    expect(TRIAL_WARNING_DAYS).toBe(2);
    expect(trialBanner(status('trial'), trial(2 * DAY + 1), NOW)?.warning).toBe(false);
    expect(trialBanner(status('trial'), trial(2 * DAY), NOW)?.warning).toBe(true);
  });

  it("words the days, and says today from the end until the server's next word (R4-12)", () => {
    expect([0, 1, 2, 14].map(trialBannerText)).toEqual([
      'Trial expires today',
      '1 day remaining',
      '2 days remaining',
      '14 days remaining',
    ]);
    expect(trialBanner(status('trial'), trial(0), NOW + 60_000)?.text).toBe('Trial expires today');
  });
});
