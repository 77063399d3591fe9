// @vitest-environment happy-dom
/** Positions and trades as tables: sorted, remembered, and still under a press. */
import '../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Fill, Position } from '../../../../contract/trading.ts';
import { fillsCsv } from '../../../../src/screens/portfolio/csv.ts';

const { Positions } = await import('../../../../src/screens/portfolio/Positions.tsx');
const { TradesTable } = await import('../../../../src/screens/portfolio/TradesTable.tsx');
const { TableTools } = await import('../../../../src/screens/portfolio/TableTools.tsx');
const { Trades } = await import('../../../../src/screens/portfolio/Trades.tsx');
const { session } = await import('../../../../src/identity/session.ts');
const { connection } = await import('../../../../src/stores/connection.ts');
const { openUserDatabase } = await import('../../../../src/offline/user-database.ts');
const { clearTableChoices, loadTableChoices, tableChoices } =
  await import('../../../../src/stores/table-choices.ts');

const NOW = Date.now();
const position = (
  id: string,
  pair: string,
  value: string | null,
  unrealized: string | null,
  agentName = 'Harbour',
): Position => ({
  id,
  agentId: agentName,
  agentName,
  pair,
  quantity: '0.5',
  averageCost: '100',
  cost: '100',
  price: value,
  priceAt: NOW,
  value,
  unrealized,
  stopPrice: '90',
  openedAt: NOW,
});
const POSITIONS = [
  position('p1', 'ETH/USDT', '100.000000000002', '0.000000000002'),
  position('p2', 'BTC/USDT', '100.000000000001', '0.000000000001'),
  position('p3', 'SOL/USDT', '1000', '900', 'Ebb'),
  position('p4', 'ADA/USDT', null, null),
  position('p5', 'ETH/USDT', '90', '-10', 'Ebb'),
];
const fill = (id: string, side: 'buy' | 'sell', filledAt: number, realized: string | null): Fill =>
  ({
    id,
    agentId: 'a',
    agentName: 'Harbour',
    pair: 'ETH/USDT',
    side,
    quantity: '1234.5',
    price: '2512.4',
    notional: '10000',
    fee: '1.5',
    feeBps: '10',
    slippageBps: '1',
    realized,
    costBasis: null,
    reason: 'entered',
    filledAt,
  }) as Fill;
let people = 0;
let uid = '';
let wide = true;

beforeEach(() => {
  people += 1;
  uid = `person-${people}`;
  wide = true;
  vi.stubGlobal('matchMedia', () => ({
    matches: wide,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
  Object.assign(session, {
    status: 'signed-in',
    user: { uid, email: 'a@example.com', displayName: null, metadata: {} },
  });
  openUserDatabase(uid, { mayCreate: () => true });
});
afterEach(() => {
  cleanup();
  clearTableChoices();
  vi.useRealTimers();
});

const table = (positions: readonly Position[] = POSITIONS) => (
  <Positions
    portfolio={{ positions: [...positions], quote: 'USDT', equity: '10000' }}
    table
    Tools={TableTools}
  />
);
const names = (): string[] =>
  screen
    .getAllByRole('rowheader')
    .map((cell) => within(cell).getByRole('button').textContent.replace('Explain ', ''));
const header = (name: string): HTMLElement =>
  screen.getByRole('button', { name: `Sort by ${name}` });
const press = (element: HTMLElement): Promise<void> =>
  act(async () => {
    fireEvent.click(element);
    await Promise.resolve();
  });
const sorted = (name: string): string | null | undefined =>
  header(name).closest('th')?.getAttribute('aria-sort');

describe('positions in a wide window', () => {
  it('are a table sorted by any of its columns, exactly, equal ones in their own order and the unknown last', async () => {
    render(table());
    expect(names()).toEqual(['ADA', 'BTC', 'ETH', 'ETH', 'SOL']);
    expect([sorted('Pair'), sorted('Value')]).toEqual(['ascending', 'none']);
    await press(header('Value'));
    // ETH is worth a 10⁻¹² more than BTC: both read 100.00, and no float tells them apart for long.
    expect(names()).toEqual(['SOL', 'ETH', 'BTC', 'ETH', 'ADA']);
    expect([sorted('Pair'), sorted('Value')]).toEqual(['none', 'descending']);
    await press(header('Value'));
    expect(names()).toEqual(['ETH', 'BTC', 'ETH', 'SOL', 'ADA']);
    expect(sorted('Value')).toBe('ascending');
    await press(header('Result in percent'));
    expect(names()).toEqual(['SOL', 'ETH', 'BTC', 'ETH', 'ADA']);
    await press(header('Agent'));
    expect(names()).toEqual(['SOL', 'ETH', 'ETH', 'BTC', 'ADA']);
    for (const one of screen.getAllByRole('columnheader'))
      expect(within(one).getByRole('button').tagName).toBe('BUTTON');
  });

  it('remember the sort and the columns on the device', async () => {
    const { unmount } = render(table());
    await press(header('Result'));
    await press(screen.getByRole('button', { name: 'Columns of positions' }));
    await press(await screen.findByRole('checkbox', { name: 'Price' }));
    await press(screen.getByRole('checkbox', { name: 'Cost' }));
    expect(screen.getAllByRole('columnheader').map((one) => one.textContent)).toEqual([
      'Pair',
      'Quantity',
      'Agent',
      'Price',
      'Stop',
      'Value',
      'Result, %',
      'Result',
    ]);
    unmount();
    await waitFor(async () => {
      clearTableChoices();
      await loadTableChoices(uid);
      expect(tableChoices.positions).toEqual({
        sort: { key: 'result', down: true },
        columns: ['quantity', 'agent', 'price', 'stop', 'value', 'percent', 'result'],
      });
    });
    render(table());
    expect(sorted('Result')).toBe('descending');
    expect(screen.getAllByRole('columnheader')).toHaveLength(8);
    expect(names()[0]).toBe('SOL');
  });

  const risen = POSITIONS.map((one) =>
    one.id === 'p5' ? { ...one, value: '5000', unrealized: '4900' } : one,
  );

  it('follow prices in their order, but never under a press: the order is held until after it (F63)', async () => {
    const { rerender } = render(table());
    await press(header('Value'));
    const before = names();
    const row = screen.getAllByRole('row')[2]!;
    fireEvent.pointerDown(row);
    rerender(table(risen));
    expect(names()).toEqual(before);
    fireEvent.pointerUp(row);
    // The click of a tap comes after the finger has left.
    expect(names()).toEqual(before);
    await waitFor(() => {
      expect(names()).toEqual(['ETH', 'SOL', 'ETH', 'BTC', 'ADA']);
    });
  });

  it('hold their order while a row is stood on, let new ones stand last, and go on when it is left', async () => {
    const { rerender } = render(table());
    await press(header('Value'));
    const button = within(screen.getAllByRole('rowheader')[1]!).getByRole('button');
    act(() => {
      button.focus();
    });
    rerender(
      table([...risen.filter((one) => one.id !== 'p3'), position('p6', 'XRP/USDT', '7000', '1')]),
    );
    expect(names()).toEqual(['ETH', 'BTC', 'ETH', 'ADA', 'XRP']);
    expect(document.activeElement).toBe(button);
    act(() => {
      button.blur();
    });
    expect(names()).toEqual(['XRP', 'ETH', 'ETH', 'BTC', 'ADA']);
  });
});

describe('positions on a phone', () => {
  it('stay a list, with a choice of the order that the desk shares', async () => {
    wide = false;
    render(table());
    expect(screen.queryByRole('table')).toBeNull();
    const items = (): string[] =>
      screen.getAllByRole('listitem').map((item) => /^[A-Z]+/.exec(item.textContent)?.[0] ?? '');
    expect(items()).toEqual(['ADA', 'BTC', 'ETH', 'ETH', 'SOL']);
    await act(async () => {
      fireEvent.change(screen.getByLabelText('Sort by'), { target: { value: 'value' } });
      await Promise.resolve();
    });
    expect(items()).toEqual(['SOL', 'ETH', 'BTC', 'ETH', 'ADA']);
    await press(screen.getByRole('button', { name: 'Largest first' }));
    expect(items()).toEqual(['ETH', 'BTC', 'ETH', 'SOL', 'ADA']);
  });
});

describe('trades', () => {
  const FILLS = [
    fill('f3', 'sell', NOW - 1_000, '-5.5'),
    fill('f2', 'buy', NOW - 2_000, null),
    fill('f1', 'sell', NOW - 3_000, '12.25'),
  ];
  const realised = (): (string | undefined)[] =>
    screen
      .getAllByRole('row')
      .slice(1)
      .map((row) => within(row).getAllByRole('cell').at(-2)?.textContent ?? '')
      .map((text) => /[▲▼][−+][\d.,]+|—/.exec(text)?.[0]);

  it('are newest first, and sorted by the realised result with buys last; as many are drawn as are asked for', async () => {
    const { rerender } = render(<TradesTable fills={FILLS} quote="USDT" most={25} />);
    expect(sorted('Time')).toBe('descending');
    expect(realised()).toEqual(['▼−5.50', '—', '▲+12.25']);
    await press(header('Realised'));
    expect(realised()).toEqual(['▲+12.25', '▼−5.50', '—']);
    rerender(<TradesTable fills={FILLS} quote="USDT" most={1} />);
    expect(realised()).toEqual(['▲+12.25']);
  });

  it('say what was done in a word: ▲ and ▼ are up and down alone', () => {
    const { container } = render(<TradesTable fills={FILLS} quote="USDT" most={25} />);
    expect(screen.getAllByText(/^(Buy|Sell)$/).map((tag) => tag.textContent)).toEqual([
      'Sell',
      'Buy',
      'Sell',
    ]);
    expect(container.textContent.match(/[▲▼]/g)).toEqual(['▼', '▲']);
    cleanup();
    wide = false;
    const list = render(<TradesTable fills={FILLS} quote="USDT" most={25} />);
    expect(list.container.textContent.match(/[▲▼]/g)).toEqual(['▼', '▲']);
    expect(screen.getAllByRole('listitem')[1]?.textContent).toContain(
      'Buy 1,234.5 ETH at 2,512.40',
    );
  });

  it('filtered say that they are of the loaded ones, in their count and, without a network, of their file', async () => {
    const status = (): string => screen.getByRole('status').textContent;
    const file = (): string => screen.getByRole('button', { name: 'CSV' }).title;
    const onlySales = (): void => {
      fireEvent.click(screen.getByRole('button', { name: 'Filter' }));
      fireEvent.change(screen.getByLabelText('Side'), { target: { value: 'sell' } });
    };
    render(
      <Trades known={FILLS} total={5_000} quote="USDT" account={{ number: 1, quote: 'USDT' }} />,
    );
    expect(status()).toMatch(/^Newest 3 of 5,000 trades/);
    expect(file()).toBe('Every trade');
    act(() => {
      connection.online = 'offline';
    });
    await waitFor(() => {
      expect(file()).toBe('Only the newest 3 trades (5,000 in all)');
    });
    onlySales();
    expect(status()).toMatch(/^2 of the newest 3 trades \(5,000 in all\), realised/);
    expect(file()).toBe('Trades matching the filter, of the newest 3 trades (5,000 in all)');
    cleanup();
    connection.online = 'online';
    render(<Trades known={FILLS} total={3} quote="USDT" account={{ number: 1, quote: 'USDT' }} />);
    onlySales();
    expect(status()).toMatch(/^2 of 3 trades, realised/);
    expect(file()).toBe('Trades matching the filter');
  });

  it('are the same plain numbers in their file, whatever the locale shows', () => {
    expect(fillsCsv(FILLS.slice(0, 1), { number: 2, quote: 'USDT' }).split('\r\n')[1]).toContain(
      'ETH/USDT,sell,1234.5,2512.4,10000,1.5,-5.5,Harbour',
    );
  });
});
