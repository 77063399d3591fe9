/** Starts the free trial, with its messages. */
import { ApiError } from '../api/api-error.ts';
import { api } from '../api/api.ts';
import { errorSentence } from '../format/error-text.ts';
import { samePerson, session } from '../identity/session.ts';
import { subscriptionChanged, subscriptionStore } from '../stores/subscription-store.ts';
import { pageToast } from '../stores/toast-store.ts';

const TRIAL_WORDS = {
  started: 'Trial started successfully!',
  signedOut: 'You must be logged in to start a trial.',
  used: 'You have already used your free trial.',
  failed: 'Failed to start trial. Please try again.',
  identity: 'Authentication error. Please try refreshing the page.',
} as const;

/** The message for a failed start. */
function trialFailure(error: unknown): string {
  if (!(error instanceof ApiError)) return TRIAL_WORDS.failed;
  if (error.code === 'trial_used') return TRIAL_WORDS.used;
  if (error.code === 'already_subscribed') return errorSentence(error);
  return error.status === 401 ? TRIAL_WORDS.identity : TRIAL_WORDS.failed;
}

const isKnownElsewhere = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'trial_used' || error.code === 'already_subscribed');

/** Starts the trial, refreshes the entitlement and shows the result. Returns whether it started. */
export async function startTrial(): Promise<boolean> {
  const uid = session.user?.uid;
  if (uid === undefined || session.status !== 'signed-in') {
    pageToast('error', TRIAL_WORDS.signedOut);
    return false;
  }
  if (subscriptionStore.entitlement.hasUsedTrial) {
    pageToast('error', TRIAL_WORDS.used);
    return false;
  }
  const isHere = samePerson();
  try {
    await api.call('trialStart', { body: { userId: uid } });
    await subscriptionChanged();
  } catch (error) {
    if (!isHere()) return false;
    // Its answer may be lost: then what the server says now decides.
    const isUnknown = error instanceof ApiError && error.mayHaveArrived;
    if (!isUnknown) pageToast('error', trialFailure(error));
    // The server may know of a trial or a plan that this device has not loaded yet.
    if (isUnknown || isKnownElsewhere(error)) await subscriptionChanged();
    if (!isUnknown || !isHere()) return false;
    if (!subscriptionStore.entitlement.isTrialActive) {
      pageToast('error', trialFailure(error));
      return false;
    }
  }
  if (isHere()) pageToast('success', TRIAL_WORDS.started);
  return true;
}
