/** The built app as a build with other settings has it. */
import type { BrowserContext } from 'playwright-core';

/**
 * Stands in every place where the build's settings are written down, with a text and not with what
 * checks it.
 */
const ALWAYS = /VITE_STRIPE_PUBLISHABLE_KEY:(?=[`"'])/;

/** Puts the settings into every script of this origin. Answers how many scripts have them. */
export async function withSettings(
  context: BrowserContext,
  origin: string,
  settings: Readonly<Record<string, string>>,
): Promise<() => number> {
  let found = 0;
  const written = Object.entries(settings)
    .map(([name, value]) => `${name}:${JSON.stringify(value)}`)
    .join(',');
  await context.route(`${origin}/assets/*.js`, async (route) => {
    // A worker still fetches parts when the browser is closed at the end: nobody waits for those.
    const response = await route.fetch().catch(() => null);
    if (response === null) return;
    let text = await response.text();
    if (ALWAYS.test(text)) {
      found += 1;
      for (const name of Object.keys(settings))
        text = text.replace(new RegExp(`${name}:(?:\`[^\`]*\`|"[^"]*"|'[^']*'),?`, 'g'), '');
      text = text.replace(new RegExp(ALWAYS, 'g'), `${written},VITE_STRIPE_PUBLISHABLE_KEY:`);
    }
    await route.fulfill({ response, body: text });
  });
  return () => found;
}
