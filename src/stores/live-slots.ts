/** Where exchange accounts lie in the page. They are loaded, heard and kept by `live-store.ts`. */
import { proxy } from 'valtio';
import type { LiveAccount } from '../../contract/live.ts';
import type { LiveConnection } from '../../contract/live-state.ts';
import { emptySlot, slotsById, type Slot } from './slot.ts';

interface LiveSlots {
  connections: Slot<LiveConnection[]>;
  /** By the connection's id; an entry appears when its screen first asks for it. */
  accounts: Record<string, Slot<LiveAccount>>;
}

const empty = (): LiveSlots => ({ connections: emptySlot(), accounts: slotsById() });

export const liveSlots = proxy(empty());

export function clearLive(): void {
  Object.assign(liveSlots, empty());
}
