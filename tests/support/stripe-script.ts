/**
 * Stands in for what a browser gets from Stripe: its script with the checkout inside the app, and
 * its hosted pages.
 */
import type { BrowserContext } from 'playwright-core';

const SCRIPT = `
window.Stripe = (key) => ({
  initEmbeddedCheckout: async ({ clientSecret }) => {
    const frame = document.createElement('div');
    return {
      mount: (place) => { frame.innerHTML = '<p>Stand-in checkout ' + clientSecret + ' for ' + key + '</p>'; place.append(frame); },
      destroy: () => frame.remove(), unmount: () => frame.remove(),
    };
  },
});`;

const page = (title: string, links: readonly (readonly [string, string])[]): string =>
  `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>${links.map(([name, href]) => `<p><a href="${href}">${name}</a></p>`).join('')}`;

export interface StandInAddresses {
  /** Where the hosted checkout sends people, as the server asked for it. */
  success: () => string;
  cancel: () => string;
  portalReturn: () => string;
}

/** Answers Stripe's addresses in this browser. `loads` false: its script cannot be had. */
export async function answerStripe(
  context: BrowserContext,
  addresses: StandInAddresses,
  script: { loads: boolean },
): Promise<void> {
  await context.route('https://js.stripe.com/**', (route) =>
    script.loads ? route.fulfill({ contentType: 'text/javascript', body: SCRIPT }) : route.abort(),
  );
  await context.route('https://checkout.stripe.test/**', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: page('Stand-in hosted checkout', [
        ['Finish', addresses.success()],
        ['Cancel', addresses.cancel()],
      ]),
    }),
  );
  await context.route('https://billing.stripe.test/**', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: page('Stand-in billing portal', [['Return', addresses.portalReturn()]]),
    }),
  );
}

/**
 * Gives the built app a publishable key, as a build with that setting has it. Answers how often it
 * found the place.
 */
export async function withPublishableKey(
  context: BrowserContext,
  origin: string,
  key: string,
): Promise<() => number> {
  let found = 0;
  await context.route(`${origin}/assets/*.js`, async (route) => {
    // A worker still fetches parts when the browser is closed at the end: nobody waits for those.
    const response = await route.fetch().catch(() => null);
    if (response === null) return;
    const text = await response.text();
    const set = text.replace(
      /VITE_STRIPE_PUBLISHABLE_KEY:(?:``|""|'')/,
      `VITE_STRIPE_PUBLISHABLE_KEY:${JSON.stringify(key)}`,
    );
    if (set !== text) found += 1;
    await route.fulfill({ response, body: set });
  });
  return () => found;
}
