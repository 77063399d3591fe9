/**
 * `npm run check [<commit>]`: types, lint, format and the tests of what changed since a commit; by
 * default since the last one, or in it where nothing has changed since.
 */
import { execFileSync } from 'node:child_process';
import { bin, runLanes, typesOf, type Step } from './check-steps.ts';

const git = (...args: string[]): string[] =>
  execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);

function changedSince(commit: string): string[] {
  return [
    ...git('diff', '--name-only', '--diff-filter=d', commit),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
}

/** Which files each part's types are made of. */
const PROJECTS: readonly (readonly [name: string, files: RegExp])[] = [
  ['page', /^(contract|engine|src)\//],
  ['worker', /^(contract|sw|src\/(offline|identity|format))\//],
  ['server', /^(contract|engine|server|scripts)\/|^vite\.config/],
  ['tests', /^(contract|engine|server|src|sw|scripts|tests)\/|^(vitest|drizzle)\./],
];
/** What is tested by a browser or by hand only. */
const HAS_NO_UNIT_TEST = /\.(e2e|browser)\.ts$|^tests\/(bench|e2e|faults|browsers)\//;

function stepsFor(changed: readonly string[]): Step[][] {
  const code = changed.filter((file) => /\.tsx?$/.test(file));
  const tested = code.filter((file) => !HAS_NO_UNIT_TEST.test(file));
  const whole = changed.some((file) => /^(package|tsconfig)[^/]*\.json$/.test(file));
  const types = PROJECTS.filter(([, files]) => whole || code.some((file) => files.test(file))).map(
    ([name]) => typesOf(name),
  );
  const tests: Step[] =
    tested.length === 0
      ? []
      : [
          {
            name: 'tests of what changed',
            command: [bin('vitest'), 'related', '--run', '--passWithNoTests', ...tested],
          },
        ];
  const lint: Step[] =
    code.length === 0 ? [] : [{ name: 'lint', command: [bin('oxlint'), ...code] }];
  const format: Step = {
    name: 'format',
    command: [bin('prettier'), '--check', '--ignore-unknown', ...changed],
  };
  return [
    [...types, format],
    [...lint, ...tests],
  ];
}

const [since = 'HEAD'] = process.argv.slice(2);
const found = changedSince(since);
const changed = found.length === 0 && since === 'HEAD' ? changedSince('HEAD~1') : found;
if (changed.length === 0) console.log('Nothing has changed.');
else {
  console.log(`${changed.length} changed ${changed.length === 1 ? 'file' : 'files'}`);
  await runLanes(stepsFor(changed));
}
