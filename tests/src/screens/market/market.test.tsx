// @vitest-environment jsdom
/**
 * The market's screens as a person uses them: found, sorted, starred, read offline and from an
 * exchange.
 */
import '../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { MarketPools, SymbolQuote } from '../../../../contract/market.ts';
import { PoolId } from '../../../../contract/agents.ts';
import { CONNECTION_ID } from '../../../support/live/live-replies.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
const never = () => new Promise<never>(() => undefined);
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call, marketData: never, marketOverview: never, marketPools: never },
}));
vi.mock('../../../../src/charts/candle-drawing.ts', () => ({
  drawCandles: () => ({
    set: () => undefined,
    price: () => undefined,
    point: () => undefined,
    zoom: () => undefined,
    close: () => undefined,
  }),
}));

const { ApiError } = await import('../../../../src/api/api-error.ts');
const { formatWhen } = await import('../../../../src/format/times.ts');
const { navigate } = await import('wouter/use-browser-location');
const { Routes } = await import('../../../../src/App.tsx');
const { session } = await import('../../../../src/identity/session.ts');
const { connection } = await import('../../../../src/stores/connection.ts');
const { chartChoices, clearChartChoices } = await import('../../../../src/stores/chart-choices.ts');
const { clearChoices, marketChoices } = await import('../../../../src/stores/market-choices.ts');
const { applyMarket, applyOverview, applyPools, applySparklines, applyTicks, clearMarket } =
  await import('../../../../src/stores/market-store.ts');
const { applySubscription, clearSubscription } =
  await import('../../../../src/stores/subscription-store.ts');
const { openUserDatabase } = await import('../../../../src/offline/user-database.ts');
const { recordedReplies, recordState } = await import('../../../../src/api/recorded-replies.ts');
const { accountChoice, clearAccountChoice } =
  await import('../../../../src/stores/account-choice.ts');
const { applyAgents, clearAgents } = await import('../../../../src/stores/agents-store.ts');
const { applyHistory, clearHistory } = await import('../../../../src/stores/fills-store.ts');
const { applyPortfolio, clearPortfolio } =
  await import('../../../../src/stores/portfolio-store.ts');

const NOW = Date.now();
const SOURCE = { id: 'sim', kind: 'simulated', label: 'Simulated prices', quote: 'USDT' } as const;
const quote = (
  symbol: string,
  price: string,
  change: number | null,
  volume: string,
): SymbolQuote => ({
  symbol,
  price,
  bid: price,
  ask: price,
  volume_24h: volume,
  high_24h: price,
  low_24h: price,
  price_change_24h: change,
  timestamp: NOW,
  stale: false,
});
const BOARD = [
  quote('BTC/USDT', '64210.5', 1.2, '10'),
  quote('ETH/USDT', '2512.4', -0.4, '1000'),
  quote('PEPE/USDT', '0.00000123', 0, '5'),
  quote('NEW/USDT', '1234567.89', null, '0.001'),
];
const POOL_LIST: MarketPools = {
  pools: PoolId.options.map((id) => ({
    id,
    name: `Pool ${id}`,
    description: 'Does one thing.',
    risk: 'Medium',
    pairs: id === 'all_pools' ? ['BTC/USDT', 'ETH/USDT'] : ['ETH/USDT'],
    about: {
      enters: 'On a rise.',
      leaves: 'On a fall.',
      looks: 'Daily.',
      risks: ['It may lose.'],
      suits: ['moderate'],
      universe: ['ETH', 'APT'],
      listedSince: null,
    },
  })),
};

/**
 * Each test is a person of its own: a star that is still being kept when a test ends is not the
 * next one's.
 */
let people = 0;

beforeEach(() => {
  people += 1;
  const uid = `uid-${people}`;
  call.mockReset();
  call.mockImplementation(never);
  connection.online = 'online';
  Object.assign(session, {
    status: 'signed-in',
    provisional: false,
    expiresAt: NOW + 4 * 3_600_000,
    endingSoon: false,
    user: {
      uid,
      email: 'a@example.com',
      displayName: null,
      metadata: { lastSignInTime: new Date().toUTCString() },
    },
  });
  openUserDatabase(uid, { mayCreate: () => true });
  applySubscription(
    { status: { subscription: null, entitledTier: 'free', servedAt: NOW }, trial: null },
    'network',
  );
  applyMarket({ source: SOURCE, now: NOW, symbols: structuredClone(BOARD) }, 'network');
  marketChoices.ready = true;
  chartChoices.ready = true;
});
afterEach(() => {
  cleanup();
  clearAccountChoice();
  clearAgents();
  clearHistory();
  clearPortfolio();
  connection.marketClockOffset = null;
  clearMarket();
  clearChoices();
  clearChartChoices();
  clearSubscription();
});

async function open(path: string): Promise<void> {
  history.replaceState(null, '', path);
  render(<Routes />);
  await screen.findByRole('heading', { level: 1 }, { timeout: 15_000 });
}
const pairs = (): string[] =>
  screen.getAllByRole('rowheader').map((cell) => within(cell).getByRole('link').textContent ?? '');

describe('the list', () => {
  it('is open to a free person, sorted by turnover, and sorted anew by its headers, unknown last (R2-15, R3-07, R6-02)', async () => {
    await open('/market');
    expect(pairs()).toEqual(['ETH/USDT', 'BTC/USDT', 'NEW/USDT', 'PEPE/USDT']);
    fireEvent.click(screen.getByRole('button', { name: 'Sort by 24 h' }));
    expect(pairs()).toEqual(['BTC/USDT', 'PEPE/USDT', 'ETH/USDT', 'NEW/USDT']);
    fireEvent.click(screen.getByRole('button', { name: 'Sort by 24 h' }));
    expect(pairs()).toEqual(['ETH/USDT', 'PEPE/USDT', 'BTC/USDT', 'NEW/USDT']);
    expect(
      screen
        .getByRole('button', { name: 'Sort by 24 h' })
        .closest('[role="columnheader"]')
        ?.getAttribute('aria-sort'),
    ).toBe('ascending');
    fireEvent.click(screen.getByRole('button', { name: 'Sort by High' }));
    expect(pairs()).toEqual(['NEW/USDT', 'BTC/USDT', 'ETH/USDT', 'PEPE/USDT']);
  }, 30_000);

  it('reads the small and the large price alike, zero as neither gain nor loss, and says why a day is unknown', async () => {
    await open('/market');
    const row = (symbol: string): HTMLElement =>
      screen.getByRole('link', { name: symbol }).closest<HTMLElement>('[role="row"]')!;
    expect(row('PEPE/USDT').textContent).toContain('0.00000123');
    expect(row('NEW/USDT').textContent?.replace(/\u202f/g, ' ')).toContain('1,234,567.89');
    const zero = within(row('PEPE/USDT')).getByText(/^0\.00\s%$/);
    expect([
      zero.className.includes('text-gain'),
      zero.className.includes('text-loss'),
      /[−+▲▼]/.test(zero.textContent ?? ''),
    ]).toEqual([false, false, false]);
    expect(
      within(row('NEW/USDT')).getAllByText('Less than a day of history').length,
    ).toBeGreaterThan(0);
  }, 30_000);

  it('counts its pairs, one as one', async () => {
    await open('/market');
    expect(screen.getByText(/^4 pairs, sorted at /)).toBeTruthy();
    cleanup();
    clearMarket();
    applyMarket({ source: SOURCE, now: NOW, symbols: BOARD.slice(0, 1) }, 'network');
    await open('/market');
    expect(screen.getByText(/^1 pair, sorted at /)).toBeTruthy();
    expect(document.body.textContent).not.toContain('1 pairs');
  }, 30_000);

  it('is searched by symbol and by name; what matches nothing is said, with the way back', async () => {
    await open('/market');
    fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'bitcoin' } });
    expect(pairs()).toEqual(['BTC/USDT']);
    fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'zzz' } });
    expect(screen.getByText('No pair matches “zzz”')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: 'Clear search' }));
    expect(pairs()).toHaveLength(4);
  }, 30_000);

  it('puts a starred pair first, alone among favourites, and keeps the star', async () => {
    await open('/market');
    fireEvent.click(screen.getByRole('button', { name: 'Favourite BTC/USDT' }));
    await waitFor(() => {
      expect(pairs()[0]).toBe('BTC/USDT');
    });
    expect(
      screen.getByRole('button', { name: 'Favourite BTC/USDT' }).getAttribute('aria-pressed'),
    ).toBe('true');
    fireEvent.click(screen.getByRole('link', { name: 'Favourites' }));
    await waitFor(() => {
      expect(pairs()).toEqual(['BTC/USDT']);
    });
    fireEvent.click(screen.getByRole('link', { name: 'Losers' }));
    await waitFor(() => {
      expect(pairs()).toEqual(['ETH/USDT']);
    });
  }, 30_000);

  it('changes a price in place and never the order by itself', async () => {
    await open('/market');
    applyTicks(
      [{ ...quote('PEPE/USDT', '0.00000456', 250, '900000000000'), timestamp: NOW + 1 }],
      NOW + 1,
    );
    expect((await screen.findAllByText('0.00000456')).length).toBeGreaterThan(0);
    expect(pairs().at(-1)).toBe('PEPE/USDT');
    fireEvent.click(screen.getByRole('button', { name: 'Sort again' }));
    expect(pairs()[0]).toBe('PEPE/USDT');
  }, 30_000);

  it('shows the age of a price that is told as stale, in its row and on its own page, until the next one (F57)', async () => {
    const old = { ...quote('BTC/USDT', '64210.5', 1.2, '10'), timestamp: NOW + 1, stale: true };
    connection.marketClockOffset = 3.5 * 60_000;
    await open('/market');
    const row = (): string =>
      screen.getByRole('link', { name: 'BTC/USDT' }).closest('[role="row"]')?.textContent ?? '';
    expect(row()).not.toContain('old');
    act(() => {
      applyTicks([{ ...old, stale: false }], NOW + 1);
      applyTicks([old], NOW + 1);
    });
    // By a busy machine's clock it may be four by now.
    await waitFor(() => {
      expect(row()).toMatch(/[34] min old/);
    });
    cleanup();
    await open('/market/BTC-USDT');
    expect(await screen.findByText(/^Price [34] min old$/)).toBeTruthy();
    act(() => {
      applyTicks([{ ...old, timestamp: NOW + 2, stale: false }], NOW + 2);
    });
    expect(screen.queryByText(/min old/)).toBeNull();
  }, 30_000);

  it('works without the server: search, sort and stars on what was kept', async () => {
    connection.online = 'offline';
    await open('/market');
    fireEvent.click(screen.getByRole('button', { name: 'Sort by Price' }));
    expect(pairs()[0]).toBe('NEW/USDT');
    fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'eth' } });
    fireEvent.click(screen.getByRole('button', { name: 'Favourite ETH/USDT' }));
    await waitFor(() => {
      expect(marketChoices.favourites).toEqual(['ETH/USDT']);
    });
    expect(pairs()).toEqual(['ETH/USDT']);
  }, 30_000);

  it('says when its prices were sorted that it was sorted by, be it last night (R2-15)', async () => {
    const lastNight = NOW - 26 * 3_600_000;
    clearMarket();
    applyMarket(
      { source: SOURCE, now: lastNight, symbols: structuredClone(BOARD) },
      'snapshot',
      lastNight,
    );
    await open('/market');
    expect(screen.getByText(/sorted at /).textContent).toBe(
      `${BOARD.length} pairs, sorted at ${formatWhen(lastNight)}`,
    );
  }, 30_000);

  it('says whose prices they are when an exchange tells them in the server’s place (R7-10, R7-13)', async () => {
    applyMarket(
      {
        source: { id: 'kraken', kind: 'exchange', label: 'Kraken', quote: 'USD' },
        now: NOW,
        symbols: [quote('BTC/USD', '64000', null, '1')],
      },
      'exchange',
    );
    await open('/market');
    const said = 'No prices from the server. Kraken prices, display only.';
    expect(screen.getByText(said)).toBeTruthy();
    // In the line under the header, so that nothing on the screen moves for it.
    expect(within(screen.getByRole('main')).queryByText(said)).toBeNull();
    expect(pairs()).toEqual(['BTC/USD']);
    // Nor is the exchange named as the source of the account on other screens.
    cleanup();
    await open('/portfolio');
    expect(screen.queryByText(said)).toBeNull();
    expect(screen.getByText('Kraken prices, display only.')).toBeTruthy();
  }, 30_000);

  it('says of favourites that an exchange does not offer that they are not offered, not that there are none', async () => {
    marketChoices.favourites = ['BTC/USDT'];
    applyMarket(
      {
        source: { id: 'kraken', kind: 'exchange', label: 'Kraken', quote: 'USD' },
        now: NOW,
        symbols: [quote('BTC/USD', '64000', null, '1')],
      },
      'exchange',
    );
    await open('/market?view=favourites');
    expect(screen.getByText('Kraken does not offer any of your favourites.')).toBeTruthy();
    expect(screen.queryByText('No favourites yet')).toBeNull();
  }, 30_000);

  const glance = (): HTMLElement => screen.getAllByText('Strongest, 24 h')[0]!.closest('dl')!;
  const said = (element: HTMLElement): string =>
    (element.textContent ?? '').replace(/\u202f/g, ' ');
  const falling = ['BTC/USDT', 'ETH/USDT', 'PEPE/USDT'].map((symbol, index) => ({
    ...quote(symbol, '10', [-1.63, -0.2, -4.5][index]!, '10'),
    timestamp: NOW + 1,
  }));

  it('counts and leads by the rows below it, at their moment, whatever an earlier overview said (R7-11)', async () => {
    applyOverview(
      {
        source: SOURCE,
        now: NOW,
        symbols: 9,
        advancing: 9,
        declining: 0,
        unchanged: 0,
        volume_24h: '1',
        gainers: [{ ...BOARD[0]!, price_change_24h: 9 }],
        losers: [],
        mostTraded: [BOARD[0]!],
        refused: {},
        stale: false,
      },
      'network',
    );
    await open('/market');
    expect(said(glance())).toContain('1 up, 1 down');
    expect(said(glance())).toContain('1 unchanged');
    act(() => {
      applyTicks(falling, NOW + 1);
    });
    await waitFor(() => {
      expect(said(glance())).toContain('0 up, 3 down');
    });
    expect(said(glance())).not.toMatch(/9 up|of 9 pairs/);
  }, 30_000);

  it('names nobody the strongest while everything falls: it says so, and which falls least', async () => {
    applyTicks(falling, NOW + 1);
    await open('/market');
    expect(said(glance())).toMatch(/Strongest, 24 hNo pair is upSmallest fall: ETH ▼−0\.20 %/);
    expect(said(glance())).toMatch(/Weakest, 24 hPEPE ▼−4\.50 %then BTC, ETH/);
    act(() => {
      applyTicks(
        falling.map((one, index) => ({
          ...one,
          price_change_24h: [2, 0.3, 1][index]!,
          timestamp: NOW + 2,
        })),
        NOW + 2,
      );
    });
    await waitFor(() => {
      expect(said(glance())).toMatch(/Weakest, 24 hNo pair is downSmallest rise: ETH ▲\+0\.30 %/);
    });
  }, 30_000);

  it('says of what moment its figures are while there is no network', async () => {
    connection.online = 'offline';
    await open('/market');
    expect(said(glance())).toMatch(/Rising and falling, at \d\d[:.]\d\d/);
    act(() => {
      connection.online = 'online';
    });
    await waitFor(() => {
      expect(said(glance())).not.toMatch(/, at \d/);
    });
  }, 30_000);

  it('draws each day in the colour of the change beside it, and ends its line at the price of now', async () => {
    applySparklines(
      {
        now: NOW,
        lines: {
          'BTC/USDT': { to: NOW, points: [100, 90, 110] },
          'ETH/USDT': { to: NOW, points: [100, 120, 130] },
          'PEPE/USDT': { to: NOW - 3 * 3_600_000, points: [1, 2, 3] },
        },
      },
      'network',
    );
    await open('/market');
    const line = (symbol: string): SVGElement =>
      within(
        screen.getByRole('link', { name: symbol }).closest<HTMLElement>('[role="row"]')!,
      ).getAllByRole('img')[0] as unknown as SVGElement;
    const ends = (symbol: string): number[] => {
      const y = [
        ...(line(symbol).querySelector('path')?.getAttribute('d') ?? '').matchAll(
          /[ML][\d.]+ ([\d.]+)/g,
        ),
      ].map((match) => Number(match[1]));
      return [y[0]!, y.at(-1)!];
    };
    expect(line('BTC/USDT').getAttribute('class')).toContain('text-gain');
    expect(line('ETH/USDT').getAttribute('class')).toContain('text-loss');
    // Above is a smaller y: what is drawn in the colour of a loss ends below where it began.
    expect(ends('BTC/USDT')[1]! < ends('BTC/USDT')[0]!).toBe(true);
    expect(ends('ETH/USDT')[1]! > ends('ETH/USDT')[0]!).toBe(true);
    // A line of an earlier day has no colour, and says when it ends.
    expect(line('PEPE/USDT').getAttribute('class')).toContain('text-ink-3');
    expect(line('PEPE/USDT').getAttribute('aria-label')).toMatch(/^24 hours to /);
  }, 30_000);

  it('shows the market at a glance with the live change of its leaders (R7-11)', async () => {
    applyOverview(
      {
        source: SOURCE,
        now: NOW,
        symbols: 4,
        advancing: 1,
        declining: 1,
        unchanged: 1,
        volume_24h: '3154000',
        gainers: [{ ...BOARD[0]!, price_change_24h: 9 }],
        losers: [BOARD[1]!],
        mostTraded: [BOARD[1]!],
        refused: {},
        stale: false,
      },
      'network',
    );
    await open('/market');
    const glance = screen.getAllByText('Strongest, 24 h')[0]!.closest('dl')!;
    expect(glance.textContent).toContain('1 up, 1 down');
    expect(glance.textContent).toContain('1 unchanged');
    // The list below says +1.20 %, whatever an overview said a minute ago.
    expect(glance.textContent?.replace(/\u202f/g, ' ')).toContain('BTC ▲+1.20 %');
  }, 30_000);
});

describe('the volume of the market', () => {
  const volume = async (): Promise<string | undefined> => {
    await open('/market');
    const term = screen.getByText('Volume, 24 h, USDT');
    return term.closest('div')?.textContent;
  };

  it('is unknown while no pair has one', async () => {
    const symbols = structuredClone(BOARD).map((one) => ({ ...one, volume_24h: null }));
    applyMarket({ source: SOURCE, now: NOW + 1, symbols }, 'network');
    const text = await volume();
    expect(text).toContain('—');
    expect(text).not.toContain('0.00');
  }, 30_000);

  it('says of how many pairs it is', async () => {
    const symbols = structuredClone(BOARD).map((one, place) =>
      place === 0 ? { ...one, volume_24h: null } : one,
    );
    applyMarket({ source: SOURCE, now: NOW + 1, symbols }, 'network');
    expect(await volume()).toContain('of 3 pairs');
  }, 30_000);
});

describe('/markets', () => {
  it('leads to the market (R2-04)', async () => {
    await open('/markets');
    expect(location.pathname).toBe('/market');
  }, 30_000);
});

describe('one pair', () => {
  it('that is not offered says so, with what may have been meant and the way back', async () => {
    await open('/market/ETC-USDT');
    expect(screen.getByText('Pair not available')).toBeTruthy();
    expect(screen.getByRole('link', { name: 'All pairs' }).getAttribute('href')).toBe('/market');
  }, 30_000);

  it('keeps its page, and a dialog with what was typed, where an exchange in the server’s place has no such pair (R2-15, R7-13)', async () => {
    applySparklines(
      { now: NOW, lines: { 'BTC/USDT': { to: NOW, points: [60_000, 61_000, 62_000] } } },
      'snapshot',
    );
    await open('/market/BTC-USDT');
    fireEvent.click(screen.getByRole('button', { name: 'Set alert' }));
    fireEvent.change(await screen.findByLabelText('Price', {}, { timeout: 15_000 }), {
      target: { value: '70000' },
    });
    act(() => {
      connection.online = 'offline';
      applyMarket(
        {
          source: { id: 'coinbaseexchange', kind: 'exchange', label: 'Coinbase', quote: 'USD' },
          now: NOW,
          symbols: [quote('BTC/USD', '64000', null, '1')],
        },
        'exchange',
      );
    });
    expect(await screen.findByText(/^Offline\. Coinbase prices, display only\./)).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>('Price').value).toBe('70000');
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(screen.queryByText('Pair not available')).toBeNull();
    expect(screen.getAllByText(/No price at Coinbase$/)).toHaveLength(2);
    expect(await screen.findByRole('slider', { name: /Last saved day of BTC\/USDT/ })).toBeTruthy();
    for (const name of ['Your alerts', 'Your positions', 'Your trades'])
      expect(screen.getByRole('region', { name })).toBeTruthy();
  }, 30_000);

  it('says beside an exchange account that positions and trades are of the paper account', async () => {
    const replies = recordedReplies(recordState(NOW), NOW);
    const [paper] = replies.agents!.agents;
    const pair = { trading_pairs: ['BTC/USDT'], pool: 'all_pools' as const };
    applyAgents(
      {
        ...replies.agents!,
        agents: [
          { ...paper!, ...pair },
          { ...paper!, ...pair, id: 'real', name: 'Really there', connectionId: CONNECTION_ID },
        ],
      },
      'network',
    );
    applyPortfolio({ ...replies.portfolio!, positions: [] }, 'network');
    applyHistory({ ...replies.history!, fills: [] }, 'network');
    accountChoice.known = [{ id: CONNECTION_ID, exchange: 'kraken', label: 'Mine' }];
    accountChoice.chosen = CONNECTION_ID;
    await open('/market/BTC-USDT');
    for (const name of ['Your positions', 'Your trades'])
      within(screen.getByRole('region', { name })).getByText('PAPER');
    expect(
      within(screen.getByRole('region', { name: 'Your positions' }))
        .getByRole('link', { name: 'Kraken' })
        .getAttribute('href'),
    ).toBe(`/live/${CONNECTION_ID}`);
    expect(screen.getByText(/mark where your paper agents bought and sold/)).toBeTruthy();
    const agents = screen.getByRole('region', { name: 'Agents trading this pair' });
    expect(within(agents).getAllByText('LIVE')).toHaveLength(1);
  }, 30_000);

  it('says that older trades than those at hand may be of the pair', async () => {
    const replies = recordedReplies(recordState(NOW), NOW);
    const fills = replies.history!.fills.map((one) => ({ ...one, pair: 'ETH/USDT' }));
    applyHistory({ ...replies.history!, fills, total: fills.length + 1 }, 'network');
    await open('/market/BTC-USDT');
    const trades = screen.getByRole('region', { name: 'Your trades' });
    expect(trades.textContent).toContain(`None among your newest ${fills.length} trades.`);
    act(() => {
      applyHistory(
        {
          ...replies.history!,
          fills,
          total: fills.length,
          sequence: replies.history!.sequence + 1,
        },
        'network',
      );
    });
    await waitFor(() => {
      expect(trades.textContent).toContain('None in this pair.');
    });
  }, 30_000);

  it('denies no agent, position or trade of which it does not know (R7-13)', async () => {
    const replies = recordedReplies(recordState(NOW), NOW);
    const [agent] = replies.agents!.agents;
    const follower = { ...agent!, trading_pairs: [], pool: 'momentum_24h' as const };
    applyAgents({ ...replies.agents!, agents: [follower] }, 'network');
    applyPortfolio({ ...replies.portfolio!, positions: [] }, 'network');
    applyHistory({ ...replies.history!, fills: [], total: 0 }, 'network');
    applyPools({ pools: POOL_LIST.pools.map((pool) => ({ ...pool, pairs: [] })) }, 'exchange');
    await open('/market/BTC-USDT');
    const agents = screen.getByRole('region', { name: 'Agents trading this pair' });
    expect(agents.textContent).toContain('— The pairs of one agent are unknown now.');
    expect(agents.textContent).not.toContain('None');
    act(() => {
      applyPools(POOL_LIST, 'network');
    });
    await within(agents).findByText('None of your agents.');
    act(() => {
      connection.online = 'offline';
    });
    await within(agents).findByText('None of your agents when last seen.');
    for (const name of ['Your positions', 'Your trades']) {
      const region = screen.getByRole('region', { name });
      expect(region.textContent).toContain('None in this pair when last seen.');
      expect(region.querySelector('[data-age-since]')).not.toBeNull();
    }
  }, 30_000);

  it('says what of the user’s own could not be read instead of waiting for ever, and reads it again (R2-15)', async () => {
    const failed = new ApiError('', { code: 'internal', status: 500, text: '' });
    call.mockImplementation((name: string) =>
      ['agents', 'portfolio', 'history'].includes(name) ? Promise.reject(failed) : never(),
    );
    await open('/market/BTC-USDT');
    const parts = ['Your positions', 'Agents trading this pair', 'Your trades'];
    await waitFor(() => {
      for (const name of parts)
        expect(screen.getByRole('region', { name }).textContent).toContain('Not loaded yet.');
    });
    const replies = recordedReplies(recordState(NOW), NOW);
    call.mockImplementation((name: string) =>
      name === 'portfolio' ? Promise.resolve({ ...replies.portfolio!, positions: [] }) : never(),
    );
    fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await within(screen.getByRole('region', { name: 'Your positions' })).findByText(
      'None in this pair.',
    );
  }, 30_000);

  it('keeps no dialog open that was opened for another pair (R2-15)', async () => {
    await open('/market/BTC-USDT');
    fireEvent.click(screen.getByRole('button', { name: 'Create agent for this pair' }));
    await screen.findByRole('dialog', { name: 'New agent for BTC/USDT' }, { timeout: 20_000 });
    act(() => {
      navigate('/market/ETH-USDT');
    });
    await screen.findByRole('heading', { level: 1, name: /^ETH\/USDT/, hidden: true });
    await waitFor(() => {
      expect(screen.queryByRole('dialog')).toBeNull();
    });
  }, 60_000);

  it('shows its day, its candles as a table with all five figures, and averages by their stated periods', async () => {
    call.mockImplementation((name: string) =>
      name === 'candles'
        ? Promise.resolve({
            symbol: 'BTC/USDT',
            interval: '1h',
            candles: Array.from({ length: 60 }, (_none, hour) => [
              hour * 3_600_000,
              '10',
              '14',
              '9',
              '12',
              '345',
            ]),
          })
        : never(),
    );
    await open('/market/BTC-USDT');
    await screen.findByRole('slider');
    fireEvent.click(screen.getByRole('button', { name: 'Indicators' }));
    expect(screen.getByRole('button', { name: 'EMA 20' }).getAttribute('aria-pressed')).toBe(
      'true',
    );
    for (const name of ['SMA 50', 'RSI 14']) fireEvent.click(screen.getByRole('button', { name }));
    expect(screen.getByRole('slider').getAttribute('aria-valuetext')).toMatch(
      /open 10\.00, high 14\.00, low 9\.00, close 12\.00 USDT/,
    );
    fireEvent.click(screen.getByRole('button', { name: 'Table' }));
    await screen.findByRole('columnheader', { name: 'RSI 14' });
    const cells = within(screen.getByRole('table')).getAllByRole('row')[1]!;
    expect(cells.textContent).toMatch(/10\.0014\.009\.0012\.00345\.0012\.0012\.0050\.0$/);
    expect(
      within(screen.getByRole('table'))
        .getAllByRole('columnheader')
        .slice(-3)
        .map((head) => head.textContent),
    ).toEqual(['SMA 50', 'EMA 20', 'RSI 14']);
  }, 30_000);

  it('says offline how old its candles are, and announces no second of it', async () => {
    call.mockImplementation((name: string) =>
      name === 'candles'
        ? Promise.resolve({
            symbol: 'BTC/USDT',
            interval: '1h',
            candles: [
              [0, '10', '14', '9', '12', '345'],
              [3_600_000, '12', '14', '9', '12', '345'],
            ],
          })
        : never(),
    );
    await open('/market/BTC-USDT');
    await screen.findByRole('slider');
    act(() => {
      connection.online = 'offline';
    });
    const age = await screen.findByText(/^As of .* ago\.$/);
    expect(age.closest('[role="status"], [role="alert"], [aria-live], output')).toBeNull();
  }, 30_000);

  it('goes back in time when its first candle is reached, as far as there are candles', async () => {
    const hours = (from: number, to: number) =>
      Array.from({ length: to - from }, (_none, hour) => [
        (from + hour) * 3_600_000,
        '10',
        '14',
        '9',
        '12',
        '345',
      ]);
    call.mockImplementation((name: string, { query }: { query?: { before?: number } } = {}) =>
      name !== 'candles'
        ? never()
        : Promise.resolve({
            symbol: 'BTC/USDT',
            interval: '1h',
            candles:
              query?.before === undefined
                ? hours(140, 200)
                : query.before === 140 * 3_600_000
                  ? hours(100, 140)
                  : [],
          }),
    );
    await open('/market/BTC-USDT');
    await screen.findByRole('slider');
    fireEvent.click(screen.getByRole('button', { name: 'Table' }));
    const rows = () => within(screen.getByRole('table')).getAllByRole('row').length - 1;
    expect(rows()).toBe(60);
    fireEvent.click(screen.getByRole('button', { name: 'Older candles' }));
    await waitFor(() => {
      expect(rows()).toBe(100);
    });
    fireEvent.click(screen.getByRole('button', { name: 'Older candles' }));
    fireEvent.click(screen.getByRole('button', { name: 'Older candles' }));
    const asked = call.mock.calls
      .filter(([name]) => name === 'candles')
      .map(([, request]) => (request as { query: { before?: number } }).query.before);
    expect(asked).toEqual([undefined, 140 * 3_600_000, 100 * 3_600_000]);
  }, 30_000);

  it('without the server draws the last day that was kept', async () => {
    connection.online = 'offline';
    applySparklines(
      {
        now: NOW,
        lines: {
          'BTC/USDT': {
            to: NOW,
            points: Array.from({ length: 64 }, (_none, step) => 60_000 + step),
          },
        },
      },
      'snapshot',
      NOW,
    );
    await open('/market/BTC-USDT');
    expect(await screen.findByRole('slider', { name: /Last saved day of BTC\/USDT/ })).toBeTruthy();
  }, 30_000);
});

describe('pools', () => {
  it('are the six for a free person too, each with its rules, risks, profile and coins, offered here or not (R6-10, R7-12)', async () => {
    applyPools(POOL_LIST, 'network');
    await open('/market?view=pools');
    const parts = await waitFor(
      () => {
        const found = screen
          .getAllByRole('region')
          .filter((one) => one.getAttribute('aria-label')?.startsWith('Pool '));
        expect(found).toHaveLength(6);
        return found;
      },
      { timeout: 15_000 },
    );
    expect(parts[0]?.textContent).toContain('On a rise.');
    expect(parts[0]?.textContent).toContain('It may lose.');
    expect(parts[0]?.textContent).toContain('Not offered by this source: APT');
    expect(
      within(parts[0]!).getByRole('button', { name: 'Create agent with this pool' }),
    ).toBeTruthy();
    fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'btc' } });
    expect(
      screen
        .getAllByRole('region')
        .filter((one) => one.getAttribute('aria-label')?.startsWith('Pool ')),
    ).toHaveLength(1);
  }, 30_000);

  it('of the fallback are named and not described', async () => {
    applyPools(
      {
        pools: [
          {
            id: 'all_pools',
            name: 'All pools',
            description: 'Rules and pairs are not available while the server is not responding.',
            risk: 'unknown',
            pairs: [],
          },
        ],
      },
      'exchange',
    );
    await open('/market?view=pools');
    expect(
      await screen.findByText(
        /not available while the server is not responding/,
        {},
        { timeout: 15_000 },
      ),
    ).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Create agent with this pool' })).toBeNull();
  }, 30_000);
});
