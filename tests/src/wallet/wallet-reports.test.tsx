// @vitest-environment jsdom
/**
 * What the wallet reports of its use where the build turns reports on, and how it is connected as
 * the settings say.
 */
import '../../support/page-world.ts';
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { getOnchainKitConfig, setOnchainKitConfig } from '@coinbase/onchainkit';
import { createConfig, createStorage, http, mock } from 'wagmi';
import { base, baseSepolia } from 'wagmi/chains';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { writeLastUser } from '../../../src/identity/last-user.ts';
import { addSend, changeSend, dropSend, openSends } from '../../../src/wallet/send/sends-store.ts';
import { reportSends } from '../../../src/wallet/wallet-reports.ts';
import { startProvider, type ProviderServer } from '../../support/provider-server.ts';

const { default: WalletPanel } = await import('../../../src/wallet/WalletRoot.tsx');

const ADDRESS = '0x00000000000000000000000000000000000000aB';
const OTHER = '0x00000000000000000000000000000000000000Cd';
const config = (features: Parameters<typeof mock>[0]['features'] = {}) =>
  createConfig({
    chains: [base, baseSepolia],
    connectors: [mock({ accounts: [ADDRESS], features })],
    storage: createStorage({
      key: 'reports',
      storage: { getItem: () => null, setItem: () => undefined, removeItem: () => undefined },
    }),
    transports: {
      [base.id]: http('http://127.0.0.1:9', { retryCount: 0 }),
      [baseSepolia.id]: http('http://127.0.0.1:9', { retryCount: 0 }),
    },
  });
const status = () =>
  document.querySelector('[data-wallet-status]')?.getAttribute('data-wallet-status');

let provider: ProviderServer;
beforeAll(async () => {
  provider = await startProvider();
});
afterAll(async () => {
  await provider.close();
});
beforeEach(() => {
  window.history.replaceState(null, '', '/trading');
  provider.asked.length = 0;
  provider.answer(() => ({ status: 200, body: {} }));
});
afterEach(() => {
  cleanup();
  vi.unstubAllEnvs();
});

/** Everything reported, oldest first. */
const reported = () =>
  provider.asked
    .filter(({ path }) => path.endsWith('/analytics'))
    .map(({ body }) => body as { eventType: string; data: Record<string, unknown> });
const names = () => reported().map(({ eventType }) => eventType);
const connect = async (): Promise<void> => {
  fireEvent.click(await screen.findByRole('button', { name: 'Connect wallet' }));
};

describe("the wallet's reports of what a person does", () => {
  it('tell of a connection, from its request to its end (R7-32)', async () => {
    vi.stubEnv('VITE_ENABLE_ANALYTICS', 'true');
    render(<WalletPanel config={config()} />);
    await connect();
    await waitFor(() => {
      expect(status()).toBe('connected');
    });
    fireEvent.click(screen.getByRole('button', { name: /Disconnect/ }));
    await waitFor(() => {
      expect(names()).toEqual([
        'walletConnectInitiated',
        'walletConnectSuccess',
        'walletDisconnect',
      ]);
    });
    expect(reported()[1]?.data).toEqual({
      address: expect.stringMatching(new RegExp(ADDRESS, 'i')) as unknown,
      walletProvider: 'Mock Connector',
    });
  });

  it("tell a refusal of the person's from a failure (R7-32, R8-35)", async () => {
    vi.stubEnv('VITE_ENABLE_ANALYTICS', 'true');
    const rejected = Object.assign(new Error('User rejected the request.'), {
      name: 'UserRejectedRequestError',
      code: 4001,
    });
    render(<WalletPanel config={config({ connectError: rejected as never })} />);
    await connect();
    await waitFor(() => {
      expect(names()).toEqual(['walletConnectInitiated', 'walletConnectCanceled']);
    });
    cleanup();
    provider.asked.length = 0;
    render(
      <WalletPanel
        config={config({ connectError: new Error('The window did not open') as never })}
      />,
    );
    await connect();
    await waitFor(() => {
      expect(names()).toEqual(['walletConnectInitiated', 'walletConnectError']);
    });
    expect(reported()[1]?.data).toMatchObject({ error: 'The window did not open' });
  });

  it('tell of sends as their record does, and of none that was there before (R7-32)', async () => {
    setOnchainKitConfig({ config: { analytics: true } });
    writeLastUser({ uid: 'ann', email: null, lastSignInTime: null });
    openSends('ann');
    const terms = { chainId: 84_532, from: ADDRESS, to: OTHER, wei: '1' } as const;
    addSend('ann', terms);
    const stop = reportSends();
    const hash = `0x${'1'.repeat(64)}`;
    const done = addSend('ann', terms);
    await waitFor(() => {
      expect(names()).toEqual(['transactionInitiated']);
    });
    changeSend('ann', done, { hash, stage: 'sent' });
    changeSend('ann', done, { stage: 'confirmed' });
    await waitFor(() => {
      expect(names()).toEqual(['transactionInitiated', 'transactionSuccess']);
    });
    expect(reported()[1]?.data).toMatchObject({ transactionHash: hash });
    const refused = addSend('ann', terms);
    await waitFor(() => {
      expect(names()).toHaveLength(3);
    });
    dropSend('ann', refused);
    await waitFor(() => {
      expect(names().at(-1)).toBe('transactionCanceled');
    });
    const reverted = addSend('ann', terms);
    changeSend('ann', reverted, { hash, stage: 'sent' });
    await waitFor(() => {
      expect(names()).toHaveLength(5);
    });
    changeSend('ann', reverted, { stage: 'reverted', reason: 'no' });
    await waitFor(() => {
      expect(names().slice(2)).toEqual([
        'transactionInitiated',
        'transactionCanceled',
        'transactionInitiated',
        'transactionFailure',
      ]);
    });
    stop();
  });

  it('are none where the build does not turn them on (R7-32)', async () => {
    render(<WalletPanel config={config()} />);
    await connect();
    await waitFor(() => {
      expect(status()).toBe('connected');
    });
    fireEvent.click(screen.getByRole('button', { name: /Disconnect/ }));
    await waitFor(() => {
      expect(status()).toBe('disconnected');
    });
    expect(provider.asked).toEqual([]);
  });
});

describe('connecting as the settings say', () => {
  it('is in a window with `modal`, in its place without (R3-17)', async () => {
    vi.stubEnv('VITE_WALLET_DISPLAY', 'modal');
    render(<WalletPanel config={config()} />);
    fireEvent.click(await screen.findByRole('button', { name: 'Choose a wallet' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Connect a wallet' }));
    fireEvent.click(dialog.getByRole('button', { name: /^Connect ?Mock Connector$/ }));
    await waitFor(() => {
      expect(status()).toBe('connected');
    });
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  it("names the maker's terms and privacy policy, its own or those that are set (R3-17, R3-18)", async () => {
    const links = async (): Promise<(string | null)[]> =>
      (
        await Promise.all(
          ['terms of service', 'privacy policy'].map((name) => screen.findByRole('link', { name })),
        )
      ).map((link) => link.getAttribute('href'));
    render(<WalletPanel config={config()} />);
    expect(await links()).toEqual([
      'https://base.org/terms-of-service',
      'https://base.org/privacy-policy',
    ]);
    cleanup();
    vi.stubEnv('VITE_WALLET_TERMS_URL', 'https://x.example.com/t');
    vi.stubEnv('VITE_WALLET_PRIVACY_URL', 'https://x.example.com/p');
    render(<WalletPanel config={config()} />);
    expect(await links()).toEqual(['https://x.example.com/t', 'https://x.example.com/p']);
  });

  it('offers a wallet to who has none, unless that is turned off (R3-17)', async () => {
    render(<WalletPanel />);
    await screen.findByText(/No wallet yet\? Coinbase Wallet makes one as you connect\./);
    cleanup();
    vi.stubEnv('VITE_WALLET_SIGN_UP', 'false');
    render(<WalletPanel />);
    await screen.findByRole('link', { name: 'terms of service' });
    expect(screen.queryByText(/No wallet yet/)).toBeNull();
  });

  it("follows the app's colours unless a theme or light or dark is set (R3-16)", async () => {
    const theme = async (): Promise<string | null | undefined> => {
      render(<WalletPanel config={config()} />);
      await screen.findByRole('tablist');
      const found = getOnchainKitConfig('config')?.appearance?.theme;
      cleanup();
      return found;
    };
    expect(await theme()).toBe('tradewind');
    vi.stubEnv('VITE_WALLET_MODE', 'dark');
    expect(await theme()).toBe('default');
    vi.stubEnv('VITE_WALLET_THEME', 'hacker');
    expect(await theme()).toBe('hacker');
  });
});
