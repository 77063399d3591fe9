/** Reads exchange accounts into a component, and again while they are shown. */
import { useCallback, useEffect } from 'react';
import { useSnapshot } from 'valtio';
import type { LiveAccount } from '../../../contract/live.ts';
import type { LiveConnection } from '../../../contract/live-state.ts';
import { whileSeen } from '../../platform/resting-timer.ts';
import { connection } from '../../stores/connection.ts';
import { liveSlots } from '../../stores/live-slots.ts';
import { loadConnections, loadLiveAccount } from '../../stores/live-store.ts';
import { emptySlot, type Slot } from '../../stores/slot.ts';

/** Prices move what is held: read anew this often while it is looked at, ms. */
const REREAD_MS = 20_000;
const UNREAD = emptySlot<LiveAccount>();

export function useLiveAccount(id: string): Slot<LiveAccount> {
  const { online } = useSnapshot(connection);
  const read = useCallback(() => {
    void loadLiveAccount(id, true);
  }, [id]);
  useEffect(() => {
    if (online === 'offline') return;
    read();
    return whileSeen(REREAD_MS, read);
  }, [read, online]);
  const accounts = useSnapshot(liveSlots).accounts as Record<string, Slot<LiveAccount>>;
  return accounts[id] ?? UNREAD;
}

export function useConnections(): Slot<LiveConnection[]> {
  const { online } = useSnapshot(connection);
  useEffect(() => {
    if (online !== 'offline') void loadConnections();
  }, [online]);
  return useSnapshot(liveSlots).connections as Slot<LiveConnection[]>;
}
