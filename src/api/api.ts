/** The product's own API: calls that have a fallback, or words of their own for a failure. */
import type { CallName, CallReply } from '../../contract/calls.ts';
import type { MarketData, MarketOverview, MarketPools } from '../../contract/market.ts';
import { reached } from '../../contract/unreached.ts';
import { environment } from '../environment.ts';
import { idToken, samePerson } from '../identity/session.ts';
import { readsHeld } from '../platform/giving-way.ts';
import { ApiError, type ApiErrorCode } from './api-error.ts';
import type { ApiClient, ApiEvent, CallInput } from './client.ts';
import { isExchange } from '../../contract/exchanges.ts';
import type { ExchangePrices } from './exchange-prices.ts';

/**
 * A market reply and its origin. `exchange` is for display only, and names the exchange as its
 * source.
 */
interface Sourced<T> {
  value: T;
  origin: 'network' | 'exchange';
}

export interface Api extends ApiClient {
  marketData(symbols?: readonly string[]): Promise<Sourced<MarketData>>;
  marketOverview(): Promise<Sourced<MarketOverview>>;
  marketPools(): Promise<Sourced<MarketPools>>;
}

const AGENT_READS: readonly CallName[] = [
  'agents',
  'agentPerformance',
  'agentSummary',
  'agentInsight',
];

/** No answer, or an internal failure of the back end; not a refusal. */
function backendFailed(error: unknown): error is ApiError {
  return (
    error instanceof ApiError &&
    error.code !== 'aborted' &&
    (error.status === 0 || error.status >= 500)
  );
}

function unavailable(message: string, code: ApiErrorCode, cause: unknown): ApiError {
  return new ApiError(message, { code, status: 503, text: message, cause });
}

const NO_MARKET = 'Unable to retrieve market data - all sources unavailable';

/** The failure text of a call for back-end failures; other errors stay. */
function inWordsOf(name: CallName, error: unknown): unknown {
  if (!backendFailed(error)) return error;
  if (AGENT_READS.includes(name))
    return unavailable(
      'Unable to retrieve agent data - backend unavailable',
      'agents_unavailable',
      error,
    );
  if (name === 'walletStatus')
    return unavailable(
      'Unable to retrieve wallet data - backend unavailable',
      'wallet_unavailable',
      error,
    );
  return error;
}

/** Adds failure texts and the exchange fallback to a client. */
export function withFallbacks(
  client: ApiClient,
  fallback: () => Promise<ExchangePrices | null>,
): Api {
  async function sourced<T>(
    read: () => Promise<T>,
    instead: (prices: ExchangePrices) => Promise<T>,
    message: string,
    code: ApiErrorCode,
  ): Promise<Sourced<T>> {
    try {
      return { value: await read(), origin: 'network' };
    } catch (error) {
      if (!backendFailed(error)) throw error;
      try {
        const prices = await fallback();
        if (prices === null) throw error;
        return { value: await instead(prices), origin: 'exchange' };
      } catch (second) {
        throw unavailable(message, code, second);
      }
    }
  }
  return {
    async call<N extends CallName>(name: N, input: CallInput<N>): Promise<CallReply<N>> {
      try {
        return await client.call(name, input);
      } catch (error) {
        throw inWordsOf(name, error);
      }
    },
    marketData: (symbols) =>
      sourced(
        () =>
          client.call('marketData', {
            query: symbols === undefined ? {} : { symbols: symbols.join(',') },
          }),
        (prices) => prices.data(symbols),
        NO_MARKET,
        'market_unavailable',
      ),
    marketOverview: () =>
      sourced(
        () => client.call('marketOverview', {}),
        (prices) => prices.overview(),
        NO_MARKET,
        'market_unavailable',
      ),
    marketPools: () =>
      sourced(
        () => client.call('marketPools', {}),
        (prices) => prices.pools(),
        'Unable to retrieve trading pools - all sources unavailable',
        'pools_unavailable',
      ),
  };
}

const listeners = new Set<(event: ApiEvent) => void>();

/**
 * Calls `listener` for answers, failures to reach the server, and refusals. Returns a function that
 * unsubscribes.
 */
export function observeApi(listener: (event: ApiEvent) => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

let lastSource = '';

/** Remembers the server's source: if it is an exchange, its public prices are the fallback. */
export function rememberSource(id: string): void {
  lastSource = id;
}

/** Loaded on demand: the back end has failed while the network seems to work. */
async function exchangeFallback(): Promise<ExchangePrices | null> {
  if (!navigator.onLine || environment.mockApi) return null;
  const { exchangePrices } = await import('./exchange-prices.ts');
  return exchangePrices(isExchange(lastSource) ? lastSource : 'coinbaseexchange');
}

/** Recorded replies, loaded only in a build that asks for them. */
const recorded: typeof fetch = async (input, init) =>
  (await import('./recorded.ts')).recordedFetch(input, init);

/** How this build reaches the back end: by network, or recorded replies. */
export const apiFetch: typeof fetch = environment.mockApi
  ? recorded
  : async (input, init) => {
      const held = (init?.method ?? 'GET') === 'GET' ? readsHeld() : null;
      if (held !== null) await held;
      return reached(await fetch(input, init));
    };

function announce(event: ApiEvent): void {
  for (const listener of listeners) listener(event);
}

let client: ApiClient | null = null;

/**
 * The client with the schemas of all calls, which the first picture does without. Where its file
 * cannot be had, neither can the server: told like any other failure to reach it.
 */
async function openClient(): Promise<ApiClient> {
  try {
    // The schemas in a go of their own, so that a finger is heard between the two.
    await import('../../contract/trading.ts');
    const { createApi } = await import('./client.ts');
    return (client ??= createApi({
      baseUrl: environment.apiUrl,
      token: idToken,
      fetch: apiFetch,
      observe: announce,
    }));
  } catch (cause) {
    announce({ type: 'unreachable', at: Date.now() });
    const text = `Failed to fetch: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new ApiError(text, { code: 'network', status: 0, text, cause });
  }
}

/** Asks for the client's code, so that the first call does not wait for it. */
export async function preloadClient(): Promise<void> {
  await openClient();
}

export const api: Api = withFallbacks(
  {
    call: async (name, input) => {
      // Before the code is waited for: a call is of who pressed.
      const isHere = samePerson();
      return (client ?? (await openClient())).call(name, { ...input, isHere });
    },
  },
  exchangeFallback,
);
