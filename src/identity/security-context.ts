/**
 * Who may see what on this page, from session and subscription. Only an explanation: the server
 * enforces.
 */
import { permissionsOf, permits, tierSatisfies } from '../../contract/tiers.ts';
import type { Action, Permission, Resource, Tier } from '../../contract/permission.ts';
import type { EntitlementView } from '../billing/entitlement-view.ts';
import type { Session, SessionUser } from './session.ts';

/** Shared context of the logged-in user. */
export interface AuthContext {
  user: SessionUser | null;
  loading: boolean;
  isSubscribed: boolean;
  subscriptionTier: Tier;
  isTrialActive: boolean;
  trialDaysRemaining: number;
  hasUsedTrial: boolean;
}

export interface SecurityContext {
  /** null unless signed in less than four hours ago, or readable offline after that. */
  user: SessionUser | null;
  subscriptionTier: Tier;
  roles: readonly ['user'];
  permissions: Permission[];
  loading: boolean;
  authenticated: boolean;
}

/** A snapshot of the session, live or frozen. */
export type SessionView = Readonly<Pick<Session, 'status'>> & {
  readonly user: Readonly<SessionUser> | null;
};
/** A snapshot of the subscription store, live or frozen. */
export interface SubscriptionView {
  readonly loading: boolean;
  readonly entitlement: Readonly<EntitlementView>;
}

export function authContext(session: SessionView, subscription: SubscriptionView): AuthContext {
  return {
    user:
      session.user === null ? null : { ...session.user, metadata: { ...session.user.metadata } },
    loading:
      session.status === 'loading' || (session.status === 'signed-in' && subscription.loading),
    ...subscription.entitlement,
  };
}

/** `offline` lets a user read what is on the device after their four hours are over. */
export function securityContext(
  session: SessionView,
  subscription: SubscriptionView,
  offline: boolean,
): SecurityContext {
  const shared = authContext(session, subscription);
  const authenticated =
    session.status === 'signed-in' ||
    (session.status === 'expired' && offline && session.user !== null);
  return {
    user: authenticated ? shared.user : null,
    subscriptionTier: shared.subscriptionTier,
    roles: ['user'],
    permissions: permissionsOf(shared.subscriptionTier),
    loading: shared.loading && !(authenticated && offline),
    authenticated,
  };
}

interface RouteRule {
  resource?: Resource;
  action?: Action;
  tier?: Tier;
}

const SIGN_IN_ONLY: RouteRule = {};
const reads = (resource: Resource, action: Action = 'read', tier?: Tier): RouteRule => ({
  resource,
  action,
  ...(tier === undefined ? {} : { tier }),
});

/** Every protected route. A path that is not here is an 'Invalid route'. */
export const ROUTES = {
  '/dashboard': reads('dashboard'),
  '/standard-dashboard': reads('dashboard'),
  '/pro-dashboard': reads('pro-features', 'read', 'pro'),
  '/portfolio': reads('dashboard'),
  '/market': reads('market'),
  '/market/:symbol': reads('market'),
  '/alerts': reads('market'),
  '/subscription': reads('subscription'),
  '/analytics': reads('analytics', 'view'),
  '/trading': reads('trading', 'view'),
  '/performance': reads('performance', 'view'),
  '/agents': SIGN_IN_ONLY,
  '/agents/:id': SIGN_IN_ONLY,
  // What is held at an exchange stays readable, and can be stopped, with any plan.
  '/live/connect': SIGN_IN_ONLY,
  '/live/:id': SIGN_IN_ONLY,
  '/stop-all': SIGN_IN_ONLY,
  '/getting-started': SIGN_IN_ONLY,
  '/guided-setup': SIGN_IN_ONLY,
  '/referrals': SIGN_IN_ONLY,
  '/library': SIGN_IN_ONLY,
  '/support': SIGN_IN_ONLY,
  '/security': SIGN_IN_ONLY,
  '/settings': SIGN_IN_ONLY,
  '/wallet': reads('trading', 'view'),
} satisfies Readonly<Record<string, RouteRule>>;
export type ProtectedPath = keyof typeof ROUTES;

export type Access =
  | { allowed: true }
  /** Which screen of the guard to show, and why. */
  | { allowed: false; screen: 'authentication' | 'feature' | 'upgrade' | 'denied'; reason: string };

const PATTERNS = Object.entries<RouteRule>(ROUTES).map(([path, rule]) => ({
  pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`),
  rule,
}));

/**
 * The rule of a path, or null for one that is not a protected route. Query, hash and a slash at the
 * end do not matter.
 */
export function routeRule(path: string): RouteRule | null {
  const bare = (path.split(/[?#]/)[0] ?? '').replace(/(.)\/+$/, '$1');
  return PATTERNS.find(({ pattern }) => pattern.test(bare))?.rule ?? null;
}

/** The guard's screen for a refusal, by its reason. */
export function refusal(reason: string): Access {
  const upgrade = /subscription/i.test(reason) || reason.includes('Insufficient permissions');
  return { allowed: false, screen: upgrade ? 'upgrade' : 'denied', reason };
}

export function canAccess(path: string, context: SecurityContext): Access {
  const rule = routeRule(path);
  if (rule === null) return refusal('Invalid route');
  if (!context.authenticated) {
    return {
      allowed: false,
      screen: 'authentication',
      reason: 'Your session has expired or you are not logged in. Please authenticate to continue.',
    };
  }
  if (rule.tier !== undefined && !tierSatisfies(context.subscriptionTier, rule.tier)) {
    return refusal(`This page requires a ${rule.tier} subscription.`);
  }
  if (
    rule.resource !== undefined &&
    rule.action !== undefined &&
    !permits(context.permissions, rule.resource, rule.action)
  ) {
    return {
      allowed: false,
      screen: 'feature',
      reason: 'This feature requires additional permissions. Please upgrade your subscription.',
    };
  }
  return { allowed: true };
}

/** Whether the person's tier permits an action, for showing a feature behind its real limit. */
export function may(context: SecurityContext, resource: Resource, action: Action): boolean {
  return context.authenticated && permits(context.permissions, resource, action);
}
