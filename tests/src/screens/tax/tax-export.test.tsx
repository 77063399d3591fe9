// @vitest-environment jsdom
/**
 * The tax file: sums before it, the way from them to the portfolio, every page or no file, and
 * PAPER wherever it is read; the file of real money says LIVE and names its account.
 */
import '../../../support/page-world.ts';
import axe from 'axe-core';
import { cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LiveTaxLots } from '../../../../contract/live.ts';
import type { TaxLot, TaxLots } from '../../../../contract/tax.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call },
}));

const { ApiError } = await import('../../../../src/api/api-error.ts');
const { default: TaxExport } = await import('../../../../src/screens/tax/TaxExport.tsx');
const { taxCsv } = await import('../../../../src/screens/tax/tax-file.ts');
const { connection } = await import('../../../../src/stores/connection.ts');

const lot = (part: Partial<TaxLot> = {}): TaxLot => ({
  pair: 'BTC/USDT',
  quantity: '0.000000000001',
  acquiredAt: Date.UTC(2023, 11, 31, 23, 59, 59),
  disposedAt: Date.UTC(2025, 0, 2),
  proceeds: '120.5',
  basis: '100.123456789012',
  gain: '20.376543210988',
  fees: '0.2',
  long: true,
  acquiredBy: 'Harbour',
  disposedBy: 'Ebb',
  reason: 'signal_left',
  ...part,
});
const UNSOLD = lot({
  disposedAt: null,
  proceeds: null,
  gain: null,
  long: null,
  disposedBy: null,
  reason: null,
});
const SUMS = {
  lots: 3,
  proceeds: '361.5',
  basis: '300.370370367036',
  gain: '61.129629632964',
  fees: '0.6',
};
const found = (part: Partial<TaxLots> = {}): TaxLots => ({
  paper: true,
  source: 'Simulated',
  quote: 'USDT',
  book: 2,
  asOf: 1,
  through: 9,
  years: [2024, 2025],
  sums: SUMS,
  all: SUMS,
  held: [{ pair: 'ETH/USDT', lots: 2, quantity: '1.5', basis: '3000', averageCost: '2990' }],
  realized: '51.129629632964',
  rows: [lot(), lot()],
  total: 3,
  next: 2,
  ...part,
});

/** What reports of both kinds of account have. */
const shared = Object.fromEntries(
  Object.entries(found()).filter(([name]) => name !== 'paper' && name !== 'book'),
) as Omit<TaxLots, 'paper' | 'book'>;

let saved: { name: string; blob: Blob }[];
beforeEach(() => {
  saved = [];
  connection.online = 'online';
  let blob = new Blob();
  vi.stubGlobal(
    'URL',
    Object.assign(URL, {
      createObjectURL: (given: Blob) => {
        blob = given;
        return 'blob:1';
      },
      revokeObjectURL: () => undefined,
    }),
  );
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(
    this: HTMLAnchorElement,
  ) {
    saved.push({ name: this.download, blob });
  });
  call.mockReset();
  call.mockImplementation(
    (_name: string, { query }: { query: { after?: number; year?: number } }) =>
      Promise.resolve(
        query.after === 2
          ? found({
              rows: [UNSOLD],
              next: null,
            })
          : found(),
      ),
  );
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const open = (): void => {
  render(<TaxExport account={{ kind: 'paper' }} onClose={() => undefined} />);
};
const read = async (): Promise<HTMLElement> => {
  open();
  await screen.findByText('Proceeds after fees');
  return screen.getByRole('button', { name: 'Save CSV' });
};

describe('the tax file', () => {
  it('shows its sums first, and how they meet what the portfolio calls realised', async () => {
    open();
    expect(await screen.findByText('Proceeds after fees')).toBeTruthy();
    const sum = screen.getByRole('region', { name: 'Gain and realised result' });
    expect(
      within(sum)
        .getAllByRole('listitem')
        .map((row) => row.textContent),
    ).toEqual(['Gain of these lots▲+61.13', 'Open positions: average cost minus FIFO cost▼−10.00']);
    expect(sum.textContent).toContain('= Realised in the portfolio▲+51.13');
    expect(screen.getByText(/Paper money and no tax advice/)).toBeTruthy();
    expect(screen.getByTitle('Paper account: no real money')).toBeTruthy();
    const { violations } = await axe.run(document.body, {
      rules: { 'color-contrast': { enabled: false }, region: { enabled: false } },
    });
    expect(violations.map(({ id }) => id)).toEqual([]);
  });

  it('has every page, exact amounts and UTC times, and says PAPER in its name, its heading and each row', async () => {
    fireEvent.click(await read());
    await waitFor(() => {
      expect(saved).toHaveLength(1);
    });
    expect(call.mock.calls.map((args) => (args as [string, { query: object }])[1].query)).toEqual([
      {},
      { book: 2, after: 2, through: 9 },
    ]);
    expect(saved[0]?.name).toBe('PAPER-tradewind-fifo-lots-account-2-all-years.csv');
    const lines = taxCsv([lot(), UNSOLD], found()).split('\r\n');
    expect(saved[0]?.blob.size).toBe(taxCsv([lot(), lot(), UNSOLD], found()).length);
    expect(lines).toEqual([
      'paper_account,asset,pair,quantity,acquired,disposed,proceeds,basis,gain,fees,currency,term,bought_by,sold_by,reason',
      '"PAPER account 2, Simulated",BTC,BTC/USDT,0.000000000001,2023-12-31T23:59:59.000Z,2025-01-02T00:00:00.000Z,120.5,100.123456789012,20.376543210988,0.2,USDT,long,Harbour,Ebb,signal_left',
      '"PAPER account 2, Simulated",BTC,BTC/USDT,0.000000000001,2023-12-31T23:59:59.000Z,,,100.123456789012,,0.2,USDT,held,Harbour,,',
    ]);
  });

  it('cannot be run as a formula, whatever an agent or a market is called; a loss stays a number', () => {
    const [, line] = taxCsv(
      [
        lot({
          acquiredBy: '=HYPERLINK("http://x")',
          disposedBy: '@SUM(A1)',
          reason: '-cmd',
          gain: '-1.5',
        }),
      ],
      found({ source: '+1' }),
    ).split('\r\n');
    expect(line).toContain(`"'=HYPERLINK(""http://x"")",'@SUM(A1),'-cmd`);
    expect(line).toContain(',-1.5,');
  });

  it('is of one year where one is chosen, and the other years are a row of their own', async () => {
    open();
    await screen.findByText('Proceeds after fees');
    call.mockImplementation(() =>
      Promise.resolve(found({ sums: { ...SUMS, lots: 1, gain: '1.129629632964' } })),
    );
    fireEvent.change(screen.getByLabelText('Year of sale'), { target: { value: '2024' } });
    expect(await screen.findByText('Gain of other years')).toBeTruthy();
    expect(call).toHaveBeenLastCalledWith(
      'taxLots',
      expect.objectContaining({ query: { year: 2024 } }),
    );
  });

  it('is not made where a page cannot be had', async () => {
    const button = await read();
    call.mockImplementation(() =>
      Promise.reject(new ApiError('gone', { code: 'network', status: 0, text: 'gone' })),
    );
    fireEvent.click(button);
    expect((await screen.findByRole('alert')).textContent).toContain('No file was created.');
    expect(saved).toEqual([]);
  });

  it('is of the account that its first page was of, also where that was reset meanwhile', async () => {
    const button = await read();
    call.mockImplementation((_name: string, { query }: { query: { book?: number } }) =>
      Promise.resolve(
        query.book === 2
          ? found({ rows: [UNSOLD], next: null })
          : found({ book: 3, rows: [], total: 0, next: null }),
      ),
    );
    fireEvent.click(button);
    expect(await screen.findByText('3 lots saved by your browser.')).toBeTruthy();
    expect(saved).toHaveLength(1);
  });

  it('is not made of fewer rows than the first page counted', async () => {
    const button = await read();
    call.mockImplementation(() => Promise.resolve(found({ rows: [], total: 0, next: null })));
    fireEvent.click(button);
    expect((await screen.findByRole('alert')).textContent).toBe(
      'The lots changed while they were loaded. No file was created.',
    );
    expect(saved).toEqual([]);
  });

  it('says what it needs without a network, and asks for nothing', () => {
    connection.online = 'offline';
    open();
    expect(screen.getByText("You're offline")).toBeTruthy();
    // A choice that could lead to nothing is not offered.
    expect(screen.queryByLabelText('Year of sale')).toBeNull();
    expect(screen.getByRole('button', { name: 'Save CSV' })).toHaveProperty('disabled', true);
    expect(call).not.toHaveBeenCalled();
  });
});

describe('the tax file of an exchange account', () => {
  const CONNECTION = { exchange: 'kraken', label: 'Main & more' } as const;
  const real = (part: Partial<LiveTaxLots> = {}): LiveTaxLots => ({
    ...shared,
    ...CONNECTION,
    live: true,
    connectionId: 'c1',
    source: 'kraken',
    quote: 'USD',
    // 10 more than the lots, and of coins given over 2 less.
    realized: '49.129629632964',
    rows: [lot({ pair: 'BTC/USD' })],
    total: 1,
    next: null,
    ...part,
  });
  beforeEach(() => {
    call.mockImplementation(() => Promise.resolve(real()));
    render(
      <TaxExport
        account={{ kind: 'live', connectionId: 'c1' }}
        where={CONNECTION}
        onClose={() => undefined}
      />,
    );
  });

  it('asks for that account, says LIVE with its name, and marks its money', async () => {
    const gain = await screen.findByText('= Gain');
    expect(call).toHaveBeenCalledWith(
      'liveTaxLots',
      expect.objectContaining({ params: { id: 'c1' }, query: {} }),
    );
    expect(screen.getByTitle('Real money at Kraken, Main & more')).toBeTruthy();
    expect(screen.queryByText('PAPER')).toBeNull();
    expect(gain.closest('[data-account="live"]')).not.toBeNull();
    expect(screen.getByText(/^No tax advice/)).toBeTruthy();
    expect(screen.getByText(/Your own trades and transfers at Kraken/)).toBeTruthy();
  });

  it('meets what the account calls realised, coins given over included', async () => {
    const sum = await screen.findByRole('region', { name: 'Gain and realised result' });
    expect(
      within(sum)
        .getAllByRole('listitem')
        .map((row) => row.textContent),
    ).toEqual([
      'Gain of these lots▲+61.13',
      'Open positions and coins given over: average cost minus FIFO cost▼−12.00',
    ]);
    expect(sum.textContent).toContain('= Realised, of agents▲+49.13');
  });

  it('names the account in its name and in each row', async () => {
    await screen.findByText('= Gain');
    fireEvent.click(screen.getByRole('button', { name: 'Save CSV' }));
    await waitFor(() => {
      expect(saved).toHaveLength(1);
    });
    expect(saved[0]?.name).toBe('LIVE-tradewind-fifo-lots-Kraken-Main-more-all-years.csv');
    const [heading, line] = taxCsv([lot({ pair: 'BTC/USD' })], real()).split('\r\n');
    expect(heading).toMatch(/^exchange_account,asset,/);
    expect(line).toMatch(/^"Kraken, Main & more",BTC,BTC\/USD,/);
    expect(heading + String(line)).not.toMatch(/paper/i);
  });
});

describe('the tax file of an exchange account with fees in coins', () => {
  const OTHER_FEES = [
    { asset: 'BTC', amount: '0.0001', inResult: true },
    { asset: 'BNB', amount: '0.0125', inResult: false },
  ];
  const report = (otherFees: TaxLot['otherFees']): LiveTaxLots => ({
    ...shared,
    live: true,
    connectionId: 'c1',
    exchange: 'binance',
    label: 'Main',
    sums: { ...SUMS, fees: '0', otherFees },
    all: { ...SUMS, fees: '0', otherFees },
    rows: [lot({ otherFees })],
    total: 1,
    next: null,
  });
  const figures = async (otherFees: TaxLot['otherFees']): Promise<string[]> => {
    call.mockImplementation(() => Promise.resolve(report(otherFees)));
    render(
      <TaxExport
        account={{ kind: 'live', connectionId: 'c1' }}
        where={{ exchange: 'binance', label: 'Main' }}
        onClose={() => undefined}
      />,
    );
    await screen.findByText(/^Cost basis/);
    return [...document.querySelectorAll('dl[aria-label^="Sold"] .row')].map(
      (row) => row.textContent,
    );
  };

  it('is before those in a third coin, which stand in a line of their own', async () => {
    expect(await figures(OTHER_FEES)).toEqual([
      'Sold3 lots',
      'Proceeds, before fees in BNB361.50USDT',
      'Cost basis, before fees in BNB300.37',
      '= Gain, before fees in BNB▲+61.13USDT',
      'Fees, already included0.00USDT0.0001 BTC',
      'Fees not included0.0125 BNB',
    ]);
    const sum = screen.getByRole('region', { name: 'Gain and realised result' });
    expect(sum.textContent).toContain('= Realised, of agents, before fees in BNB');
    expect(document.body.textContent).not.toMatch(/after fees|fees included/);
  });

  it('is after those in the coin traded, which are shown too', async () => {
    const text = (await figures(OTHER_FEES.slice(0, 1))).join();
    expect(text).toContain('Proceeds after fees');
    expect(text).toContain('Fees, already included0.00USDT0.0001 BTC');
    expect(text).not.toMatch(/before fees|not included/);
  });

  it('has both in columns of their own', () => {
    const [heading, line, none] = taxCsv(
      [lot({ otherFees: OTHER_FEES }), lot()],
      report(OTHER_FEES),
    ).split('\r\n');
    expect(heading).toMatch(/,reason,asset_fees,other_fees$/);
    expect(line).toMatch(/,signal_left,0\.0001 BTC,0\.0125 BNB$/);
    expect(none).toMatch(/,signal_left,,$/);
  });
});
