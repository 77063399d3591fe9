/**
 * Parses what is to be kept, and what another build has kept. Loaded when it is needed: what this
 * build has parsed, a start takes as it lies.
 */
import * as z from 'zod/mini';
import { AgentList } from '../../contract/agents.ts';
import { AlertList } from '../../contract/alerts.ts';
import { KeptBacktest } from '../../contract/backtest.ts';
import type { CALLS, CallName } from '../../contract/calls.ts';
import { AgentInsight } from '../../contract/insight.ts';
import {
  KeptCandles,
  MarketData,
  MarketOverview,
  MarketPools,
  Sparklines,
} from '../../contract/market.ts';
import { SubscriptionStatusReply, TrialStatus } from '../../contract/subscription.ts';
import { Analytics, History, Portfolio } from '../../contract/trading.ts';
import { TradingSettings } from '../../contract/user.ts';
import { CONTRACT_VERSION } from '../../contract/version.ts';
import { WalletStatus } from '../../contract/wallet.ts';
import { KeptExchanges } from './kept-exchanges.ts';
import { PARSED_BY, type KeptRecord } from './parsed-by.ts';
import type { Snapshot, SNAPSHOTS, SnapshotKind, SnapshotValue } from './snapshot-registry.ts';

type SchemaOf<K extends SnapshotKind> = (typeof SNAPSHOTS)[K] extends { call: infer N }
  ? (typeof CALLS)[N & CallName]['reply']
  : z.ZodMiniType<SnapshotValue<K>>;

/** Named one by one: the schemas of all calls are many more. */
export const SCHEMAS: { readonly [K in SnapshotKind]: SchemaOf<K> } = {
  agents: AgentList,
  alerts: AlertList,
  analytics: Analytics,
  backtest: KeptBacktest,
  candles: KeptCandles,
  exchanges: KeptExchanges,
  history: History,
  insight: AgentInsight,
  market: MarketData,
  overview: MarketOverview,
  pools: MarketPools,
  portfolio: Portfolio,
  settings: TradingSettings,
  sparklines: Sparklines,
  subscription: SubscriptionStatusReply,
  trial: TrialStatus,
  wallet: WalletStatus,
};

const Kept = z.object({
  version: z.literal(CONTRACT_VERSION),
  savedAt: z.number(),
  value: z.unknown(),
});

/** A stored record of a kind; null where it is of another version, or invalid. */
export function parseRecord<K extends SnapshotKind>(kind: K, raw: unknown): Snapshot<K> | null {
  const kept = Kept.safeParse(raw);
  const value = kept.success ? SCHEMAS[kind].safeParse(kept.data.value) : null;
  return kept.success && value?.success === true
    ? { savedAt: kept.data.savedAt, value: value.data as SnapshotValue<K> }
    : null;
}

/** A value as it is stored, and marked as parsed; null where it is invalid. */
export function recordOf<K extends SnapshotKind>(
  kind: K,
  value: unknown,
  savedAt: number,
): KeptRecord | null {
  const parsed = SCHEMAS[kind].safeParse(value);
  return parsed.success
    ? { version: CONTRACT_VERSION, savedAt, value: parsed.data, parsedBy: PARSED_BY }
    : null;
}
