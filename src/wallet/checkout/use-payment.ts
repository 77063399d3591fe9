/** Follows the payment of the kit's checkout, and notes on the device that it was begun. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { LifecycleStatus } from '@coinbase/onchainkit/checkout';
import { useLastPayingError } from '../last-asked.ts';
import { walletFailure } from '../wallet-errors.ts';
import { forgetPayment, notePayment } from './begun-payments.ts';

export interface Payment {
  /** What the kit's card is to call with each of its states. */
  follow: (status: LifecycleStatus) => void;
  /** The card has no charge to pay, and will not get one. */
  unprepared: boolean;
}

/**
 * @param onBegun called with the note of the card's last payment, and with null when the card goes
 */
export function usePayment(onBegun: (id: string | null) => void): Payment {
  const [unprepared, setUnprepared] = useState(false);
  const running = useRef<string | null>(null);
  const lastError = useLastPayingError();
  useEffect(
    () => () => {
      onBegun(null);
    },
    [onBegun],
  );
  const follow = useCallback(
    ({ statusName }: LifecycleStatus) => {
      if (statusName === 'pending' && running.current === null) {
        running.current = notePayment();
        onBegun(running.current);
        return;
      }
      const id = running.current;
      // Only after the wallet was asked is an error one of a payment.
      if (statusName === 'fetchingData' || statusName === 'error')
        setUnprepared(statusName === 'error' && id === null);
      if (id === null || (statusName !== 'error' && statusName !== 'success')) return;
      running.current = null;
      const certain =
        statusName === 'success' || walletFailure(lastError(), 'send').safe === 'Nothing was sent.';
      if (certain) forgetPayment(id);
    },
    [lastError, onBegun],
  );
  return { follow, unprepared };
}
