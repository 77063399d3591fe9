/** Reads exchange accounts into a component, again while they are shown, and how old they are. */
import { useCallback, useEffect } from 'react';
import { useSnapshot } from 'valtio';
import type { LiveAccount } from '../../../contract/live.ts';
import type { LiveConnection } from '../../../contract/live-state.ts';
import { usePast } from '../../components/use-now.ts';
import { AHEAD_MS } from '../../format/ages.ts';
import { whileSeen } from '../../platform/resting-timer.ts';
import { connection } from '../../stores/connection.ts';
import { liveSlots } from '../../stores/live-slots.ts';
import { loadConnections, loadLiveAccount } from '../../stores/live-store.ts';
import { emptySlot, type Slot } from '../../stores/slot.ts';

/** Prices move what is held: read anew this often while it is looked at, ms. */
export const REREAD_MS = 20_000;
/** Older than this the figures count as old: a minute is three readings that did not come. */
export const STALE_MS = 60_000;
const UNREAD = emptySlot<LiveAccount>();

/** What is here of an account. */
function useKept(id: string): Slot<LiveAccount> {
  const accounts = useSnapshot(liveSlots).accounts as Record<string, Slot<LiveAccount>>;
  return accounts[id] ?? UNREAD;
}

/** What agents hold in an account; null where this device does not know it. */
export const usePositions = (id: string): LiveAccount['positions'] | null =>
  useKept(id).data?.positions ?? null;

/** `alone`: the server is away, or has not answered since the start and this is the device's. */
export function useAccountAge(id: string): { savedAt: number | null; alone: boolean } {
  const { online } = useSnapshot(connection);
  const { savedAt, origin } = useKept(id);
  return {
    savedAt,
    alone: online === 'offline' || (online === 'unknown' && origin === 'snapshot'),
  };
}

/** Whether an account may be told in the present: as `useCurrent` says of what the start has. */
export function useAccountCurrent(id: string): boolean {
  const { backAt } = useSnapshot(connection);
  const { savedAt, alone } = useAccountAge(id);
  const at = savedAt ?? 0;
  const stale = usePast(at + STALE_MS);
  // The clock was put back: it may be as old as it likes.
  const ahead = !usePast(at - AHEAD_MS);
  return !alone && !stale && !ahead && at >= (backAt ?? 0);
}

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
  return useKept(id);
}

export function useConnections(): Slot<LiveConnection[]> {
  const { online } = useSnapshot(connection);
  useEffect(() => {
    if (online !== 'offline') void loadConnections();
  }, [online]);
  return useSnapshot(liveSlots).connections as Slot<LiveConnection[]>;
}
