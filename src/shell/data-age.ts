/**
 * How old each kind of data may be before it is stale, and when it was last confirmed. A snapshot
 * confirms nothing.
 */
import { useSnapshot } from 'valtio';
import { QUERY_FRESH_MS, SUBSCRIPTION_RECHECK_MS } from '../../contract/limits.ts';
import { usePast } from '../components/use-now.ts';
import { environment } from '../environment.ts';
import { agentsStore } from '../stores/agents-store.ts';
import { alertsStore } from '../stores/alerts-store.ts';
import { analyticsStore } from '../stores/analytics-store.ts';
import { connection } from '../stores/connection.ts';
import { historyStore } from '../stores/fills-store.ts';
import { marketStore } from '../stores/market-store.ts';
import { portfolioStore } from '../stores/portfolio-store.ts';
import { settingsStore } from '../stores/settings-store.ts';
import type { Slot } from '../stores/slot.ts';
import { subscriptionStore } from '../stores/subscription-store.ts';

export type DataKind =
  | 'market'
  | 'portfolio'
  | 'agents'
  | 'alerts'
  | 'history'
  | 'analytics'
  | 'subscription'
  | 'settings';

const MINUTE = 60_000;

/** Older than this (ms), an age turns amber. */
export const STALE_AFTER: Readonly<Record<DataKind, number>> = {
  // Prices come four times a second, and the stream sends a heartbeat every fifteen seconds.
  market: 20_000,
  // Read for its size rather than its last digit: a minute is four missed heartbeats.
  portfolio: MINUTE,
  // Another device, a guard or a stop may change an agent at any moment, and users act on its
  // state.
  agents: MINUTE,
  // The stream reports each firing; another device may change alerts at any time.
  alerts: MINUTE,
  // The quickest agent is evaluated every five minutes: before that, no trade is likely to be
  // missing.
  history: QUERY_FRESH_MS,
  // Checked every five minutes: after two missed checks it is stale.
  subscription: 2 * SUBSCRIPTION_RECHECK_MS,
  // Built from closed days: within an hour only the current day can have changed.
  analytics: 60 * MINUTE,
  // Only the user changes them, here or on another device.
  settings: 60 * MINUTE,
};

const SLOT: Readonly<Record<DataKind, Slot<unknown>>> = {
  market: marketStore,
  portfolio: portfolioStore,
  agents: agentsStore,
  alerts: alertsStore,
  history: historyStore,
  analytics: analyticsStore,
  subscription: subscriptionStore,
  settings: settingsStore,
};
/** Kinds that the stream keeps current: an open, silent stream means no change. */
const TOLD: readonly DataKind[] = ['market', 'portfolio', 'agents', 'alerts', 'history'];

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
  if (parts.savedAt !== null && streaming && isWord && TOLD.includes(kind))
    return Math.max(parts.verifiedAt ?? 0, parts.savedAt);
  return parts.savedAt;
}

export function useDataTime(kind: DataKind = 'portfolio'): number | null {
  const { stream, verifiedAt, gapAt } = useSnapshot(connection);
  const { savedAt, origin } = useSnapshot(SLOT[kind]);
  return trueAt(kind, { stream, verifiedAt, gapAt, savedAt, origin });
}

/**
 * Whether data of a kind is current: the server is there, the data is not stale, and it was
 * confirmed since the server was last away. Recorded replies never grow old.
 */
export function useCurrent(kind: DataKind): boolean {
  const { online, backAt } = useSnapshot(connection);
  const at = useDataTime(kind);
  const stale = usePast((at ?? 0) + STALE_AFTER[kind]);
  // Streamed kinds may have changed during the absence; the rest is as good as its age.
  const unheard = TOLD.includes(kind) && (at ?? 0) < (backAt ?? 0);
  if (online === 'offline' || at === null || unheard) return false;
  return environment.mockApi || !stale;
}
