/**
 * `npm run test:faults [-- F36 F68]`: runs the tests that name a fault of `docs/faults.md` and
 * prints a row for each fault, with its tests and how they ended.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { bin, run } from './check-steps.ts';
import { FAULT_LIST, faultsIn, filesByFault, listedFaults } from './fault-list.ts';

const END_TO_END = 'vitest.e2e.config.ts';

const Report = z.object({
  testResults: z.array(
    z.object({
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
});

/** Runs the tests of these files that name one of these faults; how each ended, by its full name. */
async function ended(
  files: readonly string[],
  ids: readonly string[],
  config: readonly string[],
): Promise<Map<string, string>> {
  if (files.length === 0) return new Map();
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-faults-'));
  const file = join(folder, 'report.json');
  const command = [bin('vitest'), 'run', ...config, '--reporter=json', `--outputFile=${file}`];
  await run({
    name: `${files.length} files of ${config.length === 0 ? 'unit and server' : 'browser'} tests`,
    command: [...command, '-t', `\\b(${ids.join('|')})\\b`, ...files],
  });
  const { testResults } = Report.parse(JSON.parse(readFileSync(file, 'utf8')));
  rmSync(folder, { recursive: true });
  return new Map(
    testResults.flatMap(({ assertionResults }) =>
      assertionResults.map(({ fullName, status }): [string, string] => [fullName, status]),
    ),
  );
}

const faults = listedFaults();
const asked = process.argv.slice(2);
const unlisted = asked.filter((id) => !faults.has(id));
if (unlisted.length > 0) throw new RangeError(`Not in ${FAULT_LIST}: ${unlisted.join(', ')}`);
const ids = asked.length > 0 ? asked : [...faults.keys()];
const byFault = filesByFault();
const files = [...new Set(ids.flatMap((id) => byFault.get(id) ?? []))].filter(
  // Other browsers have a command of their own.
  (file) => !file.includes('.browser.'),
);
const inBrowser = files.filter((file) => file.includes('.e2e.'));
const built =
  inBrowser.length === 0
    ? null
    : await run({ name: 'build', command: [bin('tsx'), 'scripts/build.ts'] });
if (built?.ok === false) throw new Error('The build failed');
const results = new Map([
  ...(await ended(
    files.filter((file) => !inBrowser.includes(file)),
    ids,
    [],
  )),
  ...(await ended(inBrowser, ids, ['--config', END_TO_END])),
]);

let survived = 0;
console.log('\n| Id | Fault | Tests passed | |\n| --- | --- | --- | --- |');
for (const id of ids) {
  const of = [...results].filter(
    ([name, status]) => faultsIn(name).includes(id) && status !== 'skipped',
  );
  const passed = of.filter(([, status]) => status === 'passed').length;
  const isSurvived = passed > 0 && passed === of.length;
  if (isSurvived) survived += 1;
  console.log(
    `| ${id} | ${faults.get(id) ?? ''} | ${passed} of ${of.length} | ${isSurvived ? 'survived' : 'NOT SHOWN'} |`,
  );
}
console.log(`\n${survived} of ${ids.length} faults survived`);
process.exitCode = survived === ids.length ? 0 : 1;
