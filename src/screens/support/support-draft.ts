/** Keeps an unsent support request on this device. It is deleted at log-out. */
import * as z from 'zod/mini';
import { keepsSnapshots } from '../../commands.ts';
import { SUPPORT_DRAFT_KEY as KEY } from '../../identity/last-user.ts';
import { SupportCategory } from '../../../contract/support.ts';

const Draft = z.object({
  id: z.uuid(),
  category: z.union([SupportCategory, z.literal('')]),
  text: z.string(),
  /** It was sent as it stands, and may have arrived. */
  tried: z.optional(z.boolean()),
});
/** `id` is the request's from the first letter on, so that sending twice creates one. */
export type Draft = z.infer<typeof Draft>;

export const emptyDraft = (): Draft => ({ id: crypto.randomUUID(), category: '', text: '' });

/** Where nothing may be saved on the device, this tab remembers it. */
const stores = (): [Storage, Storage] =>
  keepsSnapshots() ? [localStorage, sessionStorage] : [sessionStorage, localStorage];

export function readDraft(uid: string): Draft {
  for (const store of stores()) {
    try {
      const kept = z
        .object({ uid: z.string(), draft: Draft })
        .safeParse(JSON.parse(store.getItem(KEY) ?? 'null'));
      if (kept.success && kept.data.uid === uid) return kept.data.draft;
    } catch {
      // Unknown or truncated: start a new draft.
    }
  }
  return emptyDraft();
}

/** Whether it was saved: storage may be full or closed. */
export function keepDraft(uid: string, draft: Draft): boolean {
  const [store, other] = stores();
  other.removeItem(KEY);
  try {
    if (draft.text === '' && draft.category === '') store.removeItem(KEY);
    else store.setItem(KEY, JSON.stringify({ uid, draft }));
    return true;
  } catch {
    return false;
  }
}
