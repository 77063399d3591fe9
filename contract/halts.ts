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

const WIDTH: Record<HaltScope, number> = { platform: 0, venue: 1, user: 2, agent: 3 };

/** Widest first; of the same width the operator's before the person's own. */
export function byPrecedence(
  one: Pick<EntriesOff, 'scope' | 'by'>,
  other: Pick<EntriesOff, 'scope' | 'by'>,
): number {
  return (
    WIDTH[one.scope] - WIDTH[other.scope] || Number(one.by === 'you') - Number(other.by === 'you')
  );
}

/**
 * What is in force at `now` for an agent, or with null for the person as a whole: the widest of it,
 * because lifting a narrower one would change nothing.
 */
export function entriesOffFor(
  list: readonly EntriesOff[],
  agentId: string | null,
  now: number,
): EntriesOff | null {
  const mine = list.filter(
    (off) =>
      (off.until === null || off.until > now) && (off.agentId === null || off.agentId === agentId),
  );
  return [...mine].sort(byPrecedence)[0] ?? null;
}
