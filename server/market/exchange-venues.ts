/** How the server reads each exchange that prices may come from. */
import { EXCHANGES, type ExchangeId } from '../../contract/exchanges.ts';

export interface ExchangeVenue {
  id: ExchangeId;
  label: string;
  quote: string;
  priceOrigin: string;
  /** A small public address below `priceOrigin` that answers 200 when the exchange can be reached. */
  probePath: string;
  /** One request for all tickers with bid and ask; false: one request a pair. */
  tickersAtOnce: boolean;
  /** What ccxt has to be told so that tickers by websocket have bid and ask, as those by REST have. */
  tickerStream: { name?: string };
  /** Most candles in one answer. */
  candlesAtOnce: number;
  /**
   * The exchange gives no more than this many candles of any length, the newest, and the open one is
   * among them. Null: all since the pair was listed, page by page.
   */
  candlesKept: number | null;
  /** How many requests may be in flight. ccxt spaces them by the exchange's own limit besides. */
  concurrency: number;
}

export const EXCHANGE_VENUES: Record<ExchangeId, ExchangeVenue> = {
  coinbaseexchange: {
    id: 'coinbaseexchange',
    ...EXCHANGES.coinbaseexchange,
    probePath: '/time',
    tickersAtOnce: false,
    tickerStream: {},
    candlesAtOnce: 300,
    candlesKept: null,
    concurrency: 4,
  },
  kraken: {
    id: 'kraken',
    ...EXCHANGES.kraken,
    probePath: '/0/public/Time',
    tickersAtOnce: true,
    tickerStream: {},
    candlesAtOnce: 720,
    candlesKept: 720,
    concurrency: 2,
  },
  binance: {
    id: 'binance',
    ...EXCHANGES.binance,
    probePath: '/api/v3/time',
    tickersAtOnce: true,
    // Left to itself ccxt subscribes to the miniTicker, which has no book.
    tickerStream: { name: 'ticker' },
    candlesAtOnce: 1_000,
    candlesKept: null,
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
