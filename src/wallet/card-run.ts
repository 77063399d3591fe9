/** Follows what a card of the kit begins to its outcome, and notes on the device that it was begun. */
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import { useQueryClient, type Mutation, type QueryClient } from '@tanstack/react-query';
import { isHash, type TransactionReceipt } from 'viem';
import { useConfig, type Config } from 'wagmi';
import { getAccount, type GetCallsStatusReturnType } from 'wagmi/actions';
import { forgetBegun, noteBegun, type BegunKind } from './begun-payments.ts';
import {
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
  /** In the order in which the wallet was asked. A swap may be several. */
  requests: Mutation[];
  /** The wallet was asked for one before it had answered another. */
  isDouble: boolean;
}

const isAsked = ({ state }: Mutation): boolean => state.status === 'pending';

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
  /** The key of the kit's card. */
  attempt: number;
  /** The kit's card waits in vain: its wallet has given up. */
  isInVain: boolean;
  /** Puts a new card of the kit in the place of the present one. */
  renew: () => void;
}

/** A bundle's name, as the wallet answered it. */
const bundleOf = (answer: unknown): unknown =>
  typeof answer === 'object' && answer !== null && 'id' in answer ? answer.id : answer;

/**
 * Calls `onGivenUp` with the transactions of a bundle of the run once its wallet says that it
 * failed: the kit waits for a success for ever.
 */
function useGivenUp(
  client: QueryClient,
  running: RefObject<Run | null>,
  onGivenUp: (hashes: `0x${string}`[]) => void,
): void {
  useEffect(
    () =>
      client.getQueryCache().subscribe(({ query, type }) => {
        const [what, of] = query.queryKey as readonly unknown[];
        if (type !== 'updated' || what !== 'callsStatus') return;
        const calls = query.state.data as GetCallsStatusReturnType | undefined;
        if (calls?.status !== 'failure') return;
        const isOwn = running.current?.requests.some(
          ({ state }) => state.data !== undefined && bundleOf(state.data) === bundleOf(of),
        );
        if (isOwn !== true) return;
        onGivenUp((calls.receipts ?? []).map(({ transactionHash }) => transactionHash));
      }),
    [client, running, onGivenUp],
  );
}

/** What became of a run of which the card tells an error. */
async function outcomeOfFailure(
  config: Config,
  { chainId, isDouble, requests }: Run,
): Promise<CardOutcome> {
  const last = requests.at(-1)?.state;
  const sent = last?.data;
  if (typeof sent === 'string' && isHash(sent)) return outcomeOnChain(config, [sent], chainId);
  // What came before it in its turn was to prepare it alone; what was beside it may be the same.
  return isDouble && requests.some(({ state }) => state.status === 'success')
    ? 'unknown'
    : outcomeOfError(last?.error);
}

function useRenewal() {
  const [attempt, setAttempt] = useState(0);
  const [isInVain, setIsInVain] = useState(false);
  const renew = useCallback(() => {
    setAttempt((old) => old + 1);
    setIsInVain(false);
  }, []);
  return { attempt, isInVain, setIsInVain, renew };
}

/**
 * Heeds the library's requests themselves: the kit skips its own word of a request that is answered
 * at once. All in the client around it are taken for the card's own.
 * @param onBegun called with the note of the card's last run, and with null when the card goes
 */
export function useCardRun(kind: BegunKind, onBegun: (id: string | null) => void): CardRun {
  const config = useConfig();
  const client = useQueryClient();
  const requests = client.getMutationCache();
  const [outcome, setOutcome] = useState<CardRun['outcome']>(null);
  const { setIsInVain, ...card } = useRenewal();
  const running = useRef<Run | null>(null);
  const newest = useRef<Run | null>(null);
  useEffect(
    () =>
      requests.subscribe(({ mutation, type, ...event }) => {
        const begins = type === 'updated' && 'action' in event && event.action.type === 'pending';
        if (!begins || mutation === undefined || !mayPay(mutation)) return;
        const request = mutation as Mutation;
        const current = running.current;
        if (current !== null) {
          if (current.requests.includes(request)) return;
          current.isDouble ||= current.requests.some(isAsked);
          current.requests.push(request);
          return;
        }
        const id = noteBegun(kind);
        const { address: payer = null, chainId } = getAccount(config);
        const run: Run = { id, payer, chainId, requests: [request], isDouble: false };
        newest.current = running.current = run;
        setOutcome('running');
        setIsInVain(false);
        onBegun(id);
      }),
    [config, kind, onBegun, requests, setIsInVain],
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
    // While the wallet still asks, an error is one of something else.
    if (running.current?.requests.some(isAsked) === true) return;
    end((run) => outcomeOfFailure(config, run));
  }, [config, end]);
  const givenUp = useCallback(
    (hashes: `0x${string}`[]) => {
      end(({ chainId }) => outcomeOnChain(config, hashes, chainId));
      setIsInVain(true);
    },
    [config, end, setIsInVain],
  );
  useGivenUp(client, running, givenUp);
  const succeeded = useCallback(
    (receipt: TransactionReceipt | undefined) => {
      end(({ payer }) => outcomeOfReceipt(receipt, payer));
    },
    [end],
  );
  return { outcome, isRunning, failed, succeeded, ...card };
}
