/** Follows what a card of the kit begins to its outcome, and notes on the device that it was begun. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { isHash, type TransactionReceipt } from 'viem';
import { useConfig } from 'wagmi';
import { getAccount, type GetCallsStatusReturnType } from 'wagmi/actions';
import { forgetBegun, noteBegun, type BegunKind } from './begun-payments.ts';
import {
  lastPaying,
  mayPay,
  outcomeOfError,
  outcomeOfReceipt,
  outcomeOnChain,
  type CardOutcome,
} from './card-outcome.ts';

/** `id`: of its note. `payer`: the account that was asked, null where none was connected. */
interface Run {
  id: string;
  payer: string | null;
  chainId: number | undefined;
}

type Judge = (run: Run) => CardOutcome | Promise<CardOutcome>;

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

/** A bundle's name, as the wallet answered it. */
const bundleOf = (answer: unknown): unknown =>
  typeof answer === 'object' && answer !== null && 'id' in answer ? answer.id : answer;

/**
 * Calls `onGivenUp` with the transactions of the last bundle once its wallet says that it failed:
 * the kit waits for a success for ever.
 */
function useGivenUp(client: QueryClient, onGivenUp: (hashes: `0x${string}`[]) => void): void {
  useEffect(
    () =>
      client.getQueryCache().subscribe(({ query, type }) => {
        const [what, of] = query.queryKey as readonly unknown[];
        if (type !== 'updated' || what !== 'callsStatus') return;
        const calls = query.state.data as GetCallsStatusReturnType | undefined;
        const last = lastPaying(client.getMutationCache())?.state.data;
        if (calls?.status !== 'failure' || bundleOf(of) !== bundleOf(last)) return;
        onGivenUp((calls.receipts ?? []).map(({ transactionHash }) => transactionHash));
      }),
    [client, onGivenUp],
  );
}

/**
 * Heeds the library's requests themselves: the kit skips its own word of a request that is answered
 * at once.
 * @param onBegun called with the note of the card's last run, and with null when the card goes
 */
export function useCardRun(kind: BegunKind, onBegun: (id: string | null) => void): CardRun {
  const config = useConfig();
  const client = useQueryClient();
  const requests = client.getMutationCache();
  const [outcome, setOutcome] = useState<CardRun['outcome']>(null);
  const running = useRef<Run | null>(null);
  const newest = useRef<Run | null>(null);
  useEffect(
    () =>
      requests.subscribe(({ mutation, type, ...event }) => {
        const begins = type === 'updated' && 'action' in event && event.action.type === 'pending';
        // A swap may be several requests: it began with the first.
        if (!begins || mutation === undefined || !mayPay(mutation) || running.current !== null)
          return;
        const id = noteBegun(kind);
        const { address: payer = null, chainId } = getAccount(config);
        newest.current = running.current = { id, payer, chainId };
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
  const end = useCallback((judge: Judge) => {
    const run = running.current;
    if (run === null) return;
    running.current = null;
    void Promise.resolve(judge(run)).then((became) => {
      if (became !== 'unknown') forgetBegun(run.id);
      if (newest.current === run) setOutcome(became);
    });
  }, []);
  const isRunning = useCallback(() => running.current !== null, []);
  const failed = useCallback(() => {
    const last = lastPaying(requests);
    // While the wallet still asks, an error is one of something else.
    if (last?.state.status === 'pending') return;
    const sent = last?.state.data;
    end(({ chainId }) =>
      typeof sent === 'string' && isHash(sent)
        ? outcomeOnChain(config, [sent], chainId)
        : outcomeOfError(last?.state.error),
    );
  }, [config, end, requests]);
  const givenUp = useCallback(
    (hashes: `0x${string}`[]) => {
      end(({ chainId }) => outcomeOnChain(config, hashes, chainId));
    },
    [config, end],
  );
  useGivenUp(client, givenUp);
  const succeeded = useCallback(
    (receipt: TransactionReceipt | undefined) => {
      end(({ payer }) => outcomeOfReceipt(receipt, payer));
    },
    [end],
  );
  return { outcome, isRunning, failed, succeeded };
}
