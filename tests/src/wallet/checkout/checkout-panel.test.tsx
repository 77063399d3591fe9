// @vitest-environment jsdom
/**
 * Checkout with a smart wallet connected, against a payment provider of recorded shapes on this
 * machine.
 */
import '../../../support/page-world.ts';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { getOnchainKitConfig } from '@coinbase/onchainkit';
import { createConfig, createConnector, createStorage, http, mock } from 'wagmi';
import { base, baseSepolia } from 'wagmi/chains';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { connection } from '../../../../src/stores/connection.ts';
import { startProvider, type ProviderServer } from '../../../support/provider-server.ts';

const { default: WalletPanel } = await import('../../../../src/wallet/WalletRoot.tsx');

const ADDRESS = '0x00000000000000000000000000000000000000aB';
/** A wallet in the test under the name of the smart one, or its own. */
const config = (id: string) =>
  createConfig({
    chains: [base, baseSepolia],
    connectors: [createConnector((given) => ({ ...mock({ accounts: [ADDRESS] })(given), id }))],
    storage: createStorage({
      key: 'checkout',
      storage: { getItem: () => null, setItem: () => undefined, removeItem: () => undefined },
    }),
    transports: {
      [base.id]: http('http://127.0.0.1:9', { retryCount: 0 }),
      [baseSepolia.id]: http('http://127.0.0.1:9', { retryCount: 0 }),
    },
  });

let provider: ProviderServer;
beforeAll(async () => {
  provider = await startProvider();
});
afterAll(async () => {
  await provider.close();
});
beforeEach(() => {
  connection.online = 'online';
  provider.asked.length = 0;
  provider.answer(() => ({
    status: 200,
    body: { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'unknown charge' } },
  }));
  vi.stubEnv('VITE_ONCHAINKIT_API_KEY', 'client-key');
  window.history.replaceState(null, '', '/trading?wallet=account');
});
afterEach(() => {
  cleanup();
  vi.unstubAllEnvs();
});

const open = async (id: string): Promise<void> => {
  render(<WalletPanel config={config(id)} />);
  fireEvent.click(await screen.findByRole('button', { name: 'Connect wallet' }));
  await waitFor(() => {
    expect(document.querySelector('[data-wallet-status="connected"]')).not.toBeNull();
  });
  fireEvent.click(await screen.findByRole('tab', { name: 'Checkout' }));
};
const calls = () =>
  provider.asked.map(({ body, path }) => [
    path,
    (body as { method?: string }).method,
    (body as { params?: unknown[] }).params?.[0],
  ]);

describe('Checkout', () => {
  it('asks the provider, on Base and by the key, for a charge of the product that is set (R1-06, R3-15)', async () => {
    vi.stubEnv('VITE_WALLET_CHECKOUT_PRODUCT', 'product');
    await open('coinbaseWalletSDK');
    await screen.findByRole('button', { name: 'Pay in USDC' });
    await waitFor(() => {
      expect(calls()).toEqual([
        [
          '/api.developer.coinbase.com/rpc/v1/base/client-key',
          'cdp_createProductCharge',
          {
            sender: expect.stringMatching(new RegExp(ADDRESS, 'i')) as unknown,
            productId: 'product',
          },
        ],
      ]);
    });
    // What cannot be prepared is said, and nothing is paid.
    await screen.findByText('Something went wrong. Please try again.');
    expect(screen.getByRole('link', { name: 'Plans and cards' }).getAttribute('href')).toBe(
      '/subscription',
    );
    fireEvent.click(screen.getByRole('tab', { name: 'Wallet' }));
    await waitFor(() => {
      expect(getOnchainKitConfig('chain').id).toBe(baseSepolia.id);
    });
  });

  it('asks for the one charge where that is set instead', async () => {
    vi.stubEnv('VITE_WALLET_CHECKOUT_CHARGE', 'charge');
    await open('coinbaseWalletSDK');
    await waitFor(() => {
      expect(
        calls().map(([, method, given]) => [method, (given as { chargeId?: string }).chargeId]),
      ).toEqual([['cdp_hydrateCharge', 'charge']]);
    });
  });

  it('takes a smart wallet alone, and makes none of its own', async () => {
    vi.stubEnv('VITE_WALLET_CHECKOUT_PRODUCT', 'product');
    await open('rabby');
    await screen.findByText(
      'This checkout works only with a smart wallet. You have connected another kind.',
    );
    expect(screen.queryByRole('button', { name: 'Pay in USDC' })).toBeNull();
    expect(provider.asked).toEqual([]);
  });
});
