/** The user's trading settings. A newer version is never overwritten by an older one. */
import { proxy } from 'valtio';
import type { TradingSettings } from '../../contract/user.ts';
import { api } from '../api/api.ts';
import { load } from './load-slot.ts';
import { clear, emptySlot, fill, type Origin, type Slot } from './slot.ts';

export const settingsStore = proxy<Slot<TradingSettings>>(emptySlot());

export function applySettings(next: TradingSettings, origin: Origin, savedAt = Date.now()): void {
  if (settingsStore.data !== null && next.version < settingsStore.data.version) return;
  fill(settingsStore, next, origin, savedAt);
}

export function loadSettings(force = false): Promise<void> {
  return load(
    settingsStore,
    force,
    () => api.call('tradingSettings', {}),
    (reply) => {
      applySettings(reply, 'network');
    },
  );
}

export function clearSettings(): void {
  clear(settingsStore);
}
