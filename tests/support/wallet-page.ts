/**
 * A browser's way to the local chain: the public nodes' addresses lead to it, and a wallet lies in
 * each page.
 */
import type { BrowserContext, Page } from 'playwright-core';
import type { TestChain } from './anvil.ts';
import {
  injectWallet,
  type InjectedWallet,
  type InjectedWalletOptions,
} from './injected-wallet.ts';

/** Some loaders leave a call of this behind in a function's text. */
const NAMED = 'const __name = (named) => named;';

/** The policy of the pages lets them ask these and no port of ours. */
const PUBLIC_NODES = ['https://sepolia.base.org', 'https://mainnet.base.org'] as const;

/** Answers the addresses of the public nodes with the local chain. */
export async function answerNodes(context: BrowserContext, chain: TestChain): Promise<void> {
  for (const node of PUBLIC_NODES) {
    await context.route(`${node}/**`, async (route) => {
      const reply = await fetch(chain.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: route.request().postData() ?? '',
      }).catch(() => null);
      if (reply === null) {
        await route.abort().catch(() => undefined);
        return;
      }
      await route
        .fulfill({
          status: reply.status,
          contentType: 'application/json',
          headers: { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' },
          body: await reply.text(),
        })
        .catch(() => undefined);
    });
  }
}

/** Each page opened from now on has this wallet from its first script on. */
export async function putWallet(
  context: BrowserContext,
  options: Omit<InjectedWalletOptions, 'url'> & { url?: string },
): Promise<void> {
  const given: InjectedWalletOptions = { url: PUBLIC_NODES[0], ...options };
  await context.addInitScript({
    content: `{ ${NAMED} (${injectWallet.toString()})(${JSON.stringify(given)}); }`,
  });
}

/** Tells the wallet of a page something, or asks it. */
export function atWallet<T, A>(
  page: Page,
  act: (wallet: InjectedWallet, given: A) => T,
  given?: A,
): Promise<T> {
  return page.evaluate<T>(
    `(() => { ${NAMED} return (${act.toString()})(globalThis.testWallet, ${JSON.stringify(given) ?? 'undefined'}); })()`,
  );
}
