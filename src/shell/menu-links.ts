/** All other screens in groups, for the rail of wide screens, the menu and the palette. */
import {
  Activity,
  Bell,
  BookOpen,
  Bot,
  ChartPie,
  Gift,
  LifeBuoy,
  ListChecks,
  ReceiptText,
  Settings,
  ShieldCheck,
  Wallet,
  Waypoints,
  type LucideIcon,
} from 'lucide-react';
import type { NavLink } from './navigation.ts';

export interface MenuLink extends NavLink {
  icon: LucideIcon;
  /** Search words in the palette. */
  also: string;
}

export interface MenuGroup {
  title: string;
  links: readonly MenuLink[];
}

/** A new entry is one line here. */
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
