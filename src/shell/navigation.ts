/** Which links the shell shows to whom, as data; refuses to hide Stop. */
import { tierSatisfies, type Tier } from '../../contract/tiers.ts';

export interface NavLink { to: string; label: string; upsell?: boolean }

/** The navigation bar of a signed-in person; the fifth link is the PRO dashboard or the way to it. */
export function navLinks(tier: Tier): NavLink[] {
  return [
    { to: '/dashboard', label: 'Dashboard' },
    { to: '/trading', label: 'Trading' },
    { to: '/analytics', label: 'Analytics' },
    { to: '/market', label: 'Markets' },
    tierSatisfies(tier, 'pro') ? { to: '/pro-dashboard', label: 'PRO Dashboard' } : { to: '/subscription', label: 'PRO', upsell: true },
  ];
}

export const FOOTER_LINKS: readonly NavLink[] = [
  { to: '/terms', label: 'Terms of Service' },
  { to: '/privacy', label: 'Privacy Policy' },
  { to: '/risk-disclosure', label: 'Risk Disclosure' },
  { to: '/faq', label: 'FAQ' },
];

/** What the rail and the menu add to the bar, by what a person does with it. */
export const MORE_LINKS: readonly NavLink[] = [
  { to: '/agents', label: 'Agents' },
  { to: '/portfolio', label: 'Portfolio' },
  { to: '/performance', label: 'Performance' },
  { to: '/getting-started', label: 'Getting started' },
  { to: '/guided-setup', label: 'Guided setup' },
  { to: '/library', label: 'Library' },
  { to: '/referrals', label: 'Referrals' },
  { to: '/support', label: 'Support' },
  { to: '/subscription', label: 'Subscription' },
  { to: '/security', label: 'Security' },
];

export function isCurrent(path: string, link: string): boolean {
  if (link === '/dashboard' && path === '/standard-dashboard') return true;
  return path === link || path.startsWith(`${link}/`);
}

/** The screens of the bottom bar: one is not left by going back. */
export const BAR_LINKS: readonly NavLink[] = [
  { to: '/dashboard', label: 'Dashboard' }, { to: '/agents', label: 'Agents' }, { to: '/market', label: 'Markets' }, { to: '/portfolio', label: 'Portfolio' },
];

/** Where a screen without a history leads back to; null for the screens of the bottom bar. */
export function backOf(path: string): string | null {
  const bare = path.replace(/(.)\/+$/, '$1');
  if (BAR_LINKS.some(({ to }) => to === bare)) return null;
  return BAR_LINKS.find(({ to }) => bare.startsWith(`${to}/`))?.to ?? '/dashboard';
}

const DASHBOARDS = ['/dashboard', '/standard-dashboard', '/pro-dashboard'];
/** The trial banner is for signed-in people on every page but the dashboards. */
export const showsTrialBanner = (path: string): boolean => !DASHBOARDS.includes(path);
