/**
 * Reads public prices from an exchange while the server is away. They are for display only: no
 * account is valued with them.
 */
import { EXCHANGES, type ExchangeId } from '../../contract/exchanges.ts';
import type {
  MarketData,
  MarketOverview,
  MarketPools,
  MarketSource,
  SymbolQuote,
} from '../../contract/market.ts';
import { POOL_IDS, POOL_TEXT } from '../../contract/pools.ts';
import {
  fixedFromNumber,
  formatFixed,
  multiply,
  parseFixed,
  sum,
  ZERO,
} from '../../contract/money.ts';
import { readBinance } from './exchanges/binance.ts';
import { readCoinbase } from './exchanges/coinbase.ts';
import { readKraken } from './exchanges/kraken.ts';
import type { GetJson, Reading, ReadPrices } from './exchanges/reading.ts';

const READERS: Readonly<Record<ExchangeId, ReadPrices>> = {
  coinbaseexchange: readCoinbase,
  kraken: readKraken,
  binance: readBinance,
};
const SPELLABLE = /^[A-Z]{2,10}\/[A-Z]{2,10}$/;
const TIMEOUT_MS = 10_000;

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
  const { label, quote } = EXCHANGES[id];
  const source: MarketSource = { id, kind: 'exchange', label, quote };
  const get: GetJson = async (url) => {
    const response = await send(url, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
    });
    if (!response.ok) throw new Error(`${label} answered ${response.status}`);
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
        pools: POOL_IDS.map((id) => ({
          id,
          name: POOL_TEXT[id].name,
          description: FALLBACK_DESCRIPTION,
          risk: 'unknown',
          pairs: id === 'all_pools' ? pairs : [],
        })),
      };
    },
  };
}

async function readQuotes(id: ExchangeId, get: GetJson, now: number): Promise<SymbolQuote[]> {
  const readings = await READERS[id](get, now);
  const quotes = readings
    .map(quoteOf)
    .filter((quote) => quote !== null)
    .filter((quote) => quote.symbol.endsWith(`/${EXCHANGES[id].quote}`));
  if (quotes.length === 0) throw new Error(`${EXCHANGES[id].label} offered no prices`);
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
