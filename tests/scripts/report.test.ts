/** The proof report: what it says of a part that was run, that failed, and that was never run. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXPLAINED_CHANGES } from '../../scripts/proof/explained-changes.ts';
import { isGood, mutationScore, shareText } from '../../scripts/proof/mutation-score.ts';
import { PARTS, type Part } from '../../scripts/proof/parts.ts';
import { reportText } from '../../scripts/proof/report-text.ts';
import {
  beginProof,
  keepResult,
  later,
  latestResult,
  readKept,
} from '../../scripts/proof/result.ts';

let folder: string;
const before = process.env.PROOF_DIR;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tradewind-proof-'));
  process.env.PROOF_DIR = folder;
});
afterEach(() => {
  if (before === undefined) delete process.env.PROOF_DIR;
  else process.env.PROOF_DIR = before;
  rmSync(folder, { recursive: true });
});

const FUZZ: Part = {
  name: 'fuzz',
  title: 'Hostile requests',
  shows: 'What it shows.',
  short: 'npm run test:attack',
  long: 'ATTACK_REQUESTS=1000000 npm run test:attack',
  read: () => latestResult('fuzz'),
};
const text = (): string => reportText([{ part: FUZZ, result: FUZZ.read() }]);

describe('the report', () => {
  it('says of a part without a result that it was not run, and how to', () => {
    expect(text()).toContain('| Hostile requests | not run |');
    expect(text()).toContain('Not run. `npm run test:attack` runs it.');
    expect(text()).not.toMatch(/passed|failed/);
  });

  it('says of a part what was found, by which seed and command, and where', () => {
    keepResult({
      part: 'fuzz',
      command: 'ATTACK_SEED=7 npm run test:attack',
      ok: true,
      seed: 7,
      seconds: 61.4,
      figures: { 'requests answered': 1_234_567 },
      rows: [
        ['What', 'Count'],
        ['a | b', 3],
      ],
    });
    const said = text();
    expect(said).toContain('| Hostile requests | passed | 1,234,567 requests answered |');
    for (const line of [
      '| Again by | `ATTACK_SEED=7 npm run test:attack` |',
      '| Seed | 7 |',
      '| Took | 61 s |',
      '| requests answered | 1,234,567 |',
      '| a \\| b | 3 |',
    ])
      expect(said).toContain(line);
    expect(said).toMatch(/\| Machine \| \d+ cores, .+, \d+ GiB \|/);
    expect(said).toContain(process.version);
  });

  it('calls what broke off failed, also after an earlier success', () => {
    keepResult({ part: 'fuzz', ok: true, figures: { requests: 1 } });
    beginProof('fuzz');
    expect(text()).toContain('**failed**');
    expect(text()).toContain('broken off');
  });

  it('takes the later of what this machine found and what is kept with the code', () => {
    keepResult({ part: 'fuzz', ok: true, figures: { requests: 2 } });
    const here = latestResult('fuzz');
    if (here === null) throw new Error('Nothing was kept');
    const file = join(folder, 'report.json');
    expect(readKept(file)).toEqual([]);
    const earlier = { ...here, endedAt: '2020-01-01T00:00:00.000Z', figures: { requests: 1 } };
    writeFileSync(file, JSON.stringify([earlier]));
    const [kept = null] = readKept(file);
    expect(later(kept, here)).toEqual(here);
    expect(later(here, kept)).toEqual(here);
    expect(later(kept, null)).toEqual(earlier);
    expect(later(null, null)).toBeNull();
  });

  it('names no machine and no path', () => {
    keepResult({ part: 'fuzz', ok: true, figures: { requests: 1 } });
    expect(text()).not.toContain(process.cwd());
    expect(text()).not.toContain(folder);
  });

  it('has each part once, with a name that is a file name', () => {
    const names = PARTS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z-]+$/);
  });
});

describe('a mutation score', () => {
  const report = (...statuses: string[]): string =>
    JSON.stringify({
      files: { 'engine/a.ts': { mutants: statuses.map((status) => ({ status })) } },
    });

  it('counts what found no test among the unnoticed, and leaves out what says nothing', () => {
    const score = mutationScore(
      report('Killed', 'Timeout', 'Survived', 'NoCoverage', 'Ignored', 'CompileError'),
    );
    expect([score.noticed, score.total, score.unnoticed.length]).toEqual([2, 4, 2]);
    expect(shareText(score)).toBe('50.0 %');
  });

  it('names the place and the change that nobody noticed', () => {
    const { unnoticed } = mutationScore(
      JSON.stringify({
        files: {
          'engine/a.ts': {
            mutants: [
              {
                status: 'Survived',
                mutatorName: 'EqualityOperator',
                replacement: 'a  <= b',
                location: { start: { line: 7, column: 3 } },
              },
            ],
          },
        },
      }),
    );
    expect(unnoticed).toEqual(['engine/a.ts:7 EqualityOperator a <= b']);
  });

  it('counts apart what no test can notice, by its line and change, and never as noticed', () => {
    const source = 'const a = 1;\n  return a ?? 0;\n';
    const survived = (line: number, replacement: string) => ({
      status: 'Survived',
      replacement,
      location: { start: { line, column: 1 } },
    });
    const mutants = [survived(2, 'a'), survived(2, 'a  &&\n 0'), survived(1, 'a && 0')];
    const found = mutationScore(JSON.stringify({ files: { 'engine/a.ts': { source, mutants } } }), [
      { file: 'engine/a.ts', line: 'return a ?? 0;', replacements: ['a && 0'], why: 'It is so.' },
    ]);
    expect([found.noticed, found.total, found.explained]).toEqual([0, 3, 1]);
    expect(found.unnoticed).toEqual(['engine/a.ts:2  a', 'engine/a.ts:1  a && 0']);
  });

  it('has no explanation of a line that is gone', () => {
    for (const { file, line } of EXPLAINED_CHANGES)
      expect(
        readFileSync(join(import.meta.dirname, '../..', file), 'utf8')
          .split('\n')
          .map((one) => one.trim()),
        file,
      ).toContain(line);
  });

  it('is good from nine in ten, and not where nothing was changed', () => {
    const nine = Array<string>(9).fill('Killed');
    expect(isGood(mutationScore(report(...nine, 'Survived')))).toBe(true);
    expect(isGood(mutationScore(report(...nine, 'Survived', 'Survived')))).toBe(false);
    expect(isGood(mutationScore(report()))).toBe(false);
  });
});
