/**
 * Keeps what is written to support and not sent, on this device: a new request, and a message to each
 * open one. It is deleted at log-out.
 */
import * as z from 'zod/mini';
import { keepsSnapshots } from '../../commands.ts';
import { SUPPORT_DRAFT_KEY as KEY } from '../../identity/last-user.ts';
import { SupportCategory } from '../../../contract/support.ts';

const Message = z.object({
  id: z.uuid(),
  text: z.string(),
  /** It was sent as it stands, and may have arrived. */
  tried: z.optional(z.boolean()),
});
/** `id` is the message's from the first letter on, so that sending twice creates one. */
export type MessageDraft = z.infer<typeof Message>;

const Draft = z.extend(Message, { category: z.union([SupportCategory, z.literal('')]) });
export type Draft = z.infer<typeof Draft>;

const Kept = z.object({
  draft: Draft,
  /** Messages by the id of their request. */
  messages: z.optional(z.record(z.string(), Message)),
});
type Kept = z.infer<typeof Kept>;

/** One text that is kept until it is sent. */
export interface DraftPlace<D extends MessageDraft> {
  read: () => D;
  /** Whether it was saved: storage may be full or closed. */
  keep: (draft: D) => boolean;
  empty: () => D;
}

const emptyMessage = (): MessageDraft => ({ id: crypto.randomUUID(), text: '' });
const emptyDraft = (): Draft => ({ ...emptyMessage(), category: '' });
const isEmpty = (draft: Draft): boolean => draft.text === '' && draft.category === '';

/** Where nothing may be saved on the device, this tab remembers it. */
const stores = (): [Storage, Storage] =>
  keepsSnapshots() ? [localStorage, sessionStorage] : [sessionStorage, localStorage];

function readKept(uid: string): Kept {
  for (const store of stores()) {
    try {
      const kept = z
        .extend(Kept, { uid: z.string() })
        .safeParse(JSON.parse(store.getItem(KEY) ?? 'null'));
      if (kept.success && kept.data.uid === uid) return kept.data;
    } catch {
      // Unknown or truncated: start a new draft.
    }
  }
  return { draft: emptyDraft() };
}

/** All in one record, under the key that a log-out deletes in both stores. */
function keepAll(uid: string, { draft, messages = {} }: Kept): boolean {
  const [store, other] = stores();
  other.removeItem(KEY);
  try {
    if (isEmpty(draft) && Object.keys(messages).length === 0) store.removeItem(KEY);
    else store.setItem(KEY, JSON.stringify({ uid, draft, messages }));
    return true;
  } catch {
    return false;
  }
}

export const requestDraft = (uid: string): DraftPlace<Draft> => ({
  read: () => readKept(uid).draft,
  keep: (draft) => keepAll(uid, { ...readKept(uid), draft }),
  empty: emptyDraft,
});

/** A message to one request. */
export const messageDraft = (uid: string, requestId: string): DraftPlace<MessageDraft> => ({
  read: () => readKept(uid).messages?.[requestId] ?? emptyMessage(),
  keep: (message) => {
    const { draft, messages = {} } = readKept(uid);
    const others = Object.entries(messages).filter(([id]) => id !== requestId);
    const own: [string, MessageDraft][] = message.text === '' ? [] : [[requestId, message]];
    return keepAll(uid, { draft, messages: Object.fromEntries([...others, ...own]) });
  },
  empty: emptyMessage,
});
