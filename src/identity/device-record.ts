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

export interface DeviceUser {
  uid: string;
  /** The last sign-in is less than four hours ago, by the server's clock as last learnt. */
  isAuthenticated: boolean;
}

/** The user that the device names; null where it names nobody. */
export function deviceUser(): DeviceUser | null {
  try {
    const record = JSON.parse(localStorage.getItem(LAST_USER_KEY) ?? 'null') as {
      uid?: unknown;
      lastSignInTime?: unknown;
    } | null;
    if (typeof record?.uid !== 'string' || record.uid === '') return null;
    const { uid, lastSignInTime } = record;
    const offsetMs = Number(localStorage.getItem(CLOCK_KEY) ?? '0');
    const now = Date.now() + (Number.isFinite(offsetMs) ? offsetMs : 0);
    const signedInAt = typeof lastSignInTime === 'string' ? lastSignInTime : null;
    return { uid, isAuthenticated: isAuthenticated(signedInAt, now) };
  } catch {
    return null;
  }
}
