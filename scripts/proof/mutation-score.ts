/** Reads Stryker's JSON report into a result with a score for each module. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import { machineNow, type ProofResult } from './result.ts';

/** Where `jsonReporter.fileName` of Stryker's configuration has to point. */
export const MUTATION_REPORT = 'node_modules/.cache/tradewind/proof/stryker.json';

const Report = z.object({
  files: z.record(z.string(), z.object({ mutants: z.array(z.object({ status: z.string() })) })),
});

const KILLED = new Set(['Killed', 'Timeout']);
const ALIVE = new Set(['Survived', 'NoCoverage']);

interface Score {
  killed: number;
  alive: number;
}

const percent = ({ killed, alive }: Score): string =>
  killed + alive === 0 ? '–' : `${((100 * killed) / (killed + alive)).toFixed(1)} %`;

/** Least killed mutants of a module, as a part. */
const LEAST = 0.9;

export function mutationScores(text: string): {
  rows: ProofResult['rows'];
  all: Score;
  ok: boolean;
} {
  const modules = new Map<string, Score>();
  for (const [file, { mutants }] of Object.entries(Report.parse(JSON.parse(text)).files)) {
    const score = modules.get(dirname(file)) ?? { killed: 0, alive: 0 };
    score.killed += mutants.filter(({ status }) => KILLED.has(status)).length;
    score.alive += mutants.filter(({ status }) => ALIVE.has(status)).length;
    modules.set(dirname(file), score);
  }
  const scores = [...modules.values()];
  const all = scores.reduce(
    (sum, one) => ({ killed: sum.killed + one.killed, alive: sum.alive + one.alive }),
    { killed: 0, alive: 0 },
  );
  return {
    all,
    ok:
      scores.length > 0 && scores.every(({ killed, alive }) => killed >= LEAST * (killed + alive)),
    rows: [
      ['Module', 'Killed', 'Alive', 'Score'],
      ...[...modules]
        .sort(([a], [b]) => a.localeCompare(b))
        .map(([name, score]) => [name, score.killed, score.alive, percent(score)]),
    ],
  };
}

/** Stryker keeps no seed and no commit. */
export function mutationResult(): ProofResult | null {
  if (!existsSync(MUTATION_REPORT)) return null;
  const { rows, all, ok } = mutationScores(readFileSync(MUTATION_REPORT, 'utf8'));
  return {
    part: 'mutation',
    command: 'npx stryker run',
    endedAt: statSync(MUTATION_REPORT).mtime.toISOString(),
    ok,
    seed: null,
    seconds: null,
    figures: { mutants: all.killed + all.alive, killed: percent(all) },
    rows,
    versions: { commit: 'not recorded', node: process.version },
    machine: machineNow(),
  };
}
