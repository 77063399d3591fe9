/** Remembers the checkout that the user left the app for: the plan, and the page to return to. */
import {
  fields,
  number,
  oneOf,
  orNull,
  readJson,
  text,
  yesOrNo,
  type Read,
} from '../../contract/readers.ts';
import { readLastUser } from '../identity/last-user.ts';
import { ownAddress } from '../identity/own-address.ts';
import { routeRule } from '../identity/security-context.ts';
import { PENDING_KEY } from './checkout-outcome.ts';

/** As long as a checkout can be completed. */
const KEPT_MS = 24 * 60 * 60_000;

const pendingCheckout = fields({
  uid: text,
  planId: text,
  planName: text,
  /** The page where a limit was met, to return to. Null if they were viewing plans. */
  from: orNull(text),
  openedAt: number,
  /** The portal returns in any case: nothing is announced before the server confirms it. */
  by: oneOf(['checkout', 'portal']),
  /** Returned as completed, but not confirmed by the server yet. */
  returned: yesOrNo,
});
export type PendingCheckout = Read<typeof pendingCheckout>;

/** A path of this app to return to, or null: never another site's, never the plans themselves. */
export function ownPath(path: string | null): string | null {
  const to = path === null || path.length > 500 ? null : ownAddress(path);
  return to === null || routeRule(to.path) === null || /^\/subscription\b/.test(to.path)
    ? null
    : to.whole;
}

export function rememberCheckout(pending: PendingCheckout): void {
  try {
    if (readLastUser()?.uid === pending.uid)
      localStorage.setItem(PENDING_KEY, JSON.stringify(pending));
  } catch {
    // Without free storage the user returns to the dashboard.
  }
}

export function readCheckout(uid: string, now = Date.now()): PendingCheckout | null {
  try {
    const pending = readJson(pendingCheckout, localStorage.getItem(PENDING_KEY));
    if (pending === null || Math.abs(now - pending.openedAt) > KEPT_MS) {
      // No checkout can end any more: the dashboard need not look for one at every start.
      forgetCheckout();
      return null;
    }
    if (pending.uid !== uid) return null;
    return { ...pending, from: ownPath(pending.from) };
  } catch {
    return null;
  }
}

export function forgetCheckout(): void {
  try {
    localStorage.removeItem(PENDING_KEY);
  } catch {
    // Nothing was saved then.
  }
}
