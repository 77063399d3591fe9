/**
 * What became of what a card of the kit began. The kit calls a closed window a refusal, any lost
 * answer a failure, and a bundle a success whatever the wallet's operation in it did.
 */
import { useCallback, useEffect } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { TransactionReceipt } from 'viem';
import { useConfig } from 'wagmi';
import { getAccount } from 'wagmi/actions';
import { operationOutcome } from './send/user-operations.ts';
import { walletFailure } from './wallet-errors.ts';

/** `none`: certainly nothing was sent. `unknown`: nobody here knows. */
export type CardOutcome = 'none' | 'unknown' | 'failed' | 'done';

/** The library's own names of what may pay. */
const PAYING = new Set<unknown>(['sendCalls', 'sendTransaction', 'writeContracts']);

/** `from`: the account that was asked, null where none was connected. */
function ofReceipt(receipt: TransactionReceipt | undefined, from: string | null): CardOutcome {
  if (receipt === undefined || from === null) return 'unknown';
  // Whoever signs a transaction is its sender: a smart wallet has no key to sign one with.
  const success =
    receipt.from.toLowerCase() === from.toLowerCase()
      ? receipt.status === 'success'
      : operationOutcome(receipt.logs, from)?.success;
  if (success === undefined) return 'unknown';
  return success ? 'done' : 'failed';
}

interface Judging {
  /** By the error of the last request that may have paid. */
  ofError: () => CardOutcome;
  ofReceipt: typeof ofReceipt;
}

/**
 * Heeds the library's requests themselves: the kit skips its own word of a request that is answered
 * at once, and hands on only the text of an error, without its cause.
 * @param onAsked called before the wallet is asked for what may pay, with the connected account
 */
export function useCardOutcome(onAsked: (payer: string | null) => void): Judging {
  const config = useConfig();
  const requests = useQueryClient().getMutationCache();
  useEffect(
    () =>
      requests.subscribe(({ mutation, type, ...event }) => {
        const begins = type === 'updated' && 'action' in event && event.action.type === 'pending';
        if (begins && PAYING.has(mutation?.options.mutationKey?.[0]))
          onAsked(getAccount(config).address ?? null);
      }),
    [config, onAsked, requests],
  );
  const ofError = useCallback((): CardOutcome => {
    const last = requests.getAll().findLast(({ options }) => PAYING.has(options.mutationKey?.[0]));
    return walletFailure(last?.state.error, 'send').safe === 'Nothing was sent.'
      ? 'none'
      : 'unknown';
  }, [requests]);
  return { ofError, ofReceipt };
}
