/**
 * The wallet on screen, with the kit around it. Import it lazily only: it is the heaviest part of
 * the app.
 */
import { useEffect, useState } from 'react';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { subscribeKey } from 'valtio/utils';
import { WagmiProvider, type Config } from 'wagmi';
import { disconnect } from 'wagmi/actions';
import { QUERY_FRESH_MS, QUERY_RETRIES } from '../../contract/limits.ts';
import { environment } from '../environment.ts';
import { onPurge, session } from '../identity/session.ts';
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
 * One for as long as its person stays: a second would listen to the same wallets and keep its own
 * idea of them.
 */
let own: Config | null = null;

/** Whose connection it is; null where nobody was known yet when the panel opened. */
let ownerUid: string | null = null;

async function disconnectAll(held: Config): Promise<void> {
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
}

let parting: Promise<void> = Promise.resolve();

/** Ends the connection of a person who has gone. */
function part(): Promise<void> {
  const held = connected ?? own;
  connected = null;
  own = null;
  ownerUid = null;
  if (held === null) return parting;
  // A wallet that was asked before may still connect: the next person would find it connected.
  held.subscribe(
    ({ connections }) => connections.size,
    (size, before) => {
      if (size <= before) return;
      if ((connected ?? own) === null) void disconnectAll(held);
      // A wallet of the browser tells every listener of what the next person connects: that stays.
      else
        held.setState((state) => ({
          ...state,
          connections: new Map(),
          current: null,
          status: 'disconnected',
        }));
    },
  );
  parting = disconnectAll(held);
  return parting;
}

onPurge(part);

/** Only the tab of the logout deletes; every other one hears of it as a change of the person. */
subscribeKey(
  session,
  'user',
  (user) => {
    const uid = user?.uid ?? null;
    if (ownerUid === null) ownerUid = connected === null && own === null ? null : uid;
    else if (uid !== ownerUid) void part();
  },
  true,
);

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
    ownerUid = session.user?.uid ?? null;
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
