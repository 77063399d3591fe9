// @vitest-environment happy-dom
/** The list of trades while its newest part is replaced under what was loaded before. */
import '../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Fill } from '../../../../contract/trading.ts';

interface Query {
  limit: number;
  before: string;
}
const { history, saved } = vi.hoisted(() => ({
  history: vi.fn<(query: { limit: number; before: string }) => unknown[]>(),
  saved: vi.fn<(name: string, content: string) => void>(),
}));
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: {
    call: async (_name: string, { query }: { query: Query }) => ({
      fills: await Promise.resolve(history(query)),
    }),
  },
}));
vi.mock('../../../../src/screens/portfolio/csv.ts', async (original) => ({
  ...(await original<object>()),
  download: saved,
}));

const { Trades } = await import('../../../../src/screens/portfolio/Trades.tsx');
const { connection } = await import('../../../../src/stores/connection.ts');
const { removeToast, toastStore } = await import('../../../../src/stores/toast-store.ts');

const START = Date.UTC(2026, 10, 1);
/** Trade 0 is the oldest. Two share each moment, as trades of one tick do. */
const trade = (number: number): Fill =>
  ({
    id: `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`,
    agentId: 'a',
    agentName: 'Harbour',
    pair: 'ETH/USDT',
    side: 'sell',
    quantity: '1',
    price: '100',
    notional: '100',
    fee: '0',
    feeBps: '0',
    slippageBps: '0',
    realized: '1',
    costBasis: '99',
    reason: 'left',
    filledAt: START + Math.floor(number / 2) * 60_000,
  }) as Fill;

/** The account's trades, oldest first, as the server has them. */
let traded: Fill[] = [];
const newest = (count: number): Fill[] => traded.slice(-count).reverse();
const list = (known = newest(200), total = traded.length) => (
  <Trades known={known} total={total} quote="USDT" account={{ number: 2, quote: 'USDT' }} />
);
const status = (): string => screen.getByRole('status').textContent;
const press = (name: RegExp | string): Promise<void> =>
  act(async () => {
    fireEvent.click(screen.getByRole('button', { name }));
    await Promise.resolve();
  });
/** Until the rows of all that is loaded are drawn, and the button below them is there. */
async function loadOlder(name: RegExp): Promise<void> {
  for (let more = true; more;) {
    more = screen.queryByRole('button', { name: 'Show more' }) !== null;
    if (more) await press('Show more');
  }
  await press(name);
}
async function idsOfFile(): Promise<string[]> {
  saved.mockClear();
  await press('CSV');
  const [, content = ''] = saved.mock.calls[0] ?? [];
  return content
    .split('\r\n')
    .slice(1)
    .map((row) => row.split(',').at(-1) ?? '');
}

beforeEach(() => {
  connection.online = 'online';
  traded = Array.from({ length: 700 }, (_, number) => trade(number));
  history.mockReset();
  history.mockImplementation(({ limit, before }) => {
    const edge = traded.findIndex(({ id }) => id === before);
    if (edge === -1) throw new Error('Trade not found.');
    return traded.slice(Math.max(0, edge - limit), edge).reverse();
  });
});
afterEach(cleanup);

describe('a list of trades of which older ones are loaded', () => {
  it('lacks none after the newest 200 have taken the place of those before', async () => {
    const { rerender } = render(list());
    await loadOlder(/^Load 500 older$/);
    await waitFor(() => {
      expect(status()).toMatch(/^700 trades, realised .*\+700\.00/);
    });
    traded.push(...Array.from({ length: 30 }, (_, number) => trade(700 + number)));
    rerender(list());
    expect(status()).toMatch(/^730 trades, realised .*\+730\.00/);
    expect(await idsOfFile()).toEqual(newest(730).map(({ id }) => id));
    expect(history).toHaveBeenCalledTimes(1);
  });

  it('reads what lies between, where the newest do not reach what is loaded', async () => {
    const { rerender } = render(list());
    await loadOlder(/^Load 500 older$/);
    traded.push(...Array.from({ length: 900 }, (_, number) => trade(700 + number)));
    rerender(list());
    // Until then it is the newest alone, and says so.
    expect(status()).toMatch(/^Newest 200 of 1,600 trades, realised .*\+200\.00/);
    await waitFor(() => {
      expect(status()).toMatch(/^1,600 trades, realised .*\+1,600\.00/);
    });
    expect(await idsOfFile()).toEqual(newest(1_600).map(({ id }) => id));
  });

  it('is the newest alone while what lies between cannot be read, and goes on from there', async () => {
    const { rerender } = render(list());
    await loadOlder(/^Load 500 older$/);
    traded.push(...Array.from({ length: 300 }, (_, number) => trade(700 + number)));
    history.mockImplementationOnce(() => {
      throw new Error('no network');
    });
    rerender(list());
    await waitFor(() => {
      expect(screen.queryByRole('button', { name: /^Load/, busy: true })).toBeNull();
    });
    expect(status()).toMatch(/^Newest 200 of 1,000 trades/);
    await loadOlder(/^Load 500 older$/);
    await waitFor(() => {
      expect(status()).toMatch(/^1,000 trades, realised .*\+1,000\.00/);
    });
  });

  it('begins anew where nothing is older and a trade is missing in between', async () => {
    const { rerender } = render(list());
    await loadOlder(/^Load 500 older$/);
    // A stop over missed candles is booked at its own, earlier time.
    traded.splice(300, 0, { ...trade(299), id: `${trade(299).id.slice(0, -6)}999999` });
    rerender(list());
    await loadOlder(/^Load 1 older$/);
    await waitFor(() => {
      expect(status()).toMatch(/^Newest 200 of 701 trades/);
    });
    await loadOlder(/^Load 500 older$/);
    await loadOlder(/^Load 1 older$/);
    await waitFor(() => {
      expect(status()).toMatch(/^701 trades, realised .*\+701\.00/);
    });
  });

  it('has nothing of an account that is over', async () => {
    const { rerender } = render(list());
    await loadOlder(/^Load 500 older$/);
    traded = [trade(5_000)];
    rerender(list());
    await waitFor(() => {
      expect(status()).toMatch(/^1 trade, realised .*\+1\.00/);
    });
    expect(await idsOfFile()).toEqual([trade(5_000).id]);
  });
});

describe('the file of the trades', () => {
  const nameOfFile = () => saved.mock.calls[0]?.[0];

  it('holds every trade of the account, the older ones read first, and names account, PAPER and currency', async () => {
    traded = Array.from({ length: 2_700 }, (_, number) => trade(number));
    render(list());
    saved.mockClear();
    await press('CSV');
    await waitFor(() => {
      expect(saved).toHaveBeenCalledTimes(1);
    });
    const rows = (saved.mock.calls[0]?.[1] ?? '').split('\r\n');
    expect(rows.slice(1).map((row) => row.split(',').at(-1))).toEqual(
      newest(2_700).map(({ id }) => id),
    );
    expect(rows[0]).toMatch(/^paper_account,currency,filledAt,/);
    expect(rows[1]).toMatch(/^PAPER account 2,USDT,/);
    expect(nameOfFile()).toBe('PAPER-tradewind-trades-account-2.csv');
    expect(history.mock.calls.length).toBeLessThan(6);
    // The list stays as it was: nobody asked to see them.
    expect(status()).toMatch(/^Newest 200 of 2,700 trades, realised/);
  });

  it('has the trade that was booked below the top after the list was read', async () => {
    const { rerender } = render(list());
    await loadOlder(/^Load 500 older$/);
    traded.splice(300, 0, { ...trade(299), id: `${trade(299).id.slice(0, -6)}999999` });
    rerender(list());
    saved.mockClear();
    await press('CSV');
    await waitFor(() => {
      expect(saved).toHaveBeenCalledTimes(1);
    });
    expect((saved.mock.calls[0]?.[1] ?? '').split('\r\n')).toHaveLength(702);
  });

  it('is not made where a page cannot be read, and says so (R7-28)', async () => {
    render(list());
    history.mockImplementationOnce(() => {
      throw new Error('no network');
    });
    saved.mockClear();
    removeToast();
    await press('CSV');
    await waitFor(() => {
      expect(toastStore.toasts[0]?.message).toMatch(/No file was created\.$/);
    });
    expect(saved).not.toHaveBeenCalled();
    expect(screen.getByRole('button', { name: 'CSV' }).getAttribute('aria-busy')).toBeNull();
  });

  it('is named as a part without a network, and says what it is made of', async () => {
    connection.online = 'offline';
    render(list());
    saved.mockClear();
    removeToast();
    await press('CSV');
    expect(nameOfFile()).toBe('PAPER-tradewind-trades-account-2-newest-200.csv');
    expect(toastStore.toasts[0]?.message).toBe(
      'Saved from the newest 200 of 700 trades. Go online for the others.',
    );
    expect(history).not.toHaveBeenCalled();
  });
});
