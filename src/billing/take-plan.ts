/** Opens the checkout for a plan, one at a time, and remembers the way back. */
import { proxy } from 'valtio';
import type { Plan } from '../../contract/subscription.ts';
import { ApiError } from '../api/api-error.ts';
import { keepsSnapshots } from '../commands.ts';
import { errorSentence } from '../format/error-text.ts';
import { session } from '../identity/session.ts';
import { samePlace } from '../platform/same-place.ts';
import { connection } from '../stores/connection.ts';
import { checkSubscription, plansStore } from '../stores/subscription-store.ts';
import { pageToast } from '../stores/toast-store.ts';
import { openCheckout, openPortal, type Destination } from './checkout.ts';
import { checkoutReturn } from './checkout-return.ts';
import { leaveFor } from './leave.ts';
import { ownPath, readCheckout, rememberCheckout } from './pending-checkout.ts';

export interface CheckoutProgress {
  /** What is being opened: a plan's id, or the portal. */
  busy: string | null;
  /** A checkout inside the app. */
  embedded: { clientSecret: string; planId: string } | null;
  /** Why the last one could not be opened, and for which plan. */
  problem: { of: string; text: string } | null;
}

export const PORTAL = 'portal';
export const checkoutProgress = proxy<CheckoutProgress>({
  busy: null,
  embedded: null,
  problem: null,
});

/** Entries are kept only where the device may keep them. */
export const offlineCheckout = (): string =>
  `You're offline. You need a connection to choose a plan. Nothing was charged${keepsSnapshots() ? ', and your entries are kept' : ''}.`;

/** Said in place of opening a page over the screen that the user has gone on to. */
const OPENED_ELSEWHERE =
  'You went to another screen, so the payment page was not opened. Open it again under Subscription.';

/** Why no second plan is bought while the first one's payment is not confirmed. */
export const AWAITED_PAYMENT =
  'Your payment is not confirmed yet. You can choose a plan once it is. Do not pay again.';

/**
 * Whether a finished checkout still waits for the server's word. After a reload on a screen other
 * than the dashboard only the note on the device tells of it.
 */
export function isAwaited(
  state: (typeof checkoutReturn)['state'],
  uid: string | undefined,
): boolean {
  if (state === 'waiting' || state === 'late') return true;
  return uid !== undefined && readCheckout(uid)?.returned === true;
}

function remember(
  { planId, planName, from }: { planId: string; planName: string; from: string | null },
  by: 'checkout' | 'portal',
): void {
  const uid = session.user?.uid;
  if (uid !== undefined)
    rememberCheckout({
      uid,
      planId,
      planName,
      from: ownPath(from),
      openedAt: Date.now(),
      by,
      returned: false,
    });
}

/** `onOpen` runs once the page is opened, and not for one that came too late. */
async function open(
  what: string,
  way: () => Promise<Destination>,
  onOpen: () => void,
): Promise<boolean> {
  if (checkoutProgress.busy !== null) return false;
  checkoutProgress.problem = null;
  if (connection.online === 'offline') {
    checkoutProgress.problem = { of: what, text: offlineCheckout() };
    return false;
  }
  checkoutProgress.busy = what;
  const isHere = samePlace();
  try {
    const destination = await way();
    if (!isHere()) {
      checkoutProgress.busy = null;
      pageToast('blank', OPENED_ELSEWHERE, { id: 'checkout' });
      return false;
    }
    onOpen();
    if (destination.kind === 'embedded') {
      checkoutProgress.embedded = { clientSecret: destination.clientSecret, planId: what };
      checkoutProgress.busy = null;
    } else {
      // Busy until the page has been left, so that a second press opens nothing. The browser's back
      // button may restore the page as it was.
      addEventListener(
        'pageshow',
        () => {
          checkoutProgress.busy = null;
        },
        { once: true },
      );
      leaveFor(destination.url);
    }
    return true;
  } catch (error) {
    checkoutProgress.problem = { of: what, text: errorSentence(error) };
    // A plan that was taken on another device, or paid for a moment ago.
    if (error instanceof ApiError && error.code === 'already_subscribed') void checkSubscription();
    checkoutProgress.busy = null;
    return false;
  }
}

/**
 * Opens the checkout of a plan. `from` is the page to return to. Resolves to whether it is open.
 */
export function takePlan(plan: Pick<Plan, 'id' | 'name'>, from: string | null): Promise<boolean> {
  if (isAwaited(checkoutReturn.state, session.user?.uid)) {
    checkoutProgress.problem = { of: plan.id, text: AWAITED_PAYMENT };
    return Promise.resolve(false);
  }
  return open(
    plan.id,
    () => openCheckout(plansStore.data?.plans ?? [], plan.id),
    () => {
      remember({ planId: plan.id, planName: plan.name, from }, 'checkout');
    },
  );
}

/** Opens the billing portal, or a change of plan in it. */
export function visitPortal(change?: {
  planId: string;
  planName: string;
  from: string | null;
}): Promise<boolean> {
  return open(
    PORTAL,
    async () => ({ kind: 'page', url: await openPortal(change?.planId) }),
    () => {
      if (change !== undefined) remember(change, 'portal');
    },
  );
}

export function closeTill(): void {
  Object.assign(checkoutProgress, { busy: null, embedded: null, problem: null });
}
