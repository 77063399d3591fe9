// @vitest-environment happy-dom
/**
 * What the server holds of a wallet, on the trading screen: without wallet code, with its age, and
 * kept where the server is away.
 */
import '../../../support/page-world.ts';
import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Portfolio } from '../../../../contract/trading.ts';
import type { WalletStatus as Status } from '../../../../contract/wallet.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));
const { ApiError } = await import('../../../../src/api/api-error.ts');
const { formatDate } = await import('../../../../src/format/times.ts');
const { connection } = await import('../../../../src/stores/connection.ts');
const { portfolioStore } = await import('../../../../src/stores/portfolio-store.ts');
const { applyWallet, clearWallet, walletChanged, walletStore } =
  await import('../../../../src/stores/wallet-store.ts');
const { WalletScreen } = await import('../../../../src/screens/trading/TradingScreen.tsx');
const { WalletStatus } = await import('../../../../src/screens/trading/WalletStatus.tsx');

const BOX = {
  id: 'l1',
  address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  chainId: 8_453,
  label: 'Cold box',
  proof: 'key' as const,
  linkedAt: Date.UTC(2026, 2, 4, 12),
};
const SMART = {
  ...BOX,
  id: 'l2',
  address: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
  chainId: 84_532,
  label: 'Smart wallet',
  proof: 'contract' as const,
};
const status = (change: Partial<Status> = {}): Status => ({
  mode: 'paper',
  venue: 'Paper account on Recorded prices',
  quote: 'USDT',
  linkedAddresses: [],
  links: [],
  onramp: 'direct',
  servedAt: 1_000,
  balances: [
    { asset: 'USDT', available: '9007.44', reserved: '0' },
    { asset: 'ETH', available: '0', reserved: '0.4' },
  ],
  ...change,
});
const MESSAGE = 'Unable to retrieve wallet data - backend unavailable';
const unavailable = () =>
  new ApiError(MESSAGE, { code: 'wallet_unavailable', status: 503, text: MESSAGE });
const part = (name: string) => screen.getByRole('region', { name });
const rows = () =>
  within(screen.getByRole('table', { name: 'Balances' }))
    .getAllByRole('row')
    .slice(1)
    .map((row) =>
      within(row)
        .getAllByRole('cell')
        .map((cell) => cell.textContent),
    );

beforeEach(() => {
  call.mockReset();
  connection.online = 'online';
});
afterEach(() => {
  cleanup();
  clearWallet();
  portfolioStore.data = null;
});

describe('the wallet screen', () => {
  it('says what is so for everybody, whether or not they have agents with real money', () => {
    call.mockResolvedValue(status());
    render(<WalletScreen />);
    expect(screen.getByText('Agents cannot spend from your wallet.')).toBeTruthy();
    expect(screen.queryByText(/paper money/)).toBeNull();
  });
});

describe('the trading account', () => {
  it('says the venue, that it is paper, and what can be spent and what positions hold (R7-23)', async () => {
    call.mockResolvedValue(status());
    render(<WalletStatus />);
    expect(await screen.findByText(/Paper account on Recorded prices/)).toBeTruthy();
    expect(within(part('Trading account')).getByText('PAPER')).toBeTruthy();
    expect(rows()).toEqual([
      ['9,007.44', '0.00'],
      ['0', '0.4'],
    ]);
    expect(part('Linked addresses').textContent).toMatch(
      /None\. Link an address in the wallet below to show that it is yours\. Agents cannot spend from it\.$/,
    );
    expect(call).toHaveBeenCalledExactlyOnceWith('walletStatus', {});
  });

  it('lists what is linked, with chain and day, and the whole address for who looks closer (R7-23)', async () => {
    call.mockResolvedValue(status({ links: [BOX, SMART] }));
    render(<WalletStatus />);
    const items = (await screen.findAllByRole('listitem')).map((item) => item.textContent);
    expect(items).toEqual([
      `Cold boxBase${BOX.address}0x7099…79C8 since ${formatDate(BOX.linkedAt)}Unlink`,
      `Smart walletBase Sepolia, test${SMART.address}0x3C44…93BC since ${formatDate(BOX.linkedAt)}Unlink`,
    ]);
    expect(screen.getByRole('button', { name: 'Unlink Smart wallet, 0x3C44…93BC' })).toBeTruthy();
    expect(part('Linked addresses').textContent).toContain('2 of 10');
  });

  it("says in the catalogue's words that it cannot be had, and claims nothing (R8-18)", async () => {
    call.mockRejectedValue(unavailable());
    render(<WalletStatus />);
    expect(await screen.findByText(MESSAGE)).toBeTruthy();
    expect(screen.getAllByText('— Not loaded yet.')).toHaveLength(2);
    call.mockResolvedValue(status());
    act(() => {
      screen.getByRole('button', { name: 'Try again' }).click();
    });
    expect(await screen.findByText(/Paper account on/)).toBeTruthy();
    expect(screen.queryByText(MESSAGE)).toBeNull();
  });

  it('keeps what was last known where the server fails, and says so beside it (R8-18)', async () => {
    applyWallet(status({ links: [BOX] }), 'snapshot', Date.now() - 3.5 * 60 * 60_000);
    call.mockRejectedValue(unavailable());
    render(<WalletStatus />);
    expect(await screen.findByText(`${MESSAGE}. Showing the last loaded data.`)).toBeTruthy();
    expect(rows()[0]).toEqual(['9,007.44', '0.00']);
    expect(screen.getByText('Cold box')).toBeTruthy();
    expect(part('Trading account').textContent).toMatch(/3 h ago/);
  });

  it('offline shows what is kept, with its age, asks nobody, and lets nothing be unlinked', async () => {
    connection.online = 'offline';
    applyWallet(status({ links: [BOX] }), 'snapshot', Date.now() - 90_000);
    render(<WalletStatus />);
    expect(part('Trading account').textContent).toMatch(/1 min ago/);
    expect(screen.getByRole<HTMLButtonElement>('button', { name: /Unlink/ }).disabled).toBe(true);
    cleanup();
    clearWallet();
    render(<WalletStatus />);
    expect(part('Trading account').textContent).toContain(
      'not saved on this device. Available when you’re online.',
    );
    await Promise.resolve();
    expect(call).not.toHaveBeenCalled();
  });

  it('is read again when a trade has changed the portfolio, so that the same cash reads the same', async () => {
    portfolioStore.data = { cash: '9007.44', positions: [] as Portfolio['positions'] } as Portfolio;
    call.mockResolvedValue(status());
    render(<WalletStatus />);
    await screen.findByText(/Paper account on/);
    call.mockResolvedValue(
      status({ servedAt: 2_000, balances: [{ asset: 'USDT', available: '8000', reserved: '0' }] }),
    );
    act(() => {
      portfolioStore.data = { cash: '8000', positions: [] as Portfolio['positions'] } as Portfolio;
    });
    await waitFor(() => {
      expect(rows()).toEqual([['8,000.00', '0.00']]);
    });
    expect(call).toHaveBeenCalledTimes(2);
  });
});

describe('the store', () => {
  it('takes no older word in place of a newer, and is read again for a change only where it was read before', async () => {
    call.mockResolvedValue(status({ servedAt: 3_000 }));
    walletChanged();
    expect(call).not.toHaveBeenCalled();
    applyWallet(status({ servedAt: 2_000, venue: 'newer' }), 'network');
    applyWallet(status({ servedAt: 1_000, venue: 'older' }), 'snapshot');
    expect(walletStore.data?.venue).toBe('newer');
    walletChanged();
    await waitFor(() => {
      expect(walletStore.data?.servedAt).toBe(3_000);
    });
  });
});
