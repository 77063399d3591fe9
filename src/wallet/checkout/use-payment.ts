/** Follows the payment of the kit's checkout, and notes on the device that it was begun. */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { LifecycleStatus } from '@coinbase/onchainkit/checkout';
import { useCardOutcome, type CardOutcome } from '../card-outcome.ts';
import { forgetPayment, notePayment } from './begun-payments.ts';

export interface Payment {
  /** What the kit's card is to call with each of its states. */
  follow: (status: LifecycleStatus) => void;
  /** The card has no charge to pay, and will not get one. */
  unprepared: boolean;
  /** Of the last payment; null while there is none. */
  outcome: CardOutcome | 'running' | null;
}

/**
 * @param onBegun called with the note of the card's last payment, and with null when the card goes
 */
export function usePayment(onBegun: (id: string | null) => void): Payment {
  const [unprepared, setUnprepared] = useState(false);
  const [outcome, setOutcome] = useState<Payment['outcome']>(null);
  const running = useRef<{ id: string; payer: string | null } | null>(null);
  const seen = useRef<LifecycleStatus | null>(null);
  const begin = useCallback(
    (payer: string | null) => {
      const id = notePayment();
      running.current = { id, payer };
      setOutcome('running');
      onBegun(id);
    },
    [onBegun],
  );
  const { ofError, ofReceipt } = useCardOutcome(begin);
  useEffect(
    () => () => {
      onBegun(null);
    },
    [onBegun],
  );
  const follow = useCallback(
    (status: LifecycleStatus) => {
      const { statusData, statusName } = status;
      // The kit may tell of the same state twice.
      if (seen.current === status) return;
      seen.current = status;
      const payment = running.current;
      // Only after the wallet was asked is an error one of a payment.
      if (statusName === 'fetchingData' || statusName === 'error')
        setUnprepared(statusName === 'error' && payment === null);
      if (payment === null || (statusName !== 'error' && statusName !== 'success')) return;
      running.current = null;
      const became =
        statusName === 'error'
          ? ofError()
          : ofReceipt(statusData.transactionReceipts[0], payment.payer);
      setOutcome(became);
      if (became !== 'unknown') forgetPayment(payment.id);
    },
    [ofError, ofReceipt],
  );
  return { follow, outcome, unprepared };
}
