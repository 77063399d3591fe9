/** Holds the reply to one call: a slot, how it is read, and which reply is newer. */
import { proxy } from 'valtio';
import type { CallReply } from '../../contract/calls.ts';
import { api } from '../api/api.ts';
import type { CallInput } from '../api/client.ts';
import { SNAPSHOTS, type ReplyKind, type SnapshotValue } from '../offline/snapshot-registry.ts';
import { load } from './load-slot.ts';
import { clear, emptySlot, fill, type Origin, type Slot } from './slot.ts';

export interface ReplyStore<T> {
  slot: Slot<T>;
  /** Takes a value unless a newer one is here already. */
  apply: (next: T, origin: Origin, savedAt?: number) => void;
  /** Reads it from the server unless it is fresh; `force` reads it in any case. */
  load: (force?: boolean) => Promise<void>;
  clear: () => void;
}

function createReplyStore<K extends ReplyKind>(kind: K): ReplyStore<SnapshotValue<K>> {
  type T = SnapshotValue<K>;
  const { call, isOlder } = SNAPSHOTS[kind] as unknown as {
    call: (typeof SNAPSHOTS)[K]['call'];
    isOlder?: (next: T, present: T) => boolean;
  };
  const slot = proxy<Slot<T>>(emptySlot());
  const apply = (next: T, origin: Origin, savedAt = Date.now()): void => {
    if (slot.data !== null && isOlder?.(next, slot.data) === true) return;
    fill(slot, next, origin, savedAt);
  };
  return {
    slot,
    apply,
    load: (force = false) =>
      load(
        slot,
        force,
        () => api.call(call, {} as CallInput<typeof call>),
        (reply: CallReply<typeof call>) => {
          apply(reply, 'network');
        },
      ),
    clear: () => {
      clear(slot);
    },
  };
}

const stores = new Map<ReplyKind, unknown>();

/** The one store of a kind, made when it is first asked for. */
export function replyStore<K extends ReplyKind>(kind: K): ReplyStore<SnapshotValue<K>> {
  const known = stores.get(kind) as ReplyStore<SnapshotValue<K>> | undefined;
  if (known !== undefined) return known;
  const made = createReplyStore(kind);
  stores.set(kind, made);
  return made;
}

/** Back to nothing, for a sign-out. */
export function clearReplyStores(): void {
  for (const store of stores.values()) (store as ReplyStore<unknown>).clear();
}
