/** How wallets are connected: two chains, one RPC policy, and the connection kept in a cookie. */
import { createConfig, createStorage, type Config } from 'wagmi';
import { base, baseSepolia } from 'wagmi/chains';
import { walletConnectors } from './connectors.ts';
import { cookieStorage, type CookieJar } from './cookie-storage.ts';
import type { WalletKitSettings } from '../kit/kit-settings.ts';
import { WALLET_STORAGE_KEY } from './remembered-wallet.ts';
import { chainTransport, POLLING_INTERVAL_MS } from '../rpc-policy.ts';

export interface WalletConfigOptions {
  jar: CookieJar;
  secureCookies: boolean;
  settings: WalletKitSettings;
}

export function walletConfig({ jar, secureCookies, settings }: WalletConfigOptions): Config {
  return createConfig({
    // A wallet that knows several chains begins on the first.
    chains: settings.chainId === base.id ? [base, baseSepolia] : [baseSepolia, base],
    connectors: walletConnectors(settings),
    multiInjectedProviderDiscovery: false,
    storage: createStorage({ key: WALLET_STORAGE_KEY, storage: cookieStorage(jar, secureCookies) }),
    transports: {
      [base.id]: chainTransport(base.id, settings),
      [baseSepolia.id]: chainTransport(baseSepolia.id, settings),
    },
    pollingInterval: POLLING_INTERVAL_MS,
    // Calls made at once share a request already; through a contract they would share their
    // failures too.
    batch: { multicall: false },
  });
}
