/** Why no plan can be chosen now. */
import { useSnapshot } from 'valtio';
import { checkoutReturn } from '../../billing/checkout-return.ts';
import { AWAITED_PAYMENT, isAwaited, offlineCheckout } from '../../billing/take-plan.ts';
import { session } from '../../identity/session.ts';
import { connection } from '../../stores/connection.ts';
import { PLAN_UNCHECKED } from './subscription-text.ts';
import { useIsPlanUnknown } from './use-known-plan.ts';

/** Null where one can be chosen. Who has a `living` plan waits for no payment of a first one. */
export function usePlanBlocked(living: boolean): string | null {
  const { online } = useSnapshot(connection);
  const { state } = useSnapshot(checkoutReturn);
  const { user } = useSnapshot(session);
  const isUnknown = useIsPlanUnknown();
  // Asked first: offline, "nothing was charged" is not true of somebody who has just paid.
  if (!living && isAwaited(state, user?.uid)) return AWAITED_PAYMENT;
  if (online === 'offline') return offlineCheckout();
  return isUnknown ? PLAN_UNCHECKED : null;
}
