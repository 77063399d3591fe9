/**
 * How old each kind of data may be before it is stale, and when it was last confirmed. A snapshot
 * confirms nothing.
 */
import { useSnapshot } from 'valtio';
import { usePast } from '../components/use-now.ts';
import { AHEAD_MS } from '../format/ages.ts';
import { environment } from '../environment.ts';
import { connection } from '../stores/connection.ts';
import { isStreamed, slotOf, STALE_AFTER, type DataKind } from '../stores/data-kinds.ts';
import type { Slot } from '../stores/slot.ts';

/** The kind that a screen mostly shows, by the start of its path; the portfolio elsewhere. */
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

/** Device clock (ms); null without data. */
export function trueAt(kind: DataKind, parts: KnownParts): number | null {
  // A stream that missed events vouches only for data loaded since.
  const whole = parts.gapAt === null || (parts.savedAt ?? 0) >= parts.gapAt;
  const streaming = whole && (parts.stream === 'open' || parts.stream === 'shared');
  const isWord = parts.origin === 'network' || parts.origin === 'stream';
  if (parts.savedAt !== null && streaming && isWord && isStreamed(kind)) {
    const heardAt = parts.verifiedAt ?? 0;
    // A reading this far ahead of the stream's last word was dated before the clock was put back.
    return heardAt > 0 && parts.savedAt > heardAt + AHEAD_MS
      ? heardAt
      : Math.max(heardAt, parts.savedAt);
  }
  return parts.savedAt;
}

export function useDataTime(kind: DataKind = 'portfolio'): number | null {
  const { stream, verifiedAt, gapAt } = useSnapshot(connection);
  const { savedAt, origin } = useSnapshot(slotOf(kind));
  return trueAt(kind, { stream, verifiedAt, gapAt, savedAt, origin });
}

/** Whether the server is away, or has not answered since the start and all we have is a snapshot. */
export function useAlone(kind: DataKind): boolean {
  const { online } = useSnapshot(connection);
  const { origin } = useSnapshot(slotOf(kind));
  return online === 'offline' || (online === 'unknown' && origin === 'snapshot');
}

/**
 * Whether data of a kind is current: the server is there, the data is not stale, and it was
 * confirmed since the server was last away. Recorded replies never grow old.
 */
export function useCurrent(kind: DataKind): boolean {
  const { backAt } = useSnapshot(connection);
  const alone = useAlone(kind);
  const at = useDataTime(kind);
  const stale = usePast((at ?? 0) + STALE_AFTER[kind]);
  // The clock was put back: it may be as old as it likes.
  const ahead = !usePast((at ?? 0) - AHEAD_MS);
  // What the stream tells of may have changed at any moment of the absence; the rest is as good as
  // its age.
  const unheard = isStreamed(kind) && (at ?? 0) < (backAt ?? 0);
  if (alone || at === null || unheard || ahead) return false;
  return environment.mockApi || !stale;
}
