/**
 * Asks for a test, follows it, ends it; from the device's own candles where there is no network.
 * Refuses to show a test of other terms than those on the screen.
 */
import { useEffect, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import type { BacktestTerms } from '../../../contract/backtest.ts';
import type { AgentPreviewBody } from '../../../contract/preview.ts';
import { api } from '../../api/api.ts';
import { ApiError } from '../../api/api-error.ts';
import type { BacktestOrder, BacktestOutcome } from '../../backtest/messages.ts';
import { readPastCandles } from '../../backtest/past-candles.ts';
import { runTest } from '../../backtest/run-test.ts';
import { errorSentence } from '../../format/errors.ts';
import { connection } from '../../stores/connection.ts';
import { keepBacktest, readKeptBacktest } from '../../stores/kept-backtest.ts';
import { rememberTest } from '../../stores/tests-done.ts';

/** Reading candles takes longer than going through them: shares of the whole way. */
const READING = 0.6;

export interface BacktestDone {
  terms: BacktestTerms;
  outcome: BacktestOutcome;
  /** Device clock, ms, at which candles kept earlier were read; null for fresh ones. */
  keptAt: number | null;
}

export type BacktestState =
  | { at: 'idle' }
  | { at: 'busy'; share: number; text: string }
  | { at: 'done'; key: string; done: BacktestDone }
  | { at: 'failed'; key: string; message: string };

const why = (error: unknown): string =>
  error instanceof ApiError && error.status === 0
    ? 'The server did not answer.'
    : error instanceof ApiError
      ? errorSentence(error)
      : 'The test could not be run on this device.';

export function useBacktest(
  ask: AgentPreviewBody | null,
  days: number,
  version: number,
): { state: BacktestState; run: () => void; cancel: () => void } {
  const { online } = useSnapshot(connection);
  const [state, setState] = useState<BacktestState>({ at: 'idle' });
  const stop = useRef<AbortController | null>(null);
  const key = ask === null ? '' : JSON.stringify([ask, days, version]);
  // Other terms, or a page that is left: the test under way answers nobody.
  useEffect(
    () => () => {
      stop.current?.abort();
      stop.current = null;
    },
    [key],
  );

  const fresh = async (signal: AbortSignal): Promise<BacktestOrder> => {
    const terms = await api.call('backtestTerms', { body: { ...ask, days }, signal, attempts: 2 });
    const candles = await readPastCandles(terms, signal, (share) => {
      if (!signal.aborted)
        setState({ at: 'busy', share: share * READING, text: 'Reading candles' });
    });
    void keepBacktest({ key, terms, candles });
    return { terms, candles };
  };
  const kept = async (): Promise<{ order: BacktestOrder; keptAt: number } | null> => {
    const found = await readKeptBacktest(key);
    return found === null
      ? null
      : { order: { terms: found.kept.terms, candles: found.kept.candles }, keptAt: found.savedAt };
  };
  const whole = async (signal: AbortSignal): Promise<BacktestDone> => {
    let keptAt: number | null = null;
    let order: BacktestOrder | null = null;
    if (online !== 'offline') {
      order = await fresh(signal).catch(async (error: unknown) => {
        // The network may have gone on the way.
        const found =
          signal.aborted || !(error instanceof ApiError && error.status === 0)
            ? null
            : await kept();
        if (found === null) throw error;
        keptAt = found.keptAt;
        return found.order;
      });
    } else {
      const found = await kept();
      if (found === null) throw new NoCandles();
      keptAt = found.keptAt;
      order = found.order;
    }
    const { outcome, tested } = await runTest(order, signal, (share) => {
      if (!signal.aborted)
        setState({
          at: 'busy',
          share: READING + share * (1 - READING),
          text: 'Going through them',
        });
    });
    if (ask !== null && !signal.aborted && order.terms.keepsTests === true)
      rememberTest(ask, version, tested);
    return { terms: order.terms, outcome, keptAt };
  };
  const run = (): void => {
    stop.current?.abort();
    const control = new AbortController();
    stop.current = control;
    setState({ at: 'busy', share: 0, text: 'Asking for its terms' });
    whole(control.signal).then(
      (done) => {
        if (!control.signal.aborted) setState({ at: 'done', key, done });
      },
      (error: unknown) => {
        if (!control.signal.aborted)
          setState({
            at: 'failed',
            key,
            message: error instanceof NoCandles ? NO_CANDLES : why(error),
          });
      },
    );
  };
  const cancel = (): void => {
    stop.current?.abort();
    stop.current = null;
    setState({ at: 'idle' });
  };
  const stale = (state.at === 'done' || state.at === 'failed') && state.key !== key;
  return { state: stale ? { at: 'idle' } : state, run, cancel };
}

class NoCandles extends Error {}
const NO_CANDLES =
  'Offline, and this device holds no candles for this question. Ask it once with a network; then it can be asked here too.';
