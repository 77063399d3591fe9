/** How wallets are connected: two chains, one kind of wallet, one RPC policy; refuses injected wallets. */
import { createConfig, createStorage, http, type Config } from 'wagmi';
import { base, baseSepolia } from 'wagmi/chains';
import { coinbaseWallet } from 'wagmi/connectors';
import { cookieStorage, type CookieJar } from './cookie-storage.ts';
import { WALLET_STORAGE_KEY } from './remembered.ts';

export const WALLET_CHAINS = [base, baseSepolia] as const;

/** Milliseconds and counts of every RPC call. */
export const RPC_POLICY = {
  timeout: 10_000,
  retryCount: 3,
  /** Doubles with each retry. */
  retryDelay: 150,
  batch: { batchSize: 1_000 },
} as const;
export const POLLING_INTERVAL_MS = 4_000;

export interface WalletConfigOptions {
  jar: CookieJar;
  secureCookies: boolean;
  analytics: boolean;
}

export function walletConfig(options: WalletConfigOptions): Config {
  return createConfig({
    chains: WALLET_CHAINS,
    connectors: [coinbaseWallet({
      appName: 'Tradewind',
      // Otherwise the connector loads a script of its own that reports use.
      preference: { options: 'smartWalletOnly', telemetry: options.analytics },
    })],
    multiInjectedProviderDiscovery: false,
    storage: createStorage({ key: WALLET_STORAGE_KEY, storage: cookieStorage(options.jar, options.secureCookies) }),
    transports: { [base.id]: http(undefined, RPC_POLICY), [baseSepolia.id]: http(undefined, RPC_POLICY) },
    pollingInterval: POLLING_INTERVAL_MS,
  });
}
