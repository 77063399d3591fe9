/** A real ccxt client that talks to a stand-in and lives in its time. */
import ccxt, { type Exchange } from 'ccxt';
import type { Credentials, StandIn } from './stand-in.ts';

export interface ClientOptions {
  /** With `watch` functions. */
  streams?: boolean;
  /** Real time after which ccxt gives up on an answer, ms. */
  timeoutMs?: number;
}

const REST = { kraken: ccxt.kraken, coinbase: ccxt.coinbase, binance: ccxt.binance };
const STREAMS = {
  kraken: ccxt.pro.kraken,
  coinbase: ccxt.pro.coinbase,
  binance: ccxt.pro.binance,
};

/** Coinbase's older balances hide what open orders hold; Binance would load its futures too. */
const OWN_OPTIONS = {
  kraken: {},
  coinbase: { fetchBalance: 'v3PrivateGetBrokerageAccounts' },
  binance: { fetchMarkets: { types: ['spot'] }, fetchMargins: false },
};

/** Every address of a client's at the stand-in instead; the paths stay. */
export function moved(address: unknown, url: string): unknown {
  if (typeof address === 'string')
    return address
      .replace(/^https?:\/\/[^/]+/, url)
      .replace(/^wss?:\/\/[^/]+/, url.replace(/^http/, 'ws'));
  if (typeof address !== 'object' || address === null) return address;
  return Object.fromEntries(
    Object.entries(address).map(([name, value]) => [name, moved(value, url)]),
  );
}

export async function ccxtClient(
  { url, clock, options: { dialect } }: StandIn,
  credentials: Credentials | null,
  { streams = false, timeoutMs = 5_000 }: ClientOptions = {},
): Promise<Exchange> {
  const Client = (streams ? STREAMS : REST)[dialect];
  const client: Exchange = new Client({
    ...credentials,
    enableRateLimit: false,
    timeout: timeoutMs,
    options: {
      maxRetriesOnFailure: 0,
      ...OWN_OPTIONS[dialect],
    },
  });
  client.urls.api = moved(client.urls.api, url) as Exchange['urls']['api'];
  // A JWT has a time of its own, which no option of ccxt's corrects.
  client.milliseconds = () => clock.trueNow();
  client.seconds = () => Math.floor(clock.trueNow() / 1_000);
  // Virtual time stands still between requests, and Kraken wants each nonce greater than the last.
  let last = 0;
  client.nonce = () => {
    last = dialect === 'kraken' ? Math.max(last + 1, clock.trueNow()) : clock.trueNow();
    return last;
  };
  // ccxt opens an unencrypted websocket only through an agent that it has been told to load.
  if (streams) await client.loadHttpProxyAgent();
  return client;
}
