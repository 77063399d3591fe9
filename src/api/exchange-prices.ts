/**
 * Reads public prices from an exchange while the server is away. They are for display only: no
 * account is valued with them.
 */
import * as z from 'zod/mini';
import type {
  MarketData,
  MarketOverview,
  MarketPools,
  MarketSource,
  SymbolQuote,
} from '../../contract/market.ts';
import {
  fixedFromNumber,
  formatFixed,
  multiply,
  parseFixed,
  sum,
  ZERO,
} from '../../contract/money.ts';

export type ExchangeId = 'coinbaseexchange' | 'kraken' | 'binance';

/** Hosts of the exchanges' public prices; the server's CSP allows these and no others. */
const EXCHANGE_HOSTS: Readonly<Record<ExchangeId, string>> = {
  coinbaseexchange: 'https://api.exchange.coinbase.com',
  kraken: 'https://api.kraken.com',
  binance: 'https://api.binance.com',
};

const LABEL: Readonly<Record<ExchangeId, string>> = {
  coinbaseexchange: 'Coinbase Exchange',
  kraken: 'Kraken',
  binance: 'Binance',
};
const QUOTE: Readonly<Record<ExchangeId, string>> = {
  coinbaseexchange: 'USD',
  kraken: 'USD',
  binance: 'USDT',
};
const SPELLABLE = /^[A-Z]{2,10}\/[A-Z]{2,10}$/;
const TIMEOUT_MS = 10_000;

const numeric = z.coerce.number();
const CoinbaseStats = z.record(
  z.string(),
  z.object({
    stats_24hour: z.optional(
      z.object({ open: numeric, high: numeric, low: numeric, last: numeric, volume: numeric }),
    ),
  }),
);
const KrakenPairs = z.object({
  result: z.record(z.string(), z.object({ wsname: z.optional(z.string()) })),
});
const KrakenTickers = z.object({
  result: z.record(
    z.string(),
    z.object({
      a: z.array(numeric),
      b: z.array(numeric),
      c: z.array(numeric),
      v: z.array(numeric),
      l: z.array(numeric),
      h: z.array(numeric),
    }),
  ),
});
const BinanceTickers = z.array(
  z.object({
    symbol: z.string(),
    lastPrice: numeric,
    bidPrice: numeric,
    askPrice: numeric,
    volume: numeric,
    highPrice: numeric,
    lowPrice: numeric,
    priceChangePercent: numeric,
    closeTime: z.number(),
  }),
);

interface Reading {
  symbol: string;
  last: number;
  bid?: number;
  ask?: number;
  high: number;
  low: number;
  volume: number;
  change: number | null;
  at: number;
}

/** Whether an exchange's prices can be read in a browser without a key. */
export function isExchange(id: string | null | undefined): id is ExchangeId {
  return id === 'coinbaseexchange' || id === 'kraken' || id === 'binance';
}

type Get = (url: string) => Promise<unknown>;

const readCoinbase = async (get: Get, now: number): Promise<Reading[]> => {
  const stats = CoinbaseStats.parse(await get(`${EXCHANGE_HOSTS.coinbaseexchange}/products/stats`));
  return Object.entries(stats).flatMap(([id, { stats_24hour: day }]) =>
    day === undefined
      ? []
      : [
          {
            symbol: id.replace('-', '/'),
            last: day.last,
            high: day.high,
            low: day.low,
            volume: day.volume,
            change: day.open > 0 ? (day.last / day.open - 1) * 100 : null,
            at: now,
          },
        ],
  );
};

const readKraken = async (get: Get, now: number): Promise<Reading[]> => {
  const [pairs, tickers] = await Promise.all([
    get(`${EXCHANGE_HOSTS.kraken}/0/public/AssetPairs`),
    get(`${EXCHANGE_HOSTS.kraken}/0/public/Ticker`),
  ]);
  const names = KrakenPairs.parse(pairs).result;
  return Object.entries(KrakenTickers.parse(tickers).result).map(([id, t]) => ({
    symbol: (names[id]?.wsname ?? '').replace(/^XBT\//, 'BTC/').replace(/^XDG\//, 'DOGE/'),
    last: t.c[0] ?? NaN,
    bid: t.b[0] ?? NaN,
    ask: t.a[0] ?? NaN,
    high: t.h[1] ?? NaN,
    low: t.l[1] ?? NaN,
    volume: t.v[1] ?? NaN,
    // Kraken's open is today's, not that of 24 hours ago: no change is better than a wrong one.
    change: null,
    at: now,
  }));
};

const readBinance = async (get: Get): Promise<Reading[]> => {
  const tickers = BinanceTickers.parse(await get(`${EXCHANGE_HOSTS.binance}/api/v3/ticker/24hr`));
  return tickers
    .filter((t) => t.symbol.endsWith(QUOTE.binance))
    .map((t) => ({
      symbol: `${t.symbol.slice(0, -QUOTE.binance.length)}/${QUOTE.binance}`,
      last: t.lastPrice,
      bid: t.bidPrice,
      ask: t.askPrice,
      high: t.highPrice,
      low: t.lowPrice,
      volume: t.volume,
      change: t.priceChangePercent,
      at: t.closeTime,
    }));
};

const amount = (value: number | undefined): string | null =>
  value === undefined || !Number.isFinite(value) || value <= 0 || value >= 1e20
    ? null
    : formatFixed(fixedFromNumber(value));

function quoteOf(reading: Reading): SymbolQuote | null {
  const price = amount(reading.last);
  if (price === null || !SPELLABLE.test(reading.symbol)) return null;
  return {
    symbol: reading.symbol,
    price,
    bid: amount(reading.bid),
    ask: amount(reading.ask),
    volume_24h: reading.volume === 0 ? '0' : amount(reading.volume),
    high_24h: amount(reading.high),
    low_24h: amount(reading.low),
    price_change_24h:
      reading.change !== null && Number.isFinite(reading.change) ? reading.change : null,
    timestamp: reading.at,
    stale: false,
  };
}

export interface ExchangePrices {
  /** All symbols in the exchange's quote currency, or only the named ones. */
  data(symbols?: readonly string[]): Promise<MarketData>;
  overview(): Promise<MarketOverview>;
  pools(): Promise<MarketPools>;
}

export function exchangePrices(
  id: ExchangeId,
  options: { fetch?: typeof fetch; now?: () => number } = {},
): ExchangePrices {
  const { fetch: send = (input, init) => fetch(input, init), now = Date.now } = options;
  const source: MarketSource = { id, kind: 'exchange', label: LABEL[id], quote: QUOTE[id] };
  const get: Get = async (url) => {
    const response = await send(url, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
    });
    if (!response.ok) throw new Error(`${LABEL[id]} answered ${response.status}`);
    return response.json();
  };
  const data = async (symbols?: readonly string[]): Promise<MarketData> => {
    const quotes = await readQuotes(id, get, now());
    return {
      source,
      now: now(),
      symbols:
        symbols === undefined ? quotes : quotes.filter((quote) => symbols.includes(quote.symbol)),
    };
  };
  return {
    data,
    async overview() {
      const quotes = (await data()).symbols;
      return overviewOf(quotes, source, now());
    },
    async pools() {
      const pairs = (await data()).symbols.map((quote) => quote.symbol).sort();
      return {
        pools: POOLS.map(([pool, name]) => ({
          id: pool,
          name,
          description: FALLBACK_DESCRIPTION,
          risk: 'unknown',
          pairs: pool === 'all_pools' ? pairs : [],
        })),
      };
    },
  };
}

const readers: Readonly<Record<ExchangeId, (get: Get, now: number) => Promise<Reading[]>>> = {
  coinbaseexchange: readCoinbase,
  kraken: readKraken,
  binance: readBinance,
};

async function readQuotes(id: ExchangeId, get: Get, now: number): Promise<SymbolQuote[]> {
  const readings = await readers[id](get, now);
  const quotes = readings
    .map(quoteOf)
    .filter((quote) => quote !== null)
    .filter((quote) => quote.symbol.endsWith(`/${QUOTE[id]}`));
  if (quotes.length === 0) throw new Error(`${LABEL[id]} offered no prices`);
  return quotes;
}

const turnover = (quote: SymbolQuote) =>
  quote.volume_24h === null
    ? ZERO
    : multiply(parseFixed(quote.volume_24h), parseFixed(quote.price), 'down');

function overviewOf(quotes: SymbolQuote[], source: MarketSource, now: number): MarketOverview {
  const moved = quotes
    .filter((quote) => quote.price_change_24h !== null)
    .sort((a, b) => (b.price_change_24h ?? 0) - (a.price_change_24h ?? 0));
  const traded = [...quotes].sort((a, b) => (turnover(b) > turnover(a) ? 1 : -1));
  return {
    source,
    now,
    symbols: quotes.length,
    advancing: moved.filter((quote) => (quote.price_change_24h ?? 0) > 0).length,
    declining: moved.filter((quote) => (quote.price_change_24h ?? 0) < 0).length,
    unchanged: moved.filter((quote) => quote.price_change_24h === 0).length,
    volume_24h: formatFixed(sum(quotes.map(turnover))),
    gainers: moved.slice(0, 5),
    losers: moved.slice(-5).reverse(),
    mostTraded: traded.slice(0, 5),
    refused: {},
    stale: false,
  };
}

const FALLBACK_DESCRIPTION =
  'Rules and pairs are not available while the server is not responding.';
/** The fixed list of pools, for any tier; their pairs are only known to the server. */
const POOLS = [
  ['base_ecosystem', 'Base ecosystem'],
  ['momentum_24h', '24 h momentum'],
  ['weekly_leaders', 'Weekly leaders'],
  ['ytd_champions', 'Year-to-date champions'],
  ['stablecoin_arbitrage', 'Stablecoin arbitrage'],
  ['all_pools', 'All pools'],
] as const;
