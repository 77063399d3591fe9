// @vitest-environment jsdom
/** A payment by the checkout's card: that it is not forgotten, and what is said of its outcome. */
import '../../../support/page-world.ts';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import type { Config } from 'wagmi';
import { switchChain } from 'wagmi/actions';
import { baseSepolia } from 'wagmi/chains';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { forgetPerson, writeLastUser } from '../../../../src/identity/last-user.ts';
import { session } from '../../../../src/identity/session.ts';
import { connection } from '../../../../src/stores/connection.ts';
import {
  CHARGE,
  cardConfig,
  cardWallet,
  operation,
  startCardServers,
  type CardServers,
  type CardWallet,
  givenUp,
} from '../../../support/card-wallet.ts';

const { default: WalletPanel } = await import('../../../../src/wallet/WalletRoot.tsx');

let servers: CardServers;
let wallet: CardWallet;
let config: Config;
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
  servers.forget();
  servers.provider.answer(() => ({ status: 200, body: { jsonrpc: '2.0', id: 1, result: CHARGE } }));
  vi.stubEnv('VITE_ONCHAINKIT_API_KEY', 'client-key');
  vi.stubEnv('VITE_WALLET_CHECKOUT_PRODUCT', 'product');
  window.history.replaceState(null, '', '/trading?wallet=account');
});
afterEach(() => {
  cleanup();
  vi.unstubAllEnvs();
});

const show = async (name: string): Promise<void> => {
  fireEvent.click(await screen.findByRole('tab', { name }));
};
/** What had been asked for before the present card was opened. */
let before = { charges: 0, abilities: 0 };
const open = async (chain?: number, path = ''): Promise<void> => {
  before = { charges: charges(), abilities: abilities() };
  const where = chain === undefined ? {} : { chain };
  window.history.replaceState(null, '', '/trading?wallet=account');
  config = cardConfig(wallet, { node: `${servers.node.url}${path}`, ...where });
  render(<WalletPanel config={config} />);
  fireEvent.click(await screen.findByRole('button', { name: 'Connect wallet' }));
  await waitFor(() => {
    expect(document.querySelector('[data-wallet-status="connected"]')).not.toBeNull();
  });
  await show('Checkout');
};
const charges = (): number =>
  servers.provider.asked.filter(
    ({ body }) => (body as { method?: string }).method === 'cdp_createProductCharge',
  ).length;
const askedFor = (what: string): number => wallet.asked.filter((method) => method === what).length;
const abilities = (): number => askedFor('wallet_getCapabilities');
const sends = (): number => askedFor('wallet_sendCalls');
const payButton = () => screen.findByRole<HTMLButtonElement>('button', { name: 'Pay in USDC' });
const pay = async (): Promise<void> => {
  const button = await payButton();
  await waitFor(() => {
    expect(charges()).toBeGreaterThan(before.charges);
    expect(button.disabled).toBe(false);
  });
  // The kit takes the wallet for a smart one once it has told what it can do.
  await waitFor(() => {
    expect(abilities()).toBeGreaterThan(before.abilities);
  });
  const sent = sends();
  fireEvent.click(button);
  await waitFor(() => {
    expect(sends()).toBe(sent + 1);
  });
};
const BEGUN = /^A payment was begun at .+\. Check your wallet’s history before you pay again\.$/;
/** Pays, and comes back to the card while the wallet still asks. */
const payAndLeave = async (): Promise<void> => {
  await pay();
  await screen.findByText('Payment in progress...');
  await show('Fund');
  await show('Checkout');
};
const dismiss = async (): Promise<void> => {
  fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
  await waitFor(() => {
    expect(screen.queryByText(BEGUN)).toBeNull();
  });
};

describe('A running payment', () => {
  it('outlasts a moment without the server, and makes no second charge', async () => {
    await open();
    await pay();
    await screen.findByText('Payment in progress...');
    connection.online = 'offline';
    await screen.findByText('You are offline. You can pay when you are back online.');
    expect(screen.getByText('Payment in progress...')).toBeTruthy();
    connection.online = 'online';
    await waitFor(() => {
      expect(screen.queryByText(/^You are offline/)).toBeNull();
    });
    expect(screen.getByText('Payment in progress...')).toBeTruthy();
    expect(charges()).toBe(1);
    expect(screen.queryByText(BEGUN)).toBeNull();
  });

  it('is not begun without the server', async () => {
    await open();
    const button = await payButton();
    await waitFor(() => {
      expect([charges(), button.disabled]).toEqual([1, false]);
    });
    connection.online = 'offline';
    await screen.findByText(/^You are offline/);
    expect((await payButton()).disabled).toBe(true);
  });

  it('is still known of after a change of tab and a reload, until it is dismissed', async () => {
    await open();
    await payAndLeave();
    await screen.findByText(BEGUN);
    cleanup();
    await open();
    await screen.findByText(BEGUN);
    await dismiss();
    cleanup();
    await open();
    await payButton();
    expect(screen.queryByText(BEGUN)).toBeNull();
  });

  it('is known of as long as the page lives where the device keeps nothing', async () => {
    localStorage.setItem('tradewind.keepSnapshots', 'false');
    await open();
    await payAndLeave();
    await screen.findByText(BEGUN);
    expect(Object.keys(localStorage).join()).not.toContain('tradewind.walletPayments');
    await dismiss();
  });

  it('is forgotten once it has succeeded, or was declined', async () => {
    let decline: (error: unknown) => void = () => undefined;
    wallet.answers['wallet_sendCalls'] = () =>
      new Promise((_resolve, reject) => {
        decline = reject;
      });
    await open();
    await pay();
    await screen.findByText('Payment in progress...');
    decline(Object.assign(new Error('User denied transaction signature.'), { code: 4001 }));
    await screen.findByText('Request denied.');
    await show('Fund');
    await show('Checkout');
    await payButton();
    expect(screen.queryByText(BEGUN)).toBeNull();
    wallet.answers['wallet_sendCalls'] = () => ({ id: '0x1' });
    servers.node.logs.push(operation(true));
    await pay();
    await screen.findByText('Payment successful!');
    await show('Fund');
    await show('Checkout');
    await payButton();
    expect(screen.queryByText(BEGUN)).toBeNull();
  });

  it('noted before swaps and mints were noted too is still one of Checkout alone', async () => {
    const old = { uid: 'ann', begun: [{ id: 'one', at: Date.now() }] };
    localStorage.setItem('tradewind.walletPayments', JSON.stringify(old));
    await open();
    await screen.findByText(BEGUN);
    await show('Swap');
    await screen.findAllByText(/^Balance: /);
    expect(screen.queryByText(/was begun at/)).toBeNull();
  });

  it("is its person's: a log-out removes it, and nobody else sees it", async () => {
    await open();
    await pay();
    await waitFor(() => {
      expect(Object.keys(localStorage).join()).toContain('tradewind.walletPayments');
    });
    cleanup();
    writeLastUser({ uid: 'bob', email: null, lastSignInTime: null });
    Object.assign(session, { user: { uid: 'bob', email: null, metadata: {} } });
    await open();
    await payButton();
    expect(screen.queryByText(BEGUN)).toBeNull();
    forgetPerson('ann');
    expect(Object.keys(localStorage).join()).not.toContain('tradewind.walletPayments');
  });
});

describe('Checkout', () => {
  const ELSEWHERE = 'This works on Base. Your wallet is on Base Sepolia.';

  it('is on Base alone, and asks nobody before', async () => {
    vi.stubEnv('VITE_WALLET_CHECKOUT_PRODUCT', 'elsewhere');
    await open(baseSepolia.id, '/elsewhere');
    await screen.findByText(ELSEWHERE);
    expect(screen.queryByRole('button', { name: 'Pay in USDC' })).toBeNull();
    // What a card of the test before still asks is not this one's.
    const asked = (): string[] =>
      [
        ...servers.node.asked.filter(({ path }) => path === '/elsewhere'),
        ...servers.provider.asked.filter(({ body }) => JSON.stringify(body).includes('elsewhere')),
      ].map(({ body }) => (body as { method: string }).method);
    expect(asked()).not.toContain('eth_call');
    expect(asked()).not.toContain('cdp_createProductCharge');
    fireEvent.click(screen.getByRole('button', { name: 'Switch to Base' }));
    await payButton();
    await waitFor(() => {
      expect(asked()).toContain('cdp_createProductCharge');
    });
    expect(screen.queryByText(ELSEWHERE)).toBeNull();
  });

  it('keeps a running payment where the wallet goes to another chain', async () => {
    await open();
    await pay();
    await screen.findByText('Payment in progress...');
    await switchChain(config, { chainId: baseSepolia.id });
    await screen.findByText(ELSEWHERE);
    expect(screen.getByText('Payment in progress...')).toBeTruthy();
    expect(charges()).toBe(1);
  });

  it('prepares a payment again that could not be prepared', async () => {
    servers.provider.answer(() => ({ status: 503 }));
    await open();
    fireEvent.click(await screen.findByRole('button', { name: 'Try again' }));
    await waitFor(() => {
      expect(charges()).toBe(2);
    });
    servers.provider.answer(() => ({
      status: 200,
      body: { jsonrpc: '2.0', id: 1, result: CHARGE },
    }));
    fireEvent.click(await screen.findByRole('button', { name: 'Try again' }));
    await waitFor(() => {
      expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
    });
    await pay();
    await screen.findByText('Payment in progress...');
    expect(charges()).toBe(3);
  });
});

describe('The outcome of a payment', () => {
  const UNKNOWN =
    'We do not know whether it was paid. Check your wallet’s history before you try again.';
  const FAILED = 'The payment failed. The USDC stayed in your wallet.';
  const answered = async (answer: () => unknown): Promise<void> => {
    wallet.answers['wallet_sendCalls'] = answer;
    await open();
    await pay();
  };
  const refused = (message: string, code?: number) => (): unknown =>
    Promise.reject(Object.assign(new Error(message), code === undefined ? {} : { code }));

  it('is unknown where the window closed before it answered, and is remembered', async () => {
    await answered(refused('Request rejected', 4001));
    await screen.findByText(UNKNOWN);
    expect(screen.queryByText('Request denied.')).toBeNull();
    await show('Fund');
    await show('Checkout');
    await screen.findByText(BEGUN);
  });

  it('is unknown where the answer was lost, until the next try', async () => {
    await answered(refused('Failed to fetch'));
    await screen.findByText(UNKNOWN);
    expect(screen.queryByText('Something went wrong. Please try again.')).toBeNull();
    wallet.answers['wallet_sendCalls'] = () => new Promise(() => undefined);
    await pay();
    await screen.findByText('Payment in progress...');
    expect(screen.queryByText(UNKNOWN)).toBeNull();
    await screen.findByText(BEGUN);
  });

  it('is a plain no where the person declined', async () => {
    await answered(refused('User denied transaction signature.', 4001));
    await screen.findByText('Request denied.');
    expect(screen.queryByText(UNKNOWN)).toBeNull();
  });

  it('is a failure where the bundle succeeded and the operation in it did not', async () => {
    servers.node.logs.push(operation(false));
    await answered(() => ({ id: '0x1' }));
    await screen.findByText(FAILED);
    expect(screen.queryByText('Payment successful!')).toBeNull();
    await show('Fund');
    await show('Checkout');
    await payButton();
    expect(screen.queryByText(BEGUN)).toBeNull();
  });

  it('leaves a card to pay with where the wallet gave the bundle up', async () => {
    wallet.answers['wallet_getCallsStatus'] = givenUp;
    await answered(() => ({ id: '0x1' }));
    await screen.findByText(UNKNOWN);
    const made = charges();
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await waitFor(() => {
      expect(charges()).toBe(made + 1);
    });
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
    wallet.answers['wallet_sendCalls'] = () => new Promise(() => undefined);
    await pay();
    await screen.findByText('Payment in progress...');
  });

  it('is unknown where the bundle does not say, and a success where it does', async () => {
    await answered(() => ({ id: '0x1' }));
    await screen.findByText(UNKNOWN);
    expect(screen.queryByText('Payment successful!')).toBeNull();
    cleanup();
    servers.node.logs.push(operation(true));
    await answered(() => ({ id: '0x1' }));
    await screen.findByText('Payment successful!');
    expect(screen.queryByText(UNKNOWN)).toBeNull();
  });
});
