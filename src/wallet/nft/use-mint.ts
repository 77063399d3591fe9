/** Follows the kit's card of a mint: whether it could be read, and what became of a mint. */
import { useCallback, useState } from 'react';
import type { LifecycleStatus } from '@coinbase/onchainkit/nft';
import { useCardRun, type CardRun } from '../card-run.ts';

/** The kit's codes for a token or a mint that it could not read: its cards are empty then. */
export const UNREAD = new Set(['NmND01', 'NmMD01']);
/** How the kit's codes begin for what fails from the press on. */
const OF_THE_TRANSACTION = /^Tm/;

/** `onBegun`: as `useCardRun` has it. */
export function useMint(onBegun: (id: string | null) => void): Pick<
  CardRun,
  'attempt' | 'isInVain' | 'outcome' | 'renew'
> & {
  follow: (status: LifecycleStatus) => void;
  /** The card is empty; not said while a mint runs in it. */
  unread: boolean;
  readAgain: () => void;
} {
  const [unread, setUnread] = useState(false);
  const { attempt, failed, isInVain, outcome, renew, succeeded } = useCardRun('mint', onBegun);
  const follow = useCallback(
    ({ statusData, statusName }: LifecycleStatus) => {
      if (statusName === 'success') succeeded(statusData.transactionReceipts?.[0]);
      if (statusName !== 'error') return;
      if (UNREAD.has(statusData.code)) setUnread(true);
      else if (OF_THE_TRANSACTION.test(statusData.code)) failed();
    },
    [failed, succeeded],
  );
  const readAgain = useCallback(() => {
    setUnread(false);
    renew();
  }, [renew]);
  return {
    follow,
    outcome,
    unread: unread && outcome !== 'running',
    readAgain,
    attempt,
    isInVain,
    renew,
  };
}
