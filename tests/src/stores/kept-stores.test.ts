// @vitest-environment happy-dom
/** What was kept is put back at a start: with it, which exchange is asked while the server is away. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { EXCHANGES } from '../../../contract/exchanges.ts';
import { ApiError } from '../../../src/api/api-error.ts';
import { recordedReplies, recordState } from '../../../src/api/recorded-replies.ts';
import { keptStore } from '../../../src/stores/kept-stores.ts';
import { clearMarket } from '../../../src/stores/market-store.ts';

vi.mock('../../../src/api/client.ts', async (original) => ({
  ...(await original<object>()),
  createApi: () => ({
    call: () => Promise.reject(new ApiError('down', { code: 'network', status: 0, text: 'down' })),
  }),
}));
const { api } = await import('../../../src/api/api.ts');

const NOW = Date.parse('2026-01-10T12:00:00Z');
const { marketData } = recordedReplies(recordState(NOW), NOW);
const asked = new Set<string>();

beforeEach(() => {
  asked.clear();
  vi.stubGlobal('fetch', (url: string) => {
    asked.add(new URL(url).origin);
    return Promise.reject(new TypeError('down'));
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  clearMarket();
});

it.each([
  ['kraken', 'kraken'],
  ['binance', 'binance'],
  ['simulated', 'coinbaseexchange'],
] as const)(
  'a board of %s that was kept makes %s the exchange that is asked for prices (R7-13)',
  async (id, exchange) => {
    if (marketData === undefined) throw new Error('The recording has no market');
    const source = { ...marketData.source, id };
    keptStore('market')?.restore({ market: { savedAt: NOW, value: { ...marketData, source } } });
    await expect(api.marketData()).rejects.toMatchObject({ code: 'market_unavailable' });
    expect([...asked]).toEqual([EXCHANGES[exchange].priceOrigin]);
  },
);
