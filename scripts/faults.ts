/**
 * `npm run test:faults [-- F36 F68]`: runs the tests that name a fault of `docs/faults.md` and
 * prints a row for each fault, with its tests and how they ended.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { bin, run } from './check-steps.ts';
import { beginProof, keepResult } from './proof/result.ts';
import { FAULT_LIST, faultsIn, filesByFault, listedFaults } from './fault-list.ts';

const END_TO_END = 'vitest.e2e.config.ts';

const Report = z.object({
  testResults: z.array(
    z.object({
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z.optional(z.array(z.string())),
        }),
      ),
    }),
  ),
});

interface Ended {
  /** False where a test failed, or a file could not be run. */
  ok: boolean;
  /** Each test with its full name; two files may have one of the same name. */
  tests: { fullName: string; status: string }[];
}

/** Runs these files, or of them what `only` says, and prints what failed. */
async function ended(files: readonly string[], only: readonly string[]): Promise<Ended> {
  if (files.length === 0) return { ok: true, tests: [] };
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-faults-'));
  const file = join(folder, 'report.json');
  const command = [bin('vitest'), 'run', '--reporter=json', `--outputFile=${file}`];
  const { ok } = await run({
    name: `${files.length} files of ${only.includes(END_TO_END) ? 'browser' : 'unit and server'} tests`,
    command: [...command, ...only, ...files],
  });
  const { testResults } = Report.parse(JSON.parse(readFileSync(file, 'utf8')));
  rmSync(folder, { recursive: true });
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  for (const { fullName, status, failureMessages = [] } of tests)
    if (status === 'failed') console.log(`     ${fullName}\n       ${failureMessages[0] ?? ''}`);
  return { ok, tests };
}

const faults = listedFaults();
const asked = process.argv.slice(2);
const unlisted = asked.filter((id) => !faults.has(id));
if (unlisted.length > 0) throw new RangeError(`Not in ${FAULT_LIST}: ${unlisted.join(', ')}`);
const ids = asked.length > 0 ? asked : [...faults.keys()];
/** Some of them are no proof of all. */
const isWhole = asked.length === 0;
if (isWhole) beginProof('faults');
const startedAt = Date.now();
const byFault = filesByFault();
const files = [...new Set(ids.flatMap((id) => byFault.get(id) ?? []))];
const inBrowser = files.filter((file) => file.includes('.e2e.'));
const built =
  inBrowser.length === 0
    ? null
    : await run({ name: 'build', command: [bin('tsx'), 'scripts/build.ts'] });
if (built?.ok === false) throw new Error('The build failed');
const elsewhere = files.filter((file) => !inBrowser.includes(file));
const runs = [
  await ended(elsewhere, ['-t', `\\b(${ids.join('|')})\\b`]),
  // Whole files: in a browser a test begins where the one before has left the app.
  await ended(inBrowser, ['--config', END_TO_END]),
];
const tests = runs.flatMap((one) => one.tests);

const rows: (string | number)[][] = [['Id', 'Fault', 'Tests passed', 'Of', '']];
let survived = 0;
console.log('\n| Id | Fault | Tests passed | |\n| --- | --- | --- | --- |');
for (const id of ids) {
  const of = tests.filter(
    ({ fullName, status }) => faultsIn(fullName).includes(id) && status !== 'skipped',
  );
  const passed = of.filter(({ status }) => status === 'passed').length;
  const isSurvived = passed > 0 && passed === of.length;
  if (isSurvived) survived += 1;
  const outcome = isSurvived ? 'survived' : 'NOT SHOWN';
  rows.push([id, faults.get(id) ?? '', passed, of.length, outcome]);
  console.log(`| ${id} | ${faults.get(id) ?? ''} | ${passed} of ${of.length} | ${outcome} |`);
}
console.log(`\n${survived} of ${ids.length} faults survived`);
if (!runs.every(({ ok }) => ok)) console.log('A test failed or could not be run: see above');
const ok = survived === ids.length && runs.every((one) => one.ok);
process.exitCode = ok ? 0 : 1;
if (isWhole)
  keepResult({
    part: 'faults',
    command: 'npm run test:faults',
    ok,
    seconds: (Date.now() - startedAt) / 1_000,
    figures: { 'faults survived': `${survived} of ${ids.length}`, tests: tests.length },
    rows,
  });
