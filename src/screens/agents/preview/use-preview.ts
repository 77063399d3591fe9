/** Requests a preview from the server and puts it into a sentence. */
import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { add, formatFixed, parseFixed, ZERO } from '../../../../contract/money.ts';
import type { AgentPreview, AgentPreviewBody, PairPreview } from '../../../../contract/preview.ts';
import { api } from '../../../api/api.ts';
import { ApiError } from '../../../api/api-error.ts';
import { errorSentence } from '../../../format/error-text.ts';
import { formatAmount } from '../../../format/numbers.ts';
import { localSentence } from '../../../format/sentences.ts';
import { connection } from '../../../stores/connection.ts';

/** Delay after the last key before a preview is requested, ms. */
const REST_MS = 350;
/** An exchange may first have to be asked for the candles of a new pair. */
const TIMEOUT_MS = 20_000;

export interface PreviewState {
  /** The last answer; that of other settings only while one for these is on its way. */
  preview: AgentPreview | null;
  /** A new answer is on its way. */
  asking: boolean;
  error: string | null;
  again: () => void;
}

/** `body` null: nothing to ask about yet. */
export function usePreview(body: AgentPreviewBody | null): PreviewState {
  const { online } = useSnapshot(connection);
  /** `answers`: the settings that the preview is of. The last request may have failed since. */
  const [read, setRead] = useState<{
    key: string;
    preview: AgentPreview | null;
    answers: string;
    error: string | null;
  }>({ key: '', preview: null, answers: '', error: null });
  const [turn, setTurn] = useState(0);
  const settings = body === null ? '' : JSON.stringify(body);
  const key = settings === '' ? '' : `${settings} ${turn}`;
  useEffect(() => {
    if (key === '' || online === 'offline') return;
    const stop = new AbortController();
    const wanted = JSON.parse(settings) as AgentPreviewBody;
    const timer = setTimeout(() => {
      api
        .call('previewAgent', {
          body: wanted,
          signal: stop.signal,
          timeoutMs: TIMEOUT_MS,
          attempts: 2,
        })
        .then(
          (preview) => {
            if (!stop.signal.aborted) setRead({ key, preview, answers: settings, error: null });
          },
          (error: unknown) => {
            if (!stop.signal.aborted)
              setRead((held) => ({
                ...held,
                key,
                error:
                  error instanceof ApiError && error.status === 0
                    ? 'The server did not answer.'
                    : errorSentence(error),
              }));
          },
        );
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [key, settings, online]);
  const asking = key !== '' && online !== 'offline' && read.key !== key;
  return {
    preview: key !== '' && (asking || read.answers === settings) ? read.preview : null,
    asking,
    error: read.key === key ? read.error : null,
    again: () => {
      setTurn(turn + 1);
    },
  };
}

const WEIGHT: Record<PairPreview['action'], number> = { exit: 0, enter: 1, hold: 2, skip: 3 };

/** Trades first, then the strongest signals. */
export function inWeight(pairs: readonly PairPreview[]): PairPreview[] {
  return [...pairs].sort(
    (a, b) => WEIGHT[a.action] - WEIGHT[b.action] || (b.strength ?? -1) - (a.strength ?? -1),
  );
}

const bases = (pairs: readonly PairPreview[]): string => {
  const names = pairs.map(({ pair }) => pair.split('/')[0] ?? pair);
  return names.length <= 4
    ? names.join(', ')
    : `${names.slice(0, 3).join(', ')} and ${names.length - 3} more`;
};
const total = (pairs: readonly PairPreview[]): string =>
  formatAmount(
    formatFixed(
      pairs.reduce((sum, { order }) => add(sum, parseFixed(order?.notional ?? '0')), ZERO),
    ),
  );

/** The whole preview in a sentence: `Now it would buy BTC and ETH for 1,000.00 USDT.` */
export function previewSentence({
  pairs,
  quote,
  hold,
}: Pick<AgentPreview, 'pairs' | 'quote' | 'hold'>): string {
  const buys = pairs.filter(({ order }) => order?.side === 'buy');
  const sells = pairs.filter(({ order }) => order?.side === 'sell');
  const acts = [
    ...(buys.length > 0 ? [`buy ${bases(buys)} for ${total(buys)} ${quote}`] : []),
    ...(sells.length > 0 ? [`sell ${bases(sells)} for ${total(sells)} ${quote}`] : []),
  ];
  if (acts.length > 0) return `Now it would ${acts.join(' and ')}.`;
  if (hold !== null) return `No new positions now: ${localSentence(hold.text)}`;
  const off = pairs.find(({ reason }) => reason === 'entries_stopped');
  if (off !== undefined) return `No new positions now: ${reasonOnly(off.text).replace(/^T/, 't')}`;
  const unpriced = pairs.filter(({ reason }) => reason === 'no_price').length;
  if (unpriced > 0 && unpriced === pairs.length)
    return 'No trade now: no price since the candle closed.';
  const weak = pairs.filter(({ reason }) => reason === 'weak_signal').length;
  if (pairs.length === 0) return 'This agent has no pairs on this market.';
  return `No trade now${weak > 0 ? `: ${weak} of ${pairs.length} ${pairs.length === 1 ? 'signal is' : 'signals are'} below the threshold` : ''}.`;
}

/** The reason without its verdict, where the verdict is already shown. */
export function reasonOnly(text: string): string {
  const reason = localSentence(text).replace(/^(No trade|Holding): /, '');
  return reason.charAt(0).toUpperCase() + reason.slice(1);
}
