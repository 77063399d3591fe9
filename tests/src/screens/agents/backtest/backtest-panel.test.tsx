// @vitest-environment happy-dom
/** The result of a backtest in words: what is counted is named so that nothing else is. */
import '../../../../support/page-world.ts';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import type { BacktestDone } from '../../../../../src/screens/agents/backtest/use-backtest.ts';

const { state } = vi.hoisted(() => ({ state: { current: {} } }));
vi.mock('../../../../../src/screens/agents/backtest/use-backtest.ts', () => ({
  useBacktest: () => ({ state: state.current, run: vi.fn(), cancel: vi.fn() }),
}));
const { default: BacktestPanel } =
  await import('../../../../../src/screens/agents/backtest/BacktestPanel.tsx');

const DAY = 86_400_000;
const TO = Date.UTC(2026, 4, 20);
const trade = (pnl: string | null) => ({
  pair: 'BTC/USDT',
  quantity: '0.1',
  entryTime: new Date(TO - 3 * DAY).toISOString(),
  entryPrice: '100',
  exitTime: pnl === null ? null : new Date(TO - DAY).toISOString(),
  exitPrice: pnl === null ? null : '110',
  exitReason: null,
  pnl,
});
const METRICS = { totalReturn: 0.01, maxDrawdown: 0.02, winRate: 1, exposure: 0.5 };
const done = {
  keptAt: null,
  terms: {
    agent: { interval: '5-minute', pairs: ['BTC/USDT'] },
    ...{ quote: 'USDT', deposit: '10000', from: TO - 7 * DAY, to: TO },
    ...{ universe: null, witnesses: [], baseInterval: '5m' },
    rules: [
      { symbol: 'BTC/USDT', halfSpreadBps: 2 },
      { symbol: 'USDC/USDT', halfSpreadBps: 0.5 },
    ],
  },
  outcome: {
    ...{ finalEquity: '10100', buyAndHold: null, metrics: METRICS, reasons: [], curve: [] },
    ...{ costs: { fees: '1', slippage: '1' }, trades: [trade('1'), trade(null)] },
  },
} as unknown as BacktestDone;

afterEach(cleanup);

it('counts a purchase and its sale as one round trip, and what is still held as none yet (R2-12)', () => {
  state.current = { at: 'done', done };
  render(<BacktestPanel ask={{ agentId: 'a' }} />);
  expect(screen.getByText('Round trips').closest('div')?.textContent).toBe(
    'Round trips1, 1 still open',
  );
  expect(screen.getByText('Round trips, newest first')).toBeDefined();
  expect(screen.getByRole('region', { name: 'Backtest' }).textContent).not.toMatch(/\btrades\b/i);
});

it('says what a fill pays for the spread, and by what it measures drawdown and wins', () => {
  state.current = { at: 'done', done };
  render(<BacktestPanel ask={{ agentId: 'a' }} />);
  const said = screen.getByRole('region', { name: 'Backtest' }).textContent;
  expect(said).toContain(
    'Every fill pays a half-spread of 0.5 to 2.0 bps. Where a pair’s own spread is wider, real fills cost more.',
  );
  expect(said).toContain('Maximum drawdown, by daily equity');
  expect(said).toContain('Win rate, by round trip');
});

it.each([
  [null, "the account's present equity."],
  [TO, "the account's equity when these candles were saved."],
])('dates the equity that it starts with, for candles kept at %s', (keptAt, words) => {
  state.current = { at: 'done', done: { ...done, keptAt } };
  render(<BacktestPanel ask={{ agentId: 'a' }} />);
  expect(screen.getByRole('region', { name: 'Backtest' }).textContent).toContain(words);
});

const short = (days: number, baseInterval: string, more: object = {}) => ({
  ...done,
  terms: {
    ...done.terms,
    ...{ baseInterval, from: TO - days * DAY },
    reach: { source: 'Kraken', finest: '5m', askedFrom: TO - 30 * DAY, hoursFrom: TO - 29.9 * DAY },
    ...more,
  },
});

it.each([
  [
    'covers less and is coarser',
    short(28.9, '1h'),
    'Covers 28 of 30 days: Kraken has no older 1-hour candles. Uses 1-hour candles: Kraken has no 5-minute candles that far back.',
  ],
  [
    'is coarser',
    short(30, '1h'),
    'Uses 1-hour candles: Kraken has no 5-minute candles that far back.',
  ],
  [
    'is made on days',
    short(30, '1d', { agent: { interval: 'daily', pairs: ['BTC/USDT'] } }),
    'Uses daily candles: Kraken has no 1-hour candles that far back.',
  ],
  [
    'covers less',
    short(28.9, '1h', { agent: { interval: 'daily', pairs: ['BTC/USDT'] } }),
    'Covers 28 of 30 days: Kraken has no older 1-hour candles.',
  ],
])('says where a backtest %s than was asked for', (_what, given, words) => {
  state.current = { at: 'done', done: given };
  render(<BacktestPanel ask={{ agentId: 'a' }} />);
  expect(screen.getByText(words)).toBeDefined();
});

it('says nothing of candles that reach', () => {
  state.current = { at: 'done', done: short(30, '5m') };
  render(<BacktestPanel ask={{ agentId: 'a' }} />);
  expect(screen.queryByText(/Kraken/)).toBeNull();
});
