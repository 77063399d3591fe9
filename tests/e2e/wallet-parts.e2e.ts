/**
 * The wallet's parts in Chromium as a build with keys has them, with the provider's answers
 * recorded and a chain of our own: whom each speaks to and when, how it looks beside the rest, what
 * it costs.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page, Route } from 'playwright-core';
import { startChain, type TestChain } from '../support/anvil.ts';
import { openBrowser, type Browser } from '../support/browser.ts';
import { seriousOnPage } from '../support/browser-axe.ts';
import { withSettings } from '../support/build-settings.ts';
import { readBundle } from '../support/bundle.ts';
import { OPTIONS, QUOTE } from '../support/provider-server.ts';
import { createUser, startServer, type TestServer } from '../support/server.ts';
import { logIn } from '../support/sign-in.ts';
import { until } from '../support/until.ts';
import { putWallet } from '../support/wallet-page.ts';

const PROVIDER = 'https://api.developer.coinbase.com';
const COLLECTION = `0x${'ab'.repeat(20)}`;
const KEYS = {
  VITE_ONCHAINKIT_API_KEY: 'client-key',
  VITE_ONCHAINKIT_PROJECT_ID: 'project',
  VITE_WALLET_NFT_CONTRACT: COLLECTION,
};
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const PICTURE = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>')}`;

/** What a mint is said to cost, and to whom it goes. */
const MINT_WEI = 10_100_000_000_000_000n;
let mintable = false;

/** The kit's own methods of the provider, as the provider answers them; null: the chain answers. */
function kitAnswer(method: string): unknown {
  switch (method) {
    case 'cdp_getSwapQuote':
      return {
        from: { address: '', chainId: 8453, decimals: 18, image: '', name: 'ETH', symbol: 'ETH' },
        to: { address: USDC, chainId: 8453, decimals: 6, image: '', name: 'USDC', symbol: 'USDC' },
        fromAmount: '100000000000000000',
        toAmount: '300120000',
        amountReference: 'from',
        priceImpact: '0.1',
        chainId: '8453',
        highPriceImpact: false,
        slippage: '3',
        fromAmountUSD: '300.90',
        toAmountUSD: '300.10',
      };
    case 'cdp_getTokenDetails':
      return {
        name: 'Base Day One',
        description: 'One',
        imageUrl: PICTURE,
        animationUrl: '',
        mimeType: 'image/svg+xml',
        contractType: 'ERC1155',
        collectionName: 'Base Day',
        collectionDescription: 'All',
        ownerAddress: `0x${'12'.repeat(20)}`,
        lastSoldPrice: { amount: '0.01', currency: 'ETH', amountUSD: '30' },
      };
    case 'cdp_getMintDetails':
      return {
        name: 'Base Day One',
        description: 'One',
        imageUrl: PICTURE,
        mimeType: 'image/svg+xml',
        contractType: 'ERC1155',
        price: { amount: '0.01', currency: 'ETH', amountUSD: '30' },
        mintFee: { amount: '0.0001', currency: 'ETH', amountUSD: '0.3' },
        maxMintsPerWallet: 5,
        isEligibleToMint: true,
        creatorAddress: `0x${'34'.repeat(20)}`,
        totalTokens: '100',
        totalOwners: '12',
        network: '',
      };
    case 'cdp_mintToken':
      return mintable
        ? {
            call_data: {
              from: chain.accounts[0]?.address,
              to: chain.accounts[1]?.address,
              data: '0x',
              value: String(MINT_WEI),
            },
          }
        : { call_data: 'nonsense' };
    default:
      return null;
  }
}

let chain: TestChain;
let server: TestServer;
let browser: Browser;
let page: Page;
/** Every request that left our own origin, as it was made. */
const outside: { url: URL; method: string | null }[] = [];
const since = (): string[] => [...new Set(outside.splice(0).map(({ url }) => url.origin))];

async function provider(route: Route): Promise<void> {
  const request = route.request();
  const headers = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };
  const json = (body: unknown) =>
    route.fulfill({ headers, contentType: 'application/json', body: JSON.stringify(body) });
  if (request.method() === 'OPTIONS') {
    await route.fulfill({ status: 204, headers });
    return;
  }
  const { pathname } = new URL(request.url());
  if (pathname.endsWith('/buy/quote')) {
    await json(QUOTE);
    return;
  }
  if (pathname.endsWith('/buy/options')) {
    await json(OPTIONS);
    return;
  }
  const given = request.postDataJSON() as
    | { id: number; method: string }
    | { id: number; method: string }[];
  const asked = Array.isArray(given) ? given : [given];
  const known = asked.map(({ id, method }) => ({ jsonrpc: '2.0', id, result: kitAnswer(method) }));
  if (known.every(({ result }) => result !== null)) {
    await json(Array.isArray(given) ? known : known[0]);
    return;
  }
  const reply = await fetch(chain.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: request.postData() ?? '',
  });
  await route
    .fulfill({ headers, contentType: 'application/json', body: await reply.text() })
    .catch(() => undefined);
}

beforeAll(async () => {
  [chain, server, browser] = await Promise.all([
    startChain(),
    startServer({ env: KEYS }),
    openBrowser({ viewport: { width: 390, height: 844 } }),
  ]);
  await withSettings(browser.context, server.url, { ...KEYS, VITE_WALLET_RABBY: 'true' });
  await browser.context.route(`${PROVIDER}/**`, provider);
  await browser.context.route('https://base-sepolia.easscan.org/**', (route) =>
    route.fulfill({
      headers: { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' },
      contentType: 'application/json',
      body: JSON.stringify({ data: { attestations: [] } }),
    }),
  );
  const [ann] = chain.accounts;
  await putWallet(browser.context, {
    accounts: [ann?.address ?? ''],
    chainId: 84_532,
    known: [84_532, 8_453],
    mark: 'isRabby',
    url: `${PROVIDER}/rpc/v1/base-sepolia/wallet`,
  });
  browser.context.on('request', (request) => {
    const url = new URL(request.url());
    // What the wallet in the page asks is the wallet's own business.
    if (/^https?:$/.test(url.protocol) && url.origin !== server.url && url.origin !== chain.url)
      outside.push({
        url,
        method: (request.postDataJSON() as { method?: string } | null)?.method ?? null,
      });
  });
  page = await browser.page();
  await logIn(page, server.url, await createUser(server.url));
}, 240_000);
afterAll(async () => {
  await browser?.context.unrouteAll({ behavior: 'ignoreErrors' });
  await browser?.close();
  await Promise.all([server?.stop(), chain?.stop()]);
});

const show = (name: string) => page.getByRole('tab', { name, exact: true }).click();
/** How plain elements of ours look, measured on elements made for it. */
const plainLook = () =>
  page.evaluate(() =>
    ['button', 'h2', 'p', 'input', 'a', 'ul', 'table'].map((name) => {
      const element = document.createElement(name);
      document.querySelector('main')?.append(element);
      const style = getComputedStyle(element);
      const look = [
        'font-family',
        'font-size',
        'font-weight',
        'line-height',
        'margin',
        'padding',
        'border',
        'background-color',
        'color',
        'cursor',
        'display',
      ]
        .map((property) => style.getPropertyValue(property))
        .join('|');
      element.remove();
      return `${name} ${look}`;
    }),
  );

describe('the built wallet', () => {
  it('is in no download of any other screen', () => {
    const bundle = readBundle();
    expect(bundle.beforeTheWallet.size).toBeGreaterThan(50);
    expect(bundle.walletModules(bundle.beforeTheWallet)).toEqual([]);
    expect(bundle.walletModules(bundle.panel).length).toBeGreaterThan(100);
  });
});

describe('the wallet in the browser', () => {
  let before: string[];

  it('asks nobody before it is shown, nor when it is, nor in any part before a wallet is connected', async () => {
    await page.goto(`${server.url}/trading`);
    await page.getByRole('button', { name: 'Show wallet' }).waitFor();
    before = await plainLook();
    await page.getByRole('button', { name: 'Show wallet' }).click();
    for (const part of ['Wallet', 'Fund', 'Swap', 'Send', 'Checkout', 'History']) {
      await show(part);
      await page.getByRole('tabpanel', { name: part }).locator(':scope > *').first().waitFor();
    }
    await page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          requestIdleCallback(
            () => {
              resolve();
            },
            { timeout: 1_500 },
          );
        }),
    );
    expect(since()).toEqual([]);
  });

  it('asks its chain alone once a wallet is connected (R7-31)', async () => {
    await show('Wallet');
    await page.getByRole('button', { name: 'Connect Rabby' }).click();
    await until(
      () => page.locator('[data-balance]').innerText(),
      (text) => text.endsWith('ETH'),
    );
    expect(outside.every(({ url }) => url.pathname.startsWith('/rpc/v1/base-sepolia/'))).toBe(true);
    expect(since()).toEqual([PROVIDER]);
  });

  it("buys at the provider's prices (R2-31, R9-12)", async () => {
    await show('Fund');
    await page.getByRole('form', { name: 'Buy ETH' }).waitFor();
    await page.getByText('Debit card').waitFor();
    await page.getByLabel('Amount').fill('50');
    await page.getByText('≈ 0.02 ETH').waitFor();
    expect(await seriousOnPage(page)).toEqual([]);
    const opened = page.waitForEvent('popup');
    await page.getByRole('button', { name: 'Buy', exact: true }).click();
    const popup = await opened;
    await popup.waitForURL(/pay\.coinbase\.com/, { waitUntil: 'commit' }).catch(() => undefined);
    await page.getByRole('button', { name: 'Continue in the other window' }).waitFor();
    await popup.close();
    await page.getByText('The window was closed.').waitFor();
    expect(
      since().filter((origin) => origin !== PROVIDER && origin !== 'https://pay.coinbase.com'),
    ).toEqual([]);
  });

  it("has the provider's quote for a swap on Base, whatever chain the wallet is on (R1-06)", async () => {
    await show('Swap');
    await page.getByPlaceholder('0.0').first().fill('0.1');
    await until(
      () => page.getByPlaceholder('0.0').nth(1).inputValue(),
      (value) => value === '300.12',
    );
    const quotes = outside.filter(({ method }) => method === 'cdp_getSwapQuote');
    expect(quotes.map(({ url }) => url.pathname)).toEqual(['/rpc/v1/base/client-key']);
    expect(since()).toEqual([PROVIDER]);
  });

  it('shows a token and what a mint costs (R1-06)', async () => {
    await show('NFT');
    await page.getByText('Base Day One').first().waitFor();
    await page.getByText('0x1212…1212').waitFor();
    await page.getByText('0x3434…3434').waitFor();
    // A reply that is no transaction: the card says so and stands.
    await page.getByText('The provider could not prepare this mint.').waitFor();
    expect(since()).toEqual([PROVIDER]);
  });

  it("mints by a transaction of the wallet's, at the price that was shown (R1-06)", async () => {
    mintable = true;
    const balance = async (): Promise<bigint> =>
      BigInt(await chain.rpc<string>('eth_getBalance', [chain.accounts[1]?.address, 'latest']));
    const had = await balance();
    await show('Wallet');
    await show('NFT');
    await page.getByRole('button', { name: 'Mint', exact: true }).click();
    await page.getByText('Successful').first().waitFor();
    expect((await balance()) - had).toBe(MINT_WEI);
    expect(since()).toEqual([PROVIDER]);
  });

  it('asks others about the address on request alone (R7-30)', async () => {
    await show('Wallet');
    await page.getByRole('button', { name: 'Look up name and attestations' }).click();
    await page.getByText('No attestations for this address on Base Sepolia').waitFor();
    expect(outside.map(({ url }) => url.href)).toContain(
      'https://base-sepolia.easscan.org/graphql',
    );
    expect(await seriousOnPage(page)).toEqual([]);
  });

  it('leaves every other screen as it was, and none wider than a phone', async () => {
    expect(
      await page.evaluate(() =>
        [...document.styleSheets].some((sheet) =>
          [...sheet.cssRules].some((rule) => rule.cssText.includes('ock-font-family')),
        ),
      ),
    ).toBe(true);
    expect(await plainLook()).toEqual(before);
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
    ).toBeLessThanOrEqual(0);
  });

  it('says of a part that is not on the device that it is not, and loads it when it can', async () => {
    let cut = true;
    await browser.context.route(/\/assets\/wallet-SwapPanel-/, (route) =>
      cut ? route.abort() : route.fallback(),
    );
    await page.goto(`${server.url}/trading?wallet=swap`);
    await page.getByText('This panel could not be loaded').waitFor();
    cut = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByPlaceholder('0.0').first().waitFor();
  });
});
