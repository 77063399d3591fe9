/**
 * The app details that may go with a request, as shown before. They contain no addresses or tokens.
 */
import type { SupportDiagnostics } from '../../../contract/support.ts';
import { environment } from '../../environment.ts';
import { recentErrors } from '../../platform/page-log.ts';
import { isStandalone } from '../../platform/install.ts';
import { formatClock } from '../../format/times.ts';

const LINE_MAX = 240;

/**
 * Anything that could identify a user or grant access: email addresses, queries of URLs, and long
 * unbroken strings.
 */
export function withoutSecrets(text: string): string {
  return text
    .replace(/[^\s@<>"']+@[^\s@<>"']+\.[^\s@<>"']+/g, '[address]')
    .replace(/(https?:\/\/[^\s?#]+)[?#]\S*/g, '$1')
    .replace(/[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, '[token]')
    .replace(/[A-Za-z0-9+/_=-]{24,}/g, '[…]')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, LINE_MAX);
}

export function diagnosticsNow(said: {
  online: string;
  stream: string;
  prices: string;
  plan: string;
}): SupportDiagnostics {
  return {
    appVersion: environment.appVersion.slice(0, 100),
    browser: navigator.userAgent.slice(0, 400),
    screen: `${innerWidth}×${innerHeight} at ${devicePixelRatio}`,
    language: navigator.language.slice(0, 40),
    online: said.online,
    stream: said.stream,
    prices: said.prices.slice(0, 100),
    plan: said.plan,
    installed: isStandalone(),
    errors: recentErrors().map(({ at, text }) => withoutSecrets(`${formatClock(at)} ${text}`)),
  };
}

/** As shown, line by line; exactly this is sent. */
export function diagnosticLines(facts: SupportDiagnostics): [string, string][] {
  return [
    ['App version', facts.appVersion],
    ['Browser', facts.browser],
    ['Window', facts.screen],
    ['Language', facts.language],
    ['Server', facts.online],
    ['Live updates', facts.stream],
    ['Prices', facts.prices],
    ['Plan', facts.plan],
    ['Installed', facts.installed ? 'yes' : 'no'],
    ...(facts.errors.length === 0
      ? [['Errors since the app was opened', 'none'] as [string, string]]
      : facts.errors.map((line, index): [string, string] => [`Error ${index + 1}`, line])),
  ];
}
