/**
 * Reports what our own wallet screens do: connections from their requests, transfers from their
 * record.
 */
import { MutationCache } from '@tanstack/react-query';
import { subscribe } from 'valtio';
import { sendsStore } from './send/sends-store.ts';
import { reportWallet } from './wallet-analytics.ts';
import { walletFailure } from './wallet-errors.ts';

interface ReportedRequest {
  connector?: { name?: string };
}

/** The wallet library's own names of what it is asked for. */
const isAsked = (
  mutation: { options: { mutationKey?: readonly unknown[] } },
  name: string,
): boolean => mutation.options.mutationKey?.[0] === name;
const nameOf = (variables: unknown): string =>
  (variables as ReportedRequest | undefined)?.connector?.name ?? 'unknown';

/** Heeds every request to connect and to disconnect. */
export function reportingMutations(): MutationCache {
  return new MutationCache({
    onMutate(variables, mutation) {
      if (isAsked(mutation, 'connect'))
        reportWallet('walletConnectInitiated', {
          component: 'wallet',
          walletProvider: nameOf(variables),
        });
    },
    onSuccess(data, variables, _context, mutation) {
      if (isAsked(mutation, 'connect')) {
        const [address = ''] = (data as { accounts?: readonly string[] }).accounts ?? [];
        reportWallet('walletConnectSuccess', { address, walletProvider: nameOf(variables) });
      }
      if (isAsked(mutation, 'disconnect'))
        reportWallet('walletDisconnect', {
          component: 'wallet',
          walletProvider: nameOf(variables),
        });
    },
    onError(error, _variables, _context, mutation) {
      if (!isAsked(mutation, 'connect')) return;
      if (walletFailure(error, 'connect').kind === 'rejected')
        reportWallet('walletConnectCanceled', {});
      else
        reportWallet('walletConnectError', {
          error: error.message,
          metadata: { name: error.name },
        });
    },
  });
}

/** Follows the sends from their record, until told to stop. */
export function reportSends(): () => void {
  let known: { uid: string | null; stages: Map<string, string> } = {
    uid: sendsStore.uid,
    stages: new Map(sendsStore.list.map(({ id, stage }) => [id, stage])),
  };
  return subscribe(sendsStore, () => {
    const { uid, list } = sendsStore;
    const stages = new Map<string, string>(list.map(({ id, stage }) => [id, stage]));
    const before = known;
    known = { uid, stages };
    // Another person's record, or one that has just been read, is no news.
    if (uid === null || uid !== before.uid) return;
    for (const send of list) {
      const was = before.stages.get(send.id);
      if (was === send.stage) continue;
      if (was === undefined) reportWallet('transactionInitiated', { address: send.from });
      else if (send.stage === 'confirmed')
        reportWallet('transactionSuccess', {
          address: send.from,
          transactionHash: send.hash,
          paymaster: false,
        });
      else if (send.stage === 'reverted')
        reportWallet('transactionFailure', {
          address: send.from,
          error: send.reason ?? 'reverted',
        });
    }
    for (const [id, stage] of before.stages)
      if (stage === 'asking' && !stages.has(id)) reportWallet('transactionCanceled', {});
  });
}
