/**
 * Messages between tabs and the service worker. Messages of an unknown form, such as an older
 * build's, are ignored.
 */
import type { Agent } from '../../contract/agents.ts';
import type { Alert } from '../../contract/alerts.ts';
import { either, fields, maybe, oneOf, readAs, text } from '../../contract/readers.ts';
import { outboxEntry, type OutboxEntry } from './outbox-entry.ts';
import { isParsedHere, PARSED_BY } from './parsed-by.ts';

/**
 * The queue of this user has changed on the disk. `sent`: a command that goes out although the disk
 * takes no mark of it.
 */
interface QueueMessage {
  type: 'queue';
  uid: string;
  sent?: string | undefined;
}

export interface DeliveredMessage {
  type: 'delivered';
  uid: string;
  entry: OutboxEntry;
  agents: Agent[];
  alert?: Alert | null | undefined;
}

/** This user's data is being deleted. */
interface PurgedMessage {
  type: 'purged';
  uid: string;
}

export type OfflineMessage = QueueMessage | DeliveredMessage | PurgedMessage;

const short = either<QueueMessage | PurgedMessage>(
  fields({ type: oneOf(['queue']), uid: text, sent: maybe(text) }),
  fields({ type: oneOf(['purged']), uid: text }),
);
/** But for what the server said of agents and alert. */
const delivered = fields({ type: oneOf(['delivered']), uid: text, entry: outboxEntry });

export interface OfflineChannel {
  post(message: OfflineMessage): void;
  listen(listener: (message: OfflineMessage) => void): () => void;
  close(): void;
}

const NAME = 'tradewind-offline';

/** What another build tells is read by the schemas; without them it is left out. */
async function readForeign(
  known: Omit<DeliveredMessage, 'agents' | 'alert'>,
  raw: unknown,
): Promise<DeliveredMessage | null> {
  try {
    const { parseTold } = await import('./foreign-message.ts');
    const told = parseTold(raw);
    return told === null ? null : { ...known, ...told };
  } catch {
    // The next contact with the server tells what they are like.
    return { ...known, agents: [] };
  }
}

/** Reads messages for one listener. What another build tells of a user ends with their data. */
function reading(listener: (message: OfflineMessage) => void): {
  take: (raw: unknown) => void;
  end: () => void;
} {
  let ends = 0;
  return {
    take(raw) {
      const message = readAs(short, raw);
      if (message?.type === 'purged') ends += 1;
      if (message !== null) {
        listener(message);
        return;
      }
      const known = readAs(delivered, raw);
      if (known === null) return;
      if (isParsedHere(raw as object)) {
        const { agents, alert } = raw as DeliveredMessage;
        listener({ ...known, agents, alert });
        return;
      }
      const before = ends;
      void readForeign(known, raw).then((read) => {
        if (read !== null && ends === before) listener(read);
      });
    },
    end() {
      ends += 1;
    },
  };
}

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
      // What is told of a delivery was parsed when the server said it.
      if (open) channel.postMessage({ ...message, parsedBy: PARSED_BY });
    },
    listen(listener) {
      const { take, end } = reading(listener);
      const hear = (event: MessageEvent<unknown>): void => {
        take(event.data);
      };
      channel.addEventListener('message', hear);
      return () => {
        end();
        channel.removeEventListener('message', hear);
      };
    },
    close() {
      open = false;
      channel.close();
    },
  };
}
