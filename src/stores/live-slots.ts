/** Where exchange accounts lie in the page. They are loaded, heard and kept by `live-store.ts`. */
import { proxy } from 'valtio';
import type { LiveAccount } from '../../contract/live.ts';
import type { LiveConnection } from '../../contract/live-state.ts';
import { emptySlot, type Slot } from './slot.ts';

interface LiveSlots {
  connections: Slot<LiveConnection[]>;
  /** By the connection's id; an entry appears when its screen first asks for it. */
  accounts: Record<string, Slot<LiveAccount>>;
}

/** An id comes from the address: without a prototype `/live/__proto__` finds nothing. */
const empty = (): LiveSlots => ({
  connections: emptySlot(),
  accounts: Object.create(null) as LiveSlots['accounts'],
});

export const liveSlots = proxy(empty());

export function clearLive(): void {
  Object.assign(liveSlots, empty());
}
