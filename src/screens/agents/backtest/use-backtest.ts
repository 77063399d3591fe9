/** Runs a backtest and follows its progress. Offline it uses the candles saved on this device. */
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import type { BacktestTerms } from '../../../../contract/backtest.ts';
import type { AgentPreviewBody } from '../../../../contract/preview.ts';
import { api } from '../../../api/api.ts';
import { ApiError } from '../../../api/api-error.ts';
import type { BacktestOrder, BacktestOutcome } from '../../../backtest/worker-messages.ts';
import { readPastCandles } from '../../../backtest/read-past-candles.ts';
import { runTest } from '../../../backtest/start-backtest.ts';
import { errorSentence } from '../../../format/error-text.ts';
import { connection } from '../../../stores/connection.ts';
import { keepBacktest, readKeptBacktest } from '../../../stores/kept-backtest.ts';
import { recordBacktest } from '../../../stores/started-backtests.ts';

/** Share of the progress bar for loading candles, which takes longer than the run. */
const READING = 0.6;

export interface BacktestDone {
  terms: BacktestTerms;
  outcome: BacktestOutcome;
  /** Device clock, ms, at which saved candles were loaded; null for fresh ones. */
  keptAt: number | null;
}

export type BacktestState =
  | { at: 'idle' }
  | { at: 'busy'; share: number; text: string }
  | { at: 'done'; key: string; done: BacktestDone }
  | { at: 'failed'; key: string; message: string };

class NoCandles extends Error {}
const NO_CANDLES =
  "You're offline and this device has no candles for this backtest. Run it once online to use it offline later.";

function why(error: unknown): string {
  if (error instanceof NoCandles) return NO_CANDLES;
  if (!(error instanceof ApiError)) return 'The backtest could not run on this device.';
  return error.status === 0 ? 'The server did not answer.' : errorSentence(error);
}

type Progress = (share: number, text: string) => void;

/** The parameters of a backtest, and the key under which its candles are saved. */
interface Question {
  ask: AgentPreviewBody | null;
  days: number;
  key: string;
}

async function freshOrder(
  { ask, days, key }: Question,
  signal: AbortSignal,
  onProgress: Progress,
): Promise<BacktestOrder> {
  const terms = await api.call('backtestTerms', { body: { ...ask, days }, signal, attempts: 2 });
  const candles = await readPastCandles(terms, signal, (share) => {
    onProgress(share * READING, 'Loading candles');
  });
  void keepBacktest({ key, terms, candles });
  return { terms, candles };
}

interface Source {
  order: BacktestOrder;
  /** Null for candles that were loaded for this run. */
  keptAt: number | null;
}

async function keptOrder(key: string): Promise<Source | null> {
  const found = await readKeptBacktest(key);
  return found === null
    ? null
    : { order: { terms: found.kept.terms, candles: found.kept.candles }, keptAt: found.savedAt };
}

/** Fresh candles if online, otherwise those saved on this device. */
async function orderOf(
  question: Question,
  offline: boolean,
  signal: AbortSignal,
  onProgress: Progress,
): Promise<Source> {
  if (offline) {
    const found = await keptOrder(question.key);
    if (found === null) throw new NoCandles();
    return found;
  }
  try {
    return { order: await freshOrder(question, signal, onProgress), keptAt: null };
  } catch (error) {
    // The network may have been lost on the way.
    const unanswered = error instanceof ApiError && error.status === 0;
    const found = signal.aborted || !unanswered ? null : await keptOrder(question.key);
    if (found === null) throw error;
    return found;
  }
}

export function useBacktest(
  ask: AgentPreviewBody | null,
  days: number,
  version: number,
): { state: BacktestState; run: () => void; cancel: () => void } {
  const { online } = useSnapshot(connection);
  const [state, setState] = useState<BacktestState>({ at: 'idle' });
  const stop = useRef<AbortController | null>(null);
  /** The settings that are being tested. */
  const tested = useRef<string | null>(null);
  const settings = JSON.stringify(ask);
  const key = ask === null ? '' : JSON.stringify([ask, days, version]);

  const test = async (signal: AbortSignal): Promise<BacktestDone> => {
    const onProgress: Progress = (share, text) => {
      if (!signal.aborted) setState({ at: 'busy', share, text });
    };
    const offline = online === 'offline';
    const { order, keptAt } = await orderOf({ ask, days, key }, offline, signal, onProgress);
    const { outcome, tested: record } = await runTest(order, signal, (share) => {
      onProgress(READING + share * (1 - READING), 'Running backtest');
    });
    if (ask !== null && !signal.aborted && order.terms.keepsTests === true)
      recordBacktest(ask, version, record);
    return { terms: order.terms, outcome, keptAt };
  };
  const run = (): void => {
    stop.current?.abort();
    const control = new AbortController();
    stop.current = control;
    tested.current = settings;
    setState({ at: 'busy', share: 0, text: 'Loading settings' });
    const end = (next: BacktestState): void => {
      if (control.signal.aborted) return;
      tested.current = null;
      setState(next);
    };
    test(control.signal).then(
      (done) => {
        end({ at: 'done', key, done });
      },
      (error: unknown) => {
        end({ at: 'failed', key, message: why(error) });
      },
    );
  };
  const cancel = (): void => {
    stop.current?.abort();
    stop.current = null;
    tested.current = null;
    setState({ at: 'idle' });
  };
  // A run goes on with another period, or with an agent that the server has told of anew. Settings
  // that the person changes end it.
  const follow = useEffectEvent(() => {
    if (tested.current === null) return;
    if (tested.current === settings) run();
    else cancel();
  });
  useEffect(() => {
    follow();
    return () => {
      stop.current?.abort();
      stop.current = null;
    };
  }, [key]);
  const stale = (state.at === 'done' || state.at === 'failed') && state.key !== key;
  return { state: stale ? { at: 'idle' } : state, run, cancel };
}
