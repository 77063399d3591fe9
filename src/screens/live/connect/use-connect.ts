/**
 * Sends the connecting of an exchange, and the same one again where its answer was lost: two of them
 * would be two connections of one account.
 */
import { useState } from 'react';
import type { LiveConnection, LiveLimits } from '../../../../contract/live-state.ts';
import type { LiveExchange, StepUpKey } from '../../../../contract/signer.ts';
import { ApiError } from '../../../api/api-error.ts';
import { api } from '../../../api/api.ts';
import { exchangeName } from '../../../format/exchange-names.ts';
import { failureSentence } from '../../../format/failure-sentence.ts';
import { samePerson } from '../../../identity/session.ts';
import { PasskeyDeclined } from '../../../live/passkey.ts';
import { loadConnections } from '../../../stores/live-store.ts';
import { pageToast } from '../../../stores/toast-store.ts';
import { checkLimits, type LimitsDraft } from '../limits-draft.ts';
import { useLeftSignal } from '../use-left-signal.ts';
import type { PastedKey } from './checked-key.ts';
import { faultText } from './key-steps.ts';

export interface Wanted {
  exchange: LiveExchange;
  key: PastedKey;
  label: string;
  limits: LimitsDraft;
  firstWeek: LiveLimits;
}

/** A request as it was sent, without the secret part of its key. */
export interface SentConnect {
  commandId: string;
  exchange: LiveExchange;
  apiKey: string;
  label: string;
  limits: LiveLimits;
  stepUpKeys: StepUpKey[];
  /** It may have arrived, and the server has not said what came of it. */
  unanswered: boolean;
}

/** The last request, kept by the screen: the steps come and go. */
export interface LastSent {
  sent: SentConnect | null;
  keepSent: (sent: SentConnect | null) => void;
}

const NOT_JUDGED = ['invalid_request', 'idempotency_mismatch', 'bad_reply', 'unknown'];
/** The request itself was judged, and is over; not who sent it, or how often. */
const isJudged = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.status >= 400 &&
  error.status < 500 &&
  ![401, 403, 426, 429].includes(error.status) &&
  !NOT_JUDGED.includes(error.code);

const contentOf = ({ exchange, apiKey, label, limits, stepUpKeys }: SentConnect): string =>
  JSON.stringify([exchange, apiKey, label, limits, stepUpKeys]);

export type MakeKeys = () => Promise<StepUpKey[]>;

interface UseConnectOptions extends LastSent {
  wanted: Wanted;
  onConnected: (connection: LiveConnection) => void;
}

export function useConnect({ wanted, sent, keepSent, onConnected }: UseConnectOptions) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const leftSignal = useLeftSignal();
  const { exchange, key } = wanted;
  const isSameKey = sent?.exchange === exchange && sent.apiKey === key.apiKey;
  const unanswered = isSameKey && sent.unanswered ? sent : null;

  const send = async (request: SentConnect): Promise<void> => {
    const { commandId, label, limits, stepUpKeys } = request;
    keepSent(request);
    try {
      const { connection, report } = await api.call('connectExchange', {
        body: { exchange, ...key, label, limits, stepUpKeys },
        commandId,
      });
      keepSent(null);
      if (connection !== null) onConnected(connection);
      else
        setFailure(report.faults.map((one) => faultText(one, exchange, report.advice)).join(' '));
    } catch (error) {
      const isOpen = request.unanswered || (error instanceof ApiError && error.mayHaveArrived);
      if (isJudged(error)) keepSent(null);
      else keepSent({ ...request, unanswered: isOpen });
      if (isOpen) void loadConnections(true);
      throw error;
    }
  };
  const run = async (work: (left: AbortSignal) => Promise<void>): Promise<void> => {
    const left = leftSignal();
    const isHere = samePerson();
    setBusy(true);
    setFailure(null);
    try {
      await work(left);
    } catch (error) {
      const sentence =
        error instanceof PasskeyDeclined ? error.message : await failureSentence(error);
      if (!left.aborted) setFailure(sentence);
      else if (isHere() && error instanceof ApiError && error.mayHaveArrived)
        pageToast('error', `${exchangeName(exchange)} may have been connected. ${sentence}`);
    } finally {
      setBusy(false);
    }
  };
  const connect = async (makeKeys: MakeKeys): Promise<void> => {
    const checked = checkLimits(wanted.limits, wanted.firstWeek);
    if (!checked.ok) return;
    await run(async (left) => {
      const stepUpKeys = await makeKeys();
      // Who left while confirming has not connected anything.
      if (left.aborted) return;
      const { label } = wanted;
      const fresh: SentConnect = {
        ...{ commandId: crypto.randomUUID(), exchange, apiKey: key.apiKey },
        ...{ label, limits: checked.limits, stepUpKeys, unanswered: false },
      };
      await send(sent !== null && contentOf(sent) === contentOf(fresh) ? sent : fresh);
    });
  };
  const again = async (): Promise<void> => {
    if (unanswered !== null) await run(() => send(unanswered));
  };
  return { busy, failure, isUnanswered: unanswered !== null, connect, again };
}
