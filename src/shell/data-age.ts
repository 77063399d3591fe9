/** When each kind of data was last known to be true, and whether that is too long ago. */
import { useSnapshot } from 'valtio';
import { usePast } from '../components/use-now.ts';
import { environment } from '../environment.ts';
import { connection } from '../stores/connection.ts';
import { isStreamed, slotOf, STALE_AFTER, type DataKind } from '../stores/data-kinds.ts';
import type { Slot } from '../stores/slot.ts';

/** What a screen is mostly about, by the beginning of its path; the portfolio elsewhere. */
const SCREEN: readonly (readonly [string, DataKind])[] = [
  ['/agents', 'agents'],
  ['/stop-all', 'agents'],
  ['/alerts', 'alerts'],
  ['/performance', 'agents'],
  ['/market', 'market'],
  ['/analytics', 'analytics'],
  ['/subscription', 'subscription'],
  ['/trading', 'settings'],
  ['/settings', 'settings'],
];
export const kindOf = (path: string): DataKind =>
  SCREEN.find(([start]) => path === start || path.startsWith(`${start}/`))?.[1] ?? 'portfolio';

interface KnownParts {
  stream: string;
  gapAt: number | null;
  verifiedAt: number | null;
  savedAt: number | null;
  origin: Slot<unknown>['origin'];
}

/** Device clock (ms); null where nothing of it is known. */
export function trueAt(kind: DataKind, parts: KnownParts): number | null {
  // A stream that has left something out vouches only for what was read after that.
  const whole = parts.gapAt === null || (parts.savedAt ?? 0) >= parts.gapAt;
  const streaming = whole && (parts.stream === 'open' || parts.stream === 'shared');
  const isWord = parts.origin === 'network' || parts.origin === 'stream';
  if (parts.savedAt !== null && streaming && isWord && isStreamed(kind))
    return Math.max(parts.verifiedAt ?? 0, parts.savedAt);
  return parts.savedAt;
}

export function useDataTime(kind: DataKind = 'portfolio'): number | null {
  const { stream, verifiedAt, gapAt } = useSnapshot(connection);
  const { savedAt, origin } = useSnapshot(slotOf(kind));
  return trueAt(kind, { stream, verifiedAt, gapAt, savedAt, origin });
}

/**
 * Whether what is shown of a kind may be said in the present tense: the server is there, its word
 * is not stale, and since it was last away it has spoken again. A reply that was recorded
 * beforehand never grows old.
 */
export function useCurrent(kind: DataKind): boolean {
  const { online, backAt } = useSnapshot(connection);
  const at = useDataTime(kind);
  const stale = usePast((at ?? 0) + STALE_AFTER[kind]);
  // What the stream tells of may have changed at any moment of the absence; the rest is as good as
  // its age.
  const unheard = isStreamed(kind) && (at ?? 0) < (backAt ?? 0);
  if (online === 'offline' || at === null || unheard) return false;
  return environment.mockApi || !stale;
}
