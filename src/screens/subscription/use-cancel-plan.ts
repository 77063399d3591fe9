/** Shows the cancellation of the plan in a dialog, also one that was begun in another. */
import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { cancelProgress, showCancelling } from './cancel-progress.ts';

export interface CancelPlan {
  isSending: boolean;
  /** An attempt got no answer, and the server has not said what became of it. */
  isOpen: boolean;
  failure: string | null;
}
const NONE: CancelPlan = { isSending: false, isOpen: false, failure: null };

/** `isOfIt`: the dialog is one of cancelling. `onDone` runs once the plan has been ended. */
export function useCancelPlan(isOfIt: boolean, onDone: () => void): CancelPlan {
  const { isSending, openSince, failure, ended } = useSnapshot(cancelProgress);
  const [before] = useState(() => cancelProgress.ended);
  useEffect(() => (isOfIt ? showCancelling() : undefined), [isOfIt]);
  const isDone = isOfIt && ended !== before;
  useEffect(() => {
    if (isDone) onDone();
  }, [isDone, onDone]);
  return isOfIt ? { isSending, isOpen: openSince !== null, failure } : NONE;
}
