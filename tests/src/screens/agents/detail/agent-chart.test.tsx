// @vitest-environment happy-dom
/** The chart of an agent's pair: by whose prices the candle that is forming is drawn. */
import '../../../../support/page-world.ts';
import { act, cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';

vi.mock('../../../../../src/charts/PairChart.tsx', () => ({
  PairChart: ({ price }: { price: string | null }) => <output>{price ?? 'no price'}</output>,
}));

const { default: AgentChart } =
  await import('../../../../../src/screens/agents/detail/AgentChart.tsx');
const { applyMarket, clearMarket } = await import('../../../../../src/stores/market-store.ts');

afterEach(() => {
  cleanup();
  clearMarket();
});

const board = (price: string) => ({
  source: { id: 'kraken', kind: 'exchange' as const, label: 'Kraken', quote: 'USDT' },
  now: Date.now(),
  symbols: [
    {
      symbol: 'BTC/USDT',
      price,
      bid: price,
      ask: price,
      volume_24h: '1',
      high_24h: '1',
      low_24h: '1',
      price_change_24h: 1,
      timestamp: Date.now(),
      stale: false,
    },
  ],
});
const shown = (): string => screen.getByRole('status').textContent ?? '';

it("is drawn by the server's prices, and by no exchange's in its place (R7-13)", async () => {
  applyMarket(board('110'), 'exchange');
  render(<AgentChart pairs={['BTC/USDT']} fills={[]} rhythm="daily" quote="USDT" />);
  expect(shown()).toBe('no price');
  await act(async () => {
    applyMarket(board('100'), 'network');
    await Promise.resolve();
  });
  expect(shown()).toBe('100');
});
