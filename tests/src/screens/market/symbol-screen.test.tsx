// @vitest-environment happy-dom
/** A pair's own page: how much of a day's trading it tells. */
import '../../../support/page-world.ts';
import 'fake-indexeddb/auto';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';

const never = () => new Promise<never>(() => undefined);
vi.mock('../../../../src/api/api.ts', async (original) => ({
  ...(await original<object>()),
  api: { call: never, marketData: never, marketOverview: never, marketPools: never },
}));
vi.mock('../../../../src/screens/market/SymbolChart.tsx', () => ({ SymbolChart: () => null }));

const { default: SymbolScreen } = await import('../../../../src/screens/market/SymbolScreen.tsx');
const { connection } = await import('../../../../src/stores/connection.ts');
const { applyMarket, clearMarket } = await import('../../../../src/stores/market-store.ts');

const NOW = Date.now();
afterEach(() => {
  cleanup();
  clearMarket();
});

it.each([
  ['0.4312', '0.4312 BTC'],
  ['0.00000123', '0.00000123 BTC'],
  ['12.5', '12.5 BTC'],
  ['843.217361', '843.22 BTC'],
  ['18234.5', '18.2 k BTC'],
  ['12345678901234.5', '12.3 T BTC'],
  ['0', '0 BTC'],
  [null, '— BTC'],
])('the volume of a day is neither rounded away nor spelled out: %s', (volume, text) => {
  connection.online = 'online';
  const quote = {
    ...{ symbol: 'BTC/USDT', price: '64210.5', bid: '64210', ask: '64211', volume_24h: volume },
    ...{ high_24h: '65000', low_24h: '63000', price_change_24h: 1.2, timestamp: NOW, stale: false },
  };
  applyMarket(
    {
      source: { id: 'sim', kind: 'simulated', label: 'Simulated prices', quote: 'USDT' },
      now: NOW,
      symbols: [quote],
    },
    'network',
  );
  render(<SymbolScreen params={{ symbol: 'BTC-USDT' }} />);
  const shown = screen.getByText('Volume, 24 h').nextElementSibling?.textContent;
  expect(shown?.replace(/\u202f/g, ' ')).toBe(text);
});
