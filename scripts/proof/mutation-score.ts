/** Reads Stryker's report of a module: how many changes of its code its tests notice. */
import * as z from 'zod';
import { EXPLAINED_CHANGES, type ExplainedChange } from './explained-changes.ts';

const Report = z.object({
  files: z.record(
    z.string(),
    z.object({
      source: z.optional(z.string()),
      mutants: z.array(
        z.object({
          status: z.string(),
          mutatorName: z.optional(z.string()),
          replacement: z.optional(z.string()),
          location: z.optional(
            z.object({ start: z.object({ line: z.number(), column: z.number() }) }),
          ),
        }),
      ),
    }),
  ),
});

/** Ends that count as noticed, and as not; what does not compile or was left out says neither. */
const NOTICED = new Set(['Killed', 'Timeout']);
const UNNOTICED = new Set(['Survived', 'NoCoverage']);
/** Share of its changes that the tests of a module must notice. */
const LEAST = 0.9;

export interface MutationScore {
  noticed: number;
  total: number;
  /** Of those that no test noticed: the ones whose reason is written down. They count as unnoticed. */
  explained: number;
  /** Where each of the others stands, and what it is. */
  unnoticed: string[];
}

export function mutationScore(
  report: string,
  reasons: readonly ExplainedChange[] = EXPLAINED_CHANGES,
): MutationScore {
  const score: MutationScore = { noticed: 0, total: 0, explained: 0, unnoticed: [] };
  for (const [path, { source = '', mutants }] of Object.entries(
    Report.parse(JSON.parse(report)).files,
  )) {
    const lines = source.split('\n').map((line) => line.trim());
    for (const { status, mutatorName = '', replacement = '', location } of mutants) {
      const change = replacement.replace(/\s+/g, ' ');
      const isExplained = (): boolean =>
        reasons.some(
          ({ file, line, replacements }) =>
            file === path &&
            line === lines[(location?.start.line ?? 0) - 1] &&
            replacements.includes(change),
        );
      if (NOTICED.has(status)) score.noticed += 1;
      else if (!UNNOTICED.has(status)) continue;
      else if (isExplained()) score.explained += 1;
      else
        score.unnoticed.push(
          `${path}:${location?.start.line ?? '?'} ${mutatorName} ${change.slice(0, 60)}`.trim(),
        );
      score.total += 1;
    }
  }
  return score;
}

export const isGood = ({ noticed, total }: MutationScore): boolean =>
  total > 0 && noticed >= LEAST * total;

export const shareText = ({ noticed, total }: MutationScore): string =>
  total === 0 ? '–' : `${((100 * noticed) / total).toFixed(1)} %`;
