/**
 * How old each kind of data may be before it is stale, and when it was last confirmed. A snapshot
 * confirms nothing.
 */
import { useSnapshot } from 'valtio';
import { usePast } from '../components/use-now.ts';
import { AHEAD_MS } from '../format/ages.ts';
import { environment } from '../environment.ts';
import { connection } from '../stores/connection.ts';
import { isMarked, isStreamed, slotOf, STALE_AFTER, type DataKind } from '../stores/data-kinds.ts';
import { liveSlots } from '../stores/live-slots.ts';
import { useShownAccount } from '../stores/shown-account.ts';
import type { Slot } from '../stores/slot.ts';

/** Screens that mostly show another kind than the one of their name. */
const OTHER = { 'stop-all': 'agents', performance: 'agents', trading: 'settings' } as const;

const isOf = <T extends object>(table: T, name: string): name is string & keyof T =>
  Object.hasOwn(table, name);

/** The kind that a screen mostly shows; the portfolio where no name says more. */
export function kindOf(path: string): DataKind {
  const screen = path.split('/')[1] ?? '';
  if (isOf(OTHER, screen)) return OTHER[screen];
  return isOf(STALE_AFTER, screen) ? screen : 'portfolio';
}

interface KnownParts {
  stream: string;
  gapAt: number | null;
  verifiedAt: number | null;
  savedAt: number | null;
  origin: Slot<unknown>['origin'];
  isMarked?: boolean;
}

/** Device clock (ms); null without data. */
export function trueAt(kind: DataKind, parts: KnownParts): number | null {
  // A stream that missed events vouches only for data loaded since.
  const whole = parts.gapAt === null || (parts.savedAt ?? 0) >= parts.gapAt;
  const streaming = whole && (parts.stream === 'open' || parts.stream === 'shared');
  const isWord = parts.origin === 'network' || parts.origin === 'stream';
  if (parts.savedAt !== null && streaming && isWord && isStreamed(kind) && !parts.isMarked) {
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
  return trueAt(kind, {
    stream,
    verifiedAt,
    gapAt,
    savedAt,
    origin,
    isMarked: isMarked(kind),
  });
}

/** When what a screen mostly shows was last known to be true. No stream vouches for real money. */
export function useScreenTime(path: string): number | null {
  const kind = kindOf(path);
  const at = useDataTime(kind);
  const id = useShownAccount(path)?.id;
  const { accounts } = useSnapshot(liveSlots);
  const paperAt = useDataTime();
  const readAt = id === undefined ? paperAt : (accounts[id]?.savedAt ?? null);
  // An agent's state stands beside its money: the older of the two counts.
  const isOlder = readAt !== null && readAt < (at ?? 0);
  return /dashboard|^.(port|live)/.test(path) || (isOlder && path.startsWith('/agents'))
    ? readAt
    : at;
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
