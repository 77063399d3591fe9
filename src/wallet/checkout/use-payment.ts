/** Follows the payment of the kit's checkout, and whether there is a charge to pay. */
import { useCallback, useRef, useState } from 'react';
import type { LifecycleStatus } from '@coinbase/onchainkit/checkout';
import { useCardRun, type CardRun } from '../card-run.ts';

export interface Payment extends Pick<CardRun, 'attempt' | 'isInVain' | 'outcome' | 'renew'> {
  /** What the kit's card is to call with each of its states. */
  follow: (status: LifecycleStatus) => void;
  /** The card has no charge to pay, and will not get one. */
  unprepared: boolean;
}

/** `onBegun`: as `useCardRun` has it. */
export function usePayment(onBegun: (id: string | null) => void): Payment {
  const [unprepared, setUnprepared] = useState(false);
  const { failed, isRunning, succeeded, ...card } = useCardRun('payment', onBegun);
  const seen = useRef<LifecycleStatus | null>(null);
  const follow = useCallback(
    (status: LifecycleStatus) => {
      const { statusData, statusName } = status;
      // The kit may tell of the same state twice.
      if (seen.current === status) return;
      seen.current = status;
      // Only after the wallet was asked is an error one of a payment.
      if (statusName === 'fetchingData' || statusName === 'error')
        setUnprepared(statusName === 'error' && !isRunning());
      if (statusName === 'error') failed();
      else if (statusName === 'success') succeeded(statusData.transactionReceipts[0]);
    },
    [failed, isRunning, succeeded],
  );
  return { ...card, follow, unprepared };
}
