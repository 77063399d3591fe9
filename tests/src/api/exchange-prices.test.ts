/** Public prices of three exchanges, read from what each really sends. */
import { describe, expect, it } from 'vitest';
import { PoolId } from '../../../contract/agents.ts';
import { MarketData, MarketOverview, MarketPools } from '../../../contract/market.ts';
import { isExchange, type ExchangeId } from '../../../contract/exchanges.ts';
import { exchangePrices } from '../../../src/api/exchange-prices.ts';
import { readBinance } from '../../../src/api/exchanges/binance.ts';
import { readKraken } from '../../../src/api/exchanges/kraken.ts';
import { TICKER as BINANCE_TICKER } from '../../support/exchange/recorded/recorded-binance.ts';
import { PAIRS, TICKER as KRAKEN_TICKER } from '../../support/exchange/recorded/recorded-kraken.ts';

const NOW = 1_700_000_000_000;
const ANSWERS: Record<string, unknown> = {
  'https://api.exchange.coinbase.com/products/stats': {
    'BTC-USD': {
      stats_24hour: {
        open: '60000',
        high: '61500.5',
        low: '59000',
        last: '61200',
        volume: '1000.5',
      },
    },
    'ETH-USD': {
      stats_24hour: { open: '2500', high: '2600', low: '2400', last: '2450', volume: '20000' },
    },
    'ETH-BTC': {
      stats_24hour: { open: '0.04', high: '0.05', low: '0.03', last: '0.04', volume: '7' },
    },
    '1INCH-USD': { stats_24hour: { open: '1', high: '1', low: '1', last: '1', volume: '7' } },
    'BAD-USD': { stats_24hour: { open: '1', high: '1', low: '1', last: '0', volume: '7' } },
    'NEW-USD': {},
  },
  'https://api.kraken.com/0/public/AssetPairs': {
    error: [],
    result: { XXBTZUSD: { wsname: 'XBT/USD' }, SOLUSD: { wsname: 'SOL/USD' } },
  },
  'https://api.kraken.com/0/public/Ticker': {
    error: [],
    result: {
      XXBTZUSD: {
        a: ['61201.0', '1', '1.0'],
        b: ['61200.0', '1', '1.0'],
        c: ['61200.5', '0.1'],
        v: ['10', '1000'],
        p: [],
        t: [],
        l: ['1', '59000'],
        h: ['1', '61500'],
        o: '60000',
      },
      SOLUSD: {
        a: ['150.1'],
        b: ['150.0'],
        c: ['150.05', '1'],
        v: ['1', '2'],
        l: ['1', '140'],
        h: ['1', '160'],
        o: '150',
      },
    },
  },
  'https://api.binance.com/api/v3/ticker/24hr': [
    {
      symbol: 'BTCUSDT',
      lastPrice: '61200.00',
      bidPrice: '61199.99',
      askPrice: '61200.01',
      volume: '1000',
      highPrice: '61500',
      lowPrice: '59000',
      priceChangePercent: '2.000',
      closeTime: NOW - 5,
    },
    {
      symbol: 'ETHBTC',
      lastPrice: '0.04',
      bidPrice: '0.04',
      askPrice: '0.05',
      volume: '1',
      highPrice: '1',
      lowPrice: '1',
      priceChangePercent: '0',
      closeTime: NOW,
    },
  ],
};

const read = (id: ExchangeId) => {
  const asked: RequestInit[] = [];
  const prices = exchangePrices(id, {
    now: () => NOW,
    fetch: (async (url: string, init: RequestInit) => {
      asked.push(init);
      if (!(url in ANSWERS)) throw new Error(`Not an address of an exchange: ${url}`);
      return new Response(JSON.stringify(ANSWERS[url]));
    }) as unknown as typeof fetch,
  });
  return { prices, asked };
};

describe('exchange prices', () => {
  it("are read from Coinbase, Kraken and Binance in the contract's form, named, without the person's token (R7-13)", async () => {
    for (const [id, label, quote, bitcoin] of [
      ['coinbaseexchange', 'Coinbase Exchange', 'USD', '61200'],
      ['kraken', 'Kraken', 'USD', '61200.5'],
      ['binance', 'Binance', 'USDT', '61200'],
    ] as const) {
      const { prices, asked } = read(id);
      const data = await prices.data();
      expect(MarketData.safeParse(data).success).toBe(true);
      expect(data.source).toEqual({ id, kind: 'exchange', label, quote });
      expect(data.symbols.find(({ symbol }) => symbol === `BTC/${quote}`)?.price).toBe(bitcoin);
      for (const init of asked) {
        expect(init.headers).toBeUndefined();
        expect(init.credentials).toBe('omit');
      }
    }
  });

  it('leave out other quotes, symbols that cannot be spelt, and prices that are none', async () => {
    const data = await read('coinbaseexchange').prices.data();
    expect(data.symbols.map(({ symbol }) => symbol)).toEqual(['BTC/USD', 'ETH/USD']);
    expect(data.symbols[0]?.price_change_24h).toBeCloseTo(2, 10);
    expect((await read('coinbaseexchange').prices.data(['ETH/USD'])).symbols).toHaveLength(1);
  });

  it("do not pass off today's change for that of 24 hours", async () => {
    expect(
      (await read('kraken').prices.data()).symbols.every(
        (quote) => quote.price_change_24h === null,
      ),
    ).toBe(true);
  });

  it('add up to an overview and to the fixed list of pools', async () => {
    const { prices } = read('coinbaseexchange');
    const overview = await prices.overview();
    expect(MarketOverview.safeParse(overview).success).toBe(true);
    expect(overview).toMatchObject({
      symbols: 2,
      advancing: 1,
      declining: 1,
      unchanged: 0,
      volume_24h: '110230600',
    });
    const pools = await prices.pools();
    expect(MarketPools.safeParse(pools).success).toBe(true);
    expect(pools.pools.map(({ id }) => id)).toEqual(PoolId.options);
  });

  it('are read from the tickers that Kraken and Binance were recorded to answer', async () => {
    const kraken = (url: string): Promise<unknown> =>
      Promise.resolve({ result: url.endsWith('/Ticker') ? { XBTUSDT: KRAKEN_TICKER } : PAIRS });
    expect(await readKraken(kraken, NOW)).toEqual([
      {
        symbol: 'BTC/USDT',
        last: 73_380.6,
        bid: 73_380.6,
        ask: 73_380.7,
        // Of 24 hours, and not of today alone.
        high: 73_580,
        low: 68_666,
        volume: 598.036_984_52,
        change: null,
        at: NOW,
      },
    ]);
    expect(await readBinance(() => Promise.resolve([BINANCE_TICKER]), NOW)).toEqual([
      {
        symbol: 'BTC/USDT',
        last: 73_369.84,
        bid: 73_369.83,
        ask: 73_369.84,
        high: 73_650.25,
        low: 68_620.82,
        volume: 72_140.348_628,
        change: 1.647,
        at: 1_710_328_245_391,
      },
    ]);
  });

  it('fail when the exchange fails', async () => {
    const prices = exchangePrices('kraken', {
      fetch: () => Promise.resolve(new Response('{}', { status: 503 })),
    });
    await expect(prices.data()).rejects.toThrow('Kraken answered 503');
    const empty = exchangePrices('binance', { fetch: () => Promise.resolve(new Response('[]')) });
    await expect(empty.data()).rejects.toThrow('Binance offered no prices');
    expect(isExchange('simulated')).toBe(false);
  });
});
