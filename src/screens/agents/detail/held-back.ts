/** Which guards blocked which pairs at an agent's last evaluation. A weak signal is not a guard. */
import type { Decision } from '../../../../contract/agents.ts';
import { GUARD_CODES } from '../../../../contract/guards.ts';

const HELD_BACK: ReadonlySet<string> = new Set([...GUARD_CODES, 'entries_stopped']);

export interface HeldBack {
  pairs: string[];
  text: string;
}

/**
 * One line per reason with its pairs. A stop that was just executed is not a guard. `shownCode`: a code
 * that is already shown elsewhere on the page.
 */
export function heldBack(
  decisions: readonly Decision[],
  shownCode: string | null = null,
): HeldBack[] {
  const newest = Math.max(...decisions.map(({ at }) => at));
  const lines = new Map<string, string[]>();
  for (const { action, at, pair, reason, text } of decisions) {
    if (at !== newest || !HELD_BACK.has(reason) || reason === shownCode || action === 'exit')
      continue;
    const why = text.replace(/^(No trade|Holding): /, '');
    lines.set(why, [...(lines.get(why) ?? []), pair]);
  }
  return [...lines].map(([text, pairs]) => ({
    text: text.charAt(0).toUpperCase() + text.slice(1),
    pairs: pairs.sort(),
  }));
}
