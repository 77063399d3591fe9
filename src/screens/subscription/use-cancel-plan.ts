/** Cancels the plan; where the answer is lost, what the server says afterwards decides. */
import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { subscribeKey } from 'valtio/utils';
import { ApiError } from '../../api/api-error.ts';
import { endPlan } from '../../billing/checkout.ts';
import { errorSentence } from '../../format/error-text.ts';
import { samePerson } from '../../identity/session.ts';
import { connection } from '../../stores/connection.ts';
import { subscriptionChanged, subscriptionStore } from '../../stores/subscription-store.ts';
import { pageToast } from '../../stores/toast-store.ts';
import { useIsHere } from '../use-is-here.ts';
import { endedText } from './change-text.ts';
import { isLiving } from './subscription-text.ts';

export const MAYBE_CANCELLED = 'Your plan may have been cancelled.';

/** Now, and where that fails once more when the server is back: also after the dialog is closed. */
async function readAgain(isSame: () => boolean): Promise<void> {
  await subscriptionChanged();
  if (subscriptionStore.status !== 'error') return;
  const stop = subscribeKey(connection, 'online', (online) => {
    if (online !== 'online') return;
    stop();
    if (isSame()) void subscriptionChanged();
  });
}

export interface CancelPlan {
  isSending: boolean;
  /** An attempt got no answer: no later refusal says what became of it. */
  isOpen: boolean;
  failure: string | null;
  cancel: () => Promise<void>;
}

export function useCancelPlan(onDone: () => void): CancelPlan {
  const [isSending, setIsSending] = useState(false);
  const [isOpen, setIsOpen] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const isHere = useIsHere();
  const status = useSnapshot(subscriptionStore).data?.status ?? null;
  const left = status?.subscription ?? null;
  // Without a status nothing is known of the plan.
  const isEnded = status !== null && (left?.cancelAtPeriodEnd === true || !isLiving(left));
  const isToldLate = isOpen && !isSending && isEnded;
  useEffect(() => {
    if (!isToldLate) return;
    setIsOpen(false);
    pageToast('success', endedText(left));
    onDone();
  }, [isToldLate, left, onDone]);
  const cancel = async (): Promise<void> => {
    const isSame = samePerson();
    setFailure(null);
    setIsSending(true);
    try {
      const ended = await endPlan();
      await subscriptionChanged();
      if (isSame()) pageToast('success', endedText(ended));
      if (isHere.current) onDone();
    } catch (caught) {
      const isUnanswered = caught instanceof ApiError && caught.mayHaveArrived;
      const sentence = errorSentence(caught);
      if (isUnanswered) setIsOpen(true);
      setFailure(sentence);
      if (!isHere.current && isSame())
        pageToast('error', isUnanswered ? MAYBE_CANCELLED : sentence);
      if (isUnanswered && isSame()) await readAgain(isSame);
    }
    setIsSending(false);
  };
  return { isSending, isOpen, failure, cancel };
}
