// @vitest-environment jsdom
/** Fund around its card: what is typed and what is being paid outlast a moment without the server. */
import '../../../support/page-world.ts';
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { api } from '../../../../src/api/api.ts';
import { connection } from '../../../../src/stores/connection.ts';
import { clearWallet } from '../../../../src/stores/wallet-store.ts';
import { cardConfig, cardWallet } from '../../../support/card-wallet.ts';
import { onramp, startProvider, type ProviderServer } from '../../../support/provider-server.ts';

const { default: WalletPanel } = await import('../../../../src/wallet/WalletRoot.tsx');

const STATUS = {
  mode: 'paper',
  venue: 'paper',
  quote: 'USDT',
  balances: [],
  linkedAddresses: [],
  links: [],
  onramp: 'direct',
};

let provider: ProviderServer;
beforeAll(async () => {
  provider = await startProvider();
});
afterAll(async () => {
  await provider.close();
});
beforeEach(() => {
  clearWallet();
  connection.online = 'online';
  provider.answer(onramp());
  vi.stubEnv('VITE_ONCHAINKIT_API_KEY', 'key');
  vi.stubEnv('VITE_ONCHAINKIT_PROJECT_ID', 'project');
  vi.spyOn(api, 'call').mockImplementation(() => Promise.resolve(STATUS) as never);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const show = async (name: string): Promise<void> => {
  fireEvent.click(await screen.findByRole('tab', { name }));
};
const open = async (): Promise<void> => {
  window.history.replaceState(null, '', '/trading?wallet=account');
  render(<WalletPanel config={cardConfig(cardWallet())} />);
  fireEvent.click(await screen.findByRole('button', { name: 'Connect wallet' }));
  await waitFor(() => {
    expect(document.querySelector('[data-wallet-status="connected"]')).not.toBeNull();
  });
  await show('Fund');
};
/** The provider's windows, in the order in which they are opened. */
const opening = () => {
  const windows: { closed: boolean }[] = [];
  const opened = vi.spyOn(window, 'open').mockImplementation(() => {
    const next = { closed: false, close: () => undefined, location: { href: 'about:blank' } };
    windows.push(next);
    return next as unknown as Window;
  });
  return { opened, windows };
};
/** What one of the provider's windows says to the page. */
const says = (source: unknown, eventName: string): void => {
  const message = new MessageEvent('message', {
    origin: 'https://pay.coinbase.com',
    data: JSON.stringify({ eventName: 'event', data: { eventName } }),
  });
  Object.defineProperty(message, 'source', { value: source });
  window.dispatchEvent(message);
};
const amount = () => screen.getByLabelText<HTMLInputElement>('Amount');
const type = async (text: string): Promise<void> => {
  await screen.findByText('Debit card');
  await screen.findByText('≈ —');
  fireEvent.change(amount(), { target: { value: text } });
};
const choose = (coin: string): void => {
  fireEvent.change(screen.getByLabelText('Coin'), { target: { value: coin } });
};
const buy = async (): Promise<void> => {
  fireEvent.click(screen.getByRole('button', { name: 'Buy' }));
  await screen.findByText('Complete the purchase in the other window.');
};

it('keeps a running purchase and what is typed through a moment without the server', async () => {
  const { windows } = opening();
  await open();
  await type('250');
  await buy();
  connection.online = 'offline';
  await screen.findByText(/^You are offline\./);
  connection.online = 'online';
  await waitFor(() => {
    expect(screen.queryByText(/^You are offline\./)).toBeNull();
  });
  expect(amount().value).toBe('250');
  expect(screen.getByText('Complete the purchase in the other window.')).toBeTruthy();
  says(windows[0], 'success');
  await screen.findByText(/^Bought\. The ETH is on its way/);
});

it('changes no coin while one is being paid for', async () => {
  opening();
  await open();
  await type('250');
  await buy();
  expect(screen.getByLabelText<HTMLSelectElement>('Coin').disabled).toBe(true);
});

it('keeps an amount of money where another coin is chosen, and none of the former coin', async () => {
  await open();
  await type('250');
  choose('USDC');
  await screen.findByRole('form', { name: 'Buy USDC' });
  expect(amount().value).toBe('250');
  const other = { name: 'Enter amount in USDC' };
  await waitFor(() => {
    expect(screen.getByRole<HTMLButtonElement>('button', other).disabled).toBe(false);
  });
  fireEvent.click(screen.getByRole('button', other));
  expect(amount().value).not.toBe('');
  choose('ETH');
  await screen.findByRole('form', { name: 'Buy ETH' });
  expect(amount().value).toBe('');
});

it('leaves the window alone in which another purchase may still be paid', async () => {
  const { opened } = opening();
  await open();
  await type('250');
  await buy();
  await show('Send');
  await show('Fund');
  await type('250');
  await buy();
  const targets = opened.mock.calls.map(([, target]) => target);
  expect(targets).toEqual(['_blank', '_blank']);
});

/** Two purchases in two windows, of which the second is the card's. */
const buyTwice = async () => {
  const { windows } = opening();
  await open();
  await type('250');
  await buy();
  says(windows[0], 'exit');
  await screen.findByText(/If you have already paid/);
  await buy();
  return windows;
};
/** Longer than a closed window is left unseen. */
const watched = () => new Promise((resolve) => setTimeout(resolve, 700));

it('hears of a purchase from its own window alone, while an earlier one is still open', async () => {
  const windows = await buyTwice();
  for (const what of ['success', 'error', 'exit']) says(windows[0], what);
  await watched();
  await screen.findByText('Complete the purchase in the other window.');
  says(windows[1], 'success');
  await screen.findByText(/^Bought\. The ETH is on its way/);
});

it('takes the end of an earlier window for none of the present purchase', async () => {
  const windows = await buyTwice();
  const [first, second] = windows;
  if (first === undefined || second === undefined) throw new Error('No two windows were opened');
  first.closed = true;
  await watched();
  await screen.findByText('Complete the purchase in the other window.');
  second.closed = true;
  await screen.findByText(/If you have already paid/);
});

it('tells nothing of the purchase of one coin in the card of another', async () => {
  const { windows } = opening();
  await open();
  await type('250');
  await buy();
  says(windows[0], 'exit');
  await screen.findByText(/If you have already paid/);
  choose('USDC');
  await screen.findByRole('form', { name: 'Buy USDC' });
  says(windows[0], 'success');
  await watched();
  expect(screen.queryByText(/^Bought\./)).toBeNull();
});
