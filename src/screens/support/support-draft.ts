/** Keeps an unsent support request on this device. It is deleted at log-out. */
import * as z from 'zod/mini';
import { keepsSnapshots } from '../../commands.ts';
import { SUPPORT_DRAFT_KEY as KEY } from '../../identity/last-user.ts';
import { SupportCategory } from '../../../contract/support.ts';

const Draft = z.object({
  id: z.uuid(),
  category: z.union([SupportCategory, z.literal('')]),
  text: z.string(),
});
/** `id` is the request's, from the first letter on: sent twice, it is one. */
export type Draft = z.infer<typeof Draft>;

export const emptyDraft = (): Draft => ({ id: crypto.randomUUID(), category: '', text: '' });

/** Where nothing may be kept on the device, this tab still remembers. */
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
      // Not ours, or cut short: a new one begins.
    }
  }
  return emptyDraft();
}

/** Whether it is kept: a full or closed store keeps nothing. */
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
