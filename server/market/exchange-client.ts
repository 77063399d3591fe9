/** The few calls made to an exchange through ccxt, which is loaded only when needed. */
import * as z from 'zod/mini';
import type { ExchangeVenue } from './exchange-venues.ts';

const optionalNumber = z.nullish(z.number());
const Limit = z.nullish(z.object({ min: optionalNumber }));

export const ListedMarket = z.object({
  symbol: z.string(),
  base: z.string(),
  quote: z.string(),
  active: z.nullish(z.boolean()),
  spot: z.nullish(z.boolean()),
  taker: optionalNumber,
  precision: z.nullish(z.object({ amount: optionalNumber })),
  limits: z.nullish(z.object({ amount: Limit, cost: Limit })),
});
export type ListedMarket = z.infer<typeof ListedMarket>;

export const ExchangeTicker = z.object({
  symbol: z.string(),
  last: optionalNumber,
  bid: optionalNumber,
  ask: optionalNumber,
  timestamp: optionalNumber,
});
export type ExchangeTicker = z.infer<typeof ExchangeTicker>;

/** `[time ms, open, high, low, close, volume]`. */
export const ExchangeCandle = z.tuple([
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
  z.number(),
]);

export interface ExchangeClient {
  urls: { api?: unknown };
  marketsLoading?: unknown;
  has: Record<string, unknown>;
  /** With `reload`: ccxt keeps a failed first answer and gives it back for ever otherwise. */
  loadMarkets(reload: true): Promise<Record<string, unknown>>;
  fetchTicker(symbol: string): Promise<unknown>;
  fetchTickers(symbols: string[]): Promise<Record<string, unknown>>;
  watchTickers(symbols: string[], params: object): Promise<Record<string, unknown>>;
  fetchOHLCV(symbol: string, timeframe: string, since: number, limit: number): Promise<unknown[]>;
  close(): Promise<unknown>;
  loadHttpProxyAgent(): Promise<unknown>;
}

/** @throws what the exchange failed with; the client then goes on with the list that it has. */
export async function readMarkets(client: ExchangeClient): Promise<unknown[]> {
  try {
    return Object.values(await client.loadMarkets(true));
  } catch (error) {
    // ccxt would give this failure to whatever waits for its list, Kraken's websocket for one, until
    // the next reading.
    client.marketsLoading = undefined;
    throw error;
  }
}

/**
 * Whether the exchange heard the question and refused it, as of a pair that it does not list any
 * more. False where it could not be reached, had no time or was asked too often.
 */
export async function isRefusal(error: unknown): Promise<boolean> {
  const { default: ccxt } = await import('ccxt');
  return error instanceof ccxt.ExchangeError;
}

const REQUEST_TIMEOUT_MS = 10_000;

/** `baseUrl` takes the place of scheme and host in every address of the exchange, websocket too. */
export async function openExchangeClient(
  venue: ExchangeVenue,
  baseUrl: string | null,
): Promise<ExchangeClient> {
  const { default: ccxt } = await import('ccxt');
  const client: ExchangeClient = new ccxt.pro[venue.id]({
    enableRateLimit: true,
    timeout: REQUEST_TIMEOUT_MS,
  });
  if (baseUrl !== null) {
    client.urls.api = moved(client.urls.api, baseUrl);
    // ccxt opens an unencrypted websocket only through an agent that it has been told to load.
    await client.loadHttpProxyAgent();
  }
  return client;
}

function moved(address: unknown, baseUrl: string): unknown {
  if (typeof address === 'string') {
    return address
      .replace(/^http(s?):\/\/[^/]+/, baseUrl)
      .replace(/^ws(s?):\/\/[^/]+/, baseUrl.replace(/^http/, 'ws'));
  }
  if (typeof address !== 'object' || address === null) return address;
  return Object.fromEntries(
    Object.entries(address).map(([key, value]) => [key, moved(value, baseUrl)]),
  );
}
