/**
 * The paths whose page is complete in the build, and the file of each: the build writes them, the
 * server and the service worker answer with them.
 */
export const PUBLIC_PAGES = {
  '/': 'pages/landing.html',
  '/how-it-works': 'pages/how-it-works.html',
  '/learn-more': 'pages/learn-more.html',
  '/faq': 'pages/faq.html',
  '/terms': 'pages/terms.html',
  '/privacy': 'pages/privacy.html',
  '/risk-disclosure': 'pages/risk-disclosure.html',
  '/login': 'pages/login.html',
  '/register': 'pages/register.html',
} as const;
export type PublicPath = keyof typeof PUBLIC_PAGES;

/** The file of a path, with or without a slash at its end; undefined for a screen of the app. */
export function publicPageOf(pathname: string): string | undefined {
  const bare = pathname.replace(/(.)\/+$/, '$1');
  return Object.hasOwn(PUBLIC_PAGES, bare) ? PUBLIC_PAGES[bare as PublicPath] : undefined;
}

/** Stands in built pages for the server's own origin, which only the server knows. */
export const ORIGIN_IN_BUILD = 'https://origin.invalid';
