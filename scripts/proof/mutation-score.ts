/** Reads Stryker's report of a module: how many changes of its code its tests notice. */
import * as z from 'zod';

const Report = z.object({
  files: z.record(
    z.string(),
    z.object({
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
  /** Where each change stands that no test noticed, and what it is. */
  unnoticed: string[];
}

export function mutationScore(report: string): MutationScore {
  const score: MutationScore = { noticed: 0, total: 0, unnoticed: [] };
  for (const [path, { mutants }] of Object.entries(Report.parse(JSON.parse(report)).files))
    for (const { status, mutatorName = '', replacement = '', location } of mutants) {
      if (NOTICED.has(status)) score.noticed += 1;
      else if (UNNOTICED.has(status))
        score.unnoticed.push(
          `${path}:${location?.start.line ?? '?'} ${mutatorName} ${replacement.replace(/\s+/g, ' ').slice(0, 60)}`.trim(),
        );
      else continue;
      score.total += 1;
    }
  return score;
}

export const isGood = ({ noticed, total }: MutationScore): boolean =>
  total > 0 && noticed >= LEAST * total;

export const shareText = ({ noticed, total }: MutationScore): string =>
  total === 0 ? '–' : `${((100 * noticed) / total).toFixed(1)} %`;
