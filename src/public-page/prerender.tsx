/** Renders the public pages to HTML at build time, from the same screens that the app shows. */
import { StrictMode, type ComponentType } from 'react';
import { prerender } from 'react-dom/static';
import { Router } from 'wouter';
import type { PublicPath } from '../../contract/public-pages.ts';
import { formatClock } from '../format/times.ts';
import FaqScreen from '../screens/content/FaqScreen.tsx';
import HowItWorksScreen from '../screens/content/HowItWorksScreen.tsx';
import LearnMoreScreen from '../screens/content/LearnMoreScreen.tsx';
import PrivacyScreen from '../screens/content/PrivacyScreen.tsx';
import RiskDisclosureScreen from '../screens/content/RiskDisclosureScreen.tsx';
import TermsScreen from '../screens/content/TermsScreen.tsx';
import type { Demo } from '../screens/landing/demo-steps.ts';
import LandingScreen from '../screens/landing/LandingScreen.tsx';
import { DemoView } from '../screens/landing/TunnelDemo.tsx';
import LoginScreen from '../screens/login/LoginScreen.tsx';
import RegisterScreen from '../screens/login/RegisterScreen.tsx';
import { PublicFrame } from '../shell/PublicFrame.tsx';
import { PAGE_TEXTS, type PageText } from './page-texts.ts';

const SCREENS: Readonly<Record<PublicPath, ComponentType>> = {
  '/': LandingScreen,
  '/how-it-works': HowItWorksScreen,
  '/learn-more': LearnMoreScreen,
  '/faq': FaqScreen,
  '/terms': TermsScreen,
  '/privacy': PrivacyScreen,
  '/risk-disclosure': RiskDisclosureScreen,
  '/login': LoginScreen,
  '/register': RegisterScreen,
};

export const textOf = (path: PublicPath): PageText => PAGE_TEXTS[path];

/** What stands in an example's text until the page knows the time. */
const CLOCK = '{clock}';
const LEFT_AT = 0;
const EXAMPLES: readonly (readonly [at: Demo, online: boolean])[] = [
  ['running', true],
  ['sending', true],
  ['stopped', true],
  ['running', false],
  ['saved', false],
  ['stopped', false],
];

async function html(node: React.ReactNode, identifierPrefix = ''): Promise<string> {
  const { prelude } = await prerender(<StrictMode>{node}</StrictMode>, { identifierPrefix });
  return new Response(prelude).text();
}

/** The landing page's example in each of its states, for the script that moves it. */
async function examples(): Promise<string> {
  const nothing = (): void => undefined;
  const made = await Promise.all(
    EXAMPLES.map(async ([at, online]) => {
      const view = await html(
        <DemoView
          state={{ at, online, leftAt: online ? null : LEFT_AT }}
          presses={{ onStop: nothing, onUndo: nothing, onTunnel: nothing }}
        />,
        'demo',
      );
      const name = `${at}-${online ? 'online' : 'offline'}`;
      return `<template data-example="${name}">${view.replace(formatClock(LEFT_AT), CLOCK)}</template>`;
    }),
  );
  return made.join('');
}

/** What `#root` holds before the app's code: the mark of a page from the build, and the page. */
export async function renderPage(path: PublicPath): Promise<string> {
  const Screen = SCREENS[path];
  const page = await html(
    <Router ssrPath={path}>
      <PublicFrame path={path} home="/">
        <Screen />
      </PublicFrame>
    </Router>,
  );
  // A signed-in person sees the landing page in this frame too, and every other page in the app's.
  const frame = path === '/' ? 'any' : 'public';
  return `<template id="built-page" data-frame="${frame}"></template>${page}${path === '/' ? await examples() : ''}`;
}
