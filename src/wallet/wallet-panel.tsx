/** The wallet on screen, with the kit around it; refuses to be imported but lazily, for it is the heaviest thing here. */
import { useEffect, useState, type ReactNode } from 'react';
import { OnchainKitProvider, setOnchainKitConfig } from '@coinbase/onchainkit';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { WagmiProvider, type Config } from 'wagmi';
import { disconnect } from 'wagmi/actions';
import { QUERY_FRESH_MS, QUERY_RETRIES } from '../../contract/limits.ts';
import { environment } from '../environment.ts';
import { onPurge } from '../identity/session.ts';
import type { WalletKitSettings } from './kit-settings.ts';
import { forgetWallet } from './remembered.ts';
import { WalletRooms } from './wallet-rooms.tsx';
import { WALLET_CHAINS, walletConfig } from './wallet-config.ts';
import { readWalletEnvironment } from './wallet-environment.ts';
import { WalletSettings } from './wallet-settings.ts';

const queryClient = (): QueryClient => new QueryClient({
  defaultOptions: { queries: { staleTime: QUERY_FRESH_MS, retry: QUERY_RETRIES, refetchOnWindowFocus: false } },
});

/** The kit makes a session id of its own, whatever its provider is given: ours is put in its place. */
function Session({ id }: { id: string }) {
  useEffect(() => { setOnchainKitConfig({ sessionId: id }); }, [id]);
  return null;
}

/** The kit's provider with every setting of it. It heeds `analytics` beside its config, not within. */
function Kit({ settings, children }: { settings: WalletKitSettings; children: ReactNode }) {
  const { address, apiKey, config, projectId, rpcUrl } = settings;
  const chain = WALLET_CHAINS.find((candidate) => candidate.id === settings.chainId) ?? WALLET_CHAINS[1];
  return (
    <OnchainKitProvider
      chain={chain}
      analytics={config.analytics}
      schemaId={settings.schemaId}
      config={config}
      {...(address === null ? {} : { address })}
      {...(apiKey === null ? {} : { apiKey })}
      {...(projectId === null ? {} : { projectId })}
      {...(rpcUrl === null ? {} : { rpcUrl })}
    >
      <Session id={settings.sessionId} />
      {children}
    </OnchainKitProvider>
  );
}

/** The connection of the last panel: the kit holds on to it in memory, also after the panel is gone. */
let connected: Config | null = null;
/** Longest wait of a sign-out for the kit, ms. */
const PARTING_MS = 1_000;

onPurge(async () => {
  const held = connected;
  connected = null;
  if (held === null) return;
  await Promise.race([disconnect(held).catch(() => undefined), new Promise((resolve) => { setTimeout(resolve, PARTING_MS); })]);
  forgetWallet();
});

export interface WalletPanelProps {
  /** Another connection configuration than the product's. */
  config?: Config;
}

export default function WalletPanel({ config }: WalletPanelProps) {
  const [settings] = useState(() => readWalletEnvironment(import.meta.env));
  const [wagmi] = useState(() => config ?? walletConfig({ jar: document, secureCookies: environment.secureCookies, settings: settings.kit }));
  useEffect(() => { connected = wagmi; }, [wagmi]);
  const [queries] = useState(queryClient);
  return (
    <WagmiProvider config={wagmi}>
      <QueryClientProvider client={queries}>
        <Kit settings={settings.kit}><WalletSettings value={settings}><WalletRooms /></WalletSettings></Kit>
      </QueryClientProvider>
    </WagmiProvider>
  );
}
