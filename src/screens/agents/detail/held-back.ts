/** Which guards keep an agent from entering which pairs at its newest check. */
import type { Decision } from '../../../../contract/agents.ts';
import { GUARD_CODES } from '../../../../contract/guards.ts';

const HELD_BACK: ReadonlySet<string> = new Set([...GUARD_CODES, 'entries_stopped']);

export interface HeldBack {
  pairs: string[];
  text: string;
}

/**
 * One line for each reason, with the pairs it is given for; a stop that was just carried out is no
 * guard. `said`: a code that stands elsewhere on the page.
 */
export function heldBack(decisions: readonly Decision[], said: string | null = null): HeldBack[] {
  const newest = Math.max(...decisions.map(({ at }) => at));
  const lines = new Map<string, string[]>();
  for (const { action, at, pair, reason, text } of decisions) {
    if (at !== newest || !HELD_BACK.has(reason) || reason === said || action === 'exit') continue;
    const why = text.replace(/^(No trade|Holding): /, '');
    lines.set(why, [...(lines.get(why) ?? []), pair]);
  }
  return [...lines].map(([text, pairs]) => ({
    text: text.charAt(0).toUpperCase() + text.slice(1),
    pairs: pairs.sort(),
  }));
}
