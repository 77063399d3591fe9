/** Why new trades are off: by whom, for what reason and until when. Exits are never affected. */
import * as z from 'zod/mini';

/** From the widest to the narrowest: a wider one is named first. */
export const HaltScope = z.enum(['platform', 'venue', 'user', 'agent']);
export type HaltScope = z.infer<typeof HaltScope>;

export const HALT_REASON_MAX = 200;

/**
 * Times on the wall clock, ms; `since` null where it was not written down, `until` null where it
 * lasts until it is lifted.
 */
export const EntriesOff = z.object({
  scope: HaltScope,
  /** The person's own settings, or whoever runs the server. */
  by: z.enum(['operator', 'you']),
  /** For the scope `agent`; null for the others. */
  agentId: z.nullable(z.string()),
  reason: z.string(),
  since: z.nullable(z.number()),
  until: z.nullable(z.number()),
});
export type EntriesOff = z.infer<typeof EntriesOff>;
