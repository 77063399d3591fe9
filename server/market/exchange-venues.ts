/** The exchanges that prices may come from. Each was tried with this code. */

export const EXCHANGE_IDS = ['coinbaseexchange', 'kraken', 'binance'] as const;
export type ExchangeId = (typeof EXCHANGE_IDS)[number];

export interface ExchangeVenue {
  id: ExchangeId;
  label: string;
  quote: string;
  /** A small public address that answers 200 when the exchange can be reached. */
  probe: string;
  /** One request for all tickers with bid and ask; false: one request a pair. */
  tickersAtOnce: boolean;
  /** Most candles in one answer. */
  candlesAtOnce: number;
  /** How many requests may be in flight. ccxt spaces them by the exchange's own limit besides. */
  concurrency: number;
}

export const EXCHANGE_VENUES: Record<ExchangeId, ExchangeVenue> = {
  coinbaseexchange: {
    id: 'coinbaseexchange',
    label: 'Coinbase Exchange',
    quote: 'USD',
    probe: 'https://api.exchange.coinbase.com/time',
    tickersAtOnce: false,
    candlesAtOnce: 300,
    concurrency: 4,
  },
  kraken: {
    id: 'kraken',
    label: 'Kraken',
    quote: 'USD',
    probe: 'https://api.kraken.com/0/public/Time',
    tickersAtOnce: true,
    candlesAtOnce: 720,
    concurrency: 2,
  },
  binance: {
    id: 'binance',
    label: 'Binance',
    quote: 'USDT',
    probe: 'https://api.binance.com/api/v3/time',
    tickersAtOnce: true,
    candlesAtOnce: 1_000,
    concurrency: 4,
  },
};

/**
 * Coins followed where the exchange lists them: what the pools look at and what people ask for.
 * R5-02 can spell each.
 */
export const FOLLOWED_BASES: readonly string[] = [
  'BTC',
  'ETH',
  'SOL',
  'XRP',
  'ADA',
  'AVAX',
  'DOT',
  'DOGE',
  'LINK',
  'LTC',
  'POL',
  'ATOM',
  'UNI',
  'AAVE',
  'BCH',
  'XLM',
  'NEAR',
  'APT',
  'ARB',
  'OP',
  'SUI',
  'COMP',
  'CRV',
  'SNX',
  'AERO',
  'MORPHO',
  'VIRTUAL',
  'BRETT',
  'TOSHI',
  'DEGEN',
  'WELL',
  'ZORA',
  'USDC',
  'USDT',
  'DAI',
  'TUSD',
  'PYUSD',
  'USDS',
  'FDUSD',
];
