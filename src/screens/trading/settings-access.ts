/** Whether the settings can be saved now, and placeholder values while they load. */
import { useSnapshot } from 'valtio';
import type { UserSettings } from '../../../contract/user.ts';
import { keepsSnapshots } from '../../commands.ts';
import { session } from '../../identity/session.ts';
import { connection } from '../../stores/connection.ts';

/** Invisible values that give a form its height while loading. */
export const UNKNOWN_SETTINGS: UserSettings = {
  displayName: '',
  tradingEnabled: false,
  tradingMode: 'paused',
  tradingFrequency: 'optimized',
  riskProfile: 'conservative',
  maxTradeAmount: 1,
  notificationsEnabled: false,
};

/** Why it cannot be saved; null if it can. */
export function useBlocked(): string | null {
  const { online } = useSnapshot(connection);
  const { status } = useSnapshot(session);
  if (status === 'expired') return 'Your session has ended. Log in again to save.';
  if (online !== 'offline') return null;
  return `You're offline.${keepsSnapshots() ? ' Your entries are kept.' : ''} Save when you're back online.`;
}
