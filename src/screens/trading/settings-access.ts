/** Whether the settings can be saved now, and what gives a form its height before they are read. */
import { useSnapshot } from 'valtio';
import type { UserSettings } from '../../../contract/user.ts';
import { session } from '../../identity/session.ts';
import { connection } from '../../stores/connection.ts';

/** Never seen: it only gives a form its height. */
export const UNKNOWN_SETTINGS: UserSettings = {
  displayName: '',
  tradingEnabled: false,
  tradingMode: 'paused',
  tradingFrequency: 'optimized',
  riskProfile: 'conservative',
  maxTradeAmount: 1,
  notificationsEnabled: false,
};

/** Why nothing can be saved; null where it can. */
export function useBlocked(): string | null {
  const { online } = useSnapshot(connection);
  const { status } = useSnapshot(session);
  if (status === 'expired') return 'Your sign-in has ended. Sign in again to save.';
  return online === 'offline' ? 'Offline. What you type stays here; save when you are back.' : null;
}
