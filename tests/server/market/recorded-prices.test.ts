/** What Kraken and Binance were recorded to answer about prices, as the server reads it through ccxt. */
import pLimit from 'p-limit';
import { describe, expect, it } from 'vitest';
import type { ExchangeId } from '../../../contract/exchanges.ts';
import { candleLimits, ExchangeCandles } from '../../../server/market/exchange-candles.ts';
import {
  ExchangeTicker,
  openExchangeClient,
  type ExchangeClient,
} from '../../../server/market/exchange-client.ts';
import { EXCHANGE_VENUES } from '../../../server/market/exchange-venues.ts';
import * as binance from '../../support/exchange/recorded/recorded-binance.ts';
import * as kraken from '../../support/exchange/recorded/recorded-kraken.ts';

const ANSWERS = {
  kraken: {
    id: 'XBTUSDT',
    hours: { error: [], result: { XBTUSDT: kraken.HOURS, last: 1_706_796_000 } },
    tickers: { error: [], result: { XBTUSDT: kraken.TICKER } },
  },
  binance: { id: 'BTCUSDT', hours: binance.HOURS, tickers: [binance.TICKER] },
} as const satisfies Partial<Record<ExchangeId, unknown>>;
type Recorded = keyof typeof ANSWERS;

/** The real client, of one pair, before one answer. */
async function clientOf(exchange: Recorded, answer: unknown): Promise<ExchangeClient> {
  const client = await openExchangeClient(EXCHANGE_VENUES[exchange], null);
  const pair = {
    id: ANSWERS[exchange].id,
    symbol: 'BTC/USDT',
    base: 'BTC',
    quote: 'USDT',
    type: 'spot',
    spot: true,
    precision: {},
    limits: {},
    info: {},
  };
  Object.assign(client, {
    enableRateLimit: false,
    // Without this, ccxt goes on with the one it loaded for its first request.
    fetchIsNative: false,
    fetchImplementation: () =>
      Promise.resolve(
        new Response(JSON.stringify(answer), { headers: { 'content-type': 'application/json' } }),
      ),
  });
  (client as unknown as { setMarkets: (markets: unknown[]) => void }).setMarkets([pair]);
  return client;
}

const HOUR = 3_600_000;
const FIRST = 1_706_626_800_000;

describe('recorded prices', () => {
  it.each([
    [
      'kraken',
      [
        [FIRST, 43_437.5, 43_593.7, 43_355.5, 43_361.1, 18.754_301_1],
        [FIRST + HOUR, 43_366.3, 43_529.2, 43_234.2, 43_485, 12.513_274_06],
        [FIRST + 2 * HOUR, 43_497.5, 43_594.6, 43_316.4, 43_409.5, 5.030_741_29],
        [FIRST + 3 * HOUR, 43_398.3, 43_500.5, 42_983.1, 43_386.6, 81.883_396_86],
      ],
    ],
    [
      'binance',
      [
        [FIRST + HOUR, 43_519.34, 43_936, 43_171, 43_488.71, 20.554_95],
        [FIRST + 2 * HOUR, 43_488.71, 43_832.08, 43_084, 43_374.8, 21.808_65],
        [FIRST + 3 * HOUR, 43_374.81, 44_048, 43_062, 43_361.11, 23.665_47],
      ],
    ],
  ] as const)('of %s become closed candles, oldest first', async (exchange, expected) => {
    const client = await clientOf(exchange, ANSWERS[exchange].hours);
    const venue = EXCHANGE_VENUES[exchange];
    const { concurrency } = venue;
    const candles = new ExchangeCandles(
      () => Promise.resolve(client),
      candleLimits(pLimit(concurrency), concurrency),
      venue,
      { now: () => FIRST + 48 * HOUR },
    );
    const read = await candles.read('BTC/USDT', '1h', FIRST, FIRST + 4 * HOUR);
    expect(
      read.map(({ time, open, high, low, close, volume }) => [
        time,
        open,
        high,
        low,
        close,
        volume,
      ]),
    ).toEqual(expected);
  });

  it.each([
    ['kraken', { last: 73_380.6, bid: 73_380.6, ask: 73_380.7 }],
    ['binance', { last: 73_369.84, bid: 73_369.83, ask: 73_369.84, timestamp: 1_710_328_245_391 }],
  ] as const)('of %s become a quote', async (exchange, expected) => {
    const client = await clientOf(exchange, ANSWERS[exchange].tickers);
    const { 'BTC/USDT': ticker } = await client.fetchTickers(['BTC/USDT']);
    expect(ExchangeTicker.parse(ticker)).toEqual({ symbol: 'BTC/USDT', ...expected });
  });
});
