/** Who is signed in on this page, and for how much longer; refuses to count anyone in past four hours. */
import { proxy } from 'valtio';

export interface SessionUser {
  uid: string;
  email: string | null;
  displayName: string | null;
  metadata: {
    /** As Firebase words it, a UTC date string. */
    lastSignInTime: string | null;
  };
}

export interface Session {
  /**
   * `loading`: nothing known yet, not even our own record. `signed-in`: less than 4 hours since sign-in.
   * `expired`: the user is known, but signed in over 4 hours ago: 'Authentication Required' online, read-only offline.
   */
  status: 'loading' | 'signed-out' | 'signed-in' | 'expired';
  user: SessionUser | null;
  /** Painted from our own record; Firebase has not yet confirmed it. */
  provisional: boolean;
  /** Wall clock (ms) at which the 4 hours are over. */
  expiresAt: number | null;
  /** Less than ten minutes are left. */
  endingSoon: boolean;
}

export const session = proxy<Session>({ status: 'loading', user: null, provisional: false, expiresAt: null, endingSoon: false });
