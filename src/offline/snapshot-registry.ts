/** Every kind of snapshot that is kept on a device: one line each, in the order of deletion. */
import type { CallName } from '../../contract/calls.ts';
import { agents } from './kinds/agents-snapshot.ts';
import { alerts } from './kinds/alerts-snapshot.ts';
import { analytics } from './kinds/analytics-snapshot.ts';
import { backtest } from './kinds/backtest-snapshot.ts';
import { candles } from './kinds/candles-snapshot.ts';
import { exchanges } from './kinds/exchanges-snapshot.ts';
import { history } from './kinds/history-snapshot.ts';
import { insight } from './kinds/insight-snapshot.ts';
import { market } from './kinds/market-snapshot.ts';
import { overview } from './kinds/overview-snapshot.ts';
import { pools } from './kinds/pools-snapshot.ts';
import { portfolio } from './kinds/portfolio-snapshot.ts';
import { settings } from './kinds/settings-snapshot.ts';
import { sparklines } from './kinds/sparklines-snapshot.ts';
import { subscription } from './kinds/subscription-snapshot.ts';
import { trial } from './kinds/trial-snapshot.ts';
import { wallet } from './kinds/wallet-snapshot.ts';
import type { KindOf, ReplyTraits } from './snapshot-kind.ts';

/** Where the disk is full, what is large and little missed goes first: from the top down. */
const KINDS = {
  backtest,
  candles,
  sparklines,
  insight,
  analytics,
  history,
  pools,
  overview,
  market,
  trial,
  wallet,
  settings,
  alerts,
  exchanges,
  agents,
  subscription,
  portfolio,
};

type Kinds = typeof KINDS;
export type SnapshotKind = keyof Kinds;
export type SnapshotValue<K extends SnapshotKind> = NonNullable<Kinds[K]['value']>;
export interface Snapshot<K extends SnapshotKind> {
  /** Device clock, ms, at which the server's reply came, or the message that brought it was sent. */
  savedAt: number;
  value: SnapshotValue<K>;
}
/** Kinds that are the reply to a call. */
export type ReplyKind = {
  [K in SnapshotKind]: Kinds[K] extends { call: CallName } ? K : never;
}[SnapshotKind];
/** Kinds whose age is shown. */
export type AgedKind = {
  [K in SnapshotKind]: Kinds[K] extends { staleAfterMs: number } ? K : never;
}[SnapshotKind];

type AnyKind = Partial<ReplyTraits<never>> & KindOf<unknown> & { call?: CallName };

export const SNAPSHOTS: Kinds & Readonly<Record<SnapshotKind, AnyKind>> = KINDS;
export const SNAPSHOT_KINDS = Object.keys(KINDS) as readonly SnapshotKind[];
export const traitsOf = (kind: SnapshotKind): AnyKind => SNAPSHOTS[kind];

export const isReplyKind = (kind: SnapshotKind): kind is ReplyKind =>
  traitsOf(kind).call !== undefined;
const isAgedKind = (kind: SnapshotKind): kind is AgedKind =>
  traitsOf(kind).staleAfterMs !== undefined;
export const AGED_KINDS: readonly AgedKind[] = SNAPSHOT_KINDS.filter(isAgedKind);
/** Kinds that the stream keeps true while it is open. */
export const STREAMED_KINDS: readonly SnapshotKind[] = SNAPSHOT_KINDS.filter(
  (kind) => traitsOf(kind).streamed === true,
);

/** What a start on this path reads before it paints, or right after it has painted. */
export const restoredKinds = (
  when: 'first-paint' | 'after-paint',
  path: string,
): readonly SnapshotKind[] =>
  SNAPSHOT_KINDS.filter((kind) => {
    const { restore, firstPaintOn } = traitsOf(kind);
    return restore === when || (when === 'first-paint' && firstPaintOn === path);
  });
