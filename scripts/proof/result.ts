/**
 * What a proof command found, kept as a small file for `npm run report`: figures, seed, versions
 * and the machine, and nothing that names one.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';

/** `PROOF_DIR` keeps results elsewhere, as a test of the report does. */
const folder = (): string => process.env.PROOF_DIR ?? 'node_modules/.cache/tradewind/proof';

const Figure = z.union([z.number(), z.string()]);

export const ProofResult = z.object({
  part: z.string(),
  /** As it was typed, for whoever wants it again. */
  command: z.string(),
  /** ISO 8601, UTC. */
  endedAt: z.string(),
  ok: z.boolean(),
  seed: z.nullable(z.number()),
  seconds: z.nullable(z.number()),
  figures: z.record(z.string(), Figure),
  /** A table of its own, first its headings. */
  rows: z.array(z.array(Figure)),
  versions: z.object({ commit: z.string(), node: z.string() }),
  machine: z.object({ cores: z.number(), model: z.string(), memoryGiB: z.number() }),
});
export type ProofResult = z.infer<typeof ProofResult>;

export interface Found {
  part: string;
  ok: boolean;
  figures: ProofResult['figures'];
  seed?: number;
  seconds?: number;
  rows?: ProofResult['rows'];
  /** Where it is not `npm run` and the name of the script that runs. */
  command?: string;
}

function commitNow(): string {
  try {
    const git = (...args: string[]): string =>
      execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    const changed =
      git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ' and changes';
    return `${git('rev-parse', '--short=10', 'HEAD')}${changed}`;
  } catch {
    return 'unknown';
  }
}

export const machineNow = (): ProofResult['machine'] => ({
  cores: cpus().length,
  model: cpus()[0]?.model.trim() ?? 'unknown',
  memoryGiB: Math.round(totalmem() / 2 ** 30),
});

const commandNow = (): string => `npm run ${process.env.npm_lifecycle_event ?? 'test:e2e'}`;

export function keepResult(found: Found): void {
  const result: ProofResult = {
    part: found.part,
    command: found.command ?? commandNow(),
    endedAt: new Date().toISOString(),
    ok: found.ok,
    seed: found.seed ?? null,
    seconds: found.seconds === undefined ? null : Math.round(found.seconds),
    figures: found.figures,
    rows: found.rows ?? [],
    versions: { commit: commitNow(), node: process.version },
    machine: machineNow(),
  };
  mkdirSync(folder(), { recursive: true });
  writeFileSync(join(folder(), `${found.part}.json`), `${JSON.stringify(result, null, 2)}\n`);
}

/** At the start of a proof: what breaks off has failed, and no older success stands in its place. */
export const beginProof = (part: string): void => {
  keepResult({ part, ok: false, figures: { 'how it ended': 'broken off' } });
};

/** Results of earlier machines, as the report that is kept with the code has them. */
const Kept = z.array(ProofResult);
export function readKept(file: string): ProofResult[] {
  return existsSync(file) ? Kept.parse(JSON.parse(readFileSync(file, 'utf8'))) : [];
}

/** The later of the two. */
export function later(one: ProofResult | null, other: ProofResult | null): ProofResult | null {
  if (one === null || other === null) return one ?? other;
  return one.endedAt < other.endedAt ? other : one;
}

/** The latest, or null where the part was never run here. */
export function latestResult(part: string): ProofResult | null {
  let text: string;
  try {
    text = readFileSync(join(folder(), `${part}.json`), 'utf8');
  } catch {
    return null;
  }
  return ProofResult.parse(JSON.parse(text));
}
