/**
 * The wallet in Chromium, with a wallet as an extension puts it into a page and a real chain behind
 * both: connect, come back, change network, refuse, send, leave, be left.
 */
import type { Page } from 'playwright-core';
import { parseEther } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startChain, type TestChain } from '../support/anvil.ts';
import { openBrowser, type Browser } from '../support/browser.ts';
import { seriousOnPage } from '../support/browser-axe.ts';
import { withSettings } from '../support/build-settings.ts';
import { createUser, startServer, type TestServer } from '../support/server.ts';
import { logIn } from '../support/sign-in.ts';
import { until } from '../support/until.ts';
import { answerNodes, atWallet, putWallet } from '../support/wallet-page.ts';

let chain: TestChain;
let server: TestServer;
let browser: Browser;
let page: Page;
let settingsFound: () => number;
let ann: string;
let bob: string;

beforeAll(async () => {
  [chain, server, browser] = await Promise.all([startChain(), startServer(), openBrowser()]);
  [ann = '', bob = ''] = chain.accounts.map(({ address }) => address);
  settingsFound = await withSettings(browser.context, server.url, {
    VITE_WALLET_RABBY: 'true',
    VITE_WALLET_FRAME: 'true',
  });
  await answerNodes(browser.context, chain);
  await putWallet(browser.context, {
    accounts: [ann],
    chainId: 84_532,
    known: [84_532],
    mark: 'isRabby',
  });
  page = await browser.page();
  await logIn(page, server.url, await createUser(server.url));
}, 240_000);
afterAll(async () => {
  await browser?.context.unrouteAll({ behavior: 'ignoreErrors' });
  await browser?.close();
  await Promise.all([server?.stop(), chain?.stop()]);
});

const status = (word: string) => page.locator(`[data-wallet-status=${word}]`);
const alert = () => page.getByRole('tabpanel').getByRole('alert');
const chip = (kind = '') =>
  page.locator(kind === '' ? '[data-wallet-chip]' : `[data-wallet-chip=${kind}]`);
const open = async (part: string): Promise<void> => {
  await page.goto(`${server.url}/trading?wallet=${part}`);
  await page
    .getByRole('tabpanel')
    .or(page.getByRole('button', { name: 'Show wallet' }))
    .waitFor();
  if ((await page.getByRole('tabpanel').count()) === 0)
    await page.getByRole('button', { name: 'Show wallet' }).click();
};
/** The dialog's button is held by the keyboard until the dialog is done. */
const hold = async (): Promise<void> => {
  await page.getByRole('button', { name: 'Send. Hold to confirm.' }).focus();
  await page.keyboard.down('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.up('Enter');
};
const review = async (): Promise<void> => {
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('dialog').waitFor();
};

describe('a wallet in the browser', () => {
  it('that is not there is said to be missing, and nothing is changed (R5-30, R8-34)', async () => {
    await open('account');
    await status('disconnected').waitFor();
    expect(settingsFound()).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Connect Frame' }).click();
    await alert().waitFor();
    expect(await alert().textContent()).toMatch(/^Provider not found\. .*Nothing was changed\./);
    expect(await chip().count()).toBe(0);
  });

  it('connects when it says yes, not when it says no, and shows in the header (R4-16, R8-35)', async () => {
    await atWallet(page, (wallet) => {
      wallet.refuse('wallet_requestPermissions');
    });
    await page.getByRole('button', { name: 'Connect Rabby' }).click();
    await page.getByText('You declined in your wallet.').waitFor();
    await page.getByRole('button', { name: 'Connect Rabby' }).click();
    await status('connected').waitFor();
    expect(await alert().count()).toBe(0);
    await until(
      () => page.locator('[data-balance]').innerText(),
      (text) => text === '10,000 ETH',
    );
    expect(await chip('live').innerText()).toContain(`${ann.slice(0, 6)}…${ann.slice(-4)}`);
    expect(await seriousOnPage(page)).toEqual([]);
  });

  it('is linked to the account by a signature, and the screen then lists it beside the paper account (R7-23)', async () => {
    const part = page.getByRole('region', { name: 'Link to your account' });
    await atWallet(page, (wallet) => {
      wallet.refuse('personal_sign');
    });
    await part.getByRole('button', { name: 'Link address' }).click();
    await part.getByText('You declined in your wallet. Nothing was signed.').waitFor();
    await part.getByLabel('Name (optional)').fill('Everyday');
    await part.getByRole('button', { name: 'Link address' }).click();
    await part.getByText('Linked to your Tradewind account').waitFor();
    const listed = page.getByRole('region', { name: 'Linked addresses' });
    expect(await listed.getByRole('listitem').innerText()).toMatch(
      new RegExp(`^Everyday\\s+Base Sepolia, test\\s+${ann}`),
    );
    expect(await seriousOnPage(page)).toEqual([]);
  });

  it('is there again after a reload, and the header of other screens knows it without loading it (R4-17, R4-19)', async () => {
    await page.reload();
    await status('connected').waitFor();
    const loaded: string[] = [];
    page.on('request', (request) => {
      loaded.push(request.url());
    });
    await page.goto(`${server.url}/library`);
    await chip('kept').waitFor();
    expect(await chip().getAttribute('title')).toMatch(
      new RegExp(`^Wallet ${ann}, Base Sepolia, connected at `),
    );
    expect(
      loaded.filter((url) => /\/assets\/wallet-/.test(url) || /base\.org|coinbase/.test(url)),
    ).toEqual([]);
    page.removeAllListeners('request');
    for (const width of [320, 390, 768, 1024]) {
      await page.setViewportSize({ width, height: 844 });
      expect(
        await page.evaluate(() => document.querySelector('header')?.scrollWidth),
        `header at ${width}`,
      ).toBeLessThanOrEqual(width);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await chip().click();
    await until(
      () =>
        page.getByRole('tablist').evaluate((tabs) => {
          const { bottom, top } = tabs.getBoundingClientRect();
          return top >= 0 && bottom <= innerHeight;
        }),
      (seen) => seen,
    );
  });

  it('is asked to add a network that it does not know, and where it stays behind that is said (R8-36, R8-34, R7-33)', async () => {
    await open('account');
    await status('connected').waitFor();
    await atWallet(page, (wallet) => {
      wallet.addsWithoutSwitching(true);
    });
    await page.getByLabel('Network').selectOption({ label: 'Base' });
    await alert().waitFor();
    expect(await alert().textContent()).toMatch(
      /^User rejected switch after adding network\. Your wallet stays on its current network\./,
    );
    expect(await page.getByLabel('Network').inputValue()).toBe('84532');
    await page.getByLabel('Network').selectOption({ label: 'Base' });
    await page.getByText('REAL COINS').waitFor();
    expect(
      await atWallet(page, (wallet) =>
        wallet.calls.map(({ method }) => method).filter((method) => method.startsWith('wallet_')),
      ),
    ).toEqual([
      'wallet_switchEthereumChain',
      'wallet_addEthereumChain',
      'wallet_switchEthereumChain',
    ]);
    await page.getByLabel('Network').selectOption({ label: 'Base Sepolia' });
    await page.getByText('TEST COINS').waitFor();
  });
});

describe('a send', () => {
  it('that the person refuses in the wallet is not sent, and what was typed stays (R8-35)', async () => {
    await page.getByRole('tab', { name: 'Send' }).click();
    await page.getByLabel('To').fill(bob.toLowerCase());
    await page.getByLabel('Amount').fill('0.012300000000000001');
    await page.getByText('Network fee at most').waitFor();
    await atWallet(page, (wallet) => {
      wallet.refuse('eth_sendTransaction');
    });
    await review();
    expect(await page.getByRole('dialog').innerText()).toContain(bob);
    expect(await seriousOnPage(page)).toEqual([]);
    await hold();
    await alert().waitFor();
    expect(await alert().textContent()).toBe('You declined in your wallet. Nothing was sent.');
    expect(await page.getByLabel('Amount').inputValue()).toBe('0.012300000000000001');
    expect(await chain.rpc('eth_getTransactionCount', [ann, 'pending'])).toBe('0x0');
  });

  it('goes to the chain to the last wei, survives a reload, and is called confirmed when a block has it and not before', async () => {
    await chain.rpc('evm_setAutomine', [false]);
    await review();
    await hold();
    await page.locator('[data-send-stage=sent]').waitFor();
    expect(await page.getByLabel('Amount').inputValue()).toBe('');
    await page.reload();
    await page.locator('[data-send-stage=sent]').waitFor();
    expect(await page.getByRole('tabpanel').innerText()).not.toContain('Confirmed');
    await chain.rpc('evm_mine');
    await page.locator('[data-send-stage=confirmed]').waitFor();
    await chain.rpc('evm_setAutomine', [true]);
    expect(BigInt(await chain.rpc<string>('eth_getBalance', [bob, 'latest']))).toBe(
      parseEther('10000') + 12_300_000_000_000_001n,
    );
    await page.getByRole('tab', { name: 'History' }).click();
    const sends = page.getByRole('list', { name: 'Sends' });
    await sends.waitFor();
    const [hash] = (
      await chain.rpc<{ transactions: string[] }>('eth_getBlockByNumber', ['latest', false])
    ).transactions;
    expect(await sends.innerText()).toContain('0.012300000000000001 ETH');
    expect(await sends.getByRole('link').getAttribute('href')).toBe(
      `https://sepolia.basescan.org/tx/${hash}`,
    );
  });
});

describe('the end of a connection', () => {
  it('comes when the wallet has no accounts left, and the header no longer names it (R4-18)', async () => {
    await page.getByRole('tab', { name: 'Wallet' }).click();
    await status('connected').waitFor();
    await atWallet(page, (wallet) => {
      wallet.setAccounts([]);
    });
    await status('disconnected').waitFor();
    expect(await chip().count()).toBe(0);
    await atWallet(
      page,
      (wallet, account) => {
        wallet.setAccounts([account]);
      },
      ann,
    );
    await status('connected').waitFor();
  });

  it('by the person is remembered over a reload, though the wallet would let the page in (R4-19)', async () => {
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await status('disconnected').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Show wallet' }).click();
    await status('disconnected').waitFor();
    expect(await atWallet(page, (wallet) => wallet.calls.map(({ method }) => method))).toEqual([]);
    expect(await chip().count()).toBe(0);
  });
});

/** What stands in for Coinbase's window: it says that it is there, and keeps what it is told. */
const WINDOW = `<!doctype html><title>Stand-in</title><script>
globalThis.told = [];
addEventListener('message', ({ data }) => { told.push(data); });
opener.postMessage({ event: 'PopupLoaded', id: 'stand-in' }, '*');
</script>`;
interface Told {
  data?: { preference?: unknown; metadata?: unknown };
}

it("the product's own wallet opens its window at Coinbase, for a smart wallet alone, and a window that is closed is a no (R1-06, R8-35)", async () => {
  const { context } = browser;
  await context.route('https://keys.coinbase.com/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: WINDOW }),
  );
  const begin = async (): Promise<Page> => {
    const opened = context.waitForEvent('page');
    await page.getByRole('button', { name: 'Connect Coinbase Wallet' }).click();
    const window = await opened;
    await window.waitForURL('https://keys.coinbase.com/**');
    return window;
  };
  const window = await begin();
  const address = new URL(window.url());
  expect([address.origin, address.pathname]).toEqual(['https://keys.coinbase.com', '/connect']);
  const told = await until(
    () => window.evaluate<Told[]>('globalThis.told'),
    (messages) => messages.some(({ data }) => data?.preference !== undefined),
  );
  expect(told.find(({ data }) => data?.preference !== undefined)?.data).toMatchObject({
    metadata: { appName: 'Tradewind', appChainIds: [84_532, 8_453] },
    preference: { options: 'smartWalletOnly', telemetry: false },
  });
  await status('connecting').waitFor();
  await window.evaluate(`opener.postMessage({ event: 'PopupUnload', id: 'stand-in' }, '*')`);
  await window.close();
  await alert().waitFor();
  await status('disconnected').waitFor();
  expect(await alert().textContent()).toBe('You declined in your wallet. Nothing was changed.');

  // One that is closed without a word leaves the person a way out.
  await (await begin()).close();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await status('disconnected').waitFor();
  expect(await alert().count()).toBe(0);
});
