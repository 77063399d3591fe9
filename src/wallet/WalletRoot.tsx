/**
 * The wallet on screen, with the kit around it. Import it lazily only: it is the heaviest part of
 * the app.
 */
import { useEffect, useState } from 'react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { WagmiProvider, type Config } from 'wagmi';
import { disconnect } from 'wagmi/actions';
import { QUERY_FRESH_MS, QUERY_RETRIES } from '../../contract/limits.ts';
import { environment } from '../environment.ts';
import { onPurge } from '../identity/session.ts';
import { followWallet } from './connect/follow-wallet.ts';
import { Kit } from './kit/KitProvider.tsx';
import { forgetWallet } from './connect/remembered-wallet.ts';
import { WalletPanels } from './WalletPanels.tsx';
import { walletConfig } from './connect/wallet-config.ts';
import { readWalletEnvironment } from './wallet-environment.ts';
import { reportingMutations, reportSends } from './wallet-reports.ts';
import { WalletSettings } from './wallet-settings.ts';

const queryClient = (): QueryClient =>
  new QueryClient({
    mutationCache: reportingMutations(),
    defaultOptions: {
      queries: { staleTime: QUERY_FRESH_MS, retry: QUERY_RETRIES, refetchOnWindowFocus: false },
    },
  });

/**
 * The connection of the last panel: the kit holds on to it in memory, also after the panel is gone.
 */
let connected: Config | null = null;
/** How long a logout waits for the kit at most, ms. */
const PARTING_MS = 1_000;

/**
 * One for as long as the page lives: a second would listen to the same wallets and keep its own
 * idea of them.
 */
let own: Config | null = null;

onPurge(async () => {
  const held = connected;
  connected = null;
  own = null;
  if (held === null) return;
  const leaving = [...held.state.connections.values()].map(({ connector }) =>
    disconnect(held, { connector }).catch(() => undefined),
  );
  await Promise.race([
    Promise.all(leaving),
    new Promise((resolve) => {
      setTimeout(resolve, PARTING_MS);
    }),
  ]);
  forgetWallet();
});

export interface WalletRootProps {
  /** Replaces the product's connection configuration, for tests. */
  config?: Config;
}

export default function WalletRoot({ config }: WalletRootProps) {
  const [settings] = useState(() => readWalletEnvironment(import.meta.env));
  const [wagmi] = useState(
    () =>
      config ??
      (own ??= walletConfig({
        jar: document,
        secureCookies: environment.secureCookies,
        settings: settings.kit,
      })),
  );
  useEffect(() => {
    connected = wagmi;
    followWallet(wagmi);
  }, [wagmi]);
  useEffect(reportSends, []);
  const [queries] = useState(queryClient);
  return (
    <WagmiProvider config={wagmi}>
      <QueryClientProvider client={queries}>
        <Kit settings={settings.kit}>
          <WalletSettings value={settings}>
            <WalletPanels />
          </WalletSettings>
        </Kit>
      </QueryClientProvider>
    </WagmiProvider>
  );
}
