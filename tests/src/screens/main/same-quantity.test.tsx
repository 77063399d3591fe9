// @vitest-environment happy-dom
/**
 * One reading of the account, shown by every screen that has a part of it: the same quantity is the
 * same text, and what ticks is not spoken.
 */
import '../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Agent } from '../../../../contract/agents.ts';
import type { Portfolio } from '../../../../contract/trading.ts';

const { call } = vi.hoisted(() => ({ call: vi.fn() }));
const never = () => new Promise<never>(() => undefined);
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call, marketData: never, marketOverview: never, marketPools: never },
}));

const { Routes } = await import('../../../../src/App.tsx');
const { parseTyped } = await import('../../../../src/format/typed-numbers.ts');
const { browserLocale, ownLocale } = await import('../../../support/locale.ts');
const { session } = await import('../../../../src/identity/session.ts');
const { applyAgents, clearAgents } = await import('../../../../src/stores/agents-store.ts');
const { connection } = await import('../../../../src/stores/connection.ts');
const { applyHistory, clearHistory } = await import('../../../../src/stores/fills-store.ts');
const { applyMarket, applyTicks, clearMarket } =
  await import('../../../../src/stores/market-store.ts');
const { applyPortfolio, clearPortfolio } =
  await import('../../../../src/stores/portfolio-store.ts');
const { applySubscription, clearSubscription } =
  await import('../../../../src/stores/subscription-store.ts');

const NOW = Date.now();
/**
 * No two are near each other, nor near an hour or a minute, so that a number on a screen can be
 * only one of them.
 */
const QUANTITY = {
  equity: '10482.1749',
  cash: '8350.4412',
  positionsValue: '2131.7337',
  deposits: '9911',
  dayChange: '128.3951',
  price: '2537.7782',
  averageCost: '2604.0517',
  quantity: '0.843761',
  unrealized: '-455.9182',
  total: '241.2049',
  realized: '697.1231',
  fees: '306.3127',
} as const;

const AGENT: Agent = {
  id: 'a1',
  name: 'Harbour',
  trading_pairs: ['ETH/USDT'],
  risk_profile: 'Moderate',
  max_position_size: 3_333,
  execution_interval: '5-minute',
  enabled: true,
  pool: 'all_pools',
  tradingFrequency: 'optimized',
  status: 'running',
  hold: null,
  generation: 1,
  version: 1,
  quote: 'USDT',
  openPositions: 1,
  realized: QUANTITY.realized,
  unrealized: QUANTITY.unrealized,
  fees: QUANTITY.fees,
  total: QUANTITY.total,
  createdAt: NOW,
  startedAt: NOW,
  stoppedAt: null,
  lastRunAt: NOW - 120_000,
  nextRunAt: NOW + 180_000,
};
const PORTFOLIO: Portfolio = {
  accountId: 'account',
  book: 1,
  paper: true,
  sourceId: 'replay',
  quote: 'USDT',
  sequence: 3,
  asOf: NOW,
  servedAt: NOW,
  cash: QUANTITY.cash,
  positionsValue: QUANTITY.positionsValue,
  equity: QUANTITY.equity,
  deposits: QUANTITY.deposits,
  realized: QUANTITY.realized,
  unrealized: QUANTITY.unrealized,
  fees: QUANTITY.fees,
  dayChange: QUANTITY.dayChange,
  dayChangePercent: 1.24,
  unpriced: [],
  positions: [
    {
      id: 'p1',
      agentId: 'a1',
      agentName: 'Harbour',
      pair: 'ETH/USDT',
      quantity: QUANTITY.quantity,
      averageCost: QUANTITY.averageCost,
      cost: '2187.6519',
      price: QUANTITY.price,
      priceAt: NOW,
      value: QUANTITY.positionsValue,
      unrealized: QUANTITY.unrealized,
      stopPrice: '2403.1',
      openedAt: NOW,
    },
  ],
  equityCurve: [
    [NOW - 60_000, '10000'],
    [NOW, QUANTITY.equity],
  ],
};
const quote = (symbol: string, price: string) => ({
  symbol,
  price,
  bid: price,
  ask: price,
  volume_24h: '71717171',
  high_24h: '77777',
  low_24h: '55555',
  price_change_24h: -0.4,
  timestamp: NOW,
  stale: false,
});

beforeEach(() => {
  call.mockImplementation(never);
  connection.online = 'online';
  Object.assign(session, {
    status: 'signed-in',
    provisional: false,
    expiresAt: NOW + 4 * 3_600_000,
    endingSoon: false,
    user: {
      uid: 'uid-1',
      email: 'a@example.com',
      displayName: null,
      metadata: { lastSignInTime: new Date().toUTCString() },
    },
  });
  applySubscription(
    {
      status: {
        subscription: {
          status: 'active',
          tier: 'pro',
          planId: 'pro',
          currentPeriodEnd: null,
          cancelAtPeriodEnd: false,
        },
        entitledTier: 'pro',
        servedAt: NOW,
      },
      trial: null,
    },
    'network',
  );
  applyAgents({ agents: [AGENT], sequence: 3, asOf: NOW }, 'network');
  applyPortfolio(PORTFOLIO, 'network');
  applyHistory({ fills: [], sequence: 3, asOf: NOW }, 'network');
  applyMarket(
    {
      source: { id: 'replay', kind: 'replay', label: 'Replayed prices', quote: 'USDT' },
      now: NOW,
      symbols: [quote('BTC/USDT', '64210.5'), quote('ETH/USDT', QUANTITY.price)],
    },
    'network',
  );
});
afterEach(() => {
  cleanup();
  ownLocale();
  clearAgents();
  clearHistory();
  clearMarket();
  clearPortfolio();
  clearSubscription();
});

/** Texts of the leaves of a page: a number is one text, never two that stand beside each other. */
function texts(): string[] {
  const found: string[] = [];
  const walker = document.createTreeWalker(
    document.getElementById('content') ?? document.body,
    NodeFilter.SHOW_TEXT,
  );
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    found.push(node.textContent ?? '');
  return found;
}

/** How a quantity is written on the page: every number in it that can be nothing else. */
function writings(quantity: string): string[] {
  const size = Math.abs(Number(quantity));
  const numbers = texts().flatMap(
    (text) => text.match(/[−+]?\d[\d\u202f\u00a0’.,]*\d?(?:\u202f[kMBT])?/g) ?? [],
  );
  const of = (text: string): number => {
    const scale = { k: 1e3, M: 1e6, B: 1e9, T: 1e12 }[/[kMBT]$/.exec(text)?.[0] ?? ''] ?? 1;
    return (
      Math.abs(
        Number(
          parseTyped(text.replace(/[−+]|\u202f?[kMBT]$/g, '').replace(/[.,]$/, ''), {
            strict: true,
          }) ?? 'none',
        ),
      ) * scale
    );
  };
  return [...new Set(numbers.filter((text) => Math.abs(of(text) - size) / size < 0.003))];
}

const SCREENS = [
  '/dashboard',
  '/portfolio',
  '/agents',
  '/agents/a1',
  '/stop-all',
  '/market/ETH-USDT',
];

describe('one reading on every screen', () => {
  it.each(['en-US', 'de-DE', 'fr-FR', 'hi-IN'])(
    'writes the same quantity the same way wherever it stands, in %s',
    async (locale) => {
      browserLocale(locale);
      const found: Record<string, Record<string, string[]>> = {};
      for (const path of SCREENS) {
        history.replaceState(null, '', path);
        render(<Routes />);
        await screen.findByRole('heading', { level: 1 }, { timeout: 10_000 });
        // The parts that come by themselves are there as well.
        await act(async () => {
          await new Promise((resolve) => {
            setTimeout(resolve, 50);
          });
        });
        for (const [name, value] of Object.entries(QUANTITY)) {
          const written = writings(value);
          if (written.length > 0) (found[name] ??= {})[path] = written;
        }
        cleanup();
      }
      const differing = Object.entries(found).filter(
        ([, by]) => new Set(Object.values(by).flat()).size > 1,
      );
      expect(differing).toEqual([]);
      // The comparison is worth something only where a quantity stands on several screens.
      const several = Object.entries(found)
        .filter(([, by]) => Object.keys(by).length > 1)
        .map(([name]) => name);
      expect(several).toEqual(
        expect.arrayContaining(['equity', 'total', 'unrealized', 'quantity', 'price']),
      );
    },
    60_000,
  );

  it.each(['/dashboard', '/portfolio', '/agents'])(
    'speaks no number that ticks on %s: live regions stay as they are',
    async (path) => {
      history.replaceState(null, '', path);
      render(<Routes />);
      await screen.findByRole('heading', { level: 1 }, { timeout: 10_000 });
      await act(async () => {
        await new Promise((resolve) => {
          setTimeout(resolve, 50);
        });
      });
      const live = (): string[] =>
        [
          ...document.querySelectorAll(
            '[role=status], [role=alert], [aria-live]:not([aria-live=off])',
          ),
        ].map((one) => one.textContent ?? '');
      const before = live();
      const body = document.body.textContent;
      await act(async () => {
        applyTicks(
          [quote('ETH/USDT', '2633.11'), quote('BTC/USDT', '65999.25')].map((one) => ({
            ...one,
            timestamp: NOW + 1_000,
          })),
          NOW + 1_000,
        );
        applyPortfolio(
          { ...PORTFOLIO, sequence: 4, equity: '10999.4', dayChange: '645.62', unrealized: '25.2' },
          'stream',
        );
        applyAgents(
          {
            agents: [{ ...AGENT, total: '122.33', unrealized: '25.2' }],
            sequence: 4,
            asOf: NOW + 1_000,
          },
          'stream',
        );
        await Promise.resolve();
      });
      // Quotes are laid down once a frame.
      await waitFor(() => {
        expect(document.body.textContent).not.toBe(body);
      });
      expect(live()).toEqual(before);
    },
    30_000,
  );
});
