/** What is known of the user's plan, and what may be offered on it. */
import { useSnapshot } from 'valtio';
import type { Subscription } from '../../../contract/subscription.ts';
import { connection } from '../../stores/connection.ts';
import { subscriptionStore } from '../../stores/subscription-store.ts';
import { useAuth } from '../../stores/use-security.ts';

export function useSubscription(): Subscription | null {
  return useSnapshot(subscriptionStore).data?.status?.subscription ?? null;
}

/** Whether the server could not tell the plan: nothing is sold on what is not known. */
export function useIsPlanUnknown(): boolean {
  const { data, error } = useSnapshot(subscriptionStore);
  const { online } = useSnapshot(connection);
  return data === null ? error !== null && online !== 'offline' : data.status === null;
}

/** Whether the free trial can be started. Where the server did not tell, it is not offered. */
export function useMayTryTrial(): boolean {
  const { hasUsedTrial, isSubscribed } = useAuth();
  const { data } = useSnapshot(subscriptionStore);
  const isTold = (data?.status ?? null) !== null && (data?.trial ?? null) !== null;
  return isTold && !hasUsedTrial && !isSubscribed;
}

/**
 * What the first agent comes with: the free trial where that is open, a plan where the trial was
 * used, `neither` to a payer and on an unknown plan; undefined until the plan was asked for.
 */
export function useFirstOffer(): 'trial' | 'plan' | 'neither' | undefined {
  const { loading, hasUsedTrial, isSubscribed } = useAuth();
  const { online } = useSnapshot(connection);
  const mayTry = useMayTryTrial();
  const isUnknown = useIsPlanUnknown();
  if (loading && online !== 'offline') return undefined;
  if (mayTry) return 'trial';
  return hasUsedTrial && !isSubscribed && !isUnknown ? 'plan' : 'neither';
}
