/** Who may see what: contexts, the guard's table and its reasons. */
import { describe, expect, it } from 'vitest';
import { Tier } from '../../../contract/permission.ts';
import { NO_ENTITLEMENT } from '../../../src/billing/entitlement-view.ts';
import {
  authContext,
  canAccess,
  may,
  refusal,
  ROUTES,
  routeRule,
  securityContext,
  type SessionView,
} from '../../../src/identity/security-context.ts';

const user = {
  uid: 'ann',
  email: 'ann@example.com',
  displayName: null,
  metadata: { lastSignInTime: 'Sat, 10 Jan 2026 12:00:00 GMT' },
};
const signedIn: SessionView = { status: 'signed-in', user };
const has = (tier: Tier) => ({
  loading: false,
  entitlement: { ...NO_ENTITLEMENT, subscriptionTier: tier, isSubscribed: tier !== 'free' },
});
const context = (tier: Tier) => securityContext(signedIn, has(tier), false);

describe('contexts', () => {
  it('give the signed-in person, the trial and the last sign-in time (R3-09, R3-11, R3-12)', () => {
    const trial = {
      isSubscribed: true,
      subscriptionTier: 'trial' as const,
      isTrialActive: true,
      trialDaysRemaining: 3,
      hasUsedTrial: true,
    };
    expect(authContext(signedIn, { loading: false, entitlement: trial })).toEqual({
      user,
      loading: false,
      ...trial,
    });
    expect(authContext({ status: 'loading', user: null }, has('free'))).toMatchObject({
      user: null,
      loading: true,
      isSubscribed: false,
      subscriptionTier: 'free',
    });
    expect(authContext(signedIn, { ...has('pro'), loading: true }).loading).toBe(true);
  });

  it('give tier, the one role and permissions with their counts (R3-13, R3-14, R6-01)', () => {
    const starter = context('starter');
    expect(starter).toMatchObject({
      user,
      subscriptionTier: 'starter',
      roles: ['user'],
      loading: false,
      authenticated: true,
    });
    expect(starter.permissions).toContainEqual({
      resource: 'agents',
      action: 'create',
      conditions: { maxCount: 2 },
    });
    expect(may(starter, 'analytics', 'read')).toBe(false);
    expect(may(context('standard'), 'analytics', 'read')).toBe(true);
    expect(may(context('pro-max'), 'trading', 'advanced')).toBe(true);
  });

  it('hide the person past four hours online and let them read on offline', () => {
    const expired: SessionView = { status: 'expired', user };
    expect(securityContext(expired, has('pro'), false)).toMatchObject({
      user: null,
      authenticated: false,
    });
    expect(securityContext(expired, { ...has('pro'), loading: true }, true)).toMatchObject({
      user,
      authenticated: true,
      loading: false,
    });
    expect(
      securityContext({ status: 'signed-out', user: null }, has('free'), true).authenticated,
    ).toBe(false);
  });
});

describe('guard', () => {
  it('lets through only known routes of an authenticated person, else "Invalid route" (R5-19)', () => {
    for (const path of ['/nowhere', '/agents/1/secrets', '/market/BTC-USDT/x', '/admin', '']) {
      expect(canAccess(path, context('pro-max')), path).toEqual({
        allowed: false,
        screen: 'denied',
        reason: 'Invalid route',
      });
    }
    const nobody = securityContext({ status: 'signed-out', user: null }, has('free'), false);
    for (const path of Object.keys(ROUTES)) {
      expect(canAccess(path.replace(/:\w+/, 'x'), nobody), path).toMatchObject({
        allowed: false,
        screen: 'authentication',
      });
      expect(canAccess(path.replace(/:\w+/, 'x'), context('pro-max')), path).toEqual({
        allowed: true,
      });
    }
  });

  it('does not mind a query, a hash or a slash at the end', () => {
    for (const path of ['/dashboard?subscription=success', '/dashboard/', '/dashboard#top'])
      expect(routeRule(path), path).not.toBeNull();
  });

  it('sends a lower tier from the PRO dashboard to an upgrade', () => {
    for (const tier of ['free', 'starter', 'standard', 'trial'] as const) {
      expect(canAccess('/pro-dashboard', context(tier)), tier).toMatchObject({
        allowed: false,
        screen: 'upgrade',
      });
    }
    for (const tier of ['pro', 'pro-max'] as const)
      expect(canAccess('/pro-dashboard', context(tier))).toEqual({ allowed: true });
  });

  it('opens every other route to every tier, since each keeps what free has', () => {
    for (const tier of Tier.options) {
      for (const path of Object.keys(ROUTES).filter((route) => route !== '/pro-dashboard'))
        expect(canAccess(path, context(tier)), `${tier} ${path}`).toEqual({ allowed: true });
    }
  });

  it('says "Feature Unavailable" where the tier lacks the permission itself (R6-08)', () => {
    const bare = { ...context('free'), permissions: [] };
    expect(canAccess('/market', bare)).toMatchObject({ screen: 'feature' });
  });

  it('words a refusal as an upgrade when it speaks of a subscription or of permissions', () => {
    expect(refusal('Your subscription has ended')).toMatchObject({ screen: 'upgrade' });
    expect(refusal('Insufficient permissions')).toMatchObject({ screen: 'upgrade' });
    expect(refusal('Closed for repair')).toMatchObject({ screen: 'denied' });
  });
});
