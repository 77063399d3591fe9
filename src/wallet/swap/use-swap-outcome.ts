/** Follows a swap of the kit's card to its outcome. */
import { useCallback, useRef, useState } from 'react';
import type { LifecycleStatus } from '@coinbase/onchainkit/swap';
import { useCardOutcome, type CardOutcome } from '../card-outcome.ts';

/** `outcome`: of the last swap; null while there is none. */
export function useSwapOutcome(): {
  follow: (status: LifecycleStatus) => void;
  outcome: CardOutcome | 'running' | null;
} {
  const [outcome, setOutcome] = useState<CardOutcome | 'running' | null>(null);
  const running = useRef<{ payer: string | null } | null>(null);
  // A swap may be several requests: it began with the first.
  const begin = useCallback((payer: string | null) => {
    running.current ??= { payer };
    setOutcome('running');
  }, []);
  const { ofError, ofReceipt } = useCardOutcome(begin);
  const follow = useCallback(
    ({ statusData, statusName }: LifecycleStatus) => {
      const swap = running.current;
      // An error before the wallet was asked is one of a price, and the card says it.
      if (swap === null || (statusName !== 'error' && statusName !== 'success')) return;
      running.current = null;
      setOutcome(
        statusName === 'error' ? ofError() : ofReceipt(statusData.transactionReceipt, swap.payer),
      );
    },
    [ofError, ofReceipt],
  );
  return { follow, outcome };
}
