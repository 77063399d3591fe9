/** Follows a swap of the kit's card to its outcome. */
import { useCallback } from 'react';
import type { LifecycleStatus } from '@coinbase/onchainkit/swap';
import { useCardRun, type CardRun } from '../card-run.ts';

/** The kit's code for what fails between the press and the receipt; its other ones are of prices. */
export const UNSWAPPED = 'TmSPc02';

/** `onBegun`: as `useCardRun` has it. */
export function useSwapOutcome(onBegun: (id: string | null) => void): Pick<
  CardRun,
  'attempt' | 'isInVain' | 'outcome' | 'renew'
> & {
  follow: (status: LifecycleStatus) => void;
} {
  const { attempt, failed, isInVain, outcome, renew, succeeded } = useCardRun('swap', onBegun);
  const follow = useCallback(
    ({ statusData, statusName }: LifecycleStatus) => {
      if (statusName === 'success') succeeded(statusData.transactionReceipt);
      else if (statusName === 'error' && statusData.code === UNSWAPPED) failed();
    },
    [failed, succeeded],
  );
  return { follow, outcome, attempt, isInVain, renew };
}
