/** Title and description of every page that the build completes, for search and for previews. */
import type { PublicPath } from '../../contract/public-pages.ts';

export interface PageText {
  /** As the route's title. */
  title: string;
  description: string;
}

export const PAGE_TEXTS: Readonly<Record<PublicPath, PageText>> = {
  '/': {
    title: 'Automated crypto trading agents',
    description:
      'Automated crypto trading agents with paper money. See the reason for every decision, and press Stop even when you are offline.',
  },
  '/how-it-works': {
    title: 'How it works',
    description:
      'How a Tradewind agent checks the market, measures a signal, sizes a position, fills an order and protects it with a stop loss.',
  },
  '/learn-more': {
    title: 'Learn more',
    description:
      'What Tradewind offers and what it does not: six strategies, paper money, realistic costs, plans, and where the prices come from.',
  },
  '/faq': {
    title: 'FAQ',
    description:
      'Short answers about agents, stop losses, fees, paper money, plans, privacy and what happens while you are offline.',
  },
  '/terms': {
    title: 'Terms of Service',
    description:
      'The terms under which you use Tradewind: accounts, plans and payments, acceptable use, liability and how the service may change.',
  },
  '/privacy': {
    title: 'Privacy Policy',
    description:
      'What Tradewind stores about you, on the server and on your device, for how long, who receives it, and how you delete it.',
  },
  '/risk-disclosure': {
    title: 'Risk Disclosure',
    description:
      'What can go wrong with automated crypto trading: falling prices, stop losses that slip, strategies that stop working, and outages.',
  },
  '/login': {
    title: 'Log in',
    description:
      'Log in to Tradewind to see your portfolio, your agents and the reason for every decision.',
  },
  '/register': {
    title: 'Create an account',
    description:
      'Create a Tradewind account and start with paper money. No card and no exchange account needed.',
  },
};
