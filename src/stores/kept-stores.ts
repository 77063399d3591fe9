/** Which store takes each kind of snapshot at a start, and what of the store is kept. */
import type { AlertList } from '../../contract/alerts.ts';
import {
  isReplyKind,
  type Snapshot,
  type SnapshotKind,
  type SnapshotValue,
} from '../offline/snapshot-registry.ts';
import { agentsStore, applyAgents, type AgentsData } from './agents-store.ts';
import { alertsStore, applyAlerts } from './alerts-store.ts';
import { applyMarket, marketStore, toMarketData } from './market-store.ts';
import { replyStore } from './reply-store.ts';
import type { Origin, Slot } from './slot.ts';
import {
  applySubscription,
  subscriptionStore,
  type SubscriptionData,
} from './subscription-store.ts';

type Snapshots = { [K in SnapshotKind]?: Snapshot<K> };
/** Values to be kept; null and absent ones are left as they lie. */
type Values = { [K in SnapshotKind]?: SnapshotValue<K> | null };

export interface KeptStore<T = unknown> {
  slot: Slot<T>;
  /** Fills the empty slot from what was read of the device. */
  restore(kept: Snapshots): void;
  /** What is kept of the slot's data. */
  values(this: void, data: T): Values;
  /** A change of it is written at once rather than with the next few. */
  mark?(this: void, data: T): string;
}

function keptStoreOf<K extends SnapshotKind, T>(
  kind: K,
  slot: Slot<T>,
  apply: (value: SnapshotValue<K>, origin: Origin, savedAt: number) => void,
  own: Partial<KeptStore<T>> = {},
): KeptStore<T> {
  return {
    slot,
    restore(kept) {
      const found: Snapshot<K> | undefined = kept[kind];
      if (found !== undefined) apply(found.value, 'snapshot', found.savedAt);
    },
    values: (data) => ({ [kind]: data }),
    ...own,
  };
}

/**
 * Which agents there are, what became of them and what is switched off. The time of the last
 * evaluation is no part of it.
 */
const agentsMark = ({ agents, entriesOff }: AgentsData): string =>
  JSON.stringify([
    agents.map(({ id, generation, version, status }) => [id, generation, version, status]),
    entriesOff,
  ]);

/** Which alerts there are and what became of them: told once, and to be found in the tunnel. */
const alertsMark = ({ alerts, firings }: AlertList): string =>
  JSON.stringify([
    alerts.map(({ id, version, phase }) => [id, version, phase]),
    firings[0]?.id ?? null,
  ]);

/** Stores that do more than hold a reply; null where another kind's store takes it along. */
const OWN_STORES: { [K in SnapshotKind]?: KeptStore | null } = {
  agents: keptStoreOf('agents', agentsStore, applyAgents, { mark: agentsMark }),
  alerts: keptStoreOf('alerts', alertsStore, applyAlerts, { mark: alertsMark }),
  market: keptStoreOf('market', marketStore, applyMarket, {
    values: (data) => ({ market: toMarketData(data) }),
  }),
  subscription: {
    slot: subscriptionStore,
    restore({ subscription, trial }) {
      if (subscription !== undefined)
        applySubscription(
          { status: subscription.value, trial: trial?.value ?? null },
          'snapshot',
          subscription.savedAt,
        );
    },
    values: ({ status, trial }) => ({ subscription: status, trial }),
  } satisfies KeptStore<SubscriptionData>,
  trial: null,
};

/** The store of a kind; null where it has none of its own. */
export function keptStore(kind: SnapshotKind): KeptStore | null {
  const own = OWN_STORES[kind];
  if (own !== undefined) return own;
  if (!isReplyKind(kind)) return null;
  const { slot, apply } = replyStore(kind);
  return keptStoreOf(
    kind,
    slot,
    apply as (value: unknown, origin: Origin, savedAt: number) => void,
  );
}
