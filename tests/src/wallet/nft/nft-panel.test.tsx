// @vitest-environment jsdom
/** The collection's cards: a running mint lives in one of them, so they stay once they are there. */
import '../../../support/page-world.ts';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { switchChain } from 'wagmi/actions';
import { base, baseSepolia } from 'wagmi/chains';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { connection } from '../../../../src/stores/connection.ts';
import {
  CARD_ADDRESS,
  cardConfig,
  cardWallet,
  startCardNode,
  type CardNode,
} from '../../../support/card-wallet.ts';
import { startProvider, type ProviderServer } from '../../../support/provider-server.ts';

const { default: WalletPanel } = await import('../../../../src/wallet/WalletRoot.tsx');

let provider: ProviderServer;
let node: CardNode;
beforeAll(async () => {
  [provider, node] = await Promise.all([startProvider(), startCardNode()]);
  provider.answer(() => 'hang');
});
afterAll(async () => {
  await Promise.all([provider.close(), node.close()]);
});
afterEach(() => {
  cleanup();
  vi.unstubAllEnvs();
});

it('keeps its cards without the server and on another chain, and mints nothing there', async () => {
  vi.stubEnv('VITE_ONCHAINKIT_API_KEY', 'client-key');
  vi.stubEnv('VITE_WALLET_NFT_CONTRACT', CARD_ADDRESS);
  connection.online = 'online';
  const config = cardConfig(cardWallet(), { node: node.url, chain: baseSepolia.id });
  window.history.replaceState(null, '', '/trading?wallet=account');
  render(<WalletPanel config={config} />);
  fireEvent.click(await screen.findByRole('button', { name: 'Connect wallet' }));
  await waitFor(() => {
    expect(document.querySelector('[data-wallet-status="connected"]')).not.toBeNull();
  });
  fireEvent.click(await screen.findByRole('tab', { name: 'NFT' }));
  const card = await screen.findByTestId('ockNFTMintCard_Container');
  const forbidden = (): boolean => card.closest('fieldset')?.disabled === true;
  expect(forbidden()).toBe(false);
  connection.online = 'offline';
  await screen.findByText(/^You are offline\. The token/);
  expect([card.isConnected, forbidden()]).toEqual([true, true]);
  connection.online = 'online';
  await waitFor(() => {
    expect(forbidden()).toBe(false);
  });
  await switchChain(config, { chainId: base.id });
  await screen.findByText('This works on Base Sepolia. Your wallet is on Base.');
  expect([card.isConnected, forbidden()]).toEqual([true, true]);
});
