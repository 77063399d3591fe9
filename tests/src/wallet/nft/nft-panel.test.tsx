// @vitest-environment jsdom
/**
 * The collection's cards: a running mint lives in one of them, so they stay once they are there; what
 * a mint is prepared for, and what is said of its outcome.
 */
import '../../../support/page-world.ts';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import type { Config } from 'wagmi';
import { switchChain } from 'wagmi/actions';
import { base, baseSepolia } from 'wagmi/chains';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { writeLastUser } from '../../../../src/identity/last-user.ts';
import { session } from '../../../../src/identity/session.ts';
import { connection } from '../../../../src/stores/connection.ts';
import { staysUntilDismissed } from '../../../support/begun-note.ts';
import {
  CARD_ADDRESS,
  cardConfig,
  cardWallet,
  operation,
  startCardServers,
  type CardServers,
  type CardWallet,
} from '../../../support/card-wallet.ts';

const { default: WalletPanel } = await import('../../../../src/wallet/WalletRoot.tsx');

const SELLER = `0x${'5'.repeat(40)}`;
const MINT = {
  name: 'Base Day One',
  contractType: 'ERC1155',
  price: { amount: '0.01', currency: 'ETH', amountUSD: '30' },
  mintFee: { amount: '0', currency: 'ETH', amountUSD: '0' },
  maxMintsPerWallet: 5,
  isEligibleToMint: true,
  network: '',
};

interface Build {
  quantity: number;
  takerAddress: string;
}

let servers: CardServers;
let wallet: CardWallet;
let config: Config;
/** What a test holds back of a build; by default nothing. */
let held: (build: Build) => Promise<unknown>;
beforeAll(async () => {
  servers = await startCardServers();
});
afterAll(async () => {
  await servers.close();
});
beforeEach(() => {
  localStorage.clear();
  writeLastUser({ uid: 'ann', email: null, lastSignInTime: null });
  Object.assign(session, {
    status: 'signed-in',
    user: { uid: 'ann', email: null, metadata: {} },
  });
  connection.online = 'online';
  wallet = cardWallet();
  wallet.answers['wallet_getCapabilities'] = () => ({
    '0x14a34': { atomicBatch: { supported: true } },
  });
  servers.forget();
  held = () => Promise.resolve();
  servers.provider.answer(async ({ body }) => {
    const { method, params } = body as { method: string; params: [Build] };
    const answer = (result: unknown) => ({ status: 200, body: { jsonrpc: '2.0', id: 1, result } });
    if (method === 'cdp_getMintDetails') return answer(MINT);
    if (method !== 'cdp_mintToken') return 'hang';
    await held(params[0]);
    return answer({
      call_data: { to: SELLER, data: '0x', value: String(params[0].quantity * 1_000) },
    });
  });
  vi.stubEnv('VITE_ONCHAINKIT_API_KEY', 'client-key');
  vi.stubEnv('VITE_WALLET_NFT_CONTRACT', CARD_ADDRESS);
});
afterEach(() => {
  cleanup();
  vi.unstubAllEnvs();
});

const show = async (name: string): Promise<void> => {
  fireEvent.click(await screen.findByRole('tab', { name }));
};
const open = async (): Promise<void> => {
  config = cardConfig(wallet, { node: servers.node.url, chain: baseSepolia.id });
  window.history.replaceState(null, '', '/trading?wallet=account');
  render(<WalletPanel config={config} />);
  fireEvent.click(await screen.findByRole('button', { name: 'Connect wallet' }));
  await waitFor(() => {
    expect(document.querySelector('[data-wallet-status="connected"]')).not.toBeNull();
  });
  await show('NFT');
};
const mintButton = () => screen.findByTestId<HTMLButtonElement>('ockTransactionButton_Button');
/** The button once the present mint is prepared. */
const prepared = async (): Promise<HTMLButtonElement> => {
  const button = await mintButton();
  await waitFor(() => {
    expect([button.textContent, button.disabled]).toEqual(['Mint', false]);
  });
  return button;
};
const builds = (): Build[] =>
  servers.provider.asked
    .map(({ body }) => body as { method: string; params: [Build] })
    .filter(({ method }) => method === 'cdp_mintToken')
    .map(({ params }) => params[0]);
/** Longer than an answer takes from the provider to the card. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 300));

it('keeps its cards without the server and on another chain, and mints nothing there', async () => {
  await open();
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

describe('A mint that is prepared', () => {
  /** Holds back every build from now on; the release of each, by its turn. */
  const holdBuilds = (): (() => void)[] => {
    const releases: (() => void)[] = [];
    held = () =>
      new Promise<void>((resolve) => {
        releases.push(resolve);
      });
    return releases;
  };
  const asked = async (count: number): Promise<void> => {
    await waitFor(() => {
      expect(builds()).toHaveLength(count);
    });
  };

  it('is for the quantity shown, in whatever order the answers come', async () => {
    await open();
    const button = await prepared();
    const releases = holdBuilds();
    fireEvent.click(screen.getByTestId('ockQuantitySelector_increment'));
    await asked(2);
    fireEvent.click(screen.getByTestId('ockQuantitySelector_decrement'));
    await asked(3);
    expect(builds().map(({ quantity }) => quantity)).toEqual([1, 2, 1]);
    releases[0]?.();
    await settled();
    expect(button.disabled).toBe(true);
    releases[1]?.();
    await prepared();

    // The older answer comes last.
    fireEvent.click(screen.getByTestId('ockQuantitySelector_increment'));
    await asked(4);
    fireEvent.click(screen.getByTestId('ockQuantitySelector_decrement'));
    await asked(5);
    releases[3]?.();
    await prepared();
    releases[2]?.();
    await settled();
    let sent: unknown;
    wallet.answers['wallet_sendCalls'] = (params) => {
      sent = params;
      return new Promise(() => undefined);
    };
    fireEvent.click(button);
    await waitFor(() => {
      expect(sent).toMatchObject([{ calls: [{ value: '0x3e8' }] }]);
    });
  });

  it('is for the account that is connected', async () => {
    const releases = holdBuilds();
    await open();
    await asked(1);
    // What the next account may mint is not known yet.
    const other = `0x${'c'.repeat(40)}` as const;
    servers.provider.answer(() => 'hang');
    config.connectors[0]?.onAccountsChanged([other]);
    await settled();
    releases[0]?.();
    await settled();
    expect((await mintButton()).disabled).toBe(true);
  });
});

const mint = async (answer: () => unknown): Promise<void> => {
  const abilities = (): number =>
    wallet.asked.filter((method) => method === 'wallet_getCapabilities').length;
  const before = abilities();
  wallet.answers['wallet_sendCalls'] = answer;
  await open();
  const button = await prepared();
  // The kit takes the wallet for a smart one once it has told what it can do.
  await waitFor(() => {
    expect(abilities()).toBeGreaterThan(before);
  });
  await settled();
  fireEvent.click(button);
};
const refused = (message: string) => () =>
  Promise.reject(Object.assign(new Error(message), { code: 4001 }));
const UNKNOWN =
  'We do not know whether it was minted. Check your wallet’s history before you try again.';
const BEGUN = /^A mint was begun at .+\. Check your wallet’s history before you mint again\.$/;

describe('The outcome of a mint', () => {
  const FAILED = 'The mint failed. Your coins stayed in your wallet.';

  it('is a failure where the bundle succeeded and the operation in it did not', async () => {
    servers.node.logs.push(operation(false));
    await mint(() => ({ id: '0x1' }));
    await screen.findByText(FAILED);
  });

  it('is a success where the operation succeeded, and unknown where the bundle does not say', async () => {
    servers.node.logs.push(operation(true));
    await mint(() => ({ id: '0x1' }));
    await screen.findByText('Successful');
    await settled();
    expect(screen.queryByRole('alert')).toBeNull();
    cleanup();
    servers.node.logs.length = 0;
    await mint(() => ({ id: '0x1' }));
    await screen.findByText(UNKNOWN);
  });

  it('is unknown where the window closed before it answered, and a plain no where the person declined', async () => {
    await mint(refused('Request rejected'));
    await screen.findByText(UNKNOWN);
    cleanup();
    await mint(refused('User denied it.'));
    await screen.findByText('Request denied.');
    await settled();
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('is a failure where the chain reverted it, and unknown where only the wallet says so; either can be tried again', async () => {
    const refusal = (receipts: unknown[]) => () => ({
      atomic: true,
      chainId: '0x14a34',
      id: '0x1',
      status: receipts.length === 0 ? 400 : 500,
      version: '2.0.0',
      receipts,
    });
    servers.node.receipt = { status: '0x0' };
    wallet.answers['wallet_getCallsStatus'] = refusal([
      {
        blockHash: `0x${'8'.repeat(64)}`,
        blockNumber: '0x1',
        gasUsed: '0x1',
        logs: [],
        status: '0x0',
        transactionHash: `0x${'7'.repeat(64)}`,
      },
    ]);
    await mint(() => ({ id: '0x1' }));
    await screen.findByText(FAILED);
    // The kit's card waits on for a success.
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await prepared();
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
    cleanup();
    wallet.answers['wallet_getCallsStatus'] = refusal([]);
    await mint(() => ({ id: '0x1' }));
    await screen.findByText(UNKNOWN);
  });

  it("is a failure where the chain reverted a browser wallet's transaction", async () => {
    wallet.answers['wallet_getCapabilities'] = () => ({});
    wallet.answers['eth_sendTransaction'] = () => `0x${'7'.repeat(64)}`;
    servers.node.receipt = { status: '0x0', from: CARD_ADDRESS };
    await mint(() => undefined);
    await screen.findByText(FAILED);
  });
});

describe('A running mint', () => {
  it('is still known of after a change of tab and a reload, until it is dismissed', async () => {
    await mint(() => new Promise(() => undefined));
    await screen.findByText('Confirm in wallet.');
    await staysUntilDismissed(BEGUN, 'NFT', { show, open });
  });

  it('is forgotten once it has an end, and remembered where that is unknown', async () => {
    servers.node.logs.push(operation(true));
    await mint(() => ({ id: '0x1' }));
    await waitFor(() => {
      expect(wallet.asked).toContain('wallet_sendCalls');
      expect(localStorage.getItem('tradewind.walletPayments')).toBeNull();
    });
    cleanup();
    await mint(refused('Request rejected'));
    await screen.findByText(UNKNOWN);
    cleanup();
    await open();
    expect(await screen.findAllByText(BEGUN)).toHaveLength(1);
  });

  it('keeps its card where the collection cannot be read again, and tells of a mint that succeeded', async () => {
    let answer: (bundle: unknown) => void = () => undefined;
    servers.node.logs.push(operation(true));
    await mint(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    await screen.findByText('Confirm in wallet.');
    const card = screen.getByTestId('ockNFTMintCard_Container');
    servers.provider.answer(() => ({ status: 503 }));
    config.connectors[0]?.onAccountsChanged([`0x${'c'.repeat(40)}`]);
    await settled();
    await settled();
    expect(card.isConnected).toBe(true);
    expect(screen.queryByText('Minted.')).toBeNull();
    answer({ id: '0x1' });
    await screen.findByText('Minted.');
    expect(screen.getAllByText('The token could not be loaded from the provider.')).not.toEqual([]);
  });
});
