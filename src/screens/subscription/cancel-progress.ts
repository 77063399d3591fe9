/** The cancellation that is under way or got no answer: one, whichever dialog shows it. */
import { proxy, subscribe } from 'valtio';
import { subscribeKey } from 'valtio/utils';
import type { Subscription } from '../../../contract/subscription.ts';
import { ApiError } from '../../api/api-error.ts';
import { endPlan } from '../../billing/checkout.ts';
import { errorSentence } from '../../format/error-text.ts';
import { session } from '../../identity/session.ts';
import { connection, serverNow } from '../../stores/connection.ts';
import { subscriptionChanged, subscriptionStore } from '../../stores/subscription-store.ts';
import { pageToast } from '../../stores/toast-store.ts';
import { endedText } from './change-text.ts';
import { isLiving } from './subscription-text.ts';

export const MAYBE_CANCELLED = 'Your plan may have been cancelled.';
/** A status of the server that much later, ms, knows of every attempt that arrived. */
const ARRIVED_MS = 2 * 60_000;
const READ_AGAIN_MS = 3_000;

export interface CancelProgress {
  isSending: boolean;
  /** Server's clock, ms, when an attempt got no answer: no later refusal says what became of it. */
  openSince: number | null;
  failure: string | null;
  /** How often a plan was ended here. */
  ended: number;
}
const NOTHING = { isSending: false, openSince: null, failure: null };
export const cancelProgress = proxy<CancelProgress>({ ...NOTHING, ended: 0 });

/** Whose it is. */
let uid: string | null = null;
/** Grows with each attempt, and when it is forgotten: an older one tells nothing more. */
let turn = 0;
/** Dialogs that show it. */
let dialogs = 0;
/** Ends the wait for a next read of the plan. */
let stopWaiting = (): void => undefined;

/** It was read in its own dialog: the next one would say it anew. */
function forgetRefusal(): void {
  if (!cancelProgress.isSending && cancelProgress.openSince === null) cancelProgress.failure = null;
}

/** A dialog shows it from here on, until the returned function is called. */
export function showCancelling(): () => void {
  dialogs += 1;
  return () => {
    dialogs -= 1;
    if (dialogs === 0) forgetRefusal();
  };
}

function tellEnded(left: Subscription | null): void {
  Object.assign(cancelProgress, NOTHING, { ended: cancelProgress.ended + 1 });
  pageToast('success', endedText(left));
}

/** What the server says of the plan decides where an answer was lost, also without a dialog. */
function decide(): void {
  const { isSending, openSince } = cancelProgress;
  const status = subscriptionStore.data?.status ?? null;
  // Without a status nothing is known of the plan.
  if (openSince === null || isSending || status === null) return;
  const left = status.subscription;
  if (left?.cancelAtPeriodEnd === true || !isLiving(left)) tellEnded(left);
  else if (status.servedAt > openSince + ARRIVED_MS) Object.assign(cancelProgress, NOTHING);
}

export function forgetCancelling(): void {
  stopWaiting();
  turn += 1;
  uid = null;
  Object.assign(cancelProgress, NOTHING);
}
subscribe(subscriptionStore, decide);
subscribeKey(session, 'user', (user) => {
  if (uid !== null && user?.uid !== uid) forgetCancelling();
});

const isStillOpen = (): boolean =>
  cancelProgress.openSince !== null && (session.user?.uid ?? null) === uid;

/** Now, and where that fails once more when the server is back: also after the dialog is closed. */
async function readAgain(): Promise<void> {
  await subscriptionChanged();
  if (subscriptionStore.status !== 'error' || !isStillOpen()) return;
  stopWaiting();
  const again = (): void => {
    if (connection.online !== 'online') return;
    stopWaiting();
    if (isStillOpen()) void subscriptionChanged();
  };
  // It may be back since before that read failed: then nothing changes that could be heard.
  const timer = setTimeout(again, READ_AGAIN_MS);
  const ignore = subscribeKey(connection, 'online', again);
  stopWaiting = () => {
    clearTimeout(timer);
    ignore();
  };
}

export async function cancelPlan(): Promise<void> {
  if (cancelProgress.isSending) return;
  uid = session.user?.uid ?? null;
  turn += 1;
  const mine = turn;
  const isSame = (): boolean => turn === mine && (session.user?.uid ?? null) === uid;
  Object.assign(cancelProgress, { isSending: true, failure: null });
  try {
    const ended = await endPlan();
    await subscriptionChanged();
    if (isSame()) tellEnded(ended);
  } catch (caught) {
    if (!isSame()) return;
    const isUnanswered = caught instanceof ApiError && caught.mayHaveArrived;
    const sentence = errorSentence(caught);
    if (isUnanswered) cancelProgress.openSince = serverNow();
    cancelProgress.failure = sentence;
    if (dialogs === 0) pageToast('error', isUnanswered ? MAYBE_CANCELLED : sentence);
    if (isUnanswered) await readAgain();
    if (!isSame()) return;
    cancelProgress.isSending = false;
    if (dialogs === 0) forgetRefusal();
    decide();
  }
}
