/** Follows what a card of the kit begins to its outcome, and notes on the device that it was begun. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { TransactionReceipt } from 'viem';
import { useConfig } from 'wagmi';
import { getAccount } from 'wagmi/actions';
import { forgetBegun, noteBegun, type BegunKind } from './begun-payments.ts';
import {
  lastPaying,
  mayPay,
  outcomeOfError,
  outcomeOfReceipt,
  type CardOutcome,
} from './card-outcome.ts';

/** `id`: of its note. `payer`: the account that was asked, null where none was connected. */
interface Run {
  id: string;
  payer: string | null;
}

export interface CardRun {
  /** Of the last; null while there is none. */
  outcome: CardOutcome | 'running' | null;
  /** The wallet has been asked, and there is no end yet. */
  isRunning: () => boolean;
  /** The card tells of an error. Before the wallet was asked it is none of a run. */
  failed: () => void;
  /** The card tells of a success. */
  succeeded: (receipt: TransactionReceipt | undefined) => void;
}

/**
 * Heeds the library's requests themselves: the kit skips its own word of a request that is answered
 * at once.
 * @param onBegun called with the note of the card's last run, and with null when the card goes
 */
export function useCardRun(kind: BegunKind, onBegun: (id: string | null) => void): CardRun {
  const config = useConfig();
  const requests = useQueryClient().getMutationCache();
  const [outcome, setOutcome] = useState<CardRun['outcome']>(null);
  const running = useRef<Run | null>(null);
  useEffect(
    () =>
      requests.subscribe(({ mutation, type, ...event }) => {
        const begins = type === 'updated' && 'action' in event && event.action.type === 'pending';
        // A swap may be several requests: it began with the first.
        if (!begins || mutation === undefined || !mayPay(mutation) || running.current !== null)
          return;
        const id = noteBegun(kind);
        running.current = { id, payer: getAccount(config).address ?? null };
        setOutcome('running');
        onBegun(id);
      }),
    [config, kind, onBegun, requests],
  );
  useEffect(
    () => () => {
      onBegun(null);
    },
    [onBegun],
  );
  const end = useCallback((judge: (run: Run) => CardOutcome) => {
    const run = running.current;
    if (run === null) return;
    running.current = null;
    const became = judge(run);
    setOutcome(became);
    if (became !== 'unknown') forgetBegun(run.id);
  }, []);
  const isRunning = useCallback(() => running.current !== null, []);
  const failed = useCallback(() => {
    const last = lastPaying(requests);
    // While the wallet still asks, an error is one of something else.
    if (last?.state.status !== 'pending') end(() => outcomeOfError(last?.state.error));
  }, [end, requests]);
  const succeeded = useCallback(
    (receipt: TransactionReceipt | undefined) => {
      end(({ payer }) => outcomeOfReceipt(receipt, payer));
    },
    [end],
  );
  return { outcome, isRunning, failed, succeeded };
}
