/**
 * Messages between tabs and the service worker. Messages of an unknown form, such as an older
 * build's, are ignored.
 */
import * as z from 'zod/mini';
import { Agent } from '../../contract/agents.ts';
import { Alert } from '../../contract/alerts.ts';
import { OutboxEntry } from './outbox-entry.ts';

export const OfflineMessage = z.discriminatedUnion('type', [
  /**
   * The queue of this user has changed on the disk. `sent`: a command that goes out although the disk
   * takes no mark of it.
   */
  z.object({ type: z.literal('queue'), uid: z.string(), sent: z.optional(z.string()) }),
  z.object({
    type: z.literal('delivered'),
    uid: z.string(),
    entry: OutboxEntry,
    agents: z.array(Agent),
    alert: z.optional(z.nullable(Alert)),
  }),
  /** This user's data is being deleted. */
  z.object({ type: z.literal('purged'), uid: z.string() }),
]);
export type OfflineMessage = z.infer<typeof OfflineMessage>;

export interface OfflineChannel {
  post(message: OfflineMessage): void;
  listen(listener: (message: OfflineMessage) => void): () => void;
  close(): void;
}

const NAME = 'tradewind-offline';

/**
 * Reaches every other tab and the worker, never the sender. Without BroadcastChannel it reaches
 * nobody. A send after the channel was closed, as at log-out, must not fail.
 */
export function openChannel(name = NAME): OfflineChannel {
  if (typeof BroadcastChannel === 'undefined') {
    return { post: () => undefined, listen: () => () => undefined, close: () => undefined };
  }
  const channel = new BroadcastChannel(name);
  let open = true;
  return {
    post(message) {
      if (open) channel.postMessage(message);
    },
    listen(listener) {
      const take = (event: MessageEvent<unknown>): void => {
        const parsed = OfflineMessage.safeParse(event.data);
        if (parsed.success) listener(parsed.data);
      };
      channel.addEventListener('message', take);
      return () => {
        channel.removeEventListener('message', take);
      };
    },
    close() {
      open = false;
      channel.close();
    },
  };
}
