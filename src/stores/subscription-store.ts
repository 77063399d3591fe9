/**
 * What the user is entitled to, as last checked. Being offline does not turn a plan into "free".
 */
import { proxy } from 'valtio';
import { SUBSCRIPTION_RECHECK_MS } from '../../contract/limits.ts';
import type { Invoices } from '../../contract/plan-change.ts';
import type {
  Plans,
  SubscriptionStatusReply,
  TrialStatus,
  Usage,
} from '../../contract/subscription.ts';
import { noConnection } from '../api/api-error.ts';
import { api } from '../api/api.ts';
import {
  entitlementView,
  NO_ENTITLEMENT,
  type EntitlementView,
} from '../billing/entitlement-view.ts';
import { failureSentence } from '../format/failure-sentence.ts';
import { session } from '../identity/session.ts';
import { connection, serverNow } from './connection.ts';
import { load } from './load-slot.ts';
import { clear, emptySlot, fill, type Origin, type Slot } from './slot.ts';

export interface SubscriptionData {
  /** Null when the server answered that the status was not available. */
  status: SubscriptionStatusReply | null;
  trial: TrialStatus | null;
}

export interface SubscriptionStore extends Slot<SubscriptionData> {
  /** True until the first check since login has an answer, or a snapshot stands in for it. */
  loading: boolean;
  /**
   * The entitlement used by screens and guard; recomputed at every check and when the trial ends.
   */
  entitlement: EntitlementView;
}

export const subscriptionStore = proxy<SubscriptionStore>({
  ...emptySlot<SubscriptionData>(),
  loading: true,
  entitlement: { ...NO_ENTITLEMENT },
});
export const plansStore = proxy<Slot<Plans>>(emptySlot());
export const usageStore = proxy<Slot<Usage>>(emptySlot());
export const invoicesStore = proxy<Slot<Invoices>>(emptySlot());

/** The next check is due in a minute where the server could not answer this one. */
const FAILED_RECHECK_MS = 60_000;

let checkedAt: number | null = null;
let checking: Promise<void> | null = null;

/**
 * Recomputed by a timer at the server's present time, so that a trial also ends on an open page.
 */
export function refreshEntitlement(now = serverNow()): void {
  const { data } = subscriptionStore;
  const status = data?.status ?? null;
  const counted = entitlementView(status, data?.trial ?? null, now);
  // While the server is away the last known plan counts.
  const last =
    connection.online === 'offline' && status !== null && !counted.isSubscribed
      ? entitlementView(status, data?.trial ?? null, Math.min(now, status.servedAt))
      : counted;
  Object.assign(subscriptionStore.entitlement, last, {
    trialDaysRemaining: counted.trialDaysRemaining,
  });
}

/** Takes a status and a trial unless newer ones are loaded. */
export function applySubscription(
  next: SubscriptionData,
  origin: Origin,
  savedAt = Date.now(),
): void {
  const present = subscriptionStore.data?.status ?? null;
  if (origin === 'snapshot' && present !== null) return;
  if (present !== null && next.status !== null && next.status.servedAt < present.servedAt) return;
  fill(subscriptionStore, next, origin, savedAt);
  subscriptionStore.loading = false;
  refreshEntitlement();
}

async function check(): Promise<void> {
  const uid = session.user?.uid ?? null;
  subscriptionStore.status = 'loading';
  const [status, trial] = await Promise.allSettled([
    api.call('subscriptionStatus', {}),
    api.call('trialStatus', {}),
  ]);
  if ((session.user?.uid ?? null) !== uid) return;
  subscriptionStore.loading = false;
  const failure =
    status.status === 'rejected'
      ? (status.reason as unknown)
      : trial.status === 'rejected'
        ? (trial.reason as unknown)
        : null;
  if (failure !== null && noConnection(failure)) {
    // Without an answer the last known entitlement stays, with its age.
    void failed(failure, uid);
    return;
  }
  checkedAt = Date.now() - (failure === null ? 0 : SUBSCRIPTION_RECHECK_MS - FAILED_RECHECK_MS);
  applySubscription(
    {
      status: status.status === 'fulfilled' ? status.value : null,
      trial: trial.status === 'fulfilled' ? trial.value : null,
    },
    'network',
  );
  if (failure !== null) void failed(failure, uid);
}

/** Nobody waits for the sentence: what follows from the failure is in the store already. */
async function failed(failure: unknown, uid: string | null): Promise<void> {
  subscriptionStore.status = 'error';
  const sentence = await failureSentence(failure);
  if ((session.user?.uid ?? null) === uid) subscriptionStore.error = sentence;
}

/** Checks now: both calls, one attempt each. Never throws. */
export function checkSubscription(): Promise<void> {
  checking ??= check().finally(() => {
    checking = null;
  });
  return checking;
}

/** The server reported a change: an answer already under way may be older. */
export async function subscriptionChanged(): Promise<void> {
  const uid = session.user?.uid;
  const before = checking;
  if (before !== null) await before;
  if (session.user?.uid !== uid) return;
  await Promise.all([
    checkSubscription(),
    usageStore.data === null ? undefined : loadUsage(true),
    invoicesStore.data === null ? undefined : loadInvoices(true),
  ]);
}

/**
 * Checks if the last answer is five minutes old, or a failure a minute old. Also called when the page becomes visible, because
 * its timer rests while hidden.
 */
export function checkSubscriptionIfDue(now = Date.now()): Promise<void> {
  refreshEntitlement();
  return checkedAt === null || now - checkedAt >= SUBSCRIPTION_RECHECK_MS
    ? checkSubscription()
    : Promise.resolve();
}

export function loadPlans(force = false): Promise<void> {
  return load(
    plansStore,
    force,
    () => api.call('plans', {}),
    (reply) => {
      fill(plansStore, reply, 'network', Date.now());
    },
  );
}

export function loadUsage(force = false): Promise<void> {
  return load(
    usageStore,
    force,
    () => api.call('usage', {}),
    (reply) => {
      fill(usageStore, reply, 'network', Date.now());
    },
  );
}

export function loadInvoices(force = false): Promise<void> {
  return load(
    invoicesStore,
    force,
    () => api.call('invoices', {}),
    (reply) => {
      fill(invoicesStore, reply, 'network', Date.now());
    },
  );
}

/** Back to free and unsubscribed, at log-out. */
export function clearSubscription(): void {
  clear(subscriptionStore);
  clear(plansStore);
  clear(usageStore);
  clear(invoicesStore);
  subscriptionStore.loading = true;
  Object.assign(subscriptionStore.entitlement, NO_ENTITLEMENT);
  checkedAt = null;
  checking = null;
}
