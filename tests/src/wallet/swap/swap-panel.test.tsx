// @vitest-environment jsdom
/** The swap's card: that it stays, what forbids a swap, and what is said of its outcome. */
import '../../../support/page-world.ts';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { baseSepolia } from 'wagmi/chains';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { writeLastUser } from '../../../../src/identity/last-user.ts';
import { session } from '../../../../src/identity/session.ts';
import { connection } from '../../../../src/stores/connection.ts';
import { staysUntilDismissed } from '../../../support/begun-note.ts';
import {
  cardConfig,
  cardWallet,
  operation,
  startCardServers,
  type CardServers,
  type CardWallet,
  givenUp,
} from '../../../support/card-wallet.ts';

const { default: WalletPanel } = await import('../../../../src/wallet/WalletRoot.tsx');

const ETHER = { address: '', chainId: 8453, decimals: 18, name: 'Ether', symbol: 'ETH' };
const USDC = { address: '0x1', chainId: 8453, decimals: 6, name: 'USD Coin', symbol: 'USDC' };
const QUOTE = {
  amountReference: 'from',
  from: ETHER,
  to: USDC,
  fromAmount: '100000000000000000',
  toAmount: '300120000',
  fromAmountUSD: '300',
  toAmountUSD: '300',
};

const TRADE = {
  chainId: '8453',
  fee: {},
  quote: QUOTE,
  tx: { data: '0x', gas: '1', to: `0x${'5'.repeat(40)}`, value: '1' },
};

let servers: CardServers;
let wallet: CardWallet;
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
  servers.provider.answer(({ body }) => ({
    status: 200,
    body: {
      jsonrpc: '2.0',
      id: 1,
      result: (body as { method: string }).method === 'cdp_getSwapTrade' ? TRADE : QUOTE,
    },
  }));
  vi.stubEnv('VITE_ONCHAINKIT_API_KEY', 'client-key');
});
afterEach(() => {
  vi.useRealTimers();
  cleanup();
  vi.unstubAllEnvs();
});

const show = async (name: string): Promise<void> => {
  fireEvent.click(await screen.findByRole('tab', { name }));
};
const open = async (chain?: number): Promise<void> => {
  const where = chain === undefined ? {} : { chain };
  window.history.replaceState(null, '', '/trading?wallet=account');
  render(<WalletPanel config={cardConfig(wallet, { node: servers.node.url, ...where })} />);
  fireEvent.click(await screen.findByRole('button', { name: 'Connect wallet' }));
  await waitFor(() => {
    expect(document.querySelector('[data-wallet-status="connected"]')).not.toBeNull();
  });
  await show('Swap');
};
const amounts = () => screen.findAllByPlaceholderText<HTMLInputElement>('0.0');
const swapButton = (): HTMLButtonElement => screen.getByTestId('ockSwapButton_Button');
/** Types an amount and waits for its price. */
const price = async (): Promise<void> => {
  // Its tokens are there with their balances: an amount typed before has no price.
  await screen.findAllByText(/^Balance: /);
  const [from] = await amounts();
  if (from === undefined) throw new Error('No amount can be typed');
  fireEvent.change(from, { target: { value: '0.1' } });
  await waitFor(async () => {
    expect((await amounts())[1]?.value).toBe('300.12');
  });
};
/** Longer than an answer takes from the provider to the card. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 300));
/** Holds back every swap that is prepared from now on; the release of each, by its turn. */
const holdTrades = (): (() => void)[] => {
  const releases: (() => void)[] = [];
  servers.provider.answer(async () => {
    await new Promise<void>((resolve) => {
      releases.push(resolve);
    });
    return { status: 200, body: { jsonrpc: '2.0', id: 1, result: TRADE } };
  });
  return releases;
};

it('keeps its card without the server, and begins nothing there', async () => {
  await open();
  await price();
  await waitFor(() => {
    expect(swapButton().disabled).toBe(false);
  });
  connection.online = 'offline';
  await screen.findByText(/^You are offline\. A swap needs/);
  expect(swapButton().disabled).toBe(true);
  connection.online = 'online';
  await waitFor(() => {
    expect(swapButton().disabled).toBe(false);
  });
  expect((await amounts())[1]?.value).toBe('300.12');
});

it('has prices on another chain too, says whose balances it shows, and swaps only on Base', async () => {
  await open(baseSepolia.id);
  await price();
  await screen.findByText('This works on Base. Your wallet is on Base Sepolia.');
  await screen.findByText('The balances below are those on Base Sepolia.');
  expect(swapButton().disabled).toBe(true);
  fireEvent.click(screen.getByRole('button', { name: 'Switch to Base' }));
  await waitFor(() => {
    expect(swapButton().disabled).toBe(false);
  });
  expect(screen.queryByText(/^The balances below/)).toBeNull();
  expect((await amounts())[1]?.value).toBe('300.12');
});

const UNKNOWN =
  'We do not know whether it was swapped. Check your wallet’s history before you try again.';
const swap = async (answer: () => unknown): Promise<void> => {
  wallet.answers['wallet_sendCalls'] = answer;
  await open();
  await price();
  await waitFor(() => {
    expect(wallet.asked).toContain('wallet_getCapabilities');
    expect(swapButton().disabled).toBe(false);
  });
  fireEvent.click(swapButton());
};
/** Swaps, and holds back the wallet's answer: its release. */
const heldSwap = async (): Promise<(bundle: unknown) => void> => {
  let answer: (bundle: unknown) => void = () => undefined;
  await swap(
    () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  );
  await waitFor(() => {
    expect(wallet.asked).toContain('wallet_sendCalls');
  });
  return answer;
};

it('says of a swap whose answer was lost that its outcome is unknown, and of a decline nothing more', async () => {
  await swap(() => Promise.reject(Object.assign(new Error('Request rejected'), { code: 4001 })));
  await screen.findByText(UNKNOWN);
  cleanup();
  await swap(() => Promise.reject(Object.assign(new Error('User denied it.'), { code: 4001 })));
  await screen.findByText('Request denied.');
  expect(screen.queryByText(UNKNOWN)).toBeNull();
});

it('says of a swap that failed inside a bundle that it failed', async () => {
  servers.node.logs.push(operation(false));
  await swap(() => ({ id: '0x1' }));
  await screen.findByText('The swap failed. Your coins stayed in your wallet.');
});

it('leaves a card to swap with where the wallet gave the bundle up', async () => {
  wallet.answers['wallet_getCallsStatus'] = givenUp;
  await swap(() => ({ id: '0x1' }));
  await screen.findByText(UNKNOWN);
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
  await price();
  await waitFor(() => {
    expect(swapButton().disabled).toBe(false);
  });
});

describe('A running swap', () => {
  /** Another amount, until its price has been asked for and all of it is drawn. */
  const typeAnother = async (): Promise<void> => {
    const before = servers.provider.asked.length;
    const [from] = await amounts();
    fireEvent.change(from as HTMLInputElement, { target: { value: '0.2' } });
    await waitFor(() => {
      expect(servers.provider.asked.length).toBeGreaterThan(before);
    });
    await settled();
  };
  const BEGUN = /^A swap was begun at .+\. Check your wallet’s history before you swap again\.$/;

  it('is still known of after a change of tab and a reload, until it is dismissed', async () => {
    await swap(() => new Promise(() => undefined));
    await waitFor(() => {
      expect(wallet.asked).toContain('wallet_sendCalls');
    });
    await staysUntilDismissed(BEGUN, 'Swap', { show, open });
  });

  it('is forgotten once it has an end, and remembered where that is unknown', async () => {
    servers.node.logs.push(operation(false));
    await swap(() => ({ id: '0x1' }));
    await screen.findByText('The swap failed. Your coins stayed in your wallet.');
    await show('Checkout');
    await show('Swap');
    await amounts();
    expect(screen.queryByText(BEGUN)).toBeNull();
    cleanup();
    await swap(() => Promise.reject(Object.assign(new Error('Request rejected'), { code: 4001 })));
    await screen.findByText(UNKNOWN);
    cleanup();
    await open();
    expect(await screen.findAllByText(BEGUN)).toHaveLength(1);
  });

  it('is asked of the wallet once, however often it is pressed before it is prepared', async () => {
    await open();
    await price();
    await waitFor(() => {
      expect(wallet.asked).toContain('wallet_getCapabilities');
    });
    const prepare = holdTrades();
    fireEvent.click(swapButton());
    fireEvent.click(swapButton());
    await waitFor(() => {
      expect(prepare).not.toHaveLength(0);
    });
    const isShut = swapButton().disabled;
    for (const go of prepare) go();
    await waitFor(() => {
      expect(wallet.asked).toContain('wallet_sendCalls');
    });
    await settled();
    expect(wallet.asked.filter((method) => method === 'wallet_sendCalls')).toHaveLength(1);
    expect(isShut).toBe(true);
  });

  it('can be begun again where the provider did not prepare it', async () => {
    await open();
    await price();
    servers.provider.answer(() => ({ status: 503 }));
    fireEvent.click(swapButton());
    expect(swapButton().disabled).toBe(true);
    await waitFor(() => {
      expect(swapButton().disabled).toBe(false);
    });
  });

  it('has no other beside it, whatever is priced meanwhile', async () => {
    await swap(() => new Promise(() => undefined));
    await waitFor(() => {
      expect(wallet.asked).toContain('wallet_sendCalls');
    });
    await typeAnother();
    expect(swapButton().disabled).toBe(true);
  });

  it('comes to its end whatever is typed after the wallet took it', async () => {
    const status = wallet.answers['wallet_getCallsStatus'] as () => Record<string, unknown>;
    wallet.answers['wallet_getCallsStatus'] = () => ({ ...status(), status: 100, receipts: [] });
    servers.node.logs.push(operation(false));
    await swap(() => ({ id: '0x1' }));
    await waitFor(() => {
      expect(wallet.asked).toContain('wallet_getCallsStatus');
    });
    await typeAnother();
    wallet.answers['wallet_getCallsStatus'] = status;
    await screen.findByText('The swap failed. Your coins stayed in your wallet.');
  });

  it('lets nothing be changed in its card until its end', async () => {
    servers.node.logs.push(operation(false));
    const answer = await heldSwap();
    const [from] = await amounts();
    const shut = [from, screen.getByTestId('SwapTokensButton'), swapButton()];
    expect(shut.map((control) => control?.matches(':disabled'))).toEqual([true, true, true]);
    answer({ id: '0x1' });
    await screen.findByText('The swap failed. Your coins stayed in your wallet.');
    expect(screen.getByTestId('SwapTokensButton').matches(':disabled')).toBe(false);
  });

  it('has no end by the error of another price', async () => {
    servers.node.logs.push(operation(false));
    const answer = await heldSwap();
    const quotes = (): number => servers.provider.asked.length;
    const before = quotes();
    servers.provider.answer(() => ({ status: 503 }));
    const [from] = await amounts();
    fireEvent.change(from as HTMLInputElement, { target: { value: '0.2' } });
    await waitFor(() => {
      expect(quotes()).toBeGreaterThan(before);
    });
    await settled();
    expect(screen.queryByText(UNKNOWN)).toBeNull();
    answer({ id: '0x1' });
    await screen.findByText('The swap failed. Your coins stayed in your wallet.');
  });
});

describe('A swap of several steps', () => {
  const COIN = { ...USDC, address: TRADE.tx.to };
  const APPROVED = { ...TRADE, approveTx: TRADE.tx, quote: { ...QUOTE, from: COIN } };
  const sends = (): number =>
    wallet.asked.filter((method) => method === 'eth_sendTransaction').length;

  it('goes on after a change of tab as no request of another card', async () => {
    vi.stubEnv('VITE_WALLET_CHECKOUT_PRODUCT', 'product');
    let release: () => void = () => undefined;
    servers.node.held = () =>
      new Promise<void>((resolve) => {
        release = resolve;
      });
    servers.provider.answer(({ body }) => ({
      status: 200,
      body: {
        jsonrpc: '2.0',
        id: 1,
        result: (body as { method: string }).method === 'cdp_getSwapTrade' ? APPROVED : QUOTE,
      },
    }));
    wallet.answers['wallet_getCapabilities'] = () => ({});
    wallet.answers['eth_sendTransaction'] = () =>
      sends() === 1 ? `0x${'7'.repeat(64)}` : new Promise(() => undefined);
    await swap(() => undefined);
    await waitFor(() => {
      expect(servers.node.asked.map(({ body }) => (body as { method: string }).method)).toContain(
        'eth_getTransactionReceipt',
      );
    });
    await show('Checkout');
    await screen.findByRole('button', { name: 'Pay in USDC' });
    release();
    await waitFor(() => {
      expect(sends()).toBe(2);
    });
    await settled();
    const kept = JSON.parse(localStorage.getItem('tradewind.walletPayments') ?? '{}') as {
      begun?: { kind: string }[];
    };
    expect(kept.begun?.map(({ kind }) => kind)).toEqual(['swap']);
    expect(screen.queryByText('Payment in progress...')).toBeNull();
  });
});

describe('A price', () => {
  const OTHER = 'This price is for another amount. Enter the amount again.';
  /** Holds back every price from now on, each by its amount of ETH; the release of each, by its turn. */
  const holdPrices = (): (() => void)[] => {
    const releases: (() => void)[] = [];
    servers.provider.answer(async ({ body }) => {
      const [{ amount }] = (body as { params: [{ amount: string }] }).params;
      await new Promise<void>((resolve) => {
        releases.push(resolve);
      });
      const toAmount = String((BigInt(amount) * 30_012n) / 10n ** 13n);
      return { status: 200, body: { jsonrpc: '2.0', id: 1, result: { ...QUOTE, toAmount } } };
    });
    return releases;
  };
  const type = async (amount: string): Promise<void> => {
    const [from] = await amounts();
    fireEvent.change(from as HTMLInputElement, { target: { value: amount } });
  };
  /** Until the provider has been asked so often. */
  const asked = async (releases: unknown[], count: number): Promise<void> => {
    await waitFor(() => {
      expect(releases).toHaveLength(count);
    });
  };
  const shows = async (...expected: string[]): Promise<void> => {
    await waitFor(async () => {
      expect((await amounts()).map(({ value }) => value)).toEqual(expected);
    });
  };

  it('is of the amount shown, in whatever order the answers come', async () => {
    await open();
    await price();
    const releases = holdPrices();
    await type('10');
    // What is typed has no price yet.
    expect(swapButton().disabled).toBe(true);
    await asked(releases, 1);
    await type('1');
    await asked(releases, 2);
    releases[0]?.();
    await shows('1', '30012');
    await screen.findByText(OTHER);
    expect(swapButton().disabled).toBe(true);
    releases[1]?.();
    await shows('1', '3001.2');
    await waitFor(() => {
      expect([swapButton().disabled, screen.queryByText(OTHER)]).toEqual([false, null]);
    });

    // The older answer comes last.
    await type('10');
    await asked(releases, 3);
    await type('1');
    await asked(releases, 4);
    releases[3]?.();
    await waitFor(() => {
      expect(swapButton().disabled).toBe(false);
    });
    releases[2]?.();
    await shows('1', '30012');
    await screen.findByText(OTHER);
    expect(swapButton().disabled).toBe(true);
  });

  it('is of the two coins as they stand: turned round with it, and not while it is asked for', async () => {
    await open();
    await price();
    const turn = screen.getByTestId('SwapTokensButton');
    fireEvent.click(turn);
    await shows('300.12', '0.1');
    expect(swapButton().disabled).toBe(false);
    fireEvent.click(turn);
    await shows('0.1', '300.12');
    const releases = holdPrices();
    await type('1');
    await asked(releases, 1);
    fireEvent.click(turn);
    await shows('300.12', '1');
    expect(swapButton().disabled).toBe(true);
    releases[0]?.();
    await shows('300.12', '3001.2');
    await screen.findByText(OTHER);
    expect(swapButton().disabled).toBe(true);
  });
});

it('sells at no price that has stood for a minute', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const OLD = 'This price is a minute old. Enter the amount again.';
  await open();
  await price();
  vi.advanceTimersByTime(55_000);
  expect(swapButton().disabled).toBe(false);
  vi.advanceTimersByTime(6_000);
  await screen.findByText(OLD);
  expect(swapButton().disabled).toBe(true);
  const [from] = await amounts();
  fireEvent.change(from as HTMLInputElement, { target: { value: '0.2' } });
  await waitFor(() => {
    expect(screen.queryByText(OLD)).toBeNull();
    expect(swapButton().disabled).toBe(false);
  });
});
