/**
 * Which node serves a chain, with its timeouts and retries. Leaves no limit to a library's default.
 */
import { HttpRequestError, http, type HttpTransport } from 'viem';
import { base, baseSepolia } from 'viem/chains';
import { backoffCeilingMs, retryAfterHeaderMs, type Backoff } from '../../contract/retry.ts';
import type { WalletKitSettings } from './kit/kit-settings.ts';

export type WalletChainId = typeof base.id | typeof baseSepolia.id;

/** The developer platform's path of each chain. */
const KEYED_PATHS: Record<WalletChainId, string> = {
  [base.id]: 'base',
  [baseSepolia.id]: 'base-sepolia',
};
const KEYED_ROOT = 'https://api.developer.coinbase.com/rpc/v1';

/** Milliseconds and counts of every call. */
const RPC_POLICY = {
  timeout: 10_000,
  retryCount: 3,
  /** Doubles with each retry. */
  retryDelay: 150,
  batch: { batchSize: 1_000 },
} as const;

export const POLLING_INTERVAL_MS = 4_000;

const RECEIPT_BACKOFF: Backoff = { baseMs: 200, maxMs: 12_800 };

/**
 * How a transaction's receipt is waited for. The wallet library's own default is to wait for ever.
 */
export const RECEIPT_POLICY = {
  timeout: 180_000,
  confirmations: 1,
  retryCount: 6,
  retryDelay: ({ count }: { count: number }): number => backoffCeilingMs(RECEIPT_BACKOFF, count),
  pollingInterval: POLLING_INTERVAL_MS,
} as const;

type EndpointSettings = Pick<WalletKitSettings, 'apiKey' | 'chainId' | 'rpcUrl'>;

/**
 * An address of one's own for the chain it is meant for, the keyed one where there is a key, null
 * for the chain's public one.
 */
export function endpointOf(
  chainId: WalletChainId,
  { apiKey, chainId: ownChainId, rpcUrl }: EndpointSettings,
): string | null {
  if (rpcUrl !== null && chainId === ownChainId) return rpcUrl;
  return apiKey === null
    ? null
    : `${KEYED_ROOT}/${KEYED_PATHS[chainId]}/${encodeURIComponent(apiKey)}`;
}

/**
 * A node that says when to come back is heard also where its answer carries an RPC error beside,
 * which would otherwise be taken for the whole answer, and where it names a date.
 */
function heedRetryAfter(response: Response): void {
  if (response.ok) return;
  const waitMs = retryAfterHeaderMs(response.headers.get('Retry-After'), Date.now());
  if (waitMs === undefined) return;
  throw new HttpRequestError({
    status: response.status,
    url: response.url,
    details: response.statusText,
    headers: new Headers({ 'Retry-After': String(Math.ceil(waitMs / 1_000)) }),
  });
}

export function chainTransport(chainId: WalletChainId, settings: EndpointSettings): HttpTransport {
  return http(endpointOf(chainId, settings) ?? undefined, {
    ...RPC_POLICY,
    onFetchResponse: heedRetryAfter,
  });
}
