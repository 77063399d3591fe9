/** The links of the shell by plan, for header, bottom bar, menu, rail and palette. */
import {
  Activity,
  Bell,
  BookOpen,
  Bot,
  ChartCandlestick,
  ChartPie,
  Gift,
  LayoutDashboard,
  LifeBuoy,
  ListChecks,
  ReceiptText,
  Settings,
  ShieldCheck,
  Wallet,
  Waypoints,
  type LucideIcon,
} from 'lucide-react';
import { tierSatisfies, type Tier } from '../../contract/tiers.ts';

export interface NavLink {
  to: string;
  label: string;
  upsell?: boolean;
}

export interface MenuLink extends NavLink {
  icon: LucideIcon;
  /** Search words in the palette. */
  also: string;
}

export interface MenuGroup {
  title: string;
  links: readonly MenuLink[];
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

/** Further links of the rail and the menu. A new entry is one line here. */
export const MENU_GROUPS: readonly MenuGroup[] = [
  {
    title: 'Trade',
    links: [
      { to: '/agents', label: 'Agents', icon: Bot, also: 'bots strategies' },
      {
        to: '/portfolio',
        label: 'Portfolio',
        icon: ChartPie,
        also: 'positions trades history balance csv',
      },
      { to: '/alerts', label: 'Alerts', icon: Bell, also: 'price notify bell' },
      { to: '/performance', label: 'Performance', icon: Activity, also: 'ranking compare' },
    ],
  },
  {
    title: 'You',
    links: [
      {
        to: '/settings',
        label: 'Settings',
        icon: Settings,
        also: 'profile name theme dark colours appearance notifications push data snapshot export delete',
      },
      {
        to: '/wallet',
        label: 'Wallet',
        icon: Wallet,
        also: 'crypto address base swap send nft fund',
      },
      {
        to: '/subscription',
        label: 'Subscription',
        icon: ReceiptText,
        also: 'plans billing upgrade trial',
      },
      {
        to: '/security',
        label: 'Security',
        icon: ShieldCheck,
        also: 'password sign out log out session wipe email',
      },
      { to: '/referrals', label: 'Referrals', icon: Gift, also: 'invite friend' },
    ],
  },
  {
    title: 'Help',
    links: [
      {
        to: '/getting-started',
        label: 'Getting started',
        icon: ListChecks,
        also: 'onboarding first steps',
      },
      {
        to: '/guided-setup',
        label: 'Guided setup',
        icon: Waypoints,
        also: 'wizard onboarding questions first agent',
      },
      { to: '/library', label: 'Library', icon: BookOpen, also: 'learn articles docs' },
      { to: '/support', label: 'Support', icon: LifeBuoy, also: 'help contact' },
    ],
  },
];
export const MENU_LINKS: readonly MenuLink[] = MENU_GROUPS.flatMap(({ links }) => links);

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
