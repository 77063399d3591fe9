/** Every path of the app with its title and its lazily loaded screen. */
import type { ComponentType } from 'react';
import { PRELOAD_FALLBACK_MS, PRELOAD_IDLE_MS } from '../../contract/limits.ts';
import { screenPart } from '../components/screen-part.tsx';
import type { ProtectedPath } from '../identity/security-context.ts';
import { log } from '../platform/page-log.ts';

export interface ScreenProps {
  params: Readonly<Record<string, string | undefined>>;
}
type Loaded = Promise<{ default: ComponentType<ScreenProps> }>;

export interface ScreenRoute {
  path: string;
  title: string;
  access: 'public' | 'protected';
  load: () => Loaded;
  Screen: ComponentType<ScreenProps>;
  /** The loaded screen, rendered at once: a lazy component would show its placeholder first. */
  loaded: ComponentType<ScreenProps> | null;
}

function route(
  access: ScreenRoute['access'],
  path: string,
  title: string,
  fetchCode: () => Loaded,
): ScreenRoute {
  const load = async (): Loaded => {
    const code = await fetchCode();
    made.loaded = code.default;
    return code;
  };
  const made: ScreenRoute = {
    path,
    title,
    access,
    load,
    Screen: screenPart(load, 'screen'),
    loaded: null,
  };
  return made;
}
const open = (path: string, title: string, load: () => Loaded): ScreenRoute =>
  route('public', path, title, load);
/** Who may see it is in the table of protected routes; a path that is not there does not compile. */
const guarded = (path: ProtectedPath, title: string, load: () => Loaded): ScreenRoute =>
  route('protected', path, title, load);

export const ROUTES: readonly ScreenRoute[] = [
  open(
    '/',
    'Automated crypto trading agents',
    () => import('../screens/landing/LandingScreen.tsx'),
  ),
  open('/login', 'Log in', () => import('../screens/login/LoginScreen.tsx')),
  open('/register', 'Create an account', () => import('../screens/login/RegisterScreen.tsx')),
  open('/terms', 'Terms of Service', () => import('../screens/content/TermsScreen.tsx')),
  open('/privacy', 'Privacy Policy', () => import('../screens/content/PrivacyScreen.tsx')),
  open(
    '/risk-disclosure',
    'Risk Disclosure',
    () => import('../screens/content/RiskDisclosureScreen.tsx'),
  ),
  open('/learn-more', 'Learn more', () => import('../screens/content/LearnMoreScreen.tsx')),
  open('/faq', 'FAQ', () => import('../screens/content/FaqScreen.tsx')),
  open('/how-it-works', 'How it works', () => import('../screens/content/HowItWorksScreen.tsx')),
  guarded('/dashboard', 'Dashboard', () => import('../screens/dashboard/DashboardScreen.tsx')),
  guarded(
    '/standard-dashboard',
    'Dashboard',
    () => import('../screens/dashboard/StandardDashboard.tsx'),
  ),
  guarded('/pro-dashboard', 'PRO Dashboard', () => import('../screens/dashboard/ProDashboard.tsx')),
  guarded(
    '/getting-started',
    'Getting started',
    () => import('../screens/getting-started/GettingStartedScreen.tsx'),
  ),
  guarded('/trading', 'Trading', () => import('../screens/trading/TradingScreen.tsx')),
  guarded('/analytics', 'Analytics', () => import('../screens/analytics/AnalyticsScreen.tsx')),
  guarded('/agents', 'Agents', () => import('../screens/agents/list/AgentsScreen.tsx')),
  guarded('/agents/:id', 'Agent', () => import('../screens/agents/detail/AgentScreen.tsx')),
  // Before the one with an id, which would take its path.
  guarded(
    '/live/connect',
    'Connect an exchange',
    () => import('../screens/live/connect/ConnectScreen.tsx'),
  ),
  guarded(
    '/live/:id',
    'Exchange account',
    () => import('../screens/live/account/LiveAccountScreen.tsx'),
  ),
  guarded('/referrals', 'Referrals', () => import('../screens/referrals/ReferralsScreen.tsx')),
  guarded(
    '/subscription',
    'Subscription',
    () => import('../screens/subscription/SubscriptionScreen.tsx'),
  ),
  guarded('/market', 'Markets', () => import('../screens/market/MarketScreen.tsx')),
  guarded('/market/:symbol', 'Market', () => import('../screens/market/SymbolScreen.tsx')),
  guarded('/alerts', 'Alerts', () => import('../screens/alerts/AlertsScreen.tsx')),
  guarded(
    '/guided-setup',
    'Guided setup',
    () => import('../screens/guided-setup/GuidedSetupScreen.tsx'),
  ),
  guarded('/library', 'Library', () => import('../screens/library/LibraryScreen.tsx')),
  guarded('/support', 'Support', () => import('../screens/support/SupportScreen.tsx')),
  guarded('/security', 'Security', () => import('../screens/security/SecurityScreen.tsx')),
  guarded('/settings', 'Settings', () => import('../screens/settings/SettingsScreen.tsx')),
  // In one chunk with the trading settings, which contain the wallet.
  guarded('/wallet', 'Wallet', async () => ({
    default: (await import('../screens/trading/TradingScreen.tsx')).WalletScreen,
  })),
  guarded(
    '/performance',
    'Performance',
    () => import('../screens/performance/PerformanceScreen.tsx'),
  ),
  guarded('/portfolio', 'Portfolio', () => import('../screens/portfolio/PortfolioScreen.tsx')),
  guarded('/stop-all', 'Stop all agents', () => import('../screens/stop-all/StopAllScreen.tsx')),
];

/** The route of a path, without query and trailing slash; undefined for an unknown path. */
export function routeOf(path: string): ScreenRoute | undefined {
  const bare = (path.split(/[?#]/)[0] ?? '').replace(/(.)\/+$/, '$1');
  return ROUTES.find((known) => new RegExp(`^${known.path.replace(/:\w+/g, '[^/]+')}$`).test(bare));
}

/** Preloads the screen of a path. A failure is only logged: showing the screen retries. */
export async function preload(path: string): Promise<void> {
  try {
    await routeOf(path)?.load();
  } catch (error) {
    log.warn(`Could not preload the screen of ${path}`, error);
  }
}

export const IDLE_PRELOADS = [
  '/dashboard',
  '/standard-dashboard',
  '/market',
  '/analytics',
] as const;

/**
 * Preloads dashboard, market and analytics when the browser is idle, within 10 s, or 2 s after load
 * where idleness is unknown.
 */
export function preloadWhenIdle(
  host: Pick<Window, 'addEventListener' | 'setTimeout'> & {
    requestIdleCallback?: Window['requestIdleCallback'];
  } = window,
  load: (path: string) => void = (path) => {
    void preload(path);
  },
): void {
  const all = (): void => {
    for (const path of IDLE_PRELOADS) load(path);
  };
  if (typeof host.requestIdleCallback === 'function') {
    host.requestIdleCallback(all, { timeout: PRELOAD_IDLE_MS });
    return;
  }
  const later = (): void => {
    host.setTimeout(all, PRELOAD_FALLBACK_MS);
  };
  if (document.readyState === 'complete') later();
  else host.addEventListener('load', later, { once: true });
}
