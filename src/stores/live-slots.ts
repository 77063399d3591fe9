/** Where exchange accounts lie in the page. They are loaded, heard and kept by `live-store.ts`. */
import { proxy } from 'valtio';
import type { LiveAccount } from '../../contract/live.ts';
import type { LiveConnection } from '../../contract/live-state.ts';
import { emptySlot, type Slot } from './slot.ts';

/** `accounts` by the connection's id; an entry appears when its screen first asks for it. */
export const liveSlots = proxy<{
  connections: Slot<LiveConnection[]>;
  accounts: Record<string, Slot<LiveAccount>>;
}>({ connections: emptySlot(), accounts: {} });

export function clearLive(): void {
  liveSlots.connections = emptySlot();
  liveSlots.accounts = {};
}
