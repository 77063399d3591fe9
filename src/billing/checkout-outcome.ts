/**
 * Says how a user came to the dashboard. It is all that the start of the app needs to know of
 * checkouts; the code that waits for one comes only to those who come back from one.
 */

/** Deleted at log-out, as everything under this prefix except settings of the device. */
export const PENDING_KEY = 'tradewind.checkout';

/**
 * How the user has returned: a checkout's two results, or from the billing portal; null for any
 * other visit.
 */
export type Outcome = 'success' | 'canceled' | 'portal' | null;

export function outcomeOf(search: string): Outcome {
  const query = new URLSearchParams(search);
  const word = query.get('subscription');
  return word === 'success' || word === 'canceled'
    ? word
    : query.get('billing') === 'portal'
      ? 'portal'
      : null;
}

let isFollowed = false;

/** Whether a checkout is to be followed: one just ended, is followed already, or was left for. */
export function followsCheckout(search: string): boolean {
  isFollowed ||= outcomeOf(search) !== null;
  try {
    // Its note goes once the plan is confirmed, and what was said of that stays.
    isFollowed ||= localStorage.getItem(PENDING_KEY) !== null;
  } catch {
    // Without storage nothing was noted.
  }
  return isFollowed;
}
