/**
 * Keeps the kit waiting for the bundle that the wallet took: for any price that comes, also one that
 * was asked for before, it forgets which one that is, and would never tell of its end.
 */
import { useEffect, useRef } from 'react';
import { useSwapContext, type LifecycleStatus } from '@coinbase/onchainkit/swap';
import { UNSWAPPED } from './use-swap-outcome.ts';

type Approved = Extract<LifecycleStatus, { statusName: 'transactionApproved' }>['statusData'];

const isOfPrice = ({ statusData, statusName }: LifecycleStatus): boolean =>
  statusName === 'amountChange' ||
  statusName === 'slippageChange' ||
  (statusName === 'error' && statusData.code !== UNSWAPPED);

/** Of the card around it. `isRunning`: the wallet has been asked, and there is no end yet. */
export function useKeptBundle(isRunning: boolean): void {
  const { lifecycleStatus, updateLifecycleStatus } = useSwapContext();
  const bundle = useRef<Approved | null>(null);
  useEffect(() => {
    const { statusData, statusName } = lifecycleStatus;
    if (statusName === 'transactionApproved')
      bundle.current = statusData.transactionType === 'Batched' ? statusData : null;
    else if (!isOfPrice(lifecycleStatus)) bundle.current = null;
    else if (isRunning && bundle.current !== null)
      updateLifecycleStatus({ statusName: 'transactionApproved', statusData: bundle.current });
  }, [isRunning, lifecycleStatus, updateLifecycleStatus]);
}
