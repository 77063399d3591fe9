/**
 * Names of what this device notes of its user, and the rule of four hours. It imports no code but
 * constants, because the first script of the page does.
 */
import { SESSION_MAX_AGE_MS } from '../../contract/limits.ts';

/** Other tabs are told of a sign-out or another user by this key's `storage` event. */
export const LAST_USER_KEY = 'tradewind.lastUser';
/** Belongs to the device, not to a user: it survives a logout. */
export const CLOCK_KEY = 'tradewind.clockOffset';

/** A user counts as authenticated only while the last sign-in is less than 4 hours ago. */
export function isAuthenticated(lastSignInTime: string | null, at: number): boolean {
  const signedInAt = lastSignInTime === null ? NaN : Date.parse(lastSignInTime);
  return !Number.isNaN(signedInAt) && at - signedInAt < SESSION_MAX_AGE_MS;
}
