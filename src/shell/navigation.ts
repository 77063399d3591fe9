/** The links of the shell by plan, for header, bottom bar, footer and palette. */
import { Bot, ChartCandlestick, ChartPie, LayoutDashboard, type LucideIcon } from 'lucide-react';
import { tierSatisfies } from '../../contract/tiers.ts';
import type { Tier } from '../../contract/permission.ts';

export interface NavLink {
  to: string;
  label: string;
  upsell?: boolean;
}

/** The navigation bar of a signed-in user; the fifth link is the PRO dashboard or the way to it. */
export function navLinks(tier: Tier): NavLink[] {
  return [
    { to: '/dashboard', label: 'Dashboard' },
    { to: '/trading', label: 'Trading' },
    { to: '/analytics', label: 'Analytics' },
    { to: '/market', label: 'Markets' },
    tierSatisfies(tier, 'pro')
      ? { to: '/pro-dashboard', label: 'PRO Dashboard' }
      : { to: '/subscription', label: 'PRO', upsell: true },
  ];
}

export const FOOTER_LINKS: readonly NavLink[] = [
  { to: '/terms', label: 'Terms of Service' },
  { to: '/privacy', label: 'Privacy Policy' },
  { to: '/risk-disclosure', label: 'Risk Disclosure' },
  { to: '/faq', label: 'FAQ' },
];

export function isCurrent(path: string, link: string): boolean {
  if (link === '/dashboard' && path === '/standard-dashboard') return true;
  return path === link || path.startsWith(`${link}/`);
}

/** The screens of the bottom bar, which have no back button. */
export const BAR_LINKS: readonly (NavLink & { icon: LucideIcon })[] = [
  { to: '/dashboard', label: 'Dashboard', icon: LayoutDashboard },
  { to: '/agents', label: 'Agents', icon: Bot },
  { to: '/market', label: 'Markets', icon: ChartCandlestick },
  { to: '/portfolio', label: 'Portfolio', icon: ChartPie },
];

/** The parent of a screen opened without history; null for the screens of the bottom bar. */
export function backOf(path: string): string | null {
  const bare = path.replace(/(.)\/+$/, '$1');
  if (BAR_LINKS.some(({ to }) => to === bare)) return null;
  return BAR_LINKS.find(({ to }) => bare.startsWith(`${to}/`))?.to ?? '/dashboard';
}

const DASHBOARDS = ['/dashboard', '/standard-dashboard', '/pro-dashboard'];
export const isDashboard = (path: string): boolean => DASHBOARDS.includes(path);
/** The trial banner is for signed-in users on every page but the dashboards. */
export const showsTrialBanner = (path: string): boolean => !isDashboard(path);
