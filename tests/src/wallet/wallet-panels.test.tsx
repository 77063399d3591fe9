// @vitest-environment jsdom
/**
 * The wallet's parts with the real kit around them: how they are reached, what each needs, what
 * becomes of one that fails, and what is reported.
 */
import '../../support/page-world.ts';
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { getAddress } from 'viem';
import { createConfig, createStorage, http, mock } from 'wagmi';
import { base, baseSepolia } from 'wagmi/chains';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { api } from '../../../src/api/api.ts';
import { connection } from '../../../src/stores/connection.ts';
import { clearWallet } from '../../../src/stores/wallet-store.ts';
import { startProvider, type ProviderServer } from '../../support/provider-server.ts';

const { default: WalletPanel } = await import('../../../src/wallet/WalletRoot.tsx');
const { PanelBoundary, PanelMissing } = await import('../../../src/wallet/PanelBoundary.tsx');
const { OnchainKitProvider, setOnchainKitConfig } = await import('@coinbase/onchainkit');
const { reportWallet } = await import('../../../src/wallet/wallet-analytics.ts');

const ADDRESS = '0x00000000000000000000000000000000000000aB';
const config = () =>
  createConfig({
    chains: [base, baseSepolia],
    connectors: [mock({ accounts: [ADDRESS], features: { reconnect: true } })],
    storage: createStorage({
      key: 'rooms',
      storage: { getItem: () => null, setItem: () => undefined, removeItem: () => undefined },
    }),
    transports: {
      [base.id]: http('http://127.0.0.1:9', { retryCount: 0 }),
      [baseSepolia.id]: http('http://127.0.0.1:9', { retryCount: 0 }),
    },
  });
const at = (query: string): void => {
  window.history.replaceState(null, '', `/trading${query}`);
};
const tab = (name: string) => screen.findByRole('tab', { name });

const status = (onramp: 'server' | 'direct') => ({
  mode: 'paper',
  venue: 'paper',
  quote: 'USDT',
  balances: [],
  linkedAddresses: [],
  links: [],
  onramp,
});
/** What our server answers, by the name of the call. */
const serverSays = (answers: Record<string, unknown>) =>
  vi
    .spyOn(api, 'call')
    .mockImplementation(
      (name: string) =>
        (name in answers
          ? Promise.resolve(answers[name])
          : Promise.reject(new Error(`Not asked for: ${name}`))) as never,
    );

let provider: ProviderServer;
beforeAll(async () => {
  provider = await startProvider();
});
afterAll(async () => {
  await provider.close();
});
beforeEach(() => {
  clearWallet();
  at('');
  connection.online = 'online';
  provider.asked.length = 0;
  provider.answer(() => ({ status: 200, body: {} }));
  serverSays({ walletStatus: status('direct') });
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe("the wallet's parts", () => {
  it('are tabs that the arrows go through, and the one shown is named in the address', async () => {
    at('?keep=1');
    render(<WalletPanel config={config()} />);
    const first = await tab('Wallet');
    expect(first.getAttribute('aria-selected')).toBe('true');
    expect(screen.getByRole('tabpanel').getAttribute('aria-labelledby')).toBe(first.id);
    fireEvent.keyDown(first, { key: 'ArrowRight' });
    await waitFor(() => {
      expect(document.activeElement).toBe(screen.getByRole('tab', { selected: true }));
    });
    const second = screen.getByRole('tab', { selected: true });
    expect(second.textContent).toBe('Fund');
    expect(new URLSearchParams(window.location.search).get('wallet')).toBe('fund');
    expect(new URLSearchParams(window.location.search).get('keep')).toBe('1');
    expect(screen.getAllByRole('tab').filter(({ tabIndex }) => tabIndex === 0)).toEqual([second]);
    fireEvent.keyDown(second, { key: 'End' });
    await waitFor(() => {
      expect(screen.getByRole('tab', { selected: true })).toBe(screen.getAllByRole('tab').at(-1));
    });
    fireEvent.keyDown(screen.getByRole('tab', { selected: true }), { key: 'ArrowRight' });
    await waitFor(() => {
      expect(screen.getByRole('tab', { selected: true })).toBe(first);
    });
  });

  it('open at the one that the address names, and at the wallet itself where it names none of them', async () => {
    at('?wallet=swap');
    render(<WalletPanel config={config()} />);
    expect((await tab('Swap')).getAttribute('aria-selected')).toBe('true');
    cleanup();
    at('?wallet=nonsense');
    render(<WalletPanel config={config()} />);
    expect((await tab('Wallet')).getAttribute('aria-selected')).toBe('true');
  });

  it.each([
    ['fund', 'Buying is not set up', 'VITE_ONCHAINKIT_API_KEY', 'REAL COINS'],
    ['swap', 'Swaps are not set up', 'VITE_ONCHAINKIT_API_KEY', 'REAL COINS'],
    ['checkout', 'Checkout is not set up', 'VITE_WALLET_CHECKOUT_PRODUCT', 'REAL COINS'],
    ['nft', 'No collection is set up', 'VITE_WALLET_NFT_CONTRACT', 'TEST COINS'],
  ])(
    'say what they need where it is missing: %s, and ask nobody',
    async (id, sentence, setting, tag) => {
      at(`?wallet=${id}`);
      render(<WalletPanel config={config()} />);
      const panel = within(await screen.findByRole('tabpanel'));
      await panel.findByText(sentence);
      expect(panel.getByText(setting)).toBeTruthy();
      expect(panel.getByText(tag)).toBeTruthy();
      expect(provider.asked).toEqual([]);
    },
  );

  it.each([
    ['fund', /Prices and payment methods load/],
    ['swap', /A swap needs current prices/],
    ['checkout', /You can pay when you are back online/],
    ['nft', /The token and its price load/],
  ])('say without the server what they wait for: %s', async (id, sentence) => {
    vi.stubEnv('VITE_ONCHAINKIT_API_KEY', 'key');
    vi.stubEnv('VITE_ONCHAINKIT_PROJECT_ID', 'project');
    vi.stubEnv('VITE_WALLET_CHECKOUT_PRODUCT', 'product');
    vi.stubEnv('VITE_WALLET_NFT_CONTRACT', ADDRESS);
    connection.online = 'offline';
    at(`?wallet=${id}`);
    render(<WalletPanel config={config()} />);
    expect((await screen.findByText(sentence)).textContent).toMatch(/^You are offline\./);
    expect(provider.asked).toEqual([]);
  });

  it.each(['fund', 'swap', 'checkout'])(
    'lead to the wallet where none is connected: %s',
    async (id) => {
      vi.stubEnv('VITE_ONCHAINKIT_API_KEY', 'key');
      vi.stubEnv('VITE_ONCHAINKIT_PROJECT_ID', 'project');
      vi.stubEnv('VITE_WALLET_CHECKOUT_PRODUCT', 'product');
      at(`?wallet=${id}`);
      render(<WalletPanel config={config()} />);
      fireEvent.click(await screen.findByRole('button', { name: 'Connect a wallet' }));
      await waitFor(() => {
        expect(screen.getByRole('tab', { selected: true }).textContent).toBe('Wallet');
      });
    },
  );
});

describe('Fund', () => {
  const connected = async () => {
    const wagmi = config();
    at('?wallet=fund');
    render(<WalletPanel config={wagmi} />);
    fireEvent.click(await screen.findByRole('button', { name: 'Connect a wallet' }));
    fireEvent.click(await screen.findByRole('button', { name: /^Connect/ }));
    await waitFor(() => {
      expect(document.querySelector('[data-wallet-status="connected"]')).not.toBeNull();
    });
    fireEvent.click(await tab('Fund'));
  };
  const quote = {
    commandId: 'c',
    purchaseAmount: { value: '0.04', currency: 'ETH' },
    paymentSubtotal: { value: '100', currency: 'USD' },
  };
  const options = {
    paymentCurrencies: [{ id: 'USD', limits: [{ id: 'CARD', min: '5', max: '300' }] }],
    purchaseCurrencies: [],
  };

  it('goes through our server where that has keys: price, ways to pay and a session for the address, and nothing to the provider (R2-31, R7-29)', async () => {
    const call = serverSays({
      walletStatus: status('server'),
      onrampQuote: quote,
      onrampOptions: options,
      onrampSession: { commandId: 'c', token: 'one-use' },
    });
    const opened = { closed: false, close: () => undefined, location: { href: '' } };
    vi.spyOn(window, 'open').mockReturnValue(opened as unknown as Window);
    await connected();
    await screen.findByRole('form', { name: 'Buy ETH' });
    await screen.findByText('Debit card');
    await screen.findByText('≈ —');
    expect(call).toHaveBeenCalledWith('onrampQuote', {
      body: {
        purchaseCurrency: 'ETH',
        purchaseNetwork: 'base',
        paymentCurrency: 'USD',
        paymentAmount: '100',
        paymentMethod: 'CARD',
        country: 'US',
      },
    });
    expect(call).toHaveBeenCalledWith('onrampOptions', { query: { country: 'US' } });
    fireEvent.change(screen.getByLabelText('Amount'), { target: { value: '50' } });
    expect(screen.getByText('≈ 0.02 ETH')).toBeTruthy();
    fireEvent.submit(screen.getByRole('form', { name: 'Buy ETH' }));
    await waitFor(() => {
      expect(opened.location.href).not.toBe('');
    });
    expect(Object.fromEntries(new URL(opened.location.href).searchParams)).toMatchObject({
      sessionToken: 'one-use',
      presetFiatAmount: '50',
      defaultAsset: 'ETH',
      defaultNetwork: 'base',
    });
    expect(opened.location.href).not.toContain('addresses');
    expect(call).toHaveBeenCalledWith('onrampSession', { body: { address: getAddress(ADDRESS) } });
    expect(provider.asked).toEqual([]);
  });

  it('closes the window again where no session can be had, and says that nothing was charged', async () => {
    serverSays({ walletStatus: status('server'), onrampQuote: quote, onrampOptions: options });
    const close = vi.fn();
    vi.spyOn(window, 'open').mockReturnValue({
      closed: false,
      close,
      location: { href: '' },
    } as unknown as Window);
    await connected();
    await screen.findByText('Debit card');
    fireEvent.change(screen.getByLabelText('Amount'), { target: { value: '50' } });
    fireEvent.submit(screen.getByRole('form', { name: 'Buy ETH' }));
    expect((await screen.findByRole('alert')).textContent).toContain('Nothing was charged.');
    expect(close).toHaveBeenCalledTimes(1);
  });
});

describe('a part whose download fails', () => {
  it('is no failure of its own, is not reported, and can be asked for again', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    setOnchainKitConfig({ config: { analytics: true } });
    const Missing = () => {
      throw new PanelMissing(new TypeError('Failed to fetch dynamically imported module'));
    };
    const again = vi.fn();
    render(
      <PanelBoundary part="swap" onMissing={again}>
        <Missing />
      </PanelBoundary>,
    );
    expect(screen.getByRole('alert').textContent).toContain('could not be loaded');
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(again).toHaveBeenCalledTimes(1);
    expect(provider.asked).toEqual([]);
  });
});

describe('a part that fails', () => {
  const Broken = ({ broken }: { broken: { now: boolean } }) => {
    if (broken.now) throw new Error('Something in it broke');
    return <p>Whole</p>;
  };

  it("says so in the kit's words, leaves the rest alone and can be tried again; the failure is reported where reports are on (R8-33, R7-32)", async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    setOnchainKitConfig({ config: { analytics: true }, apiKey: 'key', sessionId: 'session' });
    const broken = { now: true };
    render(
      <>
        <p>Beside it</p>
        <PanelBoundary part="swap">
          <Broken broken={broken} />
        </PanelBoundary>
      </>,
    );
    expect(screen.getByText('Sorry, we had an unhandled error')).toBeTruthy();
    expect(screen.getByText('Beside it')).toBeTruthy();
    await waitFor(() => {
      expect(provider.asked).toHaveLength(1);
    });
    expect(provider.asked[0]).toMatchObject({
      method: 'POST',
      path: '/api.developer.coinbase.com/analytics',
      body: {
        eventType: 'componentError',
        apiKey: 'key',
        sessionId: 'session',
        origin: window.location.origin,
        data: { component: 'swap', error: 'Something in it broke' },
      },
    });
    broken.now = false;
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(screen.getByText('Whole')).toBeTruthy();
  });

  it('outside the parts falls to the kit itself, in the same words, with the same report (R8-33, R7-32)', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    render(
      <OnchainKitProvider
        chain={baseSepolia}
        analytics
        config={{ analyticsUrl: 'https://api.developer.coinbase.com/own' }}
      >
        <Broken broken={{ now: true }} />
      </OnchainKitProvider>,
    );
    expect(await screen.findByText('Sorry, we had an unhandled error')).toBeTruthy();
    await waitFor(() => {
      expect(
        provider.asked.map(({ body, path }) => [path, (body as { eventType: string }).eventType]),
      ).toEqual([['/api.developer.coinbase.com/own', 'componentError']]);
    });
  });
});

describe("the wallet's reports", () => {
  it("are one POST each, in the kit's form, to its address or the one that is set (R7-32, R3-16)", async () => {
    document.title = 'Trading · Tradewind';
    setOnchainKitConfig({
      config: { analytics: true, analyticsUrl: 'https://api.developer.coinbase.com/elsewhere' },
      apiKey: null,
      sessionId: 'session',
    });
    const before = Date.now();
    reportWallet('fundInitiated', { currency: 'USD' });
    await waitFor(() => {
      expect(provider.asked).toHaveLength(1);
    });
    const [asked] = provider.asked;
    expect(asked).toMatchObject({
      method: 'POST',
      path: '/api.developer.coinbase.com/elsewhere',
      headers: {
        'content-type': 'application/json',
        'onchainkit-version': '0.38.13',
        'onchainkit-app-name': 'Trading · Tradewind',
      },
    });
    const body = asked?.body as { timestamp: number };
    expect(body).toEqual({
      apiKey: 'undefined',
      sessionId: 'session',
      timestamp: body.timestamp,
      eventType: 'fundInitiated',
      data: { currency: 'USD' },
      origin: window.location.origin,
    });
    expect(body.timestamp).toBeGreaterThanOrEqual(before);
  });

  it("are none unless the build turns them on, and one that fails is nobody's trouble (R7-32)", async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    setOnchainKitConfig({ config: { analytics: false } });
    reportWallet('fundInitiated', {});
    provider.answer(() => 'reset');
    setOnchainKitConfig({ config: { analytics: true } });
    reportWallet('fundSuccess', {});
    await waitFor(() => {
      expect(provider.asked.map(({ body }) => (body as { eventType: string }).eventType)).toEqual([
        'fundSuccess',
      ]);
    });
    provider.answer(() => ({ status: 500 }));
    reportWallet('fundFailure', {});
    await waitFor(() => {
      expect(provider.asked).toHaveLength(2);
    });
    expect(unhandled).not.toHaveBeenCalled();
    process.off('unhandledRejection', unhandled);
  });
});
