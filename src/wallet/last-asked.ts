/**
 * What the wallet answered last, as the error that it was. The kit hands on only the text of one,
 * without its cause.
 */
import { useCallback } from 'react';
import { useQueryClient } from '@tanstack/react-query';

/** The library's own names of what may pay. */
const PAYING = new Set<unknown>(['sendCalls', 'sendTransaction', 'writeContracts']);

/** Reads the error of the last request that may have paid; null where it had none. */
export function useLastPayingError(): () => unknown {
  const queries = useQueryClient();
  return useCallback(
    () =>
      queries
        .getMutationCache()
        .getAll()
        .findLast(({ options }) => PAYING.has(options.mutationKey?.[0]))?.state.error ?? null,
    [queries],
  );
}
