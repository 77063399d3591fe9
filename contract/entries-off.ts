/** Which of several reasons that keep new trades off is named. */
import type { EntriesOff, HaltScope } from './halts.ts';

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
