/**
 * What the wallet's panels read: account, chain and balance. Asks the chain nothing while offline.
 */
import { useEffect, useSyncExternalStore } from 'react';
import { useSnapshot } from 'valtio';
import { useAccount, useBalance, useConfig, type Config } from 'wagmi';
import { session } from '../identity/session.ts';
import { watchSends } from './send/chain-receipts.ts';
import type { WalletChainId } from './rpc-policy.ts';
import { openSends, sendsStore, type Send } from './send/sends-store.ts';

/** How old a balance may be before it is asked for again, ms. */
const BALANCE_FRESH_MS = 30_000;

function follow(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}

/** Whether the device is offline. The chain may be reachable while our server is not. */
export const useNoNetwork = (): boolean => !useSyncExternalStore(follow, () => navigator.onLine);

/** The chain of the connection where it is one of ours, else null. */
export function useKnownChain(): { id: WalletChainId; name: string; explorer: string } | null {
  const { chain } = useAccount();
  return chain === undefined
    ? null
    : {
        id: chain.id as WalletChainId,
        name: chain.name,
        explorer: chain.blockExplorers?.default.url ?? '',
      };
}

/** The ETH of the connected account on its chain, asked for again while it is looked at. */
export function useEtherBalance() {
  const { address } = useAccount();
  const chain = useKnownChain();
  const enabled = address !== undefined && chain !== null;
  return useBalance({
    ...(enabled ? { address, chainId: chain.id } : {}),
    query: {
      enabled,
      staleTime: BALANCE_FRESH_MS,
      refetchInterval: BALANCE_FRESH_MS,
      refetchOnMount: true,
    },
  });
}

/**
 * The person's sends, newest first; those without a last word are looked for while any part of the
 * wallet is open.
 */
export function useSends(): { uid: string; sends: readonly Send[]; config: Config } {
  const uid = useSnapshot(session).user?.uid ?? '';
  const config = useConfig();
  const { list, uid: whose } = useSnapshot(sendsStore);
  useEffect(() => openSends(uid), [uid]);
  const sends = (whose === uid ? list : []) as readonly Send[];
  useEffect(() => {
    if (whose === uid && uid !== '') watchSends(config, uid, sendsStore.list);
  }, [config, list, uid, whose]);
  return { uid, sends, config };
}
